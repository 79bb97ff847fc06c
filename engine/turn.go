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

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// Clients read these texts if an agent fails. The cause is only in the log.
const (
	failedText  = "The agent failed because of an internal error, which ended this task. To try again, start a new one."
	timeoutText = "The agent did not finish in time."
)

// callAgent runs the agent and makes an error of a panic.
func (t *openTurn) callAgent() (err error) {
	defer recoverTo(&err)
	err = t.r.svc.agent.Run(t.ctx, newTurn(t))
	if out, ok := errors.AsType[*turn.Outcome](err); ok {
		if why := validUTF8(out.Parts); why != nil {
			return fmt.Errorf("the turn ended with what cannot be shown: %w", why)
		}
	}
	return err
}

func newTurn(t *openTurn) *agent.Turn {
	key, st := t.r.key, t.start
	return turn.New(turn.Info{
		Agent: key.Agent, Owner: key.Owner, Tenant: key.Tenant, TaskID: key.ID, ContextID: t.r.contextID,
		Message: st.message, Caller: st.call.Identity, OutputModes: st.call.OutputModes,
		Extensions: st.call.Extensions, Generation: st.call.Generation, Metadata: st.call.Metadata, Attempt: st.attempt,
		Grant: st.call.Grant,
	}, t).(*agent.Turn)
}

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

// outcome returns how the turn ends, from the agent's return value.
func (t *openTurn) outcome(err error) ending {
	r := t.r
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
		return t.agentOutcome(out)
	}
	switch context.Cause(t.ctx) {
	case agent.ErrShutdown:
		return t.interrupted()
	case agent.ErrTurnLimit:
		return r.failed(timeoutText)
	}
	if public, ok := errors.AsType[*turn.PublicError](err); ok {
		return r.failed(strings.ToValidUTF8(public.Message, "\uFFFD"))
	}
	return r.failed(failedText)
}

// endings are the states that an agent's outcomes put the task into, and whether that ends it whatever waits.
var endings = map[turn.OutcomeKind]ending{
	turn.Ask:      {state: a2a.TaskStateInputRequired},
	turn.NeedAuth: {state: a2a.TaskStateAuthRequired},
	turn.Complete: {state: a2a.TaskStateCompleted},
	turn.Reply:    {state: a2a.TaskStateCompleted, reply: true},
	turn.Reject:   {state: a2a.TaskStateRejected, final: true},
	turn.Withdraw: {state: a2a.TaskStateCanceled, final: true},
	turn.Suspend:  {suspend: true},
}

func (t *openTurn) agentOutcome(out *turn.Outcome) ending {
	r := t.r
	end, known := endings[out.Kind]
	if !known || end.reply && len(out.Parts) == 0 { // a message needs a part
		return r.failed(failedText)
	}
	end.message = r.say(out.Parts...)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case end.reply && r.phase == phaseStarting:
		end.message.TaskID = "" // there is no task (A2A 1.0 §4.1.4)
	case end.suspend:
		end.message, end.run = nil, journal.Run{WakeAt: out.Until, Turn: t.start.traced()}
		if r.queuedState() != a2a.TaskStateWorking {
			end.state = a2a.TaskStateWorking
		}
	}
	return end
}

// cancelBy cancels the turn, unless the agent refuses, and ends it once its grace is over.
func (t *openTurn) cancelBy(in journal.Input) {
	grace := time.NewTimer(t.r.e.opts.CancelGrace)
	defer grace.Stop()
	if t.r.askCanceler(in) {
		return
	}
	t.r.mu.Lock()
	t.canceled = true
	t.r.mu.Unlock()
	t.cancel(agent.ErrCanceled)
	select {
	case <-t.done: // finish commits the end
	case <-t.r.e.ctx.Done():
	case <-grace.C:
		t.forceEnd(canceledEnding)
	}
}

// passedLimit ends a turn that takes too long: first its context, and when the agent does not heed that, the turn.
func (t *openTurn) passedLimit() {
	t.cancel(agent.ErrTurnLimit)
	grace := time.NewTimer(t.r.e.opts.CancelGrace)
	defer grace.Stop()
	select {
	case <-t.done:
	case <-grace.C:
		t.forceEnd(t.r.failed(timeoutText))
	}
}

// interrupt ends the turn because the process ends: what it queued is committed, and a resumable agent's turn stays
// open for whoever comes next.
func (t *openTurn) interrupt() {
	t.forceEnd(t.interrupted())
	t.cancel(agent.ErrShutdown)
}

// forceEnd ends a turn whose agent does not return: it is fenced off first.
func (t *openTurn) forceEnd(end ending) {
	r := t.r
	r.mu.Lock()
	if r.writable() != nil || r.turn != t {
		r.mu.Unlock()
		return
	}
	r.fenced = errFenced
	starting := r.phase == phaseStarting
	r.freeWaiters()
	r.mu.Unlock()

	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	if starting && end.err != nil {
		r.endWithoutTask(end)
		return
	}
	if err := r.commitEnd(end); err != nil {
		r.stop(err)
		return
	}
	r.leave()
}

// interrupted returns how the open turn ends when the process does. A task that waits for its caller just goes on
// waiting; a resumable agent's turn stays open.
func (t *openTurn) interrupted() ending {
	r := t.r
	r.mu.Lock()
	run, waits := r.run, r.queuedState().Interrupted()
	r.mu.Unlock()
	switch {
	case waits:
		return ending{final: true, err: errDraining()}
	case isResumable(r.svc.agent):
		return ending{run: run, final: true, err: errDraining()}
	}
	end := r.failed(interruptedText)
	end.err = errDraining()
	return end
}

// callCanceler calls the Cancel of an agent that is a Canceler, which cleans up or refuses within the grace.
func (r *runner) callCanceler(in journal.Input) (refused bool) {
	c, ok := r.svc.agent.(agent.Canceler)
	if !ok {
		return false
	}
	st := &start{call: in.Call, attempt: 1}
	ctx, cancel := context.WithTimeout(st.context(r.e.turnsCtx, r.key.Tenant), r.e.opts.CancelGrace)
	defer cancel()
	over := make(chan struct{})
	defer close(over) // a Cancel that goes on after its grace writes no more
	result := make(chan error, 1)
	go func() {
		var err error
		defer func() { result <- err }()
		defer recoverTo(&err)
		err = c.Cancel(ctx, newTurn(&openTurn{r: r, start: st, ctx: ctx, done: over}))
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
		r.e.log.Warn("a turn was interrupted; its task has failed", "agent", r.svc.name, "task", r.key.ID)
		return r.finish(r.failed(interruptedText))
	}
	rec := decodeTurn(head.Run.Turn)
	st := &start{call: rec.Call, attempt: head.Run.Attempt + 1}
	for _, m := range r.task().History {
		if m.ID == rec.MessageID {
			st.message = m
		}
	}
	r.e.log.LogAttrs(r.e.ctx, slog.LevelInfo, "taking up an interrupted turn",
		append(idsOf(r, st), slog.Int("attempt", st.attempt))...)
	r.commitMu.Lock()
	defer r.commitMu.Unlock()
	return r.open(st, nil)
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
		return r.open(woken(head.Run, journal.InputCall{}), nil)
	}
	return r.finish(ending{suspend: true, run: head.Run})
}

// log writes a line about a turn that the agent ended. A failure that the agent itself tells its caller of is
// none of the program; what it says may be of the caller, and is not written.
func (t *openTurn) log(end ending, err error, took time.Duration) {
	r := t.r
	level, msg := slog.LevelDebug, "turn ended"
	if end.state == a2a.TaskStateFailed {
		msg = "turn failed"
		level, err = severity(err)
	}
	if !r.e.log.Enabled(r.e.ctx, level) {
		return
	}
	attrs := append(idsOf(r, t.start), slog.String("state", end.state.String()), slog.Duration("took", took))
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

// context returns what a turn's context is made of: it lives as long as the engine lets turns run, whatever becomes of
// the request, and carries who called.
func (st *start) context(turns context.Context, tenant string) context.Context {
	if st.span.IsValid() {
		turns = trace.ContextWithSpanContext(turns, st.span)
	} else {
		turns = telemetry.FromText(turns, st.call.TraceParent, st.call.TraceState)
	}
	return a2a.WithCall(turns, &a2a.Call{
		Identity: st.call.Identity, Tenant: tenant, Generation: st.call.Generation, Binding: st.call.Binding,
		Extensions: st.call.Extensions, RequestID: st.call.RequestID,
		TraceParent: st.call.TraceParent, TraceState: st.call.TraceState,
	})
}

const interruptedText = "The task was interrupted by a restart of the agent's server, which ended it. To try again, " +
	"start a new one."

func isResumable(a agent.Agent) bool {
	res, ok := a.(agent.Resumable)
	return ok && res.Resumable()
}

func errDraining() error {
	return &a2a.Error{Kind: a2a.ErrUnavailable, Message: "the server is shutting down; send the message again later",
		RetryAfter: time.Second}
}
