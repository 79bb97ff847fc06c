// SPDX-License-Identifier: Apache-2.0

package plan

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// strength is how surely a word or a turn of a sentence has to do with a topic. The file lexicon.txt says which sign
// stands for which.
type strength int

const (
	hints strength = iota
	suggests
	says
)

// A hint is what a word, or a phrase of up to maxPhrase words, has to do with a topic.
type hint struct {
	topic    string
	strength strength
	card     bool // a card with this word is about the topic
	begins   bool // only where a request begins with it
}

// signs of lines with words, in lexicon.txt.
var signs = map[string]hint{
	"+": {strength: says, card: true},
	"=": {strength: says},
	"~": {strength: suggests},
	"-": {strength: hints},
	"!": {strength: says, begins: true},
}

const maxPhrase = 4

// A turn is a form of sentence that has to do with a topic, whatever its words are.
type turn struct {
	topic    string
	strength strength
	money    bool // only where there is an amount of money
	pattern  *regexp.Regexp
}

// turnSigns of lines with turns, in lexicon.txt.
var turnSigns = map[string]turn{
	"/":  {strength: says},
	"?":  {strength: suggests},
	"$/": {strength: says, money: true},
	"$?": {strength: suggests, money: true},
}

// The patterns that {Title} and {Name} stand for in turns.
const (
	capitalised = `\p{Lu}[\p{L}\p{N}'’.&:-]*`
	quotation   = `["“][^"”\n]{1,80}["”]`
	titlePlain  = `(?:` + quotation + `|` + capitalised + `(?: (?:of|the|in|on|and|a|an|to|from|for|with|&|\d+))*(?: ` +
		capitalised + `| \d+)+)`
	namePlain = `(?:` + titlePlain + `|` + capitalised + `)`
)

// A vocabulary is what is known of topics: of words and phrases, by their stems joined with a space, and of turns.
type vocabulary struct {
	words map[string][]hint
	turns []turn
}

// lexicon returns the vocabulary of lexicon.txt.
var lexicon = sync.OnceValue(func() vocabulary {
	known := vocabulary{words: make(map[string][]hint)}
	names := strings.NewReplacer("{Title}", titlePlain, "{Name}", namePlain)
	topic := ""
	for line := range strings.Lines(lexiconText) {
		sign, rest, several := strings.Cut(strings.TrimSpace(line), " ")
		h, word := signs[sign]
		t, turns := turnSigns[sign]
		switch {
		case word:
			h.topic = topic
			for entry := range strings.FieldsSeq(rest) {
				addHint(known.words, entry, h)
			}
		case turns:
			t.topic, t.pattern = topic, regexp.MustCompile(names.Replace(rest))
			known.turns = append(known.turns, t)
		case sign != "" && !several && sign != "#":
			topic = sign
		}
	}
	return known
})

func addHint(all map[string][]hint, entry string, h hint) {
	words := strings.Split(entry, "_")
	if len(words) > 1 {
		words = slices.DeleteFunc(words, func(w string) bool { return pronouns[w] })
	}
	for i, w := range words {
		words[i] = stem(w)
	}
	key := strings.Join(words, " ")
	switch {
	case slices.Contains(all[key], h):
	case h.begins: // before the others, as the first that fits counts
		all[key] = slices.Insert(all[key], 0, h)
	default:
		all[key] = append(all[key], h)
	}
}

// touched is a topic that a text touches, and where.
type touched struct {
	hint
	first, last int // indexes of tokens
}

// topics returns the topics that the words of a text touch. Of phrases that overlap the longest counts; a word in it
// that says the phrase's topic by itself says it still.
func topics(all []token) []touched {
	tokens, places := withoutPronouns(all)
	var found []touched
	for i := 0; i < len(tokens); {
		n := min(maxPhrase, len(tokens)-i)
		var known []hint
		for ; n > 0 && known == nil; n-- {
			known = lexicon().words[phrase(tokens[i:i+n])]
		}
		n++ // of the phrase that was found; 1 for none
		for _, h := range known {
			for _, word := range tokens[i : i+n] {
				h = stronger(h, lexicon().words[word.stem])
			}
			found = append(found, touched{h, places[i], places[i+n-1]})
		}
		i += n
	}
	return found
}

// stronger returns a hint with the strength of one of others for the same topic, if that is stronger.
func stronger(h hint, others []hint) hint {
	for _, other := range others {
		if other.topic == h.topic && !other.begins && other.strength > h.strength {
			h.strength, h.card = other.strength, other.card
		}
	}
	return h
}

// pronouns may stand between the words of a phrase: "claim it back", "get the money back".
var pronouns = wordSet("it that this them me us you my your our his her their the a an")

func withoutPronouns(all []token) (tokens []token, places []int) {
	for i, t := range all {
		if !pronouns[t.word] {
			tokens, places = append(tokens, t), append(places, i)
		}
	}
	return tokens, places
}

func phrase(tokens []token) string {
	if len(tokens) == 1 {
		return tokens[0].stem
	}
	stems := make([]string, len(tokens))
	for i, t := range tokens {
		stems[i] = t.stem
	}
	return strings.Join(stems, " ")
}
