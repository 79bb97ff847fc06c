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
		"info with a path":    {"```go cmd/main.go\na\n```\n", []string{"cmd/main.go|go|a\n"}, ""},
		"a colon":             {"```py:src/x.py\na\n```", []string{"src/x.py|python|a\n"}, ""},
		"a title":             {"```js title=\"app.mjs\"\na\n```", []string{"app.mjs|javascript|a\n"}, ""},
		"filename, no quotes": {"```{.rust filename=lib.rs}\na\n```", []string{"lib.rs|rust|a\n"}, ""},
		"a name alone": {"```Dockerfile\nFROM x\n```\n```app.ts\nb\n```",
			[]string{"Dockerfile|dockerfile|FROM x\n", "app.ts|typescript|b\n"}, ""},
		"the line before": {"### `util.py`:\n\n```python\na\n```", []string{"util.py|python|a\n"},
			"### `util.py`:"},
		"no name": {"```go\na\n```\ntext\n```\nb\n```",
			[]string{"snippet-1.go|go|a\n", "snippet-2.txt|text|b\n"}, "text"},
		"the same name": {"```go a.go\n1\n```\n```go a.go\n2\n```", []string{"a.go|go|1\n", "a-2.go|go|2\n"},
			""},
		"a longer fence": {"````markdown README.md\n```sh\nmake\n```\n````\nend",
			[]string{"README.md|markdown|```sh\nmake\n```\n"}, "end"},
		"nested in Markdown": {"```md README.md\n# A\n```sh\nmake\n```\nB\n```\n",
			[]string{"README.md|markdown|# A\n```sh\nmake\n```\nB\n"}, ""},
		"nested without info": {"```go a.go\nx := `\n```\n", []string{"a.go|go|x := `\n"}, ""},
		"tildes":              {"~~~go a.go\n```\n~~~\n", []string{"a.go|go|```\n"}, ""},
		"never closed":        {"```go a.go\na", []string{"a.go|go|a\n"}, ""},
		"empty":               {"```go a.go\n```", []string{"a.go|go|"}, ""},
		"leaves the folder": {"```go ../../etc/a.go\na\n```\n```sh /etc/passwd.sh\nb\n```\n```go " +
			"..\\..\\b.go\nc\n```", []string{"a.go|go|a\n", "passwd.sh|bash|b\n", "b.go|go|c\n"}, ""},
		"dots":             {"```go ../..\na\n```", []string{"snippet-1.go|go|a\n"}, ""},
		"carriage returns": {"```go a.go\r\na\r\n```\r\n", []string{"a.go|go|a\n"}, ""},
		"text only":        {"Which language?", nil, "Which language?"},
		"text between": {"one\n```go a.go\n```\ntwo\n```go b.go\n```\nthree", []string{"a.go|go|", "b.go|go|"},
			"one\ntwo\nthree"},
		"inline code":          {"Use ```x``` here.", nil, "Use ```x``` here."},
		"an indented fence":    {"1. x\n   ```go a.go\n   a\n   ```", []string{"a.go|go|   a\n"}, "1. x"},
		"a language by number": {"```python3\na\n```", []string{"snippet-1.py|python|a\n"}, ""},
	} {
		// In one piece and byte by byte, the same comes out.
		for _, size := range []int{len(row.text), 1} {
			var got []string
			r := &fenceReader{
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
	for _, text := range []string{"```go a.go\nx\n```", "````md ../x\n```\n````", "~~~\n",
		"```{.go title=\"/a/b\"}\n// ../c.go\n```\n```go :\n", "**a.go**\n```\n\x00\n"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		var names []string
		open := false
		r := &fenceReader{
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
		"../a.go": "", "a/../../b.go": "", "/a.go": "", `C:\a.go`: "", `..\a.go`: "", "": "", ".": "", "a/": "",
		"a\x00.go": "", strings.Repeat("a", 200): "",
	} {
		if got, ok := localPath(name); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %t; want %q", name, got, ok, want)
		}
	}
}
