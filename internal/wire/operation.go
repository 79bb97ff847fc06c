// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Operation is one of the operations of A2A 1.0 §3.1. The zero Operation is none.
type Operation uint8

// The operations.
const (
	OpNone Operation = iota
	OpSendMessage
	OpStreamMessage
	OpGetTask
	OpListTasks
	OpCancelTask
	OpSubscribe
	OpCreatePushConfig
	OpGetPushConfig
	OpListPushConfigs
	OpDeletePushConfig
	OpExtendedCard
)

// operations has a row for each operation. It is the one list of them: bindings, dialects and clients ask it.
var operations = [...]struct {
	name   string // in A2A 1.0 §5.3: the JSON-RPC method and the gRPC call
	name03 string // the JSON-RPC method of 0.2 and 0.3
	grpc03 string // the gRPC call of 0.3
	name01 string // the JSON-RPC method of 0.1; empty: 0.1 has no such operation
	flags  flags
	method
}{
	OpSendMessage: {
		"SendMessage", "message/send", "SendMessage", "tasks/send", 0,
		method{newRequest: empty[a2a.SendMessageRequest], subject: subject(ofSend),
			call: answers(a2a.Service.SendMessage)},
	},
	OpStreamMessage: {
		"SendStreamingMessage", "message/stream", "SendStreamingMessage", "tasks/sendSubscribe", streams,
		method{newRequest: empty[a2a.SendMessageRequest], subject: subject(ofSend),
			call: opens(a2a.Service.StreamMessage)},
	},
	OpGetTask: {
		"GetTask", "tasks/get", "GetTask", "tasks/get", reads,
		once(a2a.Service.GetTask, func(r *a2a.GetTaskRequest) Subject { return Subject{&r.Tenant, r.ID, ""} }),
	},
	OpListTasks: {
		"ListTasks", "tasks/list", "ListTasks", "", reads, // late 0.3
		once(a2a.Service.ListTasks,
			func(r *a2a.ListTasksRequest) Subject { return Subject{&r.Tenant, "", r.ContextID} }),
	},
	OpCancelTask: {
		"CancelTask", "tasks/cancel", "CancelTask", "tasks/cancel", 0,
		once(a2a.Service.CancelTask, func(r *a2a.CancelTaskRequest) Subject { return Subject{&r.Tenant, r.ID, ""} }),
	},
	OpSubscribe: {
		"SubscribeToTask", "tasks/resubscribe", "TaskSubscription", "tasks/resubscribe", streams,
		method{
			newRequest: empty[a2a.SubscribeRequest], call: opens(a2a.Service.Subscribe),
			subject: subject(func(r *a2a.SubscribeRequest) Subject { return Subject{&r.Tenant, r.ID, ""} }),
		},
	},
	OpCreatePushConfig: {
		"CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set",
		"CreateTaskPushNotificationConfig", "tasks/pushNotification/set", push,
		once(a2a.Service.CreatePushConfig, func(r *a2a.PushConfig) Subject { return Subject{&r.Tenant, r.TaskID, ""} }),
	},
	OpGetPushConfig: {
		"GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get",
		"GetTaskPushNotificationConfig", "tasks/pushNotification/get", push | reads,
		once(a2a.Service.GetPushConfig,
			func(r *a2a.GetPushConfigRequest) Subject { return Subject{&r.Tenant, r.TaskID, ""} }),
	},
	OpListPushConfigs: {
		"ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list",
		"ListTaskPushNotificationConfig", "", push | reads,
		once(a2a.Service.ListPushConfigs,
			func(r *a2a.ListPushConfigsRequest) Subject { return Subject{&r.Tenant, r.TaskID, ""} }),
	},
	OpDeletePushConfig: {
		"DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete",
		"DeleteTaskPushNotificationConfig", "", push,
		method{
			newRequest: empty[a2a.DeletePushConfigRequest], call: deletePushConfig,
			subject: subject(func(r *a2a.DeletePushConfigRequest) Subject { return Subject{&r.Tenant, r.TaskID, ""} }),
		},
	},
	OpExtendedCard: {
		"GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "GetAgentCard", "", reads,
		once(a2a.Service.ExtendedCard, func(r *a2a.ExtendedCardRequest) Subject { return Subject{&r.Tenant, "", ""} }),
	},
}

type flags uint8

const (
	streams flags = 1 << iota // answers with a stream
	push                      // manages push notification configs
	reads                     // changes nothing, so it may be repeated
)

// String returns the operation's name in A2A 1.0, "" for OpNone.
func (op Operation) String() string { return operations[op].name }

// Streams reports whether the operation answers with a stream.
func (op Operation) Streams() bool { return operations[op].flags&streams != 0 }

// UsesPush reports whether the operation manages push notification configs.
func (op Operation) UsesPush() bool { return operations[op].flags&push != 0 }

// Reads reports whether the operation answers once and changes nothing, so that it may be repeated.
func (op Operation) Reads() bool { return operations[op].flags&reads != 0 }

// A method says what the operation's method of [a2a.Service] takes and returns. Requests are pointers to its type.
type method struct {
	newRequest func() any
	newResult  func() json.UnmarshalerFrom // nil for a sum, a stream, and nothing
	subject    func(request any) Subject
	call       func(context.Context, a2a.Service, any) (any, error)
}

// A Subject is what a request is about.
type Subject struct {
	Tenant  *string // in the request
	Task    a2a.TaskID
	Context a2a.ContextID
}

// NewRequest returns an empty request of the operation, a pointer that JSON decodes into, or nil for OpNone.
func (op Operation) NewRequest() any {
	if op == OpNone {
		return nil
	}
	return operations[op].newRequest()
}

// NewResult returns an empty result of the operation, or nil when it has no result of one type.
func (op Operation) NewResult() json.UnmarshalerFrom {
	if f := operations[op].newResult; f != nil {
		return f()
	}
	return nil
}

// Subject returns what a request of the operation is about, nothing for a request of another one.
func (op Operation) Subject(request any) Subject { return operations[op].subject(request) }

// Call calls the operation's method. The result is what the method returns, of which nothing is an error; that of
// DeletePushConfig is nil.
func (op Operation) Call(ctx context.Context, s a2a.Service, request any) (any, error) {
	return operations[op].call(ctx, s, request)
}

func empty[Q any]() any { return new(Q) }

func once[Q, R any, P decodable[R]](
	call func(a2a.Service, context.Context, *Q) (P, error), of func(*Q) Subject,
) method {
	return method{
		newRequest: empty[Q], newResult: func() json.UnmarshalerFrom { return P(new(R)) },
		subject: subject(of), call: answers(call),
	}
}

// decodable is a pointer to a type of the model.
type decodable[R any] interface {
	*R
	json.UnmarshalerFrom
}

func ofSend(r *a2a.SendMessageRequest) Subject {
	s := Subject{Tenant: &r.Tenant}
	if r.Message != nil {
		s.Task, s.Context = r.Message.TaskID, r.Message.ContextID
	}
	return s
}

func subject[Q any](of func(*Q) Subject) func(any) Subject {
	return func(request any) Subject {
		if r, ok := request.(*Q); ok {
			return of(r)
		}
		return Subject{Tenant: new(string)}
	}
}

var errNoResult = errors.New("the service returned neither a result nor an error")

// answers makes a call of a method that returns one result.
func answers[Q any, R comparable](
	call func(a2a.Service, context.Context, *Q) (R, error),
) func(context.Context, a2a.Service, any) (any, error) {
	return func(ctx context.Context, s a2a.Service, request any) (any, error) {
		r, ok := request.(*Q)
		if !ok {
			return nil, fmt.Errorf("the operation does not take a %T", request)
		}
		var none R
		result, err := call(s, ctx, r)
		switch {
		case err != nil:
			return nil, err
		case result == none: // of a broken service: nobody is to write a nil
			return nil, errNoResult
		}
		return result, nil
	}
}

// Events is what an open stream yields.
type Events = iter.Seq2[a2a.StreamEvent, error]

// opens is answers for a method that returns a stream.
func opens[Q any](
	call func(a2a.Service, context.Context, *Q) (Events, error),
) func(context.Context, a2a.Service, any) (any, error) {
	return func(ctx context.Context, s a2a.Service, request any) (any, error) {
		r, ok := request.(*Q)
		if !ok {
			return nil, fmt.Errorf("the operation does not take a %T", request)
		}
		events, err := call(s, ctx, r)
		switch {
		case err != nil:
			return nil, err
		case events == nil:
			return nil, errNoResult
		}
		return events, nil
	}
}

func deletePushConfig(ctx context.Context, s a2a.Service, request any) (any, error) {
	r, ok := request.(*a2a.DeletePushConfigRequest)
	if !ok {
		return nil, fmt.Errorf("the operation does not take a %T", request)
	}
	return nil, s.DeletePushConfig(ctx, r)
}
