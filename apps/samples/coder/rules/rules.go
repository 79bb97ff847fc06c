// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model that writes code. It has two recipes, and it refuses each request that
// has a word it does not know: a wrong program is worse than none.
package rules

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Refusal is the answer to a request that no recipe fits.
const Refusal = "Offline this agent writes only Fibonacci numbers in Go or Python and an HTML page with a button " +
	"that says hello; start it with --llm to have anything else written."

// recipes holds the files in folders SUBJECT-LANGUAGE. Each name ends in .txt, so that no tool takes them for sources.
//
//go:embed recipes
var recipes embed.FS

// Words that a request may have. A request must name one subject; about are the words that describe it.
var (
	subjects = map[string]string{"fibonacci": "fibonacci", "page": "page", "webpage": "page"}
	about    = map[string][]string{
		"fibonacci": strings.Fields("number numbers sequence function computes calculates prints returns test tests"),
		"page":      strings.Fields("web button alert alerts says hello when clicked style"),
	}
	languages = map[string]string{"go": "go", "golang": "go", "python": "python", "html": "html"}
	fillers   = strings.Fields("a an the some please write create make give me add generate program code that which " +
		"in using with and of as for it all unit now file files")
)

// A Request is what a conversation has asked for until now.
type Request struct {
	Subject  string `json:"subject,omitempty"`
	Language string `json:"language,omitempty"`
	Tests    bool   `json:"tests,omitempty"`
}

// Read adds to a request what a message says. ok is false if the message has a word that no recipe knows.
func (r Request) Read(text string) (next Request, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	said := Request{}
	for _, w := range words {
		subject, language := cmp.Or(subjects[w], said.Subject), cmp.Or(languages[w], said.Language)
		if said.Subject != "" && subject != said.Subject || said.Language != "" && language != said.Language {
			return r, false
		}
		said.Subject, said.Language = subject, language
	}
	switch {
	case said.Subject != "":
		r = said
	case said.Language != "":
		r.Language = said.Language
	}
	if r.Subject == "page" && r.Language == "" {
		r.Language = "html"
	}
	for _, w := range words {
		r.Tests = r.Tests || w == "test" || w == "tests"
		if subjects[w] == "" && languages[w] == "" && !slices.Contains(fillers, w) &&
			!slices.Contains(about[r.Subject], w) {
			return r, false
		}
	}
	return r, r.Question() != "" || r.Files() != nil
}

// Question asks for what the request does not say; "" if it says everything.
func (r Request) Question() string {
	switch {
	case r.Subject == "":
		return `What should the code do, and in which language? For example: "fibonacci in Go with tests".`
	case r.Language == "":
		return "In which language, Go or Python?"
	}
	return ""
}

// A File is one file of a recipe.
type File struct{ Name, Content string }

// Files returns the files of the recipe, with tests if the request wants them; nil if there are none.
func (r Request) Files() []File {
	dir := "recipes/" + r.Subject + "-" + r.Language
	entries, err := fs.ReadDir(recipes, dir)
	if err != nil {
		return nil
	}
	var files []File
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".txt")
		isTest := strings.Contains(name, "_test.") || strings.HasPrefix(name, "test_")
		if content, err := recipes.ReadFile(path.Join(dir, e.Name())); err == nil && (r.Tests || !isTest) {
			files = append(files, File{Name: name, Content: string(content)})
		}
	}
	return files
}
