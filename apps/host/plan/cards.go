// SPDX-License-Identifier: Apache-2.0

package plan

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// How much a word of a card counts, by where it stands. Tags are chosen words; descriptions are prose.
const (
	weightName        = 2.0
	weightSkillName   = 2.0
	weightTag         = 2.5
	weightDescription = 1.0
	weightExample     = 0.3

	commonShare = 0.1 // of a common word's weight in descriptions and examples
)

//go:embed common.txt
var commonText string

// commonWords returns the stems of everyday words. A handful of cards is too little to tell from them which words are
// rare, so that one common word which a request shares with a description would outweigh all else.
var commonWords = sync.OnceValue(func() map[string]bool {
	common := make(map[string]bool)
	for line := range strings.Lines(commonText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			common[stem(word)] = true
		}
	}
	return common
})

// leastAbout is how much of what a card says of its first topic it has to say of another one to be about that too.
const leastAbout = 0.2

type document struct {
	words    map[string]float64 // by stem
	length   float64            // the sum of words
	topics   map[string]float64 // how much the card is about each, up to 1
	examples map[string]bool    // by gist
	own      bool               // an example speaks of something of the user's own: "My car does not start"
}

// documents keeps the terms of the cards that were read last, as reading them takes longer than all the rest.
type documents struct {
	mu   sync.Mutex
	made map[*a2a.AgentCard]*document
}

// maxDocuments is how many cards' terms are kept; when there are more, all are read anew.
const maxDocuments = 2000

func (d *documents) of(c *a2a.AgentCard) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc, ok := d.made[c]; ok {
		return doc
	}
	if d.made == nil || len(d.made) >= maxDocuments {
		d.made = make(map[*a2a.AgentCard]*document)
	}
	doc := newDocument(c)
	d.made[c] = doc
	return doc
}

// maxCardText is how much of each text of a card is read.
const maxCardText = 2000

// newDocument reads a card.
func newDocument(c *a2a.AgentCard) *document {
	doc := &document{words: make(map[string]float64), topics: make(map[string]float64), examples: make(map[string]bool)}
	read := func(text string, weight float64) {
		if len(text) > maxCardText {
			text = text[:maxCardText]
		}
		tokens := tokenize(text)
		for _, t := range tokens {
			switch {
			case t.stops():
			case weight <= weightDescription && commonWords()[t.stem]:
				doc.words[t.stem] += weight * commonShare
			default:
				doc.words[t.stem] += weight
			}
		}
		for _, h := range topics(tokens) {
			if h.card {
				doc.topics[h.topic] += weight
			}
		}
	}
	read(c.Name, weightName)
	read(c.Description, weightDescription)
	for _, s := range c.Skills[:min(len(c.Skills), maxSkills)] {
		read(s.Name, weightSkillName)
		read(s.Description, weightDescription)
		for _, tag := range s.Tags[:min(len(s.Tags), maxSkills)] {
			read(tag, weightTag)
		}
		for _, example := range s.Examples[:min(len(s.Examples), maxSkills)] {
			read(example, weightExample)
			doc.examples[gist(example)] = true
			doc.own = doc.own || ofOnesOwn().MatchString(example)
		}
	}
	if len(doc.topics) > 0 { // what the card is about, its topics say
		for term, weight := range doc.words {
			if commonWords()[term] {
				doc.words[term] = min(weight, weightExample)
			}
		}
	}
	for _, term := range slices.Sorted(maps.Keys(doc.words)) { // in one order, as equal cards have to get equal sums
		doc.length += doc.words[term]
	}
	doc.share()
	return doc
}

// gist returns the words of a text that say what it is about, as stems in alphabetical order; "" where they are too few
// to tell one text from others. Numbers are left out: "count to 10" and "count to 20" have one gist.
func gist(text string) string {
	var stems []string
	for _, t := range tokenize(text) {
		if !t.stops() {
			stems = append(stems, t.stem)
		}
	}
	slices.Sort(stems)
	if stems = slices.Compact(stems); len(stems) < leastGist {
		return ""
	}
	return strings.Join(stems, " ")
}

const leastGist = 2 // words

// ofOnesOwn finds what people say of something that is theirs.
var ofOnesOwn = lazy(`(?i)\b(?:my|mine|our|ours)\b`)

// trade returns the topic that a card is most about; "" for none.
func (d *document) trade() (topic string) {
	for _, t := range slices.Sorted(maps.Keys(d.topics)) {
		if topic == "" || d.topics[t] > d.topics[topic] {
			topic = t
		}
	}
	return topic
}

// share makes shares of the weights of topics. The weight of a topic grows slower than its mentions,
// and what it names once beside its main topic is no topic of it.
func (d *document) share() {
	most := 0.0
	for _, weight := range d.topics {
		most = max(most, weight)
	}
	maps.DeleteFunc(d.topics, func(_ string, weight float64) bool { return weight < leastAbout*most })
	for topic, weight := range d.topics {
		d.topics[topic] = weight / (weight + 1)
	}
}

// maxSkills is how many skills of a card, and how many tags and examples of each, are read.
const maxSkills = 50
