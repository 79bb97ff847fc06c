// SPDX-License-Identifier: Apache-2.0

// Package v1 is the dialect of generation 1.0: the requests and results of its operations as its two JSON bindings
// write them. The model is that of 1.0, so most of the dialect is in package a2a.
package v1

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// NewRequest returns a pointer to an empty request of an operation, or nil for OpNone.
func NewRequest(op wire.Operation) any {
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return new(a2a.SendMessageRequest)
	case wire.OpGetTask:
		return new(a2a.GetTaskRequest)
	case wire.OpListTasks:
		return new(a2a.ListTasksRequest)
	case wire.OpCancelTask:
		return new(a2a.CancelTaskRequest)
	case wire.OpSubscribe:
		return new(a2a.SubscribeRequest)
	case wire.OpCreatePushConfig:
		return new(a2a.PushConfig)
	case wire.OpGetPushConfig:
		return new(a2a.GetPushConfigRequest)
	case wire.OpListPushConfigs:
		return new(a2a.ListPushConfigsRequest)
	case wire.OpDeletePushConfig:
		return new(a2a.DeletePushConfigRequest)
	case wire.OpExtendedCard:
		return new(a2a.ExtendedCardRequest)
	}
	return nil
}

// AppendResult appends the result of an operation: SendMessageResponse for SendMessage, an empty object for nil, else
// the value itself.
func AppendResult(dst []byte, op wire.Operation, result any) ([]byte, error) {
	if result == nil {
		return append(dst, '{', '}'), nil
	}
	if op == wire.OpSendMessage {
		sent, ok := result.(a2a.SendResult)
		if !ok {
			return dst, fmt.Errorf("%v cannot answer with a %T", op, result)
		}
		return a2a.AppendSendResponse(dst, sent)
	}
	value, ok := result.(interface {
		AppendJSON(dst []byte) ([]byte, error)
	})
	if !ok {
		return dst, fmt.Errorf("%v cannot answer with a %T", op, result)
	}
	return value.AppendJSON(dst)
}

// EncodeEvent returns a StreamResponse. The bytes are shared by all readers of the event.
func EncodeEvent(ev a2a.Event) ([]byte, error) {
	return a2a.AppendStreamResponse(nil, ev)
}
