// SPDX-License-Identifier: Apache-2.0

// Package hello is the smallest sample agent: it greets whoever writes to it.
package hello

import (
	"context"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// ArtifactName is the name of the artifact that carries the greeting.
const ArtifactName = "greeting"

// Options configure the agent.
type Options struct {
	// Reply answers with a message and makes no task. False: a completed task with one artifact.
	Reply bool
}

// New returns the hello agent. It says "Hello, <text>!", and "Hello, World!" to a message without text.
func New(o Options) agent.Agent {
	return agent.Func(func(_ context.Context, t *agent.Turn) error {
		part := a2a.TextPart(greeting(t.Text()))
		if o.Reply {
			return t.Reply(part)
		}
		return t.Artifact(ArtifactName, part)
	})
}

func greeting(text string) string {
	name := strings.TrimSpace(text)
	if name == "" {
		name = "World"
	}
	return "Hello, " + name + "!"
}

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Hello Agent",
		Description:        "Greets whoever writes to it",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID:          "hello",
			Name:        "Hello",
			Description: "Says hello to the name in the message, or to the world",
			Tags:        []string{"greeting", "example"},
			Examples:    []string{"Ada"},
		}},
	}
}
