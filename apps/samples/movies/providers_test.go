// SPDX-License-Identifier: Apache-2.0

package movies_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	lines := append(dialogues["a title of several films"], dialogues["compare"]...)
	down := wiretest.Outcome{State: a2a.TaskStateFailed, Text: "The language model could not be asked."}
	wiretest.Providers(t, wiretest.Engine{
		Sample:  func(m llm.Model) wiretest.Sample { return sample(movies.Options{Model: m}) },
		Opening: func() *a2a.Message { return wiretest.Message("Alien?") },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			var last *a2a.Task
			for _, l := range lines {
				m := wiretest.Message(l.say)
				switch {
				case last == nil:
				case last.Status.State == asks:
					m = wiretest.Answer(last, m.Parts...)
				default:
					m = wiretest.InContext(last, m.Parts...)
				}
				last = c.Send(t, m)
				c.WantProgress(t, "Looking that up...")
				for _, want := range l.want {
					wiretest.Want(t, last, l.state, want)
				}
			}
		},
		Thinks: func(_ *testing.T, r *llmtest.Request) llmtest.Step { return think(lines, r) },
		Down:   down, Busy: wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: done, Text: "Sorry, I only know about movies"},
	})
}
