// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"path"
	"strings"
)

// A language is one that the agent can name. Not everything can be written in every language.
type language struct {
	id        string
	title     string
	words     []string // how people call it, in lower case
	extension string
	mediaType string
	comment   string // begins a comment of one line; "" when there is none
}

var languages = []language{
	{"go", "Go", []string{"golang"}, ".go", "text/x-go", "//"},
	{"python", "Python", []string{"python", "python3", "py", "pythonic"}, ".py", "text/x-python", "#"},
	{"typescript", "TypeScript", []string{"typescript", "ts"}, ".ts", "text/x-typescript", "//"},
	{"javascript", "JavaScript", []string{"javascript", "js", "node", "nodejs", "node.js", "ecmascript"}, ".js", "text/javascript", "//"},
	{"java", "Java", []string{"java"}, ".java", "text/x-java", "//"},
	{"rust", "Rust", []string{"rust"}, ".rs", "text/x-rust", "//"},
	{"c", "C", nil, ".c", "text/x-c", "//"},
	{"html", "HTML", []string{"html", "html5", "web page", "webpage"}, ".html", "text/html", ""},
	{"css", "CSS", []string{"css", "stylesheet"}, ".css", "text/css", ""},
	{"sql", "SQL", []string{"sql", "sqlite", "postgres", "postgresql", "mysql"}, ".sql", "text/x-sql", "--"},
	{"bash", "Bash", []string{"bash", "shell", "sh"}, ".sh", "text/x-sh", "#"},
	{"dockerfile", "Dockerfile", nil, ".dockerfile", "text/x-dockerfile", "#"},
	{"makefile", "Makefile", nil, ".mk", "text/x-makefile", "#"},
	{"yaml", "YAML", []string{"yaml", "yml"}, ".yml", "text/x-yaml", "#"},
	{"json", "JSON", nil, ".json", "application/json", ""},
	{"markdown", "Markdown", nil, ".md", "text/markdown", ""},
	{"text", "text", nil, ".txt", "text/plain", ""},
}

// languageOf returns a language by its id, by a word for it, or by an extension; text when none fits.
func languageOf(word string) language {
	word = strings.ToLower(word)
	for _, l := range languages {
		if l.id == word || l.extension == "."+word {
			return l
		}
		for _, w := range l.words {
			if w == word {
				return l
			}
		}
	}
	switch word {
	case "jsx", "mjs", "cjs":
		return languageOf("javascript")
	case "tsx":
		return languageOf("typescript")
	case "h":
		return languageOf("c")
	case "yml":
		return languageOf("yaml")
	case "htm":
		return languageOf("html")
	}
	return languages[len(languages)-1]
}

// languageOfFile goes by a file's name.
func languageOfFile(name string) language {
	switch base := path.Base(name); base {
	case "Dockerfile", "Makefile":
		return languageOf(strings.ToLower(base))
	}
	return languageOf(strings.TrimPrefix(path.Ext(name), "."))
}

// A File is one that was written.
type File struct {
	Name     string `json:"name"` // a path with slashes, within its folder
	Language string `json:"language"`
	Content  string `json:"content"`
}

func (f File) mediaType() string { return languageOf(f.Language).mediaType }
