// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/share"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
)

// maxQueuedTurns is how many turns may wait for a place. One owner gets three quarters of it.
const maxQueuedTurns = 10_000

// A turnQueue bounds how many turns run at once. Those that wait are served owner by owner, so that the many turns of
// one owner do not delay the few of another. A turn is in one of three states: it waits, has a place, or is over.
type turnQueue struct {
	max int // places; 0 means no bound

	mu      sync.Mutex
	running int
	waiting int
	owners  map[string]*ownersTurns // of those with turns that run or wait
	order   []string                // the owners of waiting turns; the first one is served next
}

// ownersTurns are those of one owner, of all tenants, as callers choose their tenant.
type ownersTurns struct {
	running int
	waiting []chan struct{} // closed when the turn gets its place
}

// crowded reports whether a further turn of an owner would wait.
func (q *turnQueue) crowded(owner string) bool {
	if q.max == 0 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.owners[owner]
	return q.running >= q.max || o != nil && (len(o.waiting) > 0 || o.running >= share.Of(q.max))
}

// admit refuses a message whose turn could not even wait.
func (q *turnQueue) admit(owner string) error {
	if q.max == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if o := q.owners[owner]; o != nil && len(o.waiting) >= share.Of(maxQueuedTurns) {
		return &a2a.Error{Kind: a2a.ErrRateLimited, RetryAfter: 5 * time.Second, Message: fmt.Sprintf(
			"%d of your messages wait for their turn, which is the limit; send again when some have begun",
			len(o.waiting))}
	}
	if q.waiting >= maxQueuedTurns {
		return &a2a.Error{Kind: a2a.ErrUnavailable, RetryAfter: 5 * time.Second, Message: fmt.Sprintf(
			"%d messages wait for their turn, which is the limit; send again later", q.waiting)}
	}
	return nil
}

// enter waits for a place. Its error is the cause with which ctx ended before.
func (q *turnQueue) enter(ctx context.Context, owner string) error {
	if q.max == 0 {
		return nil
	}
	place := make(chan struct{})
	q.mu.Lock()
	if q.owners == nil {
		q.owners = map[string]*ownersTurns{}
	}
	o := q.owners[owner]
	if o == nil {
		o = &ownersTurns{}
		q.owners[owner] = o
	}
	if len(o.waiting) == 0 {
		q.order = append(q.order, owner)
	}
	o.waiting = append(o.waiting, place)
	q.waiting++
	q.serve()
	q.mu.Unlock()

	select {
	case <-place:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(o.waiting, place); i >= 0 {
		o.waiting = slices.Delete(o.waiting, i, i+1)
		q.waiting--
		if len(o.waiting) == 0 {
			q.order = slices.DeleteFunc(q.order, func(name string) bool { return name == owner })
		}
	} else { // the place came at the same time
		q.running--
		o.running--
	}
	q.forget(owner)
	q.serve()
	return context.Cause(ctx)
}

// leave gives a place back.
func (q *turnQueue) leave(owner string) {
	if q.max == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	q.owners[owner].running--
	q.forget(owner)
	q.serve()
}

// serve gives the free places away, one to each owner in order; mu is held.
func (q *turnQueue) serve() {
	for q.running < q.max {
		i := slices.IndexFunc(q.order, func(name string) bool { return q.owners[name].running < share.Of(q.max) })
		if i < 0 {
			return
		}
		name := q.order[i]
		o := q.owners[name]
		q.order = slices.Delete(q.order, i, i+1)
		close(o.waiting[0])
		o.waiting = o.waiting[1:]
		o.running++
		q.running++
		q.waiting--
		if len(o.waiting) > 0 {
			q.order = append(q.order, name)
		}
	}
}

// forget drops an owner without turns; mu is held.
func (q *turnQueue) forget(owner string) {
	if o := q.owners[owner]; o.running == 0 && len(o.waiting) == 0 {
		delete(q.owners, owner)
	}
}

// inProcess reports whether the caller of a turn is part of this process, such as an agent whose own turn waits for
// this one. To let that one wait for a place could stop both for good.
func (st *start) inProcess() bool { return st.message != nil && st.call.Binding == "" }

// begin runs the agent once the turn has a place.
func (t *openTurn) begin() error {
	e, owner := t.r.e, t.r.key.Owner
	if !t.start.inProcess() {
		if err := e.queue.enter(t.ctx, owner); err != nil {
			return err
		}
		defer e.queue.leave(owner)
	}
	limit := time.AfterFunc(e.opts.TurnLimit, t.passedLimit)
	defer limit.Stop()
	telemetry.RunningTurns.Add(t.ctx, 1, t.r.svc.name)
	defer telemetry.RunningTurns.Add(t.ctx, -1, t.r.svc.name)
	return t.callAgent()
}
