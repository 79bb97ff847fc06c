// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// filled returns a registry that has n agents, each of which is due now.
func filled(tb testing.TB, n int) *Registry {
	tb.Helper()
	ctx := context.Background()
	db, err := sqlite.Open(ctx, tb.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	g, err := New(ctx, db, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { g.Close() })
	topics := []string{"currencies", "pictures", "films", "expenses", "code", "weather", "flights"}
	for first := 0; first < n; first += 500 {
		err := db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			for i := first; i < min(first+500, n); i++ {
				topic := topics[i%len(topics)]
				raw := fmt.Appendf(nil, `{"name": "Agent %d", "description": "Knows all about %s in the town of %d",
					"supportedInterfaces": [{"url": "http://127.0.0.1:1/%d", "protocolBinding": "JSONRPC",
					"protocolVersion": "1.0"}],
					"skills": [{"id": "s", "name": "Talk of %s", "description": "Answers questions",
					"tags": ["%s"]}]}`, i, topic, i/10, i, topic, topic)
				c, err := card.Decode(raw)
				if err != nil {
					return err
				}
				s := &sight{at: time.UnixMilli(1)}
				s.take(c, raw)
				if _, _, err := g.put(ctx, tx, &target{identity: identityOf(c), given: c}, "", s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return g
}

// Several processes may probe the agents of one database; none is given to two of them at a time.
func TestClaimsAreExclusive(t *testing.T) {
	t.Parallel()
	g := filled(t, 100)
	now := time.Now()
	claims := make(map[int64]int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				targets, err := g.tables.claim(t.Context(), now, now.Add(claimed), 7)
				if err != nil {
					t.Error(err)
				}
				if len(targets) == 0 {
					return
				}
				mu.Lock()
				for _, at := range targets {
					claims[at.number]++
					if at.id == "" || at.places.String() == "" || at.identity == "" {
						t.Errorf("claimed %+v", at)
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(claims) != 100 {
		t.Errorf("%d agents were claimed", len(claims))
	}
	for number, n := range claims {
		if n != 1 {
			t.Errorf("agent %d was claimed %d times", number, n)
		}
	}
	due, err := g.tables.nextDue(t.Context())
	if err != nil || due.Sub(now).Round(time.Second) != claimed {
		t.Errorf("next is due at %v, %v", due, err)
	}
	// A process that died with them in its hands has only put them off.
	late := now.Add(claimed + time.Second)
	if targets, err := g.tables.claim(t.Context(), late, late.Add(claimed), 1000); err != nil || len(targets) != 100 {
		t.Errorf("%d targets later, %v", len(targets), err)
	}
}

func BenchmarkList(b *testing.B) {
	g := filled(b, 10_000)
	for name, q := range map[string]Query{
		"all":    {},
		"tag":    {Tag: "films"},
		"search": {Text: "talk of films in a town"}, // words that all have
		"rare":   {Text: "Agent 4711"},
		"both":   {Text: "town 300", Tag: "films", Generation: "1.0"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := g.List(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestCallerThatWaitsForALookIsToldWhenThereIsNoRoom(t *testing.T) {
	t.Parallel()
	g := &Registry{opts: Options{Timeout: time.Millisecond}, slots: make(chan struct{})}
	if _, err := g.lookFor(t.Context(), &target{}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
