// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"runtime"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// change is what a commit writes beside what is queued.
type change struct {
	events       []journal.Event
	run          journal.Run
	unlessInputs bool
	release      bool // the runner's last commit
	taskState    []byte
	contextState []byte
}

// commitLoop commits what is queued until nothing is.
func (r *runner) commitLoop() {
	// The agent may be about to queue more, or to return: then one commit does for all of it.
	runtime.Gosched()
	for r.commitQueued() {
	}
}

func (r *runner) commitQueued() bool {
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	r.mu.Lock()
	if len(r.queue) == 0 || r.writable() != nil {
		r.committing = false
		r.mu.Unlock()
		return false
	}
	run := r.run
	r.mu.Unlock()
	if err := r.commit(change{run: run}); err != nil {
		r.stop(err)
		return false
	}
	return true
}

// flush commits what is queued, and c, and returns after that.
func (r *runner) flush(c change) error {
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	r.mu.Lock()
	if err := r.writable(); err != nil {
		r.mu.Unlock()
		return err
	}
	r.pushFirst()
	c.run = r.run
	r.mu.Unlock()
	err := r.commit(c)
	if err != nil {
		r.stop(err)
	}
	return err
}

// commit appends what is queued and then c's events, and publishes them. commitMu is held. When it fails, nothing has
// changed and the queue is as it was.
func (r *runner) commit(c change) error {
	r.mu.Lock()
	queued := len(r.queue)
	events := slices.Concat(r.queue, c.events)
	cm := r.prepare(c, events)
	r.releasing = c.release
	withdraw, err := r.announce(cm)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	lease, err := r.append(cm)
	if err != nil {
		r.mu.Lock()
		r.releasing = false
		r.mu.Unlock()
		withdraw()
		return err
	}

	r.mu.Lock()
	if cm.Create != nil {
		r.opening.accept()
	}
	for i := range events {
		r.projection.Apply(&events[i])
	}
	r.head, r.lease, r.create = cm.Head, lease, nil
	r.size += sizeOf(events)
	r.dequeue(queued)
	var final *a2a.Task
	if c.release {
		r.ended = true
		final = r.projection.Task()
		r.cacheTask() // before readers learn of the commit: this runner no longer answers
	}
	r.mu.Unlock()
	r.ring.publish(events, cm.Head, final)
	if cm.Head.Status.State.Terminal() {
		r.recallDelegated()
	}
	r.e.notify(r.e.ctx, r.key)
	return nil
}

// recallDelegated cancels what a task that has ended had delegated and that goes on.
func (r *runner) recallDelegated() {
	peers, ok := r.svc.peers.take(r.key)
	if !ok {
		return
	}
	r.e.spawn(func() {
		state, err := r.e.journal.TaskState(r.e.ctx, r.key)
		if err == nil && len(state) > 0 {
			err = turn.Recall(r.e.ctx, state, peers)
		}
		if err != nil {
			r.e.log.Warn("delegated tasks of an ended task may still run", "agent", r.svc.name, "task", r.key.ID,
				"error", err)
		}
	})
}

// append commits to the journal. When the claim loop of this node took the lease anew, because renewals were late, the
// commit is made under that one.
func (r *runner) append(cm *journal.Commit) (journal.Lease, error) {
	lease, err := r.e.journal.Append(r.e.ctx, cm)
	if errors.Is(err, journal.ErrLeaseLost) {
		if now := r.currentLease(); now != cm.Lease {
			cm.Lease = now
			return r.e.journal.Append(r.e.ctx, cm)
		}
	}
	return lease, err
}

// announce makes a new task's runner and ring findable before its first commit does so with the task: whoever finds
// the task finds who runs it. A task that ends with its first commit needs neither. The result takes it back. Error:
// ErrExists, when another request is about to create the same task. mu is held.
func (r *runner) announce(cm *journal.Commit) (withdraw func(), err error) {
	add := !r.published && !cm.Release
	register := !r.ringHeld && !cm.Head.Status.State.Terminal()
	if !add && !register {
		return func() {}, nil
	}
	if add && !r.e.runners.add(r) {
		return nil, journal.ErrExists
	}
	if register {
		r.e.rings.register(r.ring)
	}
	r.published, r.ringHeld = r.published || add, r.ringHeld || register
	return func() {
		r.mu.Lock()
		r.published, r.ringHeld = r.published && !add, r.ringHeld && !register
		r.mu.Unlock()
		if add {
			r.e.runners.remove(r)
			close(r.gone)
		}
		if register {
			r.e.rings.forget(r.ring)
		}
	}, nil
}

// prepare numbers the events and makes the commit of them; mu is held.
func (r *runner) prepare(c change, events []journal.Event) *journal.Commit {
	var seq uint64
	head := &journal.Head{Key: r.key, ContextID: r.contextID, Origin: r.origin, Created: now()}
	if r.head != nil {
		*head = *r.head
		seq = head.Seq
	}
	expect := seq
	for i := range events {
		seq++
		events[i].Seq = seq
		if ev := events[i].Wire.Event; ev != nil {
			events[i].Wire = a2a.NewStreamEvent(journal.EventID(seq), ev)
		}
	}
	r.projection.Preview(head, events)
	head.Taken, head.Run = r.inbox.taken, c.run
	if head.Run.Open && head.Run.Turn == nil && r.opening != nil {
		head.Run.Turn = encodeTurn(r.opening)
		r.run.Turn = head.Run.Turn
	}
	return &journal.Commit{
		Key: r.key, Lease: r.lease, Create: r.create, Expect: expect, Events: events, Head: head, Taken: r.inbox.taken,
		UnlessInputs: c.unlessInputs, Release: c.release, TaskState: c.taskState, ContextState: c.contextState,
		Task: func() *a2a.Task { return r.preview(events) },
	}
}

// preview returns the task as it will be after events. It is called within Append, when nobody else changes the
// projection.
func (r *runner) preview(events []journal.Event) *a2a.Task {
	var p *journal.Projection
	r.mu.Lock()
	if r.head == nil {
		p = &journal.Projection{}
	} else {
		p = journal.NewProjection(r.projection.Task())
	}
	r.mu.Unlock()
	for i := range events {
		p.Apply(&events[i])
	}
	return p.Task()
}

// dequeue drops the first n events of the queue, which are committed; mu is held.
func (r *runner) dequeue(n int) {
	if n == 0 {
		return
	}
	r.queueBytes -= sizeOf(r.queue[:n])
	// The journal and the ring keep the copy that was committed, so the queue's own memory is used again.
	r.queue = slices.Delete(r.queue, 0, n)
	if r.space != nil {
		close(r.space)
		r.space = nil
	}
}

// ending is how a turn ends, or what becomes of a task that was claimed.
type ending struct {
	state   a2a.TaskState // unspecified: the state stays
	message *a2a.Message
	final   bool // ends the task whatever waits
	reply   bool // without a task, message is the answer
	suspend bool
	run     journal.Run // of suspend, and of an interrupted turn that will be resumed
	err     error       // without a task, this is what the sender gets
}

// finish makes the last commit of a turn, or goes on to the next when messages wait. It returns what that one begins
// with, and nil when the runner is done.
func (r *runner) finish(end ending) *start {
	for {
		if !end.final && r.canceledMeanwhile() {
			end = canceledEnding
		}
		st, retry := r.tryFinish(end)
		if !retry {
			return st
		}
	}
}

// tryFinish is one attempt of finish; retry says that a cancel came in between.
func (r *runner) tryFinish(end ending) (st *start, retry bool) {
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	r.mu.Lock()
	over, created := r.writable() != nil, r.created
	r.dirty = false
	r.mu.Unlock()
	if over {
		return nil, false
	}
	if !created && (end.reply || end.err != nil) {
		r.endWithoutTask(end)
		return nil, false
	}
	for {
		if !end.final {
			st, what := r.takeNext(end)
			if what == takenCancel {
				return nil, true
			}
			if what == takenStart {
				return r.open(st, end.message), false
			}
		}
		err := r.commitEnd(end)
		if errors.Is(err, journal.ErrInputsWaiting) {
			if err = r.refreshInbox(r.e.ctx); err == nil {
				continue
			}
		}
		if err != nil {
			r.stop(err)
			return nil, false
		}
		r.leave()
		return nil, false
	}
}

// endWithoutTask ends a turn that made no task.
func (r *runner) endWithoutTask(end ending) {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	if end.err != nil {
		r.ring.fail(end.err)
	} else {
		r.ring.answer(end.message)
	}
	r.leave()
}

// commitEnd commits how the turn ends and gives the lease back.
func (r *runner) commitEnd(end ending) error {
	c := change{run: end.run, release: true, unlessInputs: !end.final}
	r.mu.Lock()
	r.pushFirst()
	if end.state != a2a.TaskStateUnspecified {
		c.events = []journal.Event{r.statusEvent(end.state, end.message)}
	}
	if end.state.Terminal() || r.queuedState().Terminal() {
		r.inbox.takeAll()
	}
	r.mu.Unlock()
	err := r.commit(c)
	if err == nil && !end.run.WakeAt.IsZero() {
		r.e.timer.set(end.run.WakeAt)
	}
	return err
}

// open commits the start of a turn with an input: the message moves into history and the task works again. If the
// previous turn ended with the message said while another message was waiting, open first commits said. It returns nil
// if the commit failed.
func (r *runner) open(st *start, said *a2a.Message) *start {
	r.mu.Lock()
	r.opening = st
	r.run = journal.Run{Open: true, Attempt: st.attempt}
	c := change{run: r.run}
	if said != nil {
		// The second status moves what was said into history, before the message that comes next.
		c.events = append(c.events, r.statusEvent(a2a.TaskStateWorking, said), r.statusEvent(a2a.TaskStateWorking, nil))
	}
	c.events = append(c.events, r.receive(st.input, st.message)...)
	r.mu.Unlock()
	if err := r.commit(c); err != nil {
		r.stop(err)
		return nil
	}
	return st
}

// receive returns the events of a message being taken; mu is held. The status goes first, so that the question it
// replaces comes before its answer in history.
func (r *runner) receive(input uint64, m *a2a.Message) []journal.Event {
	var events []journal.Event
	if r.queuedState().Interrupted() {
		events = append(events, r.statusEvent(a2a.TaskStateWorking, nil))
	}
	if m != nil && input != 0 {
		events = append(events, journal.Event{Time: now(), Received: &journal.Received{Input: input, Message: m}})
	}
	return events
}

// queuedState returns the state that the task will have once the queue is committed; mu is held.
func (r *runner) queuedState() a2a.TaskState {
	for _, ev := range slices.Backward(r.queue) {
		if u, ok := ev.Wire.Event.(*a2a.StatusUpdate); ok {
			return u.Status.State
		}
	}
	if r.head == nil {
		return a2a.TaskStateSubmitted
	}
	return r.head.Status.State
}

func (r *runner) statusEvent(state a2a.TaskState, message *a2a.Message) journal.Event {
	at := now()
	return journal.Event{Time: at, Wire: a2a.StreamEvent{Event: &a2a.StatusUpdate{
		TaskID: r.key.ID, ContextID: r.contextID,
		Status: a2a.TaskStatus{State: state, Message: message, Timestamp: at},
	}}}
}

// say makes a message of the agent; nil without parts.
func (r *runner) say(parts ...a2a.Part) *a2a.Message {
	if len(parts) == 0 {
		return nil
	}
	m := a2a.NewMessage(a2a.RoleAgent, parts...)
	m.TaskID, m.ContextID = r.key.ID, r.contextID
	return m
}

// forceEnd ends a turn whose agent does not return: it is fenced off first.
func (r *runner) forceEnd(t *openTurn, end ending) {
	r.mu.Lock()
	if r.fenced != nil || r.ended || r.turn != t {
		r.mu.Unlock()
		return
	}
	r.fenced = errFenced
	created := r.created
	r.freeWaiters()
	r.mu.Unlock()

	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	if !created && end.err != nil {
		r.endWithoutTask(end)
		return
	}
	if err := r.commitEnd(end); err != nil {
		r.stop(err)
		return
	}
	r.leave()
}

// stop ends the runner because a commit failed; commitMu is held. A task that finds no room has failed: whoever
// claimed it with its turn open would find none either, again and again.
func (r *runner) stop(err error) {
	if !errors.Is(err, journal.ErrFull) || !r.failWithoutRoom(err) {
		r.die(err)
	}
}

// failWithoutRoom ends the task without what is queued. It returns false when there is no task, or it cannot be ended.
func (r *runner) failWithoutRoom(cause error) bool {
	r.fence(cause)
	r.mu.Lock()
	if r.head == nil || r.ended {
		r.mu.Unlock()
		return false
	}
	r.dequeue(len(r.queue))
	r.mu.Unlock()
	r.e.log.Warn("there is no room for what a turn made; its task has failed", "agent", r.svc.name, "task", r.key.ID,
		"error", cause)
	if err := r.commitEnd(r.failed("The task was stopped: " + noRoom(cause) + ".")); err != nil {
		return false
	}
	r.leave()
	return true
}

// interrupt ends the open turn because the process ends: what it queued is committed, and a resumable agent's turn
// stays open for whoever comes next.
func (r *runner) interrupt() {
	r.mu.Lock()
	t := r.turn
	r.mu.Unlock()
	if t == nil {
		return // its first turn has not begun: outcome sees to it
	}
	r.forceEnd(t, r.interrupted())
	t.cancel(agent.ErrShutdown)
}

// interrupted returns how the open turn ends when the process does. A task that waits for its caller just goes on
// waiting; a resumable agent's turn stays open.
func (r *runner) interrupted() ending {
	r.mu.Lock()
	run, waits := r.run, r.queuedState().Interrupted()
	r.mu.Unlock()
	switch {
	case waits:
		return ending{final: true, err: errDraining()}
	case isResumable(r.svc.agent):
		return ending{run: run, final: true, err: errDraining()}
	}
	return ending{state: a2a.TaskStateFailed, message: r.say(a2a.TextPart(interruptedText)), final: true,
		err: errDraining()}
}

const interruptedText = "The task was interrupted by a restart of the agent's server, which ended it. To try again, " +
	"start a new one."

func isResumable(a agent.Agent) bool {
	res, ok := a.(agent.Resumable)
	return ok && res.Resumable()
}

func errDraining() error {
	return &a2a.Error{Kind: a2a.ErrUnavailable, Message: "the server is shutting down; send the message again later"}
}
