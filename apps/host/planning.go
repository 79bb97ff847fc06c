// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// plan asks the planner about the message and follows its decision. If the text begins with an @ and a name that no
// agent has, the host asks whom the user means.
func (r *request) plan(ctx context.Context, text, last string) error {
	if name, rest := plan.UnknownName(text, r.agents); name != "" && len(r.agents) > 0 {
		return r.askWhoIsMeant(ctx, name, rest)
	}
	d, err := r.decide(ctx, text, last)
	if err != nil {
		return err
	}
	return r.follow(ctx, d)
}

// decide asks the planner, when there are agents to plan with.
func (r *request) decide(ctx context.Context, text, last string) (*plan.Decision, error) {
	if len(r.agents) == 0 {
		return nil, r.noAgent()
	}
	s := &plan.Situation{Message: r.m, Text: text, Agents: r.agents, Missing: r.missing, Last: last,
		OutputModes: r.t.OutputModes(), Left: r.state.Used.leaves(r.h.opts.Budget)}
	if r.m.ID == r.state.Request {
		for _, st := range r.state.current() {
			s.Reports = append(s.Reports, st.report())
		}
	}
	var err error
	if s.Open, err = r.waiting(ctx); err != nil {
		return nil, err
	}
	d, err := r.h.opts.Planner.Plan(ctx, s)
	if d != nil {
		r.state.Used.add(d.Used)
	}
	if errors.Is(err, llm.ErrBudget) {
		b := r.h.opts.Budget
		return nil, &userError{cause: err, say: fmt.Sprintf("This request needs more planning than is allowed: "+
			"%d questions to the language model, %d tokens and %s are the limits. The answers that the agents gave "+
			"before that are above.", b.Calls, b.Tokens, b.Time)}
	}
	if err != nil {
		return nil, &userError{cause: err,
			say: `The request could not be planned. Please try again, or name an agent, as in "@Agent ...".`}
	}
	return d, nil
}

// waiting returns the open steps for other messages, and notes those of other tasks.
func (r *request) waiting(ctx context.Context) (open []plan.Report, err error) {
	for _, s := range r.state.open() {
		if s.Request != r.m.ID {
			open = append(open, s.report())
		}
	}
	talk, err := r.conversation(ctx)
	if err != nil {
		return nil, err
	}
	r.elsewhere = make(map[string]*step)
	for i := range talk.Open {
		o := &talk.Open[i]
		mine := slices.ContainsFunc(r.state.Steps,
			func(s *step) bool { return s.Key == o.Step.Key && s.Child == o.Step.Child })
		if o.Task == r.t.TaskID() || mine {
			continue
		}
		report := o.Step.report()
		report.ID = fmt.Sprintf("other-%d", i+1)
		r.elsewhere[report.ID] = &o.Step
		open = append(open, report)
	}
	return open, nil
}

// follow takes over a decision about the message. It returns nil when there are steps to be taken.
func (r *request) follow(ctx context.Context, d *plan.Decision) error {
	if r.state.Request != r.m.ID {
		r.state.Request, r.state.Rounds = r.m.ID, 0
	}
	r.state.Rounds++
	if err := r.withdraw(ctx, d.Cancel); err != nil {
		return err
	}
	switch {
	case d.Question != nil:
		if len(d.Question.Choices) > 0 && len(plan.AllUnreachable(r.agents, nil)) == len(r.agents) {
			return r.noAgent()
		}
		return r.askAgent(ctx, d.Question)
	case d.Answer != nil:
		return r.replyWith(ctx, d.Answer)
	}
	return r.takeSteps(ctx, d)
}

// withdraw cancels the tasks of steps that are no longer wanted, also of other tasks of the conversation.
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

// replyWith ends the task with the host's own answer. While agents wait in it, their questions follow the answer.
func (x *run) replyWith(ctx context.Context, answer []a2a.Part) error {
	if len(x.state.open()) > 0 {
		x.preface = answer
		return x.save(ctx)
	}
	return x.t.Complete(answer...)
}

// takeSteps adds the planner's steps to the task, under ids that are new in it, and shows the plan.
func (r *request) takeSteps(ctx context.Context, d *plan.Decision) error {
	if len(r.state.current())+len(d.Steps) > r.h.opts.MaxSteps {
		return &userError{say: fmt.Sprintf("This would take more than %d steps, which is the limit.",
			r.h.opts.MaxSteps)}
	}
	r.state.forget()
	ids := make(map[string]string)
	for _, s := range d.Steps {
		ids[s.ID] = r.state.number()
	}
	for _, s := range d.Steps {
		after := make([]string, 0, len(s.After))
		for _, id := range s.After {
			after = append(after, cmp.Or(ids[id], id))
		}
		s.ID, s.After = ids[s.ID], after
		r.state.Steps = append(r.state.Steps,
			&step{Step: s, Request: r.m.ID, State: planned, MessageID: a2a.NewMessageID(), Name: s.Agent})
	}
	if len(d.Steps) > 0 {
		if err := r.showPlan(ctx); err != nil {
			return err
		}
	}
	return r.save(ctx)
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
	return x.t.Working(x.withData(strings.Join(lines, "\n"), map[string]any{"type": "plan", "steps": views})...)
}
