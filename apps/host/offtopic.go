// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// choiceNew is what stands for a request of its own among the choices of a question whose answer a message is.
const choiceNew = "new"

// labelNew is how users read it.
const labelNew = "something new"

var anotherAgent = regexp.MustCompile(
	`(?i)^\s*(?:please\s+)?(?:ask|tell|use|have|let)\s+(?:the|my|our)\s+\S.{0,40}?\s+agent\b`)

// offTopic reports whether a message to a task that waits may be no answer: it is a request, and by the rules and their
// margin it is, all of it or in part, for an agent that does not wait, or it names an agent that is not there. The user
// is asked then, as nobody but the user knows. others are the agents that it would go to.
func (x *run) offTopic(ctx context.Context, m *a2a.Message, open []*step) (others []string, found bool) {
	text := textOf(m)
	waits := func(alias string) bool {
		return slices.ContainsFunc(open, func(s *step) bool { return s.Agent == alias })
	}
	if alias, _ := plan.Mentioned(text, x.agents); alias != "" {
		return nil, false // it says whom it is for
	}
	if len(plan.Attachments(m)) > 0 || !plan.IsRequest(text) {
		return nil, false
	}
	if anotherAgent.MatchString(text) {
		return nil, true
	}
	d, err := x.h.rules.Plan(ctx, &plan.Situation{Message: m, Text: text, Agents: x.agents, Missing: x.missing,
		OutputModes: x.t.OutputModes()})
	if err != nil {
		return nil, false
	}
	for _, s := range d.Steps {
		if !waits(s.Agent) && !slices.Contains(others, s.Agent) {
			others = append(others, s.Agent)
		}
	}
	return others, len(others) > 0
}

// askWhether asks whether a message answers what agents ask, or is something new. It waits meanwhile.
func (x *run) askWhether(ctx context.Context, m *a2a.Message, open []*step, others []string) error {
	what := cmp.Or(shortened(textOf(m)), "this")
	question := fmt.Sprintf("Is this for one of the agents that wait for an answer, or something new? Say %s.",
		numbersTo(len(open)+1))
	if len(open) == 1 {
		question = fmt.Sprintf("Is this for the %s, which waits for an answer, or something new? Say 1 or 2.",
			open[0].Agent)
	}
	lines := append(x.notices, question)
	x.notices = nil
	a := &asked{About: askedStep, Message: m.ID}
	for i, s := range open {
		lines = append(lines, fmt.Sprintf("%d. %s: %s", i+1, s.Agent, cmp.Or(withoutList(s.Ask), "waits for input")))
		a.Choices = append(a.Choices, s.ID)
	}
	a.Choices = append(a.Choices, choiceNew)
	label := fmt.Sprintf("%d. Something new: %s", len(a.Choices), what)
	if len(others) > 0 {
		label += ", for " + strings.Join(others, " and ")
	}
	return x.askChoice(ctx, append(lines, label), a)
}

var saysNew = regexp.MustCompile(
	`(?i)^\W*(?:(?:it|this|that)(?:'s| is)\s+)?(?:a |an |something |the )?(?:new|else|new one|new request|new task|` +
		`other)\W*$`)

// chosenOf is chosen for a question of the host.
func (x *run) chosenOf(a *asked, text string) int {
	if slices.Contains(a.Choices, choiceNew) && saysNew.MatchString(text) {
		return slices.Index(a.Choices, choiceNew)
	}
	return chosen(text, x.labels(a), x.agents)
}

// otherwise is what people read who got a second question of an agent in a row: they may want something else.
const otherwise = "(To ask something else: new: ..., or @NAME ...)"

// asksAgain reports whether an agent asks once more when it has just been answered.
func (x *run) asksAgain(open []*step) bool {
	return slices.ContainsFunc(open, func(s *step) bool {
		return s.State == waiting && s.Answer != "" && s.Answer == x.state.Request
	})
}
