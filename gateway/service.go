// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/mask"
)

// An upstream as a Service: each call goes to the client of the upstream. What is translated is the id of a task that a
// client of 0.1 made itself, where the upstream makes its own.

// keyOf returns under which key an id of the caller's would be in the table of tasks.
func keyOf(ctx context.Context, id a2a.TaskID) taskKey {
	return taskKey{owner: auth.Owner(a2a.CallFrom(ctx).Identity), id: id}
}

// known is what the gateway knows of an id: by which one the upstream has the task, and how it is shown. Of a message
// without a task there is only an answer.
type known struct {
	id     a2a.TaskID
	mask   mask.Mask
	answer *a2a.Task
}

// behind returns what stands behind an id.
func (u *upstream) behind(ctx context.Context, id a2a.TaskID) (known, error) {
	if id == "" {
		return known{}, nil
	}
	b := u.tasks.find(keyOf(ctx, id))
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

// sending is a message on its way to the upstream.
type sending struct {
	req  *a2a.SendMessageRequest
	mask mask.Mask
	made *boundTask // to be bound to the task that the message makes; nil when it makes none that needs it
}

// prepare translates the ids of a message.
func (u *upstream) prepare(ctx context.Context, cl *client.Client, req *a2a.SendMessageRequest) (*sending, error) {
	if req.NewTaskID == "" {
		k, err := u.behind(ctx, req.Message.TaskID)
		return &sending{req: toTask(req, k.id), mask: k.mask}, err
	}
	m := mask.Mask(req.NewTaskID)
	for {
		b, made := u.tasks.reserve(keyOf(ctx, req.NewTaskID))
		if made {
			s := &sending{req: req, mask: m, made: b}
			if speaks01(cl) { // and so takes the id as it is
				u.bind(s, &a2a.Task{ID: req.NewTaskID})
			}
			return s, nil
		}
		if err := b.wait(ctx); err != nil {
			return nil, err
		}
		switch {
		case b.id == "": // the message before this one made no task
		case speaks01(cl):
			return &sending{req: req, mask: m}, nil
		default:
			return &sending{req: toTask(req, b.id), mask: m}, nil
		}
	}
}

func speaks01(cl *client.Client) bool {
	return strings.HasPrefix(cl.Interface().ProtocolVersion, string(a2a.Generation01))
}

// toTask returns the request with its message sent to a task of the upstream.
func toTask(req *a2a.SendMessageRequest, id a2a.TaskID) *a2a.SendMessageRequest {
	if req.NewTaskID == "" && req.Message.TaskID == id {
		return req
	}
	r, m := *req, *req.Message
	m.TaskID = id
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
	s, err := u.prepare(ctx, cl, req)
	if err != nil {
		return nil, err
	}
	defer u.bind(s, nil) // of a message that failed
	if s.req, err = u.withWebhook(ctx, s.req, s.mask); err != nil {
		return nil, err
	}
	result, err := u.send(ctx, cl, s)
	if err != nil {
		return nil, err
	}
	return s.mask.Result(result), nil
}

// send sends a message. One that makes a task under an id of the client's own does not wait for the task's end: until
// the id is bound nobody could cancel the task or look at it.
func (u *upstream) send(ctx context.Context, cl *client.Client, s *sending) (a2a.SendResult, error) {
	if s.made == nil {
		return cl.SendMessage(ctx, s.req)
	}
	r := *s.req
	var config a2a.SendConfiguration
	if r.Configuration != nil {
		config = *r.Configuration
	}
	atOnce := config.ReturnImmediately
	config.ReturnImmediately = true
	r.Configuration = &config
	result, err := cl.SendMessage(ctx, &r)
	if err != nil {
		return nil, err
	}
	u.bind(s, result)
	task, ok := result.(*a2a.Task)
	if !ok || atOnce || task.Status.State.Terminal() || task.Status.State.Interrupted() {
		return result, nil
	}
	if _, err := cl.Wait(ctx, task.ID); err != nil {
		return nil, err
	}
	return cl.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: config.HistoryLength})
}

// StreamMessage implements a2a.Service.
func (u *upstream) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	s, err := u.prepare(ctx, cl, req)
	if err != nil {
		return nil, err
	}
	var events iter.Seq2[a2a.StreamEvent, error]
	if s.req, err = u.withWebhook(ctx, s.req, s.mask); err == nil {
		events, err = cl.StreamMessage(ctx, s.req)
	}
	if err != nil {
		u.bind(s, nil)
		return nil, err
	}
	masked := s.mask.Stream(events, func(ev a2a.Event) { u.bind(s, ev) })
	return func(yield func(a2a.StreamEvent, error) bool) {
		defer u.bind(s, nil) // of a stream that ended before its first event
		masked(yield)
	}, nil
}

// GetTask implements a2a.Service.
func (u *upstream) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	k, err := u.behind(ctx, req.ID)
	if err != nil || k.answer != nil {
		return k.answer, err
	}
	r := *req
	r.ID = k.id
	task, err := cl.GetTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	return k.mask.Task(task), nil
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
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	k, err := u.behind(ctx, req.ID)
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
func (u *upstream) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	k, err := u.behind(ctx, req.ID)
	switch {
	case err != nil:
		return nil, err
	case k.answer != nil:
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	}
	r := *req
	r.ID = k.id
	events, err := cl.Subscribe(ctx, &r)
	if err != nil {
		return nil, err
	}
	return k.mask.Stream(events, nil), nil
}

// ExtendedCard implements a2a.Service. The gateway does not offer it: what it could show would be the upstream's own,
// with addresses past the gateway.
func (u *upstream) ExtendedCard(context.Context, *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "a gateway has no extended card")
}
