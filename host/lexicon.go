// SPDX-License-Identifier: Apache-2.0

package host

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// A hint says that a word, or a phrase of up to maxPhrase words, has to do with a topic.
type hint struct {
	topic string
	how   byte // says, hints or begins
}

// How a word has to do with a topic.
const (
	says   = '+'
	hints  = '-'
	begins = '!' // it says it at the beginning of a request
)

const maxPhrase = 4

// A turn is a form of sentence that says a topic, whatever its words are.
type turn struct {
	topic   string
	pattern *regexp.Regexp
}

// A vocabulary is what is known of topics: of words and phrases, by their stems joined with a space, and of turns.
type vocabulary struct {
	words map[string][]hint
	turns []turn
}

// lexicon returns the vocabulary of lexicon.txt.
var lexicon = sync.OnceValue(func() vocabulary {
	known := vocabulary{words: make(map[string][]hint)}
	topic := ""
	for line := range strings.Lines(lexiconText) {
		line = strings.TrimSpace(line)
		sign, words := line, ""
		if len(line) > 1 {
			sign, words = line[:1], line[1:]
		}
		switch {
		case line == "" || sign == "#":
		case strings.Contains("+-!", sign):
			for entry := range strings.FieldsSeq(words) {
				addHint(known.words, entry, hint{topic, sign[0]})
			}
		case sign == "/":
			known.turns = append(known.turns, turn{topic, regexp.MustCompile(strings.TrimSpace(words))})
		default:
			topic = line
		}
	}
	return known
})

func addHint(all map[string][]hint, entry string, h hint) {
	words := slices.DeleteFunc(strings.Split(entry, "_"), func(w string) bool { return pronouns[w] })
	for i, w := range words {
		words[i] = stem(w)
	}
	key := strings.Join(words, " ")
	for _, known := range all[key] {
		if known == h {
			return
		}
	}
	all[key] = append(all[key], h)
}

// touched is a topic that a text touches, and where.
type touched struct {
	hint
	at int // index of the token
}

// topics returns the topics that tokens touch. Of phrases that overlap the longest counts.
func topics(all []token) []touched {
	tokens, places := withoutPronouns(all)
	var found []touched
	for i := 0; i < len(tokens); {
		n := min(maxPhrase, len(tokens)-i)
		for ; n > 0; n-- {
			if known := lexicon().words[phrase(tokens[i:i+n])]; known != nil {
				for _, h := range known {
					found = append(found, touched{h, places[i]})
				}
				break
			}
		}
		i += max(n, 1)
	}
	return found
}

// turnsOf returns the topics that the sentences of a text say by their form.
func turnsOf(text string) (topics []string) {
	for _, t := range lexicon().turns {
		if t.pattern.MatchString(text) {
			topics = append(topics, t.topic)
		}
	}
	return topics
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
