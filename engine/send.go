// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/journal"
)

// sent is a message that is on its way: the ring to follow, and from where.
type sent struct {
	ring     *eventRing // retained; release it
	input    uint64
	after    uint64
	snapshot *a2a.Task // of an existing task, before it took the message
	taken    bool      // the message started the ring's first turn, or was taken before the snapshot
}

// SendMessage implements a2a.Service. It waits until the task ends or waits for its caller, after it took the
// message; with ReturnImmediately only until the task exists.
func (s *service) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	at, err := s.send(ctx, "SendMessage", req)
	if err != nil {
		return nil, err
	}
	defer s.e.rings.release(at.ring)
	rd := at.reader()
	if !returnsImmediately(req) {
		rd.untilPaused = true
	} else {
		rd.untilCreated = true
	}
	if err := s.e.follow(ctx, at.ring, rd, nil); err != nil {
		return nil, err
	}
	if rd.reply != nil {
		return rd.reply, nil
	}
	task, err := s.e.result(ctx, at.ring)
	if err != nil {
		return nil, err
	}
	return withHistory(task, historyLength(req)), nil
}

func historyLength(req *a2a.SendMessageRequest) *int {
	if req.Configuration == nil {
		return nil
	}
	return req.Configuration.HistoryLength
}

// StreamMessage implements a2a.Service. The stream ends when the task does, or waits for input, after it took the
// message; it stays open while the task waits for an authorization.
func (s *service) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	at, err := s.send(ctx, "SendStreamingMessage", waiting(req))
	if err != nil {
		return nil, err
	}
	rd := at.reader()
	rd.history = historyLength(req)
	if at.snapshot != nil && at.snapshot.Status.State.Interrupted() && !at.taken {
		rd.waiting = journal.NewProjection(at.snapshot)
	} else {
		rd.snapshot = at.snapshot
	}
	return s.e.stream(ctx, at.ring, rd), nil
}

func (at *sent) reader() *reader {
	return &reader{after: at.after, input: at.input, taken: at.taken}
}

// send checks a message and hands it to its task, an existing one or a new one.
func (s *service) send(ctx context.Context, operation string, req *a2a.SendMessageRequest) (*sent, error) {
	scope, err := s.Scope(ctx, operation, req.Tenant)
	if err != nil {
		return nil, err
	}
	if req.Message.Role == a2a.RoleAgent && !s.agentRole {
		return nil, a2a.InvalidParams("message.role",
			"is the agent's role; callers send messages in the role of the user")
	}
	if pushConfigOf(req) != nil && s.e.opts.Push == nil {
		return nil, a2a.ErrPushNotSupported
	}
	if req, err = s.withoutCredentials(ctx, scope, req); err != nil {
		return nil, err
	}
	at, err := s.deliver(ctx, scope, req)
	if err != nil {
		id := cmp.Or(req.Message.TaskID, req.NewTaskID)
		s.e.secrets.take(secretKey{journal.Key{Scope: scope, ID: id}, req.Message.ID})
	}
	return at, err
}

func (s *service) deliver(ctx context.Context, scope journal.Scope, req *a2a.SendMessageRequest) (*sent, error) {
	takes, err := s.modesFor(ctx, req.Message)
	if err != nil {
		return nil, err
	}
	if err := takes.check(req.Message); err != nil {
		answers := takes.check(req.Message, "application/json") == nil && s.asksForm(ctx, scope, req)
		if !answers {
			return nil, err
		}
	}
	if err := s.e.budget.admit(scope, req.Message); err != nil {
		return nil, err
	}
	if err := s.e.queue.admit(scope.Owner); err != nil {
		return nil, err
	}
	if id := req.Message.TaskID; id != "" {
		return s.sendToTask(ctx, journal.Key{Scope: scope, ID: id}, req)
	}
	if req.NewTaskID == "" {
		return s.sendNew(ctx, journal.Key{Scope: scope, ID: a2a.NewTaskID()}, req)
	}
	key := journal.Key{Scope: scope, ID: req.NewTaskID}
	at, err := s.sendToTask(ctx, key, req)
	if errors.Is(err, a2a.ErrTaskNotFound) {
		if at, err = s.sendNew(ctx, key, req); errors.Is(err, journal.ErrExists) {
			if err := s.e.awaitCreated(ctx, key); err != nil {
				return nil, err
			}
			return s.sendToTask(ctx, key, req) // made by another request meanwhile
		}
	}
	return at, err
}

// asksForm reports whether the task of a message waits for a form, which is answered in JSON whatever the card says.
func (s *service) asksForm(ctx context.Context, scope journal.Scope, req *a2a.SendMessageRequest) bool {
	id := cmp.Or(req.Message.TaskID, req.NewTaskID)
	if id == "" {
		return false
	}
	head, err := s.e.journal.Head(ctx, journal.Key{Scope: scope, ID: id})
	if err != nil || !head.Status.State.Interrupted() || head.Status.Message == nil {
		return false // a task that is not there is refused later, and by that name
	}
	_, asks := agent.FindForm(head.Status.Message.Parts...)
	return asks
}

// awaitCreated waits for the first commit of a task that another request is creating.
func (e *Engine) awaitCreated(ctx context.Context, key journal.Key) error {
	r := e.runners.get(key)
	if r == nil {
		return nil
	}
	return e.follow(ctx, r.ring, &reader{untilCreated: true, taken: true}, nil)
}

// sendNew starts a turn for a message without a task.
func (s *service) sendNew(ctx context.Context, key journal.Key, req *a2a.SendMessageRequest) (*sent, error) {
	contextID := req.Message.ContextID
	if contextID == "" {
		contextID = a2a.NewContextID()
	}
	st := &start{call: inputCall(ctx, req), attempt: 1, span: trace.SpanContextFromContext(ctx),
		accepted: a2a.CallFrom(ctx).Accepted}
	m := *req.Message
	m.TaskID, m.ContextID = key.ID, contextID
	st.message = &m
	early := createFirst(req, st.call) || !st.inProcess() && s.e.queue.crowded(key.Owner)
	if !early {
		if err := s.e.room(ctx, key.Scope, st.message); err != nil {
			return nil, wireError(err)
		}
	}

	r := s.newRunner(key, contextID, st)
	r.create.IdempotencyKey = req.IdempotencyKey
	if c := pushConfigOf(req); c != nil {
		var err error
		if r.create.Cursors, err = s.pushCursor(ctx, key, c); err != nil {
			return nil, err
		}
	}
	if err := s.e.enter(); err != nil {
		return nil, err
	}
	r.charge(st.message)
	if early {
		if err := r.createTask(); err != nil {
			s.e.turns.Done()
			if dup, ok := errors.AsType[*journal.DuplicateError](err); ok {
				return s.attach(ctx, journal.Key{Scope: key.Scope, ID: dup.TaskID})
			}
			if errors.Is(err, journal.ErrExists) {
				return nil, err
			}
			return nil, wireError(err)
		}
	}
	r.goRunTurns(func() *start { return st })
	return &sent{ring: r.ring, taken: true}, nil
}

// room refuses a message whose task would not be kept, so that its agent does not run in vain. Only some journals can
// tell.
func (e *Engine) room(ctx context.Context, scope journal.Scope, m *a2a.Message) error {
	if j, ok := e.Journal().(interface {
		Room(context.Context, journal.Scope, int) error
	}); ok {
		return j.Room(ctx, scope, a2a.SizeOf(m))
	}
	return nil
}

// createFirst says whether the task has to exist before its agent runs.
func createFirst(req *a2a.SendMessageRequest, call journal.InputCall) bool {
	return returnsImmediately(req) || req.IdempotencyKey != "" || req.NewTaskID != "" ||
		call.Generation == a2a.Generation01
}

func returnsImmediately(req *a2a.SendMessageRequest) bool {
	return req.Configuration != nil && req.Configuration.ReturnImmediately
}

// waiting returns the request without ReturnImmediately, which means nothing to a stream (A2A 1.0 §3.2.2).
func waiting(req *a2a.SendMessageRequest) *a2a.SendMessageRequest {
	if req == nil || !returnsImmediately(req) {
		return req
	}
	r, c := *req, *req.Configuration
	c.ReturnImmediately = false
	r.Configuration = &c
	return &r
}

// attach follows the task that an earlier send with the same idempotency key made.
func (s *service) attach(ctx context.Context, key journal.Key) (*sent, error) {
	task, head, err := s.e.current(ctx, key)
	if err != nil {
		return nil, err
	}
	return &sent{ring: s.e.rings.acquire(key, head), after: head.Seq, snapshot: task, taken: true}, nil
}

// sendToTask puts a message into the inbox of an existing task.
func (s *service) sendToTask(ctx context.Context, key journal.Key, req *a2a.SendMessageRequest) (*sent, error) {
	task, head, err := s.e.current(ctx, key)
	if err != nil {
		return nil, err
	}
	if id := req.Message.ContextID; id != "" && id != head.ContextID {
		return nil, a2a.InvalidParams("message.contextId",
			"is not the context of the task; leave it out or send the task's")
	}
	if head.Status.State.Terminal() && req.IdempotencyKey == "" {
		return nil, finished(head.Status.State) // with a key, this may be the repetition of a send that succeeded
	}
	if s.e.drained.Load() {
		return nil, errDraining()
	}
	if c := pushConfigOf(req); c != nil {
		if err := s.addPushConfig(ctx, key, c); err != nil {
			return nil, err
		}
	}
	ring := s.e.rings.acquire(key, head)
	in := journal.Input{
		Kind: journal.InputMessage, Message: req.Message, Call: inputCall(ctx, req), IdempotencyKey: req.IdempotencyKey,
		Time: now(),
	}
	n, err := s.e.journal.Enqueue(ctx, key, in, s.e.opts.MaxWaiting)
	if err != nil {
		s.e.rings.release(ring)
		return nil, s.enqueueError(err)
	}
	if accepted := a2a.CallFrom(ctx).Accepted; accepted != nil {
		accepted()
	}
	if head.Taken < n {
		s.e.ensureRunnerNow(ctx, key)
	}
	return &sent{ring: ring, input: n, after: head.Seq, snapshot: task, taken: head.Taken >= n}, nil
}

func (s *service) enqueueError(err error) error {
	switch {
	case errors.Is(err, journal.ErrFinished):
		return finished(a2a.TaskStateUnspecified)
	case errors.Is(err, journal.ErrInboxFull):
		return a2a.NewError(a2a.ErrRateLimited,
			fmt.Sprintf("%d messages wait for this task already, which is the limit; send again when it has taken some",
				s.e.opts.MaxWaiting))
	}
	return wireError(err)
}

func finished(state a2a.TaskState) error {
	how := ""
	if state.Terminal() {
		how = " (" + inWords(state) + ")"
	}
	return &a2a.Error{
		Kind:     a2a.ErrUnsupportedOperation,
		Message:  "the task has ended" + how + " and takes no messages; start a new one",
		Metadata: map[string]string{a2a.MetadataTaskState: state.String()},
	}
}

// inWords returns a state as all generations can read it.
func inWords(state a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state.String(), "TASK_STATE_")), "_", "-")
}

// inputCall notes what a turn needs to know of the request.
func inputCall(ctx context.Context, req *a2a.SendMessageRequest) journal.InputCall {
	call := a2a.CallFrom(ctx)
	c := journal.InputCall{
		Identity: call.Identity, Generation: call.Generation, Binding: call.Binding,
		Extensions: slices.Clone(call.Extensions),
		RequestID:  call.RequestID, TraceParent: call.TraceParent, TraceState: call.TraceState,
	}
	if c.TraceParent == "" { // the call is one within this process
		c.TraceParent, c.TraceState = telemetry.Text(ctx)
	}
	if req != nil {
		c.Metadata = req.Metadata
		if req.Configuration != nil {
			c.OutputModes = req.Configuration.AcceptedOutputModes
		}
	}
	return c
}
