// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// published are the values that the texts of the generations print, row by row, apart from the table they check. Where
// 0.3 prints none they are those of its official SDKs.
var published = []struct {
	kind                     a2a.Kind
	reason                   string
	code01, code03, code10   int
	http03, http100, http101 int
	grpc03, grpc100, grpc101 string
}{
	{a2a.ErrTaskNotFound, "TASK_NOT_FOUND", -32001, -32001, -32001, 404, 404, 404, "NOT_FOUND", "NOT_FOUND",
		"NOT_FOUND"},
	{a2a.ErrTaskNotCancelable, "TASK_NOT_CANCELABLE", -32002, -32002, -32002, 409, 409, 400, "FAILED_PRECONDITION",
		"FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrPushNotSupported, "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, -32003, -32003, 501, 400, 400, "UNIMPLEMENTED",
		"UNIMPLEMENTED", "FAILED_PRECONDITION"},
	{a2a.ErrUnsupportedOperation, "UNSUPPORTED_OPERATION", -32004, -32004, -32004, 501, 400, 400, "UNIMPLEMENTED",
		"UNIMPLEMENTED", "FAILED_PRECONDITION"},
	{a2a.ErrContentTypeNotSupported, "CONTENT_TYPE_NOT_SUPPORTED", -32005, -32005, -32005, 415, 415, 400,
		"INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrInvalidAgentResponse, "INVALID_AGENT_RESPONSE", -32603, -32006, -32006, 502, 502, 500, "INTERNAL",
		"INTERNAL", "INTERNAL"},
	{a2a.ErrExtendedCardNotConfigured, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32004, -32007, -32007, 404, 400, 400,
		"NOT_FOUND", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrExtensionSupportRequired, "EXTENSION_SUPPORT_REQUIRED", -32004, -32008, -32008, 400, 400, 400,
		"FAILED_PRECONDITION", "FAILED_PRECONDITION", "FAILED_PRECONDITION"},
	{a2a.ErrVersionNotSupported, "VERSION_NOT_SUPPORTED", -32004, -32009, -32009, 400, 400, 400, "UNIMPLEMENTED",
		"UNIMPLEMENTED", "FAILED_PRECONDITION"},
	{a2a.ErrParse, "PARSE_ERROR", -32700, -32700, -32700, 400, 400, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT",
		"INVALID_ARGUMENT"},
	{a2a.ErrInvalidRequest, "INVALID_REQUEST", -32600, -32600, -32600, 400, 400, 400, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrMethodNotFound, "METHOD_NOT_FOUND", -32601, -32601, -32601, 404, 404, 404, "UNIMPLEMENTED", "UNIMPLEMENTED",
		"UNIMPLEMENTED"},
	{a2a.ErrInvalidParams, "INVALID_PARAMS", -32602, -32602, -32602, 400, 400, 400, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrInternal, "INTERNAL_ERROR", -32603, -32603, -32603, 500, 500, 500, "INTERNAL", "INTERNAL", "INTERNAL"},
	{a2a.ErrUnauthenticated, "UNAUTHENTICATED", -32007, -31401, -31401, 401, 401, 401, "UNAUTHENTICATED",
		"UNAUTHENTICATED", "UNAUTHENTICATED"},
	{a2a.ErrPermissionDenied, "PERMISSION_DENIED", -32008, -31403, -31403, 403, 403, 403, "PERMISSION_DENIED",
		"PERMISSION_DENIED", "PERMISSION_DENIED"},
	{a2a.ErrTooLarge, "REQUEST_TOO_LARGE", -31413, -31413, -31413, 413, 413, 413, "RESOURCE_EXHAUSTED",
		"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	{a2a.ErrUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", -32005, -32005, -32005, 415, 415, 415, "INVALID_ARGUMENT",
		"INVALID_ARGUMENT", "INVALID_ARGUMENT"},
	{a2a.ErrRateLimited, "RATE_LIMITED", -32010, -31429, -31429, 429, 429, 429, "RESOURCE_EXHAUSTED",
		"RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	{a2a.ErrUnavailable, "UNAVAILABLE", -32011, -31503, -31503, 503, 503, 503, "UNAVAILABLE", "UNAVAILABLE",
		"UNAVAILABLE"},
	{a2a.ErrTimeout, "TIMEOUT", -31504, -31504, -31504, 504, 504, 504, "DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED",
		"DEADLINE_EXCEEDED"},
}

func TestTable(t *testing.T) {
	t.Parallel()
	if len(published) != len(wire.Table) {
		t.Fatalf("%d rows are checked, the table has %d", len(published), len(wire.Table))
	}
	for _, want := range published {
		row := wire.RowOf(want.kind)
		if row.Kind != want.kind || row.Reason != want.reason {
			t.Errorf("%v: row of %v with reason %s, want %s", want.kind, row.Kind, row.Reason, want.reason)
		}
		got := []any{row.Code(a2a.Generation01), row.Code(a2a.Generation03), row.Code(a2a.Generation10),
			row.Status(a2a.Generation03), row.HTTP100, row.Status(a2a.Generation10), row.GRPCCode(a2a.Generation03),
			row.GRPC100, row.GRPCCode(a2a.Generation10)}
		if diff := cmp.Diff([]any{want.code01, want.code03, want.code10, want.http03, want.http100, want.http101,
			want.grpc03, want.grpc100, want.grpc101}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", want.kind, diff)
		}
		if row.Code02 != row.Code03 {
			t.Errorf("%v: 0.2 and 0.3 differ", want.kind)
		}
		if kind, ok := wire.KindOfReason(want.reason); !ok || kind != want.kind {
			t.Errorf("reason %s is read as %v", want.reason, kind)
		}
		for _, gen := range []a2a.Generation{a2a.Generation02, a2a.Generation03, a2a.Generation10} {
			// has the code of ErrContentTypeNotSupported, and a status of its own
			if want.kind == a2a.ErrUnsupportedMediaType {
				continue
			}
			if kind, ok := wire.KindOfCode(gen, row.Code(gen)); !ok || kind != want.kind {
				t.Errorf("code %d of %s is read as %v, want %v", row.Code(gen), gen, kind, want.kind)
			}
		}
		wantStatus := 200
		switch row.HTTP {
		case 401, 403, 413, 415, 429, 503:
			wantStatus = row.HTTP
		}
		if got := row.JSONRPCStatus(); got != wantStatus {
			t.Errorf("%v: a JSON-RPC error comes with %d, want %d", want.kind, got, wantStatus)
		}
	}
}

// The numbers -32006 to -32011 mean other things in 0.1 than later.
func TestCodesOf01(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]a2a.Kind{
		-32001: a2a.ErrTaskNotFound, -32004: a2a.ErrUnsupportedOperation, -32005: a2a.ErrContentTypeNotSupported,
		-32006: a2a.ErrUnsupportedOperation, -32007: a2a.ErrUnauthenticated, -32008: a2a.ErrPermissionDenied,
		-32009: a2a.ErrUnsupportedOperation, -32010: a2a.ErrRateLimited, -32011: a2a.ErrUnavailable,
		-32603: a2a.ErrInternal,
	} {
		if got, ok := wire.KindOfCode(a2a.Generation01, code); !ok || got != want {
			t.Errorf("%d is read as %v, want %v", code, got, want)
		}
	}
	if kind, ok := wire.KindOfCode(a2a.Generation10, -32010); ok || kind != a2a.ErrInternal {
		t.Errorf("-32010 is none of 1.0's codes, but read as %v", kind)
	}
}

// rich is an error that has everything.
func rich(kind a2a.Kind) *a2a.Error {
	return &a2a.Error{
		Kind: kind, Message: "no \"such\" thing",
		Violations: []a2a.Violation{{Field: "message.parts", Description: "is required"},
			{Field: "a", Description: "b"}},
		Metadata:   map[string]string{"b": "2", "a": "1"},
		RetryAfter: 1500 * time.Millisecond,
		Details: []a2a.Detail{{Type: "type.googleapis.com/google.rpc.Help",
			Value: []byte(`{"@type":"type.googleapis.com/google.rpc.Help","links":[]}`)}},
	}
}

func TestErrorsComeBack(t *testing.T) {
	t.Parallel()
	ignore := cmpopts.IgnoreFields(a2a.Error{}, "Details")
	for _, row := range wire.Table {
		want := rich(row.Kind)
		want.Remote = true
		for _, gen := range wire.Generations {
			body := wire.AppendRPCError(nil, gen, 0, want)
			got := wire.DecodeRPCError(gen, body)
			if gen == a2a.Generation01 && row.Code01 > -32600 { // has no data, so all comes in the message
				if kind, _ := wire.KindOfCode(gen, row.Code01); got.Kind != kind ||
					strings.Contains(string(body), `"data"`) {
					t.Errorf("%v in 0.1: %s is read as %v", row.Kind, body, got.Kind)
				}
				continue
			}
			if diff := cmp.Diff(want, got, ignore); diff != "" {
				t.Errorf("JSON-RPC %s (-want +got):\n%s", gen, diff)
			}
			if n := len(got.Details); n != 4 || got.Details[3].Type != want.Details[0].Type {
				t.Errorf("%d details came back, want 4", n)
			}
		}
		for _, status := range []int{row.HTTP, row.HTTP100, 0} {
			body := wire.AppendStatusError(nil, status, "", want)
			if diff := cmp.Diff(want, wire.DecodeStatusError(status, body), ignore); diff != "" {
				t.Errorf("HTTP+JSON %d (-want +got):\n%s", status, diff)
			}
		}
	}
}

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	const details = `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS",` +
		`"domain":"a2a-protocol.org","metadata":{"a":"1","b":"2"}},` +
		`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts",` +
		`"description":"is required"},{"field":"a","description":"b"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"},` +
		`{"@type":"type.googleapis.com/google.rpc.Help","links":[]}]`
	const message = `"no \"such\" thing: message.parts is required; a b"`
	got := string(wire.AppendRPCError(nil, a2a.Generation10, 0, rich(a2a.ErrInvalidParams)))
	if want := `{"code":-32602,"message":` + message + `,"data":` + details + `}`; got != want {
		t.Errorf("JSON-RPC:\n got %s\nwant %s", got, want)
	}
	got = string(wire.AppendStatusError(nil, 0, "", rich(a2a.ErrInvalidParams)))
	if want := `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":` + message + `,"details":` + details +
		`}}`; got != want {
		t.Errorf("HTTP+JSON:\n got %s\nwant %s", got, want)
	}
}

// The cause and bytes that are no UTF-8 never reach the peer, the error does.
func TestErrorBodyIsSafe(t *testing.T) {
	t.Parallel()
	e := &a2a.Error{Kind: a2a.ErrInternal, Message: "bad \xff byte", Cause: a2a.NewError(a2a.ErrInternal, "secret"),
		Details: []a2a.Detail{{Type: "x", Value: []byte(`{"@type":`)}}}
	for _, body := range [][]byte{wire.AppendRPCError(nil, a2a.Generation10, 0, e),
		wire.AppendStatusError(nil, 0, "", e)} {
		if !json.Valid(body) || strings.Contains(string(body), "secret") {
			t.Errorf("body %s", body)
		}
	}
}

// The reason decides the kind, then the code, then the status. Every body of a peer decodes to an error.
func TestDecodeForeignErrors(t *testing.T) {
	t.Parallel()
	info := func(reason, domain string) string {
		return `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"` + domain +
			`"}`
	}
	for body, want := range map[string]a2a.Kind{
		`{"code":-32603,"message":"x","data":[` + info("TASK_NOT_FOUND", "a2a-protocol.org") +
			`]}`: a2a.ErrTaskNotFound,
		`{"code":-32603,"message":"x","data":` + info("TASK_NOT_FOUND", "a2a-protocol.org") +
			`}`: a2a.ErrTaskNotFound,
		`{"code":-32001,"message":"x","data":[` + info("TASK_NOT_CANCELABLE", "example.com") +
			`]}`: a2a.ErrTaskNotFound,
		`{"code":-32001,"message":"x","data":[` + info("NO_SUCH_REASON", "a2a-protocol.org") +
			`]}`: a2a.ErrTaskNotFound,
		`{"code":-32001,"message":"x","data":"free text"}`:          a2a.ErrTaskNotFound,
		`{"code":-32001,"message":"x","data":[1,{"@type":7},null]}`: a2a.ErrTaskNotFound,
		`{"code":-31429,"message":"x"}`:                             a2a.ErrRateLimited,
		`{"code":-1,"message":"x"}`:                                 a2a.ErrInternal,
		`{"message":"x"}`:                                           a2a.ErrInvalidAgentResponse,
		`"oops"`:                                                    a2a.ErrInvalidAgentResponse,
		`{"code":`:                                                  a2a.ErrInvalidAgentResponse,
	} {
		if got := wire.DecodeRPCError(a2a.Generation10, []byte(body)); got.Kind != want || !got.Remote {
			t.Errorf("%s is read as %v, want %v", body, got.Kind, want)
		}
	}
	for _, test := range []struct {
		status int
		body   string
		want   a2a.Kind
	}{
		{400, `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"x","details":[` +
			info("TASK_NOT_CANCELABLE", "a2a-protocol.org") + `]}}`, a2a.ErrTaskNotCancelable},
		{409, `{"error":{"code":409,"status":"FAILED_PRECONDITION","message":"x"}}`, a2a.ErrTaskNotCancelable},
		{400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"x"}}`, a2a.ErrInvalidParams},
		{404, `<html>`, a2a.ErrTaskNotFound},
		{502, ``, a2a.ErrUnavailable},
		{418, `{"message":"teapot"}`, a2a.ErrInvalidRequest},
		{0, `{"error":{"code":504,"status":"DEADLINE_EXCEEDED","message":"x"}}`, a2a.ErrTimeout},
	} {
		if got := wire.DecodeStatusError(test.status, []byte(test.body)); got.Kind != test.want || !got.Remote {
			t.Errorf("%d %s is read as %v, want %v", test.status, test.body, got.Kind, test.want)
		}
	}
}

func FuzzDecodeError(f *testing.F) {
	f.Add(400, wire.AppendStatusError(nil, 0, "", rich(a2a.ErrInvalidParams)))
	f.Add(200, wire.AppendRPCError(nil, a2a.Generation10, 0, rich(a2a.ErrTooLarge)))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		for _, e := range []*a2a.Error{wire.DecodeStatusError(status, body),
			wire.DecodeRPCError(a2a.Generation10, body)} {
			if !json.Valid(wire.AppendRPCError(nil, a2a.Generation10, 0, e)) {
				t.Errorf("what was read of %q cannot be written", body)
			}
		}
	})
}

func TestOperations(t *testing.T) {
	t.Parallel()
	for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
		if got := wire.OperationOf(op.String()); got != op || op.String() == "" {
			t.Errorf("%q is read as %v", op, got)
		}
	}
	for _, name := range []string{"", "sendMessage", "message/send"} {
		if got := wire.OperationOf(name); got != wire.OpNone {
			t.Errorf("%q is read as %v", name, got)
		}
	}
}
