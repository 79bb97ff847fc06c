// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A taskTable remembers which task of the upstream stands behind an id that a client of 0.1 made. Ids are kept for each
// owner and tenant, so that an id that another caller made is not there. The task that was used longest ago makes room
// for a new one.
type taskTable struct {
	max      int
	lifetime time.Duration

	mu     sync.Mutex
	bytes  int                       // of all answers
	byKey  map[taskKey]*list.Element // of *boundTask
	recent list.List                 // the last used first
}

type taskKey struct {
	owner  string
	tenant string     // "" where it only names the upstream
	id     a2a.TaskID // as the client made it
}

// A boundTask is an id of a client with the task behind it, once there is one.
type boundTask struct {
	key   taskKey
	used  time.Time
	bound chan struct{} // closed when one of the next two is known, or neither will ever be

	id     a2a.TaskID // of the upstream's task
	answer *a2a.Task  // what there is instead when the upstream answered with a message: 0.1 knows nothing but tasks
	size   int        // of the answer, in bytes
}

// maxAnswers bounds the answers that are remembered, in bytes.
const maxAnswers = 64 << 20

// find returns the task behind a client's id, nil if there is none.
func (t *taskTable) find(key taskKey) *boundTask {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.use(key)
}

// use returns an entry and makes it the most recent one; the caller holds the lock.
func (t *taskTable) use(key taskKey) *boundTask {
	e := t.byKey[key]
	if e == nil {
		return nil
	}
	b := e.Value.(*boundTask)
	if time.Since(b.used) > t.lifetime {
		t.drop(e)
		return nil
	}
	b.used = time.Now()
	t.recent.MoveToFront(e)
	return b
}

func (t *taskTable) drop(e *list.Element) {
	b := e.Value.(*boundTask)
	t.recent.Remove(e)
	t.bytes -= b.size
	delete(t.byKey, b.key)
}

// reserve returns the entry for a client's id, and whether it is new: then the caller must bind it.
func (t *taskTable) reserve(key taskKey) (b *boundTask, made bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.use(key); b != nil && b.answer == nil {
		return b, false
	} else if b != nil {
		t.drop(t.byKey[key]) // that talk has ended
	}
	b = &boundTask{key: key, used: time.Now(), bound: make(chan struct{})}
	t.byKey[key] = t.recent.PushFront(b)
	for len(t.byKey) > t.max {
		t.drop(t.recent.Back())
	}
	return b, true
}

// bind says which task stands behind an entry, or what the answer was. An entry with neither is forgotten.
func (t *taskTable) bind(b *boundTask, id a2a.TaskID, answer *a2a.Task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.id, b.answer = id, answer
	close(b.bound)
	e := t.byKey[b.key]
	if e == nil || e.Value != b {
		return
	}
	if id == "" && answer == nil {
		t.drop(e)
		return
	}
	if answer != nil {
		text, _ := answer.AppendJSON(nil)
		b.size = len(text)
		t.bytes += b.size
	}
	for t.bytes > maxAnswers {
		t.drop(t.recent.Back())
	}
}

// forget drops an entry whose task the upstream does not have any more.
func (t *taskTable) forget(b *boundTask) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.byKey[b.key]; e != nil && e.Value == b {
		t.drop(e)
	}
}

func (b *boundTask) wait(ctx context.Context) error {
	select {
	case <-b.bound:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
