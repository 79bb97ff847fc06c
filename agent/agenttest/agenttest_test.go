// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// The answer's stream begins with the task that has taken it: the question is in its history.
	wantEvents(t, second, "task TASK_STATE_WORKING", "artifact echo", "status TASK_STATE_COMPLETED")
	third := h.Send("reply")
	if third.Task != nil || third.Text() != "hello" || third.State() != a2a.TaskStateUnspecified {
		t.Errorf("third = %+v", third)
	}
}

// A Harness refuses an invalid message as a server does, and the agent does not run.
func TestHarnessValidates(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		t.Error("the agent ran")
		return nil
	}), nil)
	for name, m := range map[string]*a2a.Message{"no message": nil, "no parts": a2a.NewMessage(a2a.RoleUser)} {
		req := &a2a.SendMessageRequest{Message: m}
		if _, err := h.Service.SendMessage(h.Context(), req); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%s: SendMessage: got %v, want invalid params", name, err)
		}
		if _, err := h.Service.StreamMessage(h.Context(), req); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%s: StreamMessage: got %v, want invalid params", name, err)
		}
	}
}

func wantEvents(t *testing.T, r *agenttest.Result, want ...string) {
	t.Helper()
	var got []string
	for _, ev := range r.Events {
		switch e := ev.(type) {
		case *a2a.Task:
			got = append(got, "task "+e.Status.State.String())
		case *a2a.StatusUpdate:
			got = append(got, "status "+e.Status.State.String())
		case *a2a.ArtifactUpdate:
			got = append(got, "artifact "+e.Artifact.Name)
		default:
			got = append(got, fmt.Sprintf("%T", e))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("events = %q, want %q", got, want)
	}
}

// A result says in a test's failure what an author has to know.
func TestResultReadsWell(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		data, err := a2a.DataPart(map[string]int{"total": 3})
		if err != nil {
			return err
		}
		switch t.Text() {
		case "ask":
			return t.Ask(a2a.TextPart("Which one?"), data)
		case "reply":
			return t.Reply(a2a.TextPart("hello"))
		}
		if err := t.Working(a2a.TextPart("Adding up")); err != nil {
			return err
		}
		w := t.NewArtifact("sum")
		for _, part := range []a2a.Part{a2a.TextPart("1+2"), a2a.TextPart("=3"), data,
			a2a.RawPart([]byte("abc"), "image/png", "a.png")} {
			if err := w.WritePart(part); err != nil {
				return err
			}
		}
		return nil
	}), nil)
	for text, want := range map[string]string{
		"ask":   `input-required: "Which one?", {"total":3}`,
		"reply": `message: "hello"`,
		"add": "completed\n  working: \"Adding up\"\n" +
			`  artifact "sum": "1+2=3", {"total":3}, 3 bytes image/png a.png`,
	} {
		if got := h.Send(text).String(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
	var sum struct {
		Total int `json:"total"`
	}
	if h.Send("ask").Decode(&sum); sum.Total != 3 {
		t.Errorf("got %d", sum.Total)
	}
	sum.Total = 0
	if err := h.Send("add").Artifact("sum").Decode(&sum); err != nil || sum.Total != 3 {
		t.Errorf("got %d, %v", sum.Total, err)
	}
}
