// SPDX-License-Identifier: Apache-2.0

// Package pbv03 is A2A 0.3 in protobuf: it converts between the model and the messages of package a2a.v1, in the code
// that the official Go module generated. That code has a few fields which came after 0.3.0 (names of files, metadata of
// parts, references to tasks, ListTasks); peers without them skip them.
package pbv03

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/a2apb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Form turns the bytes of messages into the model and back, for servers and clients. Requests and results are those
// of [a2a.Service]. Tenants, metadata of CancelTask and all but one of several interfaces' versions have no place in
// it.
type Form struct {
	// MaxDepth is how deeply a value of free form that is read may nest; 0 means a2a.MaxDepth.
	MaxDepth int
	// RawFiles reads and writes the bytes of files as such. Otherwise base64 text is written and both are read, see
	// [wire.FilesAsText].
	RawFiles bool
}

// written returns a value as it is to be written.
func (f Form) written(v any) any {
	if f.RawFiles {
		return v
	}
	return wire.FilesAsText(v)
}

// read returns a value that was read with the bytes of its files.
func (f Form) read(v any, err error) (any, error) {
	if err == nil && !f.RawFiles {
		wire.ReadFiles(v)
	}
	return v, err
}

// Generation is 0.3.
func (Form) Generation() a2a.Generation { return a2a.Generation03 }

// Service is the full name of the gRPC service.
func (Form) Service() string { return pb.A2AService_ServiceDesc.ServiceName }

// File is the name of the proto file, for reflection.
func (Form) File() any { return pb.A2AService_ServiceDesc.Metadata }

// Method returns the name of an operation's method.
func (Form) Method(op wire.Operation) string { return wire.GRPCMethod03(op) }

// Final reports whether a stream is over with an event: at the end of the task, and when it waits for its caller.
func (Form) Final(ev a2a.Event) bool {
	u, ok := ev.(*a2a.StatusUpdate)
	return ok && (u.Status.State.Terminal() || u.Status.State.Interrupted())
}

func (f Form) decoder() decoder { return decoder{pbvalue.Decoder{MaxDepth: f.MaxDepth}} }

// DecodeRequest reads the request of an operation. Its errors are [*a2a.Error].
func (f Form) DecodeRequest(op wire.Operation, b []byte) (any, error) {
	d := f.decoder()
	switch op {
	case wire.OpSendMessage:
		return f.read(decode(b, new(pb.SendMessageRequest), d.sendMessageRequest))
	case wire.OpStreamMessage:
		return f.read(decode(b, new(pb.SendMessageRequest), d.streamMessageRequest))
	case wire.OpGetTask:
		return decode(b, new(pb.GetTaskRequest), getTaskRequest)
	case wire.OpListTasks:
		return decode(b, new(pb.ListTasksRequest), listTasksRequest)
	case wire.OpCancelTask:
		return decode(b, new(pb.CancelTaskRequest), cancelTaskRequest)
	case wire.OpSubscribe:
		return decode(b, new(pb.TaskSubscriptionRequest), subscribeRequest)
	case wire.OpCreatePushConfig:
		return decode(b, new(pb.CreateTaskPushNotificationConfigRequest), createPushConfigRequest)
	case wire.OpGetPushConfig:
		return decode(b, new(pb.GetTaskPushNotificationConfigRequest), getPushConfigRequest)
	case wire.OpListPushConfigs:
		return decode(b, new(pb.ListTaskPushNotificationConfigRequest), listPushConfigsRequest)
	case wire.OpDeletePushConfig:
		return decode(b, new(pb.DeleteTaskPushNotificationConfigRequest), deletePushConfigRequest)
	case wire.OpExtendedCard:
		return decode(b, new(pb.GetAgentCardRequest), extendedCardRequest)
	}
	return nil, fmt.Errorf("%v has no request", op)
}

// DecodeResult reads what answered a request; the result of DeletePushConfig is nil.
func (f Form) DecodeResult(op wire.Operation, b []byte) (any, error) {
	d := f.decoder()
	switch op {
	case wire.OpSendMessage:
		return f.read(decode(b, new(pb.SendMessageResponse), d.sendMessageResponse))
	case wire.OpGetTask, wire.OpCancelTask:
		return f.read(decode(b, new(pb.Task), d.task))
	case wire.OpListTasks:
		return f.read(decode(b, new(pb.ListTasksResponse), d.listTasksResponse))
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decode(b, new(pb.TaskPushNotificationConfig), namedPushConfig)
	case wire.OpListPushConfigs:
		return decode(b, new(pb.ListTaskPushNotificationConfigResponse), listPushConfigsResponse)
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
	ev, err := f.decoder().event(in)
	if err == nil && !f.RawFiles {
		wire.ReadFiles(ev)
	}
	return ev, err
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
func (f Form) EncodeRequest(op wire.Operation, request any) ([]byte, error) {
	switch r := f.written(request).(type) {
	case *a2a.SendMessageRequest:
		return encode(fromSendMessageRequest(r))
	case *a2a.GetTaskRequest:
		return encode(&pb.GetTaskRequest{Name: taskName(r.ID), HistoryLength: fromHistoryLength(r.HistoryLength)}, nil)
	case *a2a.ListTasksRequest:
		return encode(fromListTasksRequest(r), nil)
	case *a2a.CancelTaskRequest:
		return encode(&pb.CancelTaskRequest{Name: taskName(r.ID)}, nil)
	case *a2a.SubscribeRequest:
		return encode(&pb.TaskSubscriptionRequest{Name: taskName(r.ID)}, nil)
	case *a2a.PushConfig:
		return encode(fromCreatePushConfig(r), nil)
	case *a2a.GetPushConfigRequest:
		return encode(&pb.GetTaskPushNotificationConfigRequest{Name: configName(r.TaskID, r.ID)}, nil)
	case *a2a.ListPushConfigsRequest:
		return encode(&pb.ListTaskPushNotificationConfigRequest{
			Parent: taskName(r.TaskID), PageSize: pbvalue.Int32(r.PageSize), PageToken: r.PageToken,
		}, nil)
	case *a2a.DeletePushConfigRequest:
		return encode(&pb.DeleteTaskPushNotificationConfigRequest{Name: configName(r.TaskID, r.ID)}, nil)
	case *a2a.ExtendedCardRequest:
		return encode(&pb.GetAgentCardRequest{}, nil)
	}
	return nil, fmt.Errorf("%v does not take a %T", op, request)
}

// EncodeResult returns what answers an operation; nil stands for the result of DeletePushConfig.
func (f Form) EncodeResult(op wire.Operation, result any) ([]byte, error) {
	switch r := f.written(result).(type) {
	case *a2a.Task:
		task, err := fromTask(r)
		if op == wire.OpSendMessage {
			return encode(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: task}}, err)
		}
		return encode(task, err)
	case *a2a.Message:
		message, err := fromMessage(r)
		return encode(&pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Msg{Msg: message}}, err)
	case *a2a.ListTasksResponse:
		tasks, err := pbvalue.List(r.Tasks, fromTask)
		return encode(&pb.ListTasksResponse{Tasks: tasks, NextPageToken: r.NextPageToken,
			TotalSize: pbvalue.Int32(r.TotalSize)}, err)
	case *a2a.PushConfig:
		return encode(fromNamedPushConfig(r), nil)
	case *a2a.ListPushConfigsResponse:
		configs := make([]*pb.TaskPushNotificationConfig, len(r.Configs))
		for i, c := range r.Configs {
			configs[i] = fromNamedPushConfig(c)
		}
		return encode(&pb.ListTaskPushNotificationConfigResponse{Configs: configs, NextPageToken: r.NextPageToken}, nil)
	case *a2a.AgentCard:
		return encode(fromCard(r))
	case nil:
		return encode(&emptypb.Empty{}, nil)
	}
	return nil, fmt.Errorf("%v cannot answer with a %T", op, result)
}

// EncodeEvent returns an event of a stream.
func (f Form) EncodeEvent(ev a2a.Event) ([]byte, error) {
	return encode(fromEvent(f.written(ev).(a2a.Event), f.Final(ev)))
}

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
