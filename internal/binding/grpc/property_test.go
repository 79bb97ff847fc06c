// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

var forms = []grpc.Form{grpc.FormOf(a2a.Generation10, 0, false), grpc.FormOf(a2a.Generation03, 0, false),
	grpc.FormOf(a2a.Generation03, 0, true)}

// nested returns an object that nests to a depth, itself the first level.
func nested(depth int) *structpb.Struct {
	s := &structpb.Struct{Fields: map[string]*structpb.Value{"end": structpb.NewNullValue()}}
	for range depth - 1 {
		s = &structpb.Struct{Fields: map[string]*structpb.Value{"x": structpb.NewStructValue(s)}}
	}
	return s
}

// The generators below make what a form can carry: lists are nil instead of empty, and JSON text is as this package
// writes it.

func text(t *rapid.T, name string) string { return rapid.StringN(0, 8, -1).Draw(t, name) }

func jsonText(t *rapid.T, depth int) string {
	kinds := []string{"null", "true", "false", "0", "-17", "9007199254740991", "2.5", "1e+300", `""`, `"é\n"`}
	if depth > 0 {
		kinds = append(kinds, "list", "object")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "json"); kind {
	case "list":
		return "[" + jsonText(t, depth-1) + "," + jsonText(t, depth-1) + "]"
	case "object":
		return `{"a":` + jsonText(t, depth-1) + `,"b":` + jsonText(t, depth-1) + "}"
	default:
		return kind
	}
}

func metadataOf(t *rapid.T) a2a.Metadata {
	if rapid.Bool().Draw(t, "without metadata") {
		return nil
	}
	m := a2a.Metadata{}
	for range rapid.IntRange(1, 2).Draw(t, "members") {
		m[text(t, "key")] = []byte(jsonText(t, 2))
	}
	return m
}

func namesOf[T ~string](t *rapid.T) []T {
	var names []T
	for range rapid.IntRange(0, 2).Draw(t, "names") {
		names = append(names, T(text(t, "name")))
	}
	return names
}

func partOf(t *rapid.T) a2a.Part {
	p := a2a.Part{MediaType: text(t, "media type"), Filename: text(t, "filename"), Metadata: metadataOf(t)}
	switch rapid.IntRange(0, 3).Draw(t, "content") {
	case 0:
		p.Content = a2a.Text(text(t, "text"))
	case 1:
		p.Content = a2a.Raw(rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "raw"))
	case 2:
		p.Content = a2a.URL(text(t, "url"))
	case 3:
		p.Content = a2a.Data(jsonText(t, 3))
	}
	return p
}

func partsOf(t *rapid.T) []a2a.Part {
	return rapid.SliceOfN(rapid.Custom(partOf), 1, 3).Draw(t, "parts")
}

func messageOf(t *rapid.T) *a2a.Message {
	return &a2a.Message{
		ID: a2a.MessageID(text(t, "id")), ContextID: a2a.ContextID(text(t, "context")),
		TaskID: a2a.TaskID(text(t, "task")),
		Role:   a2a.Role(rapid.IntRange(0, 2).Draw(t, "role")), Parts: partsOf(t), Metadata: metadataOf(t),
		Extensions: namesOf[string](t), ReferenceTaskIDs: namesOf[a2a.TaskID](t),
	}
}

func artifactOf(t *rapid.T) *a2a.Artifact {
	return &a2a.Artifact{
		ID: a2a.ArtifactID(text(t, "id")), Name: text(t, "name"), Description: text(t, "description"),
		Parts: partsOf(t), Metadata: metadataOf(t), Extensions: namesOf[string](t),
	}
}

func timeOf(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "without time") {
		return time.Time{}
	}
	return time.Unix(rapid.Int64Range(-1e9, 4e9).Draw(t, "seconds"),
		rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
}

func statusOf(t *rapid.T) a2a.TaskStatus {
	s := a2a.TaskStatus{State: a2a.TaskState(rapid.IntRange(0, 8).Draw(t, "state")), Timestamp: timeOf(t)}
	if rapid.Bool().Draw(t, "with message") {
		s.Message = messageOf(t)
	}
	return s
}

func taskOf(t *rapid.T) *a2a.Task {
	task := &a2a.Task{ID: a2a.TaskID(text(t, "id")), ContextID: a2a.ContextID(text(t, "context")), Status: statusOf(t),
		Metadata: metadataOf(t)}
	for range rapid.IntRange(0, 2).Draw(t, "artifacts") {
		task.Artifacts = append(task.Artifacts, artifactOf(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "history") {
		task.History = append(task.History, messageOf(t))
	}
	return task
}

func eventOf(t *rapid.T) a2a.Event {
	switch rapid.IntRange(0, 3).Draw(t, "event") {
	case 0:
		return taskOf(t)
	case 1:
		return messageOf(t)
	case 2:
		return &a2a.StatusUpdate{TaskID: "t", ContextID: a2a.ContextID(text(t, "context")), Status: statusOf(t),
			Metadata: metadataOf(t)}
	}
	return &a2a.ArtifactUpdate{
		TaskID: "t", ContextID: a2a.ContextID(text(t, "context")), Artifact: artifactOf(t),
		Append: rapid.Bool().Draw(t, "append"), LastChunk: rapid.Bool().Draw(t, "last"), Metadata: metadataOf(t),
	}
}

func TestEventsBothWays(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		rapid.Check(t, func(t *rapid.T) {
			ev := eventOf(t)
			b, err := form.EncodeEvent(ev)
			if err != nil {
				t.Fatal(err)
			}
			got, err := form.DecodeEvent(b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(ev, got); diff != "" {
				t.Errorf("%s: %s", form.Generation(), diff)
			}
		})
	}
}

func lengthOf(t *rapid.T, least int) *int {
	if rapid.Bool().Draw(t, "without length") {
		return nil
	}
	return new(rapid.IntRange(least, 1000).Draw(t, "length"))
}

func pushOf(t *rapid.T) *a2a.PushConfig {
	p := &a2a.PushConfig{ID: rapid.StringMatching("[a-z]{0,4}").Draw(t, "id"), TaskID: "t", URL: text(t, "url"),
		Token: text(t, "token")}
	if rapid.Bool().Draw(t, "authenticated") {
		p.Authentication = &a2a.PushAuthentication{Scheme: text(t, "scheme"), Credentials: text(t, "credentials")}
	}
	return p
}

// requestOf makes a request of an operation that a generation can carry.
func requestOf(t *rapid.T, gen a2a.Generation, op wire.Operation) any {
	least, tenant := 0, ""
	if gen == a2a.Generation10 {
		tenant = text(t, "tenant")
	} else {
		least = 1 // a history of 0 messages cannot be asked for
	}
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		r := &a2a.SendMessageRequest{Tenant: tenant, Message: messageOf(t), Metadata: metadataOf(t)}
		r.Configuration = &a2a.SendConfiguration{AcceptedOutputModes: namesOf[string](t),
			HistoryLength: lengthOf(t, least)}
		if op == wire.OpSendMessage || gen == a2a.Generation10 {
			r.Configuration.ReturnImmediately = rapid.Bool().Draw(t, "immediately")
		}
		if rapid.Bool().Draw(t, "with push") {
			r.Configuration.PushConfig = pushOf(t)
			r.Configuration.PushConfig.TaskID = ""
		}
		return r
	case wire.OpGetTask:
		return &a2a.GetTaskRequest{Tenant: tenant, ID: "t", HistoryLength: lengthOf(t, least)}
	case wire.OpListTasks:
		r := &a2a.ListTasksRequest{
			Tenant: tenant, ContextID: a2a.ContextID(text(t, "context")),
			Status:   a2a.TaskState(rapid.IntRange(0, 8).Draw(t, "state")),
			PageSize: lengthOf(t, 1), PageToken: text(t, "token"), HistoryLength: lengthOf(t, 0),
			StatusTimestampAfter: timeOf(t), IncludeArtifacts: rapid.Bool().Draw(t, "artifacts"),
		}
		if gen != a2a.Generation10 && r.HistoryLength == nil {
			r.HistoryLength = new(0) // which is its default there
		}
		return r
	case wire.OpCancelTask:
		r := &a2a.CancelTaskRequest{Tenant: tenant, ID: "t"}
		if gen == a2a.Generation10 {
			r.Metadata = metadataOf(t)
		}
		return r
	case wire.OpSubscribe:
		return &a2a.SubscribeRequest{Tenant: tenant, ID: "t"}
	case wire.OpCreatePushConfig:
		r := pushOf(t)
		r.Tenant = tenant
		return r
	case wire.OpGetPushConfig:
		return &a2a.GetPushConfigRequest{Tenant: tenant, TaskID: "t", ID: "p"}
	case wire.OpListPushConfigs:
		return &a2a.ListPushConfigsRequest{Tenant: tenant, TaskID: "t", PageSize: rapid.IntRange(0, 9).Draw(t, "size"),
			PageToken: text(t, "token")}
	case wire.OpDeletePushConfig:
		return &a2a.DeletePushConfigRequest{Tenant: tenant, TaskID: "t", ID: "p"}
	}
	return &a2a.ExtendedCardRequest{Tenant: tenant}
}

func TestRequestsBothWays(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
			rapid.Check(t, func(t *rapid.T) {
				request := requestOf(t, form.Generation(), op)
				b, err := form.EncodeRequest(op, request)
				if err != nil {
					t.Fatal(err)
				}
				got, err := form.DecodeRequest(op, b)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(request, got); diff != "" {
					t.Errorf("%s: %v: %s", form.Generation(), op, diff)
				}
			})
		}
	}
}

// resultOf makes a result of an operation.
func resultOf(t *rapid.T, gen a2a.Generation, op wire.Operation) any {
	switch op {
	case wire.OpSendMessage:
		if rapid.Bool().Draw(t, "message") {
			return messageOf(t)
		}
		return taskOf(t)
	case wire.OpGetTask, wire.OpCancelTask:
		return taskOf(t)
	case wire.OpListTasks:
		r := &a2a.ListTasksResponse{Tasks: rapid.SliceOfN(rapid.Custom(taskOf), 1, 2).Draw(t, "tasks"),
			NextPageToken: text(t, "token"), TotalSize: 7}
		if r.PageSize = len(r.Tasks); gen == a2a.Generation10 {
			r.PageSize = 50
		}
		return r
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return pushOf(t)
	case wire.OpListPushConfigs:
		return &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{pushOf(t)}, NextPageToken: text(t, "token")}
	case wire.OpExtendedCard:
		return cardOf(t, gen)
	}
	return nil
}

// cardOf makes a card with each scheme and flow that a generation has.
func cardOf(t *rapid.T, gen a2a.Generation) *a2a.AgentCard {
	scopes := map[string]string{"s": "all"}
	card := &a2a.AgentCard{
		Name: text(t, "name"), Description: text(t, "description"), Version: "7",
		SupportedInterfaces: []a2a.AgentInterface{{URL: "localhost:1", Binding: "GRPC", ProtocolVersion: "0.3.0"},
			{URL: "http://localhost", Binding: "JSONRPC", ProtocolVersion: "0.3.0"}},
		Provider:         &a2a.AgentProvider{URL: "https://example.com", Organization: "us"},
		DocumentationURL: new("https://example.com/docs"), IconURL: new("https://example.com/icon"),
		Capabilities: a2a.AgentCapabilities{
			Streaming: new(true), PushNotifications: new(false), ExtendedAgentCard: new(true),
			Extensions: []a2a.AgentExtension{{URI: "urn:x", Description: "x", Required: true, Params: metadataOf(t)}},
		},
		SecuritySchemes: map[string]a2a.SecurityScheme{
			"key":  &a2a.APIKeyScheme{Description: "d", Location: "header", Name: "X-Key"},
			"http": &a2a.HTTPAuthScheme{Description: "d", Scheme: "Bearer", BearerFormat: "JWT"},
			"oidc": &a2a.OpenIDConnectScheme{Description: "d", URL: "https://example.com/oidc"},
			"mtls": &a2a.MutualTLSScheme{Description: "d"},
			"oauth1": &a2a.OAuth2Scheme{Description: "d", MetadataURL: "https://example.com/m",
				Flow: &a2a.ClientCredentialsFlow{TokenURL: "t", RefreshURL: "r", Scopes: scopes}},
			"oauth2": &a2a.OAuth2Scheme{Flow: &a2a.ImplicitFlow{AuthorizationURL: "a", RefreshURL: "r",
				Scopes: scopes}},
			"oauth3": &a2a.OAuth2Scheme{Flow: &a2a.PasswordFlow{TokenURL: "t", RefreshURL: "r", Scopes: scopes}},
			"oauth4": &a2a.OAuth2Scheme{Flow: &a2a.AuthorizationCodeFlow{AuthorizationURL: "a", TokenURL: "t",
				RefreshURL: "r", Scopes: scopes, PKCERequired: gen == a2a.Generation10}},
		},
		SecurityRequirements: []a2a.SecurityRequirement{{"key": nil, "oauth1": {"s"}}},
		DefaultInputModes:    []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID: "s", Name: text(t, "skill"), Description: "d", Tags: []string{"t"}, Examples: []string{"e"},
			InputModes: []string{"a/b"}, OutputModes: []string{"c/d"},
			SecurityRequirements: []a2a.SecurityRequirement{{"http": {"x"}}},
		}},
	}
	if gen == a2a.Generation10 {
		card.SupportedInterfaces = append(card.SupportedInterfaces,
			a2a.AgentInterface{URL: "localhost:2", Binding: "GRPC", Tenant: "acme", ProtocolVersion: "1.0"})
		card.SecuritySchemes["oauth5"] = &a2a.OAuth2Scheme{Flow: &a2a.DeviceCodeFlow{DeviceAuthorizationURL: "d",
			TokenURL: "t", RefreshURL: "r", Scopes: scopes}}
		card.Signatures = []a2a.AgentCardSignature{{Protected: "p", Signature: "s", Header: metadataOf(t)}}
	}
	return card
}

func TestResultsBothWays(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
			if op.Streams() {
				continue
			}
			rapid.Check(t, func(t *rapid.T) {
				result := resultOf(t, form.Generation(), op)
				b, err := form.EncodeResult(op, result)
				if err != nil {
					t.Fatal(err)
				}
				got, err := form.DecodeResult(op, b)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(result, got); diff != "" {
					t.Errorf("%s: %v: %s", form.Generation(), op, diff)
				}
			})
		}
	}
}

// fill sets every field of a message to something, by its descriptor: so no field of the generated code is forgotten.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	switch v := m.Interface().(type) {
	case *timestamppb.Timestamp:
		v.Seconds, v.Nanos = rapid.Int64Range(-1e9, 4e9).Draw(t, "seconds"),
			rapid.Int32Range(0, 999_999_999).Draw(t, "nanoseconds")
		return
	case *structpb.Struct:
		v.Fields = map[string]*structpb.Value{text(t,
			"key"): structpb.NewNumberValue(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))}
		return
	case *structpb.Value:
		v.Kind = &structpb.Value_ListValue{
			ListValue: &structpb.ListValue{Values: []*structpb.Value{structpb.NewBoolValue(true),
				structpb.NewNullValue()}}}
		return
	}
	fields := m.Descriptor().Fields()
	chosen := map[protoreflect.FullName]int{}
	for i := range m.Descriptor().Oneofs().Len() {
		o := m.Descriptor().Oneofs().Get(i)
		chosen[o.FullName()] = rapid.IntRange(0, o.Fields().Len()-1).Draw(t, string(o.Name()))
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		if o := f.ContainingOneof(); o != nil && o.Fields().Get(chosen[o.FullName()]) != f {
			continue
		}
		fillField(t, m, f, depth)
	}
}

func fillField(t *rapid.T, m protoreflect.Message, f protoreflect.FieldDescriptor, depth int) {
	switch {
	case f.IsMap():
		if f.MapValue().Kind() == protoreflect.StringKind {
			m.Mutable(f).Map().Set(protoreflect.ValueOfString("k").MapKey(),
				protoreflect.ValueOfString(text(t, "value")))
			return
		}
		v := m.Mutable(f).Map().NewValue()
		fill(t, v.Message(), depth-1)
		m.Mutable(f).Map().Set(protoreflect.ValueOfString("k").MapKey(), v)
	case f.IsList() && f.Kind() == protoreflect.MessageKind:
		v := m.Mutable(f).List().NewElement()
		fill(t, v.Message(), depth-1)
		m.Mutable(f).List().Append(v)
	case f.IsList():
		m.Mutable(f).List().Append(protoreflect.ValueOfString("x" + text(t, "element")))
	case f.Kind() == protoreflect.MessageKind:
		fill(t, m.Mutable(f).Message(), depth-1)
	case f.Kind() == protoreflect.StringKind:
		m.Set(f, protoreflect.ValueOfString("x"+text(t, string(f.Name()))))
	case f.Kind() == protoreflect.BytesKind:
		m.Set(f, protoreflect.ValueOfBytes([]byte{1, 2}))
	case f.Kind() == protoreflect.BoolKind:
		m.Set(f, protoreflect.ValueOfBool(true))
	case f.Kind() == protoreflect.EnumKind:
		n := rapid.IntRange(1, f.Enum().Values().Len()-1).Draw(t, string(f.Name()))
		m.Set(f, protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)))
	case f.Kind() == protoreflect.Int32Kind:
		m.Set(f, protoreflect.ValueOfInt32(rapid.Int32Range(1, math.MaxInt32).Draw(t, string(f.Name()))))
	default:
		panic(fmt.Sprintf("field %s is of a kind that this test does not know", f.FullName()))
	}
}

// A decoded message of 1.0 is encoded with the same fields again.
func TestMessagesOf10BothWays(t *testing.T) {
	t.Parallel()
	form := forms[0]
	for op, m := range map[wire.Operation]proto.Message{
		wire.OpSendMessage: &pb10.SendMessageRequest{}, wire.OpGetTask: &pb10.GetTaskRequest{},
		wire.OpListTasks:  &pb10.ListTasksRequest{},
		wire.OpCancelTask: &pb10.CancelTaskRequest{}, wire.OpSubscribe: &pb10.SubscribeToTaskRequest{},
		wire.OpCreatePushConfig: &pb10.TaskPushNotificationConfig{},
		wire.OpGetPushConfig:    &pb10.GetTaskPushNotificationConfigRequest{},
		wire.OpListPushConfigs:  &pb10.ListTaskPushNotificationConfigsRequest{},
		wire.OpDeletePushConfig: &pb10.DeleteTaskPushNotificationConfigRequest{},
		wire.OpExtendedCard:     &pb10.GetExtendedAgentCardRequest{},
	} {
		rapid.Check(t, func(t *rapid.T) {
			same(t, m, func(b []byte) (any, error) { return form.DecodeRequest(op, b) },
				func(v any) ([]byte, error) { return form.EncodeRequest(op, v) })
		})
	}
	for op, m := range map[wire.Operation]proto.Message{
		wire.OpSendMessage: &pb10.SendMessageResponse{}, wire.OpGetTask: &pb10.Task{},
		wire.OpListTasks:       &pb10.ListTasksResponse{},
		wire.OpGetPushConfig:   &pb10.TaskPushNotificationConfig{},
		wire.OpListPushConfigs: &pb10.ListTaskPushNotificationConfigsResponse{},
		wire.OpExtendedCard:    &pb10.AgentCard{},
	} {
		rapid.Check(t, func(t *rapid.T) {
			same(t, m, func(b []byte) (any, error) { return form.DecodeResult(op, b) },
				func(v any) ([]byte, error) { return form.EncodeResult(op, v) })
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, &pb10.StreamResponse{}, func(b []byte) (any, error) { return form.DecodeEvent(b) },
			func(v any) ([]byte, error) { return form.EncodeEvent(v.(a2a.Event)) })
	})
}

// So it does for 0.3, but for the flag that says the stream ends, which follows from the state.
func TestMessagesOf03BothWays(t *testing.T) {
	t.Parallel()
	form := forms[2]
	final := protocmp.IgnoreFields(&pb03.TaskStatusUpdateEvent{}, "final")
	for op, m := range map[wire.Operation]proto.Message{wire.OpSendMessage: &pb03.SendMessageResponse{},
		wire.OpGetTask: &pb03.Task{}, wire.OpListTasks: &pb03.ListTasksResponse{}} {
		rapid.Check(t, func(t *rapid.T) {
			same(t, m, func(b []byte) (any, error) { return form.DecodeResult(op, b) },
				func(v any) ([]byte, error) { return form.EncodeResult(op, v) })
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, &pb03.SendMessageRequest{},
			func(b []byte) (any, error) { return form.DecodeRequest(wire.OpSendMessage, b) },
			func(v any) ([]byte, error) { return form.EncodeRequest(wire.OpSendMessage, v) })
	})
	rapid.Check(t, func(t *rapid.T) {
		same(t, &pb03.StreamResponse{}, func(b []byte) (any, error) { return form.DecodeEvent(b) },
			func(v any) ([]byte, error) { return form.EncodeEvent(v.(a2a.Event)) }, final)
	})
}

func same(t *rapid.T, empty proto.Message, decode func([]byte) (any, error), encode func(any) ([]byte, error),
	options ...cmp.Option) {
	m := empty.ProtoReflect().New()
	fill(t, m, 5)
	b, err := proto.Marshal(m.Interface())
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = encode(v); err != nil {
		t.Fatal(err)
	}
	got := empty.ProtoReflect().New()
	if err := proto.Unmarshal(b, got.Interface()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Interface(), got.Interface(), append(options, protocmp.Transform())...); diff != "" {
		t.Errorf("%s", diff)
	}
}

// Decoding any bytes returns a value that can be encoded again, or an error that the binding can report to the caller.
func FuzzDecode(f *testing.F) {
	for _, form := range forms {
		for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
			b, err := form.EncodeRequest(op,
				example(func(t *rapid.T) any { return requestOf(t, form.Generation(), op) }))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(op), b)
			if !op.Streams() {
				b, err = form.EncodeResult(op,
					example(func(t *rapid.T) any { return resultOf(t, form.Generation(), op) }))
				if err != nil {
					f.Fatal(err)
				}
				f.Add(uint8(op), b)
			}
		}
		b, err := form.EncodeEvent(rapid.Custom(eventOf).Example(1))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(0), b)
	}
	f.Add(uint8(wire.OpSendMessage), deepMessage(f))
	f.Fuzz(func(t *testing.T, n uint8, b []byte) {
		op := wire.Operation(n%uint8(wire.OpExtendedCard)) + 1
		for _, form := range forms {
			if request, err := form.DecodeRequest(op, b); err == nil {
				if _, err := form.EncodeRequest(op, request); err != nil {
					t.Errorf("%s: %v: the request was read and cannot be written: %v", form.Generation(), op, err)
				}
			} else if _, ok := errors.AsType[*a2a.Error](err); !ok {
				t.Errorf("%s: %v: %v", form.Generation(), op, err)
			}
			if result, err := form.DecodeResult(op, b); err == nil && !op.Streams() && op != wire.OpExtendedCard {
				if _, err := form.EncodeResult(op, result); err != nil {
					t.Errorf("%s: %v: the result was read and cannot be written: %v", form.Generation(), op, err)
				}
			}
			if ev, err := form.DecodeEvent(b); err == nil {
				if _, err := form.EncodeEvent(ev); err != nil {
					t.Errorf("%s: the event was read and cannot be written: %v", form.Generation(), err)
				}
			}
		}
	})
}

// example makes one value, always the same.
func example(make func(*rapid.T) any) any {
	return rapid.Custom(func(t *rapid.T) any {
		rapid.Bool().Draw(t, "something") // rapid wants to have been asked
		return make(t)
	}).Example(1)
}

func deepMessage(tb testing.TB) []byte {
	m := message10()
	m.Metadata = nested(2000)
	b, err := proto.Marshal(&pb10.SendMessageRequest{Message: m})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
