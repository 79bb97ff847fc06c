// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func aFake() *fake { return &fake{} }

func message10() *pb10.Message {
	return &pb10.Message{MessageId: "m1", Role: pb10.Role_ROLE_USER,
		Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "hi"}}}}
}

func message03() *pb03.Message {
	return &pb03.Message{MessageId: "m1", Role: pb03.Role_ROLE_USER,
		Parts: []*pb03.Part{{Part: &pb03.Part_Text{Text: "hi"}}}}
}

// calls10 calls each operation of lf.a2a.v1.
func calls10(c pb10.A2AServiceClient) map[wire.Operation]func(context.Context) error {
	return map[wire.Operation]func(context.Context) error{
		wire.OpSendMessage: func(ctx context.Context) error {
			_, err := c.SendMessage(ctx, &pb10.SendMessageRequest{Tenant: "acme", Message: message10()})
			return err
		},
		wire.OpStreamMessage: func(ctx context.Context) error {
			s, err := c.SendStreamingMessage(ctx, &pb10.SendMessageRequest{Tenant: "acme", Message: message10()})
			return drain(s, err)
		},
		wire.OpGetTask: func(ctx context.Context) error {
			_, err := c.GetTask(ctx, &pb10.GetTaskRequest{Tenant: "acme", Id: "t1"})
			return err
		},
		wire.OpListTasks: func(ctx context.Context) error {
			_, err := c.ListTasks(ctx, &pb10.ListTasksRequest{Tenant: "acme"})
			return err
		},
		wire.OpCancelTask: func(ctx context.Context) error {
			_, err := c.CancelTask(ctx, &pb10.CancelTaskRequest{Tenant: "acme", Id: "t1"})
			return err
		},
		wire.OpSubscribe: func(ctx context.Context) error {
			s, err := c.SubscribeToTask(ctx, &pb10.SubscribeToTaskRequest{Tenant: "acme", Id: "t1"})
			return drain(s, err)
		},
		wire.OpCreatePushConfig: func(ctx context.Context) error {
			_, err := c.CreateTaskPushNotificationConfig(ctx,
				&pb10.TaskPushNotificationConfig{Tenant: "acme", TaskId: "t1", Url: "https://example.com"})
			return err
		},
		wire.OpGetPushConfig: func(ctx context.Context) error {
			_, err := c.GetTaskPushNotificationConfig(ctx,
				&pb10.GetTaskPushNotificationConfigRequest{Tenant: "acme", TaskId: "t1", Id: "p"})
			return err
		},
		wire.OpListPushConfigs: func(ctx context.Context) error {
			_, err := c.ListTaskPushNotificationConfigs(ctx,
				&pb10.ListTaskPushNotificationConfigsRequest{Tenant: "acme", TaskId: "t1"})
			return err
		},
		wire.OpDeletePushConfig: func(ctx context.Context) error {
			_, err := c.DeleteTaskPushNotificationConfig(ctx,
				&pb10.DeleteTaskPushNotificationConfigRequest{Tenant: "acme", TaskId: "t1", Id: "p"})
			return err
		},
		wire.OpExtendedCard: func(ctx context.Context) error {
			_, err := c.GetExtendedAgentCard(ctx, &pb10.GetExtendedAgentCardRequest{Tenant: "acme"})
			return err
		},
	}
}

// calls03 calls each operation of a2a.v1.
func calls03(c pb03.A2AServiceClient) map[wire.Operation]func(context.Context) error {
	return map[wire.Operation]func(context.Context) error{
		wire.OpSendMessage: func(ctx context.Context) error {
			_, err := c.SendMessage(ctx, &pb03.SendMessageRequest{Request: message03()})
			return err
		},
		wire.OpStreamMessage: func(ctx context.Context) error {
			s, err := c.SendStreamingMessage(ctx, &pb03.SendMessageRequest{Request: message03()})
			return drain(s, err)
		},
		wire.OpGetTask: func(ctx context.Context) error {
			_, err := c.GetTask(ctx, &pb03.GetTaskRequest{Name: "tasks/t1"})
			return err
		},
		wire.OpListTasks: func(ctx context.Context) error {
			_, err := c.ListTasks(ctx, &pb03.ListTasksRequest{})
			return err
		},
		wire.OpCancelTask: func(ctx context.Context) error {
			_, err := c.CancelTask(ctx, &pb03.CancelTaskRequest{Name: "tasks/t1"})
			return err
		},
		wire.OpSubscribe: func(ctx context.Context) error {
			s, err := c.TaskSubscription(ctx, &pb03.TaskSubscriptionRequest{Name: "tasks/t1"})
			return drain(s, err)
		},
		wire.OpCreatePushConfig: func(ctx context.Context) error {
			_, err := c.CreateTaskPushNotificationConfig(ctx, &pb03.CreateTaskPushNotificationConfigRequest{
				Parent: "tasks/t1",
				Config: &pb03.TaskPushNotificationConfig{
					PushNotificationConfig: &pb03.PushNotificationConfig{Url: "https://example.com"}},
			})
			return err
		},
		wire.OpGetPushConfig: func(ctx context.Context) error {
			_, err := c.GetTaskPushNotificationConfig(ctx,
				&pb03.GetTaskPushNotificationConfigRequest{Name: "tasks/t1/pushNotificationConfigs/p"})
			return err
		},
		wire.OpListPushConfigs: func(ctx context.Context) error {
			_, err := c.ListTaskPushNotificationConfig(ctx,
				&pb03.ListTaskPushNotificationConfigRequest{Parent: "tasks/t1"})
			return err
		},
		wire.OpDeletePushConfig: func(ctx context.Context) error {
			_, err := c.DeleteTaskPushNotificationConfig(ctx,
				&pb03.DeleteTaskPushNotificationConfigRequest{Name: "tasks/t1/pushNotificationConfigs/p"})
			return err
		},
		wire.OpExtendedCard: func(ctx context.Context) error {
			_, err := c.GetAgentCard(ctx, &pb03.GetAgentCardRequest{})
			return err
		},
	}
}

func drain[T any](s google.ServerStreamingClient[T], err error) error {
	for err == nil {
		_, err = s.Recv()
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// identified makes every caller one that is known.
func identified(c *binding.Core) {
	c.Auth = auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) {
		return a2a.Identity{Subject: "ann"},
			nil
	})
}

// Every operation of both packages reaches the service, with what the call says of itself.
func TestOperations(t *testing.T) {
	eachWay(t, aFake, identified, func(t *testing.T, l *lab, f *fake) {
		for gen, calls := range map[a2a.Generation]map[wire.Operation]func(context.Context) error{
			a2a.Generation10: calls10(l.v10), a2a.Generation03: calls03(l.v03),
		} {
			if len(calls) != int(wire.OpExtendedCard) {
				t.Errorf("%s: %d operations are called", gen, len(calls))
			}
			for op, call := range calls {
				ctx := plain(t)
				if gen == a2a.Generation10 {
					ctx = versioned(t)
				}
				if err := call(ctx); err != nil {
					t.Errorf("%s: %v: %v", gen, op, err)
				}
				x := l.over(t)
				_, seen := f.last()
				if x.Operation != op || x.Generation != gen || x.Status != http.StatusOK || x.Err != nil ||
					x.Cut != nil {
					t.Errorf("%s: %v: the exchange is %+v", gen, op, x.Route)
				}
				tenant := ""
				if gen == a2a.Generation10 {
					tenant = "acme"
				}
				want := a2a.Call{Identity: a2a.Identity{Subject: "ann"}, Tenant: tenant, Generation: gen,
					Binding: a2a.BindingGRPC, RequestID: "r1"}
				if seen.Identity.Subject != "ann" || seen.Tenant != want.Tenant || seen.Generation != gen ||
					seen.Binding != want.Binding || seen.RequestID != "r1" {
					t.Errorf("%s: %v: the call is %+v, want %+v", gen, op, seen, want)
				}
			}
		}
	})
}

// Each kind of error has its code in each package, and says what it is in an ErrorInfo.
func TestErrors(t *testing.T) {
	for _, codes100 := range []bool{false, true} {
		t.Run(map[bool]string{false: "1.0.1", true: "1.0.0"}[codes100], func(t *testing.T) {
			eachWay(t, aFake, func(c *binding.Core) { c.Codes100 = codes100 }, func(t *testing.T, l *lab, f *fake) {
				for _, row := range wire.Table {
					f.err = &a2a.Error{
						Kind: row.Kind, Message: "no", Metadata: map[string]string{"k": "v"},
						RetryAfter: 2 * time.Second,
						Violations: []a2a.Violation{{Field: "message.parts[0]", Description: "is odd"}},
						Cause:      errors.New("secret"),
					}
					want10 := row.GRPC
					if codes100 {
						want10 = row.GRPC100
					}
					_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: "t1"})
					checkStatus(t, err, want10, row.Reason)
					if x := l.over(t); x.Err == nil || x.Err.Kind != row.Kind {
						t.Errorf("%v: the log has %v", row.Kind, x.Err)
					}
					_, err = l.v03.GetTask(plain(t), &pb03.GetTaskRequest{Name: "tasks/t1"})
					checkStatus(t, err, row.GRPC03, row.Reason)
					l.over(t)
					// A stream that is refused ends the same way.
					checkStatus(t,
						drain(l.v10.SendStreamingMessage(versioned(t), &pb10.SendMessageRequest{Message: message10()})),
						want10, row.Reason)
					l.over(t)
				}
			})
		})
	}
}

func checkStatus(t *testing.T, err error, code, reason string) {
	t.Helper()
	s, _ := status.FromError(err)
	var want codes.Code
	if e := want.UnmarshalJSON([]byte(`"` + code + `"`)); e != nil {
		t.Fatal(e)
	}
	if s.Code() != want || !strings.HasPrefix(s.Message(), "no: message.parts[0] is odd") ||
		strings.Contains(s.Message(), "secret") {
		t.Errorf("%s: status %v %q, want code %v", reason, s.Code(), s.Message(), want)
	}
	found := 0
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			found++
			if d.Reason != reason || d.Domain != "a2a-protocol.org" || d.Metadata["k"] != "v" {
				t.Errorf("%s: ErrorInfo %v", reason, d)
			}
		case *errdetails.BadRequest:
			found++
			if v := d.FieldViolations; len(v) != 1 || v[0].Field != "message.parts[0]" || v[0].Description != "is odd" {
				t.Errorf("%s: BadRequest %v", reason, d)
			}
		case *errdetails.RetryInfo:
			found++
			if d.RetryDelay.AsDuration() != 2*time.Second {
				t.Errorf("%s: RetryInfo %v", reason, d)
			}
		}
	}
	if found != 3 {
		t.Errorf("%s: details %v", reason, s.Details())
	}
}

// reasonOf returns code and reason of an error.
func reasonOf(err error) (codes.Code, string) {
	s, _ := status.FromError(err)
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return s.Code(), info.Reason
		}
	}
	return s.Code(), ""
}

// The package decides the version; metadata that says otherwise is refused.
func TestVersions(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		for _, test := range []struct {
			gen     a2a.Generation
			version []string
			ok      bool
		}{
			{a2a.Generation10, []string{"1.0"}, true},
			{a2a.Generation10, []string{"1.0.1"}, true},
			{a2a.Generation10, []string{"1.0", "1.0"}, true},
			{a2a.Generation10, nil, false}, // reads as 0.3
			{a2a.Generation10, []string{""}, false},
			{a2a.Generation10, []string{"0.3"}, false},
			{a2a.Generation10, []string{"1.1"}, false},
			{a2a.Generation10, []string{"banana"}, false},
			{a2a.Generation10, []string{"1.0", "0.3"}, false},
			{a2a.Generation03, nil, true},
			{a2a.Generation03, []string{""}, true},
			{a2a.Generation03, []string{"0.3"}, true},
			{a2a.Generation03, []string{"0.3.0"}, true},
			{a2a.Generation03, []string{"1.0"}, false},
			{a2a.Generation03, []string{"banana"}, false},
		} {
			ctx := plain(t)
			for _, v := range test.version {
				ctx = metadata.AppendToOutgoingContext(ctx, "a2a-version", v)
			}
			var err error
			if test.gen == a2a.Generation10 {
				_, err = l.v10.GetTask(ctx, &pb10.GetTaskRequest{Id: "t1"})
			} else {
				_, err = l.v03.GetTask(ctx, &pb03.GetTaskRequest{Name: "tasks/t1"})
			}
			l.over(t)
			code, reason := reasonOf(err)
			if test.ok && err != nil || !test.ok && reason != "VERSION_NOT_SUPPORTED" {
				t.Errorf("%s with %q: %v %s %v", test.gen, test.version, code, reason, err)
			}
			want := codes.FailedPrecondition
			if test.gen == a2a.Generation03 {
				want = codes.Unimplemented
			}
			if !test.ok && code != want {
				t.Errorf("%s with %q: %v, want %v", test.gen, test.version, code, want)
			}
		}
		l.core.AcceptUnversioned = true // nothing is under way
		if _, err := l.v10.GetTask(plain(t), &pb10.GetTaskRequest{Id: "t1"}); err != nil {
			t.Errorf("without a version, which is accepted: %v", err)
		}
	})
}

// The binding reports an invalid request before it calls the service.
func TestBadInput(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		for name, test := range map[string]struct {
			call  func() error
			field string
		}{
			"no message": {func() error {
				_, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{})
				return err
			}, "message"},
			"part without content": {func() error {
				m := message10()
				m.Parts = append(m.Parts, &pb10.Part{Filename: "x"})
				_, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{Message: m})
				return err
			}, "message.parts[1]"},
			"no id": {func() error {
				_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{})
				return err
			}, "id"},
			"negative history": {func() error {
				n := int32(-1)
				_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: "t", HistoryLength: &n})
				return err
			}, "historyLength"},
			"page size 0": {func() error {
				n := int32(0)
				_, err := l.v10.ListTasks(versioned(t), &pb10.ListTasksRequest{PageSize: &n})
				return err
			}, "pageSize"},
			"unknown role": {func() error {
				m := message10()
				m.Role = 7
				_, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{Message: m})
				return err
			}, "message.role"},
			"reserved tenant": {func() error {
				_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: "t", Tenant: "tasks"})
				return err
			}, "tenant"},
			"file without content": {func() error {
				m := message03()
				m.Parts = []*pb03.Part{{Part: &pb03.Part_File{File: &pb03.FilePart{MimeType: "a/b"}}}}
				_, err := l.v03.SendMessage(plain(t), &pb03.SendMessageRequest{Request: m})
				return err
			}, "message.parts[0].file"},
			"no name": {func() error {
				_, err := l.v03.GetTask(plain(t), &pb03.GetTaskRequest{})
				return err
			}, "name"},
			"a bare id": {func() error {
				_, err := l.v03.GetTask(plain(t), &pb03.GetTaskRequest{Name: "t1"})
				return err
			}, "name"},
			"a config for a task": {func() error {
				_, err := l.v03.CancelTask(plain(t),
					&pb03.CancelTaskRequest{Name: "tasks/t1/pushNotificationConfigs/p"})
				return err
			}, "name"},
			"a task for a config": {func() error {
				_, err := l.v03.DeleteTaskPushNotificationConfig(plain(t),
					&pb03.DeleteTaskPushNotificationConfigRequest{Name: "tasks/t1"})
				return err
			}, "name"},
			"a message for a task": {func() error {
				return drain(l.v03.TaskSubscription(plain(t), &pb03.TaskSubscriptionRequest{Name: "messages/t1"}))
			}, "name"},
			"a config for a parent": {func() error {
				_, err := l.v03.ListTaskPushNotificationConfig(plain(t),
					&pb03.ListTaskPushNotificationConfigRequest{Parent: "tasks/t1/pushNotificationConfigs/p"})
				return err
			}, "parent"},
			"a task of no id": {func() error {
				_, err := l.v03.GetTask(plain(t), &pb03.GetTaskRequest{Name: "tasks/"})
				return err
			}, "name"},
			"two ids of one config": {func() error {
				_, err := l.v03.CreateTaskPushNotificationConfig(plain(t),
					&pb03.CreateTaskPushNotificationConfigRequest{
						Parent: "tasks/t", ConfigId: "a",
						Config: &pb03.TaskPushNotificationConfig{
							PushNotificationConfig: &pb03.PushNotificationConfig{Id: "b", Url: "https://example.com"}},
					})
				return err
			}, "configId"},
		} {
			err := test.call()
			x := l.over(t)
			s, _ := status.FromError(err)
			if code, reason := reasonOf(err); code != codes.InvalidArgument || reason != "INVALID_PARAMS" ||
				x.Status != http.StatusBadRequest {
				t.Errorf("%s: %v", name, err)
			}
			var fields []string
			for _, d := range s.Details() {
				if bad, ok := d.(*errdetails.BadRequest); ok {
					for _, v := range bad.FieldViolations {
						fields = append(fields, v.Field)
					}
				}
			}
			if !slices.Contains(fields, test.field) {
				t.Errorf("%s: fields %q, want %q", name, fields, test.field)
			}
		}
		if request, _ := f.last(); request != nil {
			t.Errorf("the service was asked %T", request)
		}
	})
}

// The binding itself refuses frames that are not protobuf, are missing or are too large.
func TestFrames(t *testing.T) {
	eachWay(t, aFake, func(c *binding.Core) { c.MaxBody = 1000 }, func(t *testing.T, l *lab, f *fake) {
		const getTask = "/lf.a2a.v1.A2AService/GetTask"
		_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: strings.Repeat("x", 1000)})
		if code, _ := reasonOf(err); code != codes.ResourceExhausted || !strings.Contains(err.Error(), "1000") {
			t.Errorf("too large: %v", err)
		}
		if x := l.over(t); x.Err == nil || x.Err.Kind != a2a.ErrTooLarge {
			t.Errorf("too large: the log has %v", x.Err)
		}
		err = l.conn.Invoke(versioned(t), getTask, &raw{[]byte{0xff, 0xff}}, &raw{}, google.ForceCodec(rawCodec{}))
		if code, reason := reasonOf(err); code != codes.InvalidArgument || reason != "PARSE_ERROR" {
			t.Errorf("no protobuf: %v", err)
		}
		l.over(t)
		err = l.conn.Invoke(versioned(t), "/lf.a2a.v1.A2AService/Nothing", &raw{}, &raw{},
			google.ForceCodec(rawCodec{}))
		if code, reason := reasonOf(err); code != codes.Unimplemented || reason != "METHOD_NOT_FOUND" {
			t.Errorf("no method: %v", err)
		}
		// A call without a message.
		stream, err := l.conn.NewStream(versioned(t), &google.StreamDesc{ClientStreams: true}, getTask,
			google.ForceCodec(rawCodec{}))
		if err != nil {
			t.Fatal(err)
		}
		stream.CloseSend()
		if err := stream.RecvMsg(&raw{}); status.Code(err) == codes.OK || err == io.EOF {
			t.Errorf("no message: %v", err)
		}
		if x := l.over(t); x.Err == nil || x.Err.Kind != a2a.ErrInvalidRequest {
			t.Errorf("no message: the log has %v", x.Err)
		}
		if request, _ := f.last(); request != nil {
			t.Errorf("the service was asked %T", request)
		}
	})
}

type raw struct{ b []byte }

type rawCodec struct{}

func (rawCodec) Name() string                       { return "proto" }
func (rawCodec) Marshal(v any) ([]byte, error)      { return v.(*raw).b, nil }
func (rawCodec) Unmarshal(data []byte, v any) error { v.(*raw).b = slices.Clone(data); return nil }

// A value that nests too deeply is refused, whatever the message's size.
func TestDepth(t *testing.T) {
	eachWay(t, aFake, func(c *binding.Core) { c.MaxDepth = 10 }, func(t *testing.T, l *lab, f *fake) {
		for depth, ok := range map[int]bool{10: true, 11: false} {
			m := message10()
			m.Metadata = nested(depth)
			_, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{Message: m})
			if _, reason := reasonOf(err); ok && err != nil ||
				!ok && (reason != "REQUEST_TOO_LARGE" || !strings.Contains(err.Error(), "10 levels")) {
				t.Errorf("depth %d: %v", depth, err)
			}
		}
	})
}

// The server tells an unknown caller how to authenticate, and does not read the caller's request.
func TestAuthentication(t *testing.T) {
	secured := func(c *binding.Core) {
		c.Auth = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			if r.Method != "POST" || r.ProtoMajor != 2 || r.Host == "" || r.RemoteAddr == "" ||
				!strings.HasPrefix(r.URL.Path, "/lf.a2a.v1.A2AService/") {
				t.Errorf("the request is %s %s %q %q %d", r.Method, r.URL, r.Host, r.RemoteAddr, r.ProtoMajor)
			}
			if r.Header.Get("Authorization") == "Bearer good" {
				return a2a.Identity{Subject: "ann"}, nil
			}
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "")
		})
	}
	eachWay(t, aFake, secured, func(t *testing.T, l *lab, f *fake) {
		var header, trailer metadata.MD
		_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: "t"}, google.Header(&header),
			google.Trailer(&trailer))
		if code, reason := reasonOf(err); code != codes.Unauthenticated || reason != "UNAUTHENTICATED" {
			t.Errorf("a stranger: %v", err)
		}
		if got := append(header.Get("www-authenticate"), trailer.Get("www-authenticate")...); !slices.Equal(got,
			[]string{`Bearer realm="lab"`}) {
			t.Errorf("the challenge is %q", got)
		}
		if x := l.over(t); x.Status != http.StatusUnauthorized {
			t.Errorf("status %d", x.Status)
		}
		if _, err := l.v10.GetTask(versioned(t, "authorization", "Bearer good"),
			&pb10.GetTaskRequest{Id: "t"}); err != nil {
			t.Error(err)
		}
	})
}

// A request of a2a.v1 that does not say it waits does not, and a history of no length is a whole one.
func TestDefaultsOf03(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		for _, test := range []struct {
			configuration *pb03.SendMessageConfiguration
			immediately   bool
			history       int // -1 for all
		}{
			{nil, true, -1},
			{&pb03.SendMessageConfiguration{}, true, -1},
			{&pb03.SendMessageConfiguration{Blocking: true}, false, -1},
			{&pb03.SendMessageConfiguration{Blocking: true, HistoryLength: 3}, false, 3},
		} {
			if _, err := l.v03.SendMessage(plain(t),
				&pb03.SendMessageRequest{Request: message03(), Configuration: test.configuration}); err != nil {
				t.Fatal(err)
			}
			request, _ := f.last()
			c := request.(*a2a.SendMessageRequest).Configuration
			history := -1
			if c.HistoryLength != nil {
				history = *c.HistoryLength
			}
			if c.ReturnImmediately != test.immediately || history != test.history {
				t.Errorf("%v is read as %+v", test.configuration, c)
			}
		}
	})
}

// A push config of a2a.v1 need not be named.
func TestAnyPushConfig(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		got, err := l.v03.GetTaskPushNotificationConfig(plain(t),
			&pb03.GetTaskPushNotificationConfigRequest{Name: "tasks/t1/pushNotificationConfigs/"})
		if err != nil || got.Name != "tasks/t1/pushNotificationConfigs/p" {
			t.Errorf("%v, %v", got, err)
		}
	})
}
