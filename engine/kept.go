// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"container/list"
	"context"
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

	mu     sync.Mutex
	folder *journal.Folder // nil once a runner has taken it
	head   *journal.Head   // as of the last event that was folded
	size   int             // about, in bytes
}

// catchUp folds the events up to those of head. It returns false when head is of another task that has the same id.
// mu is held, or nobody else has p.
func (p *projection) catchUp(ctx context.Context, j journal.Journal, head *journal.Head) (bool, error) {
	if !head.Created.Equal(p.head.Created) || head.ContextID != p.head.ContextID || head.Seq < p.head.Seq {
		return false, nil
	}
	for seq := p.head.Seq; seq < head.Seq; {
		events, err := j.Events(ctx, p.key, seq, int(min(head.Seq-seq, readBatch)))
		if err != nil {
			return false, err
		}
		if len(events) == 0 {
			return false, fmt.Errorf("engine: the journal has no event after %d of task %s, whose last is %d", seq, p.key.ID, head.Seq)
		}
		for i := range events {
			seq = events[i].Seq
			p.folder.Apply(&events[i])
			p.size += events[i].Size()
		}
	}
	p.head = head
	return true, nil
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
	k.mu.Lock()
	e := k.byKey[key]
	k.remove(e)
	k.mu.Unlock()
	if e == nil {
		return nil
	}
	p := e.Value.(*keptEntry).projection
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder == nil {
		return nil
	}
	mine := &projection{key: key, folder: p.folder, head: p.head, size: p.size}
	p.folder = nil
	return mine
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder == nil {
		return nil, nil, nil
	}
	head, err := e.journal.Head(ctx, p.key)
	if err != nil {
		return nil, nil, err
	}
	before := p.size
	if ok, err := p.catchUp(ctx, e.journal, head); err != nil || !ok {
		p.folder = nil // it may be folded in part
		return nil, nil, err
	}
	if p.size != before {
		e.kept.put(p, p.size)
	}
	return p.folder.Task(), head, nil
}

// load returns a task as last committed, for a runner that may have it to itself or for a look.
func (e *Engine) load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	snap, err := e.journal.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	if size := a2a.SizeOf(snap.Task); size >= minKept {
		e.kept.put(&projection{key: key, folder: journal.NewFolder(snap.Task), head: snap.Head, size: size}, size)
	}
	return snap, nil
}

// claimedTask returns the projection of a task whose lease was just taken, for the runner alone.
func (e *Engine) claimedTask(ctx context.Context, c journal.Claimed) (*projection, error) {
	if p := e.kept.take(c.Lease.Key); p != nil {
		if ok, err := p.catchUp(ctx, e.journal, c.Head); err != nil || ok {
			return p, err
		}
	}
	snap, err := e.journal.Load(ctx, c.Lease.Key)
	if err != nil {
		return nil, err
	}
	return &projection{key: c.Lease.Key, folder: journal.NewFolder(snap.Task), head: snap.Head, size: a2a.SizeOf(snap.Task)}, nil
}
