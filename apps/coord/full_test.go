// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// A counted log counts its lines.
type counted struct{ lines atomic.Int32 }

func (c *counted) Write(b []byte) (int, error) {
	c.lines.Add(int32(strings.Count(string(b), "\n")))
	return len(b), nil
}

// A store that keeps nothing any more, on a disk that is full, is asked again less and less often, while those who read
// learn of it and those who watch are there; the log says it once, and all goes on when there is room again.
func TestStoreStaysFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		var loads atomic.Int32
		var log counted
		s := &faulty{
			Store: newMemory(),
			before: func([]coord.Commit) error {
				if full.Load() {
					return errDisk
				}
				return nil
			},
			load: func(context.Context) error {
				loads.Add(1)
				return nil
			},
		}
		h := newHub(t, &coord.HubOptions{Store: s, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			EventRetention: -1})
		register(t, h, "a", "b")
		do(t, h, lock("a", "x"))
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			c := lock("b", "x")
			c.Wait = coord.MaxWait
			h.Do(context.Background(), project, "", c) // it is told that it waits no longer
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := make(chan string, 10)
		wg.Go(func() {
			for e, err := range h.Events(ctx, project, 0) {
				if err != nil {
					t.Error(err)
				}
				if e.Todo != nil {
					seen <- e.Todo.Text
				}
			}
		})
		synctest.Wait()

		full.Store(true)
		add := coord.AddTodo{Session: "a", Item: "write"}
		if _, err := h.Do(t.Context(), project, "", add); !errors.Is(err, coord.ErrNotKept) {
			t.Error(err)
		}
		before := loads.Load()
		for range 60 {
			if _, err := h.Do(t.Context(), project, "", coord.ListAgents{}); !errors.Is(err, coord.ErrNotKept) {
				t.Error(err)
			}
			if _, err := h.Last(t.Context(), project); !errors.Is(err, coord.ErrNotKept) {
				t.Error(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if n := loads.Load() - before; n < 3 || n > 20 {
			t.Errorf("it was loaded %d times in a minute", n)
		}
		if n := log.lines.Load(); n != 1 {
			t.Errorf("the log has %d lines", n)
		}

		full.Store(false)
		time.Sleep(10 * time.Second)
		if got := do(t, h, add); status(t, got) != "added" {
			t.Error(got)
		}
		if got := <-seen; got != "write" {
			t.Error(got)
		}
	})
}

// Changes by time alone, such as the end of a lease, are also tried less and less often while nothing can be stored.
func TestStoreStaysFullForTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		var tried atomic.Int32
		var log counted
		s := &faulty{Store: newMemory(), before: func([]coord.Commit) error {
			if !full.Load() {
				return nil
			}
			tried.Add(1)
			return errDisk
		}}
		h := newHub(t, &coord.HubOptions{Store: s, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			EventRetention: -1})
		register(t, h, "a")
		c := lock("a", "x")
		c.TTL = 5 * time.Second
		do(t, h, c)
		var wg sync.WaitGroup
		defer wg.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wg.Go(func() {
			for range h.Events(ctx, project, 0) {
				continue // it keeps the project in memory
			}
		})
		full.Store(true)
		time.Sleep(time.Minute)
		if n := tried.Load(); n < 3 || n > 40 { // each time with others, and alone
			t.Errorf("it was tried %d times in a minute", n)
		}
		if n := log.lines.Load(); n != 1 {
			t.Errorf("the log has %d lines", n)
		}
		full.Store(false)
		time.Sleep(15 * time.Second)
		if got := do(t, h, coord.ListLocks{}); contains(got, `"session":"a"`) {
			t.Errorf("the lease is still there: %s", got)
		}
	})
}
