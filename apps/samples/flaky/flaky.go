// SPDX-License-Identifier: Apache-2.0

// Package flaky is a sample agent that does what it is told, above all what goes wrong: each state of a task, each way
// in which an agent can fail or linger, and each error of the protocol. It is there to test clients with.
//
//	commands.go  the commands, and what each does
//	service.go   errors of the protocol, which no agent can make: a Service that stands in front of the agent
package flaky

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// ArtifactName is the name of the artifact that carries a result.
const ArtifactName = "result"

// Options configure the agent. There is nothing to configure yet.
type Options struct{}

// New returns the flaky agent. A message is a command, such as "fail publicly no luck today". The agent answers other
// messages with the list of commands. An answer to the agent's question need not be a command.
//
// Protocol errors are made by [Service], which has to stand in front of the agent.
func New(Options) agent.Agent { return flaky{} }

// flaky implements [agent.Agent] and [agent.Canceler].
type flaky struct{}

// A memory is what is kept of a task between its turns.
type memory struct {
	Waits bool `json:"waits"` // the task was left with a question, or suspended
}

// Run does what the message says.
func (flaky) Run(ctx context.Context, t *agent.Turn) error {
	var m memory
	if _, err := t.LoadTask(ctx, &m); err != nil {
		return fmt.Errorf("load the task's state: %w", err)
	}
	waited := m.Waits
	if waited {
		if err := t.SaveTask(ctx, memory{}); err != nil {
			return err
		}
	}
	if t.Message() == nil {
		return finish(t, "The time has come.")
	}
	text := strings.TrimSpace(t.Text())
	cmd, rest := find(text)
	switch {
	case cmd != nil:
		return cmd.run(ctx, t, rest)
	case waited:
		return finish(t, "You answered: "+text)
	}
	return finish(t, help())
}

// Cancel refuses while "refuse cancel" is at work. It goes by what the client said last, which is known from the first
// moment of the task on.
func (flaky) Cancel(_ context.Context, t *agent.Turn) error {
	for _, m := range slices.Backward(t.Task().History) {
		if m.Role != a2a.RoleUser {
			continue
		}
		if cmd, _ := find(strings.TrimSpace(m.Text())); cmd != nil && cmd.words == refuseCancelWords {
			return agent.NotCancelable
		}
		return nil
	}
	return nil
}

func finish(t *agent.Turn, text string) error { return t.Artifact(ArtifactName, a2a.TextPart(text)) }

// Card describes the agent: one skill for each family of commands. Interfaces and capabilities are left to the server
// that serves it.
func Card() *a2a.AgentCard {
	card := &a2a.AgentCard{
		Name: "Flaky Agent",
		Description: "Does what it is told, above all what goes wrong: every state of a task and every error, " +
			"to test clients with",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
	}
	for _, f := range families {
		skill := a2a.AgentSkill{ID: f.id, Name: f.name, Description: f.what, Tags: []string{"testing", f.id}}
		for _, c := range f.commands {
			skill.Examples = append(skill.Examples, strings.TrimSpace(c.words+" "+c.try))
		}
		card.Skills = append(card.Skills, skill)
	}
	return card
}
