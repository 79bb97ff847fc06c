// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"
	"unicode"
)

// The kinds of item that a question is made of.
type itemKind uint8

const (
	itemWord itemKind = iota
	itemColumn
	itemValue  // of a column of text
	itemNumber // in figures
	itemQuoted
	itemSign // < > = and their like
)

// An item is a piece of a question.
type item struct {
	kind   itemKind
	word   string // in small letters; as written when quoted
	raw    string // of itemWord: as written
	column int    // of itemColumn and itemValue
	value  string // of itemValue, as the table has it
	number float64
}

// The limits of a question: it is a sentence, not a file.
const (
	maxQuestion = 2000 // characters
	maxPhrase   = 6    // words in a name or a value
	maxValues   = 2000 // different values of a column that are looked for
)

// lex cuts a question into items. Names of columns come first, then values, the longest of each.
func lex(question string, t *Table) []item {
	raw := tokens(clip(question, maxQuestion))
	names, values := vocabulary(t)
	var items []item
	for i := 0; i < len(raw); {
		if raw[i].kind != itemWord && raw[i].kind != itemNumber {
			it := raw[i]
			if c, ok := names[normal(it.word)]; ok && it.kind == itemQuoted {
				it = item{kind: itemColumn, column: c, word: it.word}
			}
			items = append(items, it)
			i++
			continue
		}
		it, used := phrase(raw[i:], names, values, i == 0)
		items = append(items, it)
		i += used
	}
	return items
}

// phrase returns the longest name or value that the items begin with, or the first of them as it is.
func phrase(raw []item, names map[string]int, values map[string]item, first bool) (item, int) {
	for n := min(maxPhrase, len(raw)); n > 0; n-- {
		words := make([]string, 0, n)
		for _, it := range raw[:n] {
			if it.kind != itemWord && it.kind != itemNumber {
				words = nil
				break
			}
			words = append(words, it.word)
		}
		key := normal(strings.Join(words, " "))
		if key == "" {
			continue
		}
		for _, form := range singulars(key) {
			if c, ok := names[form]; ok && !(n == 1 && raw[0].kind == itemNumber) {
				return item{kind: itemColumn, column: c, word: key}, n
			}
		}
		if n == 1 && (keywords[key] || raw[0].kind == itemNumber) {
			// A word of questions is a value where it is written like one: the price of Table.
			if v, ok := values[key]; ok && !first && v.value == raw[0].raw && v.value != key {
				return v, 1
			}
			continue
		}
		for _, form := range singulars(key) {
			if v, ok := values[form]; ok {
				return v, n
			}
		}
	}
	return raw[0], 1
}

// vocabulary returns the names and the values of a table in the form that they are looked up in.
func vocabulary(t *Table) (names map[string]int, values map[string]item) {
	names, values = map[string]int{}, map[string]item{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if key := normal(c.Name); key != "" {
			if _, taken := names[key]; !taken {
				names[key] = i
			}
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Kind != Text && c.Kind != Date {
			continue
		}
		own := map[string]bool{}
		for _, cell := range c.Cells {
			if own[cell] || len(cell) > 100 || isMissing(cell) {
				continue
			}
			if own[cell] = true; len(own) > maxValues {
				break
			}
			if key := normal(cell); len([]rune(key)) > 1 {
				if _, taken := values[key]; !taken {
					values[key] = item{kind: itemValue, column: i, value: cell, word: key}
				}
			}
		}
	}
	return names, values
}

// tokens cuts text into words, numbers, quoted pieces and signs.
func tokens(text string) []item {
	var out []item
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		end := i + 1
		switch {
		case closing[r] != 0:
			for end < len(runes) && runes[end] != closing[r] {
				end++
			}
			if end < len(runes) && end > i+1 && (r != '\'' || i == 0 || !isWord(runes[i-1])) {
				out = append(out, item{kind: itemQuoted, word: string(runes[i+1 : end])})
				i = end + 1
				continue
			}
			end = i + 1
		case unicode.IsDigit(r) || (r == '-' || r == '.' || r == '$') && i+1 < len(runes) && unicode.IsDigit(runes[i+1]):
			for end < len(runes) && (isWord(runes[end]) || strings.ContainsRune(".,-", runes[end]) && end+1 < len(runes) && isWord(runes[end+1])) {
				end++
			}
			it := item{kind: itemWord, word: strings.ToLower(string(runes[i:end]))}
			if n, ok := parseNumber(it.word, false); ok {
				it.kind, it.number = itemNumber, n
			}
			out = append(out, it)
		case isWord(r):
			for end < len(runes) && (isWord(runes[end]) || (runes[end] == '\'' || runes[end] == '’') && end+1 < len(runes) && isWord(runes[end+1])) {
				end++
			}
			out = append(out, item{kind: itemWord, word: strings.ToLower(string(runes[i:end])), raw: string(runes[i:end])})
		case strings.ContainsRune("<>=!≥≤≠", r):
			if end < len(runes) && runes[end] == '=' {
				end++
			}
			out = append(out, item{kind: itemSign, word: string(runes[i:end])})
		}
		i = end
	}
	return out
}

var closing = map[rune]rune{'"': '"', '“': '”', '\'': '\'', '`': '`', '‘': '’'}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}

// normal writes a name as it is compared: words in small letters, whatever parted them.
func normal(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) || r == '_' }), " ")
}

// singulars returns a name and what it could be the plural of, or the singular.
func singulars(s string) []string {
	forms := []string{s, s + "s"}
	if stem, ok := strings.CutSuffix(s, "ies"); ok {
		forms = append(forms, stem+"y")
	}
	if stem, ok := strings.CutSuffix(s, "es"); ok {
		forms = append(forms, stem)
	}
	if stem, ok := strings.CutSuffix(s, "s"); ok {
		forms = append(forms, stem)
	}
	if stem, ok := strings.CutSuffix(s, "y"); ok {
		forms = append(forms, stem+"ies")
	}
	return forms
}
