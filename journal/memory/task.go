// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"sync"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// task is one task. The journal's lock guards it.
type task struct {
	head    *journal.Head
	events  []journal.Event // appended to, never changed: readers hold parts of it
	scope   *scope
	context *contextTasks
	place   keyset.Place // in the orders of scope and context

	holder string
	token  uint64
	until  int64 // Unix nanoseconds; 0 when nobody holds it

	inputs    []journal.Input // waiting; appended to, never changed
	lastInput uint64

	since   int64 // when inputs or an open turn began to wait for a holder; 0 when there are none
	readyAt int64 // from when on it can be claimed, while it is in the queue
	ready   int   // its place in the queue, or notQueued

	earlier, later *task // in its owner's list of ended tasks
	bytes          int64 // about what it takes
	over           bool  // it has ended

	more *rest
	fold *fold // made by the first Load
}

// rest is what most tasks do not have.
type rest struct {
	createKey string
	inputKeys map[string]uint64
	state     []byte
	cursors   map[string]*cursor
}

func (t *task) rest() *rest {
	if t.more == nil {
		t.more = new(rest)
	}
	return t.more
}

// lease returns the lease as it stands.
func (t *task) lease() journal.Lease {
	if t.until == 0 {
		return journal.Lease{}
	}
	return journal.Lease{Key: t.head.Key, Holder: t.holder, Token: t.token}
}

func (t *task) heldBy(l journal.Lease) bool {
	return t.until != 0 && l.Token == t.token && l.Holder == t.holder && l.Key == t.head.Key
}

// admits says why a commit cannot be applied.
func (t *task) admits(c *journal.Commit) error {
	if !t.heldBy(c.Lease) {
		return journal.ErrLeaseLost
	}
	if c.Expect != t.head.Seq {
		return journal.ErrConflict
	}
	if t.head.Status.State.Terminal() && !c.Head.Status.State.Terminal() {
		return journal.ErrFinished
	}
	if c.UnlessInputs && len(t.inputs) > 0 && t.lastInput > c.Taken {
		return journal.ErrInputsWaiting
	}
	return nil
}

// setHead replaces the head and moves the task to its place in the lists.
func (t *task) setHead(h *journal.Head) {
	place := keyset.Place{Time: keyset.Nanos(h.Status.Timestamp), ID: h.Key.ID}
	if t.head != nil {
		if place == t.place && t.head.Status.State == h.Status.State {
			t.head = h
			return
		}
		t.unlist()
	}
	t.head = h
	t.place = place
	t.scope.all.add(t)
	t.scope.byState[h.Status.State].add(t)
	t.context.add(t)
}

func (t *task) unlist() {
	t.scope.all.remove(t)
	t.scope.byState[t.head.Status.State].remove(t)
	t.context.remove(t)
}

// take removes the inputs up to a number, and returns what they took. A task that has ended keeps none.
func (t *task) take(upTo uint64) (bytes int64) {
	n := 0
	for n < len(t.inputs) && (t.inputs[n].Number <= upTo || t.head.Status.State.Terminal()) {
		bytes += inputBytes(&t.inputs[n])
		n++
	}
	t.inputs = t.inputs[n:]
	if len(t.inputs) == 0 {
		t.inputs = nil // what was taken can be collected
	}
	return bytes
}

// fold keeps the folded task, so that only new events are folded when the task is read again.
type fold struct {
	mu         sync.Mutex // taken before the journal's lock
	projection *journal.Projection
	seq        uint64
	last       *journal.Snapshot
}

// snapshot folds what is missing. head and events are of the same moment, not older than at any call before.
func (f *fold) snapshot(head *journal.Head, events []journal.Event) *journal.Snapshot {
	if f.last != nil && f.last.Head == head {
		return f.last
	}
	if f.projection == nil {
		f.projection, f.seq = new(journal.Projection), 0
	}
	for i := f.seq; i < uint64(len(events)); i++ {
		f.projection.Apply(&events[i])
	}
	f.seq = uint64(len(events))
	f.last = &journal.Snapshot{Head: head, Task: f.projection.Task()}
	if head.Status.State.Terminal() {
		f.projection = nil // nothing more is to be expected
	}
	return f.last
}

// endedList is the tasks in a terminal state, in the order in which they ended.
type endedList struct {
	first, last *task
	len         int
}

func (l *endedList) push(t *task) {
	l.len++
	if l.last == nil {
		l.first, l.last = t, t
		return
	}
	t.earlier, l.last.later = l.last, t
	l.last = t
}

func (l *endedList) remove(t *task) {
	l.len--
	if t.earlier != nil {
		t.earlier.later = t.later
	} else {
		l.first = t.later
	}
	if t.later != nil {
		t.later.earlier = t.earlier
	} else {
		l.last = t.earlier
	}
	t.earlier, t.later = nil, nil
}
