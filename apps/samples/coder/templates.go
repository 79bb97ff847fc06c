// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"html"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// templates are in folders PURPOSE/LANGUAGE. NAME in a file's name is the name of the type, in snake case, and TYPE the
// same in Pascal case. Files whose name says that they are tests are written when tests are asked for.
//
//go:embed all:templates
var templates embed.FS

// written are the languages in which there are templates for a purpose.
func written(purpose string) []string {
	entries, err := fs.ReadDir(templates, "templates/"+purpose)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// preferred is the order in which another language is chosen when there is no template in the one that was asked for.
var preferred = []string{"typescript", "javascript", "python", "go", "html"}

// nearest returns the language to write a purpose in.
func nearest(purpose, lang string) string {
	have := written(purpose)
	if slices.Contains(have, lang) {
		return lang
	}
	for _, other := range preferred {
		if other == "typescript" && lang != "javascript" { // near to JavaScript only
			continue
		}
		if slices.Contains(have, other) && !(other == "javascript" && lang != "typescript" && slices.Contains(have, "python")) {
			return other
		}
	}
	if len(have) > 0 {
		return have[0]
	}
	return ""
}

// subject is what a template sees.
type subject struct {
	Name   string // of the type, in Pascal case
	Title  string // what was said, for people
	Fields []member
	Words  []string // quoted texts; Word takes one
}

// member is a field as a template sees it.
type member struct {
	Field
	Last bool // of the list
}

// Word returns a quoted text, or another one when there are fewer.
func (s subject) Word(i int, otherwise string) string {
	if i < len(s.Words) {
		return s.Words[i]
	}
	return otherwise
}

// defaults are the fields that a type gets when none are named.
var defaults = map[string][]Field{
	"class": {{"id", "int"}, {"name", "string"}, {"email", "string"}},
	"enum":  {{"red", "string"}, {"green", "string"}, {"blue", "string"}},
	"form":  {{"name", "string"}, {"email", "string"}, {"message", "string"}},
}

// write writes what a spec asks for, in a language that there are templates for. The main file comes first.
func write(s Spec) ([]File, error) {
	dir := path.Join("templates", s.Purpose, s.Language)
	entries, err := fs.ReadDir(templates, dir)
	if err != nil {
		return nil, fmt.Errorf("no template of %s in %s: %w", s.Purpose, s.Language, err)
	}
	about := about(s)
	var files, tests []File
	for _, e := range entries {
		f, err := fillIn(path.Join(dir, e.Name()), about, s.Language)
		if err != nil {
			return nil, err
		}
		if isTest(f.Name) {
			tests = append(tests, f)
		} else {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(rank(a), rank(b)) })
	if s.Path != "" {
		files[0].Name = s.Path
	}
	if s.Tests {
		files = append(files, tests...)
	}
	return files, nil
}

// rank puts pages before what they load.
func rank(f File) int {
	if f.Language == "html" {
		return 0
	}
	return 1
}

func about(s Spec) subject {
	name := cmp.Or(s.Name, map[string]string{"class": "user", "enum": "colour", "form": "contact"}[s.Purpose])
	a := subject{Name: pascal(name), Title: strings.ReplaceAll(snake(name), "_", " "), Words: s.Words}
	fields := s.Fields
	if len(fields) == 0 {
		fields = defaults[s.Purpose]
	}
	for i, f := range fields {
		a.Fields = append(a.Fields, member{Field: f, Last: i == len(fields)-1})
	}
	return a
}

func fillIn(name string, about subject, lang string) (File, error) {
	t, err := template.New(path.Base(name)).Funcs(functions(lang)).ParseFS(templates, name)
	if err != nil {
		return File{}, fmt.Errorf("template %s: %w", name, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, about); err != nil {
		return File{}, fmt.Errorf("template %s: %w", name, err)
	}
	content := b.String()
	if lang == "go" { // only gofmt knows how wide the columns of a struct are
		tidy, err := format.Source([]byte(content))
		if err != nil {
			return File{}, fmt.Errorf("template %s: %w", name, err)
		}
		content = string(tidy)
	}
	base := strings.TrimSuffix(path.Base(name), ".tmpl")
	base = strings.NewReplacer("NAME", snake(about.Name), "TYPE", about.Name, "__", "/").Replace(base)
	return File{Name: base, Language: languageOfFile(base).id, Content: content}, nil
}

func functions(lang string) template.FuncMap {
	return template.FuncMap{
		"snake": snake, "pascal": pascal, "camel": camel, "key": key, "an": an,
		"An":    func(noun string) string { return "A" + an(noun)[1:] },
		"upper": func(s string) string { return strings.ToUpper(snake(s)) },
		"title": func(s string) string {
			words := strings.ReplaceAll(snake(s), "_", " ")
			return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
		},
		"type":  func(kind string) string { return typeNames[lang][kind] },
		"zero":  func(kind string) string { return zeros[lang][kind] },
		"quote": strconv.Quote,
		"html":  html.EscapeString,
	}
}

// typeNames are the types of fields, by language.
var typeNames = map[string]map[string]string{
	"go":         {"string": "string", "int": "int", "float": "float64", "bool": "bool", "date": "time.Time", "strings": "[]string"},
	"python":     {"string": "str", "int": "int", "float": "float", "bool": "bool", "date": "date", "strings": "list[str]"},
	"typescript": {"string": "string", "int": "number", "float": "number", "bool": "boolean", "date": "Date", "strings": "string[]"},
	"javascript": {"string": "string", "int": "number", "float": "number", "bool": "boolean", "date": "Date", "strings": "string[]"},
	"java":       {"string": "String", "int": "int", "float": "double", "bool": "boolean", "date": "java.time.LocalDate", "strings": "java.util.List<String>"},
	"rust":       {"string": "String", "int": "i64", "float": "f64", "bool": "bool", "date": "String", "strings": "Vec<String>"},
	"c":          {"string": "const char *", "int": "int ", "float": "double ", "bool": "bool ", "date": "const char *", "strings": "const char **"},
	"sql":        {"string": "TEXT", "int": "INTEGER", "float": "REAL", "bool": "BOOLEAN", "date": "DATE", "strings": "TEXT"},
	"html":       {"string": "text", "int": "number", "float": "number", "bool": "checkbox", "date": "date", "strings": "text"},
}

// zeros are values of these types, for programs that show the type.
var zeros = map[string]map[string]string{
	"go":         {"string": `"example"`, "int": "1", "float": "1.5", "bool": "true", "date": "time.Date(2024, time.May, 17, 0, 0, 0, 0, time.UTC)", "strings": `[]string{"one", "two"}`},
	"python":     {"string": `"example"`, "int": "1", "float": "1.5", "bool": "True", "date": "date(2024, 5, 17)", "strings": `["one", "two"]`},
	"typescript": {"string": `"example"`, "int": "1", "float": "1.5", "bool": "true", "date": `new Date("2024-05-17")`, "strings": `["one", "two"]`},
	"javascript": {"string": `"example"`, "int": "1", "float": "1.5", "bool": "true", "date": `new Date("2024-05-17")`, "strings": `["one", "two"]`},
	"java":       {"string": `"example"`, "int": "1", "float": "1.5", "bool": "true", "date": "java.time.LocalDate.of(2024, 5, 17)", "strings": `java.util.List.of("one", "two")`},
	"rust":       {"string": `"example".to_string()`, "int": "1", "float": "1.5", "bool": "true", "date": `"2024-05-17".to_string()`, "strings": `vec!["one".to_string(), "two".to_string()]`},
	"c":          {"string": `"example"`, "int": "1", "float": "1.5", "bool": "true", "date": `"2024-05-17"`, "strings": "NULL"},
	"sql":        {"string": "'example'", "int": "1", "float": "1.5", "bool": "TRUE", "date": "'2024-05-17'", "strings": "'one,two'"},
}

// isTest goes by the conventions of the languages.
func isTest(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.")
}
