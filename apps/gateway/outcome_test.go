// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"iter"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/client"
)

// forgetful is an agent that streams its answer and does not show the task afterwards, or only its history.
type forgetful struct {
	a2a.Service
	history bool
}

func (s forgetful) task() *a2a.Task {
	task := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
	task.History = []*a2a.Message{
		{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("?")}},
		{ID: "m2", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("12:00")}},
	}
	return task
}

// cut shortens the history of a task as the standard wants it.
func cut(task *a2a.Task, length *int) *a2a.Task {
	if length != nil {
		task.History = task.History[max(0, len(task.History)-*length):]
	}
	return task
}

func (s forgetful) SendMessage(_ context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return cut(s.task(), req.Configuration.HistoryLength), nil
}

func (s forgetful) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	said := &a2a.Message{ID: "m2", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("12:00")}}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, e := range []a2a.Event{
			&a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c",
				Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: said}},
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}},
		} {
			if !yield(a2a.NewStreamEvent("", e), nil) {
				return
			}
		}
	}, nil
}

func (s forgetful) GetTask(_ context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if !s.history {
		return nil, a2a.NewError(a2a.ErrMethodNotFound, "Method not found")
	}
	return cut(s.task(), req.HistoryLength), nil
}

// The agent's answer reaches clients of each generation that want no history, whether or not it shows the task again.
func TestTheAnswerOfForgetfulAgents(t *testing.T) {
	t.Parallel()
	for _, history := range []bool{false, true} {
		url := front(t, nil, gateway.Upstream{Card: serveService(t, forgetful{history: history}, card(),
			a2a.Generation10, nil)})
		for _, gen := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
			c := dial(t, url, gen, client.Options{})
			req := message("what time is it?")
			req.Configuration = &a2a.SendConfiguration{HistoryLength: new(int)}
			result, err := c.SendMessage(t.Context(), req)
			if err != nil {
				t.Errorf("%s: %v", gen, err)
				continue
			}
			task := result.(*a2a.Task)
			if m := task.Status.Message; m == nil || m.Parts[0].Content != a2a.Text("12:00") || len(task.History) > 0 {
				t.Errorf("%s, history %t: %+v", gen, history, task)
			}
			if !history {
				continue
			}
			task, err = c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID, HistoryLength: new(int)})
			if err != nil || task.Status.Message == nil {
				t.Errorf("%s: looking again brings %+v, %v", gen, task, err)
			}
		}
	}
}
