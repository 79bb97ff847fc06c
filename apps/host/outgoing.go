// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

func (c *child) message(ctx context.Context) (*a2a.SendMessageRequest, error) {
	x, s := c.x, c.s
	parts, from := c.parts(ctx)
	if len(parts) == 0 {
		return nil, errors.New("there is nothing to send to it")
	}
	m := &a2a.Message{ID: s.MessageID, Role: a2a.RoleUser, Parts: parts, TaskID: s.Child,
		ContextID: x.contextOf(ctx, s)}
	if from != nil && (s.Whole || s.Answer != "") {
		m.Metadata, m.Extensions = maps.Clone(from.Metadata), from.Extensions
	}
	if id := m.SkillID(); id != "" {
		a, _ := x.agent(s.Agent)
		if a.Card == nil || !slices.ContainsFunc(a.Card.Skills, func(k a2a.AgentSkill) bool { return k.ID == id }) {
			delete(m.Metadata, "skillId") // it is the host's, not the agent's
		}
	}
	if err := m.Metadata.Set(metaHosts, append(slices.Clone(x.chain), x.h.opts.ID)); err != nil {
		return nil, err
	}
	if s.Child == "" {
		if talk, err := x.conversation(ctx); err == nil && talk.Tasks[s.Key] != "" {
			m.ReferenceTaskIDs = []a2a.TaskID{talk.Tasks[s.Key]}
		}
	}
	req := &a2a.SendMessageRequest{Message: m}
	x.mu.Lock()
	feeds := slices.ContainsFunc(x.state.Steps, func(o *step) bool { return slices.Contains(o.After, s.ID) })
	x.mu.Unlock()
	if modes := x.t.OutputModes(); len(modes) > 0 && !feeds {
		req.Configuration = &a2a.SendConfiguration{AcceptedOutputModes: modes}
	}
	return req, nil
}

// parts returns what is sent for the step, and the user's message that it comes from. A message of the user goes as it
// is; text that the planner made has the values of the steps before in it.
func (c *child) parts(ctx context.Context) ([]a2a.Part, *a2a.Message) {
	x, s := c.x, c.s
	if s.Answer != "" {
		m := x.message(s.Answer)
		switch {
		case m == nil:
			return nil, nil
		case s.Say == "":
			return m.Parts, m
		}
		return append(texts(s.Say), plan.Attachments(m)...), m
	}
	from := x.message(s.Request)
	if s.Whole && from != nil {
		parts := slices.Clone(from.Parts)
		for i, p := range parts {
			if text, ok := p.Content.(a2a.Text); ok {
				said, _ := newRequest(string(text)) // "new:" is for the host
				parts[i].Content = a2a.Text(said)
				break
			}
		}
		return parts, from
	}
	text, extra := s.Text, []a2a.Part(nil)
	for _, id := range s.After {
		x.mu.Lock()
		before := x.state.step(id)
		x.mu.Unlock()
		switch {
		case before == nil || before.State != done:
		case before.Value != nil:
			text = before.Value.Fill(text)
		case plan.Refers(s.Text):
			extra = append(extra, c.passOn(ctx, before)...)
		}
	}
	return slices.Concat(texts(text), extra, c.wanted(plan.Attachments(from))), from
}

// wanted returns the parts that go along with the step: its agent takes them, or it is the only agent.
func (c *child) wanted(parts []a2a.Part) []a2a.Part {
	a, known := c.x.agent(c.s.Agent)
	if len(c.x.state.current()) == 1 {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p a2a.Part) bool { return !known || !a.Takes(p) })
}

// passOn returns the files and data of an earlier step that the agent takes, and else its text.
func (c *child) passOn(ctx context.Context, before *step) []a2a.Part {
	output := before.output
	if output == nil { // it ended before a restart
		if task, err := c.x.look(ctx, before); err == nil {
			for _, a := range task.Artifacts {
				output = append(output, a.Parts...)
			}
		}
	}
	parts := c.wanted(plan.Attachments(&a2a.Message{Parts: output}))
	if len(parts) == 0 && before.Digest != "" {
		parts = texts(fmt.Sprintf("Answer of %s:\n%s", before.Agent, before.Digest))
	}
	return before.provenance(parts)
}
