// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/go-json-experiment/json"
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
	key  journal.Key
	ring *eventRing
	gone chan struct{} // closed once the runner is out of the set

	commitMu sync.Mutex

	mu         sync.Mutex
	lease      journal.Lease
	projection *journal.Projection // the task as committed
	size       int                 // of the task, about, in bytes
	head       *journal.Head       // as committed; nil before the task exists
	contextID  a2a.ContextID
	origin     a2a.Generation
	create     *journal.Create // of a task that does not exist yet
	run        journal.Run     // goes with each commit
	queue      []journal.Event // not committed yet; numbered when they are
	queueBytes int
	charged    int64         // bytes of large messages in the engine's messageBudget
	created    bool          // the first event is queued or committed
	committing bool          // a commitLoop runs
	space      chan struct{} // closed when the queue has been drained; nil while nobody waits
	ended      bool          // the last commit is made: inputs are somebody else's
	fenced     error         // why the turn may not write any more
	left       bool          // leave was called
	cached     bool          // cacheTask has put the task into the cache
	releasing  bool          // a commit that gives the lease back is on its way
	dirty      bool          // signalled since the last commit that would end the runner began
	published  bool          // in the set of runners
	ringHeld   bool          // the ring is in its set, and one of its readers is this runner

	inbox inbox // what waits to be taken

	opening *start    // what the turn that runs now, or is about to, begins with
	turn    *openTurn // the turn that runs now or ran last; nil before the first
}

// openTurn is a turn of the agent that has begun.
type openTurn struct {
	start    *start
	ctx      context.Context
	cancel   context.CancelCauseFunc
	done     chan struct{} // closed when the agent has returned
	canceled bool          // a cancel that the agent did not refuse is ending it; guarded by runner.mu
}

// start is what a turn begins with.
type start struct {
	message *a2a.Message // nil for a timer or a wake-up
	input   uint64       // its number in the inbox; 0 for the message of a new task
	call    journal.InputCall
	attempt int

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
		e: s.e, svc: s, key: key, contextID: contextID, origin: st.call.Generation,
		ring:       &eventRing{key: key},
		gone:       make(chan struct{}),
		projection: &journal.Projection{},
		create:     &journal.Create{Holder: s.e.opts.Node, TTL: s.e.opts.LeaseTTL},
		run:        journal.Run{Open: true, Attempt: 1},
		opening:    st,
	}
}

// claimedRunner returns the runner of a task whose lease was taken. It reads the task.
func (s *service) claimedRunner(ctx context.Context, c journal.Claimed) (*runner, error) {
	p, err := s.e.loadClaimed(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &runner{
		e: s.e, svc: s, key: c.Lease.Key, contextID: p.head.ContextID, origin: p.head.Origin,
		gone:       make(chan struct{}),
		projection: p.projection,
		size:       p.size,
		head:       p.head,
		lease:      c.Lease,
		created:    true,
		run:        p.head.Run,
		inbox:      newInbox(c.Inputs, p.head.Taken),
	}
	for i := range c.Inputs {
		r.charge(c.Inputs[i].Message)
	}
	r.ring = s.e.rings.acquire(r.key, p.head)
	r.published, r.ringHeld = true, true
	return r, nil
}

// writable returns why nothing may be written any more; nil while it may. mu is held.
func (r *runner) writable() error {
	if r.fenced != nil {
		return r.fenced
	}
	if r.ended {
		return agent.ErrOver
	}
	return nil
}

// emit queues an event, the task's first one before it if need be. It blocks while too much waits.
func (r *runner) emit(ctx context.Context, ev journal.Event) error {
	r.mu.Lock()
	for r.writable() == nil && (len(r.queue) >= maxQueuedEvents || r.queueBytes >= maxQueuedBytes) {
		if r.space == nil {
			r.space = make(chan struct{})
		}
		space := r.space
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

// push queues an event; mu is held.
func (r *runner) push(ev journal.Event) {
	r.queue = append(r.queue, ev)
	r.queueBytes += ev.Size()
}

// pushFirst queues the event that creates the task, once; mu is held.
func (r *runner) pushFirst() {
	if r.created {
		return
	}
	r.created = true
	r.push(journal.Event{Time: now(), Wire: a2a.StreamEvent{Event: r.newTask()}})
}

// newTask returns the task as it is before its agent has said anything.
func (r *runner) newTask() *a2a.Task {
	task := &a2a.Task{
		ID: r.key.ID, ContextID: r.contextID, Origin: r.origin,
		Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted, Timestamp: now()},
	}
	if r.opening != nil && r.opening.message != nil {
		task.History = []*a2a.Message{r.opening.message}
	}
	return task
}

// task returns the task as committed, or as it would be.
func (r *runner) task() *a2a.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head == nil {
		return r.newTask()
	}
	return r.projection.Task()
}

// snapshot returns the task as committed and its head; nil when the task does not exist, or when another node may
// have it by now.
func (r *runner) snapshot() (*a2a.Task, *journal.Head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head == nil || r.releasing || r.ended {
		return nil, nil
	}
	return r.projection.Task(), r.head
}

// runTurns runs one turn after the other until the task waits or ends; a nil start is the end. enter was called.
func (r *runner) runTurns(st *start) {
	for st != nil {
		st = r.finish(r.runTurn(st))
	}
}

// runTurn runs the agent once and returns how its turn ends.
func (r *runner) runTurn(st *start) ending {
	ctx, cancel := context.WithCancelCause(r.turnContext(st))
	defer cancel(nil)
	t := &openTurn{start: st, ctx: ctx, cancel: cancel, done: make(chan struct{})}
	r.mu.Lock()
	r.turn, r.inbox.woken = t, false
	fenced := r.fenced
	for _, in := range r.inbox.openCancels() {
		r.e.spawn(func() { r.cancelTurn(t, in) }) // it came between two turns
	}
	r.mu.Unlock()
	if fenced != nil {
		cancel(fenced)
	}
	limit := time.AfterFunc(r.e.opts.TurnLimit, func() { r.passedLimit(t) })
	began := time.Now()
	err := r.callAgent(ctx, t)
	limit.Stop()
	close(t.done)
	end := r.outcome(ctx, t, err)
	r.logTurn(t, end, err, time.Since(began))
	return end
}

// begin starts the turns of a new task on a goroutine of their own. enter was called.
func (r *runner) begin(st *start) {
	go func() {
		defer r.e.turns.Done()
		growStack(0)
		r.runTurns(st)
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

// beginClaimed does what a claimed task needs, on a goroutine of its own. While the engine drains, the task is given
// back to whoever comes next.
func (r *runner) beginClaimed() {
	if err := r.e.enter(); err != nil {
		r.giveBack()
		return
	}
	go func() {
		defer r.e.turns.Done()
		r.runTurns(r.resume())
	}()
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
	if r.space != nil {
		close(r.space)
		r.space = nil
	}
	r.inbox.wake()
}

// leave takes the runner out of the set: its last commit is made, or it has none to make. When somebody signalled it
// too late, the task is looked at again.
func (r *runner) leave() {
	r.mu.Lock()
	if r.left {
		r.mu.Unlock()
		return
	}
	r.left, r.ended = true, true
	r.refund()
	dirty, published, ringHeld := r.dirty, r.published, r.ringHeld
	r.freeWaiters()
	r.cacheTask()
	if r.cached {
		r.ring.dropFinal()
	}
	r.mu.Unlock()
	if published {
		r.e.runners.remove(r)
		close(r.gone)
	}
	if ringHeld {
		r.e.rings.release(r.ring)
	}
	if dirty {
		r.e.ensureRunnerLater(r.key)
	}
}

// cacheTask puts the folded task into the cache, for readers and the next runner. This runner may still be asked for
// the task, so it goes on with a projection that shares the parts; mu is held.
func (r *runner) cacheTask() {
	if r.head == nil || r.size < minCached || r.cached {
		return
	}
	r.cached = true
	mine := journal.NewProjection(r.projection.Task()) // before another goroutine can take the projection
	r.e.cache.put(newCachedTask(r.key, r.projection, r.head, r.size), r.size)
	r.projection = mine
}

// giveBack releases the lease without a commit and leaves.
func (r *runner) giveBack() {
	r.mu.Lock()
	r.ended = true // from now on another node may have the task
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
	stale := r.ended || r.releasing || r.lease != lease || lease == (journal.Lease{}) // the first commit is on its way
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
	useful := r.writable() == nil && !r.releasing
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
	over, exists := r.ended, r.head != nil
	r.ended = true
	r.mu.Unlock()
	if over {
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
