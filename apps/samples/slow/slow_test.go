// SPDX-License-Identifier: Apache-2.0

package slow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/slow"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shown returns the texts of the working states that a stream showed.
func shown(events []a2a.Event) string {
	var all []string
	add := func(s a2a.TaskStatus) {
		if s.State == a2a.TaskStateWorking && s.Message != nil {
			all = append(all, string(s.Message.Parts[0].Content.(a2a.Text)))
		}
	}
	for _, e := range events {
		switch e := e.(type) {
		case *a2a.Task:
			add(e.Status)
		case *a2a.StatusUpdate:
			add(e.Status)
		}
	}
	return strings.Join(all, ", ")
}

func TestCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := agenttest.New(t, slow.New(slow.Options{}), &agenttest.Options{Card: slow.Card()})
		for text, want := range map[string]time.Duration{
			"count to 3": 3 * time.Second, "Count to 3, every 200ms": 600 * time.Millisecond,
			"3 every 1s":      3 * time.Second,
			"every 0.5s to 3": 1500 * time.Millisecond, "count every 2m to 3": 6 * time.Minute,
		} {
			begun := time.Now()
			r := h.Send(text)
			if got := time.Since(begun); got != want {
				t.Errorf("%q took %v, want %v", text, got, want)
			}
			if r.State() != a2a.TaskStateCompleted || r.Text() != "Counted to 3." ||
				shown(r.Events) != "1 of 3, 2 of 3, 3 of 3" {
				t.Errorf("%q: %v, %q, %q", text, r.State(), r.Text(), shown(r.Events))
			}
		}
	})
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, slow.New(slow.Options{Pause: time.Second}), nil)
	for text, want := range map[string]string{
		"": "How far", "count": "How far", "count to 0": "from 1 to 10000", "count to 10001": "from 1 to 10000",
		"to 123456789":         "from 1 to",
		"count to 5 every 0ms": "How long", "count to 5 every second": "How long",
		"count to 51 every 1m":    "longer than 50m",
		"count to 9 every 99999m": "How long", "count to 10000": "longer than 50m", "1234567890123": "How far",
	} {
		r := h.Send(text)
		if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.Text(), want) {
			t.Errorf("%q: %v %q, want %q", text, r.State(), r.Text(), want)
			continue
		}
		if r = h.Reply(r, "2 every 1ms"); r.State() != a2a.TaskStateCompleted || r.Text() != "Counted to 2." {
			t.Errorf("%q, 2: %v %q", text, r.State(), r.Text())
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, slow.New(slow.Options{}), nil)
	m := &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("count to 50 every 1m")),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	}
	result, err := h.Service.SendMessage(h.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	task, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: result.(*a2a.Task).ID})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("%+v %v", task, err)
	}
}

// stop ends an engine at once, as a crash would.
func stop(t *testing.T, eng *engine.Engine) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := eng.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An engine that is gone takes nothing with it: the next one on the same journal counts on, and no number is left out.
func TestGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	journal := memory.New(nil)
	start := func() (*engine.Engine, a2a.Service) {
		eng, err := engine.New(&engine.Options{Journal: journal})
		if err != nil {
			t.Fatal(err)
		}
		return eng, eng.Agent("slow", slow.New(slow.Options{Pause: time.Millisecond}), nil)
	}
	eng, service := start()
	events, err := service.StreamMessage(t.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("count to 300"))})
	if err != nil {
		t.Fatal(err)
	}
	var id a2a.TaskID
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if task, ok := e.Event.(*a2a.Task); ok {
			id = task.ID
		}
		if strings.HasPrefix(shown([]a2a.Event{e.Event}), "3 of") {
			break
		}
	}
	stop(t, eng)
	eng, service = start()
	defer stop(t, eng)
	history := 1000
	for {
		task, err := service.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id, HistoryLength: &history})
		if err != nil {
			t.Fatal(err)
		}
		if !task.Status.State.Terminal() {
			next, err := service.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: id})
			if err == nil {
				for range next { // to its end
				}
			}
			continue
		}
		said := make(map[string]bool)
		for _, m := range task.History {
			said[string(m.Parts[0].Content.(a2a.Text))] = true
		}
		for i := range 300 {
			if !said[fmt.Sprintf("%d of 300", i+1)] {
				t.Errorf("%d was left out", i+1)
			}
		}
		if task.Status.State != a2a.TaskStateCompleted {
			t.Errorf("state %v: %v", task.Status.State, task.Status.Message)
		}
		return
	}
}
