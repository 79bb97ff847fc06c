// SPDX-License-Identifier: Apache-2.0

package prose

import (
	"regexp"
	"strings"
)

// A Passage is a piece of a document whose sentences belong together: a paragraph, an item of a list, a cell of a
// table.
type Passage struct {
	Text    string
	Line    int // of its first line, from 1
	Heading bool
}

// Check returns the faults of a passage. A heading is a title and no sentence: it may start with "What".
func (p Passage) Check() []Finding {
	found := Check(p.Text)
	if !p.Heading {
		return found
	}
	var kept []Finding
	for _, f := range found {
		if !strings.Contains(f.Rule, "headless") {
			kept = append(kept, f)
		}
	}
	return kept
}

// LineOf returns the line of the document in which a sentence of the passage starts.
func (p Passage) LineOf(f Finding) int { return p.Line + strings.Count(p.Text[:f.Offset], "\n") }

var (
	comment    = regexp.MustCompile(`(?s)<!--.*?-->`)
	fence      = regexp.MustCompile("^\\s*(?:```|~~~)")
	item       = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+`)
	quote      = regexp.MustCompile(`^\s*>\s?`)
	rule       = regexp.MustCompile(`^[\s|:=-]+$`)
	codeSpan   = regexp.MustCompile("(?s)``.+?``|`[^`]*`")
	image      = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	inlineLink = regexp.MustCompile(`\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	tag        = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
)

// Markdown returns the passages of a document. Code blocks and comments are left out. A code span counts as one word, a
// link as its text.
func Markdown(source string) []Passage {
	var d document
	source = blankOut(comment, source)
	inFence := false
	for number, line := range strings.Split(source, "\n") {
		number++
		if fence.MatchString(line) {
			inFence = !inFence
			d.end()
			continue
		}
		if inFence {
			continue
		}
		line = quote.ReplaceAllString(line, "")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || rule.MatchString(trimmed):
			d.end()
		case strings.HasPrefix(trimmed, "#"):
			d.end()
			d.add(Passage{Text: strings.TrimLeft(trimmed, "# "), Line: number, Heading: true})
		case strings.HasPrefix(trimmed, "|"):
			d.end()
			row := codeSpan.ReplaceAllString(strings.Trim(trimmed, "|"), "code")
			for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, "/"), "|") {
				d.add(Passage{Text: cell, Line: number})
			}
		case item.MatchString(line):
			d.end()
			d.open = Passage{Text: item.ReplaceAllString(line, ""), Line: number}
		case strings.HasPrefix(line, "    ") && d.open.Line == 0: // an indented code block
		case d.open.Line == 0:
			d.open = Passage{Text: line, Line: number}
		default:
			d.open.Text += "\n" + line
		}
	}
	d.end()
	return d.passages
}

// document collects passages. The one that is open may get further lines.
type document struct {
	passages []Passage
	open     Passage
}

func (d *document) end() {
	d.add(d.open)
	d.open = Passage{}
}

func (d *document) add(p Passage) {
	p.Text = plain(p.Text)
	if strings.TrimSpace(p.Text) != "" {
		d.passages = append(d.passages, p)
	}
}

// plain returns the words of Markdown text. Each line stays a line.
func plain(text string) string {
	text = codeSpan.ReplaceAllStringFunc(text,
		func(span string) string { return "code" + strings.Repeat("\n", strings.Count(span, "\n")) })
	for _, markup := range []*regexp.Regexp{image, inlineLink} {
		text = markup.ReplaceAllString(text, "$1")
	}
	return strings.NewReplacer("**", "", `\`, "", "&lt;", "<").Replace(blankOut(tag, text))
}

// blankOut removes what the expression matches except for line breaks, so that line numbers stay true.
func blankOut(re *regexp.Regexp, text string) string {
	return re.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
}
