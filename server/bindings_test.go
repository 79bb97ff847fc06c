// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/google/go-cmp/cmp"
)

const hello = `{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hi"}]}`

func helloMessage() *a2a.Message {
	return &a2a.Message{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}}
}

func ptr[T any](v T) *T { return &v }

// operations is each operation in both bindings: what is sent, what the service must see, what must come back.
var operations = []struct {
	method, params     string
	verb, path, body   string
	want               any
	result             string
	streams            bool
	anyID, mayBeAbsent bool
}{
	{method: "SendMessage", params: `{"message":` + hello + `}`, verb: "POST", path: "/message:send",
		body: `{"message":` + hello + `}`,
		want: &a2a.SendMessageRequest{Message: helloMessage()}, result: `{"task":` + taskJSON + `}`},
	{method: "SendStreamingMessage", params: `{"message":` + hello + `}`, verb: "POST", path: "/message:stream",
		body: `{"message":` + hello + `}`,
		want: &a2a.SendMessageRequest{Message: helloMessage()}, result: `{"task":` + taskJSON + `}`, streams: true},
	{method: "GetTask", params: `{"id":"t1","historyLength":3}`, verb: "GET", path: "/tasks/t1?historyLength=3",
		want: &a2a.GetTaskRequest{ID: "t1", HistoryLength: ptr(3)}, result: taskJSON},
	{method: "ListTasks",
		params: `{"contextId":"c1","status":"TASK_STATE_WORKING","pageSize":10,"pageToken":"p","historyLength":0,` +
			`"statusTimestampAfter":"2026-01-02T03:04:05Z","includeArtifacts":true}`,
		verb: "GET",
		path: "/tasks?contextId=c1&status=TASK_STATE_WORKING&pageSize=10&pageToken=p&historyLength=0&" +
			"statusTimestampAfter=2026-01-02T03:04:05Z&includeArtifacts=true",
		want: &a2a.ListTasksRequest{ContextID: "c1", Status: a2a.TaskStateWorking, PageSize: ptr(10), PageToken: "p",
			HistoryLength:        ptr(0),
			StatusTimestampAfter: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), IncludeArtifacts: true},
		result: `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`},
	{method: "ListTasks", verb: "GET", path: "/tasks", want: &a2a.ListTasksRequest{},
		result: `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`},
	{method: "CancelTask", params: `{"id":"t1"}`, verb: "POST", path: "/tasks/t1:cancel",
		want: &a2a.CancelTaskRequest{ID: "t1"}, result: taskJSON},
	{method: "SubscribeToTask", params: `{"id":"t1"}`, verb: "POST", path: "/tasks/t1:subscribe",
		want: &a2a.SubscribeRequest{ID: "t1"}, result: `{"task":` + taskJSON + `}`, streams: true},
	{method: "SubscribeToTask", params: `{"id":"t1"}`, verb: "GET", path: "/tasks/t1:subscribe",
		want: &a2a.SubscribeRequest{ID: "t1"}, result: `{"task":` + taskJSON + `}`, streams: true},
	{method: "CreateTaskPushNotificationConfig", params: `{"taskId":"t1","url":"https://example.com"}`, verb: "POST",
		path: "/tasks/t1/pushNotificationConfigs", body: `{"url":"https://example.com"}`,
		want:   &a2a.PushConfig{TaskID: "t1", URL: "https://example.com"},
		result: `{"taskId":"t1","url":"https://example.com"}`},
	{method: "GetTaskPushNotificationConfig", params: `{"taskId":"t1","id":"p1"}`, verb: "GET",
		path:   "/tasks/t1/pushNotificationConfigs/p1",
		want:   &a2a.GetPushConfigRequest{TaskID: "t1", ID: "p1"},
		result: `{"id":"p1","taskId":"t1","url":"https://example.com"}`},
	{method: "ListTaskPushNotificationConfigs", params: `{"taskId":"t1","pageSize":5,"pageToken":"x"}`, verb: "GET",
		path: "/tasks/t1/pushNotificationConfigs?pageSize=5&pageToken=x",
		want: &a2a.ListPushConfigsRequest{TaskID: "t1", PageSize: 5, PageToken: "x"}, result: ""},
	{method: "DeleteTaskPushNotificationConfig", params: `{"taskId":"t1","id":"p1"}`, verb: "DELETE",
		path: "/tasks/t1/pushNotificationConfigs/p1",
		want: &a2a.DeletePushConfigRequest{TaskID: "t1", ID: "p1"}, result: `{}`},
	{method: "GetExtendedAgentCard", verb: "GET", path: "/extendedAgentCard", want: &a2a.ExtendedCardRequest{},
		result: ""},
}

const taskJSON = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`

func TestOperations(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		t.Run(op.method+" "+op.verb, func(t *testing.T) {
			t.Parallel()
			f := &fake{caps: can()}
			ts := serve(t, f, asAlice)
			check := func(name string, got reply, result, binding string) {
				t.Helper()
				if got.status != http.StatusOK {
					t.Fatalf("%s: status %d: %s", name, got.status, got.body)
				}
				if op.result != "" && result != op.result {
					t.Errorf("%s:\n got %s\nwant %s", name, result, op.result)
				}
				request, call := f.last()
				if diff := cmp.Diff(op.want, request); diff != "" {
					t.Errorf("%s: request (-want +got):\n%s", name, diff)
				}
				if call.Binding != binding || call.Generation != a2a.Generation10 ||
					call.RequestID != got.header.Get("X-Request-Id") {
					t.Errorf("%s: call %+v", name, call)
				}
			}
			for _, base := range []string{"", "/"} {
				body := `{"jsonrpc":"2.0","id":7,"method":"` + op.method + `"`
				if op.params != "" {
					body += `,"params":` + op.params
				}
				got := do(t, ts, "POST", base, body+"}")
				if op.streams {
					got.body = dataOf(t, got.body)[0]
				}
				if !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":7,"result":`) {
					t.Fatalf("JSON-RPC: %s", got.body)
				}
				check("JSON-RPC", got, resultOf(t, got), a2a.BindingJSONRPC)
			}
			got := do(t, ts, op.verb, op.path, op.body)
			if op.streams {
				got.body = dataOf(t, got.body)[0]
			}
			check("HTTP+JSON", got, compact(t, []byte(got.body)), a2a.BindingHTTPJSON)

			got = do(t, ts, op.verb, "/acme"+op.path, op.body)
			if _, call := f.last(); got.status != http.StatusOK || call.Tenant != "acme" {
				t.Errorf("with a tenant: status %d, tenant %q", got.status, call.Tenant)
			}
		})
	}
}

// dataOf returns the data of each event of a stream.
func dataOf(t *testing.T, stream string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, strings.TrimSuffix(data, "\n"))
		}
	}
	if len(all) == 0 {
		t.Fatalf("no event: %q", stream)
	}
	return all
}

// Each kind of error that a service returns looks in each binding as the table says, and its cause stays here.
func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for _, row := range wire.Table {
		t.Run(row.Reason, func(t *testing.T) {
			t.Parallel()
			f := &fake{err: fmt.Errorf("deep inside: %w",
				&a2a.Error{Kind: row.Kind, Message: "for you", Cause: errors.New("secret"),
					RetryAfter: 1500 * time.Millisecond})}
			ts := serve(t, f, nil)
			for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
				got := rpc(t, ts, method, `{"message":`+hello+`}`)
				want := failure{code: row.Code10, message: "for you", reason: row.Reason}
				if diff := cmp.Diff(want, failureOf(t, got.body), cmp.AllowUnexported(failure{})); diff != "" {
					t.Errorf("JSON-RPC (-want +got):\n%s", diff)
				}
				if got.status != row.JSONRPCStatus() || !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":7,`) {
					t.Errorf("JSON-RPC: %d %s", got.status, got.body)
				}
				checkErrorHeader(t, got)
			}
			for _, path := range []string{"/message:send", "/message:stream"} {
				got := do(t, ts, "POST", path, `{"message":`+hello+`}`)
				want := failure{code: row.HTTP, message: "for you", reason: row.Reason}
				if diff := cmp.Diff(want, failureOf(t, got.body), cmp.AllowUnexported(failure{})); diff != "" {
					t.Errorf("HTTP+JSON (-want +got):\n%s", diff)
				}
				if got.status != row.HTTP || !strings.Contains(got.body, `"status":"`+row.GRPC+`"`) {
					t.Errorf("HTTP+JSON: %d %s", got.status, got.body)
				}
				checkErrorHeader(t, got)
			}
		})
	}
}

// The option for 1.0.0 gives its HTTP statuses and gRPC codes; the numbers of JSON-RPC are the same. 0.3 has its own.
func TestErrorKindsOfOtherVersions(t *testing.T) {
	t.Parallel()
	f := &fake{}
	ts := serve(t, f, func(o *server.Options) {
		o.Codes100 = true
		o.Generations = []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01}
	})
	send03 := `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}`
	for _, row := range wire.Table {
		f.err = &a2a.Error{Kind: row.Kind, Message: "for you"}
		if got := do(t, ts, "POST", "/message:send", `{"message":`+hello+`}`); got.status != row.HTTP100 ||
			!strings.Contains(got.body, `"status":"`+row.GRPC100+`"`) {
			t.Errorf("%s in 1.0.0: %d %s", row.Reason, got.status, got.body)
		}
		if got := do(t, ts, "POST", "/v1/message:send", send03, "A2A-Version:"); got.status != row.HTTP03 ||
			!strings.Contains(got.body, "for you") {
			t.Errorf("%s in 0.3: %d %s", row.Reason, got.status, got.body)
		}
		for version, code := range map[string]int{"0.1": row.Code01, "0.3": row.Code03, "1.0": row.Code10} {
			method := map[string]string{"0.1": "tasks/get", "0.3": "tasks/get", "1.0": "GetTask"}[version]
			got := do(t, ts, "POST", "/", `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"id":"t1"}}`,
				"A2A-Version: "+version)
			if got.status != row.JSONRPCStatus() ||
				!strings.Contains(got.body, fmt.Sprintf(`"code":%d,"message":"for you"`, code)) {
				t.Errorf("%s in %s: %d %s", row.Reason, version, got.status, got.body)
			}
		}
	}
	for code, metadata := range map[int]map[string]string{-32004: nil,
		-32009: {a2a.MetadataTaskState: "TASK_STATE_COMPLETED"}} {
		f.err = &a2a.Error{Kind: a2a.ErrUnsupportedOperation, Metadata: metadata}
		got := do(t, ts, "POST", "/",
			`{"jsonrpc":"2.0","id":7,"method":"tasks/send","params":{"id":"t9","message":{"role":"user",`+
				`"parts":[{"type":"text","text":"hi"}]}}}`, "A2A-Version: 0.1")
		if !strings.Contains(got.body, fmt.Sprintf(`"code":%d`, code)) {
			t.Errorf("want %d in 0.1: %s", code, got.body)
		}
	}
}

func checkErrorHeader(t *testing.T, got reply) {
	t.Helper()
	if strings.Contains(got.body, "secret") || strings.Contains(got.body, "deep inside") {
		t.Errorf("the cause got out: %s", got.body)
	}
	if got.header.Get("Retry-After") != "2" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v", got.header)
	}
}

// An error other than *a2a.Error, and a panic, is an internal error that reveals nothing of the cause.
func TestUnknownErrorsAndPanics(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*fake{
		"error": {err: errors.New("secret")},
		"panic": {onCall: func(context.Context) { panic("secret") }},
	} {
		ts := serve(t, f, nil)
		for _, got := range []reply{
			rpc(t, ts, "SendMessage", `{"message":`+hello+`}`),
			do(t, ts, "POST", "/message:send", `{"message":`+hello+`}`),
			rpc(t, ts, "SendStreamingMessage", `{"message":`+hello+`}`),
			do(t, ts, "POST", "/message:stream", `{"message":`+hello+`}`),
		} {
			if fail := failureOf(t, got.body); fail.reason != "INTERNAL_ERROR" || fail.message != "internal error" ||
				strings.Contains(got.body, "secret") {
				t.Errorf("%s: %s", name, got.body)
			}
		}
	}
}

// badInputs are requests that must fail before the service is called, over both bindings alike.
var badInputs = []struct {
	name   string
	params string // of SendMessage, or the body of POST /message:send
	kind   a2a.Kind
	field  string // a violation that must be there
	text   string // what the message must say
}{
	{name: "malformed JSON", params: `{"message":`, kind: a2a.ErrParse},
	{name: "not JSON", params: `hello`, kind: a2a.ErrParse},
	{name: "trailing garbage", params: `{"message":` + hello + `}]`, kind: a2a.ErrParse},
	{name: "duplicate keys", params: `{"message":` + hello + `,"message":` + hello + `}`, kind: a2a.ErrParse,
		text: "message"},
	{name: "duplicate keys deep inside",
		params: `{"message":{"messageId":"a","messageId":"b","role":"ROLE_USER","parts":[{"text":"x"}]}}`,
		kind:   a2a.ErrParse, text: "messageId"},
	{name: "bad UTF-8", params: "{\"message\":{\"messageId\":\"\xff\"}}", kind: a2a.ErrParse},
	{name: "no message", params: `{}`, kind: a2a.ErrInvalidParams, field: "message"},
	{name: "missing parts", params: `{"message":{"messageId":"m1","role":"ROLE_USER"}}`, kind: a2a.ErrInvalidParams,
		field: "message.parts"},
	{name: "empty parts", params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[]}}`,
		kind: a2a.ErrInvalidParams, field: "message.parts"},
	{name: "two contents in a part",
		params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"a","url":"b"}]}}`,
		kind:   a2a.ErrInvalidParams, field: "message.parts[0]"},
	{name: "no content in a part",
		params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"a"},{}]}}`,
		kind:   a2a.ErrInvalidParams, field: "message.parts[1]"},
	{name: "unknown role", params: `{"message":{"messageId":"m1","role":"ROLE_KING","parts":[{"text":"a"}]}}`,
		kind: a2a.ErrInvalidParams, field: "message.role"},
	{name: "missing role", params: `{"message":{"messageId":"m1","parts":[{"text":"a"}]}}`, kind: a2a.ErrInvalidParams,
		field: "message.role"},
	{name: "missing message id", params: `{"message":{"role":"ROLE_USER","parts":[{"text":"a"}]}}`,
		kind: a2a.ErrInvalidParams, field: "message.messageId"},
	{name: "wrong type", params: `{"message":{"messageId":7,"role":"ROLE_USER","parts":[{"text":"a"}]}}`,
		kind: a2a.ErrInvalidParams, field: "message.messageId"},
	{name: "bad base64", params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"raw":"*"}]}}`,
		kind: a2a.ErrInvalidParams, field: "message.parts[0].raw"},
	{name: "negative history", params: `{"message":` + hello + `,"configuration":{"historyLength":-1}}`,
		kind: a2a.ErrInvalidParams, field: "configuration.historyLength"},
	{name: "10,000 parts", params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[` +
		strings.Repeat(`{"text":"a"},`, 9999) + `{"text":"a"}]}}`, kind: a2a.ErrInvalidParams, field: "message.parts",
		text: "1000"},
	{name: "deep nesting", params: `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"data":` +
		strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}]}}`, kind: a2a.ErrTooLarge, text: "100 levels"},
	{name: "very deep nesting", params: `{"message":` + strings.Repeat(`{"a":`, 100_000), kind: a2a.ErrTooLarge,
		text: "100 levels"},
	{name: "over 8 MiB", params: `{"message":{"messageId":"` + strings.Repeat("x", 9<<20) + `"}}`,
		kind: a2a.ErrTooLarge, text: "8388608 bytes"},
	{name: "reserved tenant", params: `{"tenant":"tasks","message":` + hello + `}`, kind: a2a.ErrInvalidParams,
		field: "tenant"},
}

func TestBadInputs(t *testing.T) {
	t.Parallel()
	f := &fake{onCall: func(context.Context) { t.Error("the service was called") }}
	ts := serve(t, f, nil)
	for _, bad := range badInputs {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			row := wire.RowOf(bad.kind)
			check := func(got reply, code, status int) {
				t.Helper()
				fail := failureOf(t, got.body)
				if got.status != status || fail.code != code || fail.reason != row.Reason {
					t.Errorf("status %d, %+v; want %d, %d %s", got.status, fail, status, code, row.Reason)
				}
				if bad.field != "" && !slices.Contains(fail.fields, bad.field) {
					t.Errorf("violations of %q, want one of %q: %s", fail.fields, bad.field, fail.message)
				}
				if !strings.Contains(fail.message, bad.text) {
					t.Errorf("message %q does not say %q", fail.message, bad.text)
				}
			}
			for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
				check(rpc(t, ts, method, bad.params), row.Code10, row.JSONRPCStatus())
			}
			for _, path := range []string{"/message:send", "/message:stream"} {
				check(do(t, ts, "POST", path, bad.params), row.HTTP, row.HTTP)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, nil)
	for contentType, ok := range map[string][2]bool{ // JSON-RPC, HTTP+JSON
		"application/json":                {true, true},
		"application/json; charset=utf-8": {true, true},
		"APPLICATION/JSON":                {true, true},
		"application/a2a+json":            {false, true},
		"text/plain":                      {false, false},
		"application/json-patch+json":     {false, false},
		"":                                {false, false},
	} {
		header := "Content-Type:" + contentType
		if got := rpc(t, ts, "SendMessage", `{"message":`+hello+`}`, header); (got.status == 200) != ok[0] ||
			!ok[0] && (got.status != 415 || failureOf(t, got.body).code != -32005) {
			t.Errorf("JSON-RPC %q: %d %s", contentType, got.status, got.body)
		}
		if got := do(t, ts, "POST", "/message:send", `{"message":`+hello+`}`, header); (got.status == 200) != ok[1] ||
			!ok[1] && got.status != 415 {
			t.Errorf("HTTP+JSON %q: %d %s", contentType, got.status, got.body)
		}
	}
}

func TestAnswerMediaType(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, nil)
	for _, test := range []struct{ header, want string }{
		{"Accept: */*", "application/json"},
		{"Accept: application/a2a+json", "application/a2a+json"},
		{"Accept: text/event-stream, application/a2a+json;q=0.9", "application/a2a+json"},
		{"Content-Type: application/a2a+json", "application/a2a+json"},
		{"Accept: application/json", "application/json"},
	} {
		if got := do(t, ts, "POST", "/message:send", `{"message":`+hello+`}`,
			test.header); got.header.Get("Content-Type") != test.want {
			t.Errorf("%s: answered as %s", test.header, got.header.Get("Content-Type"))
		}
		if got := do(t, ts, "POST", "/message:send", `{}`, test.header); got.status != 400 ||
			got.header.Get("Content-Type") != test.want {
			t.Errorf("%s: error %d as %s", test.header, got.status, got.header.Get("Content-Type"))
		}
	}
}

// JSON-RPC itself: what the envelope may be and what comes back in id.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{caps: can()}, asAlice)
	for _, test := range []struct {
		name, body string
		id         string
		code       int // 0 means a result
	}{
		{"string id", `{"jsonrpc":"2.0","id":"a\u0062\/","method":"GetTask","params":{"id":"t1"}}`, `"a\u0062\/"`, 0},
		{"large number", `{"jsonrpc":"2.0","id":12345678901234567890.10e1,"method":"GetTask","params":{"id":"t1"}}`,
			`12345678901234567890.10e1`, 0},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"t1"}}`, `null`, 0},
		{"no id", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t1"}}`, `null`, 0},
		{"params first", `{"params":{"id":"t1"},"method":"GetTask","id":1,"jsonrpc":"2.0"}`, `1`, 0},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"extra":[1],"method":"GetTask","params":{"id":"t1"}}`, `1`, 0},
		{"no params where none are needed", `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}`, `1`, 0},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":null}`, `1`, 0},
		{"no params where some are", `{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, `1`, -32602},
		{"positional params", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["t1"]}`, `1`, -32602},
		{"params of no kind", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"t1"}`, `1`, -32602},
		{"id behind bad params", `{"jsonrpc":"2.0","method":"GetTask","params":{"id":{}},"id":"x"}`, `"x"`, -32602},
		{"bool id", `{"jsonrpc":"2.0","id":true,"method":"GetTask"}`, `null`, -32600},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, `null`, -32600},
		{"long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2000) + `","method":"GetTask"}`, `null`, -32600},
		{"no version", `{"id":1,"method":"GetTask","params":{"id":"t1"}}`, `1`, -32600},
		{"old version", `{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{"id":"t1"}}`, `1`, -32600},
		{"version is a number", `{"jsonrpc":2.0,"id":1,"method":"GetTask","params":{"id":"t1"}}`, `1`, -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `1`, -32600},
		{"method of no kind", `{"jsonrpc":"2.0","id":1,"method":7}`, `1`, -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}`, `1`, -32601},
		{"other case", `{"jsonrpc":"2.0","id":1,"method":"getTask","params":{"id":"t1"}}`, `1`, -32601},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}]`, `null`, -32600},
		{"empty batch", `[]`, `null`, -32600},
		{"a string", `"x"`, `null`, -32600},
		{"duplicate id", `{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}`, `null`, -32700},
		{"cut", `{"jsonrpc":"2.0","id":1`, `null`, -32700},
		{"broken batch", `[1,`, `null`, -32700},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}} {}`, `null`, -32700},
	} {
		got := do(t, ts, "POST", "/", test.body)
		if !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":`+test.id+`,`) || got.status != 200 {
			t.Errorf("%s: %d %s", test.name, got.status, got.body)
		}
		switch {
		case test.code == 0:
			resultOf(t, got)
		case failureOf(t, got.body).code != test.code:
			t.Errorf("%s: %s, want %d", test.name, got.body, test.code)
		}
	}
	if got := do(t, ts, "POST", "/", "", "Content-Type: application/json"); failureOf(t, got.body).code != -32700 {
		t.Errorf("empty body: %s", got.body)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	f := &fake{caps: can()}
	ts := serve(t, f, nil)
	for _, test := range []struct {
		verb, path string
		status     int
		allow      string
	}{
		{"GET", "/nowhere", 404, ""},
		{"GET", "/tasks/", 404, ""},
		{"GET", "/tasks/a/b", 404, ""},
		{"GET", "/tasks/a/pushNotificationConfigs/b/c", 404, ""},
		{"GET", "/v1/tasks", 404, ""},
		{"GET", "/agents/tasks", 404, ""},
		{"GET", "/a/b/tasks", 404, ""},
		{"GET", "/.well-known/agent.json", 404, ""},
		{"GET", "//tasks", 404, ""},
		{"GET", "/message:send", 405, "POST"},
		{"POST", "/tasks", 405, "GET"},
		{"DELETE", "/tasks/a", 405, "GET"},
		{"GET", "/tasks/a:cancel", 405, "POST"},
		{"PUT", "/tasks/a:subscribe", 405, "GET, POST"},
		{"PUT", "/tasks/a/pushNotificationConfigs", 405, "GET, POST"},
		{"POST", "/tasks/a/pushNotificationConfigs/b", 405, "DELETE, GET"},
		{"POST", "/extendedAgentCard", 405, "GET"},
		{"PUT", "/", 405, "GET, HEAD, POST"},
		{"POST", "/healthz", 405, "GET, HEAD"},
	} {
		got := do(t, ts, test.verb, test.path, "")
		if got.status != test.status || got.header.Get("Allow") != test.allow {
			t.Errorf("%s %s: %d, Allow %q", test.verb, test.path, got.status, got.header.Get("Allow"))
		}
		if fail := failureOf(t, got.body); fail.code != test.status || fail.reason != "METHOD_NOT_FOUND" {
			t.Errorf("%s %s: %s", test.verb, test.path, got.body)
		}
		if test.status == 404 && !strings.Contains(got.body, cardPath) {
			t.Errorf("%s %s does not say where the endpoints are: %s", test.verb, test.path, got.body)
		}
	}
}

// The path, the query and the body have to agree, and every parameter has to make sense.
func TestParameters(t *testing.T) {
	t.Parallel()
	f := &fake{caps: can()}
	ts := serve(t, f, nil)
	for _, test := range []struct {
		verb, path, body string
		field            string // "" means that the request is fine
	}{
		{"POST", "/acme/message:send", `{"tenant":"acme","message":` + hello + `}`, ""},
		{"POST", "/acme/message:send", `{"tenant":"other","message":` + hello + `}`, "tenant"},
		{"GET", "/acme/tasks?tenant=acme", "", ""},
		{"GET", "/acme/tasks?tenant=other", "", "tenant"},
		{"GET", "/tasks?tenant=tasks", "", "tenant"},
		{"POST", "/tasks/a:cancel", `{"id":"a"}`, ""},
		{"POST", "/tasks/a:cancel", `{"id":"b"}`, "id"},
		{"POST", "/tasks/a:subscribe", `{"id":"b"}`, "id"},
		{"POST", "/tasks/a/pushNotificationConfigs", `{"taskId":"b","url":"https://example.com"}`, "taskId"},
		{"GET", "/tasks/a?historyLength=-1", "", "historyLength"},
		{"GET", "/tasks/a?historyLength=x", "", "historyLength"},
		{"GET", "/tasks/a?historyLength=1&historyLength=2", "", "historyLength"},
		{"GET", "/tasks/a?historyLength=99999999999", "", "historyLength"},
		{"GET", "/tasks/a?historyLength=", "", ""},
		{"GET", "/tasks/a?unknown=1", "", ""},
		{"GET", "/tasks?status=TASK_STATE_DREAMING", "", "status"},
		{"GET", "/tasks?status=working", "", "status"},
		{"GET", "/tasks?pageSize=0", "", "pageSize"},
		{"GET", "/tasks?pageSize=101", "", "pageSize"},
		{"GET", "/tasks?pageSize=1.5", "", "pageSize"},
		{"GET", "/tasks?pageSize=-1", "", "pageSize"},
		{"GET", "/tasks?includeArtifacts=yes", "", "includeArtifacts"},
		{"GET", "/tasks?statusTimestampAfter=yesterday", "", "statusTimestampAfter"},
		{"GET", "/tasks?contextId=a&contextId=b", "", "contextId"},
		{"GET", "/tasks/a/pushNotificationConfigs?pageSize=-5", "", "pageSize"},
	} {
		got := do(t, ts, test.verb, test.path, test.body)
		if test.field == "" {
			if got.status != 200 {
				t.Errorf("%s %s %s: %d %s", test.verb, test.path, test.body, got.status, got.body)
			}
			continue
		}
		fail := failureOf(t, got.body)
		if got.status != 400 || fail.reason != "INVALID_PARAMS" || !slices.Contains(fail.fields, test.field) {
			t.Errorf("%s %s %s: %d %s", test.verb, test.path, test.body, got.status, got.body)
		}
	}
	if got := do(t, ts, "GET", "/tasks?a=%zz", ""); got.status != 400 {
		t.Errorf("malformed query: %d %s", got.status, got.body)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	strict := serve(t, &fake{}, nil)
	lenient := serve(t, &fake{}, func(o *server.Options) { o.AcceptUnversioned = true })
	const none = "A2A-Version:"
	for _, test := range []struct {
		name       string
		header     []string
		query      string
		ok, unread bool // in the strict and in the lenient server
	}{
		{"1.0", []string{"A2A-Version: 1.0"}, "", true, true},
		{"other case", []string{none, "a2a-version: 1.0"}, "", true, true},
		{"patch is ignored", []string{"A2A-Version: 1.0.7"}, "", true, true},
		{"query", []string{none}, "?A2A-Version=1.0", true, true},
		{"query in other case", []string{none}, "?a2a-version=1.0", true, true},
		{"header before query", []string{"A2A-Version: 1.0"}, "?A2A-Version=0.3", true, true},
		{"equal twice", []string{"A2A-Version: 1.0", "A2A-Version: 1.0"}, "", true, true},
		{"equal in a list", []string{"A2A-Version: 1.0 , 1.0"}, "", true, true},
		{"different", []string{"A2A-Version: 1.0", "A2A-Version: 0.3"}, "", false, false},
		{"different in the query", []string{none}, "?A2A-Version=1.0&A2A-Version=0.3", false, false},
		{"none", []string{none}, "", false, true},
		{"empty in the query", []string{none}, "?A2A-Version=", false, true},
		{"0.3", []string{"A2A-Version: 0.3"}, "", false, false},
		{"2.0", []string{"A2A-Version: 2.0"}, "", false, false},
		{"1.1", []string{"A2A-Version: 1.1"}, "", false, false},
		{"1", []string{"A2A-Version: 1"}, "", false, false},
		{"v1.0", []string{"A2A-Version: v1.0"}, "", false, false},
		{"1.0.x", []string{"A2A-Version: 1.0.x"}, "", false, false},
	} {
		for server, ok := range map[string]bool{"strict": test.ok, "lenient": test.unread} {
			ts := strict
			if server == "lenient" {
				ts = lenient
			}
			body := `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t1"}}`
			got := do(t, ts, "POST", "/"+test.query, body, test.header...)
			if ok {
				resultOf(t, got)
			} else if fail := failureOf(t, got.body); fail.code != -32009 ||
				!strings.Contains(fail.message, "A2A-Version: 1.0") || got.status != 200 {
				t.Errorf("%s, %s, JSON-RPC: %d %s", test.name, server, got.status, got.body)
			}
			got = do(t, ts, "GET", "/tasks/t1"+test.query, "", test.header...)
			if ok != (got.status == 200) || !ok && failureOf(t, got.body).reason != "VERSION_NOT_SUPPORTED" {
				t.Errorf("%s, %s, HTTP+JSON: %d %s", test.name, server, got.status, got.body)
			}
		}
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	withExtensions := func(required bool) func(*server.Options) {
		return func(o *server.Options) {
			o.Card.Capabilities.Extensions = []a2a.AgentExtension{{URI: "urn:a", Required: required}, {URI: "urn:b"}}
		}
	}
	f := &fake{}
	ts := serve(t, f, withExtensions(false))
	for _, test := range []struct {
		header []string
		query  string
		active []string
	}{
		{nil, "", nil},
		{[]string{"A2A-Extensions: urn:a"}, "", []string{"urn:a"}},
		{[]string{"A2A-Extensions: urn:b, urn:a,urn:unknown"}, "", []string{"urn:a", "urn:b"}},
		{[]string{"A2A-Extensions: urn:b", "a2a-extensions: urn:a"}, "", []string{"urn:a", "urn:b"}},
		{nil, "?A2A-Extensions=urn:a,urn:b", []string{"urn:a", "urn:b"}},
		{[]string{"A2A-Extensions: " + server.ReplayExtension}, "", []string{server.ReplayExtension}},
	} {
		got := do(t, ts, "GET", "/tasks/t1"+test.query, "", test.header...)
		_, call := f.last()
		if !slices.Equal(call.Extensions, test.active) ||
			got.header.Get("A2A-Extensions") != strings.Join(test.active, ", ") {
			t.Errorf("%v %s: active %v, answered %q", test.header, test.query, call.Extensions,
				got.header.Get("A2A-Extensions"))
		}
	}

	ts = serve(t, f, withExtensions(true))
	for _, got := range []reply{rpc(t, ts, "GetTask", `{"id":"t1"}`),
		do(t, ts, "GET", "/tasks/t1", "", "A2A-Extensions: urn:b")} {
		if fail := failureOf(t, got.body); fail.reason != "EXTENSION_SUPPORT_REQUIRED" ||
			!strings.Contains(fail.message, "A2A-Extensions: urn:a") {
			t.Errorf("required and missing: %s", got.body)
		}
	}
	if got := do(t, ts, "GET", "/tasks/t1", "", "A2A-Extensions: urn:a"); got.status != 200 {
		t.Errorf("required and there: %d %s", got.status, got.body)
	}
}

func TestMissingCapabilities(t *testing.T) {
	t.Parallel()
	no := false
	ts := serve(t, &fake{caps: a2a.AgentCapabilities{Streaming: &no}}, nil)
	for _, op := range operations {
		var reason string
		switch {
		case op.streams, op.method == "GetExtendedAgentCard":
			reason = "UNSUPPORTED_OPERATION"
		case strings.Contains(op.method, "PushNotification"):
			reason = "PUSH_NOTIFICATION_NOT_SUPPORTED"
		default:
			continue
		}
		for _, got := range []reply{rpc(t, ts, op.method, op.params), do(t, ts, op.verb, op.path, op.body)} {
			if fail := failureOf(t, got.body); fail.reason != reason {
				t.Errorf("%s: %s, want %s", op.method, got.body, reason)
			}
		}
	}
	const params = `{"message":` + hello +
		`,"configuration":{"taskPushNotificationConfig":{"url":"https://example.com"}}}`
	if got := rpc(t, ts, "SendMessage", params); failureOf(t, got.body).code != -32003 {
		t.Errorf("send with a push config: %s", got.body)
	}
}

// The extended card is for authenticated callers: it is not there when nobody can be one, and refused to those who are
// not.
func TestExtendedCardNeedsAuthentication(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{caps: can()}, nil)
	if got := do(t, ts, "GET", "/extendedAgentCard", ""); failureOf(t, got.body).reason != "UNSUPPORTED_OPERATION" {
		t.Errorf("without an authenticator: %d %s", got.status, got.body)
	}
	ts = serve(t, &fake{caps: can()}, func(o *server.Options) {
		o.Authenticator = auth.AuthenticatorFunc(
			func(*http.Request) (a2a.Identity, error) { return a2a.Identity{}, nil })
	})
	for _, got := range []reply{do(t, ts, "GET", "/extendedAgentCard", ""), rpc(t, ts, "GetExtendedAgentCard", "")} {
		if got.status != 401 || got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("anonymous: %d %s", got.status, got.body)
		}
	}
	ts = serve(t, &fake{caps: can(), err: a2a.ErrExtendedCardNotConfigured}, asAlice)
	if got := rpc(t, ts, "GetExtendedAgentCard", ""); failureOf(t, got.body).code != -32007 {
		t.Errorf("declared but missing: %s", got.body)
	}
}

// A caller who is refused before anything of the request is read gets the number of the version that the request names.
func TestUnauthenticatedCallerOf01(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Generations = []a2a.Generation{a2a.Generation10, a2a.Generation01}
		o.Authenticator = auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) {
			return a2a.Identity{}, a2a.ErrUnauthenticated
		})
	})
	for version, want := range map[string]string{"0.1": `"code":-32007`, "1.0": `"code":-31401`} {
		got := do(t, ts, "POST", "/", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"t1"}}`,
			"A2A-Version: "+version)
		if got.status != 401 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %s", version, got.status, got.body)
		}
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	f := &fake{caps: can()}
	ts := serve(t, f, func(o *server.Options) {
		o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{
			"a": &a2a.HTTPAuthScheme{Scheme: "Bearer"}, "b": &a2a.APIKeyScheme{Location: "header", Name: "X-Key"},
		}
		o.Authenticator = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer good":
				return a2a.Identity{Subject: "alice"}, nil
			case "Bearer weak":
				return a2a.Identity{}, a2a.NewError(a2a.ErrPermissionDenied, "scope a2a is missing")
			}
			return a2a.Identity{}, a2a.ErrUnauthenticated
		})
	})
	get := func(header ...string) []reply {
		return []reply{rpc(t, ts, "GetTask", `{"id":"t1"}`, header...), do(t, ts, "GET", "/tasks/t1", "", header...),
			do(t, ts, "GET", "/nowhere", "", header...)}
	}
	for _, got := range get() {
		if got.status != 401 || failureOf(t, got.body).reason != "UNAUTHENTICATED" {
			t.Errorf("nobody: %d %s", got.status, got.body)
		}
		want := []string{`Bearer realm="Test agent"`, `ApiKey realm="Test agent", in="header", name="X-Key"`}
		if diff := cmp.Diff(want, got.header.Values("WWW-Authenticate")); diff != "" {
			t.Errorf("challenges (-want +got):\n%s", diff)
		}
	}
	for _, got := range get("Authorization: Bearer weak") {
		if got.status != 403 || failureOf(t, got.body).reason != "PERMISSION_DENIED" ||
			got.header.Get("WWW-Authenticate") != "" {
			t.Errorf("weak: %d %s", got.status, got.body)
		}
	}
	if got := get("Authorization: Bearer good")[0]; got.status != 200 {
		t.Errorf("good: %d %s", got.status, got.body)
	}
	if _, call := f.last(); call.Identity.Subject != "alice" {
		t.Errorf("identity %+v", call.Identity)
	}
	if got := do(t, ts, "GET", "/.well-known/agent-card.json", ""); got.status != 200 {
		t.Errorf("the card is public, but: %d", got.status)
	}
}

// Clients of Agno send JSON-RPC to the paths at which HTTP+JSON of 0.3 takes messages, and read answers of JSON-RPC
// there.
func TestEnvelopeAtAPathOfOldVersions(t *testing.T) {
	t.Parallel()
	const message = `"params":{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}`
	f := &fake{}
	all := func(o *server.Options) { o.Generations = nil }
	ts := serve(t, f, all)
	got := do(t, ts, "POST", "/v1/message:send", `{"jsonrpc":"2.0","id":"7","method":"message/send",`+message+`}`,
		"A2A-Version:")
	if !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":"7","result":{"kind":"task"`) {
		t.Errorf("send: %d %s", got.status, got.body)
	}
	request, call := f.last()
	if sent, ok := request.(*a2a.SendMessageRequest); !ok || sent.Message.Text() != "hi" ||
		call.Binding != a2a.BindingJSONRPC {
		t.Errorf("the service got %+v in %+v", request, call)
	}
	got = do(t, ts, "POST", "/v1/message:stream", `{"id":"7","method":"message/stream",`+message+`,"jsonrpc":"2.0"}`,
		"A2A-Version:")
	if !strings.Contains(got.body, `data: {"jsonrpc":"2.0","id":"7","result":{"kind":"task"`) {
		t.Errorf("stream: %d %s", got.status, got.body)
	}
	got = do(t, ts, "POST", "/v1/message:send", `{"jsonrpc":"2.0","id":"7","method":"nothing"}`, "A2A-Version:")
	if !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":"7","error":{"code":-32601`) {
		t.Errorf("an unknown method: %d %s", got.status, got.body)
	}
	restOnly := serve(t, f, func(o *server.Options) { all(o); o.Bindings = []string{a2a.BindingHTTPJSON} })
	if got := do(t, restOnly, "POST", "/v1/message:send", `{"jsonrpc":"2.0","id":"7","method":"message/send",`+message+
		`}`, "A2A-Version:"); got.status != 400 {
		t.Errorf("without JSON-RPC: %d %s", got.status, got.body)
	}
}
