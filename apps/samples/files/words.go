// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Document is a text and what there is to say about it.
type Document struct {
	Lines      int
	Words      int
	Characters int
	Longest    string // line, by characters
	counts     map[string]int
}

// ReadDocument counts a text.
func ReadDocument(text string) *Document {
	d := &Document{Characters: utf8.RuneCountInString(text), counts: map[string]int{}}
	longest := 0
	for line := range strings.Lines(text) {
		d.Lines++
		line = strings.TrimRight(line, "\r\n")
		if n := utf8.RuneCountInString(line); n > longest {
			d.Longest, longest = line, n
		}
		for _, w := range wordsOf(line) {
			d.Words++
			d.counts[w]++
		}
	}
	return d
}

// wordsOf returns the words of a text in small letters.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' && r != '-' && !unicode.Is(unicode.Mn, r)
	})
	kept := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, "'’-"); w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// Count returns how often a word is there.
func (d *Document) Count(word string) int { return d.counts[strings.ToLower(word)] }

// WordCount is a word and how often it is there.
type WordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

// Top returns the n most frequent words that are not among the small words of every English text; of words that are
// equally frequent those first that come first in the alphabet.
func (d *Document) Top(n int) []WordCount {
	var all []WordCount
	for w, c := range d.counts {
		if !smallWords[w] {
			all = append(all, WordCount{w, c})
		}
	}
	slices.SortFunc(all, func(a, b WordCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Word, b.Word)) })
	return all[:min(n, len(all))]
}

func set(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}

var smallWords = set(`a about after all also an and any are as at be because been before but by can could did do does for from
	had has have he her here him his how i if in into is it its just like me more most my no not now of on one only or other our out
	over s said she so some such t than that the their them then there these they this those to too up us very was we were what when
	where which who why will with would you your`)
