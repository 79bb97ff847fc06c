// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// talker is an agent that is resumable. It writes artifacts until one is refused, asks, or answers, as it is told.
func talker(turns *atomic.Int32) agent.Agent {
	return resumable{func(_ context.Context, t *agent.Turn) error {
		turns.Add(1)
		switch said := t.Message().Text(); {
		case said == "ask":
			return t.Ask(a2a.TextPart("what?"))
		case strings.HasPrefix(said, "write"):
			for range 10_000 {
				if err := t.Artifact("a", a2a.TextPart(strings.Repeat("x", 1000))); err != nil {
					return err
				}
			}
			return errors.New("nothing was refused")
		}
		return t.Complete(a2a.TextPart("done"))
	}}
}

func boundedJournals(t *testing.T) map[string]journal.Journal {
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	kept, err := sql.New(t.Context(), db, &sql.Options{OwnerBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]journal.Journal{"quota": kept, "memory": memory.New(&memory.Options{MaxBytes: 200_000})}
}

// keyed has the task made before its agent runs.
func keyed(req *a2a.SendMessageRequest) *a2a.SendMessageRequest {
	req.IdempotencyKey = "k"
	return req
}

// A turn whose output finds no room ends, and its task has failed and says why. Before, a resumable agent was run again
// at once, for ever.
func TestTurnWithoutRoomFails(t *testing.T) {
	t.Parallel()
	for name, j := range boundedJournals(t) {
		t.Run(name, func(t *testing.T) {
			var turns atomic.Int32
			f := start(t, talker(&turns), &engine.Options{Journal: j})
			task := f.send(keyed(text("write")))
			if task.Status.State != a2a.TaskStateFailed || task.Status.Message == nil {
				t.Fatalf("the task is %+v", task.Status)
			}
			want := map[string]string{"quota": "your tasks may take 100000 bytes", "memory": "no room"}[name]
			if got := task.Status.Message.Text(); !strings.Contains(got, want) {
				t.Errorf("the task says %q, want %q", got, want)
			}
			if n := turns.Load(); n != 1 {
				t.Errorf("the agent ran %d times", n)
			}
			again, err := j.Claim(t.Context(), "next", []string{"test"}, time.Minute, 10)
			if err != nil || len(again) != 0 {
				t.Errorf("the task can be claimed again: %+v, error %v", again, err)
			}
		})
	}
}

func TestQuotaRefusesMessagesOfItsOwnerOnly(t *testing.T) {
	t.Parallel()
	j := boundedJournals(t)["quota"]
	var turns atomic.Int32
	f := start(t, talker(&turns), &engine.Options{Journal: j})
	as := func(owner string) context.Context {
		return a2a.WithCall(t.Context(), &a2a.Call{Identity: a2a.Identity{Subject: owner}})
	}
	f.ctx = as("alice")
	asked := f.send(text("ask"))
	f.send(keyed(text("write")))
	before := turns.Load()
	large := strings.Repeat("y", 100_000)
	for what, req := range map[string]*a2a.SendMessageRequest{
		"a new task": text(large), "a new task, before its agent runs": immediately(text(large)),
		"an answer": to(asked, large),
	} {
		_, err := f.svc.SendMessage(f.ctx, req)
		refused, ok := errors.AsType[*a2a.Error](err)
		if !ok || refused.Kind != a2a.ErrRateLimited || !strings.Contains(refused.PublicMessage(), "100000 bytes") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if n := turns.Load() - before; n != 0 {
		t.Errorf("the agent ran %d times for messages that find no room", n)
	}
	if _, err := f.svc.CancelTask(f.ctx, &a2a.CancelTaskRequest{ID: asked.ID}); err != nil {
		t.Errorf("a task cannot be cancelled: %v", err)
	}

	f.ctx = as("bob")
	if task := f.send(text("hello")); task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("bob's task is %+v", task.Status)
	}
	f.ctx = as("alice")
	if _, err := j.Prune(t.Context(), time.Now().Add(time.Hour), 100); err != nil {
		t.Fatal(err)
	}
	if task := f.send(text("hello")); task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("alice's task is %+v", task.Status)
	}
}

// A task that finds no room is the caller's concern, and a warning with its reason in the log.
func TestRefusedTasksAreAWarning(t *testing.T) {
	t.Parallel()
	for name, j := range boundedJournals(t) {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			f := start(t, fn(func(_ context.Context, t *agent.Turn) error {
				return t.Ask(a2a.TextPart(strings.Repeat("x", 300_000)))
			}), &engine.Options{Journal: withoutRoom{j}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			_, err := f.svc.SendMessage(f.ctx, text("hi"))
			wantKind(t, err, map[string]a2a.Kind{"quota": a2a.ErrRateLimited, "memory": a2a.ErrUnavailable}[name])
			if err := f.e.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := log.String(); strings.Contains(got, "level=ERROR") || strings.Count(got, "level=WARN") != 1 ||
				!strings.Contains(got, "there is no room for a new task") || !strings.Contains(got, "error=") {
				t.Errorf("the log says %s", got)
			}
		})
	}
}

// withoutRoom hides that a journal can tell beforehand whether there is room.
type withoutRoom struct{ journal.Journal }

// TestMessageLargerThanTheJournal sends a message that the journal could not keep: it is refused with the bound, and no
// agent runs.
func TestMessageLargerThanTheJournal(t *testing.T) {
	t.Parallel()
	var turns atomic.Int32
	f := start(t, talker(&turns), &engine.Options{Journal: boundedJournals(t)["memory"]})
	huge := text(strings.Repeat("x", 300_000))
	_, err := f.svc.SendMessage(f.ctx, huge)
	wantKind(t, err, a2a.ErrRateLimited)
	if !strings.Contains(err.Error(), "200000 bytes") {
		t.Errorf("the error does not name the bound: %v", err)
	}
	_, err = f.svc.SendMessage(f.ctx, keyed(huge))
	wantKind(t, err, a2a.ErrUnavailable)
	if n := turns.Load(); n != 0 {
		t.Errorf("the agent ran %d times for messages that are refused", n)
	}
}
