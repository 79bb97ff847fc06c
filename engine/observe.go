// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/journal"
)

// observe has the program's telemetry, if it has any, see the journal and what waits for it.
func observe(e *Engine) {
	if telemetry.Tracing() || telemetry.Measuring() {
		e.journal = &observedJournal{e.journal}
	}
	e.unobserve = telemetry.Observe(func() (waiting, queued int) {
		e.queue.mu.Lock()
		waiting = e.queue.waiting
		e.queue.mu.Unlock()
		for _, r := range e.runners.all() {
			r.mu.Lock()
			waiting += len(r.inbox.inputs)
			queued += len(r.queue)
			r.mu.Unlock()
		}
		return waiting, queued
	})
}

// startSpan begins the span of a turn.
func startSpan(r *runner, st *start) (context.Context, telemetry.Span) {
	ctx, span := telemetry.Start(st.context(r.e.turnsCtx, r.key.Tenant), telemetry.SpanTurn, trace.SpanKindInternal)
	if span.On() {
		span.Set(telemetry.KeyAgent.String(r.svc.name), telemetry.KeyTask.String(string(r.key.ID)),
			telemetry.KeyConversation.String(string(r.contextID)), telemetry.KeyTenant.String(r.key.Tenant),
			telemetry.KeyAttempt.Int(st.attempt), telemetry.KeyRequest.String(st.call.RequestID))
		if st.message != nil {
			span.Set(telemetry.KeyMessage.String(string(st.message.ID)))
		}
	}
	return ctx, span
}

// idsOf returns what names a turn in the log.
func idsOf(r *runner, st *start) []slog.Attr {
	attrs := []slog.Attr{slog.String("agent", r.svc.name), slog.String("task", string(r.key.ID)),
		slog.String("context", string(r.contextID)), slog.String("request", st.call.RequestID)}
	if trace := telemetry.TraceID(st.call.TraceParent); trace != "" {
		attrs = append(attrs, slog.String("trace", trace))
	}
	return attrs
}

// describe says in the span how the turn ended.
func (t *openTurn) describe(end ending) {
	if !t.span.On() {
		return
	}
	if end.state != a2a.TaskStateUnspecified {
		t.span.Set(telemetry.KeyState.String(end.state.String()))
	}
	if end.state == a2a.TaskStateFailed {
		t.span.Fail(end.state.String())
	}
}

// traced returns the record of a turn that suspends its task: the trace, which the next turn goes on with.
func (st *start) traced() []byte {
	if st.call.TraceParent == "" {
		return nil
	}
	return encodeTurn(&start{call: journal.InputCall{TraceParent: st.call.TraceParent, TraceState: st.call.TraceState}})
}

// woken returns what the turn of a suspended task begins with. One that a call woke has what is known of that call.
func woken(run journal.Run, call journal.InputCall) *start {
	if call.TraceParent == "" {
		before := decodeTurn(run.Turn).Call
		call.TraceParent, call.TraceState = before.TraceParent, before.TraceState
	}
	return &start{call: call, attempt: 1}
}

// commitContext returns the context of a commit, which belongs to the trace of a turn, if there is one.
func commitContext(e *Engine, t *openTurn) context.Context {
	if t == nil || !t.span.On() {
		return e.ctx
	}
	return trace.ContextWithSpanContext(e.ctx, trace.SpanContextFromContext(t.ctx))
}

// An observedJournal tells how long the journal takes. Operations that belong to a trace get a span in it.
type observedJournal struct{ journal.Journal }

// told begins an operation. The function that it returns ends it.
func told(ctx context.Context, operation string, key journal.Key, attrs ...attribute.KeyValue) (context.Context,
	func(error)) {
	began := time.Now()
	var span telemetry.Span
	if trace.SpanContextFromContext(ctx).IsValid() {
		ctx, span = telemetry.Start(ctx, telemetry.SpanJournal+operation, trace.SpanKindInternal)
		span.Set(append(attrs, telemetry.KeyTask.String(string(key.ID)))...)
	}
	return ctx, func(err error) {
		reason := reasonOf(err)
		if reason == failedOperation {
			span.Fail(reason)
		} else {
			span.Set(telemetry.KeyError.String(reason))
		}
		span.End()
		telemetry.JournalDuration.Since(ctx, began, operation, reason)
	}
}

// failedOperation is the reason of errors that the journal's contract does not name.
const failedOperation = "failed"

// reasons are short names of the errors that callers of the journal decide on.
var reasons = []struct {
	err  error
	name string
}{
	{journal.ErrNotFound, "not_found"}, {journal.ErrExists, "exists"}, {journal.ErrConflict, "conflict"},
	{journal.ErrLeaseLost, "lease_lost"}, {journal.ErrFinished, "finished"},
	{journal.ErrInputsWaiting, "inputs_waiting"}, {journal.ErrInboxFull, "inbox_full"}, {journal.ErrFull, "full"},
	{journal.ErrPruned, "pruned"}, {journal.ErrBadPageToken, "bad_page_token"},
	{journal.ErrUnavailable, "unavailable"}, {journal.ErrClosed, "closed"},
	{context.Canceled, "canceled"},
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return failedOperation
}

// Append implements journal.Journal.
func (j *observedJournal) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	ctx, end := told(ctx, "append", c.Key, telemetry.KeyEvents.Int(len(c.Events)))
	lease, err := j.Journal.Append(ctx, c)
	end(err)
	return lease, err
}

// Enqueue implements journal.Journal.
func (j *observedJournal) Enqueue(ctx context.Context, key journal.Key, in journal.Input, limit int) (uint64, error) {
	ctx, end := told(ctx, "enqueue", key)
	n, err := j.Journal.Enqueue(ctx, key, in, limit)
	end(err)
	return n, err
}

// ClaimTask implements journal.Journal.
func (j *observedJournal) ClaimTask(ctx context.Context, key journal.Key, holder string, ttl time.Duration) (
	journal.Claimed, error) {
	ctx, end := told(ctx, "claim", key)
	c, err := j.Journal.ClaimTask(ctx, key, holder, ttl)
	end(err)
	return c, err
}

// Head implements journal.Journal.
func (j *observedJournal) Head(ctx context.Context, key journal.Key) (*journal.Head, error) {
	ctx, end := told(ctx, "head", key)
	h, err := j.Journal.Head(ctx, key)
	end(err)
	return h, err
}

// Load implements journal.Journal.
func (j *observedJournal) Load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	ctx, end := told(ctx, "load", key)
	s, err := j.Journal.Load(ctx, key)
	end(err)
	return s, err
}

// Events implements journal.Journal.
func (j *observedJournal) Events(ctx context.Context, key journal.Key, after uint64, limit int) ([]journal.Event,
	error) {
	ctx, end := told(ctx, "events", key)
	events, err := j.Journal.Events(ctx, key, after, limit)
	end(err)
	return events, err
}

// List implements journal.Journal.
func (j *observedJournal) List(ctx context.Context, scope journal.Scope, q journal.Query) (*journal.Page, error) {
	ctx, end := told(ctx, "list", journal.Key{Scope: scope})
	page, err := j.Journal.List(ctx, scope, q)
	end(err)
	return page, err
}
