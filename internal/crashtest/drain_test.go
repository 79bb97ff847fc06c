// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// TestDrain stops the server with SIGTERM in the middle of a stream: the turn comes to its end, and all of it is read.
func TestDrain(t *testing.T) {
	t.Parallel()
	needsSigterm(t)
	for _, b := range bindings {
		t.Run(b.name, func(t *testing.T) {
			p := start(t, config{})
			s, err := p.sendStream(t.Context(), b, p.config.Addrs.Plain, fmt.Sprintf("stream %d 20", chunks))
			if err != nil {
				t.Fatal(err)
			}
			first, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			p.terminate()
			all, err := s.rest()
			if err != nil {
				t.Fatal(err)
			}
			all = append([]event{first}, all...)
			p.ended()
			r := examine(t, p.config.Folder)[taskOf(t, first).ID]
			mustEqual(t, "the stream", all, r.wire(t))
			if n := mustCount(t, r.task); n != chunks || r.task.Status.State != a2a.TaskStateCompleted {
				t.Errorf("the task is %s with %d chunks", r.task.Status.State, n)
			}
		})
	}
}

// TestDrainTimeout stops the server while turns run that do not end in time: they are released, and the next server
// takes them up or has failed them. Their streams say so and lose nothing.
func TestDrainTimeout(t *testing.T) {
	t.Parallel()
	needsSigterm(t)
	p := start(t, config{DrainTimeout: 300 * time.Millisecond})
	type open struct {
		addr string
		s    *stream
		seen []event
	}
	var streams []*open
	for _, addr := range []string{p.config.Addrs.Plain, p.config.Addrs.Resumable} {
		s, err := p.sendStream(t.Context(), rest, addr, "stream 1000 20 never")
		if err != nil {
			t.Fatal(err)
		}
		o := &open{addr: addr, s: s}
		for range 500 {
			ev, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			o.seen = append(o.seen, ev)
		}
		streams = append(streams, o)
	}
	p.terminate()
	for _, o := range streams {
		for {
			ev, err := o.s.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("the stream was cut without a word: %v", err)
			}
			o.seen = append(o.seen, ev)
		}
	}
	select {
	case <-p.exited: // a drain that had to release turns may say so
		p.gone()
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
	p.run()
	for i, o := range streams {
		seen := o.seen
		if last := seen[len(seen)-1]; last.id == "" || i == 1 { // the error that tells of the shutdown
			seen = seen[:len(seen)-1]
		}
		id := taskOf(t, seen[0]).ID
		all := append(seen, p.replay(rest, o.addr, id, seen[len(seen)-1].id)...)
		mustEqual(t, "the stream and its replay", all, p.replay(rest, o.addr, id, "0"))
	}
	task := wait(t, p.dial(p.config.Addrs.Resumable), taskOf(t, streams[1].seen[0]).ID)
	if n := mustCount(t, task); n != 1000 || task.Status.State != a2a.TaskStateCompleted ||
		!hasArtifact(task, "attempt", "2") {
		t.Errorf("the resumable task is %s with %d chunks", task.Status.State, n)
	}
	if task := get(t, p.dial(p.config.Addrs.Plain), taskOf(t, streams[0].seen[0]).ID); !interrupted(task) {
		t.Errorf("the other task is %s", task.Status.State)
	}
	p.stop()
	examine(t, p.config.Folder)
	once(t, p.config.Folder)
}

func needsSigterm(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM; run this test on another system")
	}
}
