// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/mask"
)

// An upstream as a Service: each call goes to the client of the upstream. The methods translate the id of a task that a
// client of 0.1 made itself, where the upstream makes its own.

type events = iter.Seq2[a2a.StreamEvent, error]

// keyOf returns under which key an id of the caller's would be in the table of tasks.
func (u *upstream) keyOf(ctx context.Context, id a2a.TaskID) taskKey {
	call := a2a.CallFrom(ctx)
	key := taskKey{owner: auth.Owner(call.Identity), id: id}
	if u.name == "" { // else the tenant is the upstream's name, or nothing
		key.tenant = call.Tenant
	}
	return key
}

// known is the task of the upstream behind an id, or the answer to a message that made no task.
type known struct {
	id     a2a.TaskID
	mask   mask.Mask
	answer *a2a.Task
}

func (u *upstream) behind(ctx context.Context, id a2a.TaskID) (known, error) {
	if id == "" {
		return known{}, nil
	}
	b := u.tasks.find(u.keyOf(ctx, id))
	if b == nil {
		return known{id: id}, nil
	}
	if err := b.wait(ctx); err != nil {
		return known{}, err
	}
	switch {
	case b.answer != nil:
		return known{id: id, answer: b.answer}, nil
	case b.id == "":
		return known{id: id}, nil
	}
	return known{id: b.id, mask: mask.Mask(id)}, nil
}

// reach returns the client for the upstream, and what stands behind an id.
func (u *upstream) reach(ctx context.Context, id a2a.TaskID) (*calling, known, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, known{}, err
	}
	k, err := u.behind(ctx, id)
	return cl, k, err
}

type sending struct {
	req   *a2a.SendMessageRequest
	mask  mask.Mask
	made  *boundTask // to be bound to the task that the message makes; nil when it makes none that needs it
	bound *boundTask // was bound to a task by an earlier message
	hook  string     // URL of the gateway's webhook in the message; "" when there is none
}

// prepare translates the ids of a message. An id that a client made stays with the gateway.
func (u *upstream) prepare(ctx context.Context, req *a2a.SendMessageRequest) (*sending, error) {
	req, err := withFiles(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.NewTaskID == "" {
		k, err := u.behind(ctx, req.Message.TaskID)
		return &sending{req: u.toTask(ctx, req, k.id), mask: k.mask}, err
	}
	m := mask.Mask(req.NewTaskID)
	for {
		b, made := u.tasks.reserve(u.keyOf(ctx, req.NewTaskID))
		if made {
			return &sending{req: u.toTask(ctx, req, ""), mask: m, made: b}, nil
		}
		if err := b.wait(ctx); err != nil {
			return nil, err
		}
		if b.id != "" { // else the message before this one made no task
			return &sending{req: u.toTask(ctx, req, b.id), mask: m, bound: b}, nil
		}
	}
}

// withFiles returns the request with the wish that files come in messages, if the caller speaks 0.1 and does not say
// what it wants: its clients do not follow links, and the upstream sees a client of another version.
func withFiles(ctx context.Context, req *a2a.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	_, wants := req.Metadata[files.WantFiles]
	if _, asks := req.Message.Metadata[files.WantFiles]; wants || asks ||
		a2a.CallFrom(ctx).Generation != a2a.Generation01 {
		return req, nil
	}
	r, m := *req, *req.Message
	m.Metadata = maps.Clone(m.Metadata)
	r.Message = &m
	return &r, m.Metadata.Set(files.WantFiles, "inline")
}

// toTask returns the request for a task of the upstream, with the upstream's ids of the tasks it refers to.
func (u *upstream) toTask(ctx context.Context, req *a2a.SendMessageRequest, id a2a.TaskID) *a2a.SendMessageRequest {
	if req.NewTaskID == "" && req.Message.TaskID == id && len(req.Message.ReferenceTaskIDs) == 0 {
		return req
	}
	r, m := *req, *req.Message
	m.TaskID, m.ReferenceTaskIDs = id, slices.Clone(m.ReferenceTaskIDs)
	for i, of := range m.ReferenceTaskIDs {
		if k, err := u.behind(ctx, of); err == nil {
			m.ReferenceTaskIDs[i] = k.id
		}
	}
	r.Message, r.NewTaskID = &m, ""
	return &r
}

// bind takes what a message led to first.
func (u *upstream) bind(s *sending, event any) {
	if s.made == nil {
		return
	}
	switch e := event.(type) {
	case *a2a.Task:
		u.tasks.bind(s.made, e.ID, nil)
	case *a2a.Message:
		u.tasks.bind(s.made, "", &a2a.Task{
			ID: s.made.key.id, ContextID: e.ContextID, Origin: a2a.Generation01,
			Status: a2a.TaskStatus{State: a2a.TaskStateCompleted, Message: e, Timestamp: time.Now()},
		})
	default:
		u.tasks.bind(s.made, "", nil)
	}
	s.made = nil
}

// SendMessage implements a2a.Service.
func (u *upstream) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return sendAgain(u, ctx, req, func(s *sending) (a2a.SendResult, error) {
		result, err := u.send(ctx, cl, s)
		if err != nil {
			return nil, err
		}
		return s.mask.Result(result), nil
	})
}

// StreamMessage implements a2a.Service.
func (u *upstream) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return sendAgain(u, ctx, req, func(s *sending) (events, error) {
		events, err := cl.StreamMessage(ctx, s.req)
		if err != nil {
			return nil, err
		}
		masked := s.mask.Stream(events, func(ev a2a.Event) { u.bind(s, ev) })
		made := s.made
		s.made = nil // bound by the stream from here on
		return func(yield func(a2a.StreamEvent, error) bool) {
			s.made = made
			defer u.bind(s, nil) // of a stream that ended before its first event
			masked(yield)
		}, nil
	})
}

// sendAgain sends a message by send: once more as a new one when the upstream has forgotten the task behind the
// client's id, which in 0.1 begins a new task. It forgets the webhook of a message that failed.
func sendAgain[T any](u *upstream, ctx context.Context, req *a2a.SendMessageRequest, send func(*sending) (T, error)) (T,
	error) {
	var none T
	for {
		s, err := u.prepare(ctx, req)
		if err == nil {
			err = u.withWebhook(ctx, s)
		}
		if err != nil {
			if s != nil {
				u.bind(s, nil)
			}
			return none, err
		}
		res, err := send(s)
		u.bind(s, nil) // if nothing did
		if err == nil {
			return res, nil
		}
		u.hooks.forget(s.hook)
		if s.bound == nil || !errors.Is(err, a2a.ErrTaskNotFound) {
			return none, err
		}
		u.tasks.forget(s.bound)
	}
}

// send sends a message. One that makes a task under an id of the client's own is followed from its first event on,
// because until the id is bound nobody could cancel the task or look at it. The words of the stream count, even if the
// upstream does not repeat them.
func (u *upstream) send(ctx context.Context, cl *calling, s *sending) (a2a.SendResult, error) {
	var config a2a.SendConfiguration
	if s.req.Configuration != nil {
		config = *s.req.Configuration
	}
	if s.made == nil {
		return u.sendPlainly(ctx, cl, s, config)
	}
	var outcome client.Outcome
	for up, err := range cl.Stream(ctx, s.req) {
		if err != nil {
			return nil, err
		}
		outcome.Add(up)
		if m := outcome.Message(); m != nil {
			u.bind(s, m)
			return m, nil
		}
		task := outcome.Task()
		if task == nil {
			continue
		}
		u.bind(s, task)
		if config.ReturnImmediately {
			return task, nil // it goes on without this stream
		}
		if task.Status.State.Interrupted() {
			break
		}
	}
	task := outcome.Task()
	if task == nil {
		return nil, a2a.NewError(a2a.ErrInvalidAgentResponse, "the agent's stream ended before its first event")
	}
	task, err := outcome.Final(cl.GetTask(ctx,
		&a2a.GetTaskRequest{ID: task.ID, HistoryLength: asked(config.HistoryLength)}))
	if err != nil {
		return nil, err
	}
	return shown(task, config.HistoryLength), nil
}

func (u *upstream) sendPlainly(ctx context.Context, cl *calling, s *sending,
	config a2a.SendConfiguration) (a2a.SendResult, error) {
	req, history := s.req, config.HistoryLength
	if history != nil {
		config.HistoryLength = asked(history)
		r := *req
		r.Configuration, req = &config, &r
	}
	result, err := cl.SendMessage(ctx, req)
	if task, ok := result.(*a2a.Task); err == nil && ok {
		return shown(task, history), nil
	}
	return result, err
}

// asked returns how much history the gateway asks for when a client asks for so much; nil leaves it to the upstream.
func asked(history *int) *int {
	if history == nil {
		return nil
	}
	return fold.AskHistory(*history)
}

func shown(task *a2a.Task, history *int) *a2a.Task {
	if history == nil {
		return task
	}
	return fold.ShowHistory(task, *history)
}

// GetTask implements a2a.Service.
func (u *upstream) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	cl, k, err := u.reach(ctx, req.ID)
	if err != nil || k.answer != nil {
		return k.answer, err
	}
	r := *req
	r.ID, r.HistoryLength = k.id, asked(req.HistoryLength)
	task, err := cl.GetTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	return k.mask.Task(shown(task, req.HistoryLength)), nil
}

// ListTasks implements a2a.Service. Tasks come under the ids that the upstream gave them.
func (u *upstream) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return cl.ListTasks(ctx, req)
}

// CancelTask implements a2a.Service.
func (u *upstream) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	cl, k, err := u.reach(ctx, req.ID)
	switch {
	case err != nil:
		return nil, err
	case k.answer != nil:
		return nil, a2a.NewError(a2a.ErrTaskNotCancelable, "the task has ended")
	}
	r := *req
	r.ID = k.id
	task, err := cl.CancelTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	return k.mask.Task(task), nil
}

// Subscribe implements a2a.Service.
func (u *upstream) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (events, error) {
	cl, k, err := u.reach(ctx, req.ID)
	switch {
	case err != nil:
		return nil, err
	case k.answer != nil:
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	}
	if err := notFinished(ctx, cl, k.id); err != nil {
		return nil, err
	}
	r := *req
	r.ID = k.id
	events, err := cl.Subscribe(ctx, &r)
	if err != nil {
		return nil, err
	}
	return k.mask.Stream(events, nil), nil
}

// notFinished refuses a subscription to a task that has ended, which agents before 1.0 do not.
func notFinished(ctx context.Context, cl *calling, id a2a.TaskID) error {
	if cl.generation() == a2a.Generation10 {
		return nil
	}
	task, err := cl.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: new(int)})
	if err == nil && task.Status.State.Terminal() {
		return a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	}
	return err
}

// ExtendedCard implements a2a.Service. The server puts its interfaces in place of the upstream's. A client takes the
// extended card for its own from then on, so each caller's is asked for by a client that nobody else uses.
func (u *upstream) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	one, err := u.newCalling(cl.card)
	if err != nil {
		return nil, unreachable(u, err)
	}
	defer one.Close()
	card, err := one.ExtendedCard(ctx, req)
	if err != nil {
		return nil, err
	}
	return cl.shown(card), nil
}
