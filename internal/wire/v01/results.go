// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// AppendResult appends what answers a request. A Message is a completed task that says it.
func (dialect) AppendResult(dst []byte, op wire.Operation, request, result any) ([]byte, error) {
	switch r := result.(type) {
	case *a2a.Task:
		return appendValue(dst, r, (*writer).task)
	case *a2a.Message:
		if r != nil {
			return appendValue(dst, taskOf(asked(request), r), (*writer).task)
		}
	case *a2a.PushConfig:
		if r != nil {
			return appendValue(dst, ofTask(request, r), (*writer).taskPushConfig)
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

// A pushResult is a push config as a peer answers it.
type pushResult struct {
	ID     jsontext.Value `json:"id"`
	Config *pushConfig    `json:"pushNotificationConfig"`
}

// DecodeResult reads what answered a request.
func (dialect) DecodeResult(op wire.Operation, request any, result []byte) (any, error) {
	switch op {
	case wire.OpSendMessage, wire.OpGetTask, wire.OpCancelTask:
		t, err := unmarshal[task](result)
		if err != nil {
			return nil, err
		}
		task, err := t.model(asked(request))
		if err != nil {
			return nil, err
		}
		return task, nil
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decodePushConfig(request, result)
	}
	return nil, unknownOperation(op)
}

// decodePushConfig reads a push config. It gets the id that was asked for, or that of its task, which has no other.
func decodePushConfig(request any, result []byte) (any, error) {
	r, err := unmarshal[pushResult](result)
	if err != nil {
		return nil, err
	}
	if r.Config == nil || r.Config.URL == "" {
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "the task has no push notification config")
	}
	config := r.Config.model(readID(r.ID, asked(request).task))
	switch r := request.(type) {
	case *a2a.PushConfig:
		config.ID = r.ID
	case *a2a.GetPushConfigRequest:
		config.ID = r.ID
	}
	config.ID = cmp.Or(config.ID, string(config.TaskID))
	return config, nil
}
