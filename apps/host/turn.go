// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// start works out what the turn's message is about: it goes on with a turn that was interrupted, answers a question,
// or is a request of its own. had says whether the task had a turn before. It returns nil when there are steps to be
// taken, and else how the turn ends.
func (x *run) start(ctx context.Context, had bool) error {
	for _, s := range x.state.Steps {
		if s.State == running { // in a turn that was interrupted
			s.State = planned
		}
	}
	x.agents, x.missing = x.h.opts.Directory.Agents(ctx)
	if err := x.markUnreachable(); err != nil {
		return err
	}
	m := x.t.Message()
	if m == nil {
		return nil
	}
	repeated := x.t.Attempt() > 1 && x.state.Message == m.ID
	if repeated && slices.ContainsFunc(x.state.Steps,
		func(s *step) bool { return !s.State.ended() && !s.State.open() }) {
		return nil
	}
	if repeated {
		x.state.Asked = nil // it was not shown
	} else {
		x.state.Used = used{}
	}
	x.state.Message = m.ID
	if had {
		return x.reply(ctx, m)
	}
	return x.fresh(ctx, m)
}

// fresh deals with the first message of a task. In a conversation in which an agent of another task waits for an
// answer, it may be that answer: clients that keep only the context send it so.
func (x *run) fresh(ctx context.Context, m *a2a.Message) error {
	talk, err := x.conversation(ctx)
	if err != nil {
		return err
	}
	text, isNew := newRequest(x.t.Text())
	if len(talk.Open) > 0 && !isNew {
		open := make([]*step, len(talk.Open))
		for i := range talk.Open {
			open[i] = &talk.Open[i].Step
		}
		if s, say := x.meant(m, open); s != nil && (s.Form != "" && hasData(m) || say != "") {
			return x.adopt(ctx, s, m, say)
		}
		d, err := x.decide(ctx, m, text, talk.Last)
		if err != nil {
			return err
		}
		if d.Question == nil || len(d.Question.Choices) == 0 {
			return x.follow(ctx, m, d)
		}
		if len(open) == 1 {
			return x.adopt(ctx, open[0], m, "")
		}
		for _, s := range open {
			s.ID = x.state.number()
			x.state.Steps = append(x.state.Steps, s)
		}
		return x.askWhich(ctx, m, open)
	}
	return x.plan(ctx, m, text, talk.Last)
}

// adopt takes over a step of another task of the conversation and gives it its answer.
func (x *run) adopt(ctx context.Context, s *step, m *a2a.Message, say string) error {
	s.ID, s.After = x.state.number(), nil
	x.state.Steps = append(x.state.Steps, s)
	return x.answer(ctx, s, m, say)
}

// reply deals with a further message to the task.
func (x *run) reply(ctx context.Context, m *a2a.Message) error {
	if a := x.state.Asked; a != nil {
		x.state.Asked = nil
		return x.resolve(ctx, a, m)
	}
	open := x.state.open()
	text, isNew := newRequest(x.t.Text())
	if len(open) == 0 || isNew {
		return x.plan(ctx, m, text, "")
	}
	if alias, _ := plan.Mentioned(text, x.agents); alias != "" &&
		!slices.ContainsFunc(open, func(s *step) bool { return s.Agent == alias }) {
		return x.plan(ctx, m, text, "")
	}
	if others, found := x.offTopic(ctx, m, open); found {
		return x.askWhether(ctx, m, open, others)
	}
	name, rest := plan.UnknownName(text, x.agents)
	stranger := name != "" && rest != "" // a name alone may be an answer
	if s, say := x.meant(m, open); s != nil && !stranger {
		return x.answer(ctx, s, m, say)
	}
	if name != "" {
		x.notices = append(x.notices, x.noSuch(name)+" Your message was not sent to any agent.")
		return x.save(ctx)
	}
	return x.askWhich(ctx, m, open)
}

var startsAnew = regexp.MustCompile(
	`(?i)^\s*(?:new(?: (?:task|request|question|topic))?\s*[:,-]|something (?:else|new)\s*[:,` +
		`-]|another (?:thing|question|request)\s*[:,-]|start over\s*[:,-])\s*`)

// newRequest reports whether a text says that it is no answer but a new request, and returns it without that.
func newRequest(text string) (string, bool) {
	if m := startsAnew.FindStringIndex(text); m != nil && strings.TrimSpace(text[m[1]:]) != "" {
		return text[m[1]:], true
	}
	return text, false
}

// meant returns the one step, of those that wait, that a message answers, and what to say to its agent when that is not
// the message as it is. It is nil when several could be meant.
func (x *run) meant(m *a2a.Message, open []*step) (s *step, say string) {
	if alias, rest := plan.Mentioned(x.t.Text(), x.agents); alias != "" {
		if of := only(open, func(s *step) bool { return s.Agent == alias }); of != nil {
			return of, rest
		}
	}
	if len(open) == 1 {
		return open[0], ""
	}
	if id := formID(m.Parts); id != "" {
		if of := only(open, func(s *step) bool { return s.Form == id }); of != nil {
			return of, ""
		}
	}
	if hasData(m) {
		return only(open, func(s *step) bool { return s.Form != "" }), ""
	}
	return nil, ""
}

// only returns the one step that fits; nil when none or several do.
func only(steps []*step, fits func(*step) bool) (found *step) {
	for _, s := range steps {
		if !fits(s) {
			continue
		}
		if found != nil {
			return nil
		}
		found = s
	}
	return found
}

func hasData(m *a2a.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p a2a.Part) bool {
		_, data := p.Content.(a2a.Data)
		return data
	})
}

// answer makes a step go on with an answer to its agent.
func (x *run) answer(ctx context.Context, s *step, m *a2a.Message, say string) error {
	s.State, s.Answer, s.Say, s.MessageID, s.Request = planned, m.ID, say, a2a.NewMessageID(), m.ID
	x.state.Request = m.ID
	return x.save(ctx)
}

// askWhich asks whose question a message answers. The message waits meanwhile.
func (x *run) askWhich(ctx context.Context, m *a2a.Message, open []*step) error {
	what := "this"
	if text := shortened(textOf(m)); text != "" {
		what = text
	}
	lines := append(x.notices, fmt.Sprintf("Which one is %s for? Say %s, or write @%s and your message.", what,
		numbersTo(len(open)), open[0].Agent))
	x.notices = nil
	a := &asked{About: askedStep, Message: m.ID}
	for i, s := range open {
		lines = append(lines, fmt.Sprintf("%d. %s: %s", i+1, s.Agent, cmp.Or(withoutList(s.Ask), "waits for input")))
		a.Choices = append(a.Choices, s.ID)
	}
	return x.askChoice(ctx, lines, a)
}

// shortened quotes the beginning of what the user wrote; "" when that was no text.
func shortened(text string) string {
	if text = plan.Clean(text, 60); text == "" {
		return ""
	}
	return `"` + text + `"`
}

// numbersTo names the numbers from 1 to n.
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

// askChoice ends the turn with a question of the host.
func (x *run) askChoice(ctx context.Context, lines []string, a *asked) error {
	x.state.Asked = a
	if err := x.save(ctx); err != nil {
		return err
	}
	parts := texts(strings.Join(lines, "\n"))
	if data, err := a2a.DataPart(map[string]any{"type": "choice", "about": a.About,
		"choices": x.labels(a)}); err == nil && len(a.Choices) > 0 && x.t.Accepts("application/json") {
		data.MediaType = "application/json"
		parts = append(parts, data)
	}
	return x.t.Ask(parts...)
}

// labels are the choices as users read them.
func (x *run) labels(a *asked) []string {
	if a.About == askedAgent {
		return a.Choices
	}
	var labels []string
	for _, id := range a.Choices {
		if id == choiceNew {
			labels = append(labels, labelNew)
		} else if s := x.state.step(id); s != nil {
			labels = append(labels, s.Agent)
		}
	}
	return labels
}

var declines = regexp.MustCompile(
	`(?i)^\W*(?:none(?: of (?:them|these|those))?|nobody|no one|never ?mind|forget it|cancel|nothing|neither)\W*$`)

// resolve takes the answer to a question of the host: a number, a name, or what the user wants instead.
func (x *run) resolve(ctx context.Context, a *asked, m *a2a.Message) error {
	text := x.t.Text()
	waits := x.message(a.Message)
	at := x.chosenOf(a, text)
	n, isNumber := number(text)
	switch {
	case at >= 0 && waits != nil:
		return x.choose(ctx, a, at, waits)
	case isNumber && len(a.Choices) > 0 && waits != nil:
		x.notices = append(x.notices, fmt.Sprintf("There is no %s in this list.", n))
		return x.askAgain(ctx, a, waits)
	case declines.MatchString(text):
		// of other tasks
		x.state.Steps = slices.DeleteFunc(x.state.Steps,
			func(s *step) bool { return s.State.open() && x.message(s.Request) == nil })
		return x.replyWith(ctx, texts("All right, I did not send that to any agent."))
	case a.About == askedStep:
		x.letGo(waits, text)
		return x.reply(ctx, m)
	}
	return x.instead(ctx, a, m, waits)
}

// choose does what the user has chosen with the message that waited for it.
func (x *run) choose(ctx context.Context, a *asked, at int, waits *a2a.Message) error {
	if a.Choices[at] == choiceNew {
		return x.plan(ctx, waits, textOf(waits), "")
	}
	if a.About == askedStep {
		return x.answer(ctx, x.state.step(a.Choices[at]), waits, "")
	}
	step := plan.Step{ID: "1", Agent: a.Choices[at], Text: textOf(waits), Whole: true}
	if name, rest := plan.UnknownName(step.Text, x.agents); name != "" && rest != "" {
		step.Text, step.Whole = rest, false
	}
	return x.follow(ctx, waits, &plan.Decision{Steps: []plan.Step{step}})
}

// askAgain repeats a question of the host about a message that waits.
func (x *run) askAgain(ctx context.Context, a *asked, waits *a2a.Message) error {
	if a.About == askedStep {
		var open []*step
		for _, id := range a.Choices {
			if s := x.state.step(id); s != nil {
				open = append(open, s)
			}
		}
		if slices.Contains(a.Choices, choiceNew) {
			others, _ := x.offTopic(ctx, waits, open)
			return x.askWhether(ctx, waits, open, others)
		}
		return x.askWhich(ctx, waits, open)
	}
	return x.askAgent(ctx, waits, &plan.Question{Text: "Say " + numbersTo(len(a.Choices)) + ", or a name.",
		Choices: a.Choices})
}

// letGo tells the user that a waiting message is not sent to any agent, because the user said something else.
func (x *run) letGo(waits *a2a.Message, now string) {
	if waits == nil {
		return
	}
	if said, isNew := newRequest(now); isNew && strings.TrimSpace(said) == strings.TrimSpace(textOf(waits)) {
		return // it is said once more, as something new
	}
	if _, said := plan.Mentioned(now, x.agents); strings.TrimSpace(said) == strings.TrimSpace(textOf(waits)) {
		return // it is said once more, with a name
	}
	x.notices = append(x.notices, fmt.Sprintf("You said something else, so %s was not sent to any agent.",
		cmp.Or(shortened(textOf(waits)), "what you sent before")))
}

// instead takes what a user said instead of choosing an agent: it is what was missing in the message that waits, or
// something new.
func (x *run) instead(ctx context.Context, a *asked, m, waits *a2a.Message) error {
	text := x.t.Text()
	if name, _ := plan.UnknownName(text, x.agents); name != "" && len(a.Choices) > 0 {
		x.letGo(waits, text)
		return x.plan(ctx, m, text, "")
	}
	d, err := x.decide(ctx, m, text, "")
	if err != nil {
		return err
	}
	if d.Question != nil && waits != nil && len(d.Question.Choices) != 1 && len(plan.Attachments(m)) == 0 {
		both := textOf(waits) + "\n" + text
		if d2, err := x.decide(ctx, waits, both, ""); err == nil && d2.Question == nil {
			return x.follow(ctx, waits, inWords(d2))
		}
	}
	if len(a.Choices) > 0 {
		x.letGo(waits, text)
	}
	return x.follow(ctx, m, d)
}

// inWords is a decision about a message and more words, which its agent is to read as well.
func inWords(d *plan.Decision) *plan.Decision {
	both := *d
	both.Steps = slices.Clone(d.Steps)
	for i := range both.Steps {
		both.Steps[i].Whole = false
	}
	return &both
}

// number returns the number that a text is nothing but.
func number(text string) (n string, ok bool) {
	n = strings.Trim(strings.TrimSpace(text), ".!#() ")
	_, err := strconv.Atoi(n)
	return n, err == nil && len(n) <= 6
}

var ordinals = []string{"first", "second", "third", "fourth", "fifth"}

// chosen returns which of several choices a text means; less than 0 for none.
func chosen(text string, labels []string, agents []plan.Agent) int {
	text = strings.ToLower(strings.Trim(strings.TrimSpace(text), ".!#() "))
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(labels) {
		return n - 1
	}
	for i, o := range ordinals[:min(len(ordinals), len(labels))] {
		if text == o || text == "the "+o || text == "the "+o+" one" {
			return i
		}
	}
	text = choiceFillers.ReplaceAllString(text, " ")
	bare := plan.BareName(strings.TrimSpace(strings.TrimPrefix(text, "@")))
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
	if alias := plan.ByHandle(bare, agents); alias != "" {
		return slices.Index(labels, alias)
	}
	return -1
}

// choiceFillers are words around a choice.
var choiceFillers = regexp.MustCompile(`(?i)\b(?:please|the|one|ask|use|take|give it to|it is for|it's for|for)\b`)

// plan asks the planner about a request and follows what it says. Of a name that is none the user is told: words after
// an @ are meant for somebody.
func (x *run) plan(ctx context.Context, m *a2a.Message, text, last string) error {
	if name, rest := plan.UnknownName(text, x.agents); name != "" && len(x.agents) > 0 {
		return x.askWhoIsMeant(ctx, m, name, rest)
	}
	d, err := x.decide(ctx, m, text, last)
	if err != nil {
		return err
	}
	return x.follow(ctx, m, d)
}

// decide asks the planner, when there are agents to plan with.
func (x *run) decide(ctx context.Context, m *a2a.Message, text, last string) (*plan.Decision, error) {
	if len(x.agents) == 0 {
		return nil, x.noAgent()
	}
	s := &plan.Situation{Message: m, Text: text, Agents: x.agents, Missing: x.missing, Last: last,
		OutputModes: x.t.OutputModes()}
	s.Left = x.state.Used.leaves(x.h.opts.Budget)
	if m.ID == x.state.Request {
		for _, st := range x.state.current() {
			s.Reports = append(s.Reports, st.report())
		}
	}
	open, err := x.waiting(ctx, m)
	if err != nil {
		return nil, err
	}
	s.Open = open
	d, err := x.h.opts.Planner.Plan(ctx, s)
	if d != nil {
		x.state.Used.add(d.Used)
	}
	if errors.Is(err, llm.ErrBudget) {
		return nil, &userError{say: x.overBudget(), cause: err}
	}
	if err != nil {
		return nil, &userError{say: "The request could not be planned. Please try again, or name an agent, as in " +
			"\"@Agent ...\".", cause: err}
	}
	return d, nil
}

// overBudget says that the planner may not ask its model again.
func (x *run) overBudget() string {
	b := x.h.opts.Budget
	return fmt.Sprintf("This request needs more planning than is allowed: %d questions to the language model, %d "+
		"tokens and %s are the limits. The answers that the agents gave before that are above.",
		b.Calls, b.Tokens, b.Time)
}

// waiting returns the open steps for requests other than that of a message, and notes those of other tasks.
func (x *run) waiting(ctx context.Context, m *a2a.Message) (open []plan.Report, err error) {
	for _, s := range x.state.open() {
		if s.Request != m.ID {
			open = append(open, s.report())
		}
	}
	talk, err := x.conversation(ctx)
	if err != nil {
		return nil, err
	}
	x.elsewhere = make(map[string]*step)
	for i := range talk.Open {
		o := &talk.Open[i]
		mine := slices.ContainsFunc(x.state.Steps,
			func(s *step) bool { return s.Key == o.Step.Key && s.Child == o.Step.Child })
		if o.Task == x.t.TaskID() || mine {
			continue
		}
		r := o.Step.report()
		r.ID = fmt.Sprintf("other-%d", i+1)
		x.elsewhere[r.ID] = &o.Step
		open = append(open, r)
	}
	return open, nil
}

// withdraw cancels the tasks of steps that are no longer wanted, of this task and of others of the conversation. Those
// find out when they go on.
func (x *run) withdraw(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, cancelPatience)
	defer cancel()
	gone := make(map[a2a.TaskID]bool)
	for _, id := range ids {
		s := cmp.Or(x.state.step(id), x.elsewhere[id])
		if s == nil || s.State.ended() {
			continue
		}
		x.cancelStep(limited, s)
		gone[s.Child] = true
	}
	x.mu.Lock()
	err := errors.Join(x.showChildren(), x.save(ctx))
	x.mu.Unlock()
	if err != nil {
		return err
	}
	return x.converse(ctx, func(c *conversation) {
		c.Open = slices.DeleteFunc(c.Open, func(o openStep) bool { return gone[o.Step.Child] })
	})
}

// follow takes over a decision. It returns nil when there are steps to be taken.
func (x *run) follow(ctx context.Context, m *a2a.Message, d *plan.Decision) error {
	if x.state.Request != m.ID {
		x.state.Request, x.state.Rounds = m.ID, 0
	}
	x.state.Rounds++
	if err := x.withdraw(ctx, d.Cancel); err != nil {
		return err
	}
	switch {
	case d.Question != nil:
		if len(d.Question.Choices) > 0 && len(plan.AllUnreachable(x.agents, nil)) == len(x.agents) {
			return x.noAgent()
		}
		return x.askAgent(ctx, m, d.Question)
	case d.Answer != nil:
		return x.replyWith(ctx, d.Answer)
	}
	return x.takeSteps(ctx, m, d)
}

// askAgent asks whom a message is for, or what the planner wants to know. The message waits meanwhile.
func (x *run) askAgent(ctx context.Context, m *a2a.Message, q *plan.Question) error {
	lines := append(x.notices, plan.CleanLines(q.Text, plan.MaxAnswer))
	x.notices = nil
	for i, choice := range q.Choices {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, x.describeAlias(choice)))
	}
	down := slices.DeleteFunc(plan.AllUnreachable(x.agents, x.missing),
		func(u plan.Unreachable) bool { return slices.Contains(q.Choices, u.Agent) })
	if len(q.Choices) > 0 && len(down) > 0 {
		lines = append(lines, plan.ListUnreachable(down, toldUnreachable))
	}
	return x.askChoice(ctx, lines, &asked{About: askedAgent, Message: m.ID, Choices: q.Choices})
}

// noSuch says that no agent is called so, and how those that are there are.
func (x *run) noSuch(name string) string {
	names := make([]string, 0, len(x.agents))
	for _, a := range x.agents[:min(len(x.agents), plan.MaxListed)] {
		names = append(names, a.Alias)
	}
	more := ""
	if n := len(x.agents) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("There is no agent called %q; there are %s%s.", name, strings.Join(names, ", "), more)
}

// askWhoIsMeant asks whom a message is for whose name is none that is known. One that cannot be reached is no stranger.
func (x *run) askWhoIsMeant(ctx context.Context, m *a2a.Message, name, rest string) error {
	for _, u := range x.missing {
		if plan.BareName(u.Agent) == plan.BareName(name) {
			return &userError{say: u.Agent + " " + cannotBeReached + u.Reason, unreachable: true}
		}
	}
	x.state.Request = m.ID
	x.notices = append(x.notices, x.noSuch(name))
	if rest == "" && len(plan.Attachments(m)) == 0 {
		return x.askAgent(ctx, m, &plan.Question{Text: "What shall I do?"})
	}
	q := &plan.Question{Text: "Which one do you mean?"}
	for _, a := range x.agents[:min(len(x.agents), plan.MaxListed)] {
		q.Choices = append(q.Choices, a.Alias)
	}
	return x.askAgent(ctx, m, q)
}

// replyWith ends the task with the host's own answer. As long as agents wait in it they are heard again after the
// answer, and the task waits as well: so they can still be answered, and cancelled with it.
func (x *run) replyWith(ctx context.Context, answer []a2a.Part) error {
	if len(x.state.open()) > 0 {
		x.preface = answer
		return x.save(ctx)
	}
	return x.t.Complete(answer...)
}

func (x *run) describeAlias(alias string) string {
	for _, a := range x.agents {
		if a.Alias == alias {
			return a.Describe()
		}
	}
	return alias
}

// takeSteps adds the planner's steps to the task, under ids that are new in it, and shows the plan.
func (x *run) takeSteps(ctx context.Context, m *a2a.Message, d *plan.Decision) error {
	if len(x.state.current())+len(d.Steps) > x.h.opts.MaxSteps {
		return &userError{say: fmt.Sprintf("This would take more than %d steps, which is the limit.",
			x.h.opts.MaxSteps)}
	}
	x.state.forget()
	ids := make(map[string]string)
	for _, s := range d.Steps {
		ids[s.ID] = x.state.number()
	}
	for _, s := range d.Steps {
		after := make([]string, 0, len(s.After))
		for _, id := range s.After {
			after = append(after, cmp.Or(ids[id], id))
		}
		s.ID, s.After = ids[s.ID], after
		x.state.Steps = append(x.state.Steps,
			&step{Step: s, Request: m.ID, State: planned, MessageID: a2a.NewMessageID(), Name: s.Agent})
	}
	if len(d.Steps) > 0 {
		if err := x.showPlan(ctx); err != nil {
			return err
		}
	}
	return x.save(ctx)
}

// showPlan puts the plan into the task's metadata and, of several steps, says it.
func (x *run) showPlan(ctx context.Context) error {
	steps := x.state.current()
	if err := x.warn(ctx, steps); err != nil {
		return err
	}
	if len(x.notices) > 0 && len(x.state.open()) == 0 { // else they go before what the agents ask
		if err := x.t.Working(texts(x.told())...); err != nil {
			return err
		}
	}
	views := make([]plan.Step, len(steps))
	lines := []string{"Plan:"}
	for i, s := range steps {
		views[i] = s.Step
		views[i].Text = plan.Clean(s.Text, plan.MaxShown)
		line := fmt.Sprintf("%s. %s: %s", s.ID, s.Agent, views[i].Text)
		if len(s.After) > 0 {
			line += " (after " + strings.Join(s.After, ", ") + ")"
		}
		lines = append(lines, line)
	}
	if err := x.t.SetMetadata("plan", views); err != nil {
		return err
	}
	if len(steps) == 1 {
		return x.t.Working(a2a.TextPart("→ " + steps[0].Agent))
	}
	parts := texts(strings.Join(lines, "\n"))
	if data, err := a2a.DataPart(map[string]any{"type": "plan", "steps": views}); err == nil &&
		x.t.Accepts("application/json") {
		data.MediaType = "application/json"
		parts = append(parts, data)
	}
	return x.t.Working(parts...)
}

// message returns a message of the user by its id; nil when there is none.
func (x *run) message(id a2a.MessageID) *a2a.Message {
	if m := x.t.Message(); m != nil && m.ID == id {
		return m
	}
	for _, m := range x.t.Task().History {
		if m.ID == id && m.Role == a2a.RoleUser {
			return m
		}
	}
	return nil
}

// textOf returns the text of a message as agent.Turn has it.
func textOf(m *a2a.Message) string {
	var all []string
	for _, p := range m.Parts {
		if text, ok := p.Content.(a2a.Text); ok {
			all = append(all, string(text))
		}
	}
	return strings.Join(all, "\n")
}

func texts(text string) []a2a.Part { return []a2a.Part{a2a.TextPart(text)} }

// cloneMetadata copies metadata, so that a member can be added.
func cloneMetadata(m a2a.Metadata) a2a.Metadata {
	if m == nil {
		return a2a.Metadata{}
	}
	return maps.Clone(m)
}
