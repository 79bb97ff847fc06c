// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"container/heap"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
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
func (l *load) sub(less load) { l.tasks, l.bytes = l.tasks-less.tasks, l.bytes-less.bytes }

// ownerKey names whose tasks they are, whichever agent has them.
type ownerKey struct{ tenant, name string }

func ownerOf(s journal.Scope) ownerKey { return ownerKey{s.Tenant, s.Owner} }

// owner is what one owner holds.
type owner struct {
	scopes     int
	active     load // not ended
	ended      endedList
	endedBytes int64
	weight     float64 // of ended, as a part of what there may be
	i          int     // its place among the heavy owners, or notQueued
}

// heavyOwners is a heap of the owners who have tasks that have ended, the one with most of them first.
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

// share is what one owner may hold of the room for tasks that have not ended: three quarters.
func share[N int | int64](room N) N { return room - room/4 }

// room refuses what would make the tasks that have not ended too many or too large: all together, or those of one owner,
// who is nil when he has no task yet.
func (j *Journal) room(o *owner, more load) error {
	var mine load
	if o != nil {
		mine = o.active
	}
	switch {
	case more.tasks > 0 && j.active.tasks >= j.maxActive:
		return fmt.Errorf("%w: %d tasks have not ended", journal.ErrFull, j.active.tasks)
	case more.tasks > 0 && mine.tasks >= share(j.maxActive):
		return fmt.Errorf("%w: %d tasks of the owner have not ended", journal.ErrFull, mine.tasks)
	case j.active.bytes+more.bytes > j.maxBytes:
		return fmt.Errorf("%w: tasks that have not ended take %d bytes", journal.ErrFull, j.active.bytes)
	case mine.bytes+more.bytes > share(j.maxBytes):
		return fmt.Errorf("%w: tasks of the owner that have not ended take %d bytes", journal.ErrFull, mine.bytes)
	}
	return nil
}

// weigh notes what a task takes more, or less, than before.
func (j *Journal) weigh(t *task, more load) {
	o := t.scope.owner
	t.bytes += more.bytes
	if t.over {
		j.ended.add(more)
		o.endedBytes += more.bytes
		j.reweigh(o)
		return
	}
	j.active.add(more)
	o.active.add(more)
}

// end notes that a task has ended.
func (j *Journal) end(t *task) {
	o, whole := t.scope.owner, load{1, t.bytes}
	j.active.sub(whole)
	o.active.sub(whole)
	j.ended.add(whole)
	o.endedBytes += t.bytes
	o.ended.push(t)
	t.over = true
	j.reweigh(o)
}

// unload notes that a task is forgotten.
func (j *Journal) unload(t *task) {
	o, whole := t.scope.owner, load{1, t.bytes}
	if !t.over {
		j.active.sub(whole)
		o.active.sub(whole)
		return
	}
	j.ended.sub(whole)
	o.endedBytes -= t.bytes
	o.ended.remove(t)
	j.reweigh(o)
}

// reweigh puts an owner where he belongs among the heavy ones.
func (j *Journal) reweigh(o *owner) {
	o.weight = float64(o.ended.len)/float64(j.maxFinished) + float64(o.endedBytes)/float64(j.maxBytes)
	switch {
	case o.ended.len == 0 && o.i != notQueued:
		heap.Remove(&j.heavy, o.i)
	case o.ended.len > 0 && o.i == notQueued:
		heap.Push(&j.heavy, o)
	case o.i != notQueued:
		heap.Fix(&j.heavy, o.i)
	}
}

// makeRoom forgets tasks that have ended until the others fit.
func (j *Journal) makeRoom() {
	for len(j.heavy) > 0 && (j.ended.tasks > j.maxFinished || j.active.bytes+j.ended.bytes > j.maxBytes) {
		j.forget(j.heavy[0].ended.first)
	}
}

// growth returns about how much larger a commit makes a task, which is nil before the first one.
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
	if c.ContextState != nil {
		size += len(c.ContextState)
		if t != nil {
			size -= len(t.context.state)
		}
	}
	return int64(size)
}

func inputBytes(in *journal.Input) int64 {
	return int64(256 + a2a.SizeOf(in.Message) + metadataBytes(in.Call.Metadata))
}

func metadataBytes(m a2a.Metadata) int {
	size := 0
	for k, v := range m {
		size += len(k) + len(v)
	}
	return size
}
