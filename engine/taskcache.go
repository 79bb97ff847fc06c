// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

const (
	// maxCached bounds the size of the task cache, in bytes as a2a.SizeOf counts them.
	maxCached = 32 << 20
	// minCached is the size from which on a task is cached. To load a smaller one costs little more than its head.
	minCached = 4 << 10
)

// A cachedTask is a projection that outlives the turn it was folded for, so that the next message costs its own events
// and not all that the task has had before. The journal stays the truth: each use asks it for the head and folds what
// another node may have appended.
type cachedTask struct {
	key journal.Key

	mu         sync.Mutex          // not held while the journal is read
	projection *journal.Projection // nil once a runner has taken it
	head       *journal.Head       // the last one that was read in full
	seq        uint64              // of the last event that was folded; at least that of head
	size       int                 // about, in bytes
}

func newCachedTask(key journal.Key, p *journal.Projection, head *journal.Head, size int) *cachedTask {
	return &cachedTask{key: key, projection: p, head: head, seq: head.Seq, size: size}
}

// at returns the task as of event seq: that of head, or a later one that other readers have folded. If as is of an
// earlier event than seq, the head that goes with the task is not known yet. A nil task with missing set means that the
// events after seq have to be folded first. Without missing, the cached task cannot be used for this head.
func (t *cachedTask) at(head *journal.Head) (task *a2a.Task, as *journal.Head, seq uint64, missing bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.projection == nil, !head.Created.Equal(t.head.Created), head.ContextID != t.head.ContextID:
		return nil, nil, 0, false // taken, or of another task that had the same id
	case t.seq < head.Seq:
		return nil, nil, t.seq, true
	case head.Seq >= t.head.Seq:
		t.head = head
	}
	return t.projection.Task(), t.head, t.seq, false
}

// fold folds the events that follow seq, up to those of head, unless another reader has folded them meanwhile.
func (t *cachedTask) fold(seq uint64, events []journal.Event, head *journal.Head) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.projection == nil || t.seq != seq {
		return
	}
	for i := range events {
		if events[i].Seq > head.Seq {
			break
		}
		t.seq = events[i].Seq
		t.projection.Apply(&events[i])
		t.size += events[i].Size()
	}
	if t.seq == head.Seq {
		t.head = head
	}
}

func (t *cachedTask) bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

// task returns the task as of head, or as of a later one, and the head of the same event. It is nil when the cached
// task cannot be used.
func (t *cachedTask) task(ctx context.Context, j journal.Journal, head *journal.Head) (*a2a.Task, *journal.Head,
	error) {
	for {
		task, as, seq, missing := t.at(head)
		if task != nil && as.Seq < seq {
			// Other readers have folded events after head. With an older head, a stream would show them twice.
			later, err := j.Head(ctx, t.key)
			if err != nil {
				return nil, nil, err
			}
			head = later
			continue
		}
		if !missing {
			return task, as, nil
		}
		events, err := j.Events(ctx, t.key, seq, int(min(head.Seq-seq, readBatch)))
		if err != nil {
			return nil, nil, err
		}
		if len(events) == 0 || events[0].Seq > head.Seq {
			return nil, nil, fmt.Errorf("engine: the journal has no event after %d of task %s, whose last is %d",
				seq, t.key.ID, head.Seq)
		}
		t.fold(seq, events, head)
	}
}

// taskCache has the tasks without a runner that were used last.
type taskCache struct {
	mu     sync.Mutex
	byKey  map[journal.Key]*list.Element
	recent list.List // of *cacheEntry, the one that was used last in front
	size   int       // of all entries
}

type cacheEntry struct {
	*cachedTask
	size int // as the cache counts it
}

// put adds a task, in place of an older entry of it, unless it is too small or too large for the cache.
func (c *taskCache) put(t *cachedTask, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byKey[t.key])
	if size < minCached || size > maxCached {
		return
	}
	if c.byKey == nil {
		c.byKey = make(map[journal.Key]*list.Element)
	}
	c.size += size
	c.byKey[t.key] = c.recent.PushFront(&cacheEntry{t, size})
	c.evict()
}

// resize counts anew a task that has grown. A task that is not in the cache any more stays out.
func (c *taskCache) resize(t *cachedTask, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[t.key]
	if e == nil || e.Value.(*cacheEntry).cachedTask != t {
		return
	}
	c.size += size - e.Value.(*cacheEntry).size
	e.Value.(*cacheEntry).size = size
	c.evict()
}

// evict removes the entries that were used longest ago until the rest is within the bound; mu is held.
func (c *taskCache) evict() {
	for c.size > maxCached {
		c.remove(c.recent.Back())
	}
}

// get returns the entry of a task for reading, nil when there is none.
func (c *taskCache) get(key journal.Key) *cachedTask {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cacheEntry).cachedTask
}

// take removes the entry of a task and gives it to the caller alone, for a runner; nil when there is none.
func (c *taskCache) take(key journal.Key) *cachedTask {
	t := c.get(key)
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.drop(t)
	if t.projection == nil {
		return nil
	}
	taken := &cachedTask{key: key, projection: t.projection, head: t.head, seq: t.seq, size: t.size}
	t.projection = nil
	return taken
}

// drop removes an entry, unless another one has taken its place.
func (c *taskCache) drop(t *cachedTask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[t.key]; e != nil && e.Value.(*cacheEntry).cachedTask == t {
		c.remove(e)
	}
}

// remove removes an element; mu is held.
func (c *taskCache) remove(e *list.Element) {
	if e == nil {
		return
	}
	entry := e.Value.(*cacheEntry)
	c.recent.Remove(e)
	delete(c.byKey, entry.key)
	c.size -= entry.size
}

// readCached returns a cached task as last committed, nil when the entry cannot be used.
func (e *Engine) readCached(ctx context.Context, t *cachedTask) (*a2a.Task, *journal.Head, error) {
	head, err := e.journal.Head(ctx, t.key)
	if err != nil {
		if errors.Is(err, journal.ErrNotFound) {
			e.cache.drop(t)
		}
		return nil, nil, err
	}
	task, as, err := t.task(ctx, e.journal, head)
	if task == nil {
		e.cache.drop(t)
		return nil, nil, err
	}
	e.cache.resize(t, t.bytes())
	return task, as, nil
}

// loadClaimed returns the task whose lease was just taken, for its runner alone.
func (e *Engine) loadClaimed(ctx context.Context, c journal.Claimed) (*cachedTask, error) {
	if t := e.cache.take(c.Lease.Key); t != nil {
		if task, _, err := t.task(ctx, e.journal, c.Head); task != nil || err != nil {
			return t, err
		}
	}
	snap, err := e.journal.Load(ctx, c.Lease.Key)
	if err != nil {
		return nil, err
	}
	return newCachedTask(c.Lease.Key, journal.NewProjection(snap.Task), snap.Head, a2a.SizeOf(snap.Task)), nil
}
