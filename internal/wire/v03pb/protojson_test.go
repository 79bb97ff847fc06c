// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/a2apb"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protojson"
	pb "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// file030 is the proto of 0.3.0. The generated code is of a later one, in which the parts of a message have another
// name and messages refer to tasks; names of files and metadata of parts, also later, are in the proto of the SDKs of
// 0.3.
var file030 = func() protoreflect.FileDescriptor {
	file := protodesc.ToFileDescriptorProto(a2apb.File_a2a_proto)
	for _, m := range file.MessageType {
		if m.GetName() != "Message" {
			continue
		}
		for _, f := range m.Field {
			if f.GetName() == "parts" {
				f.Name, f.JsonName = pb.String("content"), pb.String("content")
			}
		}
		m.Field = slices.DeleteFunc(m.Field,
			func(f *descriptorpb.FieldDescriptorProto) bool { return f.GetName() == "reference_task_ids" })
	}
	built, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	return built
}()

// newMessage returns an empty message of 0.3.0.
func newMessage(name protoreflect.Name) *dynamicpb.Message {
	return dynamicpb.NewMessage(file030.Messages().ByName(name))
}

// asNumbers compares as asCarried does, and values as Protobuf keeps them: numbers are doubles, members have no order.
var asNumbers = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b time.Time) bool { return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond)) }),
	cmp.Comparer(func(a, b jsontext.Value) bool { return bytes.Equal(canonical(a), canonical(b)) }),
	cmp.Comparer(func(a, b a2a.Data) bool {
		return bytes.Equal(canonical(jsontext.Value(a)), canonical(jsontext.Value(b)))
	}),
}

func canonical(v jsontext.Value) jsontext.Value {
	v = v.Clone()
	if v.Canonicalize() != nil {
		return v
	}
	return v
}

// reread parses our JSON as strictly as a parser of ProtoJSON does, and returns what it writes of that: with the names
// that fields have in JSON and in the proto.
func reread(t tb, m pb.Message, text []byte) [][]byte {
	t.Helper()
	if err := protojson.Unmarshal(text, m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var all [][]byte
	for _, options := range []protojson.MarshalOptions{{}, {UseProtoNames: true, UseEnumNumbers: true},
		{EmitUnpopulated: true}} {
		again, err := options.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, again)
	}
	return all
}

// Parsers of ProtoJSON read every event that we write, and we read what they write.
func TestProtoJSONOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		event := genEvent.Draw(t, "event")
		payload, _ := encodeOne(t, Proto, event)
		for _, again := range reread(t, newMessage("StreamResponse"), payload) {
			if diff := cmp.Diff(event, decodeSecond(t, again), asNumbers); diff != "" {
				t.Fatalf("-sent +decoded\n%s\n%s\n%s", diff, payload, again)
			}
		}
	})
}

func TestProtoJSONOfResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := genPush.Draw(t, "push")
		config.TaskID = a2a.TaskID(genID.Draw(t, "task"))
		task := genTask.Draw(t, "a task")
		for _, result := range []struct {
			op     wire.Operation
			name   protoreflect.Name
			result any
		}{
			{wire.OpSendMessage, "SendMessageResponse", task},
			{wire.OpSendMessage, "SendMessageResponse", genMessage.Draw(t, "a message")},
			{wire.OpGetTask, "Task", task},
			{wire.OpListTasks, "ListTasksResponse",
				&a2a.ListTasksResponse{Tasks: []*a2a.Task{task}, PageSize: 1, TotalSize: 2, NextPageToken: "n"}},
			{wire.OpGetPushConfig, "TaskPushNotificationConfig", config},
			{wire.OpListPushConfigs, "ListTaskPushNotificationConfigResponse",
				&a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{config}}},
		} {
			text, err := Proto.AppendResult(nil, result.op, nil, result.result)
			if err != nil {
				t.Fatal(err)
			}
			for _, again := range reread(t, newMessage(result.name), text) {
				got, err := Proto.DecodeResult(result.op, nil, again)
				if diff := cmp.Diff(result.result, got, asNumbers); err != nil || diff != "" {
					t.Fatalf("%v\n-sent +decoded\n%s\n%s\n%s", err, diff, text, again)
				}
			}
		}
	})
}

func TestProtoJSONOfRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := genPush.Draw(t, "push")
		config.TaskID = a2a.TaskID(genID.Draw(t, "task"))
		for _, request := range []struct {
			op      wire.Operation
			name    protoreflect.Name
			request any
		}{
			{wire.OpSendMessage, "SendMessageRequest", genSend.Draw(t, "send")},
			{wire.OpCreatePushConfig, "CreateTaskPushNotificationConfigRequest", config},
			{wire.OpCancelTask, "CancelTaskRequest", &a2a.CancelTaskRequest{ID: config.TaskID}},
			{wire.OpSubscribe, "TaskSubscriptionRequest", &a2a.SubscribeRequest{ID: config.TaskID}},
		} {
			text, err := Proto.AppendRequest(nil, request.op, request.request)
			if err != nil {
				t.Fatal(err)
			}
			for _, again := range reread(t, newMessage(request.name), text) {
				got, err := Proto.DecodeRequest(request.op, again)
				if diff := cmp.Diff(request.request, got, asNumbers); err != nil || diff != "" {
					t.Fatalf("%v\n-sent +decoded\n%s\n%s\n%s", err, diff, text, again)
				}
			}
		}
	})
}

// The decoder also reads requests of peers that follow the proto after 0.3.0, including references to tasks.
func TestProtoJSONAfter030(t *testing.T) {
	t.Parallel()
	text, err := protojson.Marshal(&a2apb.SendMessageRequest{Request: &a2apb.Message{
		MessageId: "m", Role: a2apb.Role_ROLE_USER, ReferenceTaskIds: []string{"r"},
		Parts: []*a2apb.Part{{Part: &a2apb.Part_Text{Text: "x"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := sent(a2a.TextPart("x"))
	want.Message.ReferenceTaskIDs = []a2a.TaskID{"r"}
	got, err := Proto.DecodeRequest(wire.OpSendMessage, text)
	if diff := cmp.Diff(want, got, asCarried); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
