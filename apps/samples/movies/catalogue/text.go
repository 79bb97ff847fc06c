// SPDX-License-Identifier: Apache-2.0

package catalogue

import (
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Fold makes titles and names comparable: lower case, without marks, punctuation and the article in front.
func Fold(s string) string {
	marks := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	if plain, _, err := transform.String(marks, s); err == nil {
		s = plain
	}
	words := strings.FieldsFunc(strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// HasWords reports whether all words of part are words of whole; both are folded.
func HasWords(whole, part string) bool {
	for word := range strings.FieldsSeq(part) {
		if !strings.Contains(" "+whole+" ", " "+word+" ") {
			return false
		}
	}
	return part != ""
}
