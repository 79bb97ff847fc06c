// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/pgtest"
	"github.com/dragoman-a2a/dragoman/journal"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func keyOf(id string) journal.Key {
	return journal.Key{Scope: journal.Scope{Agent: "a", Tenant: "t\x01", Owner: `o"`}, ID: a2a.TaskID(id)}
}

// heard collects the keys that a waker hears until the test ends.
type heard struct {
	mu   sync.Mutex
	keys map[journal.Key]int
}

func listen(t *testing.T, w *Waker) *heard {
	t.Helper()
	h := &heard{keys: make(map[journal.Key]int)}
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() {
		_ = w.Listen(ctx, func(k journal.Key) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.keys[k]++
		})
	})
	t.Cleanup(func() {
		cancel()
		loop.Wait()
	})
	return h
}

// await tells of a key until it is heard: what is told before somebody listens is lost.
func (h *heard) await(t *testing.T, told func(), keys ...journal.Key) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		told()
		missing := 0
		h.mu.Lock()
		for _, k := range keys {
			if h.keys[k] == 0 {
				missing++
			}
		}
		h.mu.Unlock()
		if missing == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d keys were not heard", missing, len(keys))
		}
		<-tick.C
	}
}

func newWaker(t *testing.T, url string) *Waker {
	t.Helper()
	w, err := NewWaker(url, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func TestNodesHearEachOther(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	a, b := newWaker(t, url), newWaker(t, url)
	h := listen(t, b)
	first := keyOf("first")
	h.await(t, func() { a.Notify(t.Context(), first) }, first)
	var many []journal.Key // more than fit into one notification
	for i := range 500 {
		many = append(many, keyOf(fmt.Sprint("task-", i)))
	}
	a.Notify(t.Context(), many...)
	h.await(t, func() {}, many...)
}

// The server is stopped and started again: afterwards the nodes hear each other as before.
func TestWakerConnectsAgain(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	a, b := newWaker(t, url), newWaker(t, url)
	h := listen(t, b)
	h.await(t, func() { a.Notify(t.Context(), keyOf("before")) }, keyOf("before"))
	server.Down(syscall.SIGINT)
	a.Notify(t.Context(), keyOf("meanwhile"))
	if err := server.Up(); err != nil {
		t.Fatal(err)
	}
	h.await(t, func() { a.Notify(t.Context(), keyOf("after")) }, keyOf("after"))
}

func TestPack(t *testing.T) {
	t.Parallel()
	keys := map[journal.Key]bool{keyOf(strings.Repeat("x", maxPayload)): true}
	if p := pack(keys); p != nil {
		t.Errorf("a key that is too long gives %d notifications", len(p))
	}
	clear(keys)
	for i := range 1000 {
		keys[keyOf(fmt.Sprint(i, strings.Repeat("\"", i%50)))] = true
	}
	got := make(map[journal.Key]bool)
	for _, p := range pack(keys) {
		if len(p) > maxPayload {
			t.Errorf("a notification has %d bytes", len(p))
		}
		for _, k := range unpack(p) {
			got[k] = true
		}
	}
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	for _, p := range []string{"", "x", "{}", "[1]"} {
		if keys := unpack(p); keys != nil {
			t.Errorf("%q gives %v", p, keys)
		}
	}
}
