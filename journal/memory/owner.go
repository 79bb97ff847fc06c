// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"container/heap"
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/share"
	"github.com/dragoman-a2a/dragoman/journal"
)

// taskBytes is about what a task takes beside its events and inputs.
const taskBytes = 1 << 10

// load is a number of tasks and about what they take.
type load struct {
	tasks int
	bytes int64
}

func (l *load) add(more load) { l.tasks, l.bytes = l.tasks+more.tasks, l.bytes+more.bytes }

// ownerKey names whose tasks they are, whichever agent has them.
type ownerKey struct{ tenant, name string }

func ownerOf(s journal.Scope) ownerKey { return ownerKey{s.Tenant, s.Owner} }

// owner is what one owner holds.
type owner struct {
	scopes     int
	active     load // not ended; with the states of contexts in which a task has not ended
	ended      endedList
	endedBytes int64   // of ended; with the states of the other contexts
	weight     float64 // the part of the journal that the owner fills, by ended tasks or by bytes, whichever is larger
	i          int     // its place among the heavy owners, or notQueued
}

func (o *owner) bytes() int64 { return o.active.bytes + o.endedBytes }

// heavyOwners is a heap of the owners who have tasks that have ended, the one with the largest weight first.
type heavyOwners []*owner

func (h heavyOwners) Len() int           { return len(h) }
func (h heavyOwners) Less(i, k int) bool { return h[i].weight > h[k].weight }
func (h heavyOwners) Swap(i, k int) {
	h[i], h[k] = h[k], h[i]
	h[i].i, h[k].i = i, k
}

// Push implements heap.Interface.
func (h *heavyOwners) Push(x any) {
	o := x.(*owner)
	o.i = len(*h)
	*h = append(*h, o)
}

// Pop implements heap.Interface.
func (h *heavyOwners) Pop() any {
	last := len(*h) - 1
	o := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	o.i = notQueued
	return o
}

func (j *Journal) addOwner(s journal.Scope) *owner {
	o := j.owners[ownerOf(s)]
	if o == nil {
		o = &owner{i: notQueued}
		j.owners[ownerOf(s)] = o
	}
	o.scopes++
	return o
}

func (j *Journal) dropOwner(s *scope) {
	if s.owner.scopes--; s.owner.scopes == 0 {
		delete(j.owners, ownerOf(s.Scope))
	}
}

// Room refuses a message whose task would be too large to be kept. It reserves nothing. Error: [journal.QuotaError].
func (j *Journal) Room(_ context.Context, _ journal.Scope, bytes int) error {
	if int64(taskBytes+bytes) > j.maxBytes {
		return &journal.QuotaError{Bytes: j.maxBytes}
	}
	return nil
}

// room refuses what would make the tasks that have not ended too many or too large: all together, or those of one
// owner, who is nil when he has no task yet.
func (j *Journal) room(o *owner, more load) error {
	if o == nil {
		o = new(owner)
	}
	mine := o.active
	switch {
	case more.tasks > 0 && j.active.tasks >= j.maxActive:
		return fmt.Errorf("%w: %d tasks have not ended", journal.ErrFull, j.active.tasks)
	case more.tasks > 0 && mine.tasks >= share.Of(j.maxActive):
		return fmt.Errorf("%w: %d tasks of the owner have not ended", journal.ErrFull, mine.tasks)
	case j.active.bytes+more.bytes > j.maxBytes:
		return fmt.Errorf("%w: tasks that have not ended take %d bytes", journal.ErrFull, j.active.bytes)
	case mine.bytes+more.bytes > share.Of(j.maxBytes):
		return fmt.Errorf("%w: tasks of the owner that have not ended take %d bytes", journal.ErrFull, mine.bytes)
	case !j.fits(o, more.bytes):
		return fmt.Errorf("%w: tasks of the owner that have not ended take %d bytes, more than an equal part, "+
			"and other owners need the rest", journal.ErrFull, mine.bytes)
	}
	return nil
}

// fits reports whether the tasks of an owner can take more bytes. They cannot if they take more than an equal part even
// without those that have ended, and only tasks of owners within their part are left to make room.
func (j *Journal) fits(o *owner, more int64) bool {
	over := j.bytes() + more - j.maxBytes
	owners := len(j.owners)
	if o.scopes == 0 { // it comes with this write
		owners++
	}
	if over <= 0 || o.active.bytes+more <= j.maxBytes/int64(owners) {
		return true
	}
	return over <= o.endedBytes+j.spare(0, o)
}

func (j *Journal) bytes() int64 { return j.active.bytes + j.ended.bytes }

// outgrown reports whether an owner has more than an equal part of the ended tasks or of the bytes.
func (j *Journal) outgrown(o *owner) bool { return o.weight*float64(len(j.owners)) > 1 }

// spare adds up how many bytes owners beside one have in ended tasks beyond their part. It looks at the heavy owners
// from one place on.
func (j *Journal) spare(i int, beside *owner) int64 {
	if i >= len(j.heavy) || !j.outgrown(j.heavy[i]) {
		return 0 // those below are lighter
	}
	sum := j.spare(2*i+1, beside) + j.spare(2*i+2, beside)
	if o := j.heavy[i]; o != beside {
		sum += min(o.endedBytes, max(o.bytes()-j.maxBytes/int64(len(j.owners)), 0))
	}
	return sum
}

// weigh notes what a task takes more, or less, than before.
func (j *Journal) weigh(t *task, more load) {
	t.bytes += more.bytes
	j.charge(t.scope.owner, t.over, more)
}

// charge notes what an owner takes more, or less, than before, in what has ended or in what has not.
func (j *Journal) charge(o *owner, over bool, more load) {
	if over {
		j.ended.add(more)
		o.endedBytes += more.bytes
	} else {
		j.active.add(more)
		o.active.add(more)
	}
	j.reweigh(o)
}

// end notes that a task has ended.
func (j *Journal) end(t *task) {
	o, whole := t.scope.owner, load{1, t.bytes}
	o.ended.push(t)
	t.over = true
	j.charge(o, false, load{-whole.tasks, -whole.bytes})
	j.charge(o, true, whole)
	j.leave(t)
}

// unload notes that a task is forgotten.
func (j *Journal) unload(t *task) {
	o := t.scope.owner
	if t.over {
		o.ended.remove(t)
	} else {
		j.leave(t)
	}
	j.charge(o, t.over, load{-1, -t.bytes})
}

// leave notes that a task of a context has ended or is forgotten. The context's state counts with what has ended as
// soon as all its tasks have.
func (j *Journal) leave(t *task) {
	c := t.context
	if c.active--; c.active == 0 {
		j.charge(t.scope.owner, false, load{bytes: -int64(len(c.state))})
		j.charge(t.scope.owner, true, load{bytes: int64(len(c.state))})
	}
}

// setState replaces the state of a task's context.
func (j *Journal) setState(t *task, state []byte) {
	c := t.context
	j.charge(t.scope.owner, c.active == 0, load{bytes: int64(len(state) - len(c.state))})
	c.state = state
}

// reweigh puts an owner where he belongs among the heavy ones.
func (j *Journal) reweigh(o *owner) {
	o.weight = max(float64(o.ended.len)/float64(j.maxFinished), float64(o.bytes())/float64(j.maxBytes))
	switch {
	case o.ended.len == 0 && o.i != notQueued:
		heap.Remove(&j.heavy, o.i)
	case o.ended.len > 0 && o.i == notQueued:
		heap.Push(&j.heavy, o)
	case o.i != notQueued:
		heap.Fix(&j.heavy, o.i)
	}
}

// makeRoom forgets tasks that have ended until the others fit, after what an owner wrote.
func (j *Journal) makeRoom(writer *owner) {
	for j.ended.tasks > j.maxFinished || j.bytes() > j.maxBytes {
		o := j.toForget(writer)
		if o == nil {
			return
		}
		j.forget(o.ended.first)
	}
}

// toForget returns the owner whose tasks make room for what an owner wrote: the writer itself while it has more than an
// equal part, else the heaviest. An owner within its part makes room only for another one within its own, and only if
// nobody has more than that. Without such an owner the journal stays too large: what ends or cancels a task is taken.
func (j *Journal) toForget(writer *owner) *owner {
	outgrown := j.outgrown(writer)
	switch {
	case outgrown && writer.ended.len > 0:
		return writer
	case len(j.heavy) == 0 || outgrown && !j.outgrown(j.heavy[0]):
		return nil
	}
	return j.heavy[0]
}

// growth returns about how much larger a commit makes a task, which is nil before the first one. The state of its
// context is not the task's.
func (t *task) growth(c *journal.Commit) int64 {
	size := 0
	for i := range c.Events {
		size += c.Events[i].Size()
	}
	if c.TaskState != nil {
		size += len(c.TaskState)
		if t != nil && t.more != nil {
			size -= len(t.more.state)
		}
	}
	return int64(size)
}

// stateGrowth returns how much larger a commit makes the state of its context.
func (s *scope) stateGrowth(c *journal.Commit) int64 {
	if c.ContextState == nil {
		return 0
	}
	size := len(c.ContextState)
	if s != nil && s.contexts[c.Head.ContextID] != nil {
		size -= len(s.contexts[c.Head.ContextID].state)
	}
	return int64(size)
}

func inputBytes(in *journal.Input) int64 {
	return int64(256 + a2a.SizeOf(in.Message) + metadataBytes(in.Call.Metadata))
}

// keyBytes is about what an idempotency key takes, which is kept as long as its task.
func keyBytes(key string) int64 {
	if key == "" {
		return 0
	}
	return int64(64 + len(key))
}

func metadataBytes(m a2a.Metadata) int {
	size := 0
	for k, v := range m {
		size += len(k) + len(v)
	}
	return size
}
