// SPDX-License-Identifier: Apache-2.0

package coder_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

// The model of a coder writes files in fences; what it looks up before, it looks up with a tool.
func TestProviders(t *testing.T) {
	t.Parallel()
	wiretest.Providers(t, wiretest.Engine{
		Sample: func(m llm.Model) wiretest.Sample {
			o := coder.Options{Model: m, Tools: []llm.Tool{lookUp}}
			return wiretest.Sample{Agent: func() agent.Agent { return coder.New(o) }, Card: coder.Card()}
		},
		Opening: func() *a2a.Message { return wiretest.Message("a compiler in Go") },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			code := c.Say(t, "fibonacci in Go")
			wiretest.Want(t, code, a2a.TaskStateCompleted, "func ")
			c.WantProgress(t, "Using look_up...")
			wiretest.Want(t, c.Send(t, wiretest.InContext(code, a2a.TextPart("add tests"))), a2a.TaskStateCompleted,
				"func Test")
			wiretest.Want(t, c.Say(t, "write a program"), a2a.TaskStateInputRequired, "")
		},
		Thinks: func(t *testing.T, r *llmtest.Request) llmtest.Step {
			if len(r.Results()) == 0 {
				return llmtest.Step{Text: "Let me look.",
					Calls: []llmtest.Call{{Name: "look_up", Args: `{"name":"add"}`}}}
			}
			return think(r)
		},
		Down:    wiretest.Outcome{State: a2a.TaskStateFailed, Text: "could not be asked"},
		Busy:    wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: a2a.TaskStateRejected, Text: "refuses"},
	})
}
