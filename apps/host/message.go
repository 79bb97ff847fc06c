// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// A request is a message of the user: an answer to an agent or to the host, or something that is planned.
type request struct {
	*run
	m *a2a.Message
}

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
	r := &request{x, m}
	switch a := x.state.Asked; {
	case !had:
		return r.first(ctx)
	case a != nil:
		x.state.Asked = nil
		return r.resolve(ctx, a)
	}
	return r.reply(ctx)
}

// first deals with the first message of a task. In a conversation in which an agent of another task waits for an
// answer, it may be that answer: clients that keep only the context send it so.
func (r *request) first(ctx context.Context) error {
	talk, err := r.conversation(ctx)
	if err != nil {
		return err
	}
	text, isNew := newRequest(textOf(r.m))
	if len(talk.Open) == 0 || isNew {
		return r.plan(ctx, text, talk.Last)
	}
	open := make([]*step, len(talk.Open))
	for i := range talk.Open {
		open[i] = &talk.Open[i].Step
	}
	if s, say := r.meant(open); s != nil && (s.Form != "" && hasData(r.m) || say != "") {
		r.adopt(s)
		return r.answer(ctx, s, say)
	}
	d, err := r.decide(ctx, text, talk.Last)
	if err != nil {
		return err
	}
	if d.Question == nil || len(d.Question.Choices) == 0 {
		return r.follow(ctx, d)
	}
	r.adopt(open...)
	if len(open) == 1 {
		return r.answer(ctx, open[0], "")
	}
	return r.askWhich(ctx, open)
}

func (r *request) adopt(steps ...*step) {
	for _, s := range steps {
		s.ID, s.After = r.state.number(), nil
		r.state.Steps = append(r.state.Steps, s)
	}
}

// reply deals with a message that answers no question of the host.
func (r *request) reply(ctx context.Context) error {
	open := r.state.open()
	text, isNew := newRequest(textOf(r.m))
	if len(open) == 0 || isNew {
		return r.plan(ctx, text, "")
	}
	if alias, _ := plan.Mentioned(text, r.agents); alias != "" &&
		!slices.ContainsFunc(open, func(s *step) bool { return s.Agent == alias }) {
		return r.plan(ctx, text, "")
	}
	if others, found := r.offTopic(ctx, open); found {
		return r.askWhether(ctx, open, others)
	}
	name, rest := plan.UnknownName(text, r.agents)
	stranger := name != "" && rest != "" // a name alone may be an answer
	if s, say := r.meant(open); s != nil && !stranger {
		return r.answer(ctx, s, say)
	}
	if name != "" {
		r.notices = append(r.notices, r.noSuch(name)+" Your message was not sent to any agent.")
		return r.save(ctx)
	}
	return r.askWhich(ctx, open)
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

// meant returns the only waiting step that the message can answer, and its words if they are not all of the message.
func (r *request) meant(open []*step) (s *step, say string) {
	if alias, rest := plan.Mentioned(textOf(r.m), r.agents); alias != "" {
		if s := only(open, func(s *step) bool { return s.Agent == alias }); s != nil {
			return s, rest
		}
	}
	if len(open) == 1 {
		return open[0], ""
	}
	if id := formID(r.m.Parts); id != "" {
		if s := only(open, func(s *step) bool { return s.Form == id }); s != nil {
			return s, ""
		}
	}
	if hasData(r.m) {
		return only(open, func(s *step) bool { return s.Form != "" }), ""
	}
	return nil, ""
}

func only(steps []*step, fits func(*step) bool) *step {
	at := slices.IndexFunc(steps, fits)
	if at < 0 || slices.ContainsFunc(steps[at+1:], fits) {
		return nil
	}
	return steps[at]
}

func hasData(m *a2a.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p a2a.Part) bool {
		_, data := p.Content.(a2a.Data)
		return data
	})
}

func (r *request) answer(ctx context.Context, s *step, say string) error {
	s.State, s.Answer, s.Say, s.MessageID, s.Request = planned, r.m.ID, say, a2a.NewMessageID(), r.m.ID
	r.state.Request = r.m.ID
	return r.save(ctx)
}

var anotherAgent = regexp.MustCompile(
	`(?i)^\s*(?:please\s+)?(?:ask|tell|use|have|let)\s+(?:the|my|our)\s+\S.{0,40}?\s+agent\b`)

// offTopic reports whether a message to a task that waits may be no answer: it is a request, and by the rules and their
// margin it is, all of it or in part, for an agent that does not wait, or it names an agent that is not there. The user
// is asked then. others are the agents that it would go to.
func (r *request) offTopic(ctx context.Context, open []*step) (others []string, found bool) {
	text := textOf(r.m)
	if alias, _ := plan.Mentioned(text, r.agents); alias != "" {
		return nil, false // it says whom it is for
	}
	if len(plan.Attachments(r.m)) > 0 || !plan.IsRequest(text) {
		return nil, false
	}
	if anotherAgent.MatchString(text) {
		return nil, true
	}
	d, err := r.h.rules.Plan(ctx, &plan.Situation{Message: r.m, Text: text, Agents: r.agents, Missing: r.missing,
		OutputModes: r.t.OutputModes()})
	if err != nil {
		return nil, false
	}
	for _, s := range d.Steps {
		waits := slices.ContainsFunc(open, func(o *step) bool { return o.Agent == s.Agent })
		if !waits && !slices.Contains(others, s.Agent) {
			others = append(others, s.Agent)
		}
	}
	return others, len(others) > 0
}

func (r *request) noSuch(name string) string {
	names, more := r.aliases(), ""
	if n := len(r.agents) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("There is no agent called %q; there are %s%s.", name, strings.Join(names, ", "), more)
}

func (r *request) aliases() (names []string) {
	for _, a := range r.agents[:min(len(r.agents), plan.MaxListed)] {
		names = append(names, a.Alias)
	}
	return names
}

func (x *run) agent(alias string) (a plan.Agent, ok bool) {
	at := slices.IndexFunc(x.agents, func(a plan.Agent) bool { return a.Alias == alias })
	if at < 0 {
		return a, false
	}
	return x.agents[at], true
}

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
