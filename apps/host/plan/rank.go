// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// When a route counts as sure.
const (
	leastScore   = 1.2 // the best agent needs so much
	tieRatio     = 0.6 // the next one may have so much of the best one's score
	leastMargin  = 0.9 // the best one has to be ahead of the next one by so much
	severalRatio = 0.3 // of the best one's score, from which on another agent may be meant as well
	// factor for an agent that is down or left alone because it failed: another one of its sort is better
	resting      = 0.5
	unfit        = 0.25 // factor for an agent that does not take what is attached
	wrongModes   = 0.5  // factor for an agent whose answers the caller does not accept
	fitBonus     = 1.5  // for an agent that takes what is attached by name, not by a wildcard
	lastBonus    = 1.0  // for the agent that the conversation is with, but no more than its score again
	wordFactor   = 0.5  // for words that a request and a card have in common, beside those that touch topics
	nobodyFactor = 0.8  // for topics that no agent is about, against the best agent's
	leastShare   = 0.3  // from which on an agent is about a topic
)

// router ranks agents for texts.
type router struct {
	agents []Agent
	cards  []*document
	index  *index
	last   string
	parts  []a2a.Part // that are not text
	accept []string
}

func newRouter(s *Situation, known *documents) *router {
	r := &router{agents: s.Agents, last: s.Last, accept: s.OutputModes, parts: Attachments(s.Message)}
	for _, a := range s.Agents {
		r.cards = append(r.cards, known.of(a.Card))
	}
	r.index = newIndex(r.cards)
	return r
}

// Attachments returns the parts of a message that are not text.
func Attachments(m *a2a.Message) (parts []a2a.Part) {
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

// A rank is an agent with its score for a text.
type rank struct {
	agent int // index into router.agents
	score float64
}

// A ranking says who has to do with a text at all.
type ranking struct {
	agents []rank  // the best first
	nobody float64 // what the text says of a topic that no agent is about
}

// rank ranks the agents for a text. An agent's score is what the text says of the topics that its card is about, and
// what words both have in common.
func (r *router) rank(text string) ranking {
	a := aboutText(text)
	k := ranking{nobody: r.nobody(a)}
	a.attach(r.parts)
	terms := slices.Sorted(maps.Keys(a.words))
	rare := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return a.known[t] })
	for i, agent := range r.agents {
		score := 0.0
		for _, topic := range slices.Sorted(maps.Keys(a.topics)) {
			score += r.cards[i].topics[topic] * a.topics[topic]
		}
		if len(r.cards[i].topics) > 0 {
			score += wordFactor * r.index.score(i, rare, a.words)
		} else {
			score += r.index.score(i, terms, a.words)
		}
		if agent.Alias == r.last && score > 0 {
			score += min(lastBonus, score)
		}
		if score = r.fit(agent, score); score > 0 {
			k.agents = append(k.agents, rank{i, score})
		}
	}
	slices.SortStableFunc(k.agents, func(a, b rank) int { return cmp.Compare(b.score, a.score) })
	return k
}

// exampleOf returns the index of the one agent whose card has a text as an example; -1 for none, and for several.
// Agents that are down, or that do not take what is attached, are passed over.
func (r *router) exampleOf(text string) int {
	said, of := gist(text), -1
	if said == "" {
		return -1
	}
	for i, card := range r.cards {
		switch {
		case !card.examples[said] || r.fit(r.agents[i], 1) < 1:
		case of >= 0:
			return -1
		default:
			of = i
		}
	}
	return of
}

// frontDesk returns the index of the agent that takes requests of users where several of one trade could be meant; -1
// for none. A shop and its mechanic both repair cars, but only the shop's examples speak of a car of the user's own. An
// order, "Repair the brakes", may be for either.
func (r *router) frontDesk(text string, k ranking) int {
	best, score := k.best()
	if !k.likely() || startsWithVerb(text) && !ofOnesOwn().MatchString(text) {
		return -1
	}
	desk := -1
	for _, rank := range k.agents {
		if rank.score <= tieRatio*score {
			break
		}
		card := r.cards[rank.agent]
		if card.trade() == "" || card.trade() != r.cards[best].trade() {
			return -1
		}
		if card.own {
			if desk >= 0 {
				return -1
			}
			desk = rank.agent
		}
	}
	return desk
}

// nobody returns how much a text says of a topic that no agent is about.
func (r *router) nobody(a about) (most float64) {
	for topic, score := range a.topics {
		served := slices.ContainsFunc(r.cards, func(d *document) bool { return d.topics[topic] >= leastShare })
		if !served {
			most = max(most, score)
		}
	}
	return most
}

// best returns the index of the best agent, and its score; -1 and 0 when nobody has to do with the text.
func (k ranking) best() (agent int, score float64) {
	if len(k.agents) == 0 {
		return -1, 0
	}
	return k.agents[0].agent, k.agents[0].score
}

// likely reports whether the best agent may be meant at all.
func (k ranking) likely() bool {
	_, score := k.best()
	return score >= leastScore && k.nobody <= score
}

// sure reports whether the best agent may be taken without asking: its score is high enough, and clearly above that of
// the next one and of nobody.
func (k ranking) sure() bool {
	_, score := k.best()
	next := nobodyFactor * k.nobody
	if len(k.agents) > 1 {
		next = max(next, k.agents[1].score)
	}
	return score >= leastScore && next <= tieRatio*score && score-next >= leastMargin
}

// fit weighs whether an agent takes what is attached, and gives what the caller accepts.
func (r *router) fit(a Agent, score float64) float64 {
	for _, p := range r.parts {
		switch takes(a.Card, MediaType(p)) {
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

// How well an agent takes a media type.
const (
	fitsNot = iota
	fitsByWildcard
	fitsByName
)

// Takes reports whether an agent takes a part of a message.
func (a Agent) Takes(p a2a.Part) bool { return takes(a.Card, MediaType(p)) != fitsNot }

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
		return slices.ContainsFunc(accepted,
			func(a string) bool { return agent.MatchMode(a, g) || agent.MatchMode(g, a) })
	})
}

// MediaType returns what a part counts as when its media type is not set.
func MediaType(p a2a.Part) string {
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
