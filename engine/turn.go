// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// Clients read these texts if an agent fails. The cause is only in the log.
const (
	failedText  = "The agent failed because of an internal error, which ended this task. To try again, start a new one."
	timeoutText = "The agent did not finish in time."
)

// callAgent runs the agent and makes an error of a panic.
func (r *runner) callAgent(ctx context.Context, t *openTurn) (err error) {
	defer recoverTo(&err)
	err = r.svc.agent.Run(ctx, newTurn(r.info(t.start), &backend{r: r, t: t}))
	if out, ok := errors.AsType[*turn.Outcome](err); ok {
		if why := validUTF8(out.Parts); why != nil {
			return fmt.Errorf("the turn ended with what cannot be shown: %w", why)
		}
	}
	return err
}

func newTurn(info turn.Info, b turn.Backend) *agent.Turn { return turn.New(info, b).(*agent.Turn) }

// panicError is a panic of an agent, with its stack for the log.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// stackOf returns the log's attribute for the stack of a panic that an error is about.
func stackOf(err error) []slog.Attr {
	if p, ok := errors.AsType[*panicError](err); ok {
		return []slog.Attr{slog.String("stack", string(p.stack))}
	}
	return nil
}

func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = &panicError{value: v, stack: debug.Stack()}
	}
}

func (r *runner) info(st *start) turn.Info {
	return turn.Info{
		Agent: r.key.Agent, Owner: r.key.Owner, TaskID: r.key.ID, ContextID: r.contextID, Message: st.message,
		Tenant: r.key.Tenant,
		Caller: st.call.Identity, OutputModes: st.call.OutputModes, Extensions: st.call.Extensions,
		Generation: st.call.Generation, Metadata: st.call.Metadata, Attempt: st.attempt,
	}
}

// outcome returns how the turn ends, from the agent's return value.
func (r *runner) outcome(ctx context.Context, t *openTurn, err error) ending {
	r.mu.Lock()
	canceled := t.canceled
	r.mu.Unlock()
	if canceled {
		return canceledEnding
	}
	if err == nil {
		return ending{state: a2a.TaskStateCompleted}
	}
	if out, ok := errors.AsType[*turn.Outcome](err); ok {
		return r.agentOutcome(out)
	}
	switch context.Cause(ctx) {
	case agent.ErrShutdown:
		return r.interrupted()
	case agent.ErrTurnLimit:
		return r.failed(timeoutText)
	}
	if public, ok := errors.AsType[*turn.PublicError](err); ok {
		return r.failed(strings.ToValidUTF8(public.Message, "\uFFFD"))
	}
	return r.failed(failedText)
}

func (r *runner) failed(text string) ending {
	return ending{state: a2a.TaskStateFailed, message: r.say(a2a.TextPart(text)), final: true}
}

func (r *runner) agentOutcome(out *turn.Outcome) ending {
	switch out.Kind {
	case turn.Ask:
		return ending{state: a2a.TaskStateInputRequired, message: r.say(out.Parts...)}
	case turn.NeedAuth:
		return ending{state: a2a.TaskStateAuthRequired, message: r.say(out.Parts...)}
	case turn.Complete:
		return ending{state: a2a.TaskStateCompleted, message: r.say(out.Parts...)}
	case turn.Suspend:
		return r.suspendOutcome(out)
	case turn.Reply:
		return r.replyOutcome(out)
	case turn.Reject:
		return ending{state: a2a.TaskStateRejected, message: r.say(out.Parts...), final: true}
	case turn.Withdraw:
		return ending{state: a2a.TaskStateCanceled, message: r.say(out.Parts...), final: true}
	}
	return r.failed(failedText)
}

// suspendOutcome leaves the task working, and makes it so when the agent has not said it.
func (r *runner) suspendOutcome(out *turn.Outcome) ending {
	end := ending{suspend: true, run: journal.Run{WakeAt: out.Until}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queuedState() != a2a.TaskStateWorking {
		end.state = a2a.TaskStateWorking
	}
	return end
}

// replyOutcome answers with a message when there is no task, and completes the one there is. A message needs a part.
func (r *runner) replyOutcome(out *turn.Outcome) ending {
	if len(out.Parts) == 0 {
		return r.failed(failedText)
	}
	m := r.say(out.Parts...)
	r.mu.Lock()
	created := r.created
	r.mu.Unlock()
	if !created {
		m.TaskID = "" // there is none (A2A 1.0 §4.1.4)
	}
	return ending{state: a2a.TaskStateCompleted, message: m, reply: true}
}

// cancelTurn cancels the open turn, unless the agent refuses, and ends it once its grace is over.
func (r *runner) cancelTurn(t *openTurn, in journal.Input) {
	grace := time.NewTimer(r.e.opts.CancelGrace)
	defer grace.Stop()
	if r.askCanceler(in) {
		return
	}
	r.mu.Lock()
	t.canceled = true
	r.mu.Unlock()
	t.cancel(agent.ErrCanceled)
	select {
	case <-t.done: // finish commits the end
	case <-r.e.ctx.Done():
	case <-grace.C:
		r.forceEnd(t, canceledEnding)
	}
}

// callCanceler calls the Cancel of an agent that is a Canceler, which cleans up or refuses within the grace.
func (r *runner) callCanceler(in journal.Input) (refused bool) {
	c, ok := r.svc.agent.(agent.Canceler)
	if !ok {
		return false
	}
	st := &start{call: in.Call, attempt: 1}
	ctx, cancel := context.WithTimeout(r.turnContext(st), r.e.opts.CancelGrace)
	defer cancel()
	over := make(chan struct{})
	defer close(over) // a Cancel that goes on after its grace writes no more
	result := make(chan error, 1)
	go func() {
		var err error
		defer func() { result <- err }()
		defer recoverTo(&err)
		err = c.Cancel(ctx, newTurn(r.info(st), &backend{r: r, t: &openTurn{start: st, ctx: ctx, done: over}}))
	}()
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if errors.Is(err, agent.NotCancelable) {
		return true
	}
	if err != nil {
		attrs := []slog.Attr{slog.String("agent", r.svc.name), slog.String("task", string(r.key.ID)),
			slog.Any("error", err)}
		r.e.log.LogAttrs(r.e.ctx, slog.LevelWarn, "an agent's Cancel failed; the task is cancelled all the same",
			append(attrs, stackOf(err)...)...)
	}
	return false
}

// passedLimit ends a turn that takes too long: first its context, and when the agent does not heed that, the turn.
func (r *runner) passedLimit(t *openTurn) {
	t.cancel(agent.ErrTurnLimit)
	grace := time.NewTimer(r.e.opts.CancelGrace)
	defer grace.Stop()
	select {
	case <-t.done:
	case <-grace.C:
		end := r.failed(timeoutText)
		r.forceEnd(t, end)
	}
}

// resume does what a claimed task needs. It returns what its next turn begins with, and nil when there is none.
func (r *runner) resume() *start {
	r.mu.Lock()
	head := r.head
	r.mu.Unlock()
	switch {
	case head.Status.State.Terminal():
		return r.finish(ending{final: true}) // drops inputs that came too late
	case head.Run.Open:
		return r.resumeTurn(head)
	case !head.Run.WakeAt.IsZero() || head.Status.State == a2a.TaskStateWorking:
		return r.resumeSuspended(head)
	}
	return r.finish(ending{})
}

// resumeTurn takes up a turn that a crash or a shutdown interrupted.
func (r *runner) resumeTurn(head *journal.Head) *start {
	if r.canceledMeanwhile() {
		return r.finish(canceledEnding)
	}
	if head.Status.State.Interrupted() {
		return r.finish(ending{}) // it waits for its caller, whose message starts a new turn
	}
	if !isResumable(r.svc.agent) {
		end := r.failed(interruptedText)
		r.e.log.Warn("a turn was interrupted; its task has failed", "agent", r.svc.name, "task", r.key.ID)
		return r.finish(end)
	}
	st := r.recall(head.Run)
	st.attempt = head.Run.Attempt + 1
	r.e.log.Info("taking up an interrupted turn", "agent", r.svc.name, "task", r.key.ID, "attempt", st.attempt)
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	return r.open(st, nil)
}

// recall makes of the journal's record what the turn began with.
func (r *runner) recall(run journal.Run) *start {
	rec := decodeTurn(run.Turn)
	st := &start{call: rec.Call}
	for _, m := range r.task().History {
		if m.ID == rec.MessageID {
			st.message = m
		}
	}
	return st
}

// resumeSuspended starts the turn of a suspended task whose time has come, or that got an input. A claim that finds
// neither leaves the task as it is.
func (r *runner) resumeSuspended(head *journal.Head) *start {
	due := !head.Run.WakeAt.IsZero() && !head.Run.WakeAt.After(time.Now())
	r.mu.Lock()
	idle := len(r.inbox.inputs) == 0
	r.mu.Unlock()
	if due && idle {
		r.commitMu.Lock()
		defer r.commitMu.Unlock()
		return r.open(&start{attempt: 1}, nil)
	}
	return r.finish(ending{suspend: true, run: head.Run})
}

// logTurn writes a line about a turn that the agent ended. A failure that the agent itself tells its caller of is
// none of the program; what it says may be of the caller, and is not written.
func (r *runner) logTurn(t *openTurn, end ending, err error, took time.Duration) {
	level, msg := slog.LevelDebug, "turn ended"
	if end.state == a2a.TaskStateFailed {
		msg = "turn failed"
		level, err = severity(err)
	}
	if !r.e.log.Enabled(r.e.ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("agent", r.svc.name), slog.String("task", string(r.key.ID)),
		slog.String("context", string(r.contextID)), slog.String("request", t.start.call.RequestID),
		slog.String("state", end.state.String()), slog.Duration("took", took),
	}
	if err != nil && level >= slog.LevelWarn {
		attrs = append(attrs, slog.Any("error", err))
		attrs = append(attrs, stackOf(err)...)
	}
	r.e.log.LogAttrs(r.e.ctx, level, msg, attrs...)
}

// severity returns how much the error that a turn failed with is to those who run the agent, and what of it they should
// read.
func severity(err error) (slog.Level, error) {
	public, ok := errors.AsType[*turn.PublicError](err)
	switch {
	case !ok:
		return slog.LevelError, err
	case public.Cause != nil:
		return slog.LevelWarn, public.Cause
	}
	return slog.LevelInfo, nil
}

// turnContext returns what a turn's context is made of: it lives as long as the engine lets turns run, whatever
// becomes of the request, and carries who called.
func (r *runner) turnContext(st *start) context.Context {
	return a2a.WithCall(r.e.turnsCtx, &a2a.Call{
		Identity: st.call.Identity, Tenant: r.key.Tenant, Generation: st.call.Generation, Binding: st.call.Binding,
		Extensions: st.call.Extensions, RequestID: st.call.RequestID,
	})
}
