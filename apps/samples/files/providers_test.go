// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	const vague, clear, story = "What is it like?", "average of price by city", "Who is in it?"
	down := wiretest.Outcome{State: a2a.TaskStateFailed, Text: "The language model could not be asked."}
	wiretest.Providers(t, wiretest.Engine{
		Sample: func(m llm.Model) wiretest.Sample {
			return wiretest.Sample{Agent: func() agent.Agent { return files.New(files.Options{Model: m}) },
				Card: files.Card()}
		},
		Opening: func() *a2a.Message { return message("what is it?", csvFile) },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			wiretest.Want(t, c.Send(t, message(clear, csvFile)), a2a.TaskStateCompleted, "Bergen")
			asked := c.Send(t, message(vague, csvFile))
			wiretest.Want(t, asked, a2a.TaskStateInputRequired, "Which year do you mean?")
			wiretest.Want(t, c.Send(t, wiretest.Answer(asked, a2a.TextPart(clear))), a2a.TaskStateCompleted, "12.5")
			text := a2a.RawPart([]byte("The cat saw the dog."), "text/plain", "story.txt")
			wiretest.Want(t, c.Send(t, message(story, text)), a2a.TaskStateCompleted, "A cat and a dog.")
		},
		Thinks: func(t *testing.T, r *llmtest.Request) llmtest.Step {
			switch r.LastUser() {
			case clear:
				return query(`{"operation":"mean","column":"price","by":"city"}`)
			case vague:
				return llmtest.Text("Which year do you mean?")
			case story:
				return llmtest.Text("A cat and a dog.")
			}
			t.Errorf("nobody said %q", r.LastUser())
			return llmtest.Text("")
		},
		Down: down, Busy: wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: a2a.TaskStateInputRequired, Text: "does not answer that"},
	})
}
