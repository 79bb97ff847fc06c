// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// AppendResult appends what answers a request. A Message is a completed task that says it.
func (dialect) AppendResult(dst []byte, op wire.Operation, request, result any) ([]byte, error) {
	switch r := result.(type) {
	case *a2a.Task:
		return wire.AppendJSON(dst, r, writeTask)
	case *a2a.Message:
		if r != nil {
			return wire.AppendJSON(dst, taskOf(asked(request), r), writeTask)
		}
	case *a2a.PushConfig:
		if r != nil {
			return wire.AppendJSON(dst, ofTask(request, r), writeTaskPushConfig)
		}
	}
	return dst, fmt.Errorf("%v cannot answer with a %T in version 0.1", op, result)
}

// taskOf returns the completed task that stands for a message that answers a send.
func taskOf(asked subject, m *a2a.Message) *a2a.Task {
	return &a2a.Task{
		ID: cmp.Or(asked.task, m.TaskID), ContextID: cmp.Or(m.ContextID, asked.context),
		Status: a2a.TaskStatus{State: a2a.TaskStateCompleted, Message: m},
	}
}

// ofTask returns a config that names its task.
func ofTask(request any, p *a2a.PushConfig) *a2a.PushConfig {
	if p.TaskID != "" {
		return p
	}
	named := *p
	named.TaskID = asked(request).task
	return &named
}

// asked returns what a request is about.
func asked(request any) subject {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		s := subject{task: sentTo(r)}
		if r.Message != nil {
			s.context = r.Message.ContextID
		}
		return s
	case *a2a.GetTaskRequest:
		return subject{task: r.ID}
	case *a2a.CancelTaskRequest:
		return subject{task: r.ID}
	case *a2a.SubscribeRequest:
		return subject{task: r.ID}
	case *a2a.PushConfig:
		return subject{task: r.TaskID}
	case *a2a.GetPushConfigRequest:
		return subject{task: r.TaskID}
	}
	return subject{}
}

// DecodeResult reads what answered a request.
func (dialect) DecodeResult(op wire.Operation, request any, result []byte) (any, error) {
	switch op {
	case wire.OpSendMessage, wire.OpGetTask, wire.OpCancelTask:
		return decode(result, taskObject.Read, func(t *task) (*a2a.Task, error) { return t.model(asked(request)) })
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decode(result, pushResultObject.Read,
			func(p *pushParams) (*a2a.PushConfig, error) { return p.answer(request) })
	}
	return nil, unknownOperation(op)
}

// answer returns a push config with the id that was asked for, or that of its task, which has no other.
func (p *pushParams) answer(request any) (*a2a.PushConfig, error) {
	if p.config == nil || p.config.URL == "" {
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "the task has no push notification config")
	}
	config := p.config
	config.TaskID = cmp.Or(p.id, asked(request).task)
	switch r := request.(type) {
	case *a2a.PushConfig:
		config.ID = r.ID
	case *a2a.GetPushConfigRequest:
		config.ID = r.ID
	}
	config.ID = cmp.Or(config.ID, string(config.TaskID))
	return config, nil
}
