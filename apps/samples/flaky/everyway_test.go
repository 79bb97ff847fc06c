// SPDX-License-Identifier: Apache-2.0

package flaky_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func everyWay() wiretest.Sample {
	return wiretest.Sample{Agent: func() agent.Agent { return flaky.New(flaky.Options{}) }, Card: flaky.Card(),
		Wrap: flaky.Service}
}

// The commands do the same in every generation and binding, gRPC too.
func TestEveryWay(t *testing.T) {
	t.Parallel()
	wiretest.Same(t, everyWay(), func(t *testing.T, c *wiretest.Caller) {
		for _, text := range []string{"complete well done", "fail", "fail publicly no luck", "panic", "reject",
			"chunks 2", "help"} {
			c.Say(t, text)
		}
		asked := c.Say(t, "ask which?")
		if got := (outcome{task: c.Send(t,
			wiretest.Answer(asked, a2a.TextPart("this")))}).String(); got != "COMPLETED: You answered: this" {
			t.Error(got)
		}
	})
}

func TestErrorsInEveryWay(t *testing.T) {
	t.Parallel()
	wiretest.Each(t, everyWay(), func(t *testing.T, c *wiretest.Caller) {
		if _, err := c.Do(t, wiretest.Message("error TASK_NOT_FOUND")); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("error: %v", err)
		}
		result, err := c.Do(t, wiretest.Message("reply hello"))
		if m, ok := result.(*a2a.Message); err != nil || !ok || !strings.Contains(m.Text(), "hello") {
			t.Errorf("reply: %v %v", result, err)
		}
	})
}
