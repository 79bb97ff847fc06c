// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/dragoman-a2a/dragoman/journal"
)

// runnerSet holds the runners of this node, at most one a task. A slot without a runner is a claim in progress, so
// that one node never claims a task twice and fences itself off.
type runnerSet struct {
	mu    sync.Mutex
	slots map[journal.Key]*slot
}

type slot struct {
	ready chan struct{} // closed when the claim is over
	r     *runner       // nil while claiming, and when the claim failed
}

func (s *runnerSet) get(key journal.Key) *runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot := s.slots[key]; slot != nil {
		return slot.r
	}
	return nil
}

// add puts in the runner of a task that is about to be created. It returns false when there is one.
func (s *runnerSet) add(r *runner) bool {
	sl, mine := s.reserve(r.key)
	if mine {
		s.fill(r.key, sl, r)
	}
	return mine
}

// reserve returns the slot of a task and whether the caller made it and has to fill it.
func (s *runnerSet) reserve(key journal.Key) (*slot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl := s.slots[key]; sl != nil {
		return sl, false
	}
	if s.slots == nil {
		s.slots = map[journal.Key]*slot{}
	}
	sl := &slot{ready: make(chan struct{})}
	s.slots[key] = sl
	return sl, true
}

// fill ends a reservation; a nil runner gives it up.
func (s *runnerSet) fill(key journal.Key, sl *slot, r *runner) {
	s.mu.Lock()
	sl.r = r
	if r == nil {
		delete(s.slots, key)
	}
	s.mu.Unlock()
	close(sl.ready)
}

func (s *runnerSet) remove(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl := s.slots[r.key]; sl != nil && sl.r == r {
		delete(s.slots, r.key)
	}
}

func (s *runnerSet) all() []*runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*runner, 0, len(s.slots))
	for _, sl := range s.slots {
		if sl.r != nil {
			all = append(all, sl.r)
		}
	}
	return all
}

// ensureRunner makes sure that a runner deals with a task's inputs: the one on this node, a new one, or that of the
// node that holds the task's lease.
func (e *Engine) ensureRunner(ctx context.Context, key journal.Key) error {
	for {
		sl, mine := e.runners.reserve(key)
		if mine {
			return e.claim(ctx, key, sl)
		}
		select {
		case <-sl.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		r := sl.r
		if r == nil {
			continue // that claim failed; try our own
		}
		if r.signal() {
			return nil
		}
		select {
		case <-r.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// claim takes a task's lease and starts its runner. A task that another node holds is that node's to deal with.
func (e *Engine) claim(ctx context.Context, key journal.Key, sl *slot) error {
	svc := e.service(key.Agent)
	if svc == nil {
		e.runners.fill(key, sl, nil)
		return nil // inputs wait until some node runs this agent
	}
	if e.drained.Load() { // it could only give the lease back
		e.runners.fill(key, sl, nil)
		e.notify(ctx, claimable(key.Agent))
		return nil
	}
	c, err := e.journal.ClaimTask(ctx, key, e.opts.Node, e.opts.LeaseTTL)
	if err != nil {
		e.runners.fill(key, sl, nil)
		var held *journal.HeldError
		if errors.As(err, &held) {
			e.notify(ctx, key)
			return nil
		}
		return wireError(err)
	}
	_, err = e.startClaimed(ctx, svc, c, sl)
	return err
}

// takeOver starts the runner of a task that the claim loop claimed, or gives the lease to the runner that this node
// already has. It reports whether the task has a runner now.
func (e *Engine) takeOver(c journal.Claimed) bool {
	key := c.Lease.Key
	for {
		sl, mine := e.runners.reserve(key)
		if mine {
			r, err := e.startClaimed(e.ctx, e.service(key.Agent), c, sl)
			switch {
			case err == nil && !r.signal():
				// whoever brought an input after the claim was told that somebody has the task
				e.ensureRunnerLater(key)
			case err != nil && e.ctx.Err() == nil:
				e.log.Warn("cannot take up a task; trying again", "task", key.ID, "error", err)
			}
			return err == nil
		}
		<-sl.ready
		if sl.r == nil {
			continue
		}
		if sl.r.currentLease().Token >= c.Lease.Token || sl.r.replaceLease(c.Lease) {
			return true
		}
		select {
		case <-sl.r.gone: // the runner before has made its last commit and is about to leave
		case <-e.ctx.Done():
			return false
		}
	}
}

// startClaimed starts the runner of a claimed task. When the task cannot be read, the lease is kept until it expires,
// so that a damaged task is not tried again and again.
func (e *Engine) startClaimed(ctx context.Context, svc *service, c journal.Claimed, sl *slot) (*runner, error) {
	r, err := svc.claimedRunner(ctx, c)
	e.runners.fill(c.Lease.Key, sl, r)
	if err != nil {
		return nil, wireError(err)
	}
	if e.enter() != nil { // the engine drains: the task is for whoever comes next
		r.giveBack()
	} else {
		r.goRunTurns(r.resume)
	}
	return r, nil
}
