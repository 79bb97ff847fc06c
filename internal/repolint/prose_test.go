// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/internal/repolint/prose"
)

// columns is the length that a Go line may have, with a tab as tabWidth columns.
const (
	columns  = 120
	tabWidth = 4
)

// exempt returns the entry that covers a file, or -1.
func exempt(list []exception, name string) int {
	for i, e := range list {
		if within(name, e.name) {
			return i
		}
	}
	return -1
}

// reportUnless reports a fault of a file, except where an entry of the list covers it. It returns a function that logs
// the entries which covered nothing.
func reportUnless(t *testing.T, list []exception) (report func(name string, line int, fault string), unused func()) {
	needed := make([]bool, len(list))
	report = func(name string, line int, fault string) {
		if i := exempt(list, name); i >= 0 {
			needed[i] = true
			return
		}
		t.Errorf("%s:%d: %s", name, line, fault)
	}
	return report, func() {
		for i, e := range list {
			if !needed[i] {
				t.Logf("the exception for %s (%s) is not needed: remove it", e.name, e.why)
			}
		}
	}
}

func TestDocumentsArePlainEnglish(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.markdown)
	for _, name := range files(t) {
		if path.Ext(name) != ".md" || inTestdata(name) {
			continue
		}
		for _, p := range prose.Markdown(string(read(t, name))) {
			for _, f := range p.Check() {
				report(name, p.LineOf(f), f.String())
			}
		}
	}
	unused()
}

func TestErrorTextsArePlainEnglish(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.errors)
	for _, text := range errorTexts(t) {
		for _, f := range prose.Check(text.text) {
			report(text.file, text.line, f.String())
		}
	}
	unused()
}

func TestGoLinesFitTheScreen(t *testing.T) {
	t.Parallel()
	report, unused := reportUnless(t, exceptions.lines)
	for _, name := range goFiles(t) {
		source := read(t, name)
		raw := rawLines(source)
		number := 0
		for line := range strings.Lines(string(source)) {
			number++
			line = strings.TrimRight(line, "\r\n")
			width := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
			if width > columns && !raw[number] {
				report(name, number, "the line has "+strconv.Itoa(width)+" columns, at most "+strconv.Itoa(columns)+
					" are allowed")
			}
		}
	}
	unused()
}

// rawLines returns the numbers of the lines with parts of raw strings of several lines, whose breaks are part of the
// text.
func rawLines(source []byte) map[int]bool {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	raw := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return raw
		}
		if tok == token.STRING && text[0] == '`' && strings.Contains(text, "\n") {
			first := file.Line(pos)
			for line := range strings.Count(text, "\n") + 1 {
				raw[first+line] = true
			}
		}
	}
}

// markup is what a page has between its texts: styles, scripts, tags, and actions of templates.
var markup = regexp.MustCompile(
	`(?s)<(?:style|script|svg)\b.*?</(?:style|script|svg)>|</?(?:a|code|b|em|strong)\b[^>]*>|\{\{.*?\}\}|<[^>]*>`)

// Web pages are HTML files, and literals in Go that are whole pages.
func TestPagesArePlainEnglish(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	for _, name := range files(t) {
		switch content := string(read(t, name)); {
		case inTestdata(name) || strings.HasSuffix(name, "_test.go"):
		case path.Ext(name) == ".html":
			pages[name] = content
		case path.Ext(name) == ".go":
			for _, part := range strings.Split(content, "`") {
				if strings.HasPrefix(part, "<!DOCTYPE html>") {
					pages[name] += part
				}
			}
		}
	}
	if len(pages) == 0 {
		t.Fatal("no pages found: the search is broken")
	}
	for name, page := range pages {
		text := markup.ReplaceAllStringFunc(page, func(found string) string {
			if strings.HasPrefix(found, "{{") {
				return "x"
			}
			if inline.MatchString(found) {
				return ""
			}
			return "\n\n"
		})
		for _, f := range prose.Check(text) {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// inline are tags within a sentence.
var inline = regexp.MustCompile(`^</?(?:a|code|b|em|strong)\b`)
