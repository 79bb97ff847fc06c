// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/journal"
)

// signal tells the runner that its task has new inputs. It returns false when the runner has made its last commit, so
// that somebody else has to see to them.
func (r *runner) signal() bool {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return false
	}
	r.dirty = true
	r.mu.Unlock()
	if err := r.refreshInbox(r.e.ctx); err != nil {
		r.e.log.Warn("cannot read the inbox of a task; trying again with its next input", "task", r.key.ID, "error", err)
	}
	return true
}

// refreshInbox reads the inputs that came since the last look, and has cancels of the open turn seen to.
func (r *runner) refreshInbox(ctx context.Context) error {
	r.mu.Lock()
	after := r.lastSeen
	r.mu.Unlock()
	inputs, err := r.e.journal.Inputs(ctx, r.key, after)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range inputs {
		if in.Number <= r.lastSeen {
			continue // another look was quicker
		}
		r.lastSeen = in.Number
		r.inbox = append(r.inbox, in)
		r.charge(in.Message)
		if t := r.turn; in.Kind == journal.InputCancel && t != nil && !r.ended {
			r.e.spawn(func() { r.cancelTurn(t, in) })
		}
	}
	if r.inboxChanged != nil {
		close(r.inboxChanged)
		r.inboxChanged = nil
	}
	return nil
}

// What takeNext found in the inbox.
type taken int

const (
	takenNothing taken = iota
	takenStart
	takenCancel // not taken: it has to be seen to first
)

// takeNext takes the input that the next turn begins with. Wake-ups only start a turn of a task that was suspended.
func (r *runner) takeNext(end ending) (*start, taken) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.inbox) > 0 {
		in := r.inbox[0]
		if in.Kind == journal.InputCancel && !r.refusedLocked(in.Number) {
			return nil, takenCancel
		}
		r.pop()
		switch {
		case in.Kind == journal.InputMessage:
			return &start{message: r.address(in.Message), input: in.Number, call: in.Call, attempt: 1}, takenStart
		case in.Kind == journal.InputWake && end.suspend:
			return &start{attempt: 1}, takenStart
		}
	}
	if end.suspend && r.woken {
		r.woken = false
		return &start{attempt: 1}, takenStart
	}
	return nil, takenNothing
}

// pop takes the first input; mu is held.
func (r *runner) pop() {
	r.taken = r.inbox[0].Number
	r.inbox = r.inbox[1:]
}

// address returns the message with the ids of the task it was sent to (A2A 1.0 §3.4.3).
func (r *runner) address(m *a2a.Message) *a2a.Message {
	if m.TaskID == r.key.ID && m.ContextID == r.contextID {
		return m
	}
	c := *m
	c.TaskID, c.ContextID = r.key.ID, r.contextID
	return &c
}

// nextMessage takes the next message within a turn, waiting for one if need be. That it was taken is queued with the
// message itself, so that one commit has both.
func (r *runner) nextMessage(ctx context.Context, t *openTurn) (*a2a.Message, error) {
	for {
		r.mu.Lock()
		if err := r.writable(); err != nil {
			r.mu.Unlock()
			return nil, err
		}
		r.skipOthers()
		if len(r.inbox) > 0 && r.inbox[0].Kind == journal.InputMessage {
			in := r.inbox[0]
			m := r.address(in.Message)
			r.pushFirst()
			for _, ev := range r.receive(in.Number, m) {
				r.push(ev)
			}
			r.pop()
			r.mu.Unlock()
			return m, nil
		}
		if r.inboxChanged == nil {
			r.inboxChanged = make(chan struct{})
		}
		changed := r.inboxChanged
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-t.ctx.Done():
			return nil, context.Cause(t.ctx)
		}
	}
}

// skipOthers takes what is no message from the front of the inbox. A wake-up counts when the turn ends by Suspend; a
// cancel that was not refused stays, as the turn's context is about to end. mu is held.
func (r *runner) skipOthers() {
	for len(r.inbox) > 0 && r.inbox[0].Kind != journal.InputMessage {
		in := r.inbox[0]
		if in.Kind == journal.InputCancel && !r.refusedLocked(in.Number) {
			return
		}
		r.woken = r.woken || in.Kind == journal.InputWake
		r.pop()
	}
}

// A cancelAnswer is what the agent said to a cancel. It is asked once for each.
type cancelAnswer struct {
	done    chan struct{}
	refused bool // set before done is closed
}

// askCanceler asks the agent about a cancel and returns whether it refused. A second call waits for the first.
func (r *runner) askCanceler(in journal.Input) (refused bool) {
	r.mu.Lock()
	c := r.cancels[in.Number]
	if c != nil {
		r.mu.Unlock()
		<-c.done
		return c.refused
	}
	if r.cancels == nil {
		r.cancels = map[uint64]*cancelAnswer{}
	}
	c = &cancelAnswer{done: make(chan struct{})}
	r.cancels[in.Number] = c
	r.mu.Unlock()
	c.refused = r.callCanceler(in)
	close(c.done)
	if c.refused {
		r.ring.refuse(in.Number)
	}
	return c.refused
}

// refusedLocked reports whether the agent has refused a cancel; mu is held.
func (r *runner) refusedLocked(input uint64) bool {
	c := r.cancels[input]
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return c.refused
	default:
		return false
	}
}

// canceledMeanwhile sees to cancels that wait while no turn runs, and returns whether one of them stands.
func (r *runner) canceledMeanwhile() bool {
	for {
		in, ok := r.openCancel()
		if !ok {
			return false
		}
		if !r.askCanceler(in) {
			return true
		}
	}
}

// openCancel returns the first waiting cancel that was not refused.
func (r *runner) openCancel() (journal.Input, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writable() != nil {
		return journal.Input{}, false
	}
	for _, in := range r.inbox {
		if in.Kind == journal.InputCancel && !r.refusedLocked(in.Number) {
			return in, true
		}
	}
	return journal.Input{}, false
}

var canceledEnding = ending{state: a2a.TaskStateCanceled, final: true, err: agent.ErrCanceled}
