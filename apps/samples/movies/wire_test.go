// SPDX-License-Identifier: Apache-2.0

package movies_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func sample(o movies.Options) wiretest.Sample {
	return wiretest.Sample{Agent: func() agent.Agent { return movies.New(o) }, Card: movies.Card()}
}

func TestOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Same(t, sample(movies.Options{}), func(t *testing.T, c *wiretest.Caller) {
		for _, example := range movies.Card().Skills[0].Examples {
			wiretest.Want(t, c.Say(t, example), done, "Source: bundled catalogue")
		}
		choice := c.Say(t, "Who directed Dune?")
		c.WantProgress(t, "Looking that up...")
		wiretest.Want(t, choice, asks, "1984")
		answer := c.Send(t, wiretest.Answer(choice, a2a.TextPart("the 2021 one")))
		wiretest.Want(t, answer, done, "Denis Villeneuve")
		wiretest.Want(t, c.Say(t, "Tell me a joke"), a2a.TaskStateRejected, "--llm")
		wiretest.Want(t, c.Send(t, wiretest.InContext(answer, a2a.TextPart("What else has he directed?"))), done,
			"Arrival")
	})
}
