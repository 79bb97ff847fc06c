// SPDX-License-Identifier: Apache-2.0

//go:build unix

package docs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// token is what may differ from one reader to the next: ids, times, how long a test took, and numbers.
var token = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}` +
	`|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?` +
	`|\b\d+\.\d+s\b|\(cached\)|127\.0\.0\.1:\d+|\d+`)

// match compares what a page says with what came, and learns ids.
func (r *reader) match(b block, got string) error {
	pattern, ids := r.pattern(b)
	found := regexp.MustCompile(pattern).FindStringSubmatch(squeezed(got))
	if found == nil {
		return fmt.Errorf("the page says\n%s\nand what came is\n%s", b.text, got)
	}
	learned := make(map[string]string)
	for i, id := range ids {
		came := found[i+1]
		if was, ok := learned[id]; ok && was != came {
			return fmt.Errorf("the page has the id %s where %s and %s came:\n%s", id, was, came, got)
		}
		learned[id] = came
	}
	for id, came := range learned {
		r.ids[id] = came
	}
	return nil
}

// pattern returns the expression for a block and the ids that its groups stand for.
func (r *reader) pattern(b block) (pattern string, ids []string) {
	var out strings.Builder
	out.WriteString(`^`)
	for line := range strings.Lines(squeezed(r.replace.Replace(b.text))) {
		if line == "...\n" {
			out.WriteString(`(?s:.*\n)?`)
			continue
		}
		at := 0
		for _, span := range token.FindAllStringIndex(line, -1) {
			out.WriteString(regexp.QuoteMeta(line[at:span[0]]))
			expression, id := r.tokenPattern(line[span[0]:span[1]], b.note)
			if id != "" {
				ids = append(ids, id)
			}
			out.WriteString(expression)
			at = span[1]
		}
		out.WriteString(regexp.QuoteMeta(line[at:]))
	}
	return out.String() + `$`, ids
}

// tokenPattern returns the expression for a token and, when that is an id that has not come yet, the id.
func (r *reader) tokenPattern(text, note string) (expression, id string) {
	switch {
	case strings.Contains(text, ":") && !strings.HasPrefix(text, "127."):
		return `\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?`, ""
	case strings.HasSuffix(text, "s") || text == "(cached)":
		return `(?:\d+\.\d+s|\(cached\))`, ""
	case strings.Count(text, "-") == 4:
		if came, ok := r.ids[text]; ok {
			return came, ""
		}
		return `([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`, text
	case note == "numbers vary" && !strings.Contains(text, ":"):
		return `\d+`, ""
	}
	return regexp.QuoteMeta(text), ""
}

// squeezed returns a text with single spaces, none at the ends of lines, and no empty lines at its ends.
func squeezed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return out.String()
}

func TestMatch(t *testing.T) {
	t.Parallel()
	const (
		one = "01a1fe20-ad17-7000-bc69-8005852128d8"
		two = "01a1fe20-ad17-7001-854f-c7913ef720b9"
	)
	for _, c := range []struct {
		name, page, note, got string
		want                  bool
	}{
		{name: "the same", page: "a  b\n", got: "a b\n", want: true},
		{name: "another word", page: "a b\n", got: "a c\n"},
		{name: "more lines", page: "a\n", got: "a\nb\n"},
		{name: "any lines", page: "a\n...\nd\n", got: "a\nb\nc\nd\n", want: true},
		{name: "no line where any may be", page: "a\n...\nd\n", got: "a\nd\n", want: true},
		{name: "another number", page: "roll 3\n", got: "roll 4\n"},
		{name: "another number where they vary", page: "roll 3\n", note: "numbers vary", got: "roll 4\n", want: true},
		{name: "another time", page: "at 2026-01-02T03:04:05.678Z\n", got: "at 2027-11-12T13:14:15Z\n", want: true},
		{name: "another id", page: one + "\n", got: two + "\n", want: true},
		{name: "one id for two", page: one + "\n" + one + "\n", got: one + "\n" + two + "\n"},
		{name: "a test that was cached", page: "ok x 0.013s\n", got: "ok\tx\t(cached)\n", want: true},
	} {
		r := &reader{t: t, replace: strings.NewReplacer(), ids: make(map[string]string)}
		if err := r.match(block{text: c.page, note: c.note}, c.got); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	r := &reader{t: t, replace: strings.NewReplacer(), ids: map[string]string{one: two}}
	if err := r.match(block{text: one + "\n"}, one+"\n"); err == nil {
		t.Error("an id that stands for another one may not come itself")
	}
}
