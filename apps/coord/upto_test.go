// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// A stepped store keeps nothing before it is told to, once it is stepped, and fails where it is told so.
type stepped struct {
	*inMemory
	step chan error // nil while it keeps all at once
}

func (s *stepped) Append(ctx context.Context, all []coord.Commit) error {
	if s.step != nil {
		if err := <-s.step; err != nil {
			return err
		}
	}
	return s.inMemory.Append(ctx, all)
}

// A check takes no message that is not known to be kept: one that came while it waited for earlier ones may never have
// been sent.
func TestChecksTakeWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{inMemory: newMemory()}
		h := newHub(t, &coord.HubOptions{Store: s, Logger: quiet})
		register(t, h, "a", "b")
		synctest.Wait()
		s.step = make(chan error)
		tell := func(text string) {
			// what comes of it is not asked
			go h.Do(context.Background(), project, "", coord.Broadcast{Session: "b", Content: text})
			synctest.Wait()
		}
		tell("first")
		got := make(chan string, 1)
		go func() { got <- do(t, h, coord.Check{Session: "a"}) }()
		synctest.Wait()
		tell("second")
		s.step <- nil // the first one is kept, and the check goes on
		synctest.Wait()
		select {
		case messages := <-got:
			if !contains(messages, "first") || contains(messages, "second") {
				t.Error(messages)
			}
		default:
			t.Error("the check waits for what it does not take")
		}
		close(s.step)
	})
}
