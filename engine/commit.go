// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"runtime"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/journal"
)

// change is what a commit writes beside what is queued.
type change struct {
	events       []journal.Event
	unlessInputs bool
	release      bool        // the runner's last commit
	run          journal.Run // what is left to do after that
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
	r.mu.Unlock()
	return r.commitOrStop(change{}) == nil
}

// createTask commits a new task before its agent runs. If that fails, the runner is over without a task.
func (r *runner) createTask() error {
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	r.mu.Lock()
	r.pushFirst()
	r.mu.Unlock()
	err := r.commit(change{})
	if err != nil {
		r.mu.Lock()
		r.enter(phaseEnded)
		r.mu.Unlock()
		r.leave()
	}
	return err
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
	r.mu.Unlock()
	return r.commitOrStop(c)
}

// commitOrStop commits and stops the runner if that fails. commitMu is held.
func (r *runner) commitOrStop(c change) error {
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
	if c.release {
		r.enter(phaseReleasing)
	}
	withdraw, err := r.announce(cm)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	lease, err := r.append(cm)
	if err != nil {
		r.mu.Lock()
		if c.release {
			r.enter(phaseRunning)
		}
		r.mu.Unlock()
		withdraw()
		return err
	}

	r.mu.Lock()
	r.committed(cm, lease, queued)
	var final *a2a.Task
	if c.release {
		r.enter(phaseEnded)
		final = r.projection.Task()
		r.cacheIn(&r.e.cache) // before readers learn of the commit: this runner no longer answers
	}
	r.mu.Unlock()
	r.ring.publish(events, cm.Head, final)
	if state := cm.Head.Status.State; state.Terminal() {
		telemetry.TaskDuration.Since(r.e.ctx, cm.Head.Created, r.svc.name, state.String())
		r.svc.recallDelegated(r.key)
	}
	r.e.notify(r.e.ctx, r.key)
	if c.release && cm.Head.Run.Open { // for another node to go on
		r.e.notify(r.e.ctx, claimable(r.key.Agent))
	}
	if r.e.opts.Push != nil {
		r.e.opts.Push.Notify()
	}
	return nil
}

// append commits to the journal. When the claim loop of this node took the lease anew, because renewals were late, the
// commit is made under that one.
func (r *runner) append(cm *journal.Commit) (journal.Lease, error) {
	r.mu.Lock()
	ctx := commitContext(r.e, r.turn)
	r.mu.Unlock()
	lease, err := r.e.journal.Append(ctx, cm)
	if errors.Is(err, journal.ErrLeaseLost) {
		if now := r.currentLease(); now != cm.Lease {
			cm.Lease = now
			return r.e.journal.Append(ctx, cm)
		}
	}
	return lease, err
}

// announce makes a new task's runner and ring findable before its first commit does so with the task: whoever finds
// the task finds who runs it. A task that ends with its first commit needs neither. The result takes it back. Error:
// ErrExists, when another request is about to create the same task. mu is held.
func (r *runner) announce(cm *journal.Commit) (withdraw func(), err error) {
	was, want := r.presence, presenceRunner
	switch {
	case cm.Release && cm.Head.Status.State.Terminal():
		want = presenceNone
	case cm.Release:
		want = presenceRing
	}
	if was >= want {
		return func() {}, nil
	}
	if want == presenceRunner && !r.e.runners.add(r) {
		return nil, journal.ErrExists
	}
	if was == presenceNone {
		r.e.rings.register(r.ring)
	}
	r.presence = want
	return func() {
		r.mu.Lock()
		r.presence = was
		r.mu.Unlock()
		if want == presenceRunner {
			r.e.runners.remove(r)
			close(r.gone)
		}
		if was == presenceNone {
			r.e.rings.forget(r.ring)
		}
	}, nil
}

// prepare numbers the events and makes the commit of them; mu is held.
func (r *runner) prepare(c change, events []journal.Event) *journal.Commit {
	head := r.number(events)
	head.Taken, head.Run = r.inbox.taken, r.run
	if c.release {
		head.Run = c.run
	}
	if head.Run.Open && head.Run.Turn == nil && r.opening != nil {
		head.Run.Turn = encodeTurn(r.opening)
		r.run.Turn = head.Run.Turn
	}
	cm := &journal.Commit{
		Key: r.key, Lease: r.lease, Create: r.create, Events: events, Head: head, Taken: r.inbox.taken,
		UnlessInputs: c.unlessInputs, Release: c.release, TaskState: c.taskState, ContextState: c.contextState,
		Task: func() *a2a.Task { // called within Append, when nobody else changes the projection
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.preview(events)
		},
	}
	if r.head != nil {
		cm.Expect = r.head.Seq
	}
	return cm
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
	over, created := r.writable() != nil, r.phase > phaseStarting
	r.inbox.signalled = false
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
	r.enter(phaseEnded)
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
	var c change
	if said != nil {
		// The second status moves what was said into history, before the message that comes next.
		c.events = append(c.events, r.statusEvent(a2a.TaskStateWorking, said), r.statusEvent(a2a.TaskStateWorking, nil))
	}
	c.events = append(c.events, r.receive(st.input, st.message)...)
	r.mu.Unlock()
	if r.commitOrStop(c) != nil {
		return nil
	}
	return st
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
	if r.head == nil || r.over() {
		r.mu.Unlock()
		return false
	}
	r.drop(len(r.queue))
	r.mu.Unlock()
	r.e.log.Warn("there is no room for what a turn made; its task has failed", "agent", r.svc.name, "task", r.key.ID,
		"error", cause)
	if err := r.commitEnd(r.failed("The task was stopped: " + noRoom(cause) + ".")); err != nil {
		return false
	}
	r.leave()
	return true
}
