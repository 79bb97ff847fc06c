// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/journal"
)

// An inbox has the inputs of a task that its runner has read and not taken, in order. The lock of its runner guards it.
type inbox struct {
	inputs   []journal.Input
	lastSeen uint64 // number of the last input that was added
	taken    uint64 // number of the last input taken, committed or about to be
	woken    bool   // a wake-up was taken while a turn ran
	// signalled says that new inputs were announced since the last commit that would end the runner began.
	signalled bool
	changed   chan struct{} // closed when inputs are added; nil while nobody waits
	cancels   map[uint64]*cancelAnswer
}

// newInbox returns the inbox of a task that was claimed, with the inputs that wait after the last one taken.
func newInbox(inputs []journal.Input, taken uint64) inbox {
	b := inbox{inputs: inputs, lastSeen: taken, taken: taken}
	if n := len(inputs); n > 0 {
		b.lastSeen = inputs[n-1].Number
	}
	return b
}

// add puts in what was read from the journal and returns the inputs that are new: another look may have been quicker.
func (b *inbox) add(inputs []journal.Input) []journal.Input {
	n := len(b.inputs)
	for _, in := range inputs {
		if in.Number > b.lastSeen {
			b.lastSeen = in.Number
			b.inputs = append(b.inputs, in)
		}
	}
	b.wake()
	return b.inputs[n:]
}

// wait returns a channel that is closed once the inbox changes, or nothing more can come.
func (b *inbox) wait() <-chan struct{} {
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

// wake frees those that wait.
func (b *inbox) wake() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// taken is the kind of input that takeStart found in an inbox.
type taken int

const (
	takenNothing taken = iota
	takenStart
	takenCancel // not taken: it has to be seen to first
)

// takeStart takes the input that the next turn begins with, a message or a wake-up. Wake-ups only start a turn of a
// task that was suspended, and grants one of a task that waits for an authorization.
func (b *inbox) takeStart(suspended, needsAuth bool) (journal.Input, taken) {
	for len(b.inputs) > 0 {
		if b.cancelFirst() {
			return journal.Input{}, takenCancel
		}
		in := b.pop()
		if in.Kind == journal.InputMessage || in.Kind == journal.InputWake && (suspended || needsAuth && isGrant(in)) {
			return in, takenStart
		}
	}
	if suspended && b.woken {
		b.woken = false
		return journal.Input{Kind: journal.InputWake}, takenStart
	}
	return journal.Input{}, takenNothing
}

func isGrant(in journal.Input) bool { return in.Call.Grant != "" }

// takeMessage takes the next message within a turn, and what is before it. A wake-up counts when the turn ends by
// Suspend, and a grant while the turn waits for an authorization; a cancel that was not refused stays, as the turn's
// context is about to end.
func (b *inbox) takeMessage(needsAuth bool) (journal.Input, bool) {
	for len(b.inputs) > 0 && !b.cancelFirst() {
		in := b.pop()
		if in.Kind == journal.InputMessage || needsAuth && isGrant(in) {
			return in, true
		}
		b.woken = b.woken || in.Kind == journal.InputWake && !isGrant(in)
	}
	return journal.Input{}, false
}

// takeAll counts all inputs as taken, as nobody will take what still waits.
func (b *inbox) takeAll() { b.taken = max(b.taken, b.lastSeen) }

func (b *inbox) pop() journal.Input {
	in := b.inputs[0]
	b.taken = in.Number
	b.inputs = b.inputs[1:]
	return in
}

// openCancels returns the waiting cancels that were not refused.
func (b *inbox) openCancels() []journal.Input {
	var open []journal.Input
	for _, in := range b.inputs {
		if in.Kind == journal.InputCancel && !b.refused(in.Number) {
			open = append(open, in)
		}
	}
	return open
}

// cancelFirst reports whether a cancel that was not refused is at the front.
func (b *inbox) cancelFirst() bool {
	return b.inputs[0].Kind == journal.InputCancel && !b.refused(b.inputs[0].Number)
}

// answer returns the agent's answer to a cancel, and whether the caller is the first to ask for it and has to get it.
func (b *inbox) answer(cancel uint64) (c *cancelAnswer, first bool) {
	if c := b.cancels[cancel]; c != nil {
		return c, false
	}
	if b.cancels == nil {
		b.cancels = map[uint64]*cancelAnswer{}
	}
	c = &cancelAnswer{done: make(chan struct{})}
	b.cancels[cancel] = c
	return c, true
}

// refused reports whether the agent has refused a cancel.
func (b *inbox) refused(cancel uint64) bool {
	c := b.cancels[cancel]
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

// signal tells the runner that its task has new inputs. It returns false when the runner has made its last commit, so
// that somebody else has to see to them.
func (r *runner) signal() bool {
	r.mu.Lock()
	if r.over() {
		r.mu.Unlock()
		return false
	}
	r.inbox.signalled = true
	r.mu.Unlock()
	if err := r.refreshInbox(r.e.ctx); err != nil {
		r.e.log.Warn("cannot read the inbox of a task; trying again with its next input", "task", r.key.ID, "error",
			err)
	}
	return true
}

// refreshInbox reads the inputs that came since the last look, and has cancels of the open turn seen to.
func (r *runner) refreshInbox(ctx context.Context) error {
	r.mu.Lock()
	after := r.inbox.lastSeen
	r.mu.Unlock()
	inputs, err := r.e.journal.Inputs(ctx, r.key, after)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range r.inbox.add(inputs) {
		r.charge(in.Message)
		if t := r.turn; in.Kind == journal.InputCancel && t != nil && !r.over() {
			r.e.spawn(func() { t.cancelBy(in) })
		}
	}
	return nil
}

// takeNext takes the input that the next turn begins with, and makes what that turn begins with of it.
func (r *runner) takeNext(end ending) (*start, taken) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := end.state
	if state == a2a.TaskStateUnspecified {
		state = r.queuedState()
	}
	in, what := r.inbox.takeStart(end.suspend, state == a2a.TaskStateAuthRequired)
	switch {
	case what != takenStart:
		return nil, what
	case in.Kind == journal.InputMessage:
		return &start{message: r.address(in.Message), input: in.Number, call: in.Call, attempt: 1}, takenStart
	}
	return woken(end.run, in.Call), takenStart
}

// nextMessage takes the next message within a turn, waiting for one if need be. That it was taken is queued with the
// message itself, so that one commit has both.
func (t *openTurn) nextMessage(ctx context.Context) (*a2a.Message, error) {
	r := t.r
	for {
		r.mu.Lock()
		if err := r.writable(); err != nil {
			r.mu.Unlock()
			return nil, err
		}
		if in, ok := r.inbox.takeMessage(r.queuedState() == a2a.TaskStateAuthRequired); ok {
			var m *a2a.Message
			if in.Message != nil {
				m = r.address(in.Message)
				t.learn(m)
			}
			r.pushFirst()
			r.push(r.receive(in.Number, m)...)
			r.mu.Unlock()
			return m, nil
		}
		changed := r.inbox.wait()
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

// A cancelAnswer is what the agent said to a cancel. It is asked once for each.
type cancelAnswer struct {
	done    chan struct{}
	refused bool // set before done is closed
}

// askCanceler asks the agent about a cancel and returns whether it refused. A second call waits for the first.
func (r *runner) askCanceler(in journal.Input) (refused bool) {
	r.mu.Lock()
	c, first := r.inbox.answer(in.Number)
	r.mu.Unlock()
	if !first {
		<-c.done
		return c.refused
	}
	c.refused = r.callCanceler(in)
	close(c.done)
	if c.refused {
		r.ring.refuse(in.Number)
	}
	return c.refused
}

// canceledMeanwhile sees to cancels that wait while no turn runs, and returns whether one of them stands.
func (r *runner) canceledMeanwhile() bool {
	for {
		r.mu.Lock()
		open := r.inbox.openCancels()
		over := r.writable() != nil
		r.mu.Unlock()
		if over || len(open) == 0 {
			return false
		}
		if !r.askCanceler(open[0]) {
			return true
		}
	}
}

var canceledEnding = ending{state: a2a.TaskStateCanceled, final: true, err: agent.ErrCanceled}
