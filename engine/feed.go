// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"sync"
	"weak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A feed is where readers of one task meet its recent events. It keeps a bounded run of the newest ones; who is behind
// those reads the journal. A feed outlives the turns of its task as long as somebody reads it.
type feed struct {
	key  journal.Key
	refs int // guarded by the feedSet

	mu      sync.Mutex
	events  []journal.Event // contiguous, ending at head.Seq; may be empty
	bytes   int
	head    *journal.Head // as last published; nil before the task exists
	final   *a2a.Task     // the task at head, from the last commit of its runner until the engine keeps it; may be nil
	reply   *a2a.Message  // the answer of a turn that made no task
	err     error         // why there is neither
	refused []uint64      // cancels that the agent refused
	changed chan struct{} // closed at the next change; nil while nobody waits

	shown weak.Pointer[snapshot] // what readers are shown first, while one of them is at it
}

// A snapshot is the task at one of its events, with the bytes of it that its readers share.
type snapshot struct {
	seq   uint64
	state a2a.TaskState
	event a2a.StreamEvent
}

// share returns the snapshot of a task at an event: one that somebody is being shown already, if there is one. With older
// it may be of an earlier event, if the feed has all events since and streams show them. Without that, readers who are
// stuck would each hold a snapshot of their own of a task that moves on.
func (f *feed) share(seq uint64, task *a2a.Task, older bool) *snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.shown.Value(); s != nil && (s.seq == seq || older && s.seq < seq && f.shows(s.seq, seq)) {
		return s
	}
	s := &snapshot{seq: seq, state: task.Status.State, event: a2a.NewStreamEvent(journal.EventID(seq), task)}
	f.shown = weak.Make(s)
	return s
}

// shows reports whether the feed has all events after one up to another, and streams show each of them; mu is held.
func (f *feed) shows(after, upTo uint64) bool {
	if len(f.events) == 0 || f.events[0].Seq > after+1 || f.events[len(f.events)-1].Seq < upTo {
		return false
	}
	first := f.events[0].Seq
	return !slices.ContainsFunc(f.events[after+1-first:upTo+1-first], func(ev journal.Event) bool { return !shown(ev) })
}

// publish adds events that were committed. final may be nil. What is older than the feed is left out, and what does
// not join on replaces its events: a runner that has given its lease back may publish after the one that came next.
func (f *feed) publish(events []journal.Event, head *journal.Head, final *a2a.Task) {
	f.mu.Lock()
	if f.head != nil && (head.Seq < f.head.Seq || head.Taken < f.head.Taken) {
		f.mu.Unlock()
		return
	}
	switch {
	case len(events) == 0:
	case len(f.events) > 0 && f.events[len(f.events)-1].Seq+1 == events[0].Seq:
		f.events = append(f.events, events...)
		f.bytes += sizeOf(events)
	default:
		f.events = slices.Clip(events) // most tasks have one commit; the journal shares it too
		f.bytes = sizeOf(events)
	}
	if len(f.events) > max(maxFeedEvents, len(events)) || f.bytes > maxFeedBytes && len(f.events) > len(events) {
		f.trim(len(events))
	}
	f.head, f.final = head, final
	f.wake()
}

// trim drops the older half, and more where that is still too much, into a new slice: readers may still hold the old one.
// It spares the newest events, so that those who keep up share them, however large they are.
func (f *feed) trim(spared int) {
	rest := f.events[min((len(f.events)+1)/2, len(f.events)-spared):]
	for f.bytes = sizeOf(rest); f.bytes > maxFeedBytes && len(rest) > spared; rest = rest[1:] {
		f.bytes -= rest[0].Size()
	}
	f.events = slices.Clone(rest)
}

func sizeOf(events []journal.Event) int {
	bytes := 0
	for i := range events {
		bytes += events[i].Size()
	}
	return bytes
}

// advance notes what another node appended; readers find the events in the journal.
func (f *feed) advance(head *journal.Head) {
	f.mu.Lock()
	if f.head != nil && f.head.Seq >= head.Seq && f.head.Taken >= head.Taken {
		f.mu.Unlock()
		return
	}
	if f.head == nil || f.head.Seq != head.Seq {
		f.events, f.bytes, f.final = nil, 0, nil
	}
	f.head = head
	f.wake()
}

// dropFinal lets go of the task, which is to be had elsewhere: a reader that is stuck holds the feed for as long as it likes.
func (f *feed) dropFinal() {
	f.mu.Lock()
	f.final = nil
	f.mu.Unlock()
}

// answer ends the feed of a turn that replied with a message, fail that of one that came to nothing.
func (f *feed) answer(m *a2a.Message) {
	f.mu.Lock()
	f.reply = m
	f.wake()
}

func (f *feed) fail(err error) {
	f.mu.Lock()
	f.err = err
	f.wake()
}

// refuse notes that the agent refused a cancel.
func (f *feed) refuse(input uint64) {
	f.mu.Lock()
	f.refused = append(f.refused, input)
	f.wake()
}

// wake unlocks the feed and wakes its readers.
func (f *feed) wake() {
	ch := f.changed
	f.changed = nil
	f.mu.Unlock()
	if ch != nil {
		close(ch)
	}
}

// view is what a reader sees of a feed at one moment.
type view struct {
	events  []journal.Event // some of those after the cursor, if the feed has them
	more    bool            // the feed has further ones that streams show
	behind  bool            // there are newer events, but only the journal has the next one
	head    *journal.Head
	final   *a2a.Task
	reply   *a2a.Message
	err     error
	changed <-chan struct{}
}

// look returns the view from a cursor.
func (f *feed) look(after uint64) view {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := view{head: f.head, final: f.final, reply: f.reply, err: f.err}
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	v.changed = f.changed
	if f.head == nil || f.head.Seq <= after {
		return v
	}
	if len(f.events) == 0 || after+1 < f.events[0].Seq || f.events[len(f.events)-1].Seq < f.head.Seq {
		v.behind = true
		return v
	}
	next := f.events[after+1-f.events[0].Seq:]
	n := fitting(next)
	// A copy: a reader that is stuck must hold on to these only, and not to all that the feed had at that time.
	v.events, v.more = slices.Clone(next[:n]), slices.ContainsFunc(next[n:], shown)
	return v
}

// shown reports whether streams show an event.
func shown(ev journal.Event) bool { return ev.Wire.Event != nil }

// fitting returns how many of the events, one at least, are within what a reader may hold.
func fitting(events []journal.Event) int {
	bytes := 0
	for i := range events {
		bytes += events[i].Size()
		if i > 0 && (bytes > maxHeldBytes || i == maxHeldEvents) {
			return i
		}
	}
	return len(events)
}

// wasRefused reports whether the agent refused a cancel.
func (f *feed) wasRefused(input uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.refused {
		if n == input {
			return true
		}
	}
	return false
}

// feedSet holds the feeds that somebody reads or writes.
type feedSet struct {
	mu    sync.Mutex
	feeds map[journal.Key]*feed
}

// get returns the feed of a task, nil when nobody follows it.
func (s *feedSet) get(key journal.Key) *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.feeds[key]
}

// acquire returns the feed of a task that exists, making one if need be. Release it.
func (s *feedSet) acquire(key journal.Key, head *journal.Head) *feed {
	s.mu.Lock()
	f := s.feeds[key]
	if f == nil {
		f = &feed{key: key, head: head}
		s.put(f)
	}
	f.refs++
	s.mu.Unlock()
	f.advance(head)
	return f
}

// retain adds a reader to a feed, which may not be in the set yet.
func (s *feedSet) retain(f *feed) {
	s.mu.Lock()
	f.refs++
	s.mu.Unlock()
}

// register makes a new task's feed findable, before its first commit.
func (s *feedSet) register(f *feed) {
	s.mu.Lock()
	s.put(f)
	s.mu.Unlock()
}

// forget takes back register, for a task that did not come to be.
func (s *feedSet) forget(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feeds[f.key] == f {
		delete(s.feeds, f.key)
	}
}

func (s *feedSet) put(f *feed) {
	if s.feeds == nil {
		s.feeds = map[journal.Key]*feed{}
	}
	s.feeds[f.key] = f
}

// release takes a reader or writer off a feed; the last one removes it.
func (s *feedSet) release(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.refs--
	if f.refs == 0 && s.feeds[f.key] == f {
		delete(s.feeds, f.key)
	}
}

func (s *feedSet) keys() []journal.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make([]journal.Key, 0, len(s.feeds))
	for k := range s.feeds {
		keys = append(keys, k)
	}
	return keys
}
