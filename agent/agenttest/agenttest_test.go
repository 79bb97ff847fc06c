// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestHarness(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		switch t.Text() {
		case "ask":
			return t.Ask(a2a.TextPart("what?"))
		case "reply":
			return t.Reply(a2a.TextPart("hello"))
		}
		return t.Artifact("echo", a2a.TextPart(t.Text()))
	}), nil)
	first := h.Send("ask")
	if first.State() != a2a.TaskStateInputRequired || first.StatusText() != "what?" || first.Text() != "what?" {
		t.Errorf("first = %s %q", first.State(), first.Text())
	}
	second := h.Reply(first, "this")
	if second.State() != a2a.TaskStateCompleted || second.Text() != "this" || second.Task.ID != first.Task.ID {
		t.Errorf("second = %s %q", second.State(), second.Text())
	}
	if n := len(second.Events); n != 4 { // the task, working, the artifact, completed
		t.Errorf("%d events: %v", n, second.Events)
	}
	third := h.Send("reply")
	if third.Task != nil || third.Text() != "hello" || third.State() != a2a.TaskStateUnspecified {
		t.Errorf("third = %+v", third)
	}
}
