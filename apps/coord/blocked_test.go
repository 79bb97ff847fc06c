// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// No lock is held while the store writes, and none while a call waits: as long as what happens in one project is on its
// way to the store, calls of others that need no commit are answered at once; those of the project itself have their
// effect at once, in order, and wait for nothing but what they would tell of; who gives up goes at once; and heartbeats
// count.
func TestNoLockIsHeldWhileTheStoreWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &held{Store: newMemory(), asked: make(chan struct{}, 1)}
		h := newHub(t, &coord.HubOptions{Store: s, Logger: quiet, EventRetention: -1})
		register(t, h, "a", "b")
		const other = "other"
		in := func(ctx context.Context, id string, c coord.Command) (coord.Result, error) {
			return h.Do(ctx, id, "", c)
		}
		if _, err := in(t.Context(), other, coord.Register{Session: "c", TaskID: "1"}); err != nil {
			t.Fatal(err)
		}
		free := s.hold()
		var wg sync.WaitGroup
		wg.Go(func() {
			if got := do(t, h, lock("a", "x")); status(t, got) != "locked" {
				t.Error(got)
			}
		})
		<-s.asked // and it hangs there
		begun := time.Now()
		atOnce := func(what string, call func(ctx context.Context) error) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := call(ctx); err != nil || time.Since(begun) > 0 {
				t.Errorf("%s: %v after %v", what, err, time.Since(begun))
			}
		}
		for what, c := range map[string]coord.Command{
			"a sign of life": coord.Heartbeat{Session: "c"}, "agents": coord.ListAgents{}, "locks": coord.ListLocks{},
			"to-dos":   coord.AllTodos{},
			"an inbox": coord.Check{Session: "c", Peek: true}, "conflicts": coord.Conflicts{Paths: []string{"x"}},
		} {
			atOnce(what+" of another project", func(ctx context.Context) error {
				result, err := in(ctx, other, c)
				if f, bad := result.(coord.Failure); bad {
					t.Errorf("%+v", f)
				}
				return err
			})
			atOnce(what+" of one that is new", func(ctx context.Context) error {
				_, err := in(ctx, "new", c)
				return err
			})
		}
		atOnce("what waits for an agent of the project", func(ctx context.Context) error {
			_, _, err := h.Note(ctx, project, "a")
			return err
		})
		atOnce("a connection", func(context.Context) error {
			h.Connect(project, "a")()
			h.Listen(project, "a", "")()
			return nil
		})
		atOnce("the names of projects", func(ctx context.Context) error {
			_, err := h.Projects(ctx)
			return err
		})
		atOnce("the newest event of another project", func(ctx context.Context) error {
			_, err := h.Last(ctx, other)
			return err
		})
		for _, c := range []coord.Command{coord.ListLocks{}, coord.Heartbeat{Session: "b"}, coord.Check{Session: "b"}} {
			atOnce("giving up", func(ctx context.Context) error {
				ctx, cancel := context.WithCancel(ctx)
				go func() {
					synctest.Wait()
					cancel()
				}()
				if _, err := in(ctx, project, c); !errors.Is(err, context.Canceled) {
					t.Errorf("%T: %v", c, err)
				}
				return nil
			})
		}
		wg.Go(func() {
			// the first one has it, though nobody knows yet
			if got := do(t, h, lock("b", "x")); status(t, got) != "conflict" {
				t.Error(got)
			}
		})
		synctest.Wait()
		lives := make(chan struct{})
		wg.Go(func() { // b shows that it lives for longer than the dead do, though it gets no answer
			defer close(lives)
			for range 5 {
				time.Sleep(coord.DefaultSessionTimeout / 2)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				in(ctx, project, coord.Heartbeat{Session: "b"}) // no answer before the lease is kept
				cancel()
			}
		})
		<-lives
		free()
		wg.Wait()
		if got := do(t, h, coord.ListAgents{}); !contains(got, `"b"`) || contains(got, `"a"`) {
			t.Errorf("b was heard of all the time and a was not: %s", got)
		}
	})
}

// Those who wait in a project, for a lease or an answer, keep nobody from working in it.
func TestNoLockIsHeldWhileACallWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{Store: newMemory(), Logger: quiet, EventRetention: -1})
		register(t, h, "a", "b", "c")
		do(t, h, lock("a", "x"))
		var wg sync.WaitGroup
		wg.Go(func() {
			c := lock("b", "x")
			c.Wait = time.Minute
			if got := do(t, h, c); status(t, got) != "locked" {
				t.Error(got)
			}
		})
		wg.Go(func() {
			if got := do(t, h, coord.Ask{From: "c", To: "a", Query: "?", Wait: true, Timeout: time.Minute}); status(t,
				got) != "received" {
				t.Error(got)
			}
		})
		synctest.Wait()
		begun := time.Now()
		asked, err := h.Do(t.Context(), project, "", coord.Check{Session: "a"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []coord.Command{
			coord.Heartbeat{Session: "a"}, coord.ListWaits{}, coord.AddTodo{Session: "c", Item: "t"}, lock("c", "y"),
			coord.Respond{From: "a", MessageID: asked.([]any)[0].(coord.MessageInfo).ID, Response: "!"},
			coord.Release{Session: "a", Path: "x"},
		} {
			do(t, h, c)
		}
		wg.Wait()
		if took := time.Since(begun); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}
