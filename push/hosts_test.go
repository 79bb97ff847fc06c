// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/push"
)

// The answers 429, 502 and 504 put off all configs of the host, any other failure only its own config. Other hosts go
// on.
func TestSlowedHosts(t *testing.T) {
	t.Parallel()
	for status, slowed := range map[int]bool{http.StatusTooManyRequests: true, http.StatusBadGateway: true,
		http.StatusGatewayTimeout: true, http.StatusInternalServerError: false, http.StatusServiceUnavailable: false} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			hook := newWebhook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					w.Header().Set("Retry-After", "3600")
					w.WriteHeader(status)
				}
			})
			b, ctx := newBed(t, push.Options{}), as(t, a2a.Generation10)
			// dueLater reports whether the config of a task waits for about an hour.
			dueLater := func(task *a2a.Task) bool {
				cursors, err := b.journal.Cursors(t.Context(), keyOf(task))
				return err == nil && len(cursors) == 1 && time.Until(cursors[0].Due) > 50*time.Minute
			}
			first := b.send(t, ctx, "1", &a2a.PushConfig{URL: hook.URL})
			eventually(t, func() bool { return dueLater(first) })
			second := b.send(t, ctx, "1", &a2a.PushConfig{URL: hook.URL})
			if slowed {
				eventually(t, func() bool { return dueLater(second) })
			} else {
				hook.until(t, completed)
			}
			other := newWebhook(t, nil)
			b.send(t, ctx, "1", &a2a.PushConfig{URL: other.URL})
			other.until(t, completed)
			if n := len(hook.requests()); slowed && n != 1 {
				t.Errorf("the host got %d requests", n)
			}
		})
	}
}

// A host that hangs with many configs does not keep the workers from other hosts.
func TestHangingHostsDelayNoOther(t *testing.T) {
	t.Parallel()
	const perHost = 2
	release := make(chan struct{})
	hanging := newWebhook(t, func(int, http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	b := newBed(t, push.Options{Workers: perHost + 1, PerHost: perHost, Timeout: time.Minute})
	ctx := as(t, a2a.Generation10)
	for range 50 {
		b.send(t, ctx, "1", &a2a.PushConfig{URL: hanging.URL})
	}
	eventually(t, func() bool { return len(hanging.requests()) == perHost })
	for range 3 {
		quick := newWebhook(t, nil)
		b.send(t, ctx, "20", &a2a.PushConfig{URL: quick.URL})
		quick.until(t, completed)
	}
	if n := len(hanging.requests()); n != perHost {
		t.Errorf("the host that hangs has %d requests", n)
	}
}
