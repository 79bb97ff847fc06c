// SPDX-License-Identifier: Apache-2.0

package images

import (
	"regexp"
	"strings"
	"unicode"
)

// words are a text in lower case, split where a reader would: commas are words of their own.
type words []string

// maxWords is how many words of a message are read: a prompt, not a book.
const maxWords = 300

// quotation finds text between double quotes of any kind. Single quotes count only around whole words, as they are
// also apostrophes.
var quotation = regexp.MustCompile(`"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|(?:^|[\s(:])'([^']*)'(?:$|[\s).,!?])`)

// lex splits a text. Quotations are taken out and returned beside the words; where one was stands the word quoted.
func lex(text string) (w words, quotes []string) {
	rest := quotation.ReplaceAllStringFunc(text, func(match string) string {
		for i, group := range quotation.FindStringSubmatch(match) {
			if i > 0 && group != "" {
				quotes = append(quotes, clean(group))
			}
		}
		return " " + quoted + " "
	})
	rest = strings.ToLower(rest)
	for _, field := range strings.FieldsFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		w = appendWord(w, field)
		if len(w) >= maxWords {
			break
		}
	}
	return w, quotes
}

// quoted is what stands for a quotation.
const quoted = "\u201c\u201d"

func appendWord(w words, field string) words {
	core := strings.TrimRight(field, ".!?;:,)")
	end := field[len(core):]
	core = strings.TrimLeft(core, "([")
	if core != "" {
		w = append(w, core)
	}
	if strings.ContainsAny(end, ",;.") {
		w = append(w, ",")
	}
	return w
}

// clean makes one line of a text, without control characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// cutRunes shortens a text to a number of characters.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// has reports whether any of some words or phrases occurs.
func (w words) has(phrases ...string) bool {
	for _, p := range phrases {
		if w.index(p) >= 0 {
			return true
		}
	}
	return false
}

// index returns where a word or a phrase begins; -1 when it does not occur.
func (w words) index(phrase string) int {
	parts := strings.Fields(phrase)
	for i := 0; i+len(parts) <= len(w); i++ {
		if strings.Join(w[i:i+len(parts)], " ") == phrase {
			return i
		}
	}
	return -1
}

// at returns a word, and "" beyond the last.
func (w words) at(i int) string {
	if i < 0 || i >= len(w) {
		return ""
	}
	return w[i]
}
