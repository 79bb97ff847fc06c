// SPDX-License-Identifier: Apache-2.0

package images_test

import (
	"bytes"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	wiretest.Providers(t, wiretest.Engine{
		Sample: func(m llm.Model) wiretest.Sample {
			return wiretest.Sample{Agent: func() agent.Agent { return images.New(images.Options{Model: m}) },
				Card: images.Card()}
		},
		Opening: func() *a2a.Message { return wiretest.Message("a cat, 64x64") },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			first := c.Say(t, "a rabbit on a meadow, 128x128")
			_, rabbit := pictureOf(t, first)
			_, red := pictureOf(t, c.Send(t, wiretest.InContext(first, a2a.TextPart("make it red"))))
			if bytes.Equal(rabbit, red) {
				t.Error("nothing has changed")
			}
			wiretest.Want(t, c.Say(t, "make it red"), a2a.TaskStateInputRequired, "")
			wiretest.Want(t, c.Say(t, "draw something"), a2a.TaskStateInputRequired, "")
		},
		Thinks:  think,
		Down:    wiretest.Outcome{State: a2a.TaskStateFailed, Text: "could not be asked"},
		Busy:    wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: a2a.TaskStateRejected, Text: "refuses"},
	})
}
