// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/journal"
)

var errFenced = errors.New("engine: the turn was fenced off")

// A runner runs the turns of one task while this node holds its lease: from the message of a new task, or from a
// claim, until the task waits or ends.
//
// Lock order: commitMu, then mu. commitMu is the turn to commit: whoever holds it is the only one that appends to the
// journal for this task, so commits stay in order. mu guards memory only and is never held over I/O.
type runner struct {
	e    *Engine
	svc  *service
	ring *eventRing
	gone chan struct{} // closed once the runner is out of the set

	commitMu sync.Mutex

	mu sync.Mutex
	lifecycle
	committer
	presence presence
	inbox    inbox // what waits to be taken
	charged  int64 // bytes of large messages in the engine's messageBudget

	turn *openTurn // the turn that runs now or ran last; nil before the first
}

// openTurn is a turn of the agent that has begun.
type openTurn struct {
	r        *runner
	start    *start
	ctx      context.Context
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when the agent has returned
	span     telemetry.Span
	canceled bool // a cancel that the agent did not refuse is ending it; guarded by runner.mu

	learned map[a2a.MessageID]a2a.Credentials // that its messages brought; guarded by runner.mu
}

// start is what a turn begins with.
type start struct {
	message *a2a.Message // nil for a timer or a wake-up
	input   uint64       // its number in the inbox; 0 for the message of a new task
	call    journal.InputCall
	attempt int
	span    trace.SpanContext // of the request that starts the turn at once; else the turn follows call.TraceParent

	accepted func() // called once the journal has the message of a new task; may be nil
}

// accept tells the server that the journal has the message of a new task.
func (st *start) accept() {
	if st != nil && st.accepted != nil {
		st.accepted()
	}
}

// turnRecord is what the journal keeps of an open turn, to run it again.
type turnRecord struct {
	MessageID a2a.MessageID     `json:"messageId,omitzero"`
	Call      journal.InputCall `json:"call,omitzero"`
}

// newRunner returns the runner of a task that does not exist yet.
func (s *service) newRunner(key journal.Key, contextID a2a.ContextID, st *start) *runner {
	return &runner{
		e: s.e, svc: s,
		ring: &eventRing{key: key, refs: 2}, // of the runner and of the caller who waits for it
		gone: make(chan struct{}),
		committer: committer{
			key: key, contextID: contextID, origin: st.call.Generation,
			projection: &journal.Projection{},
			create:     &journal.Create{Holder: s.e.opts.Node, TTL: s.e.opts.LeaseTTL},
			run:        journal.Run{Open: true, Attempt: 1},
			opening:    st,
		},
	}
}

// claimedRunner returns the runner of a task whose lease was taken. It reads the task.
func (s *service) claimedRunner(ctx context.Context, c journal.Claimed) (*runner, error) {
	p, err := s.e.loadClaimed(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &runner{
		e: s.e, svc: s,
		ring: s.e.rings.acquire(c.Lease.Key, p.head),
		gone: make(chan struct{}),
		committer: committer{
			key: c.Lease.Key, contextID: p.head.ContextID, origin: p.head.Origin,
			lease: c.Lease, projection: p.projection, size: p.size, head: p.head, run: p.head.Run,
		},
		lifecycle: lifecycle{phase: phaseRunning},
		presence:  presenceRunner,
		inbox:     newInbox(c.Inputs, p.head.Taken),
	}
	for i := range c.Inputs {
		r.charge(c.Inputs[i].Message)
	}
	return r, nil
}

// emit queues an event, the task's first one before it if need be. It blocks while too much waits.
func (r *runner) emit(ctx context.Context, ev journal.Event) error {
	r.mu.Lock()
	for r.writable() == nil && r.full() {
		space := r.wait()
		r.mu.Unlock()
		select {
		case <-space:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		r.mu.Lock()
	}
	if err := r.writable(); err != nil {
		r.mu.Unlock()
		return err
	}
	r.pushFirst()
	r.push(ev)
	begin := !r.committing
	r.committing = true
	r.mu.Unlock()
	if begin {
		go r.commitLoop()
	}
	return nil
}

// pushFirst queues the event that creates the task, once; mu is held.
func (r *runner) pushFirst() {
	if r.phase == phaseStarting && r.enter(phaseRunning) {
		r.push(journal.Event{Time: now(), Wire: a2a.StreamEvent{Event: r.current()}})
	}
}

// task returns the task as committed, or as it would be.
func (r *runner) task() *a2a.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current()
}

// snapshot returns the task as committed and its head; nil when the task does not exist, or when another node may
// have it by now.
func (r *runner) snapshot() (*a2a.Task, *journal.Head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head == nil || r.phase >= phaseReleasing {
		return nil, nil
	}
	return r.projection.Task(), r.head
}

// goRunTurns runs the turns that begin with what first returns, on a goroutine of their own. enter was called.
func (r *runner) goRunTurns(first func() *start) {
	go func() {
		defer r.e.turns.Done()
		growStack(0)
		for st := first(); st != nil; {
			end := r.runTurn(st)
			t := r.turn
			st = r.finish(end)
			t.span.End() // after its last commit
		}
	}()
}

// growStack makes the stack of a new goroutine as large as a turn needs while there is nothing on it yet. To grow in
// steps, deep in the agent's calls, costs a short turn a tenth of its processor time: 2.4 of 24 µs in BenchmarkSend.
//
//go:noinline
func growStack(i int) byte {
	var room [5 << 10]byte
	return room[i]
}

// runTurn runs the agent once and returns how its turn ends.
func (r *runner) runTurn(st *start) ending {
	traced, span := startSpan(r, st)
	ctx, cancel := context.WithCancelCause(traced)
	defer cancel(nil)
	t := &openTurn{r: r, start: st, ctx: ctx, cancel: cancel, done: make(chan struct{}), span: span}
	r.mu.Lock()
	r.turn, r.inbox.woken = t, false
	t.learn(st.message)
	fenced := r.fenced
	for _, in := range r.inbox.openCancels() {
		r.e.spawn(func() { t.cancelBy(in) }) // it came between two turns
	}
	r.mu.Unlock()
	if fenced != nil {
		cancel(fenced)
	}
	began := time.Now()
	err := t.begin()
	close(t.done)
	end := t.outcome(err)
	t.log(end, err, time.Since(began))
	t.describe(end)
	return end
}

// fence keeps the open turn from writing any more and cancels its context.
func (r *runner) fence(cause error) {
	r.mu.Lock()
	if r.fenced == nil {
		r.fenced = cause
	}
	t := r.turn
	r.freeWaiters()
	r.mu.Unlock()
	if t != nil {
		t.cancel(cause)
	}
}

// freeWaiters wakes who waits for space or for inputs; mu is held.
func (r *runner) freeWaiters() {
	r.wake()
	r.inbox.wake()
}

// leave takes the runner out of the set: its last commit is made, or it has none to make. When somebody signalled it
// too late, the task is looked at again.
func (r *runner) leave() {
	r.mu.Lock()
	if !r.enter(phaseLeft) {
		r.mu.Unlock()
		return
	}
	r.e.budget.charge(r.key.Scope, -r.charged)
	signalled, presence := r.inbox.signalled, r.presence
	r.freeWaiters()
	r.cacheIn(&r.e.cache)
	if r.cached {
		r.ring.dropFinal()
	}
	r.mu.Unlock()
	if presence >= presenceRunner {
		r.e.runners.remove(r)
		close(r.gone)
	}
	if presence >= presenceRing {
		r.e.rings.release(r.ring)
	}
	if signalled {
		r.e.ensureRunnerLater(r.key)
	}
}

// giveBack releases the lease without a commit and leaves.
func (r *runner) giveBack() {
	r.mu.Lock()
	r.enter(phaseEnded) // from now on another node may have the task
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.e.ctx), 5*time.Second)
	defer cancel()
	if err := r.e.journal.Release(ctx, r.currentLease()); err != nil {
		r.e.log.Warn("cannot release a lease; it will expire", "task", r.key.ID, "error", err)
	}
	r.leave()
}

func (r *runner) currentLease() journal.Lease {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lease
}

// lost is called when a lease could not be renewed: another node may run the task by now. A lease that a commit gave
// back meanwhile was not lost.
func (r *runner) lost(lease journal.Lease) {
	r.mu.Lock()
	// A zero lease is that of a task whose first commit is on its way.
	stale := r.phase >= phaseReleasing || r.lease != lease || lease == (journal.Lease{})
	r.mu.Unlock()
	if stale {
		return
	}
	r.e.log.Warn("the lease on a task was lost; the new holder continues the task", "task", r.key.ID)
	r.die(journal.ErrLeaseLost)
}

// replaceLease gives the runner a lease that this node claimed anew, because renewals came too late. It returns false
// when the runner has made its last commit.
func (r *runner) replaceLease(lease journal.Lease) bool {
	r.mu.Lock()
	useful := r.writable() == nil && r.phase < phaseReleasing
	if useful {
		r.lease = lease
	}
	r.mu.Unlock()
	return useful && r.signal()
}

// die ends the runner because it cannot commit: the turn's context ends with the cause, and whoever claims the task
// next finds its turn open.
func (r *runner) die(cause error) {
	r.fence(cause)
	r.mu.Lock()
	exists, ends := r.head != nil, r.enter(phaseEnded)
	r.mu.Unlock()
	if !ends {
		return
	}
	level, msg := slog.LevelError, "a turn cannot be recorded and was stopped"
	if !exists && errors.Is(cause, journal.ErrFull) {
		level, msg = slog.LevelWarn, "there is no room for a new task; its turn was stopped"
	}
	r.e.log.Log(r.e.ctx, level, msg, "task", r.key.ID, "agent", r.svc.name, "error", cause)
	if !exists {
		r.ring.fail(wireError(cause))
		r.leave()
		return
	}
	r.giveBack()
}

// encodeTurn makes the record of an open turn.
func encodeTurn(st *start) []byte {
	rec := turnRecord{Call: st.call}
	if st.message != nil {
		rec.MessageID = st.message.ID
	}
	raw, err := json.Marshal(rec)
	if err != nil {
		return nil // a turn without its record is run with what the task's history says
	}
	return raw
}

func decodeTurn(raw []byte) turnRecord {
	var rec turnRecord
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &rec); err != nil {
			return turnRecord{} // of a newer version: the turn is run with what the task's history says
		}
	}
	return rec
}
