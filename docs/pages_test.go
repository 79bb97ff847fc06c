// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package docs runs the README and the pages of the documentation: their programs are those of examples/, their
// commands do what the pages say.
//
// A page is read from top to bottom. Blocks of go are compared with the files below examples/. Blocks of sh are run in
// a copy of the checkout, one after the other, and a block of text or json after them is what they print. In it
//
//   - a line "..." stands for any lines, and white space counts as one space,
//   - ids and times may differ; an id that the page names stands, in commands too, for the one that came,
//   - the numbers of other things may differ if the page says <!-- numbers vary --> before the block.
//
// Before a block of sh, <!-- serves --> says that the command runs until Ctrl-C, which comes before the next one that
// serves and at the end. <!-- serves too --> leaves the servers before it running, and <!-- exits N --> says how the
// block ends. A block after <!-- needs X --> is not run, as there is no X here. Addresses of the page are replaced by
// free ones.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page.
type block struct {
	line int
	lang string
	text string
	note string // what the page's comment before it says
}

var (
	fence   = regexp.MustCompile("^```(\\w*)$")
	comment = regexp.MustCompile(`^<!-- (.*) -->$`)
)

// blocksOf returns the blocks of a page.
func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	var blocks []block
	var note string
	var open *block
	for i, line := range strings.Split(page, "\n") {
		found := fence.FindStringSubmatch(line)
		switch {
		case open == nil && found != nil:
			open = &block{line: i + 1, lang: found[1], note: note}
			note = ""
		case open != nil && line == "```":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case comment.MatchString(line):
			note = comment.FindStringSubmatch(line)[1]
		}
	}
	if open != nil {
		t.Fatalf("line %d: the block does not end", open.line)
	}
	return blocks
}

func TestPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the binary and the programs of the tutorial; run it without -short")
	}
	binary := build(t)
	for _, place := range []string{"../README.md", "*.md", "tutorial/*.md", "concepts/*.md"} {
		pages, err := filepath.Glob(filepath.FromSlash(place))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s has no pages: %v", place, err)
		}
		for _, name := range pages {
			if elsewhere[name] != "" {
				continue
			}
			t.Run(filepath.ToSlash(name), func(t *testing.T) {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				runPage(t, string(text), binary)
			})
		}
	}
}

// elsewhere are the pages that this test leaves out, and why.
var elsewhere = map[string]string{
	"architecture.md":           "has diagrams only",
	"benchmarks.md":             "its commands take minutes",
	"cli.md":                    "internal/cli makes it and runs its examples",
	"coordination.md":           "internal/cli runs it in a repository",
	"coordination-harnesses.md": "internal/cli runs it in a repository",
	"coordination-reference.md": "internal/cli runs it in a repository",
	"mcp-bridge.md":             "internal/cli runs it as an MCP client",
}

// runPage does what a page says.
func runPage(t *testing.T, page, binary string) {
	t.Helper()
	blocks := blocksOf(t, page)
	for _, b := range blocks {
		if b.lang == "go" {
			checkProgram(t, b)
		}
	}
	if !slices.ContainsFunc(blocks, func(b block) bool { return b.lang == "sh" }) {
		return
	}
	r := newReader(t, page, binary)
	for i, b := range blocks {
		var printed *block
		if next := i + 1; next < len(blocks) && (blocks[next].lang == "text" || blocks[next].lang == "json") {
			printed = &blocks[next]
		}
		switch b.lang {
		case "sh":
			r.run(b, printed)
		case "text", "json":
			if i == 0 || blocks[i-1].lang != "sh" {
				t.Errorf("line %d: no command prints this", b.line)
			}
		case "go":
		default:
			t.Errorf("line %d: a block of %q is neither checked nor run", b.line, b.lang)
		}
	}
	r.stop()
}

// checkProgram compares a block of Go with the examples and the Examples of packages: a block with a package clause is
// a whole file, any other one a part of one.
func checkProgram(t *testing.T, b block) {
	t.Helper()
	whole := regexp.MustCompile(`(?m)^package `).MatchString(b.text)
	for _, file := range programs(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, program, _ := strings.Cut(string(text), "\n\n") // without the licence
		if whole && program == b.text || !whole && strings.Contains(unindented(program), unindented(b.text)) {
			return
		}
	}
	t.Errorf("line %d: no file of examples/ and no Example has this program line by line:\n%s", b.line, b.text)
}

// programs returns the files that pages may quote.
func programs(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../examples/*/*.go", "../examples/*/*/*.go", "../*example_test.go",
		"../*/*example_test.go",
		"../*/*/*example_test.go", "../interop/migrate/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimSpace(line) + "\n")
	}
	return out.String()
}
