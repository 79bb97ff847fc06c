// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

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
