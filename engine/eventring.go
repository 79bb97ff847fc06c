// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// An eventRing has the newest events of one task for its readers, in a bounded number. A reader that is behind them
// reads the journal. The ring outlives the turns of its task as long as a reader follows it.
type eventRing struct {
	key  journal.Key
	refs int // guarded by the ringSet

	mu      sync.Mutex
	events  []journal.Event // contiguous, ending at head.Seq; may be empty
	bytes   int
	head    *journal.Head // as last published; nil before the task exists
	final   *a2a.Task     // the task at head, from its runner's last commit until the task is cached; may be nil
	reply   *a2a.Message  // the answer of a turn that made no task
	err     error         // why there is neither
	refused []uint64      // cancels that the agent refused
	changed chan struct{} // closed at the next change; nil while nobody waits

	shared weak.Pointer[snapshot] // what readers are shown first, while one of them is at it
}

// A snapshot is the task at one of its events, with the encoding that its readers share.
type snapshot struct {
	seq   uint64
	state a2a.TaskState
	event a2a.StreamEvent
}

// shareSnapshot returns the snapshot of a task at an event: one that somebody is being shown already, if there is
// one. With older it may be of an earlier event, if the ring has all events since and streams show them. Without
// that, readers who are stuck would each hold a snapshot of their own of a task that moves on.
func (ring *eventRing) shareSnapshot(seq uint64, task *a2a.Task, older bool) *snapshot {
	ring.mu.Lock()
	defer ring.mu.Unlock()
	if s := ring.shared.Value(); s != nil && (s.seq == seq || older && s.seq < seq && ring.streamsAll(s.seq, seq)) {
		return s
	}
	s := &snapshot{seq: seq, state: task.Status.State, event: a2a.NewStreamEvent(journal.EventID(seq), task)}
	ring.shared = weak.Make(s)
	return s
}

// streamsAll reports whether the ring has all events after one up to another, and streams show each of them; mu is
// held.
func (ring *eventRing) streamsAll(after, upTo uint64) bool {
	if len(ring.events) == 0 || ring.events[0].Seq > after+1 || ring.events[len(ring.events)-1].Seq < upTo {
		return false
	}
	first := ring.events[0].Seq
	return !slices.ContainsFunc(ring.events[after+1-first:upTo+1-first],
		func(ev journal.Event) bool { return !streamed(ev) })
}

// publish adds committed events. final may be nil. It ignores events older than the ring. Events that do not continue
// the ring's events replace them: a runner that has released its lease may publish after its successor.
func (ring *eventRing) publish(events []journal.Event, head *journal.Head, final *a2a.Task) {
	ring.mu.Lock()
	if ring.head != nil && (head.Seq < ring.head.Seq || head.Taken < ring.head.Taken) {
		ring.mu.Unlock()
		return
	}
	switch {
	case len(events) == 0:
	case len(ring.events) > 0 && ring.events[len(ring.events)-1].Seq+1 == events[0].Seq:
		ring.events = append(ring.events, events...)
		ring.bytes += sizeOf(events)
	default:
		ring.events = slices.Clip(events) // most tasks have one commit; the journal shares it too
		ring.bytes = sizeOf(events)
	}
	if len(ring.events) > max(maxRingEvents, len(events)) ||
		ring.bytes > maxRingBytes && len(ring.events) > len(events) {
		ring.trim(len(events))
	}
	ring.head, ring.final = head, final
	ring.wake()
}

// trim drops the older half of the events, and more if the rest is still too large. It copies the rest into a new
// slice, because readers may still hold the old one. It keeps the newest events of any size, so that readers without a
// backlog share them.
func (ring *eventRing) trim(spared int) {
	rest := ring.events[min((len(ring.events)+1)/2, len(ring.events)-spared):]
	for ring.bytes = sizeOf(rest); ring.bytes > maxRingBytes && len(rest) > spared; rest = rest[1:] {
		ring.bytes -= rest[0].Size()
	}
	ring.events = slices.Clone(rest)
}

func sizeOf(events []journal.Event) int {
	bytes := 0
	for i := range events {
		bytes += events[i].Size()
	}
	return bytes
}

// advance notes what another node appended; readers find the events in the journal.
func (ring *eventRing) advance(head *journal.Head) {
	ring.mu.Lock()
	if ring.head != nil && ring.head.Seq >= head.Seq && ring.head.Taken >= head.Taken {
		ring.mu.Unlock()
		return
	}
	if ring.head == nil || ring.head.Seq != head.Seq {
		ring.events, ring.bytes, ring.final = nil, 0, nil
	}
	ring.head = head
	ring.wake()
}

// dropFinal drops the task once it is cached: a reader that is stuck holds the ring without a bound in time.
func (ring *eventRing) dropFinal() {
	ring.mu.Lock()
	ring.final = nil
	ring.mu.Unlock()
}

// answer ends the ring of a turn that replied with a message, fail that of one that came to nothing.
func (ring *eventRing) answer(m *a2a.Message) {
	ring.mu.Lock()
	ring.reply = m
	ring.wake()
}

func (ring *eventRing) fail(err error) {
	ring.mu.Lock()
	ring.err = err
	ring.wake()
}

// refuse notes that the agent refused a cancel.
func (ring *eventRing) refuse(input uint64) {
	ring.mu.Lock()
	ring.refused = append(ring.refused, input)
	ring.wake()
}

// wake unlocks the ring and wakes its readers.
func (ring *eventRing) wake() {
	ch := ring.changed
	ring.changed = nil
	ring.mu.Unlock()
	if ch != nil {
		close(ch)
	}
}

// view is what a reader sees of a ring at one moment.
type view struct {
	events  []journal.Event // some of those after the cursor, if the ring has them
	more    bool            // the ring has further ones that streams show
	behind  bool            // there are newer events, but only the journal has the next one
	head    *journal.Head
	final   *a2a.Task
	reply   *a2a.Message
	err     error
	changed <-chan struct{}
}

// viewFrom returns the view from a cursor.
func (ring *eventRing) viewFrom(after uint64) view {
	ring.mu.Lock()
	defer ring.mu.Unlock()
	v := view{head: ring.head, final: ring.final, reply: ring.reply, err: ring.err}
	if ring.changed == nil {
		ring.changed = make(chan struct{})
	}
	v.changed = ring.changed
	if ring.head == nil || ring.head.Seq <= after {
		return v
	}
	if len(ring.events) == 0 || after+1 < ring.events[0].Seq || ring.events[len(ring.events)-1].Seq < ring.head.Seq {
		v.behind = true
		return v
	}
	next := ring.events[after+1-ring.events[0].Seq:]
	n := fitting(next)
	// A copy: a reader that is stuck must hold on to these only, and not to all that the ring had at that time.
	v.events, v.more = slices.Clone(next[:n]), slices.ContainsFunc(next[n:], streamed)
	return v
}

// streamed reports whether streams show an event.
func streamed(ev journal.Event) bool { return ev.Wire.Event != nil }

// fitting returns how many of the events, one at least, are within what a reader may hold.
func fitting(events []journal.Event) int {
	bytes := 0
	for i := range events {
		bytes += events[i].Size()
		if i > 0 && (bytes > maxReaderBytes || i == maxReaderEvents) {
			return i
		}
	}
	return len(events)
}

// wasRefused reports whether the agent refused a cancel.
func (ring *eventRing) wasRefused(input uint64) bool {
	ring.mu.Lock()
	defer ring.mu.Unlock()
	return slices.Contains(ring.refused, input)
}

// ringSet holds the rings that somebody reads or writes.
type ringSet struct {
	mu    sync.Mutex
	rings map[journal.Key]*eventRing
}

// get returns the ring of a task, nil when nobody follows it.
func (s *ringSet) get(key journal.Key) *eventRing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rings[key]
}

// acquire returns the ring of a task that exists, making one if need be. Release it.
func (s *ringSet) acquire(key journal.Key, head *journal.Head) *eventRing {
	s.mu.Lock()
	ring := s.rings[key]
	if ring == nil {
		ring = &eventRing{key: key, head: head}
		s.put(ring)
	}
	ring.refs++
	s.mu.Unlock()
	ring.advance(head)
	return ring
}

// register makes a new task's ring findable, before its first commit.
func (s *ringSet) register(ring *eventRing) {
	s.mu.Lock()
	s.put(ring)
	s.mu.Unlock()
}

// forget takes back register, for a task that did not come to be.
func (s *ringSet) forget(ring *eventRing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rings[ring.key] == ring {
		delete(s.rings, ring.key)
	}
}

func (s *ringSet) put(ring *eventRing) {
	if s.rings == nil {
		s.rings = map[journal.Key]*eventRing{}
	}
	s.rings[ring.key] = ring
}

// release takes a reader or writer off a ring; the last one removes it.
func (s *ringSet) release(ring *eventRing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ring.refs--
	if ring.refs == 0 && s.rings[ring.key] == ring {
		delete(s.rings, ring.key)
	}
}

func (s *ringSet) keys() []journal.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.rings))
}
