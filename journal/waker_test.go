// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/dragoman-a2a/dragoman/journal"
)

func TestLocalWaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w journal.LocalWaker
		w.Notify(t.Context(), journal.Key{ID: "nobody listens"})
		ctx, cancel := context.WithCancel(t.Context())
		heard := make(chan journal.Key, 10)
		var errs [2]error
		for i := range errs {
			go func() { errs[i] = w.Listen(ctx, func(k journal.Key) { heard <- k }) }()
		}
		synctest.Wait()
		w.Notify(t.Context(), journal.Key{ID: "a"}, journal.Key{ID: "b"})
		if n := len(heard); n != 4 {
			t.Errorf("heard %d, want 4", n)
		}
		cancel()
		synctest.Wait()
		w.Notify(t.Context(), journal.Key{ID: "c"})
		if n := len(heard); n != 4 || errs[0] != context.Canceled || errs[1] != context.Canceled {
			t.Errorf("after the end: heard %d, errors %v", n, errs)
		}
	})
}
