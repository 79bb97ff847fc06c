// SPDX-License-Identifier: Apache-2.0

package host

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon.txt
var lexiconText string

// A hint says that a word, or a phrase of up to maxPhrase words, has to do with a topic.
type hint struct {
	topic  string
	strong bool
}

const maxPhrase = 4

// lexicon returns the topics of words and phrases: by their stems, joined with a space.
var lexicon = sync.OnceValue(func() map[string][]hint {
	hints := make(map[string][]hint)
	topic := ""
	for line := range strings.Lines(lexiconText) {
		line = strings.TrimSpace(line)
		sign, words := line, ""
		if len(line) > 1 {
			sign, words = line[:1], line[1:]
		}
		switch {
		case line == "" || sign == "#":
		case sign == "+" || sign == "-":
			for entry := range strings.FieldsSeq(words) {
				addHint(hints, entry, hint{topic, sign == "+"})
			}
		default:
			topic = line
		}
	}
	return hints
})

func addHint(hints map[string][]hint, entry string, h hint) {
	words := strings.Split(entry, "_")
	for i, w := range words {
		words[i] = stem(w)
	}
	key := strings.Join(words, " ")
	for _, known := range hints[key] {
		if known.topic == h.topic {
			return
		}
	}
	hints[key] = append(hints[key], h)
}

// touched is a topic that a text touches, and where.
type touched struct {
	hint
	at int // index of the token
}

// topics returns the topics that tokens touch. Of phrases that overlap the longest counts.
func topics(tokens []token) []touched {
	var found []touched
	for i := 0; i < len(tokens); {
		n := min(maxPhrase, len(tokens)-i)
		for ; n > 0; n-- {
			if hints := lexicon()[phrase(tokens[i:i+n])]; hints != nil {
				for _, h := range hints {
					found = append(found, touched{h, i})
				}
				break
			}
		}
		i += max(n, 1)
	}
	return found
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
