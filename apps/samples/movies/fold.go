// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"strings"
	"unicode"
)

// plain are letters that people leave the marks of out.
var plain = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ä", "a", "å", "a", "ã", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i", "ï", "i",
	"ñ", "n", "ó", "o", "ô", "o", "ö", "o", "õ", "o", "ø", "o", "ú", "u", "û", "u", "ü", "u", "’", "'", "&", " and ", "·", "")

// numbers are words that stand for digits in titles.
var numbers = map[string]string{"one": "1", "two": "2", "three": "3", "four": "4", "eleven": "11", "ii": "2", "iii": "3", "iv": "4", "vol": "volume", "pt": "part"}

// fold makes titles and names comparable: lower case, without marks, punctuation and the article in front.
func fold(s string) string {
	var words []string
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(plain.Replace(strings.ToLower(s)), "'", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if n, ok := numbers[word]; ok {
			word = n
		}
		words = append(words, word)
	}
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// hasWords reports whether all words of part are words of whole; both are folded.
func hasWords(whole, part string) bool {
	whole = " " + whole + " "
	for word := range strings.FieldsSeq(part) {
		if !strings.Contains(whole, " "+word+" ") {
			return false
		}
	}
	return part != ""
}

// maxFold bounds what distance compares: longer texts are no titles.
const maxFold = 80

// distance is how many letters have to be changed, added or left out to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > maxFold || len(y) > maxFold {
		return maxFold
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			cost := before
			if x[i] != y[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

// maxEcho is how many runes of what was not found are said again.
const maxEcho = 60

// clean makes one line of a text from outside, without characters that do something instead of showing something.
func clean(s string, limit int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

func joinAnd(words []string) string { return joinWith(words, " and ") }

func joinWith(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}
