// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// said returns a message of the caller, nil when it is not there any more.
func (t *Turn) said(id a2a.MessageID) *a2a.Message {
	if m := t.Message(); m != nil && m.ID == id {
		return m
	}
	for _, m := range t.Task().History {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// answers reports whether the turn's message is the caller's answer to the question of this delegation. Several may
// have asked at once: the question that the caller saw says whose it is. Where the agent put it into words of its own,
// it is that of the one that asked first.
func (c *courier) answers(ctx context.Context) (bool, error) {
	m := c.t.Message()
	if m == nil || m.ID == c.d.Asked {
		return false, nil
	}
	if name := asker(c.t.Task().History, m.ID); name != "" {
		return name == c.name, nil
	}
	s, err := c.t.loadTaskState(ctx)
	return s.Asking == c.name, err
}

// metaDelegation is the member of a part's metadata that says whose question it is from.
const metaDelegation = "delegation"

// asker returns the delegation that asked the question before a message; "" when no part of that says so.
func asker(history []*a2a.Message, answer a2a.MessageID) string {
	at := slices.IndexFunc(history, func(m *a2a.Message) bool { return m.ID == answer })
	for _, m := range slices.Backward(history[:max(at, 0)]) {
		if m.Role == a2a.RoleAgent {
			return askerOf(m)
		}
	}
	return ""
}

// askerOf returns the delegation that a message asks for; "" when no part of it says so.
func askerOf(m *a2a.Message) (name string) {
	for _, p := range m.Parts {
		if found, err := p.Metadata.Get(metaDelegation, &name); found && err == nil {
			return name
		}
	}
	return ""
}

// marked returns the parts of a question that say whose they are.
func (c *courier) marked(parts []a2a.Part) ([]a2a.Part, error) {
	all := slices.Clone(parts)
	for i := range all {
		all[i].Metadata = maps.Clone(all[i].Metadata)
		if err := all[i].Metadata.Set(metaDelegation, c.name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// conclude makes of a task that has ended, or waits, what Delegate returns.
func (c *courier) conclude(ctx context.Context, task *a2a.Task) (*a2a.Task, error) {
	d, state := c.d, task.Status.State
	d.Message, d.Answer = "", ""
	d.Asks, d.Auth = state.Interrupted(), state == a2a.TaskStateAuthRequired
	switch {
	case state == a2a.TaskStateCompleted:
		d.Done = true
		return task, c.save(ctx)
	case state.Terminal():
		return nil, errors.Join(c.forget(ctx), &DelegateError{Name: c.name, Task: task})
	}
	if m := c.t.Message(); m != nil {
		d.Asked = m.ID
	}
	if err := c.save(ctx); err != nil {
		return nil, err
	}
	asked := []a2a.Part{a2a.TextPart(title(c.name) + " waits for an answer.")}
	if task.Status.Message != nil && len(task.Status.Message.Parts) > 0 {
		asked = task.Status.Message.Parts
	}
	return nil, c.ask(asked)
}

// ask returns the other agent's question to the caller.
func (c *courier) ask(parts []a2a.Part) error {
	asked, err := c.marked(parts)
	if err != nil {
		return err
	}
	if c.d.Auth {
		return c.t.NeedAuth(asked...)
	}
	return c.t.Ask(asked...)
}

// failed makes of a failed call what Delegate returns. When an answer of the caller is out, or the other agent still
// asks, that is the question once more: the task goes on asking, so that nothing the caller filled in ends it.
func (c *courier) failed(ctx context.Context, err error) error {
	if c.d.Answer == "" && !c.d.Asks {
		return c.unreached(err)
	}
	c.d.Asks = true
	m := c.t.Message()
	if m != nil {
		c.d.Asked = m.ID
	}
	if err := c.save(ctx); err != nil {
		return err
	}
	problem := a2a.TextPart(c.problem(err))
	if err := problem.Metadata.Set(metaProblem, true); err != nil {
		return err
	}
	return c.ask(append([]a2a.Part{problem}, c.question(m)...))
}

// metaProblem is the member of a part's metadata that says that it is no question, but why that is asked again.
const metaProblem = "delegationProblem"

// problem says to callers why they are asked again.
func (c *courier) problem(err error) string {
	if passing(err) {
		return title(c.name) + " cannot be reached now. Please answer again later."
	}
	why := ""
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Message != "" && concerns(e) {
		why = ": " + oneLine(e.Message)
	}
	return title(c.name) + " did not take the answer" + why + ". Please answer again."
}

// concerns reports whether an error is about what a message says, so that it is of use to those who wrote the message.
func concerns(e *a2a.Error) bool {
	return slices.Contains([]a2a.Kind{a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrContentTypeNotSupported},
		e.Kind)
}

// question returns what the caller was asked last for this delegation, before m; nothing when the task does not show it
// any more.
func (c *courier) question(m *a2a.Message) []a2a.Part {
	history := c.t.Task().History
	if m != nil {
		if at := slices.IndexFunc(history, func(other *a2a.Message) bool { return other.ID == m.ID }); at >= 0 {
			history = history[:at]
		}
	}
	for _, said := range slices.Backward(history) {
		if said.Role != a2a.RoleAgent || askerOf(said) != c.name {
			continue
		}
		return slices.DeleteFunc(slices.Clone(said.Parts), func(p a2a.Part) bool {
			_, problem := p.Metadata[metaProblem]
			return problem
		})
	}
	return nil
}
