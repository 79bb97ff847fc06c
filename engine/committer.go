// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A committer has a task as committed, and the events that wait for the next commit, which numbers them. The lock of
// its runner guards it.
type committer struct {
	key       journal.Key
	contextID a2a.ContextID
	origin    a2a.Generation

	lease      journal.Lease
	projection *journal.Projection
	size       int           // of the task, about, in bytes
	head       *journal.Head // nil before the task exists
	cached     bool          // the projection is in the cache

	create  *journal.Create // of a task that does not exist yet
	run     journal.Run     // goes with each commit
	opening *start          // the beginning of the turn that runs now, or is about to

	queue      []journal.Event
	queueBytes int
	committing bool          // a commitLoop runs
	space      chan struct{} // closed when events were dropped from the queue; nil while nobody waits
}

// full reports whether so much waits that the agent has to.
func (c *committer) full() bool {
	return len(c.queue) >= maxQueuedEvents || c.queueBytes >= maxQueuedBytes
}

func (c *committer) push(events ...journal.Event) {
	c.queue = append(c.queue, events...)
	c.queueBytes += sizeOf(events)
}

// drop takes the first n events off the queue, which are committed or given up.
func (c *committer) drop(n int) {
	if n == 0 {
		return
	}
	c.queueBytes -= sizeOf(c.queue[:n])
	// The journal and the ring keep the copy that was committed, so the queue's own memory is used again.
	c.queue = slices.Delete(c.queue, 0, n)
	c.wake()
}

// wait returns a channel that is closed once there is space, or nothing may be written any more.
func (c *committer) wait() <-chan struct{} {
	if c.space == nil {
		c.space = make(chan struct{})
	}
	return c.space
}

// wake frees those that wait for space.
func (c *committer) wake() {
	if c.space != nil {
		close(c.space)
		c.space = nil
	}
}

// current returns the task as committed, or as its first commit would make it.
func (c *committer) current() *a2a.Task {
	if c.head != nil {
		return c.projection.Task()
	}
	task := &a2a.Task{
		ID: c.key.ID, ContextID: c.contextID, Origin: c.origin,
		Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted, Timestamp: now()},
	}
	if c.opening != nil && c.opening.message != nil {
		task.History = []*a2a.Message{c.opening.message}
	}
	return task
}

// queuedState returns the state that the task will have once the queue is committed.
func (c *committer) queuedState() a2a.TaskState {
	for _, ev := range slices.Backward(c.queue) {
		if u, ok := ev.Wire.Event.(*a2a.StatusUpdate); ok {
			return u.Status.State
		}
	}
	if c.head == nil {
		return a2a.TaskStateSubmitted
	}
	return c.head.Status.State
}

// number gives the events their numbers and returns the head that the task has after them.
func (c *committer) number(events []journal.Event) *journal.Head {
	head := &journal.Head{Key: c.key, ContextID: c.contextID, Origin: c.origin, Created: now()}
	if c.head != nil {
		*head = *c.head
	}
	for i := range events {
		events[i].Seq = head.Seq + uint64(i) + 1
		if ev := events[i].Wire.Event; ev != nil {
			events[i].Wire = a2a.NewStreamEvent(journal.EventID(events[i].Seq), ev)
		}
	}
	c.projection.Preview(head, events)
	return head
}

// preview returns the task as it will be after events.
func (c *committer) preview(events []journal.Event) *a2a.Task {
	p := &journal.Projection{}
	if c.head != nil {
		p = journal.NewProjection(c.projection.Task())
	}
	for i := range events {
		p.Apply(&events[i])
	}
	return p.Task()
}

// committed notes a commit of events, the first n of the queue among them.
func (c *committer) committed(cm *journal.Commit, lease journal.Lease, n int) {
	if cm.Create != nil {
		c.opening.accept()
	}
	for i := range cm.Events {
		c.projection.Apply(&cm.Events[i])
	}
	c.head, c.lease, c.create = cm.Head, lease, nil
	c.size += sizeOf(cm.Events)
	c.drop(n)
}

// cacheIn puts the folded task into the cache, for readers and the next runner. The runner may still be asked for the
// task, so it goes on with a projection that shares the parts.
func (c *committer) cacheIn(cache *taskCache) {
	if c.head == nil || c.size < minCached || c.cached {
		return
	}
	c.cached = true
	mine := journal.NewProjection(c.projection.Task()) // before another goroutine can take the projection
	cache.put(newCachedTask(c.key, c.projection, c.head, c.size), c.size)
	c.projection = mine
}

// receive returns the events of a message being taken. The status goes first, so that the question it replaces comes
// before its answer in history.
func (c *committer) receive(input uint64, m *a2a.Message) []journal.Event {
	var events []journal.Event
	if c.queuedState().Interrupted() {
		events = append(events, c.statusEvent(a2a.TaskStateWorking, nil))
	}
	if m != nil && input != 0 {
		events = append(events, journal.Event{Time: now(), Received: &journal.Received{Input: input, Message: m}})
	}
	return events
}

// address returns the message with the ids of the task it was sent to (A2A 1.0 §3.4.3).
func (c *committer) address(m *a2a.Message) *a2a.Message {
	if m.TaskID == c.key.ID && m.ContextID == c.contextID {
		return m
	}
	addressed := *m
	addressed.TaskID, addressed.ContextID = c.key.ID, c.contextID
	return &addressed
}

func (c *committer) statusEvent(state a2a.TaskState, message *a2a.Message) journal.Event {
	at := now()
	return journal.Event{Time: at, Wire: a2a.StreamEvent{Event: &a2a.StatusUpdate{
		TaskID: c.key.ID, ContextID: c.contextID,
		Status: a2a.TaskStatus{State: state, Message: message, Timestamp: at},
	}}}
}

// say makes a message of the agent; nil without parts.
func (c *committer) say(parts ...a2a.Part) *a2a.Message {
	if len(parts) == 0 {
		return nil
	}
	m := a2a.NewMessage(a2a.RoleAgent, parts...)
	m.TaskID, m.ContextID = c.key.ID, c.contextID
	return m
}

func (c *committer) failed(text string) ending {
	return ending{state: a2a.TaskStateFailed, message: c.say(a2a.TextPart(text)), final: true}
}
