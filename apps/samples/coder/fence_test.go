// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"slices"
	"strings"
	"testing"
)

func TestFences(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text   string
		want   []string // "name|language|content"
		around string
	}{
		"info with a path":     {"```go cmd/main.go\na\n```\n", []string{"cmd/main.go|go|a\n"}, ""},
		"a colon":              {"```py:src/x.py\na\n```", []string{"src/x.py|python|a\n"}, ""},
		"a title":              {"```js title=\"app.mjs\"\na\n```", []string{"app.mjs|javascript|a\n"}, ""},
		"filename, no quotes":  {"```{.rust filename=lib.rs}\na\n```", []string{"lib.rs|rust|a\n"}, ""},
		"a name alone":         {"```Dockerfile\nFROM x\n```\n```app.ts\nb\n```", []string{"Dockerfile|dockerfile|FROM x\n", "app.ts|typescript|b\n"}, ""},
		"the line before":      {"### `util.py`:\n\n```python\na\n```", []string{"util.py|python|a\n"}, "### `util.py`:"},
		"a comment":            {"```c\n// src/a.c\nint x;\n```", []string{"src/a.c|c|// src/a.c\nint x;\n"}, ""},
		"no name":              {"```go\na\n```\ntext\n```\nb\n```", []string{"snippet-1.go|go|a\n", "snippet-2.txt|text|b\n"}, "text"},
		"the same name":        {"```go a.go\n1\n```\n```go a.go\n2\n```", []string{"a.go|go|1\n", "a-2.go|go|2\n"}, ""},
		"a longer fence":       {"````markdown README.md\n```sh\nmake\n```\n````\nend", []string{"README.md|markdown|```sh\nmake\n```\n"}, "end"},
		"nested in Markdown":   {"```md README.md\n# A\n```sh\nmake\n```\nB\n```\n", []string{"README.md|markdown|# A\n```sh\nmake\n```\nB\n"}, ""},
		"nested without info":  {"```go a.go\nx := `\n```\n", []string{"a.go|go|x := `\n"}, ""},
		"tildes":               {"~~~go a.go\n```\n~~~\n", []string{"a.go|go|```\n"}, ""},
		"never closed":         {"```go a.go\na", []string{"a.go|go|a\n"}, ""},
		"empty":                {"```go a.go\n```", []string{"a.go|go|"}, ""},
		"leaves the folder":    {"```go ../../etc/a.go\na\n```\n```sh /etc/passwd.sh\nb\n```\n```go ..\\..\\b.go\nc\n```", []string{"a.go|go|a\n", "passwd.sh|bash|b\n", "b.go|go|c\n"}, ""},
		"dots":                 {"```go ../..\na\n```", []string{"snippet-1.go|go|a\n"}, ""},
		"carriage returns":     {"```go a.go\r\na\r\n```\r\n", []string{"a.go|go|a\n"}, ""},
		"text only":            {"Which language?", nil, "Which language?"},
		"text between":         {"one\n```go a.go\n```\ntwo\n```go b.go\n```\nthree", []string{"a.go|go|", "b.go|go|"}, "one\ntwo\nthree"},
		"inline code":          {"Use ```x``` here.", nil, "Use ```x``` here."},
		"an indented fence":    {"1. x\n   ```go a.go\n   a\n   ```", []string{"a.go|go|   a\n"}, "1. x"},
		"a language by number": {"```python3\na\n```", []string{"snippet-1.py|python|a\n"}, ""},
	} {
		// In one piece and byte by byte, the same comes out.
		for _, size := range []int{len(row.text), 1} {
			var got []string
			r := &FenceReader{
				Open:  func(f File) { got = append(got, f.Name+"|"+f.Language+"|") },
				Write: func(text string) { got[len(got)-1] += text },
				Close: func() {},
			}
			for piece := range slices.Chunk([]byte(row.text), max(size, 1)) {
				r.Feed(string(piece))
			}
			r.End()
			if !slices.Equal(got, row.want) || r.Around() != row.around {
				t.Errorf("%s: got %q, around %q; want %q, %q", name, got, r.Around(), row.want, row.around)
			}
		}
	}
}

func FuzzFences(f *testing.F) {
	for _, text := range []string{"```go a.go\nx\n```", "````md ../x\n```\n````", "~~~\n", "```{.go title=\"/a/b\"}\n// ../c.go\n```\n```go :\n", "**a.go**\n```\n\x00\n"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		var names []string
		open := false
		r := &FenceReader{
			Open: func(f File) {
				if _, ok := localPath(f.Name); !ok || open || slices.Contains(names, f.Name) {
					t.Errorf("a file %q", f.Name)
				}
				names, open = append(names, f.Name), true
			},
			Write: func(text string) {
				if !open || !strings.HasSuffix(text, "\n") {
					t.Errorf("text %q", text)
				}
			},
			Close: func() { open = false },
		}
		for piece := range slices.Chunk([]byte(text), max(size%50, 1)) {
			r.Feed(string(piece))
		}
		r.End()
		if open {
			t.Error("a file is not complete")
		}
	})
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.go": "a.go", "src/./a.go": "src/a.go", `src\a.go`: "src/a.go", " a b.go ": "a b.go", "a/../b.go": "b.go",
		"../a.go": "", "a/../../b.go": "", "/a.go": "", `C:\a.go`: "", `..\a.go`: "", "": "", ".": "", "a/": "", "a\x00.go": "", strings.Repeat("a", 200): "",
	} {
		if got, ok := localPath(name); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %t; want %q", name, got, ok, want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Spec{
		"Write a Python function that computes fibonacci numbers":                      {Purpose: "fibonacci", Language: "python"},
		"Create an HTML page with a button that alerts 'Hello!' when clicked":          {Purpose: "button", Language: "html", Words: []string{"Hello!"}},
		"A TypeScript class for a user profile with name, email and age":               {Purpose: "class", Language: "typescript", Name: "user profile", Fields: []Field{{"name", "string"}, {"email", "string"}, {"age", "int"}}},
		"class Car with brand: string, year (int), electric bool and owner in python":  {Purpose: "class", Language: "python", Name: "Car", Fields: []Field{{"brand", "string"}, {"year", "int"}, {"electric", "bool"}, {"owner", "string"}}},
		"a user class with name and email in Java":                                     {Purpose: "class", Language: "java", Name: "user", Fields: []Field{{"name", "string"}, {"email", "string"}}},
		"a Go struct called Order with class, createdAt date, tags and a total amount": {Purpose: "class", Language: "go", Name: "Order", Fields: []Field{{"class_", "string"}, {"created_at", "date"}, {"tags", "strings"}, {"total_amount", "float"}}},
		"enum Color with values red, green and blue in Go":                             {Purpose: "enum", Language: "go", Name: "Color", Fields: []Field{{"red", "string"}, {"green", "string"}, {"blue", "string"}}},
		"a signup form with email, password and age":                                   {Purpose: "form", Language: "html", Name: "signup", Fields: []Field{{"email", "string"}, {"password", "string"}, {"age", "int"}}},
		"enum Status with open, in progress and done in python":                        {Purpose: "enum", Language: "python", Name: "Status", Fields: []Field{{"open", "string"}, {"in_progress", "string"}, {"done", "bool"}}},
		"Implement a rate limiter in Go with tests":                                    {Purpose: "ratelimiter", Language: "go", Tests: true},
		"LRU cache in TypeScript as zip":                                               {Purpose: "lru", Language: "typescript", Zip: true},
		"write a go program to sort a list and save it as src/sorting.go":              {Purpose: "sort", Language: "go", Path: "src/sorting.go"},
		"let us go and write code":                                                     {},
		"a web page titled \"My cats\"":                                                {Purpose: "page", Language: "html", Words: []string{"My cats"}},
		"a C program that prints primes":                                               {Purpose: "primes", Language: "c"},
		"an HTTP server in Go with a /hello endpoint":                                  {Purpose: "httpserver", Language: "go"},
		"Dockerfile please":         {Purpose: "dockerfile", Language: "dockerfile"},
		"a binary search in golang": {Purpose: "search", Language: "go"},
		"fizzbuzz":                  {Purpose: "fizzbuzz"},
	} {
		got := Read(text)
		if got.Purpose != want.Purpose || got.Language != want.Language || got.Name != want.Name || !slices.Equal(got.Fields, want.Fields) ||
			got.Path != want.Path || got.Tests != want.Tests || got.Zip != want.Zip || want.Words != nil && !slices.Equal(got.Words, want.Words) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// Whatever is said, files have names within their folder, or something is asked.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"a user class with 1st, select and é in Go", "enum with a, a and b in Rust", "save it as ../x.go fibonacci in go", "func f(", "refactor: func f() {}", "tests for def f(x):", "struct \"<b>\" with x: string in sql", "button saying \"</button>\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files, around := pastedIn(text)
		o, next, err := Answer(State{}, around, files)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if o.Kind != Deliver && o.Text == "" {
			t.Errorf("%q: nothing is said", text)
		}
		for _, file := range o.Files {
			if _, ok := localPath(file.Name); !ok {
				t.Errorf("%q: a file %q", text, file.Name)
			}
		}
		if _, _, err := Answer(next, "add tests", nil); err != nil {
			t.Errorf("%q, then tests: %v", text, err)
		}
	})
}
