// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// TestTheLastEventSaysSo has a silent stream behind more events than a reader takes at once, the very last of which no
// stream shows: a server that waited for it would keep back what it has collected.
func TestTheLastEventSaysSo(t *testing.T) {
	t.Parallel()
	for _, chunks := range []int{63, 64, 65, 128, 200} {
		synctest.Test(t, func(t *testing.T) {
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				w := t.NewArtifact("numbers")
				for range chunks {
					w.WriteString("x")
				}
				t.SetMetadata("k", 1)
				<-ctx.Done()
				return ctx.Err()
			}), nil)
			task := f.send(immediately(text("hi")))
			synctest.Wait()
			ctx, cancel := context.WithCancel(f.ctx)
			defer cancel()
			events, err := f.svc.Subscribe(ctx, &a2a.SubscribeRequest{ID: task.ID, After: "1"})
			if err != nil {
				t.Fatal(err)
			}
			n, more := 0, true
			done := make(chan struct{})
			go func() {
				defer close(done)
				for ev, err := range events {
					if err != nil {
						return
					}
					n, more = n+1, ev.More()
				}
			}()
			synctest.Wait()
			if n != chunks || more {
				t.Errorf("%d events came, want %d; the last says that more follow at once: %v", n, chunks, more)
			}
			cancel()
			<-done
		})
	}
}
