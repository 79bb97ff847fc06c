// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const (
	subscribers = 1000
	shown       = 200 // chunks that they see
)

// TestManySubscribers has 1,000 subscribers to one task, on both bindings: they see the same events in the same order,
// and leave nothing behind.
func TestManySubscribers(t *testing.T) {
	p := start(t, config{})
	p.http.Transport.(*http.Transport).DisableKeepAlives = true
	addr := p.config.Addrs.Plain
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	task := send(t, p.dial(addr), immediately(message(fmt.Sprintf("after many %d 20", shown), "")))
	suspended(t, p, p.dial(addr), task.ID)
	base := settled(p)

	streams := make([]*stream, subscribers)
	errs := make([]error, subscribers)
	parallel(subscribers, 32, func(i int) {
		if streams[i], errs[i] = p.subscribe(ctx, bindings[i%2], addr, task.ID, ""); errs[i] == nil {
			_, errs[i] = streams[i].next() // the task
		}
	})
	for i, err := range errs {
		if err != nil {
			t.Fatalf("subscriber %d: %v", i, err)
		}
	}
	u := p.usage()
	t.Logf("an open stream costs %.2f goroutines and %.1f KiB", float64(u.Goroutines-base.Goroutines)/subscribers,
		float64(u.Heap-base.Heap)/subscribers/1024)

	p.open("many")
	seed := maphash.MakeSeed()
	sums, counts := make([]uint64, subscribers), make([]int, subscribers)
	parallel(subscribers, subscribers, func(i int) {
		var events []event
		events, errs[i] = streams[i].rest()
		var h maphash.Hash
		h.SetSeed(seed)
		for _, ev := range events {
			fmt.Fprintf(&h, "%s\n%s\n", ev.id, ev.data)
		}
		sums[i], counts[i] = h.Sum64(), len(events)
		if i == 0 {
			mustRise(t, events)
		}
	})
	for i := range streams {
		if want := shown + 1; errs[i] != nil || counts[i] != want || sums[i] != sums[0] { // and the end of the task
			t.Fatalf("subscriber %d saw %d events, want %d like the first one's: %v", i, counts[i], want, errs[i])
		}
	}
	eventually(t, "the goroutines of streams that ended are gone", func() bool {
		return settled(p).Goroutines <= base.Goroutines
	})
	if state := get(t, p.dial(addr), task.ID).Status.State; state != a2a.TaskStateCompleted {
		t.Errorf("the task is %s", state)
	}
	p.stop()
}

// TestSubscribersWhoLeave has subscribers hang up in the middle of a task that goes on: nothing of theirs stays.
func TestSubscribersWhoLeave(t *testing.T) {
	t.Parallel()
	p := start(t, config{})
	p.http.Transport.(*http.Transport).DisableKeepAlives = true
	addr := p.config.Addrs.Plain
	c := p.dial(addr)
	task := send(t, c, immediately(message("hold leave", "")))
	suspended(t, p, c, task.ID)
	base := settled(p)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make([]error, 200)
	parallel(len(errs), 16, func(i int) {
		var s *stream
		if s, errs[i] = p.subscribe(ctx, bindings[i%2], addr, task.ID, ""); errs[i] == nil {
			_, errs[i] = s.next()
		}
	})
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	eventually(t, "the goroutines of those who left are gone", func() bool {
		return settled(p).Goroutines <= base.Goroutines
	})
	p.open("leave")
	if task := wait(t, c, task.ID); task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("the task is %s", task.Status.State)
	}
}

// parallel calls do for 0 to n-1, so many at a time.
func parallel(n, atOnce int, do func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			do(i)
		})
	}
	wg.Wait()
}
