// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

// Large chunks, and more of them than the kernel takes off the server's hands for a connection that nobody reads.
const (
	bulk     = 320
	bulkSize = 50_000
	stalled  = 8 // connections that nobody reads
)

// stall subscribes to a task on a raw connection with a small receive buffer, and reads so many bytes and no more.
func stall(t *testing.T, b binding, addr string, id a2a.TaskID, after string, bytes int64) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	tcp := conn.(*net.TCPConn)
	if err := tcp.SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	method, path, body := b.subscribe(id)
	req, err := request(t.Context(), method, addr, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if after != "" {
		askReplay(req, after)
	}
	if err := req.Write(tcp); err != nil {
		t.Fatal(err)
	}
	if bytes > 0 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			io.CopyN(io.Discard, tcp, bytes)
		}()
		t.Cleanup(func() { tcp.Close(); <-done })
	}
	return tcp
}

// TestAReaderThatStopsHoldsUpNobody has readers that never read while an agent streams 16 MB. The deadline of a write
// is so far away that whoever waited for them would be noticed.
func TestAReaderThatStopsHoldsUpNobody(t *testing.T) {
	t.Parallel()
	p := start(t, config{WriteTimeout: time.Hour})
	addr := p.config.Addrs.Plain
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()

	// The first task has no such readers, and shows what the other one takes without them. Each of them stops somewhere
	// else.
	alone := bulkTask(ctx, t, p, "alone", 0)
	beside := bulkTask(ctx, t, p, "beside", stalled)
	live := float64(beside.heap-alone.heap) / stalled
	t.Logf("16 MB took %s, and %s beside %d readers that do not read; the task costs %d KiB, one reader %.0f KiB",
		alone.took.Round(time.Millisecond), beside.took.Round(time.Millisecond), stalled, alone.heap/1024, live/1024)

	base := settled(p)
	for i := range int64(stalled) {
		stall(t, bindings[i%2], addr, alone.id, "0", i<<20)
	}
	eventually(t, "all of them are there", func() bool { return p.usage().Goroutines >= base.Goroutines+2*stalled })
	replayed := float64(atRest(p)-base.Heap) / stalled
	t.Logf("a reader that is stuck in a replay costs %.0f KiB", replayed/1024)
	if max(live, replayed) > 1<<20 {
		t.Errorf("a reader that is stuck costs %.0f KiB in a live stream and %.0f KiB in a replay", live/1024,
			replayed/1024)
	}
}

// bulkRun is what a run of bulkTask showed.
type bulkRun struct {
	id   a2a.TaskID
	took time.Duration // to stream it all
	heap int64         // how much larger the server's is after that
}

// bulkTask runs a task that streams 16 MB, with a number of subscribers that stop reading and two that do not, and
// cancels it.
func bulkTask(ctx context.Context, t *testing.T, p *process, name string, stuck int) bulkRun {
	t.Helper()
	addr := p.config.Addrs.Plain
	s, err := p.sendStream(ctx, rest, addr, fmt.Sprintf("after %s %d %d never", name, bulk, bulkSize))
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.next()
	if err != nil {
		t.Fatal(err)
	}
	id := taskOf(t, first).ID
	if _, err := s.next(); err != nil { // "holding": the subscribers begin at the same event
		t.Fatal(err)
	}
	base := settled(p)
	heap := atRest(p) // with tasks that have ended and that the engine keeps
	for i := range int64(stuck) {
		stall(t, bindings[i%2], addr, id, "", i<<20)
	}
	other, err := p.subscribe(ctx, jsonrpc, addr, id, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.next(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all subscribers are there",
		func() bool { return p.usage().Goroutines >= base.Goroutines+2*(stuck+1) })
	run := bulkRun{id: id}
	began := time.Now()
	p.open(name)
	var got [2][]event
	done := make(chan error, 2)
	for i, s := range []*stream{s, other} {
		go func() {
			for len(got[i]) < bulk {
				ev, err := s.next()
				if err != nil {
					done <- fmt.Errorf("reader %d after %d events: %w", i, len(got[i]), err)
					return
				}
				got[i] = append(got[i], ev)
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	run.took = time.Since(began)
	mustEqual(t, "two readers of one task", got[0], got[1])
	run.heap = atRest(p) - heap

	began = time.Now()
	task, err := p.dial(addr).CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("the cancelled task is %s", task.Status.State)
	}
	t.Logf("cancel took %s", time.Since(began).Round(time.Millisecond))
	for _, s := range []*stream{s, other} {
		if _, err := s.rest(); err != nil {
			t.Errorf("the end of the stream: %v", err)
		}
	}
	return run
}

// atRest returns the heap of a process once it has stopped to change.
func atRest(p *process) int64 {
	p.t.Helper()
	last, same := p.usage().Heap, 0
	eventually(p.t, "the heap comes to rest", func() bool {
		heap := p.usage().Heap
		change := heap - last
		last = heap
		if same++; change < -64<<10 || change > 64<<10 {
			same = 0
		}
		return same == 10
	})
	return last
}

// settled returns the usage of a process in which nothing runs any more.
func settled(p *process) usage {
	p.t.Helper()
	p.http.CloseIdleConnections()
	last := p.usage()
	eventually(p.t, "the server comes to rest", func() bool {
		u := p.usage()
		same := u.Goroutines == last.Goroutines
		last = u
		return same
	})
	return last
}

// TestAReaderThatStopsIsCut shows that the deadline of a write ends such a reader, who may come back for the rest.
func TestAReaderThatStopsIsCut(t *testing.T) {
	t.Parallel()
	p := start(t, config{WriteTimeout: 300 * time.Millisecond})
	addr := p.config.Addrs.Plain
	for _, b := range bindings {
		t.Run(b.name, func(t *testing.T) {
			idle := settled(p)
			gate := "cut" + b.name[:4]
			s, err := p.sendStream(t.Context(), rest, addr, fmt.Sprintf("after %s %d %d", gate, bulk, bulkSize))
			if err != nil {
				t.Fatal(err)
			}
			first, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			id := taskOf(t, first).ID
			all := []event{first}
			base := settled(p)
			conn := stall(t, b, addr, id, "0", 0)
			eventually(t, "the reader is there", func() bool { return p.usage().Goroutines > base.Goroutines })
			p.open(gate)
			more, err := s.rest()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, more...)
			eventually(t, "the server gives the reader up",
				func() bool { return settled(p).Goroutines <= idle.Goroutines })

			// Now it reads what the kernel has kept, until the cut, and comes back. Through a small buffer that would
			// take long.
			if err := conn.SetReadBuffer(1 << 20); err != nil {
				t.Fatal(err)
			}
			conn.SetReadDeadline(time.Now().Add(patience))
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			old := &stream{b, res.Body, sse.NewReader(res.Body, 0)}
			var seen []event
			for {
				ev, err := old.next()
				if errors.Is(err, io.EOF) {
					t.Fatal("a stream that was cut looks like one that ended")
				}
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal("the connection is not cut")
				}
				if err != nil {
					break
				}
				seen = append(seen, ev)
			}
			if len(seen) == 0 || len(seen) >= len(all) {
				t.Fatalf("the reader was cut after %d events of %d", len(seen), len(all))
			}
			t.Logf("cut after %d events of %d", len(seen), len(all))
			seen = append(seen, p.replay(b, addr, id, seen[len(seen)-1].id)...)
			mustEqual(t, "what was read before and after the cut", seen, all)
		})
	}
}
