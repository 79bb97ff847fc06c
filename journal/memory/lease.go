// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"container/heap"
	"context"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
)

// readyQueue is a heap of the tasks of one agent that have something to do, by when they can be claimed: a task that
// somebody holds is in it as well, from when its lease expires.
type readyQueue []*task

const notQueued = -1

func (q readyQueue) Len() int           { return len(q) }
func (q readyQueue) Less(i, k int) bool { return q[i].readyAt < q[k].readyAt }
func (q readyQueue) Swap(i, k int) {
	q[i], q[k] = q[k], q[i]
	q[i].ready, q[k].ready = i, k
}

// Push implements heap.Interface.
func (q *readyQueue) Push(x any) {
	t := x.(*task)
	t.ready = len(*q)
	*q = append(*q, t)
}

// Pop implements heap.Interface.
func (q *readyQueue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	t.ready = notQueued
	return t
}

func (q *readyQueue) drop(t *task) {
	if t.ready != notQueued {
		heap.Remove(q, t.ready)
	}
}

// queue puts the task where it belongs after any change.
func (j *Journal) queue(t *task, now int64) {
	q := t.scope.ready
	at, something := t.runnableAt(now)
	switch {
	case !something:
		q.drop(t)
	case t.ready == notQueued:
		t.readyAt = at
		heap.Push(q, t)
	case t.readyAt != at:
		t.readyAt = at
		heap.Fix(q, t.ready)
	}
}

// runnableAt returns from when on the task can be claimed, if there is anything to do.
func (t *task) runnableAt(now int64) (at int64, something bool) {
	if t.head.Status.State.Terminal() {
		return 0, false
	}
	run := &t.head.Run
	switch {
	case len(t.inputs) == 0 && !run.Open:
		t.since = 0
	case t.since == 0:
		t.since = now
	}
	at, something = t.since, t.since != 0
	if !run.WakeAt.IsZero() {
		if wake := run.WakeAt.UnixNano(); !something || wake < at {
			at, something = wake, true
		}
	}
	return max(at, t.until), something
}

// Claim implements [journal.Journal].
func (j *Journal) Claim(ctx context.Context, holder string, agents []string, ttl time.Duration,
	limit int) ([]journal.Claimed, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	now := time.Now().UnixNano()
	var claimed []journal.Claimed
	for len(claimed) < limit {
		t := j.longestWaiting(agents, now)
		if t == nil {
			break
		}
		claimed = append(claimed, j.claim(t, holder, ttl, now))
	}
	return claimed, nil
}

func (j *Journal) longestWaiting(agents []string, now int64) *task {
	var best *task
	for _, agent := range agents {
		q := j.ready[agent]
		if q == nil || len(*q) == 0 {
			continue
		}
		if t := (*q)[0]; t.readyAt <= now && (best == nil || t.readyAt < best.readyAt) {
			best = t
		}
	}
	return best
}

func (j *Journal) claim(t *task, holder string, ttl time.Duration, now int64) journal.Claimed {
	j.token++
	// A lease of no length would leave the task at the queue's front for ever.
	t.holder, t.token, t.until = holder, j.token, now+max(int64(ttl), 1)
	j.queue(t, now)
	return journal.Claimed{Lease: t.lease(), Head: t.head, Inputs: t.waiting(0)}
}

// ClaimTask implements [journal.Journal].
func (j *Journal) ClaimTask(ctx context.Context, key journal.Key, holder string, ttl time.Duration) (journal.Claimed,
	error) {
	if err := j.lock(ctx); err != nil {
		return journal.Claimed{}, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return journal.Claimed{}, err
	}
	now := time.Now().UnixNano()
	if t.until > now {
		return journal.Claimed{}, &journal.HeldError{Holder: t.holder, Until: time.Unix(0, t.until)}
	}
	return j.claim(t, holder, ttl, now), nil
}

// Renew implements [journal.Journal].
func (j *Journal) Renew(ctx context.Context, leases []journal.Lease, ttl time.Duration) ([]bool, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	now := time.Now().UnixNano()
	held := make([]bool, len(leases))
	for i, l := range leases {
		t, err := j.find(l.Key)
		if err != nil || !t.heldBy(l) {
			continue
		}
		held[i] = true
		t.until = now + max(int64(ttl), 1)
		j.queue(t, now)
	}
	return held, nil
}

// Release implements [journal.Journal].
func (j *Journal) Release(ctx context.Context, l journal.Lease) error {
	if err := j.lock(ctx); err != nil {
		return err
	}
	defer j.mu.Unlock()
	t, err := j.find(l.Key)
	if err != nil || !t.heldBy(l) {
		return nil
	}
	t.holder, t.until = "", 0
	j.queue(t, time.Now().UnixNano())
	return nil
}
