// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/go-json-experiment/json"
)

const (
	pollInterval  = time.Second // under every waker, and for timers that are due
	claimBatch    = 16
	pruneInterval = time.Hour
	pruneBatch    = 500
)

// kick makes the claim loop look at once.
func (e *Engine) kick() {
	select {
	case e.kicks <- struct{}{}:
	default:
	}
}

// claimLoop takes over tasks that should run and run nowhere: after a crash, when a timer is due, and when an input
// was enqueued by somebody who could not claim the task.
func (e *Engine) claimLoop() {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-e.kicks:
		case <-tick.C:
		}
		for e.claimSome() == claimBatch {
		}
	}
}

func (e *Engine) claimSome() int {
	names := e.agentNames()
	if len(names) == 0 || e.drained.Load() {
		return 0
	}
	claimed, err := e.journal.Claim(e.ctx, e.opts.Node, names, e.opts.LeaseTTL, claimBatch)
	if err != nil {
		if e.ctx.Err() == nil {
			e.log.Warn("cannot look for tasks to run; trying again", "error", err)
		}
		return 0
	}
	started := 0
	for _, c := range claimed {
		if e.takeOver(c) {
			started++
		}
	}
	return started
}

// renewLoop prolongs the leases of the open turns, all in one call, three times in their life.
func (e *Engine) renewLoop() {
	e.every(e.opts.LeaseTTL/3, e.renew)
}

// every calls do at each interval until the engine has ended.
func (e *Engine) every(interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

func (e *Engine) renew() {
	runners := e.runners.all()
	if len(runners) == 0 {
		return
	}
	leases := make([]journal.Lease, len(runners)) // those of new tasks are zero until their first commit
	for i, r := range runners {
		leases[i] = r.currentLease()
	}
	held, err := e.journal.Renew(e.ctx, leases, e.opts.LeaseTTL)
	if err != nil {
		e.log.Warn("cannot renew leases; trying again", "error", err)
		return
	}
	for i, r := range runners {
		if !held[i] {
			r.lost(leases[i])
		}
	}
}

// pruneLoop removes what is past its retention, at the start and then each hour.
func (e *Engine) pruneLoop() {
	e.prune()
	e.every(pruneInterval, e.prune)
}

func (e *Engine) prune() {
	for {
		n, err := e.journal.Prune(e.ctx, now().Add(-e.opts.Retention), pruneBatch)
		if err != nil && e.ctx.Err() == nil {
			e.log.Warn("cannot remove old tasks; trying again later", "error", err)
		}
		if err != nil || n < pruneBatch {
			return
		}
	}
}

// listenLoop hears from other nodes, and looks by itself at what is followed here and runs elsewhere, as wakers may
// lose what they say.
func (e *Engine) listenLoop() {
	if e.opts.Waker == nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		err := e.opts.Waker.Listen(e.ctx, func(key journal.Key) {
			if key.ID == "" {
				e.kick()
				return
			}
			if e.rings.get(key) != nil {
				e.spawn(func() { e.refreshRing(key) })
			}
			if r := e.runners.get(key); r != nil {
				e.spawn(func() { r.signal() })
			}
		})
		if err != nil && e.ctx.Err() == nil {
			e.log.Warn("the waker has ended; polling only", "error", err)
		}
	})
	e.every(pollInterval, func() {
		for _, key := range e.rings.keys() {
			e.refreshRing(key)
		}
	})
	wg.Wait()
}

// spawn runs f on a goroutine that Shutdown waits for. An engine that has ended runs it not at all.
func (e *Engine) spawn(f func()) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.ctx.Err() == nil {
		e.loops.Go(f)
	}
}

// ensureRunnerLater is ensureRunner in the background.
func (e *Engine) ensureRunnerLater(key journal.Key) {
	e.spawn(func() { e.ensureRunnerNow(e.ctx, key) })
}

// ensureRunnerNow is ensureRunner for a task with a new input. The input is safe in the journal, so a failure only
// costs time: the claim loop looks for such tasks.
func (e *Engine) ensureRunnerNow(ctx context.Context, key journal.Key) {
	if err := e.ensureRunner(ctx, key); err != nil && ctx.Err() == nil && e.ctx.Err() == nil {
		e.log.Warn("cannot take up a task at once; trying again", "task", key.ID, "error", err)
		e.kick()
	}
}

// refreshRing brings a ring up to date with what another node appended.
func (e *Engine) refreshRing(key journal.Key) {
	ring := e.rings.get(key)
	if ring == nil || e.runners.get(key) != nil {
		return
	}
	head, err := e.journal.Head(e.ctx, key)
	if err != nil {
		if errors.Is(err, journal.ErrNotFound) {
			ring.fail(wireError(err))
		}
		return
	}
	ring.advance(head)
}

// wakeTimer kicks the claim loop when the next suspended task of this node is due, so that a timer need not wait for
// the next poll. Only the earliest is kept: later ones are found by then.
type wakeTimer struct {
	kick  func()
	mu    sync.Mutex
	at    time.Time
	timer *time.Timer
}

func (w *wakeTimer) set(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.at.After(at) && time.Now().Before(w.at) {
		return
	}
	if w.timer != nil {
		w.timer.Stop()
	}
	w.at = at
	w.timer = time.AfterFunc(time.Until(at), w.kick)
}

func (w *wakeTimer) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

func wakeToken(key journal.Key) string {
	raw, err := json.Marshal([...]string{key.Agent, key.Tenant, key.Owner, string(key.ID)})
	if err != nil {
		return "" // only for ids that are not UTF-8, which no request can bring
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func parseWakeToken(token string) (journal.Key, error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	var f [4]string
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		return journal.Key{}, a2a.InvalidParams("token", "is not a wake token")
	}
	return journal.Key{Scope: journal.Scope{Agent: f[0], Tenant: f[1], Owner: f[2]}, ID: a2a.TaskID(f[3])}, nil
}

// notify tells other nodes that a task has something new.
func (e *Engine) notify(ctx context.Context, key journal.Key) {
	if e.opts.Waker != nil {
		e.opts.Waker.Notify(ctx, key)
	}
}

// claimable is the key by which other nodes learn that there are tasks of an agent to claim.
func claimable(agent string) journal.Key { return journal.Key{Scope: journal.Scope{Agent: agent}} }
