// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const (
	maxIndexed = 64 << 10 // bytes of a card's text that can be found; the rest of a longer one cannot
	maxPassage = 8 << 10  // and of one text in it, so that a long description does not hide the skills
	maxWords   = 64       // of a query that count
)

// document is the text of a card, by how much a word in it says.
type document struct{ name, skills, tags, description, examples string }

// documentOf collects the text of a card that can be found.
func documentOf(card *a2a.AgentCard) document {
	budget := maxIndexed
	add := func(b *strings.Builder, texts ...string) {
		for _, text := range texts {
			text = clip(text, min(budget, maxPassage))
			budget -= len(text)
			b.WriteString(spaced(text))
			b.WriteByte('\n')
		}
	}
	var name, skills, tags, description, examples strings.Builder
	add(&name, card.Name)
	if card.Provider != nil {
		add(&tags, card.Provider.Organization)
	}
	add(&description, card.Description)
	for i := range card.Skills {
		s := &card.Skills[i]
		add(&skills, s.Name, s.ID)
		add(&tags, s.Tags...)
		add(&description, s.Description)
		add(&examples, s.Examples...)
	}
	return document{name.String(), skills.String(), tags.String(), description.String(), examples.String()}
}

// spaced puts spaces around the characters of scripts that write words without spaces, so that each is a word: the
// index would take a whole sentence for one.
func spaced(s string) string {
	if !strings.ContainsFunc(s, unspaced) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unspaced(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unspaced(r rune) bool {
	return r > 0xff && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// words returns the different words of a text, at most maxWords, in lower case.
func words(text string) []string {
	var list []string
	seen := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		if !seen[word] && len(list) < maxWords {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// fts5 makes an expression of the index of SQLite: any of the words. A word of a script without spaces is a phrase, and
// a word that is alone may be a beginning. Words have no quotes in them. "" means that nothing can match.
func fts5(text string) string {
	list := words(text)
	for i, word := range list {
		list[i] = `"` + strings.TrimSpace(spaced(word)) + `"`
	}
	if len(list) == 1 {
		return list[0] + "*"
	}
	return strings.Join(list, " OR ")
}

// clip shortens a text to a number of bytes, between two characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
