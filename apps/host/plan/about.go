// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The weights of words and turns for the topics of a text. Sure words say it, so that one suffices; others have to come
// together, and however many hints there are, they are no more than one suggestion.
const (
	mostSays     = 5.0
	mostSuggests = 3.0
	mostHints    = 1.0

	passingFactor = 0.2 // for what a text names in passing
)

var weights = map[strength]float64{says: 2, suggests: 1, hints: 0.4}

type evidence map[strength]float64

func (e evidence) sum() float64 {
	return min(e[says], mostSays) + min(e[suggests], mostSuggests) + min(e[hints], mostHints)
}

type about struct {
	topics map[string]float64
	words  map[string]float64 // by stem, what a word counts
	known  map[string]bool    // words that are counted as topics already
}

// aboutText reads a text.
func aboutText(text string) about {
	text = ends(text)
	tokens := tokenize(text)
	passing := inPassing(text)
	wanted, described := object(text, tokens)
	passing = append(passing, described...)
	found := make(map[string]evidence)
	add := func(topic string, s strength, factor float64) {
		e := found[topic]
		if e == nil {
			e = make(evidence)
			found[topic] = e
		}
		e[s] += weights[s] * factor
	}
	a := about{topics: make(map[string]float64), words: make(map[string]float64), known: make(map[string]bool)}
	factor := func(from, to int) float64 {
		if slices.ContainsFunc(passing, func(p textRange) bool { return from >= p.from && to <= p.to }) {
			return passingFactor
		}
		return 1
	}
	for _, t := range tokens {
		if !t.stops() {
			a.words[t.stem] = max(a.words[t.stem], factor(t.from, t.to))
		}
	}
	for _, topic := range wanted {
		add(topic, suggests, 1)
	}
	head := beginning(tokens)
	counted := make(map[string]bool) // a word counts once, however often it is there
	for _, h := range topics(tokens) {
		from, to := tokens[h.first].from, tokens[h.last].to
		key := h.topic + " " + phrase(tokens[h.first:h.last+1])
		if h.begins && h.first != head || counted[key] {
			continue
		}
		for i := h.first; i <= h.last; i++ {
			a.known[tokens[i].stem] = true
		}
		if ofName(tokens, h.first, text) && h.first == h.last {
			continue
		}
		counted[key] = true
		add(h.topic, h.strength, factor(from, to))
	}
	paid := holdsMoney(text)
	for _, t := range lexicon().turns {
		if t.money && !paid {
			continue
		}
		if m := t.pattern.FindStringIndex(text); m != nil {
			add(t.topic, t.strength, factor(m[0], m[1]))
		}
	}
	readPatterns(text, tokens, add)
	for topic, e := range found {
		a.topics[topic] = e.sum()
	}
	return a
}

// readPatterns adds what a text holds beside words.
func readPatterns(text string, tokens []token, add func(string, strength, float64)) {
	codes, sums := currencies(text, tokens), amounts(text)
	_, into := wanted(text)
	switch {
	case len(codes) > 1:
		add("currency", says, 1)
		add("currency", suggests, 1)
	case into != "":
		add("currency", suggests, 1)
	case len(codes) == 1 && len(sums) == 0:
		add("currency", suggests, 1)
	}
	if holdsMoney(text) {
		add("reimburse", hints, 1)
	}
	for _, p := range patterns(text) {
		for _, h := range patternHints[p] {
			add(h.topic, h.strength, 1)
		}
	}
}

// patternHints are what patterns have to do with topics.
var patternHints = map[string][]hint{
	patternSource:   {{topic: "code", strength: says}, {topic: "code", strength: suggests}},
	patternProgram:  {{topic: "code", strength: suggests}},
	patternTable:    {{topic: "dataset", strength: says}},
	patternDocument: {{topic: "dataset", strength: says}},
	patternSent:     {{topic: "dataset", strength: says}},
	patternImage:    {{topic: "image", strength: suggests}},
}

// attach adds what comes along with a text: it is what the text is about, or a part of it.
func (a about) attach(parts []a2a.Part) {
	for _, p := range parts {
		if _, data := p.Content.(a2a.Data); data {
			continue
		}
		for _, h := range patternHints[cmp.Or(patternOfType(p.MediaType), patternDocument)] {
			a.topics[h.topic] += weights[h.strength]
		}
	}
}

type textRange struct{ from, to int }

var quotes = lazy(`"[^"\n]{1,200}"|“[^”\n]{1,200}”|(?:^|[\s(])'[^'\n]{1,200}'`)

// inPassing returns the quotations and amounts of a text, which do not say what is to be done.
func inPassing(text string) []textRange {
	var spans []textRange
	for _, m := range quotes().FindAllStringIndex(text, -1) {
		spans = append(spans, textRange{m[0], m[1]})
	}
	for _, m := range amounts(text) {
		spans = append(spans, textRange{m.from, m.to})
	}
	return spans
}

// Words after the wanted thing describe it: "a function that converts euros", "a poster for the new film".
var describing = wordSet("of that which who to for showing with about where when whose")

// maxBefore is how many words may stand before the thing that is wanted.
const maxBefore = 10

// object returns the topics of the thing that a text begins with, and the words that only describe it.
func object(text string, tokens []token) (of []string, described []textRange) {
	for _, h := range topics(tokens) {
		next := h.last + 1
		if h.first >= maxBefore || next >= len(tokens) {
			return nil, nil
		}
		if h.strength < says || h.begins || !describing[tokens[next].word] {
			continue
		}
		from, to := tokens[next].from, len(text)
		if end := strings.IndexAny(text[from:], ".!?;\n"); end >= 0 {
			to = from + end
		}
		return []string{h.topic}, []textRange{{from, to}}
	}
	return nil, nil
}

// ofName reports whether a word is a part of a title or another name: "The Green Mile" is about no colour.
func ofName(tokens []token, at int, text string) bool {
	capital := func(i int) bool {
		if i < 0 || i >= len(tokens) || tokens[i].from == 0 || currencyOf(tokens[i].raw) != "" {
			return false
		}
		raw := []rune(tokens[i].raw)
		return len(raw) > 1 && unicode.IsUpper(raw[0]) && unicode.IsLower(raw[1]) &&
			!strings.ContainsAny(text[tokens[i-1].to:tokens[i].from], ".!?:,;")
	}
	return capital(at) && (capital(at-1) || capital(at+1))
}

// ends returns the beginning and the end of a text that is longer than a request: what is between was pasted.
func ends(text string) string {
	const head, tail = 4000, 1000
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + "\n" + strings.ToValidUTF8(text[len(text)-tail:], "")
}

// beginning returns the index of the word that a request begins with, after "could you please" and the like.
func beginning(tokens []token) int {
	for i, t := range tokens {
		if !t.stops() && !courtesies[t.word] {
			return i
		}
	}
	return -1
}

var courtesies = wordSet("please kindly hi hello hey thanks thank dear love")
