// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Rules is the planner without a model. It parts a request into clauses, finds for each the agent whose card is about
// the same topics and has the same words, puts the clauses in the order that words such as "then", "before" and "ahead
// of time" ask for, and asks unless one agent is clearly ahead. The same request always gets the same plan.
func Rules() Planner { return &rules{} }

type rules struct{ cards documents }

// Plan implements [Planner]. All is planned at once; what has been done needs no second look.
func (p *rules) Plan(_ context.Context, s *Situation) (*Decision, error) {
	if len(s.Reports) > 0 {
		return &Decision{}, nil
	}
	r := newRouter(s, &p.cards)
	if d := r.named(s); d != nil {
		return d, nil
	}
	if asksAboutHost(s.Text) {
		return &Decision{Answer: r.describe(s)}, nil
	}
	return r.plan(s), nil
}

// plan routes by what the request is about.
func (r *router) plan(s *Situation) *Decision {
	if of := r.exampleOf(s.Text); of >= 0 {
		return r.single(of, s.Text)
	}
	whole := r.whole(s.Text)
	if groups := r.groups(s.Text); len(groups) > 1 && r.meant(groups, whole) {
		return &Decision{Steps: r.steps(groups)}
	}
	halfClear := false // who is meant beside a conversion
	if c, ok := r.conversion(s.Text); ok {
		if steps := r.conversionFirst(s.Text, c); steps != nil {
			return &Decision{Steps: steps}
		}
		best, _ := whole.best()
		rest, _ := c.rest.best()
		halfClear = best != c.converter || c.rest.sure() && rest != c.converter
	}
	if whole.sure() && !r.maybeSeveral(s.Text, whole) && !halfClear {
		return r.single(whole.agents[0].agent, s.Text)
	}
	if d := r.followUp(s, whole); d != nil {
		return d
	}
	if desk := r.frontDesk(s.Text, whole); desk >= 0 {
		return r.single(desk, s.Text)
	}
	if bareGreeting().MatchString(s.Text) && !whole.likely() {
		return &Decision{Answer: r.describe(s)}
	}
	return &Decision{Question: r.question(whole)}
}

// meant reports whether all agents of groups have to do with the request as a whole. A clause of few words may look
// like a request for somebody who is not meant at all.
func (r *router) meant(groups []clauseGroup, whole ranking) bool {
	_, most := whole.best()
	return !slices.ContainsFunc(groups, func(b clauseGroup) bool {
		at := slices.IndexFunc(whole.agents, func(k rank) bool { return k.agent == b.agent })
		return at < 0 || whole.agents[at].score < max(leastScore, severalRatio*most)
	})
}

// bareGreeting is a greeting and nothing else. Without an agent for greetings the host says what it can do.
var bareGreeting = lazy(
	`(?i)^\W*(?:(?:hi|hello|hey|hiya|heya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning|evening|` +
		`bonjour|hola|hallo|ciao|there|all|again|everyone|everybody)\b\W*)+$`)

// whole ranks the agents for a request. A greeting before it counts only when the rest is for nobody.
func (r *router) whole(text string) ranking {
	if rest := withoutSalutation(text); rest != text {
		if k := r.rank(rest); k.likely() {
			return k
		}
	}
	return r.rank(text)
}

// maybeSeveral reports whether a request that could not be parted speaks of an order, and of what another agent does.
func (r *router) maybeSeveral(text string, whole ranking) bool {
	if len(whole.agents) < 2 || whole.agents[1].score < leastScore ||
		whole.agents[1].score < severalRatio*whole.agents[0].score {
		return false
	}
	all := clauses(text)
	return len(all) > 1 && slices.ContainsFunc(all, func(c clause) bool { return c.first || c.relation != beside })
}

func (r *router) single(agent int, text string) *Decision {
	return &Decision{Steps: []Step{{ID: "1", Agent: r.agents[agent].Alias, Text: text, Whole: true}}}
}

// followUp gives what is about nothing in particular to the agent that the conversation is with: "make it red".
func (r *router) followUp(s *Situation, whole ranking) *Decision {
	best, score := whole.best()
	if s.Last == "" || whole.nobody >= otherTopic || score >= otherTopic && r.agents[best].Alias != s.Last {
		return nil
	}
	at := slices.IndexFunc(r.agents, func(a Agent) bool { return a.Alias == s.Last })
	if at < 0 || len(tokenize(s.Text)) > maxFollowUp {
		return nil
	}
	return r.single(at, s.Text)
}

const (
	maxFollowUp = 12  // words that a message has at most that goes on with what was said before
	otherTopic  = 0.8 // score from which on it may be about something else
)

// named finds an agent that the message names, by its skill or by its name in front: "@coder write a loop", "ask the
// movie agent who directed Dune".
func (r *router) named(s *Situation) *Decision {
	if s.Message != nil {
		if id := s.Message.SkillID(); id != "" {
			has := func(a Agent) bool {
				return slices.ContainsFunc(a.Card.Skills, func(k a2a.AgentSkill) bool { return k.ID == id })
			}
			if at := slices.IndexFunc(r.agents, has); at >= 0 && !slices.ContainsFunc(r.agents[at+1:], has) {
				return r.single(at, s.Text)
			}
		}
	}
	alias, rest := Mentioned(s.Text, r.agents)
	if alias == "" {
		return nil
	}
	if strings.TrimSpace(rest) == "" && len(r.parts) == 0 {
		return &Decision{Question: &Question{Text: "What shall I ask the " + alias + "?"}}
	}
	step := Step{ID: "1", Agent: alias, Text: rest}
	return &Decision{Steps: []Step{step}}
}

type clauseGroup struct {
	agent    int
	clauses  []clause
	relation relation // to the clause group before it
	first    bool
	text     string
}

// groups parts a request and gives each part to an agent. Clauses that are not clearly for somebody belong to their
// neighbour. One clause group, or none, means that the request is not to be parted.
func (r *router) groups(text string) []clauseGroup {
	all := clauses(text)
	if len(all) > maxClauses {
		return nil
	}
	var groups []clauseGroup
	var pending []clause // clauses at the start that are for nobody
	for _, c := range all {
		ranks := r.rank(c.text)
		best, score := ranks.best()
		clear := ranks.sure() && (!c.weak || score >= leastScore*weakFactor) && !states(c.text)
		n := len(groups)
		switch {
		case !clear && n == 0:
			pending = append(pending, c)
		case !clear, n > 0 && groups[n-1].agent == best:
			groups[n-1].take(c)
		default:
			b := clauseGroup{agent: best, relation: c.relation}
			for _, p := range append(pending, c) {
				b.take(p)
			}
			pending = nil
			groups = append(groups, b)
		}
	}
	for i := range groups {
		groups[i].words(text)
	}
	return lent(groups)
}

// A conversion is that of an amount in a request which names another currency too: "claim 120 euros back, in US
// dollars", or "my firm is in Germany, it pays in euros".
type conversion struct {
	amount    money
	target    string
	at        textRange // of the phrase that asks for the target, if there is one
	converter int
	rest      ranking // for the request without its money
}

// conversion returns the one in a request, if somebody is there to convert.
func (r *router) conversion(text string) (c conversion, ok bool) {
	if len(text) > maxClauseText {
		return c, false
	}
	sums := amounts(text)
	if c.at, c.target = otherCurrency(text, sums); c.target == "" {
		return c, false
	}
	ranks := r.rank(sums[0].currency + " in " + c.target)
	if !ranks.sure() {
		return c, false
	}
	c.amount, c.converter = sums[0], ranks.agents[0].agent
	c.rest = r.rank(withoutMoney(withoutSalutation(text)))
	return c, true
}

// leastBeside is what an agent needs beside a conversion: something has to say it, as what money was spent on is often
// named along with an amount.
const leastBeside = 1.8

// conversionFirst plans a request that is about something else than its conversion. The amount is changed first.
func (r *router) conversionFirst(text string, c conversion) []Step {
	agent, score := c.rest.best()
	if !c.rest.sure() || score < leastBeside || agent == c.converter {
		return nil
	}
	what, into := text, "in "+c.target
	if c.at != (textRange{}) {
		what = strings.TrimSpace(strings.TrimRight(text[:c.at.from], " ,;") + text[c.at.to:])
		into = text[c.at.from:c.at.to]
	}
	return []Step{
		{ID: "1", Agent: r.agents[c.converter].Alias, Text: c.amount.text + " " + into},
		{ID: "2", Agent: r.agents[agent].Alias, Text: what, After: []string{"1"}},
	}
}

var (
	statement = lazy(
		`(?i)^\W*(?:[\w\']+\s+){0,` +
			`4}?(?:paid|payed|spent|had|have|bought|took|was|were|cost|costs|got|went|made)\b[^?]*$`)
	ofUs = lazy(`(?i)^\W*(?:(?:every|each|last|this)\s+\w+\s+)?(?:i|we)\s+(\w+)\b[^?]*$`)
)

// states reports whether a text says how things are, "I paid 45 EUR for dinner": by itself it asks nobody for anything.
func states(text string) bool {
	m := ofUs().FindStringSubmatch(text)
	return m != nil && !wishes[strings.ToLower(m[1])] || statement().MatchString(text)
}

// wishes follow "I" where something is asked for.
var wishes = wordSet("want wanna need would should could can may must like wish love d ll search seek require " +
	"request demand expect hope look am")

// lent joins a clause group that another one only takes its amount from with what the same agent is to do later.
func lent(groups []clauseGroup) []clauseGroup {
	for i := 0; i+1 < len(groups); i++ {
		later := slices.IndexFunc(groups[i+1:], func(b clauseGroup) bool { return b.agent == groups[i].agent })
		if later < 1 || amountSource(groups, i+1) != i {
			continue
		}
		to := &groups[i+1+later]
		to.text = groups[i].text + "; " + to.text
		if groups = slices.Delete(groups, i, i+1); i == 0 {
			groups[0].relation = beside
		}
		i--
	}
	return groups
}

const (
	maxClauses = 12
	weakFactor = 1.3 // a clause after a comma or an "and" has to be clearer than one after a full stop
)

func (b *clauseGroup) take(c clause) {
	b.clauses = append(b.clauses, c)
	b.first = b.first || c.first
}

// words makes the text of a clause group: that of its clause, or all from the first to the last.
func (b *clauseGroup) words(text string) {
	b.text = b.clauses[0].text
	if n := len(b.clauses); n > 1 {
		b.text = strings.Trim(text[b.clauses[0].from:b.clauses[n-1].to], " \t\r\n,;")
	}
}

// steps makes a plan of groups: who waits for whom, and which amount is meant where none is named.
func (r *router) steps(groups []clauseGroup) []Step {
	steps := make([]Step, len(groups))
	for i, b := range groups {
		steps[i] = Step{ID: strconv.Itoa(i + 1), Agent: r.agents[b.agent].Alias, Text: b.text}
	}
	after := order(groups)
	for i, b := range groups {
		if from := amountSource(groups, i); from >= 0 && len(amounts(b.text)) == 0 {
			steps[i].Text = borrow(b.text, amounts(groups[from].text)[0].text)
			if !after[i][from] { // the amount is changed before it is used
				after[from][i] = true
			}
		}
		for j := range i {
			if Refers(b.text) && !after[j][i] && amountSource(groups, i) < 0 {
				after[i][j] = true
			}
		}
	}
	for i := range steps {
		for j := range steps {
			if after[i][j] {
				steps[i].After = append(steps[i].After, steps[j].ID)
			}
		}
	}
	return sorted(steps)
}

// order returns which groups come after which, by the words that say so.
func order(groups []clauseGroup) []map[int]bool {
	after := make([]map[int]bool, len(groups))
	for i := range after {
		after[i] = make(map[int]bool)
	}
	for i, b := range groups {
		if b.first {
			for j := range groups {
				if j != i && !groups[j].first {
					after[j][i] = true
				}
			}
		}
		if i == 0 {
			continue
		}
		switch {
		case b.relation == forward && !after[i-1][i]:
			after[i][i-1] = true
		case b.relation == backward && !after[i][i-1]:
			after[i-1][i] = true
		}
	}
	return after
}

// sorted puts steps into an order in which each comes after those it waits for, and renames them.
func sorted(steps []Step) []Step {
	var done []Step
	names := make(map[string]string)
	for len(done) < len(steps) {
		next := slices.IndexFunc(steps, func(s Step) bool {
			return names[s.ID] == "" && !slices.ContainsFunc(s.After, func(id string) bool { return names[id] == "" })
		})
		if next < 0 { // each waits for the other: contradictory words; in the order of the text then
			next = slices.IndexFunc(steps, func(s Step) bool { return names[s.ID] == "" })
		}
		s := steps[next]
		names[s.ID] = strconv.Itoa(len(done) + 1)
		var after []string
		for _, id := range s.After {
			if names[id] != "" && names[id] != names[s.ID] {
				after = append(after, names[id])
			}
		}
		done = append(done, Step{ID: names[s.ID], Agent: s.Agent, Text: s.Text, After: after})
	}
	return done
}

func (r *router) question(ranks ranking) *Question {
	if ranks.likely() {
		// The choices are those near the best; at least two, as one would be no question.
		q := &Question{Text: "Several agents could do this. Which one shall I ask?"}
		for _, rank := range ranks.agents {
			if (rank.score > tieRatio*ranks.agents[0].score || len(q.Choices) < 2) && len(q.Choices) < maxChoices {
				q.Choices = append(q.Choices, r.agents[rank.agent].Alias)
			}
		}
		return q
	}
	q := &Question{Text: "I am not sure who can do this. These agents are there:"}
	for _, rank := range ranks.agents {
		q.Choices = append(q.Choices, r.agents[rank.agent].Alias)
	}
	for _, a := range r.agents {
		if !slices.Contains(q.Choices, a.Alias) {
			q.Choices = append(q.Choices, a.Alias)
		}
	}
	q.Choices = q.Choices[:min(len(q.Choices), MaxListed)]
	return q
}

const maxChoices = 5

var (
	aboutAgents = lazy(
		`(?i)\b(what|which|list|show|who are|name|how many|tell me about|do you have|are there)\b.*\b(remote |other |` +
			`available |connected |your |the )*(agents?|skills|capabilities)\b`)
	aboutHost = lazy(
		`(?i)^\W*(?:(?:hi|hello|hey)\W+)?((so\W+)?what (can|do|could) you (actually )?do( for me)?|what are you ` +
			`(able to do|capable of|good (at|for))|who are you|what are you|how (can|could) you help( me)?|what ` +
			`(kinds?|sorts?) of (things|tasks|requests) can you (do|handle|help with)|what can i (ask|do)( you| ` +
			`here)?|what do you know how to do|help)\W*$`)
	whichAgent = lazy(
		`(?i)\b(which|what|is there (?:an?|any)|do you have an?)\b(?: \w+){0,` +
			`2} agents?\b.*\b(can|could|for|who|that|to)\b\s*(.+)$`)
)

// asksAboutHost reports whether a text asks what the host is and whom it knows.
func asksAboutHost(text string) bool {
	if len(text) > 200 || amounts(text) != nil {
		return false
	}
	return aboutHost().MatchString(text) || aboutAgents().MatchString(text)
}
