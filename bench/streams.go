// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	openStreams = 1000
	burstEvents = 200
)

// measureStreams opens 1,000 streams on one task, all at once, and has its agent make 200 events.
func measureStreams(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		name   string
		server *process
	}{{"memory", f.memory}, {"SQLite", f.sqlite}} {
		var opens, bursts []time.Duration
		var each usage
		var spent []float64
		wait := profile(ctx, s, c.server, "streams-"+c.name, time.Duration(s.rounds)*time.Second)
		for range s.rounds {
			r, err := openRoom(ctx, c.server, newestOnly)
			if err != nil {
				return nil, err
			}
			opens, bursts, each = append(opens, r.opened), append(bursts, r.burst), r.each
			spent = append(spent, r.cpu)
		}
		if err := wait(); err != nil {
			return nil, err
		}
		opened, burst := median(opens), median(bursts)
		held := float64(each.Heap+each.Stack) / 1024
		rows = append(rows,
			row{Case: "streams, all at once, " + c.name, Conns: openStreams, Ours: inMS(opened), P99: inMS(opened),
				Marks: []mark{under("p99 of the first event", opened, 150*time.Millisecond)}},
			row{Case: "streams, 200 events to all, " + c.name, Conns: openStreams, Ours: inMS(burst),
				CPU:   fmt.Sprintf("%.2f an event and reader", median(spent)),
				Marks: []mark{under("time", burst, 150*time.Millisecond)}},
			row{Case: "streams, cost of each, " + c.name, Conns: openStreams,
				Ours: fmt.Sprintf("%.1f KB + %.1f KB stack, %.2f goroutines", float64(each.Heap)/1024,
					float64(each.Stack)/1024, float64(each.Goroutines)/1000),
				Marks: []mark{
					{Name: "memory", Got: held, Want: 32, Unit: " KB", Under: true},
					{Name: "goroutines", Got: float64(each.Goroutines) / 1000, Want: 2, Under: true},
				}},
		)
	}
	return rows, nil
}

// room is what was found of a task with many readers.
type room struct {
	opened time.Duration // p99 of the first event, from the moment when all began to dial
	burst  time.Duration // until the last reader had all events
	cpu    float64       // microseconds of server time for each event and reader
	each   usage         // of one stream; Goroutines is in thousandths
}

func openRoom(ctx context.Context, s *process, subscription func(path, task string, i int) []byte) (room, error) {
	var r room
	caller, err := dial(s.Addr)
	if err != nil {
		return r, err
	}
	defer caller.Close()
	caller.SetDeadline(time.Now().Add(2 * patience))
	task, err := startRoom(caller, s)
	if err != nil {
		return r, err
	}
	before, err := s.memory(ctx)
	if err != nil {
		return r, err
	}

	readers := make([]*eventStream, openStreams)
	firsts, err := enter(s, readers, func(i int) []byte { return subscription(s.Path, task, i) })
	defer leave(readers)
	if err != nil {
		return r, err
	}
	r.opened = quantile(firsts, 0.99)

	after, err := s.memory(ctx)
	if err != nil {
		return r, err
	}
	r.each = usage{
		Heap: (after.Heap - before.Heap) / openStreams, Stack: (after.Stack - before.Stack) / openStreams,
		Goroutines: (after.Goroutines - before.Goroutines) * 1000 / openStreams,
	}

	began := time.Now()
	fails := make(chan error, 1)
	go func() {
		_, err := caller.do(post(s.Path, messageTo(task, fmt.Sprintf("burst %d", burstEvents))))
		fails <- err
	}()
	err = errors.Join(receive(readers, burstEvents), <-fails)
	r.burst = time.Since(began)
	if err != nil {
		return r, err
	}
	spent, err := s.usage(ctx)
	if err != nil {
		return r, err
	}
	r.cpu = float64(spent.CPU-after.CPU) / (openStreams * burstEvents)
	if _, err = caller.do(post(s.Path, messageTo(task, "close"))); err != nil {
		return r, err
	}
	return r, end(readers)
}

// newestOnly has every reader speak 1.0, halfOld every second one 0.3.
func newestOnly(path, task string, _ int) []byte { return post(path, about("SubscribeToTask", task)) }

func halfOld(path, task string, i int) []byte {
	if i%2 == 0 {
		return newestOnly(path, task, i)
	}
	return postAs("0.3", path, about("tasks/resubscribe", task))
}

// measureDialects compares 1,000 streams of which half are of 0.3 with 1,000 of 1.0, in turn.
func measureDialects(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	var alone, mixed, shares []float64
	for range 2*s.rounds + 1 { // one to warm up
		one, err := openRoom(ctx, f.memory, newestOnly)
		if err != nil {
			return nil, err
		}
		both, err := openRoom(ctx, f.memory, halfOld)
		if err != nil {
			return nil, err
		}
		alone, mixed, shares = append(alone, one.cpu), append(mixed, both.cpu), append(shares, both.cpu/one.cpu)
	}
	share := median(shares[1:])
	return []row{{
		Case: "streams, half of them 0.3", Conns: openStreams, Ratio: fmt.Sprintf("%.2f of all 1.0", share),
		CPU:   fmt.Sprintf("%.2f (all 1.0: %.2f) an event and reader", median(mixed[1:]), median(alone[1:])),
		Marks: []mark{{Name: "cost", Got: share, Want: 1.1, Unit: "x", Under: true}},
	}}, nil
}

// startRoom starts the task and returns its id.
func startRoom(c *conn, s *process) (task string, err error) {
	body, err := c.do(post(s.Path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+
		`{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"room"}]},`+
		`"configuration":{"returnImmediately":true}}}`, messageID())))
	if err != nil {
		return "", err
	}
	return taskOf(body)
}

// enter opens all the streams at once and returns the sorted times until each had its first event.
func enter(s *process, readers []*eventStream, request func(i int) []byte) ([]time.Duration, error) {
	firsts := make([]time.Duration, len(readers))
	fails := make([]error, len(readers))
	var wg sync.WaitGroup
	began := time.Now()
	for i := range readers {
		wg.Go(func() {
			readers[i], fails[i] = subscribe(s, request(i))
			firsts[i] = time.Since(began)
		})
	}
	wg.Wait()
	slices.Sort(firsts)
	return firsts, errors.Join(fails...)
}

func subscribe(s *process, request []byte) (*eventStream, error) {
	c, err := dial(s.Addr)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(2 * patience))
	stream, err := c.open(request)
	if err != nil {
		c.Close()
		return nil, err
	}
	if err := stream.first(); err != nil {
		c.Close()
		return nil, err
	}
	return stream, nil
}

// receive waits until each reader has had n more events.
func receive(readers []*eventStream, n int) error {
	var wg sync.WaitGroup
	fails := make([]error, len(readers))
	for i, stream := range readers {
		wg.Go(func() {
			for had := 0; had < n && fails[i] == nil; {
				var events int
				events, _, fails[i] = stream.next()
				had += events
				if had < n && fails[i] == io.EOF {
					fails[i] = fmt.Errorf("a stream ended after %d of %d events", had, n)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(fails...)
}

// end reads the streams to their end, so that nothing of them is left for the next measurement.
func end(readers []*eventStream) error {
	var wg sync.WaitGroup
	fails := make([]error, len(readers))
	for i, stream := range readers {
		wg.Go(func() { _, _, fails[i] = stream.drain() })
	}
	wg.Wait()
	return errors.Join(fails...)
}

func leave(readers []*eventStream) {
	for _, stream := range readers {
		if stream != nil {
			stream.c.Close()
		}
	}
}
