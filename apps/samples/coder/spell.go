// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// spelt is how letters are written by those who have only a to z, where that is more than the letter without its marks.
var spelt = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "Ae",
	"œ", "oe", "Œ", "Oe", "ø", "oe", "Ø", "Oe", "å", "aa", "Å", "Aa", "ð", "d", "Ð", "D", "đ", "d", "Đ", "D", "þ", "th", "Þ", "Th", "ł", "l", "Ł", "L", "ı", "i")

// latin writes a word with the letters a to z as far as that is usual: été as ete, Größe as Groesse. Those of other
// scripts stay.
func latin(word string) string {
	var b strings.Builder
	plain := false // the letter before is one of a to z
	for _, r := range norm.NFD.String(spelt.Replace(norm.NFC.String(word))) {
		if plain && unicode.Is(unicode.Mn, r) {
			continue
		}
		plain = r < unicode.MaxASCII && unicode.IsLetter(r)
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// A speller writes the words of a text so that all languages take them in names, and remembers what they were.
type speller struct{ foreign, respelt map[string]string }

// unspelt begins what stands for a word that has letters of another script.
const unspelt = "unspelt"

// spell returns the text in other letters.
func (s *speller) spell(text string) string {
	s.foreign, s.respelt = make(map[string]string), make(map[string]string)
	return word.ReplaceAllStringFunc(norm.NFC.String(text), func(w string) string {
		plain := latin(w)
		if strings.ContainsFunc(plain, func(r rune) bool { return r > unicode.MaxASCII }) {
			plain = fmt.Sprintf("%s%d", unspelt, len(s.foreign))
			s.foreign[plain] = w
		} else if plain != w {
			s.respelt[snake(plain)] = fmt.Sprintf("%s as %s", w, plain)
		}
		return plain
	})
}

// check says which words of the names in a spec were respelt, and which ones cannot be.
func (s *speller) check(spec *Spec) {
	names := []string{spec.Name}
	for _, f := range spec.Fields {
		names = append(names, f.Name)
	}
	for _, name := range names {
		for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || unicode.IsSpace(r) }) {
			if original, ok := s.foreign[strings.ToLower(part)]; ok && !slices.Contains(spec.Foreign, original) {
				spec.Foreign = append(spec.Foreign, original)
			}
			if how, ok := s.respelt[snake(part)]; ok && !slices.Contains(spec.Respelt, how) {
				spec.Respelt = append(spec.Respelt, how)
			}
		}
	}
}
