// SPDX-License-Identifier: Apache-2.0

// Package pbv1 is A2A 1.0 in protobuf: it converts between the model and the messages of package lf.a2a.v1, in the code
// that the official Go module generated from the standard's own proto file.
package pbv1

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Form turns the bytes of messages into the model and back, for servers and clients. Requests and results are those
// of [a2a.Service].
type Form struct {
	// MaxDepth is how deeply a value of free form that is read may nest; 0 means a2a.MaxDepth.
	MaxDepth int
}

// Generation is 1.0.
func (Form) Generation() a2a.Generation { return a2a.Generation10 }

// Service is the full name of the gRPC service.
func (Form) Service() string { return pb.A2AService_ServiceDesc.ServiceName }

// File is the name of the proto file, for reflection.
func (Form) File() any { return pb.A2AService_ServiceDesc.Metadata }

// Method returns the name of an operation's method.
func (Form) Method(op wire.Operation) string { return op.String() }

// Final reports whether a stream is over with an event, whoever ends it: in 1.0 it is when it is closed.
func (Form) Final(a2a.Event) bool { return false }

// DecodeRequest reads the request of an operation. Its errors are [*a2a.Error].
func (f Form) DecodeRequest(op wire.Operation, b []byte) (any, error) {
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.SendMessageRequest), sendMessageRequest)
	case wire.OpGetTask:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetTaskRequest), getTaskRequest)
	case wire.OpListTasks:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTasksRequest), listTasksRequest)
	case wire.OpCancelTask:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.CancelTaskRequest), cancelTaskRequest)
	case wire.OpSubscribe:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.SubscribeToTaskRequest), subscribeRequest)
	case wire.OpCreatePushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.TaskPushNotificationConfig), pushConfig)
	case wire.OpGetPushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetTaskPushNotificationConfigRequest), getPushConfigRequest)
	case wire.OpListPushConfigs:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTaskPushNotificationConfigsRequest), listPushConfigsRequest)
	case wire.OpDeletePushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.DeleteTaskPushNotificationConfigRequest), deletePushConfigRequest)
	case wire.OpExtendedCard:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetExtendedAgentCardRequest), extendedCardRequest)
	}
	return nil, fmt.Errorf("%v has no request", op)
}

// DecodeResult reads what answered a request; the result of DeletePushConfig is nil.
func (f Form) DecodeResult(op wire.Operation, b []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.SendMessageResponse), sendMessageResponse)
	case wire.OpGetTask, wire.OpCancelTask:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.Task), task)
	case wire.OpListTasks:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTasksResponse), listTasksResponse)
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.TaskPushNotificationConfig), pushConfig)
	case wire.OpListPushConfigs:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTaskPushNotificationConfigsResponse), listPushConfigsResponse)
	case wire.OpDeletePushConfig:
		return nil, nil
	case wire.OpExtendedCard:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.AgentCard), card)
	}
	return nil, fmt.Errorf("%v has no result", op)
}

// DecodeEvent reads an event of a stream.
func (f Form) DecodeEvent(b []byte) (a2a.Event, error) {
	ev, err := pbvalue.Decode(f.MaxDepth, b, new(pb.StreamResponse), event)
	if err != nil {
		return nil, err
	}
	return ev.(a2a.Event), nil
}

// EncodeRequest returns the request of an operation.
func (Form) EncodeRequest(op wire.Operation, request any) ([]byte, error) {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		return pbvalue.Encode(r, fromSendMessageRequest)
	case *a2a.GetTaskRequest:
		return pbvalue.Marshal(&pb.GetTaskRequest{
			Tenant: r.Tenant, Id: string(r.ID), HistoryLength: fromInt(r.HistoryLength),
		})
	case *a2a.ListTasksRequest:
		return pbvalue.Marshal(fromListTasksRequest(r))
	case *a2a.CancelTaskRequest:
		return pbvalue.Encode(r, fromCancelTaskRequest)
	case *a2a.SubscribeRequest:
		return pbvalue.Marshal(&pb.SubscribeToTaskRequest{Tenant: r.Tenant, Id: string(r.ID)})
	case *a2a.PushConfig:
		return pbvalue.Encode(r, fromPushConfig)
	case *a2a.GetPushConfigRequest:
		return pbvalue.Marshal(&pb.GetTaskPushNotificationConfigRequest{
			Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID,
		})
	case *a2a.ListPushConfigsRequest:
		return pbvalue.Marshal(&pb.ListTaskPushNotificationConfigsRequest{
			Tenant: r.Tenant, TaskId: string(r.TaskID), PageSize: pbvalue.Int32(r.PageSize), PageToken: r.PageToken,
		})
	case *a2a.DeletePushConfigRequest:
		return pbvalue.Marshal(&pb.DeleteTaskPushNotificationConfigRequest{
			Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID,
		})
	case *a2a.ExtendedCardRequest:
		return pbvalue.Marshal(&pb.GetExtendedAgentCardRequest{Tenant: r.Tenant})
	}
	return nil, fmt.Errorf("%v does not take a %T", op, request)
}

// EncodeResult returns what answers an operation; nil stands for the result of DeletePushConfig.
func (Form) EncodeResult(op wire.Operation, result any) ([]byte, error) {
	switch r := result.(type) {
	case *a2a.Task:
		if op == wire.OpSendMessage {
			return pbvalue.Encode(a2a.SendResult(r), fromSendResult)
		}
		return pbvalue.Encode(r, fromTask)
	case *a2a.Message:
		return pbvalue.Encode(a2a.SendResult(r), fromSendResult)
	case *a2a.ListTasksResponse:
		return pbvalue.Encode(r, fromListTasksResponse)
	case *a2a.PushConfig:
		return pbvalue.Encode(r, fromPushConfig)
	case *a2a.ListPushConfigsResponse:
		return pbvalue.Encode(r, fromPushConfigs)
	case *a2a.AgentCard:
		return pbvalue.Encode(r, fromCard)
	case nil:
		return pbvalue.Marshal(&emptypb.Empty{})
	}
	return nil, fmt.Errorf("%v cannot answer with a %T", op, result)
}

// EncodeEvent returns an event of a stream.
func (Form) EncodeEvent(ev a2a.Event) ([]byte, error) { return pbvalue.Encode(ev, fromEvent) }
