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
	// maxKept bounds the projections that no runner has, in bytes as a2a.SizeOf counts them.
	maxKept = 32 << 20
	// minKept is the size from which on a projection is kept. To load a smaller task costs little more than its head.
	minKept = 4 << 10
)

// A projection is a folded task that outlives the turn it was folded for, so that the next message costs its own events
// and not all that the task has had before. The journal stays the truth: each use asks it for the head and folds what
// another node may have appended.
type projection struct {
	key journal.Key

	mu         sync.Mutex          // not held while the journal is read
	projection *journal.Projection // nil once a runner has taken it
	head       *journal.Head       // the last one that was read in full
	seq        uint64              // of the last event that was folded; at least that of head
	size       int                 // about, in bytes
}

func newProjection(key journal.Key, f *journal.Projection, head *journal.Head, size int) *projection {
	return &projection{key: key, projection: f, head: head, seq: head.Seq, size: size}
}

// at returns the task as of head, or a later one that other readers have folded. A nil task with missing set means that
// the events after seq are to be folded first; without it, the projection cannot be used for this head.
func (p *projection) at(head *journal.Head) (task *a2a.Task, as *journal.Head, seq uint64, missing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.projection == nil, !head.Created.Equal(p.head.Created), head.ContextID != p.head.ContextID:
		return nil, nil, 0, false // taken, or of another task that had the same id
	case p.seq < head.Seq:
		return nil, nil, p.seq, true
	case head.Seq >= p.head.Seq:
		p.head = head
	}
	return p.projection.Task(), p.head, p.seq, false
}

// fold folds the events that follow seq, up to those of head, unless another reader has folded them meanwhile.
func (p *projection) fold(seq uint64, events []journal.Event, head *journal.Head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.projection == nil || p.seq != seq {
		return
	}
	for i := range events {
		if events[i].Seq > head.Seq {
			break
		}
		p.seq = events[i].Seq
		p.projection.Apply(&events[i])
		p.size += events[i].Size()
	}
}

func (p *projection) bytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size
}

// task returns the task as of head, or as of a later one, and that head. It is nil when the projection cannot be used.
func (p *projection) task(ctx context.Context, j journal.Journal, head *journal.Head) (*a2a.Task, *journal.Head, error) {
	for {
		task, as, seq, missing := p.at(head)
		if !missing {
			return task, as, nil
		}
		events, err := j.Events(ctx, p.key, seq, int(min(head.Seq-seq, readBatch)))
		if err != nil {
			return nil, nil, err
		}
		if len(events) == 0 || events[0].Seq > head.Seq {
			return nil, nil, fmt.Errorf("engine: the journal has no event after %d of task %s, whose last is %d", seq, p.key.ID, head.Seq)
		}
		p.fold(seq, events, head)
	}
}

// kept holds the projections that were used last.
type kept struct {
	mu     sync.Mutex
	byKey  map[journal.Key]*list.Element
	recent list.List // of *keptEntry, the one that was used last in front
	bytes  int
}

type keptEntry struct {
	*projection
	bytes int // of the projection when it was put
}

// put keeps a projection, in place of an older one of its task, unless it is too small or too large for that.
func (k *kept) put(p *projection, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(k.byKey[p.key])
	if size < minKept || size > maxKept {
		return
	}
	if k.byKey == nil {
		k.byKey = make(map[journal.Key]*list.Element)
	}
	k.bytes += size
	k.byKey[p.key] = k.recent.PushFront(&keptEntry{p, size})
	k.evict()
}

// resize counts a projection anew that has grown. One that is not there any more stays out.
func (k *kept) resize(p *projection, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.byKey[p.key]
	if e == nil || e.Value.(*keptEntry).projection != p {
		return
	}
	k.bytes += size - e.Value.(*keptEntry).bytes
	e.Value.(*keptEntry).bytes = size
	k.evict()
}

// evict drops what was used longest ago until the rest is within the bound; mu is held.
func (k *kept) evict() {
	for k.bytes > maxKept {
		k.remove(k.recent.Back())
	}
}

// get returns the projection of a task for a look at it; nil when there is none.
func (k *kept) get(key journal.Key) *projection {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.byKey[key]
	if e == nil {
		return nil
	}
	k.recent.MoveToFront(e)
	return e.Value.(*keptEntry).projection
}

// take gives the projection of a task to its runner; nil when there is none.
func (k *kept) take(key journal.Key) *projection {
	p := k.get(key)
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k.drop(p)
	if p.projection == nil {
		return nil
	}
	mine := &projection{key: key, projection: p.projection, head: p.head, seq: p.seq, size: p.size}
	p.projection = nil
	return mine
}

// drop takes a projection out, unless another one has taken its place.
func (k *kept) drop(p *projection) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.byKey[p.key]; e != nil && e.Value.(*keptEntry).projection == p {
		k.remove(e)
	}
}

// remove takes an element out; mu is held.
func (k *kept) remove(e *list.Element) {
	if e == nil {
		return
	}
	entry := e.Value.(*keptEntry)
	k.recent.Remove(e)
	delete(k.byKey, entry.key)
	k.bytes -= entry.bytes
}

// look returns the task of a kept projection as last committed, nil when it cannot be used.
func (e *Engine) look(ctx context.Context, p *projection) (*a2a.Task, *journal.Head, error) {
	head, err := e.journal.Head(ctx, p.key)
	if err != nil {
		if errors.Is(err, journal.ErrNotFound) {
			e.kept.drop(p)
		}
		return nil, nil, err
	}
	task, as, err := p.task(ctx, e.journal, head)
	if task == nil {
		e.kept.drop(p)
		return nil, nil, err
	}
	e.kept.resize(p, p.bytes())
	return task, as, nil
}

// claimedTask returns the projection of a task whose lease was just taken, for the runner alone.
func (e *Engine) claimedTask(ctx context.Context, c journal.Claimed) (*projection, error) {
	if p := e.kept.take(c.Lease.Key); p != nil {
		if task, _, err := p.task(ctx, e.journal, c.Head); task != nil || err != nil {
			return p, err
		}
	}
	snap, err := e.journal.Load(ctx, c.Lease.Key)
	if err != nil {
		return nil, err
	}
	return newProjection(c.Lease.Key, journal.NewProjection(snap.Task), snap.Head, a2a.SizeOf(snap.Task)), nil
}
