// SPDX-License-Identifier: Apache-2.0

// Package pbv03 is A2A 0.3 in protobuf: it converts between the model and the messages of package a2a.v1, in the code
// that the official Go module generated. That code has a few fields which came after 0.3.0 (names of files, metadata of
// parts, references to tasks, ListTasks); peers without them skip them.
package pbv03

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/a2apb"
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

// DecodeRequest reads the request of an operation. Its errors are [*a2a.Error].
func (f Form) DecodeRequest(op wire.Operation, b []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		return f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.SendMessageRequest), sendMessageRequest))
	case wire.OpStreamMessage:
		return f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.SendMessageRequest), streamMessageRequest))
	case wire.OpGetTask:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetTaskRequest), getTaskRequest)
	case wire.OpListTasks:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTasksRequest), listTasksRequest)
	case wire.OpCancelTask:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.CancelTaskRequest), cancelTaskRequest)
	case wire.OpSubscribe:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.TaskSubscriptionRequest), subscribeRequest)
	case wire.OpCreatePushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.CreateTaskPushNotificationConfigRequest), createPushConfigRequest)
	case wire.OpGetPushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetTaskPushNotificationConfigRequest), getPushConfigRequest)
	case wire.OpListPushConfigs:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTaskPushNotificationConfigRequest), listPushConfigsRequest)
	case wire.OpDeletePushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.DeleteTaskPushNotificationConfigRequest), deletePushConfigRequest)
	case wire.OpExtendedCard:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.GetAgentCardRequest), extendedCardRequest)
	}
	return nil, fmt.Errorf("%v has no request", op)
}

// DecodeResult reads what answered a request; the result of DeletePushConfig is nil.
func (f Form) DecodeResult(op wire.Operation, b []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		return f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.SendMessageResponse), sendMessageResponse))
	case wire.OpGetTask, wire.OpCancelTask:
		return f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.Task), task))
	case wire.OpListTasks:
		return f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.ListTasksResponse), listTasksResponse))
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.TaskPushNotificationConfig), namedPushConfig)
	case wire.OpListPushConfigs:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.ListTaskPushNotificationConfigResponse), listPushConfigsResponse)
	case wire.OpDeletePushConfig:
		return nil, nil
	case wire.OpExtendedCard:
		return pbvalue.Decode(f.MaxDepth, b, new(pb.AgentCard), card)
	}
	return nil, fmt.Errorf("%v has no result", op)
}

// DecodeEvent reads an event of a stream.
func (f Form) DecodeEvent(b []byte) (a2a.Event, error) {
	ev, err := f.read(pbvalue.Decode(f.MaxDepth, b, new(pb.StreamResponse), event))
	if err != nil {
		return nil, err
	}
	return ev.(a2a.Event), nil
}

// EncodeRequest returns the request of an operation.
func (f Form) EncodeRequest(op wire.Operation, request any) ([]byte, error) {
	switch r := f.written(request).(type) {
	case *a2a.SendMessageRequest:
		return pbvalue.Encode(r, fromSendMessageRequest)
	case *a2a.GetTaskRequest:
		return pbvalue.Marshal(&pb.GetTaskRequest{
			Name: taskName(r.ID), HistoryLength: fromHistoryLength(r.HistoryLength),
		})
	case *a2a.ListTasksRequest:
		return pbvalue.Marshal(fromListTasksRequest(r))
	case *a2a.CancelTaskRequest:
		return pbvalue.Marshal(&pb.CancelTaskRequest{Name: taskName(r.ID)})
	case *a2a.SubscribeRequest:
		return pbvalue.Marshal(&pb.TaskSubscriptionRequest{Name: taskName(r.ID)})
	case *a2a.PushConfig:
		return pbvalue.Marshal(&pb.CreateTaskPushNotificationConfigRequest{
			Parent: taskName(r.TaskID), ConfigId: r.ID, Config: fromNamedPushConfig(nil, r),
		})
	case *a2a.GetPushConfigRequest:
		return pbvalue.Marshal(&pb.GetTaskPushNotificationConfigRequest{Name: configName(r.TaskID, r.ID)})
	case *a2a.ListPushConfigsRequest:
		return pbvalue.Marshal(&pb.ListTaskPushNotificationConfigRequest{
			Parent: taskName(r.TaskID), PageSize: pbvalue.Int32(r.PageSize), PageToken: r.PageToken,
		})
	case *a2a.DeletePushConfigRequest:
		return pbvalue.Marshal(&pb.DeleteTaskPushNotificationConfigRequest{Name: configName(r.TaskID, r.ID)})
	case *a2a.ExtendedCardRequest:
		return pbvalue.Marshal(&pb.GetAgentCardRequest{})
	}
	return nil, fmt.Errorf("%v does not take a %T", op, request)
}

// EncodeResult returns what answers an operation; nil stands for the result of DeletePushConfig.
func (f Form) EncodeResult(op wire.Operation, result any) ([]byte, error) {
	switch r := f.written(result).(type) {
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
		return pbvalue.Encode(r, fromNamedPushConfig)
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
func (f Form) EncodeEvent(ev a2a.Event) ([]byte, error) {
	return pbvalue.Encode(f.written(ev).(a2a.Event), fromEvent)
}
