// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A language is one that the agent can name in the facts of a file.
type language struct {
	id        string
	mediaType string
	words     string // further names and extensions, in lower case; the first one is the extension of a new file
}

var languages = []language{
	{"go", "text/x-go", "go golang"},
	{"python", "text/x-python", "py python3"},
	{"typescript", "text/x-typescript", "ts tsx"},
	{"javascript", "text/javascript", "js node jsx mjs cjs"},
	{"java", "text/x-java", "java"},
	{"rust", "text/x-rust", "rs"},
	{"c", "text/x-c", "c h"},
	{"html", "text/html", "html htm"},
	{"css", "text/css", "css"},
	{"sql", "text/x-sql", "sql"},
	{"bash", "text/x-sh", "sh shell"},
	{"dockerfile", "text/x-dockerfile", "dockerfile"},
	{"makefile", "text/x-makefile", "mk"},
	{"yaml", "text/x-yaml", "yml"},
	{"json", "application/json", "json"},
	{"markdown", "text/markdown", "md"},
	{"text", "text/plain", "txt"},
}

// languageOf returns a language by its id, another name or an extension without the dot; text when none fits.
func languageOf(word string) language {
	word = strings.ToLower(word)
	for _, l := range languages {
		if l.id == word || slices.Contains(strings.Fields(l.words), word) {
			return l
		}
	}
	return languages[len(languages)-1]
}

// languageOfFile goes by a file's name.
func languageOfFile(name string) language {
	if extension := path.Ext(name); extension != "" {
		return languageOf(extension[1:])
	}
	return languageOf(path.Base(name)) // such as Dockerfile
}

// extension is what the name of a new file ends with.
func (l language) extension() string {
	first, _, _ := strings.Cut(l.words, " ")
	return "." + first
}

// A File is one that was written.
type File struct {
	Name     string `json:"name"` // a path with slashes, within its folder
	Language string `json:"language"`
	Content  string `json:"content"`
}

func (f File) mediaType() string { return languageOf(f.Language).mediaType }

// Limits of what is written and read.
const (
	MaxFiles = 20
	MaxFile  = 256 << 10 // bytes of one file
	maxPath  = 120       // bytes of a file's name
)

// localPath cleans the name of a file. ok is false when it leaves its folder, is absolute, or is no name at all.
func localPath(name string) (clean string, ok bool) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	odd := func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`<>:"|?*`, r) }
	if name == "" || len(name) > maxPath || strings.ContainsFunc(name, odd) {
		return "", false
	}
	clean = path.Clean(name)
	return clean, clean != "." && filepath.IsLocal(clean) && !strings.HasSuffix(name, "/")
}
