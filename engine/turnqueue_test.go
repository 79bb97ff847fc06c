// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// remote returns the fixture of a caller over the network.
func (f *fixture) remote(subject string) *fixture {
	g := *f
	g.ctx = a2a.WithCall(f.ctx, &a2a.Call{Identity: a2a.Identity{Subject: subject}, Binding: a2a.BindingJSONRPC})
	return &g
}

// busy is an agent whose turns take a minute, and that counts those that run at once.
func busy(now, most *atomic.Int32) agent.Agent {
	return fn(func(ctx context.Context, t *agent.Turn) error {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		select {
		case <-time.After(time.Minute):
			return t.Complete(part("done"))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
}

// A caller with a thousand turns does not delay those of others.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		places int
		atOnce int32
		took   time.Duration // the turn of another caller
		all    time.Duration // of the thousand turns and the one
	}{
		"a quarter is left for others":       {8, 7, time.Minute, 167 * time.Minute},
		"of two places, others get the next": {2, 2, 2 * time.Minute, 501 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var now, most atomic.Int32
				f := start(t, busy(&now, &most), &engine.Options{MaxTurns: c.places, TurnLimit: 90 * time.Second})
				began := time.Now()
				var last *a2a.Task
				for range 1000 {
					last = f.remote("eve").send(immediately(text("hi")))
				}
				synctest.Wait()
				wantState(t, last, a2a.TaskStateSubmitted)
				wantState(t, f.remote("ann").send(text("hi")), a2a.TaskStateCompleted)
				if took := time.Since(began); took != c.took {
					t.Errorf("the turn of another caller took %v, want %v", took, c.took)
				}
				for now.Load() > 0 {
					time.Sleep(time.Minute)
					synctest.Wait()
				}
				wantState(t, f.remote("eve").get(last.ID), a2a.TaskStateCompleted)
				if all := time.Since(began); all != c.all || most.Load() != c.atOnce {
					t.Errorf("all took %v with %d turns at once; want %v with %d", all, most.Load(), c.all, c.atOnce)
				}
			})
		})
	}
}

// A turn that waits has a task, which can be seen and cancelled; its agent never runs.
func TestWaitingTurnIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		f := start(t, busy(&now, &most), &engine.Options{MaxTurns: 1}).remote("ann")
		first := f.send(immediately(text("hi")))
		synctest.Wait()
		stream := f.stream(text("hi")) // is not asked to exist first
		event, err, ok := stream.next()
		waits, isTask := event.Event.(*a2a.Task)
		if !ok || err != nil || !isTask {
			t.Fatalf("%+v, %v", event, err)
		}
		wantState(t, waits, a2a.TaskStateSubmitted)
		if _, err := f.svc.CancelTask(f.ctx, &a2a.CancelTaskRequest{ID: waits.ID}); err != nil {
			t.Fatal(err)
		}
		wantState(t, f.get(waits.ID), a2a.TaskStateCanceled)
		time.Sleep(time.Minute + time.Second)
		wantState(t, f.get(first.ID), a2a.TaskStateCompleted)
		wantState(t, f.send(text("hi")), a2a.TaskStateCompleted) // the place is free
		if most.Load() != 1 {
			t.Errorf("%d turns ran at once", most.Load())
		}
	})
}

// An agent that delegates to one of the same engine waits for it, and must not wait for its own place.
func TestDelegationNeedsNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f *fixture
		f = start(t, fn(func(ctx context.Context, turn *agent.Turn) error {
			if turn.Message().Text() == "work" {
				return turn.Complete(part("done"))
			}
			_, err := f.svc.SendMessage(a2a.WithCall(ctx, &a2a.Call{}), text("work"))
			return err
		}), &engine.Options{MaxTurns: 1})
		wantState(t, f.remote("ann").send(text("delegate")), a2a.TaskStateCompleted)
	})
}

// What waits is bounded, for each caller and for all.
func TestWaitingTurnsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		f := start(t, busy(&now, &most), &engine.Options{MaxTurns: 1})
		for _, c := range []struct {
			subject string
			n       int
			kind    a2a.Kind
		}{{"eve", 7501, a2a.ErrRateLimited}, {"mallory", 2500, a2a.ErrUnavailable}} {
			caller := f.remote(c.subject)
			for range c.n {
				caller.send(immediately(text("hi")))
				synctest.Wait()
			}
			_, err := caller.svc.SendMessage(caller.ctx, text("hi"))
			if e := a2a.AsError(err); !errors.Is(err, c.kind) || e.RetryAfter == 0 {
				t.Errorf("%s, after %d messages: %v, want %v", c.subject, c.n, err, c.kind)
			}
		}
	})
}

func TestMaxTurnsIsChecked(t *testing.T) {
	t.Parallel()
	if _, err := engine.New(&engine.Options{MaxTurns: -1}); err == nil {
		t.Error("-1 is taken")
	}
}
