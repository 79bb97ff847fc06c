// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// choiceNew stands for a request of its own among the choices of a question whose answer a message is.
const choiceNew = "new"

func (r *request) askWhich(ctx context.Context, open []*step) error {
	return r.askOpen(ctx, open, fmt.Sprintf("Which one is %s for? Say %s, or write @%s and your message.",
		r.shortened("this"), numbersTo(len(open)), open[0].Agent), "")
}

// askWhether asks whether the message answers an agent, or is something new, which others would get.
func (r *request) askWhether(ctx context.Context, open []*step, others []string) error {
	question := fmt.Sprintf("Is this for one of the agents that wait for an answer, or something new? Say %s.",
		numbersTo(len(open)+1))
	if len(open) == 1 {
		question = fmt.Sprintf("Is this for the %s, which waits for an answer, or something new? Say 1 or 2.",
			open[0].Agent)
	}
	something := "Something new: " + r.shortened("this")
	if len(others) > 0 {
		something += ", for " + strings.Join(others, " and ")
	}
	return r.askOpen(ctx, open, question, something)
}

// askOpen asks a question whose choices are open steps and, unless it is "", something new.
func (r *request) askOpen(ctx context.Context, open []*step, question, something string) error {
	lines := append(r.notices, question)
	r.notices = nil
	a := &asked{About: askedStep, Message: r.m.ID}
	for i, s := range open {
		lines = append(lines, fmt.Sprintf("%d. %s: %s", i+1, s.Agent, cmp.Or(withoutList(s.Ask), "waits for input")))
		a.Choices = append(a.Choices, s.ID)
	}
	if something != "" {
		a.Choices = append(a.Choices, choiceNew)
		lines = append(lines, fmt.Sprintf("%d. %s", len(a.Choices), something))
	}
	return r.askChoice(ctx, lines, a)
}

// askAgent asks whom the message is for, or what the planner wants to know. The message waits meanwhile.
func (r *request) askAgent(ctx context.Context, q *plan.Question) error {
	lines := append(r.notices, plan.CleanLines(q.Text, plan.MaxAnswer))
	r.notices = nil
	for i, choice := range q.Choices {
		text := choice
		if a, ok := r.agent(choice); ok {
			text = a.Describe()
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	down := slices.DeleteFunc(plan.AllUnreachable(r.agents, r.missing),
		func(u plan.Unreachable) bool { return slices.Contains(q.Choices, u.Agent) })
	if len(q.Choices) > 0 && len(down) > 0 {
		lines = append(lines, plan.ListUnreachable(down, toldUnreachable))
	}
	return r.askChoice(ctx, lines, &asked{About: askedAgent, Message: r.m.ID, Choices: q.Choices})
}

// askWhoIsMeant asks whom the message is for when no agent that can be reached has the name in it.
func (r *request) askWhoIsMeant(ctx context.Context, name, rest string) error {
	for _, u := range r.missing {
		if plan.BareName(u.Agent) == plan.BareName(name) {
			return &userError{say: u.Agent + " " + cannotBeReached + u.Reason, unreachable: true}
		}
	}
	r.state.Request = r.m.ID
	r.notices = append(r.notices, r.noSuch(name))
	if rest == "" && len(plan.Attachments(r.m)) == 0 {
		return r.askAgent(ctx, &plan.Question{Text: "What shall I do?"})
	}
	return r.askAgent(ctx, &plan.Question{Text: "Which one do you mean?", Choices: r.aliases()})
}

func (r *request) askChoice(ctx context.Context, lines []string, a *asked) error {
	r.state.Asked = a
	if err := r.save(ctx); err != nil {
		return err
	}
	text := strings.Join(lines, "\n")
	if len(a.Choices) == 0 {
		return r.t.Ask(texts(text)...)
	}
	return r.t.Ask(r.withData(text, map[string]any{"type": "choice", "about": a.About, "choices": r.labels(a)})...)
}

// labels are the choices as users read them.
func (r *request) labels(a *asked) []string {
	if a.About == askedAgent {
		return a.Choices
	}
	var labels []string
	for _, id := range a.Choices {
		if id == choiceNew {
			labels = append(labels, "something new")
		} else if s := r.state.step(id); s != nil {
			labels = append(labels, s.Agent)
		}
	}
	return labels
}

// shortened quotes the beginning of the message, or returns something else for one without text.
func (r *request) shortened(otherwise string) string {
	text := plan.Clean(textOf(r.m), 60)
	if text == "" {
		return otherwise
	}
	return `"` + text + `"`
}

func numbersTo(n int) string {
	switch n {
	case 1:
		return "1"
	case 2:
		return "1 or 2"
	}
	return fmt.Sprintf("1 to %d", n)
}

var startsList = regexp.MustCompile(`\s(?:1[.)]|[-*•])\s`)

// withoutList is the question of an agent without the list that it ends with, which cannot stand in another list.
func withoutList(ask string) string {
	if m := startsList.FindStringIndex(ask); m != nil {
		return strings.TrimSpace(ask[:m[0]])
	}
	return ask
}

var declines = regexp.MustCompile(
	`(?i)^\W*(?:none(?: of (?:them|these|those))?|nobody|no one|never ?mind|forget it|cancel|nothing|neither)\W*$`)

// resolve takes the message as the answer to a question of the host: a number, a name, or what the user wants instead.
func (r *request) resolve(ctx context.Context, a *asked) error {
	text := textOf(r.m)
	var waits *request
	if m := r.message(a.Message); m != nil {
		waits = &request{r.run, m}
		if at := r.chosen(a, text); at >= 0 {
			return waits.choose(ctx, a, a.Choices[at])
		}
		if n, isNumber := number(text); isNumber && len(a.Choices) > 0 {
			r.notices = append(r.notices, fmt.Sprintf("There is no %d in this list.", n))
			return waits.askAgain(ctx, a)
		}
	}
	switch {
	case declines.MatchString(text):
		// of other tasks
		r.state.Steps = slices.DeleteFunc(r.state.Steps,
			func(s *step) bool { return s.State.open() && r.message(s.Request) == nil })
		return r.replyWith(ctx, texts("All right, I did not send that to any agent."))
	case a.About == askedStep:
		waits.letGo(text)
		return r.reply(ctx)
	}
	return r.instead(ctx, a, waits)
}

func (r *request) choose(ctx context.Context, a *asked, choice string) error {
	switch {
	case choice == choiceNew:
		return r.plan(ctx, textOf(r.m), "")
	case a.About == askedStep:
		return r.answer(ctx, r.state.step(choice), "")
	}
	step := plan.Step{ID: "1", Agent: choice, Text: textOf(r.m), Whole: true}
	if name, rest := plan.UnknownName(step.Text, r.agents); name != "" && rest != "" {
		step.Text, step.Whole = rest, false
	}
	return r.follow(ctx, &plan.Decision{Steps: []plan.Step{step}})
}

func (r *request) askAgain(ctx context.Context, a *asked) error {
	if a.About == askedAgent {
		return r.askAgent(ctx, &plan.Question{Text: "Say " + numbersTo(len(a.Choices)) + ", or a name.",
			Choices: a.Choices})
	}
	var open []*step
	for _, id := range a.Choices {
		if s := r.state.step(id); s != nil {
			open = append(open, s)
		}
	}
	if slices.Contains(a.Choices, choiceNew) {
		others, _ := r.offTopic(ctx, open)
		return r.askWhether(ctx, open, others)
	}
	return r.askWhich(ctx, open)
}

// letGo tells the user that the message, which waited, is not sent to any agent, because the user said something else
// now. No message, or one that is said once more, goes without saying.
func (r *request) letGo(now string) {
	if r == nil {
		return
	}
	now, _ = newRequest(now)
	if _, now = plan.Mentioned(now, r.agents); strings.TrimSpace(now) == strings.TrimSpace(textOf(r.m)) {
		return
	}
	r.notices = append(r.notices, fmt.Sprintf("You said something else, so %s was not sent to any agent.",
		r.shortened("what you sent before")))
}

// instead takes a message that chooses no agent: it adds what was missing in the one that waits, or is new.
func (r *request) instead(ctx context.Context, a *asked, waits *request) error {
	text := textOf(r.m)
	if name, _ := plan.UnknownName(text, r.agents); name != "" && len(a.Choices) > 0 {
		waits.letGo(text)
		return r.plan(ctx, text, "")
	}
	d, err := r.decide(ctx, text, "")
	if err != nil {
		return err
	}
	if d.Question != nil && waits != nil && len(d.Question.Choices) != 1 && len(plan.Attachments(r.m)) == 0 {
		both, err := waits.decide(ctx, textOf(waits.m)+"\n"+text, "")
		if err == nil && both.Question == nil {
			steps := slices.Clone(both.Steps)
			for i := range steps {
				steps[i].Whole = false // the agent is to read both messages
			}
			both.Steps = steps
			return waits.follow(ctx, both)
		}
	}
	if len(a.Choices) > 0 {
		waits.letGo(text)
	}
	return r.follow(ctx, d)
}

func number(text string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(text), ".!#() "))
	return n, err == nil
}

var (
	saysNew = regexp.MustCompile(
		`(?i)^\W*(?:(?:it|this|that)(?:'s| is)\s+)?(?:a |an |something |the )?(?:new|else|new one|new request|` +
			`new task|other)\W*$`)
	// words around a choice
	choiceFillers = regexp.MustCompile(`(?i)\b(?:please|the|one|ask|use|take|give it to|it is for|it's for|for)\b`)
	ordinals      = []string{"first", "second", "third", "fourth", "fifth"}
)

// chosen returns the index of the choice that a text means; less than 0 for none.
func (r *request) chosen(a *asked, text string) int {
	if saysNew.MatchString(text) && slices.Contains(a.Choices, choiceNew) {
		return slices.Index(a.Choices, choiceNew)
	}
	labels := r.labels(a)
	if n, isNumber := number(text); isNumber && n >= 1 && n <= len(labels) {
		return n - 1
	}
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), ".!#() "))
	text = strings.TrimSpace(choiceFillers.ReplaceAllString(text, " "))
	if at := slices.Index(ordinals[:min(len(ordinals), len(labels))], text); at >= 0 {
		return at
	}
	bare := plan.BareName(strings.TrimPrefix(text, "@"))
	if bare == "" {
		return -1
	}
	if at := slices.IndexFunc(labels, func(l string) bool { return plan.BareName(l) == bare }); at >= 0 {
		return at
	}
	begins := func(l string) bool { return strings.HasPrefix(plan.BareName(l), bare+" ") }
	if at := slices.IndexFunc(labels, begins); at >= 0 && !slices.ContainsFunc(labels[at+1:], begins) {
		return at
	}
	if alias := plan.ByHandle(bare, r.agents); alias != "" {
		return slices.Index(labels, alias)
	}
	return -1
}

// withData returns parts with a text and, if the caller accepts JSON, the same as data.
func (x *run) withData(text string, data map[string]any) []a2a.Part {
	parts := texts(text)
	if p, err := a2a.DataPart(data); err == nil && x.t.Accepts("application/json") {
		p.MediaType = "application/json"
		parts = append(parts, p)
	}
	return parts
}
