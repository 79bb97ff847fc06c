// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestNamesOfCodes(t *testing.T) {
	t.Parallel()
	for _, row := range wire.Table {
		for _, name := range []string{row.GRPC03, row.GRPC100, row.GRPC} {
			if _, ok := codesByName[name]; !ok {
				t.Errorf("%v: the table names code %q, which gRPC does not know", row.Kind, name)
			}
		}
	}
	if got := nameOf(codes.FailedPrecondition); got != "FAILED_PRECONDITION" {
		t.Error(got)
	}
}

// An error with a lot to say fits into the trailers that peers take, with the ErrorInfo in it.
func TestLargeError(t *testing.T) {
	t.Parallel()
	e := &a2a.Error{Kind: a2a.ErrInvalidParams, Message: strings.Repeat("é", 5000), Metadata: map[string]string{},
		RetryAfter: time.Second}
	for i := range 100 {
		e.Violations = append(e.Violations,
			a2a.Violation{Field: fmt.Sprintf("message.parts[%d]", i), Description: strings.Repeat("y", 1000)})
		e.Metadata[fmt.Sprint(i)] = strings.Repeat("z", 1000)
	}
	e.Details = []a2a.Detail{{Type: "type.googleapis.com/google.rpc.Help",
		Value: []byte(`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"` +
			strings.Repeat("h", 9000) + `"}]}`)}}
	s, _ := status.FromError(statusOf("INVALID_ARGUMENT", e))
	encoded := proto.Size(s.Proto())*4/3 + len(s.Message())*3/2 // as base64, and the message once more
	if encoded > 8<<10 {
		t.Errorf("the trailers have about %d bytes", encoded)
	}
	got := errorOf(a2a.Generation10, s)
	if got.Kind != a2a.ErrInvalidParams || len(got.Violations) == 0 || got.RetryAfter != time.Second || !got.Remote {
		t.Errorf("it is read as %+v", got)
	}
}

// A status without details counts by its code, and one of another domain, too.
func TestForeignStatus(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]a2a.Kind{
		codes.NotFound: a2a.ErrTaskNotFound, codes.Unimplemented: a2a.ErrUnsupportedOperation,
		codes.Unavailable:     a2a.ErrUnavailable,
		codes.Unauthenticated: a2a.ErrUnauthenticated, codes.Unknown: a2a.ErrInternal, codes.Code(77): a2a.ErrInternal,
	} {
		if got := errorOf(a2a.Generation10, status.New(code, "x")); got.Kind != want || !got.Remote ||
			!strings.Contains(got.Message, "x") {
			t.Errorf("%v is read as %v", code, got)
		}
	}
}

// Before 1.0 a status has no details: its code tells what it is, or the name that the SDK of Python begins it with.
func TestStatusBefore10(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code    codes.Code
		message string
		want    a2a.Kind
	}{
		{codes.FailedPrecondition, "Task not cancelable: 1", a2a.ErrTaskNotCancelable},
		{codes.Unimplemented, "TaskNotCancelableError: Task cannot be canceled - current state: TaskState.completed",
			a2a.ErrTaskNotCancelable},
		{codes.Unimplemented, "PushNotificationNotSupportedError: no", a2a.ErrPushNotSupported},
		{codes.Internal, "SomeError: InvalidParamsError: x", a2a.ErrInternal},
		{codes.NotFound, "TaskNotFoundError: Task not found", a2a.ErrTaskNotFound},
		{codes.Unimplemented, "not here", a2a.ErrUnsupportedOperation},
		{codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 8)", a2a.ErrTooLarge},
		{codes.ResourceExhausted, "slow down", a2a.ErrRateLimited},
	} {
		if got := errorOf(a2a.Generation03, status.New(c.code, c.message)); got.Kind != c.want ||
			got.Message != c.message {
			t.Errorf("%v %q is read as %v %q", c.code, c.message, got.Kind, got.Message)
		}
	}
}

// Any status decodes to an error that can be encoded again.
func FuzzStatus(f *testing.F) {
	s, _ := status.FromError(statusOf("NOT_FOUND",
		&a2a.Error{Kind: a2a.ErrTaskNotFound, RetryAfter: time.Second,
			Violations: []a2a.Violation{{Field: "a", Description: "b"}}}))
	b, err := proto.Marshal(s.Proto())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var p spb.Status
		if proto.Unmarshal(b, &p) != nil || p.Code == 0 {
			return
		}
		e := errorOf(a2a.Generation10, status.FromProto(&p))
		if out, ok := status.FromError(statusOf("INTERNAL", e)); !ok || out.Code() != codes.Internal {
			t.Errorf("%+v cannot be sent on", e)
		}
	})
}
