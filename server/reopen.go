// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/mask"
)

// reopening lets clients of 0.1 go on with a task that has ended, as the documents of April 2025 want it, while a task
// that has ended stays so: behind the id that the client made a new task begins, in the same context and with a
// reference to the one before, which is how 1.0 wants it. Clients of 1.0 see the two tasks.
type reopening struct{ a2a.Service }

// maxReopened bounds how often a task can be reopened, and so how many tasks are looked for behind one id.
const maxReopened = 100

// incarnation returns the id of the nth task behind an id, from 1.
func incarnation(id a2a.TaskID, n int) a2a.TaskID {
	if n == 1 {
		return id
	}
	return id + "~" + a2a.TaskID(strconv.Itoa(n))
}

// reserved matches the ids of tasks that reopen others, which clients may not give to tasks of their own.
var reserved = regexp.MustCompile(`~[0-9]+$`)

// last returns the last task behind an id, nil if there is none, and its number.
func (s reopening) last(ctx context.Context, tenant string, id a2a.TaskID) (task *a2a.Task, n int, err error) {
	for n < maxReopened && (task == nil || reopens(task)) {
		next, err := s.Service.GetTask(ctx,
			&a2a.GetTaskRequest{Tenant: tenant, ID: incarnation(id, n+1), HistoryLength: new(int)})
		// an agent behind a gateway may have no GetTask
		if errors.Is(err, a2a.ErrTaskNotFound) || errors.Is(err, a2a.ErrMethodNotFound) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		task, n = next, n+1
	}
	return task, n, nil
}

// reopens reports whether others may stand behind a task: it has ended, and a client of 0.1 made its id.
func reopens(t *a2a.Task) bool {
	return t != nil && t.Status.State.Terminal() && t.Origin == a2a.Generation01
}

// behind returns the id of the last task behind an id, and how that is shown. Callers of 1.0 mean the task itself.
func (s reopening) behind(ctx context.Context, tenant string, id a2a.TaskID) (a2a.TaskID, mask.Mask, error) {
	if a2a.CallFrom(ctx).Generation == a2a.Generation10 {
		return id, "", nil
	}
	task, n, err := s.last(ctx, tenant, id)
	if err != nil || n < 2 {
		return id, "", err
	}
	return task.ID, mask.Mask(id), nil
}

// prepare returns the request by which a message reaches the last task behind its id or, if that has ended, begins the
// next one.
func (s reopening) prepare(ctx context.Context, req *a2a.SendMessageRequest) (*a2a.SendMessageRequest, mask.Mask,
	error) {
	if req.NewTaskID == "" {
		return req, "", nil
	}
	if reserved.MatchString(string(req.NewTaskID)) {
		return nil, "", a2a.NewError(a2a.ErrInvalidParams,
			fmt.Sprintf("task id %.100q ends like that of a reopened task; choose one that does not end in ~ and a "+
				"number", req.NewTaskID))
	}
	task, n, err := s.last(ctx, req.Tenant, req.NewTaskID)
	if err != nil || task == nil {
		return req, "", nil // agents behind a gateway have errors of their own for a task that is not there
	}
	r, m := *req, *req.Message
	r.Message, r.NewTaskID = &m, task.ID
	if reopens(task) && n < maxReopened {
		r.NewTaskID = incarnation(req.NewTaskID, n+1)
		m.ContextID = task.ContextID
		m.ReferenceTaskIDs = append(m.ReferenceTaskIDs[:len(m.ReferenceTaskIDs):len(m.ReferenceTaskIDs)], task.ID)
	}
	if r.NewTaskID == req.NewTaskID {
		return &r, "", nil
	}
	return &r, mask.Mask(req.NewTaskID), nil
}

func (s reopening) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	r, m, err := s.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	result, err := s.Service.SendMessage(ctx, r)
	if err != nil {
		return nil, err
	}
	return m.Result(result), nil
}

func (s reopening) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	r, m, err := s.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	events, err := s.Service.StreamMessage(ctx, r)
	if err != nil {
		return nil, err
	}
	return m.Stream(events, nil), nil
}

// GetTask asks for the task itself first: it mostly is the last one.
func (s reopening) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	task, err := s.Service.GetTask(ctx, req)
	if err != nil || !reopens(task) {
		return task, err
	}
	id, m, err := s.behind(ctx, req.Tenant, req.ID)
	if err != nil || id == req.ID {
		return task, err
	}
	r := *req
	r.ID = id
	if task, err = s.Service.GetTask(ctx, &r); err != nil {
		return nil, err
	}
	return m.Task(task), nil
}

func (s reopening) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	id, m, err := s.behind(ctx, req.Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	r := *req
	r.ID = id
	task, err := s.Service.CancelTask(ctx, &r)
	if err != nil {
		return nil, err
	}
	return m.Task(task), nil
}

func (s reopening) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	id, m, err := s.behind(ctx, req.Tenant, req.ID)
	if err != nil {
		return nil, err
	}
	r := *req
	r.ID = id
	events, err := s.Service.Subscribe(ctx, &r)
	if err != nil {
		return nil, err
	}
	return m.Stream(events, nil), nil
}
