// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// service is an agent of an engine as an a2a.Service.
type service struct {
	e     *Engine
	name  string
	agent agent.Agent
	card  *a2a.AgentCard // nil when there is none
	modes modes

	extended func(context.Context, a2a.Identity) (*a2a.AgentCard, error) // nil when nobody has another card

	peers peers

	credentials bool // messages may bring some
	agentRole   bool // callers may send messages in the role of the agent
}

// AgentCard implements Service.
func (s *service) AgentCard() *a2a.AgentCard { return s.card }

// Capabilities implements Service.
func (s *service) Capabilities() a2a.AgentCapabilities {
	caps := a2a.AgentCapabilities{
		Streaming: new(true), PushNotifications: new(s.e.opts.Push != nil), ExtendedAgentCard: new(s.extended != nil),
		Extensions: []a2a.AgentExtension{{
			URI:         a2a.ReplayExtension,
			Description: "Last-Event-ID resumes the stream of a task without a gap",
		}},
	}
	if s.credentials {
		caps.Extensions = append(caps.Extensions, a2a.AgentExtension{URI: a2a.CredentialsExtension,
			Description: "Messages to a task that waits for an authorization may bring credentials"})
	}
	return caps
}

// recallDelegated cancels what a task that has ended had delegated and that goes on.
func (s *service) recallDelegated(key journal.Key) {
	peers, ok := s.peers.take(key)
	if !ok {
		return
	}
	s.e.spawn(func() {
		state, err := s.e.journal.TaskState(s.e.ctx, key)
		if err == nil && len(state) > 0 {
			err = turn.Recall(s.e.ctx, state, peers)
		}
		if err != nil {
			s.e.log.Warn("delegated tasks of an ended task may still run", "agent", s.name, "task", key.ID,
				"error", err)
		}
	})
}

// Scope implements Service. It comes before every lookup (A2A 1.0 §13.1).
func (s *service) Scope(ctx context.Context, operation, tenant string) (journal.Scope, error) {
	call := a2a.CallFrom(ctx)
	if tenant != "" && tenant != call.Tenant {
		c := *call
		c.Tenant = tenant
		call = &c
	}
	grant, err := s.e.opts.Authorizer.Authorize(ctx, auth.Access{Agent: s.name, Operation: operation, Call: call})
	if err != nil {
		return journal.Scope{}, a2a.AsError(err)
	}
	return journal.Scope{Agent: s.name, Tenant: grant.Tenant, Owner: grant.Owner}, nil
}

func (s *service) key(ctx context.Context, operation, tenant string, id a2a.TaskID) (journal.Key, error) {
	scope, err := s.Scope(ctx, operation, tenant)
	return journal.Key{Scope: scope, ID: id}, err
}

// GetTask implements a2a.Service.
func (s *service) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	key, err := s.key(ctx, "GetTask", req.Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	task, _, err := s.e.current(ctx, key)
	if err != nil {
		return nil, err
	}
	return withHistory(task, req.HistoryLength), nil
}

// current returns a task as last committed, and its head. A task that the journal has to load is cached for the
// next call.
func (e *Engine) current(ctx context.Context, key journal.Key) (*a2a.Task, *journal.Head, error) {
	task, head, loaded, err := e.read(ctx, key)
	if err != nil {
		return nil, nil, wireError(err)
	}
	if !loaded {
		return task, head, nil
	}
	if size := a2a.SizeOf(task); size >= minCached {
		e.cache.put(newCachedTask(key, journal.NewProjection(task), head, size), size)
	}
	return task, head, nil
}

// read returns a task as last committed, from the runner here, from the cache, or loaded from the journal.
func (e *Engine) read(ctx context.Context, key journal.Key) (task *a2a.Task, head *journal.Head, loaded bool,
	err error) {
	if r := e.runners.get(key); r != nil {
		if task, head := r.snapshot(); task != nil {
			return task, head, false, nil
		}
	}
	if t := e.cache.get(key); t != nil {
		if task, head, err := e.readCached(ctx, t); task != nil || err != nil {
			return task, head, false, err
		}
	}
	snap, err := e.journal.Load(ctx, key)
	if err != nil {
		return nil, nil, false, err
	}
	return snap.Task, snap.Head, true, nil
}

// withHistory returns the task with at most n messages of history, the newest (A2A 1.0 §3.2.4). Nil means all.
func withHistory(task *a2a.Task, n *int) *a2a.Task {
	if n == nil || len(task.History) <= *n {
		return task
	}
	c := *task
	c.History = task.History[len(task.History)-*n:]
	if *n == 0 {
		c.History = nil
	}
	return &c
}

// ListTasks implements a2a.Service. History is only there when the request asks for some.
func (s *service) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	scope, err := s.Scope(ctx, "ListTasks", req.Tenant)
	if err != nil {
		return nil, err
	}
	size := 50
	if req.PageSize != nil {
		size = *req.PageSize
	}
	page, err := s.e.journal.List(ctx, scope, journal.Query{
		ContextID: req.ContextID, State: req.Status, Since: req.StatusTimestampAfter, Limit: size,
		PageToken: req.PageToken,
		MaxBytes:  s.e.opts.MaxPage, Tasks: req.IncludeArtifacts || wantsHistory(req),
	})
	if err != nil {
		return nil, wireError(err)
	}
	res := &a2a.ListTasksResponse{
		Tasks: make([]*a2a.Task, 0, len(page.Heads)), NextPageToken: page.Next, PageSize: size, TotalSize: page.Total,
	}
	for i, head := range page.Heads {
		var full *a2a.Task
		if len(page.Tasks) > 0 {
			full = page.Tasks[i]
		}
		res.Tasks = append(res.Tasks, listed(req, head, full))
	}
	return res, nil
}

func wantsHistory(req *a2a.ListTasksRequest) bool {
	return req.HistoryLength != nil && *req.HistoryLength > 0
}

// listed returns a task as a list shows it. full is nil unless the request asks for history or artifacts.
func listed(req *a2a.ListTasksRequest, head *journal.Head, full *a2a.Task) *a2a.Task {
	task := &a2a.Task{
		ID: head.Key.ID, ContextID: head.ContextID, Status: head.Status, Metadata: head.Metadata, Origin: head.Origin,
	}
	if full == nil {
		return task
	}
	task.Status, task.Metadata = full.Status, full.Metadata
	if wantsHistory(req) {
		task.History = withHistory(full, req.HistoryLength).History
	}
	if req.IncludeArtifacts {
		task.Artifacts = full.Artifacts
		if task.Artifacts == nil {
			task.Artifacts = []*a2a.Artifact{} // an empty list is on the wire, unlike none
		}
	}
	return task
}

// CancelTask implements a2a.Service. It returns once the task has ended.
func (s *service) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	key, err := s.key(ctx, "CancelTask", req.Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	head, err := s.e.journal.Head(ctx, key)
	if err != nil {
		return nil, wireError(err)
	}
	if head.Status.State.Terminal() {
		return nil, notCancelable(head)
	}
	ring := s.e.rings.acquire(key, head)
	defer s.e.rings.release(ring)
	call := inputCall(ctx, nil)
	call.Metadata = req.Metadata
	n, err := s.e.journal.Enqueue(ctx, key, journal.Input{
		Kind: journal.InputCancel, Call: call, Time: now(), IdempotencyKey: onceAt("cancel", head),
	}, 0)
	if errors.Is(err, journal.ErrFinished) {
		return nil, notCancelable(nil)
	}
	if err != nil {
		return nil, wireError(err)
	}
	s.e.ensureRunnerNow(ctx, key)
	return s.e.awaitCancel(ctx, ring, n)
}

// onceAt returns the idempotency key under which an input is enqueued once for each state of its task, so that
// repeating it fills no inbox.
func onceAt(what string, head *journal.Head) string {
	return "engine/" + what + "@" + journal.EventID(head.Seq)
}

func notCancelable(head *journal.Head) error {
	err := a2a.NewError(a2a.ErrTaskNotCancelable, "the task has ended")
	if head != nil {
		err.Message = "the task has ended: " + inWords(head.Status.State)
	}
	return err
}

// awaitCancel waits until a cancel has been carried out or refused.
func (e *Engine) awaitCancel(ctx context.Context, ring *eventRing, input uint64) (*a2a.Task, error) {
	for {
		v := ring.viewFrom(0)
		switch {
		case v.err != nil:
			return nil, v.err
		case v.head.Status.State == a2a.TaskStateCanceled:
			return e.result(ctx, ring)
		case v.head.Status.State.Terminal():
			return nil, notCancelable(v.head)
		case ring.wasRefused(input) || v.head.Taken >= input:
			return nil, a2a.NewError(a2a.ErrTaskNotCancelable, "the agent refused to cancel the task")
		}
		select {
		case <-v.changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-e.quiet:
			return nil, errDraining()
		}
	}
}

// result returns the task that a ring stands at.
func (e *Engine) result(ctx context.Context, ring *eventRing) (*a2a.Task, error) {
	if v := ring.viewFrom(0); v.final != nil {
		return v.final, nil
	}
	task, _, err := e.current(ctx, ring.key)
	return task, err
}

// Subscribe implements a2a.Service. The stream stays open while the task waits for its caller, and ends with the task.
func (s *service) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	key, err := s.key(ctx, "SubscribeToTask", req.Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	if req.After != "" {
		return s.replay(ctx, key, req.After)
	}
	task, head, err := s.e.current(ctx, key)
	if err != nil {
		return nil, err
	}
	if head.Status.State.Terminal() {
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation,
			"the task has ended: "+inWords(head.Status.State)+"; get it instead")
	}
	ring := s.e.rings.acquire(key, head)
	return s.e.stream(ctx, ring, &reader{after: head.Seq, snapshot: task, untilTerminal: true}), nil
}

// replay returns the events after the one with this id, also those of a task that has ended.
func (s *service) replay(ctx context.Context, key journal.Key, id string) (iter.Seq2[a2a.StreamEvent, error], error) {
	head, err := s.e.journal.Head(ctx, key)
	if err != nil {
		return nil, wireError(err)
	}
	after, err := journal.ParseEventID(id)
	if err != nil || after > head.Seq {
		return nil, a2a.InvalidParams("Last-Event-ID", "is not the id of an event of this task")
	}
	ring := s.e.rings.acquire(key, head)
	return s.e.stream(ctx, ring, &reader{after: after, untilTerminal: true}), nil
}

// ExtendedCard implements a2a.Service.
func (s *service) ExtendedCard(ctx context.Context, _ *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	if s.extended == nil {
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "the agent has no extended card")
	}
	card, err := s.extended(ctx, a2a.CallFrom(ctx).Identity)
	if err == nil && card == nil {
		err = a2a.NewError(a2a.ErrExtendedCardNotConfigured, "there is no extended card for you")
	}
	return card, err
}
