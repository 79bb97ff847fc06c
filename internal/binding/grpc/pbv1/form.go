// SPDX-License-Identifier: Apache-2.0

// Package pbv1 is A2A 1.0 in protobuf: it converts between the model and the messages of package lf.a2a.v1, in the code
// that the official Go module generated from the standard's own proto file.
package pbv1

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
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

func (f Form) decoder() decoder { return decoder{pbvalue.Decoder{MaxDepth: f.MaxDepth}} }

// DecodeRequest reads the request of an operation. Its errors are [*a2a.Error].
func (f Form) DecodeRequest(op wire.Operation, b []byte) (any, error) {
	d := f.decoder()
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decode(b, new(pb.SendMessageRequest), d.sendMessageRequest)
	case wire.OpGetTask:
		return decode(b, new(pb.GetTaskRequest), getTaskRequest)
	case wire.OpListTasks:
		return decode(b, new(pb.ListTasksRequest), listTasksRequest)
	case wire.OpCancelTask:
		return decode(b, new(pb.CancelTaskRequest), d.cancelTaskRequest)
	case wire.OpSubscribe:
		return decode(b, new(pb.SubscribeToTaskRequest), subscribeRequest)
	case wire.OpCreatePushConfig:
		return decode(b, new(pb.TaskPushNotificationConfig), pushConfig)
	case wire.OpGetPushConfig:
		return decode(b, new(pb.GetTaskPushNotificationConfigRequest), getPushConfigRequest)
	case wire.OpListPushConfigs:
		return decode(b, new(pb.ListTaskPushNotificationConfigsRequest), listPushConfigsRequest)
	case wire.OpDeletePushConfig:
		return decode(b, new(pb.DeleteTaskPushNotificationConfigRequest), deletePushConfigRequest)
	case wire.OpExtendedCard:
		return decode(b, new(pb.GetExtendedAgentCardRequest), extendedCardRequest)
	}
	return nil, fmt.Errorf("%v has no request", op)
}

// DecodeResult reads what answered a request; the result of DeletePushConfig is nil.
func (f Form) DecodeResult(op wire.Operation, b []byte) (any, error) {
	d := f.decoder()
	switch op {
	case wire.OpSendMessage:
		return decode(b, new(pb.SendMessageResponse), d.sendMessageResponse)
	case wire.OpGetTask, wire.OpCancelTask:
		return decode(b, new(pb.Task), d.task)
	case wire.OpListTasks:
		return decode(b, new(pb.ListTasksResponse), d.listTasksResponse)
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decode(b, new(pb.TaskPushNotificationConfig), pushConfig)
	case wire.OpListPushConfigs:
		return decode(b, new(pb.ListTaskPushNotificationConfigsResponse), listPushConfigsResponse)
	case wire.OpDeletePushConfig:
		return nil, nil
	case wire.OpExtendedCard:
		return decode(b, new(pb.AgentCard), d.card)
	}
	return nil, fmt.Errorf("%v has no result", op)
}

// DecodeEvent reads an event of a stream.
func (f Form) DecodeEvent(b []byte) (a2a.Event, error) {
	in := new(pb.StreamResponse)
	if err := unmarshal(b, in); err != nil {
		return nil, err
	}
	return f.decoder().event(in)
}

func decode[M proto.Message, T any](b []byte, m M, convert func(M) (T, error)) (any, error) {
	if err := unmarshal(b, m); err != nil {
		return nil, err
	}
	return convert(m)
}

func unmarshal(b []byte, m proto.Message) error {
	if err := proto.Unmarshal(b, m); err != nil {
		name := m.ProtoReflect().Descriptor().FullName()
		return &a2a.Error{Kind: a2a.ErrParse, Message: fmt.Sprintf("the message is not a valid %s", name), Cause: err}
	}
	return nil
}

// EncodeRequest returns the request of an operation.
func (Form) EncodeRequest(op wire.Operation, request any) ([]byte, error) {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		return encode(fromSendMessageRequest(r))
	case *a2a.GetTaskRequest:
		return encode(&pb.GetTaskRequest{Tenant: r.Tenant, Id: string(r.ID), HistoryLength: fromInt(r.HistoryLength)},
			nil)
	case *a2a.ListTasksRequest:
		return encode(fromListTasksRequest(r), nil)
	case *a2a.CancelTaskRequest:
		metadata, err := pbvalue.FromMetadata(r.Metadata)
		return encode(&pb.CancelTaskRequest{Tenant: r.Tenant, Id: string(r.ID), Metadata: metadata}, err)
	case *a2a.SubscribeRequest:
		return encode(&pb.SubscribeToTaskRequest{Tenant: r.Tenant, Id: string(r.ID)}, nil)
	case *a2a.PushConfig:
		return encode(fromPushConfig(r), nil)
	case *a2a.GetPushConfigRequest:
		return encode(&pb.GetTaskPushNotificationConfigRequest{Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID},
			nil)
	case *a2a.ListPushConfigsRequest:
		return encode(&pb.ListTaskPushNotificationConfigsRequest{
			Tenant: r.Tenant, TaskId: string(r.TaskID), PageSize: pbvalue.Int32(r.PageSize), PageToken: r.PageToken,
		}, nil)
	case *a2a.DeletePushConfigRequest:
		return encode(&pb.DeleteTaskPushNotificationConfigRequest{Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID},
			nil)
	case *a2a.ExtendedCardRequest:
		return encode(&pb.GetExtendedAgentCardRequest{Tenant: r.Tenant}, nil)
	}
	return nil, fmt.Errorf("%v does not take a %T", op, request)
}

// EncodeResult returns what answers an operation; nil stands for the result of DeletePushConfig.
func (Form) EncodeResult(op wire.Operation, result any) ([]byte, error) {
	switch r := result.(type) {
	case *a2a.Task:
		task, err := fromTask(r)
		if op == wire.OpSendMessage {
			return encode(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: task}}, err)
		}
		return encode(task, err)
	case *a2a.Message:
		message, err := fromMessage(r)
		return encode(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: message}}, err)
	case *a2a.ListTasksResponse:
		tasks, err := pbvalue.List(r.Tasks, fromTask)
		return encode(&pb.ListTasksResponse{
			Tasks: tasks, NextPageToken: r.NextPageToken, PageSize: pbvalue.Int32(r.PageSize),
			TotalSize: pbvalue.Int32(r.TotalSize),
		}, err)
	case *a2a.PushConfig:
		return encode(fromPushConfig(r), nil)
	case *a2a.ListPushConfigsResponse:
		configs := make([]*pb.TaskPushNotificationConfig, len(r.Configs))
		for i, c := range r.Configs {
			configs[i] = fromPushConfig(c)
		}
		return encode(&pb.ListTaskPushNotificationConfigsResponse{Configs: configs, NextPageToken: r.NextPageToken},
			nil)
	case *a2a.AgentCard:
		return encode(fromCard(r))
	case nil:
		return encode(&emptypb.Empty{}, nil)
	}
	return nil, fmt.Errorf("%v cannot answer with a %T", op, result)
}

// EncodeEvent returns an event of a stream.
func (Form) EncodeEvent(ev a2a.Event) ([]byte, error) { return encode(fromEvent(ev)) }

// encode returns the message's bytes. They are never nil, so that an empty message is not taken for none.
func encode[M proto.Message](m M, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}
