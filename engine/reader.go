// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// readBatch is how many events a reader that is behind takes from the journal at once, which gives fewer where they are
// large.
const readBatch = 256

// A reader is a cursor over a task's events and what ends it.
type reader struct {
	after    uint64    // number of the last event seen
	snapshot *a2a.Task // shown first; nil means that the events begin
	input    uint64    // the message whose end is awaited; 0 means the one that made the task
	taken    bool      // a turn has taken it

	// waiting is the task that waits for its caller, while it has not taken the message. A caller who has just answered
	// is not shown the question again: what the stream shows first is the task once it goes on.
	waiting *journal.Projection

	untilTerminal bool // nothing but the end of the task ends the stream
	untilPaused   bool // waiting for an authorization ends it too, as waiting for input does
	untilCreated  bool // that the task has the message is enough

	history *int         // how much history a task that is shown has; nil means all
	reply   *a2a.Message // what came instead of a task
}

// over reports whether a status ends the stream.
func (rd *reader) over(state a2a.TaskState) bool {
	switch {
	case state.Terminal():
		return true
	case rd.untilTerminal || !rd.taken:
		return false
	}
	return state == a2a.TaskStateInputRequired || rd.untilPaused && state == a2a.TaskStateAuthRequired
}

// created reports whether a caller who does not want to wait has his answer: the task exists and, unless it waits for
// a turn that runs, has taken the message.
func (rd *reader) created(head *journal.Head) bool {
	return rd.untilCreated && (head.Taken >= rd.input || head.Run.Open)
}

// observe notes an event and reports whether the stream ends with it.
func (rd *reader) observe(ev *journal.Event) bool {
	rd.after = ev.Seq
	if ev.Received != nil && ev.Received.Input >= rd.input {
		rd.taken = true
	}
	if u, ok := ev.Wire.Event.(*a2a.StatusUpdate); ok {
		return rd.over(u.Status.State)
	}
	return false
}

// stream returns what a reader sees as the sequence of a Service. It releases the ring when it ends, also when the
// caller never ranges over it.
func (e *Engine) stream(ctx context.Context, ring *eventRing, rd *reader) iter.Seq2[a2a.StreamEvent, error] {
	stop := context.AfterFunc(ctx, func() { e.rings.release(ring) })
	return func(yield func(a2a.StreamEvent, error) bool) {
		if !stop() {
			yield(a2a.StreamEvent{}, context.Cause(ctx))
			return
		}
		defer e.rings.release(ring)
		gone := false
		emit := func(ev a2a.StreamEvent) bool {
			gone = !yield(rd.trim(ev), nil)
			return !gone
		}
		if err := e.follow(ctx, ring, rd, emit); err != nil && !gone {
			yield(a2a.StreamEvent{}, err)
		}
	}
}

// trim cuts the history of a task that is shown to what the request asked for (A2A 1.0 §3.2.4).
func (rd *reader) trim(ev a2a.StreamEvent) a2a.StreamEvent {
	task, ok := ev.Event.(*a2a.Task)
	if !ok {
		return ev
	}
	if short := withHistory(task, rd.history); short != task {
		return a2a.NewStreamEvent(ev.ID, short).WithMore(ev.More())
	}
	return ev
}

// follow moves a reader along its ring until the stream is over and passes events to emit, which returns false to stop.
// A nil emit only waits. The error is why the stream was cut.
func (e *Engine) follow(ctx context.Context, ring *eventRing, rd *reader, emit func(a2a.StreamEvent) bool) error {
	e.readers.enter()
	defer e.readers.leave()
	if emit == nil {
		emit = func(a2a.StreamEvent) bool { return true }
	}
	if rd.snapshot != nil && !rd.deliverTask(ring, emit) {
		return nil
	}
	for {
		v := ring.viewFrom(rd.after)
		events, err := e.eventsOf(ctx, ring, v, rd.after)
		if err != nil {
			return err
		}
		moved := len(events) > 0
		if rd.waiting != nil {
			if events = rd.foldWaiting(events); rd.snapshot != nil && !rd.deliverTask(ring, emit) {
				return nil
			}
		}
		if done := rd.deliver(events, v.more, emit); done {
			return nil
		}
		switch {
		case moved:
			continue
		case v.head != nil && (rd.created(v.head) || rd.over(v.head.Status.State)):
			return nil
		case v.reply != nil:
			rd.reply = v.reply
			emit(a2a.NewStreamEvent("", v.reply))
			return nil
		case v.err != nil:
			return v.err
		}
		select {
		case <-v.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.quiet:
			return errDraining()
		}
	}
}

// deliverTask passes on the task as it is at the cursor, and reports whether events follow it. Readers of one ring
// share the snapshot, so a reader that is stuck here holds nothing of its own.
func (rd *reader) deliverTask(ring *eventRing, emit func(a2a.StreamEvent) bool) bool {
	snap := ring.shareSnapshot(rd.after, rd.snapshot, rd.untilTerminal)
	rd.snapshot, rd.after = nil, snap.seq
	going := emit(snap.event)
	runtime.KeepAlive(snap) // the ring itself does not hold it
	return going && !rd.over(snap.state)
}

// foldWaiting folds events into the waiting task until it has taken a message or waits no longer, and then makes the
// snapshot of it. It returns the events after that.
func (rd *reader) foldWaiting(events []journal.Event) []journal.Event {
	n := 0
	for took := false; n < len(events) && !took; n++ {
		rd.waiting.Apply(&events[n])
		rd.observe(&events[n])
		took = events[n].Received != nil || rd.waiting.Status().State.Terminal()
		if took || n == len(events)-1 && !rd.waiting.Status().State.Interrupted() {
			rd.snapshot = rd.waiting.Task()
		}
	}
	if rd.snapshot != nil {
		rd.waiting = nil
	}
	return events[n:]
}

// eventsOf returns the next events of a view, from the journal for a reader that is behind the ring.
func (e *Engine) eventsOf(ctx context.Context, ring *eventRing, v view, after uint64) ([]journal.Event, error) {
	if !v.behind {
		return v.events, nil
	}
	events, err := e.journal.Events(ctx, ring.key, after, readBatch)
	return events, wireError(err)
}

// deliver passes on events and reports whether the stream is over. An event tells whether another follows at once; more
// says so of the last one.
func (rd *reader) deliver(events []journal.Event, more bool, emit func(a2a.StreamEvent) bool) (done bool) {
	last := len(events) - 1
	for last >= 0 && events[last].Wire.Event == nil {
		last--
	}
	more = more && last == len(events)-1
	for i := range events {
		ev := &events[i]
		over := rd.observe(ev)
		if ev.Wire.Event != nil && !emit(ev.Wire.WithMore(i < last || i == last && more)) {
			return true
		}
		if over {
			return true
		}
	}
	return false
}

// readerCount counts the readers that are under way.
type readerCount struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n comes to zero; nil while nobody waits for that
}

func (c *readerCount) enter() {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *readerCount) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.zero != nil {
		close(c.zero)
		c.zero = nil
	}
}

// none returns a channel that is closed once there are no readers.
func (c *readerCount) none() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	zero := make(chan struct{})
	if c.n == 0 {
		close(zero)
	} else {
		c.zero = zero
	}
	return zero
}
