// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"unicode"
)

type token struct {
	raw      string // as it stands there
	word     string // in lower case
	stem     string
	from, to int // its place, in bytes
}

// maxTokens is how many words of a text are looked at: what is longer is a document that somebody pasted.
const maxTokens = 400

// tokenize takes a text apart. Letters, digits and what stands inside of words belong to a word: don't, c++, c#, 3.5.
func tokenize(text string) []token {
	var tokens []token
	start := -1
	end := func(at int) {
		if start >= 0 {
			raw := text[start:at]
			word := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(raw, "’", "'")), "'s")
			tokens = append(tokens, token{raw, word, stem(word), start, at})
		}
		start = -1
	}
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) ||
			start >= 0 && (joins(text[start:], r) && followed(text[i:]) || r == '+' || r == '#')
		switch {
		case inside && start < 0:
			start = i
		case !inside:
			end(i)
		}
		if len(tokens) >= maxTokens {
			return tokens
		}
	}
	end(len(text))
	return tokens
}

// joins reports whether a rune may stand inside of a word. A hyphen may only in numbers: sci-fi is a phrase.
func joins(word string, r rune) bool {
	return strings.ContainsRune("'’.,", r) || strings.ContainsRune("-_", r) && isNumber(word)
}

// followed reports whether a letter or digit comes right after the rune that a text begins with.
func followed(text string) bool {
	rest := []rune(text[:min(len(text), 8)])
	return len(rest) > 1 && (unicode.IsLetter(rest[1]) || unicode.IsDigit(rest[1]))
}

func isNumber(word string) bool {
	return word != "" && word[0] >= '0' && word[0] <= '9'
}

// stem takes off the endings that English puts on a word as it is used: enough for currencies to be currency and for
// converted to be convert, and no more, as different words must stay different.
func stem(word string) string {
	if len(word) < 4 || isNumber(word) {
		return word
	}
	word = singular(word)
	for _, ending := range []string{"ing", "ed", "ment"} {
		if base, ok := strings.CutSuffix(word, ending); ok && len(base) >= 3 && strings.ContainsAny(base, "aeiouy") {
			word = undouble(base)
			break
		}
	}
	if base, ok := strings.CutSuffix(word, "e"); ok && len(base) >= 3 {
		return base
	}
	return word
}

func singular(word string) string {
	switch {
	case word == "news":
		return word
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"),
		strings.HasSuffix(word, "shes"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// undouble makes "plan" of "plann".
func undouble(word string) string {
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && !strings.ContainsRune("aeiouls", rune(word[n-1])) {
		return word[:n-1]
	}
	return word
}

// stops reports whether a token says nothing about what a text is about. "Go" within a sentence is a language.
func (t token) stops() bool {
	return stopWords[t.word] && !(t.raw == "Go" && t.from > 0) || isNumber(t.word)
}

var stopWords = wordSet(`a an the and or but if then so of to in on at by for from with without about into onto over
	under as is are was were be been being am do does did done doing have has had having i me my mine we us our you
	your yours he him his she her it its they them their this that these those there here what which who whom whose
	when where why how can could will would shall should may might must need needs please want wants like just also
	too very really much many more most some any all no not only own same other another each every both few than now
	up down out off again once get got let lets let's give gives gave given make makes made help helps helped use
	uses used using thing things something anything one ones two three new way well ok okay yes i'd i'll i'm i've
	it's that's what's who's can't don't he's she's we're you're would've know tell show me find im id using via per
	between through during while because since until existing various whoever answer answers question questions
	handle handles process given based agent agents demand natural purpose high quality last ask asks asked assistant
	service provide provides support supports able work works go goes going went gone say says said following go
	through kindly roughly`)

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
