// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// drive takes the steps that can be taken, asks what agents ask, and consults the planner, until the turn ends.
func (x *run) drive(ctx context.Context) error {
	for {
		if err := x.runReady(ctx); err != nil {
			return err
		}
		if err := x.noteOpen(ctx); err != nil {
			return err
		}
		if open := x.state.open(); len(open) > 0 {
			if x.hear(ctx, open) {
				continue
			}
			return x.ask(open)
		}
		more, err := x.consult(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// consult asks the planner whether there is more to do. If not, the error is how the turn ends.
func (x *run) consult(ctx context.Context) (more bool, err error) {
	m := x.message(x.state.Request)
	if m == nil || x.state.Rounds >= x.h.opts.MaxSteps {
		return false, x.finish()
	}
	r := &request{x, m}
	d, err := r.decide(ctx, textOf(m), "")
	if err != nil {
		return false, errors.Join(x.keepAnswers(), err)
	}
	if d.Question == nil && d.Answer == nil && len(d.Steps) == 0 {
		if err := x.withdraw(ctx, d.Cancel); err != nil {
			return false, err
		}
		return false, x.finish()
	}
	if d.Answer != nil || d.Question != nil {
		if err := x.keepAnswers(); err != nil {
			return false, err
		}
	}
	if err := r.follow(ctx, d); err != nil {
		if _, ok := errors.AsType[*userError](err); ok {
			err = errors.Join(x.keepAnswers(), err)
		}
		return false, err
	}
	return len(d.Steps) > 0, nil
}

// keepAnswers makes artifacts of what agents said at the end, as the task's last message is to be the planner's.
func (x *run) keepAnswers() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.state.current() {
		if len(s.closing) == 0 && s.Digest != "" { // said in a turn that was interrupted
			s.closing = texts(s.Digest)
		}
		if err := x.answerAsArtifact(s); err != nil {
			return err
		}
	}
	return nil
}

// runReady takes every step that waits for no other, several at once, until none is left that could be taken.
func (x *run) runReady(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	ended := make(chan struct{})
	active := 0
	for {
		ready := x.ready(x.h.opts.Parallel - active)
		for _, s := range ready {
			active++
			group.Go(func() {
				x.invoke(ctx, s)
				ended <- struct{}{}
			})
		}
		if active == 0 {
			break
		}
		<-ended
		active--
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.showChildren() // those that were skipped
}

// ready returns up to n steps that can be taken now, and skips those that never can.
func (x *run) ready(n int) []*step {
	x.mu.Lock()
	defer x.mu.Unlock()
	var ready []*step
	for _, s := range x.state.Steps {
		if s.State != planned {
			continue
		}
		free := true
		for _, id := range s.After {
			switch before := x.state.step(id); {
			case before == nil || before.State == done:
			case before.State.ended():
				s.State, s.Error = skipped, fmt.Sprintf("step %s (%s) did not succeed", before.ID, before.Agent)
			default:
				free = false
			}
		}
		if free && s.State == planned && len(ready) < n {
			s.State = running
			ready = append(ready, s)
		}
	}
	return ready
}

// childView is what the metadata of the host's task says of the task of an agent.
type childView struct {
	Step      string        `json:"step"`
	Agent     string        `json:"agent"`
	Name      string        `json:"name"`
	TaskID    a2a.TaskID    `json:"taskId,omitzero"`
	ContextID a2a.ContextID `json:"contextId,omitzero"`
	State     stepState     `json:"state"`
	Error     string        `json:"error,omitzero"`
}

// showChildren brings the metadata "children" of the host's task up to date; x.mu is held.
func (x *run) showChildren() error {
	views := make([]childView, 0, len(x.state.Steps))
	for _, s := range x.state.Steps {
		views = append(views, childView{s.ID, s.Agent, s.Name, s.Child, s.Context, s.State, s.Error})
	}
	if slices.Equal(views, x.shown) {
		return nil
	}
	x.shown = views
	return x.t.SetMetadata("children", views)
}

func (x *run) ask(open []*step) error {
	parts, auth := slices.Clone(x.preface), true
	if told := x.told(); told != "" {
		if len(parts) > 0 {
			told += "\n\n"
		}
		parts = slices.Insert(parts, 0, a2a.TextPart(told))
	}
	for _, s := range open {
		if len(open) > 1 || len(parts) > 0 {
			verb := "asks"
			if s.State == authWait {
				verb = "needs an authorization"
			}
			gap := ""
			if len(parts) > 0 {
				gap = "\n\n"
			}
			parts = append(parts, a2a.TextPart(fmt.Sprintf("%s%s %s:\n", gap, s.Agent, verb)))
		}
		question := s.question
		if len(question) == 0 {
			question = texts(cmp.Or(s.Ask, "The "+s.Agent+" waits for input."))
		}
		parts = append(parts, s.provenance(question)...)
		auth = auth && s.State == authWait
	}
	if slices.ContainsFunc(open, func(s *step) bool { // it asks once more when it has just been answered
		return s.State == waiting && s.Answer != "" && s.Answer == x.state.Request
	}) {
		parts = append(parts, a2a.TextPart("\n\n(To ask something else: new: ..., or @NAME ...)"))
	}
	if auth {
		return x.t.NeedAuth(parts...)
	}
	return x.t.Ask(parts...)
}

type origin struct {
	Agent    string         `json:"agent"`
	TaskID   a2a.TaskID     `json:"taskId,omitzero"`
	Artifact a2a.ArtifactID `json:"artifactId,omitzero"`
}

const metaOrigin = "provenance"

// provenance marks parts of an agent as such. Nothing else about them changes.
func (s *step) provenance(parts []a2a.Part) []a2a.Part {
	marked := slices.Clone(parts)
	for i := range marked {
		marked[i].Metadata = maps.Clone(marked[i].Metadata)
		if err := marked[i].Metadata.Set(metaOrigin, origin{Agent: s.Agent, TaskID: s.Child}); err != nil {
			marked[i].Metadata = parts[i].Metadata
		}
	}
	return marked
}

func (x *run) finish() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	steps := x.state.current()
	var bad []*step
	for _, s := range steps {
		if s.State != done && !(s.State == canceled && s.Answer != "") { // what the user withdrew is no failure
			bad = append(bad, s)
		}
	}
	if len(bad) == 0 {
		return x.closing(steps)
	}
	if len(steps) > 1 {
		if err := x.partial(steps); err != nil {
			return err
		}
	}
	if len(steps) == 1 && bad[0].Rejected {
		return agent.Reject(a2a.TextPart(bad[0].failure()))
	}
	back := &userError{unreachable: true}
	var lines []string
	for _, s := range bad {
		lines = append(lines, s.failure())
		back.unreachable = back.unreachable && (s.Lost || s.State == skipped)
	}
	back.say = strings.Join(lines, "\n")
	return back
}

// told returns the notices for the user, once.
func (x *run) told() string {
	lines := strings.Join(x.notices, "\n")
	x.notices = nil
	return lines
}

// closing completes the task, with what the agents said at the end if that is all they said.
func (x *run) closing(steps []*step) error {
	var parts []a2a.Part
	for _, s := range steps {
		if len(steps) == 1 || !s.Relayed {
			parts = append(parts, s.provenance(s.closing)...)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return x.t.Reply(parts...)
}

func (s *step) failure() string {
	what := cmp.Or(s.Error, "it did not say why")
	if s.Lost || s.Rejected {
		return s.Agent + strings.TrimPrefix(what, "it")
	}
	switch s.State {
	case skipped:
		return s.Agent + " was not asked: " + what
	case canceled:
		return s.Agent + " cancelled its task: " + what
	}
	return s.Agent + " failed: " + what
}

// partial adds the artifact that says what was done and what was not; x.mu is held.
func (x *run) partial(steps []*step) error {
	lines := []string{"Not everything could be done."}
	list := make([]map[string]any, 0, len(steps))
	for _, s := range steps {
		line := fmt.Sprintf("%s. %s: ", s.ID, s.Agent)
		if s.State == done {
			line += "done. " + plan.Clean(s.Digest, plan.MaxShown)
		} else {
			line += string(s.State) + ". " + s.Error
		}
		lines = append(lines, strings.TrimSpace(line))
		list = append(list, map[string]any{"step": s.ID, "agent": s.Agent, "state": s.State,
			"text": plan.Clean(s.Text, plan.MaxShown), "answer": plan.Clean(s.Digest, plan.MaxShown), "error": s.Error})
	}
	return x.t.Artifact(PartialResult,
		x.withData(strings.Join(lines, "\n"), map[string]any{"type": "partial-result", "steps": list})...)
}

// PartialResult is the name of the artifact that says what was done when not all could be.
const PartialResult = "partial-result"

func (s *step) report() plan.Report {
	return plan.Report{Step: s.Step, State: taskStates[s.State], Text: cmp.Or(s.Digest, s.Ask), Files: s.Files,
		Error: s.Error}
}

var taskStates = map[stepState]a2a.TaskState{
	planned: a2a.TaskStateSubmitted, skipped: a2a.TaskStateSubmitted, running: a2a.TaskStateWorking,
	waiting: a2a.TaskStateInputRequired, authWait: a2a.TaskStateAuthRequired, done: a2a.TaskStateCompleted,
	failed: a2a.TaskStateFailed, canceled: a2a.TaskStateCanceled,
}
