// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// How much a word of a card counts, by where it stands. Tags are chosen words; descriptions are prose.
const (
	weightName        = 2.0
	weightSkillName   = 2.0
	weightTag         = 2.5
	weightDescription = 1.0
	weightExample     = 1.0
	weightPattern     = 1.0
)

// How much the terms of a request count.
const (
	queryWord     = 1.0
	queryTopic    = 1.2  // a word that says a topic
	queryHint     = 0.45 // a word that hints at one
	queryTurn     = 1.2  // a form of sentence that says one
	queryPattern  = 0.6
	queryBegins   = 2.0  // a verb that says a topic where the request begins
	queryFile     = 1.5  // what is asked about is a file
	queryPair     = 2.0  // two currencies are hardly ever there by accident
	queryLeading  = 1.25 // for the first words of a clause: what is asked for comes early
	leadingWords  = 5
	queryPassing  = 0.35 // for words that are there in passing
	maxTermWeight = 3.0
)

// When a route counts as sure.
const (
	leastScore   = 2.0  // the best agent needs so much
	tieRatio     = 0.72 // the next one may have so much of the best one's score
	severalRatio = 0.4  // of the best one's score, from which on another agent may be meant as well
	resting      = 0.5  // factor for an agent that is down or left alone because it failed: another one of its sort is better
	unfit        = 0.25 // factor for an agent that does not take what is attached
	wrongModes   = 0.5  // factor for an agent whose answers the caller does not accept
	fitBonus     = 2.5  // for an agent that takes what is attached by name, not by a wildcard
	lastBonus    = 0.8  // for the agent that the conversation is with
)

// router ranks agents for texts.
type router struct {
	agents []AgentInfo
	index  *index
	last   string
	parts  []a2a.Part // that are not text
	accept []string
}

func newRouter(s *Situation, known *documents) *router {
	docs := make([]map[string]float64, len(s.Agents))
	for i, a := range s.Agents {
		docs[i] = known.of(a.Card)
	}
	return &router{agents: s.Agents, index: newIndex(docs), last: s.Last, accept: s.OutputModes, parts: attachments(s.Message)}
}

// attachments are the parts of a message that are not text.
func attachments(m *a2a.Message) (parts []a2a.Part) {
	if m == nil {
		return nil
	}
	for _, p := range m.Parts {
		if _, text := p.Content.(a2a.Text); !text {
			parts = append(parts, p)
		}
	}
	return parts
}

// documents keeps the terms of the cards that were read last, as reading them takes longer than all the rest.
type documents struct {
	mu   sync.Mutex
	made map[*a2a.AgentCard]map[string]float64
}

// maxDocuments is how many cards' terms are kept; when there are more, all are read anew.
const maxDocuments = 2000

func (d *documents) of(c *a2a.AgentCard) map[string]float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc, ok := d.made[c]; ok {
		return doc
	}
	if d.made == nil || len(d.made) >= maxDocuments {
		d.made = make(map[*a2a.AgentCard]map[string]float64)
	}
	doc := document(c)
	d.made[c] = doc
	return doc
}

// maxCardText is how much of each text of a card is read.
const maxCardText = 2000

// document makes the terms of a card.
func document(c *a2a.AgentCard) map[string]float64 {
	doc := make(map[string]float64)
	read := func(text string, weight float64) {
		if len(text) > maxCardText {
			text = text[:maxCardText]
		}
		tokens := tokenize(text)
		for _, t := range tokens {
			if !t.stops() {
				doc[t.stem] += weight
			}
		}
		for _, h := range topics(tokens) {
			if h.how == says {
				doc["~"+h.topic] += weight
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
			read(withoutSource(example), weightExample)
			for _, p := range patterns(example, tokenize(example)) {
				doc[p] += weightPattern
			}
		}
	}
	for _, mode := range inputModes(c) {
		if p := patternOfType(mode); p != "" {
			doc[p] += weightPattern
		}
	}
	return doc
}

// withoutSource takes off the source code that an example ends with, whose words, such as return, are none of English.
func withoutSource(example string) string {
	if m := sourcePattern().FindStringIndex(example); m != nil {
		return example[:m[0]]
	}
	return example
}

// maxSkills is how many skills of a card, and how many tags and examples of each, are read.
const maxSkills = 50

// inputModes returns what a card takes, its skills included.
func inputModes(c *a2a.AgentCard) []string {
	modes := slices.Clone(c.DefaultInputModes)
	for _, s := range c.Skills {
		modes = append(modes, s.InputModes...)
	}
	if len(modes) == 0 {
		modes = []string{"text/plain"}
	}
	return modes
}

func outputModes(c *a2a.AgentCard) []string {
	modes := slices.Clone(c.DefaultOutputModes)
	for _, s := range c.Skills {
		modes = append(modes, s.OutputModes...)
	}
	return modes
}

// queryOf makes the terms of a text.
func queryOf(text string) map[string]float64 {
	tokens := tokenize(text)
	query := make(map[string]float64)
	place := make([]float64, len(tokens))
	seen := 0
	passing := inPassing(text)
	for i, t := range tokens {
		place[i] = 1
		if slices.ContainsFunc(passing, func(p span) bool { return t.from >= p.from && t.to <= p.to }) {
			place[i] = queryPassing
		}
		if t.stops() {
			continue
		}
		if seen++; seen <= leadingWords {
			place[i] *= queryLeading
		}
		query[t.stem] = max(query[t.stem], queryWord*place[i])
	}
	head := beginning(tokens)
	for _, h := range topics(tokens) {
		weight := queryHint
		if h.how == hints && ofName(tokens, h.at, text) {
			continue
		}
		switch {
		case h.how == says:
			weight = queryTopic
		case h.how == begins && h.at != head:
			continue
		case h.how == begins:
			weight = queryBegins
		}
		query["~"+h.topic] = min(maxTermWeight, query["~"+h.topic]+weight*place[h.at])
	}
	for _, topic := range turnsOf(text) {
		query["~"+topic] = min(maxTermWeight, query["~"+topic]+queryTurn)
	}
	if wantsCurrency(text) {
		query["~currency"] = min(maxTermWeight, query["~currency"]+queryTopic)
	}
	says := statement().MatchString(text)
	for _, p := range patterns(text, tokens) {
		if says && (p == patternMoney || p == patternCurrency) {
			continue // what something cost is no question about money
		}
		query[p] = queryPattern
		switch p {
		case patternPair:
			query[p] = queryPair
			query["~currency"] = min(maxTermWeight, query["~currency"]+queryTopic)
		case patternSent, patternTable, patternDocument:
			query["~dataset"] = min(maxTermWeight, query["~dataset"]+queryFile)
		}
	}
	return query
}

// span is a place in a text, in bytes.
type span struct{ from, to int }

var quotes = lazy(`"[^"\n]{1,200}"|“[^”\n]{1,200}”|(?:^|[\s(])'[^'\n]{1,200}'`)

// inPassing returns what a text names in passing: what it quotes is what the work is done with, and an amount brings its
// currency along. Neither says what is to be done.
func inPassing(text string) []span {
	var spans []span
	for _, m := range quotes().FindAllStringIndex(text, -1) {
		spans = append(spans, span{m[0], m[1]})
	}
	for _, m := range amounts(text) {
		spans = append(spans, span{m.from, m.to})
	}
	return spans
}

// ofName reports whether a word is a part of a name of several words, such as a title: "The Green Mile" is about no
// colour.
func ofName(tokens []token, at int, text string) bool {
	capital := func(i int) bool {
		if i < 0 || i >= len(tokens) || tokens[i].from == 0 || currencyOf(tokens[i].raw) != "" {
			return false
		}
		raw := []rune(tokens[i].raw)
		return len(raw) > 1 && unicode.IsUpper(raw[0]) && unicode.IsLower(raw[1]) && !strings.ContainsAny(text[tokens[i-1].to:tokens[i].from], ".!?:,;")
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

// A rank is an agent with its score for a text.
type rank struct {
	agent int // index into router.agents
	score float64
}

// rank returns the agents that have to do with a text at all, the best first.
func (r *router) rank(text string) []rank {
	query := queryOf(ends(text))
	for _, p := range r.parts {
		if pattern := patternOfType(p.MediaType); pattern != "" {
			query[pattern] = queryPattern
		}
	}
	var ranks []rank
	terms := slices.Sorted(maps.Keys(query))
	for i, a := range r.agents {
		score := r.index.score(i, terms, query)
		if a.Alias == r.last && score > 0 {
			score += lastBonus
		}
		if score = r.fit(a, score); score > 0 {
			ranks = append(ranks, rank{i, score})
		}
	}
	slices.SortStableFunc(ranks, func(a, b rank) int { return cmp.Compare(b.score, a.score) })
	return ranks
}

// fit weighs whether an agent takes what is attached, and gives what the caller accepts.
func (r *router) fit(a AgentInfo, score float64) float64 {
	for _, p := range r.parts {
		switch takes(a.Card, partMediaType(p)) {
		case fitsNot:
			score *= unfit
		case fitsByName:
			if _, data := p.Content.(a2a.Data); !data {
				score += fitBonus
			}
		}
	}
	if a.Health.State == Down || a.Health.Resting.After(time.Now()) {
		score *= resting
	}
	if len(r.accept) > 0 && len(outputModes(a.Card)) > 0 && !shares(r.accept, outputModes(a.Card)) {
		score *= wrongModes
	}
	return score
}

// sure reports whether the first of ranks may be taken without asking.
func sure(ranks []rank) bool {
	if len(ranks) == 0 || ranks[0].score < leastScore {
		return false
	}
	return len(ranks) == 1 || ranks[1].score <= tieRatio*ranks[0].score
}

// How well an agent takes a media type.
const (
	fitsNot = iota
	fitsByWildcard
	fitsByName
)

func takes(c *a2a.AgentCard, mediaType string) int {
	best := fitsNot
	for _, mode := range inputModes(c) {
		if !agent.MatchMode(mode, mediaType) {
			continue
		}
		if !strings.Contains(mode, "*") {
			return fitsByName
		}
		best = fitsByWildcard
	}
	return best
}

// shares reports whether a caller's modes and an agent's have a type in common.
func shares(accepted, given []string) bool {
	return slices.ContainsFunc(given, func(g string) bool {
		return slices.ContainsFunc(accepted, func(a string) bool { return agent.MatchMode(a, g) || agent.MatchMode(g, a) })
	})
}

// partMediaType returns what a part counts as when its media type is not set.
func partMediaType(p a2a.Part) string {
	if p.MediaType != "" {
		return p.MediaType
	}
	switch p.Content.(type) {
	case a2a.Text:
		return "text/plain"
	case a2a.Data:
		return "application/json"
	}
	return "application/octet-stream"
}
