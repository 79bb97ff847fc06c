// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// slowEvents reads events when it is let: each read says that it has begun.
type slowEvents struct {
	coord.Store
	begun, let chan struct{}
}

func (s *slowEvents) Events(ctx context.Context, project string, after int64, limit int) ([]coord.Event, error) {
	s.begun <- struct{}{}
	<-s.let
	return s.Store.Events(ctx, project, after, limit)
}

// While the store is read for a follower its project may be deleted, and another one of the name begin: of that the
// follower sees nothing before it has learned of the end.
func TestDeletionWhileEventsAreRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := newMemory()
		h := coord.NewHub(&coord.HubOptions{Store: kept, Logger: quiet, EventRetention: -1})
		for i := range 5 {
			do(t, h, coord.AddTodo{Session: "old", Item: fmt.Sprint(i)})
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		slow := &slowEvents{kept, make(chan struct{}), make(chan struct{})}
		h = newHub(t, &coord.HubOptions{Store: slow, Logger: quiet, EventRetention: -1})
		var wg sync.WaitGroup
		wg.Go(func() {
			for e, err := range h.Events(t.Context(), project, 2) {
				if err != nil || e.Kind != coord.KindEnded || e.Seq != 3 {
					t.Errorf("%+v, %v", e, err)
				}
				break
			}
		})
		<-slow.begun
		remove(t, h, true)
		for i := range 5 {
			do(t, h, coord.AddTodo{Session: "new", Item: fmt.Sprint(i)})
		}
		close(slow.let)
		wg.Wait()
	})
}

// meanwhile is a context that has something done when it is first waited for, which is while the newest event is looked
// for.
type meanwhile struct {
	context.Context
	first *sync.Once
	act   func()
}

func (c meanwhile) Done() <-chan struct{} {
	c.first.Do(c.act)
	return c.Context.Done()
}

// What became of a query of a project that is deleted while it is looked for is not known, and nobody waits for it.
func TestDeletionWhileAnOutcomeIsLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{Store: newMemory(), Logger: quiet, EventRetention: -1})
		register(t, h, "a")
		before := asked(t, h, "r")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, _, err := h.Outcome(meanwhile{ctx, new(sync.Once), func() { remove(t, h, true) }}, project, "r", before)
		if !errors.Is(err, coord.ErrDeleted) {
			t.Error(err)
		}
	})
}
