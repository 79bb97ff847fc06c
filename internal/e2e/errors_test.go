// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wireErrors is the table of A2A 1.0 §5.4, with §3.3.2 for what has no error of its own there.
var wireErrors = map[string]struct {
	code      int    // JSON-RPC
	rpcStatus int    // HTTP status of the JSON-RPC answer
	http      int    // HTTP status of HTTP+JSON
	grpc      string // error.status of HTTP+JSON
}{
	"TASK_NOT_FOUND":                  {-32001, 200, 404, "NOT_FOUND"},
	"TASK_NOT_CANCELABLE":             {-32002, 200, 400, "FAILED_PRECONDITION"},
	"PUSH_NOTIFICATION_NOT_SUPPORTED": {-32003, 200, 400, "FAILED_PRECONDITION"},
	"UNSUPPORTED_OPERATION":           {-32004, 200, 400, "FAILED_PRECONDITION"},
	"CONTENT_TYPE_NOT_SUPPORTED":      {-32005, 200, 400, "INVALID_ARGUMENT"},
	"EXTENSION_SUPPORT_REQUIRED":      {-32008, 200, 400, "FAILED_PRECONDITION"},
	"VERSION_NOT_SUPPORTED":           {-32009, 200, 400, "FAILED_PRECONDITION"},
	"PARSE_ERROR":                     {-32700, 200, 400, "INVALID_ARGUMENT"},
	"INVALID_PARAMS":                  {-32602, 200, 400, "INVALID_ARGUMENT"},
	"INTERNAL_ERROR":                  {-32603, 200, 500, "INTERNAL"},
	"UNAUTHENTICATED":                 {-31401, 401, 401, "UNAUTHENTICATED"},
	"PERMISSION_DENIED":               {-31403, 403, 403, "PERMISSION_DENIED"},
	"REQUEST_TOO_LARGE":               {-31413, 413, 413, "RESOURCE_EXHAUSTED"},
	"UNSUPPORTED_MEDIA_TYPE":          {-32005, 415, 415, "INVALID_ARGUMENT"},
	"RATE_LIMITED":                    {-31429, 429, 429, "RESOURCE_EXHAUSTED"},
	"UNAVAILABLE":                     {-31503, 503, 503, "UNAVAILABLE"},
}

// wantError checks that an answer is the error with this reason, in the form that the binding prescribes, that it
// names the field and that its text says what it must.
func (c *caller) wantError(t *testing.T, a answer, reason, field, text string) {
	t.Helper()
	if a.failure == nil {
		t.Fatalf("no error but %d %.300s; want %s", a.status, a.body, reason)
	}
	if status := c.wantFailure(t, a.failure, reason, field, text); a.status != status {
		t.Errorf("HTTP status %d, want %d: %.500s", a.status, status, a.body)
	}
}

// wantFailure checks an error object, and returns the HTTP status with which it should come.
func (c *caller) wantFailure(t *testing.T, failure map[string]any, reason, field, text string) (status int) {
	t.Helper()
	want, ok := wireErrors[reason]
	if !ok {
		t.Fatalf("the table has no %s", reason)
	}
	code, status, list := want.code, want.rpcStatus, "data"
	if c.binding.name == "HTTP+JSON" {
		code, status, list = want.http, want.http, "details"
		if failure["status"] != want.grpc {
			t.Errorf("status %v, want %s", failure["status"], want.grpc)
		}
	}
	if failure["code"] != float64(code) {
		t.Errorf("code %v, want %d: %.500v", failure["code"], code, failure)
	}
	said := at[string](t, failure, "message")
	if said == "" || !strings.Contains(said, text) {
		t.Errorf("the message %.300q does not say %q", said, text)
	}
	got, fields := readDetails(t, at[[]any](t, failure, list))
	if got != reason {
		t.Errorf("reason %s, want %s: %.500v", got, reason, failure)
	}
	if field != "" && !slices.Contains(fields, field) {
		t.Errorf("the error names the fields %q, not %q: %.300s", fields, field, said)
	}
	return status
}

// readDetails returns the reason of the ErrorInfo and the fields of the BadRequest. Every detail must have a type.
func readDetails(t *testing.T, details []any) (reason string, fields []string) {
	t.Helper()
	for i := range details {
		switch typ := at[string](t, details, i, "@type"); typ {
		case "type.googleapis.com/google.rpc.ErrorInfo":
			reason = at[string](t, details, i, "reason")
			if domain := at[string](t, details, i, "domain"); domain != "a2a-protocol.org" {
				t.Errorf("domain %q", domain)
			}
		case "type.googleapis.com/google.rpc.BadRequest":
			for _, v := range at[[]any](t, details, i, "fieldViolations") {
				fields = append(fields, at[string](t, v, "field"))
				if at[string](t, v, "description") == "" {
					t.Error("a violation without a description")
				}
			}
		case "":
			t.Error("a detail without @type")
		}
	}
	return reason, fields
}

func (c *caller) wantFails(t *testing.T, op, params, reason, field, text string, header ...string) {
	t.Helper()
	c.wantError(t, c.call(t, op, params, header...), reason, field, text)
}

const part = `{"text":"a"}`

// A badMessage is parameters of a send that must be refused.
type badMessage struct {
	name, params        string
	reason, field, text string
}

// badMessages makes them anew for each test: some are large.
func badMessages() []badMessage {
	return []badMessage{
		{"malformed JSON", `{"message":`, "PARSE_ERROR", "", "JSON"},
		{"not JSON", `hello`, "PARSE_ERROR", "", "JSON"},
		{"trailing garbage", message("a") + `]`, "PARSE_ERROR", "", "at byte"},
		{"a second value", message("a") + ` {}`, "PARSE_ERROR", "", "at byte"},
		{"duplicate keys", `{"message":{"messageId":"1","messageId":"2","role":"ROLE_USER","parts":[` + part + `]}}`,
			"PARSE_ERROR", "", "messageId"},
		{"both spellings of a key", `{"message":{"messageId":"1","message_id":"2","role":"ROLE_USER","parts":[` + part +
			`]}}`, "PARSE_ERROR", "", "message"},
		{"bad UTF-8", "{\"message\":{\"messageId\":\"\xff\"}}", "PARSE_ERROR", "", "UTF-8"},
		{"no message", `{}`, "INVALID_PARAMS", "message", ""},
		{"no parts", `{"message":{"messageId":"1","role":"ROLE_USER"}}`, "INVALID_PARAMS", "message.parts",
			"at least one"},
		{"empty parts", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[]}}`, "INVALID_PARAMS",
			"message.parts", "at least one"},
		{"an empty part", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{}]}}`, "INVALID_PARAMS",
			"message.parts[0]", "text, raw, url, data"},
		{"two contents in a part", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[` + part +
			`,{"text":"a","data":1}]}}`, "INVALID_PARAMS", "message.parts[1]", ""},
		{"unknown enum", `{"message":{"messageId":"1","role":"ROLE_KING","parts":[` + part + `]}}`, "INVALID_PARAMS",
			"message.role", "ROLE_USER"},
		{"unspecified enum", `{"message":{"messageId":"1","role":"ROLE_UNSPECIFIED","parts":[` + part + `]}}`,
			"INVALID_PARAMS", "message.role", "ROLE_USER"},
		{"no role", `{"message":{"messageId":"1","parts":[` + part + `]}}`, "INVALID_PARAMS", "message.role",
			"ROLE_USER"},
		{"no message id", `{"message":{"role":"ROLE_USER","parts":[` + part + `]}}`, "INVALID_PARAMS",
			"message.messageId", "required"},
		{"a number for a string", `{"message":{"messageId":1,"role":"ROLE_USER","parts":[` + part + `]}}`,
			"INVALID_PARAMS", "message.messageId", "string"},
		{"bad base64", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"raw":"*"}]}}`, "INVALID_PARAMS",
			"message.parts[0].raw", "base64"},
		{"a long id", `{"message":{"messageId":"` + strings.Repeat("x", 257) + `","role":"ROLE_USER","parts":[` + part +
			`]}}`, "INVALID_PARAMS", "message.messageId", "256"},
		{"a long context id", message("a", contextID(strings.Repeat("x", 257))), "INVALID_PARAMS", "message.contextId",
			"256"},
		{"negative historyLength", message("a", `!"configuration":{"historyLength":-1}`), "INVALID_PARAMS",
			"configuration.historyLength", "negative"},
		{"many faults", `{"message":{"parts":[]}}`, "INVALID_PARAMS", "message.parts", "message.role"},
		{"10,000 parts", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[` +
			strings.Repeat(part+",", 9999) + part + `]}}`, "INVALID_PARAMS", "message.parts", "1000"},
		{"deep nesting", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":` +
			strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}]}}`, "REQUEST_TOO_LARGE", "", "100 levels"},
		{"very deep nesting", `{"message":` + strings.Repeat(`{"a":`, 200_000), "REQUEST_TOO_LARGE", "", "100 levels"},
		{"a body over the limit", message(strings.Repeat("x", 8<<20)), "REQUEST_TOO_LARGE", "", "8388608 bytes"},
		{"an unknown task", message("a", taskID("nobody-has-it")), "TASK_NOT_FOUND", "", ""},
		{"a media type of the part that the agent does not take",
			`{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"raw":"AA==","mediaType":"video/mp4"}]}}`,
			"CONTENT_TYPE_NOT_SUPPORTED", "", "message.parts[0] is video/mp4"},
		{"a media type that the skill does not take", message("a", `"metadata":{"skillId":"look"}`),
			"CONTENT_TYPE_NOT_SUPPORTED", "", "image/png"},
		{"an unknown skill", message("a", `"metadata":{"skillId":"sing"}`), "INVALID_PARAMS",
			"message.metadata.skillId", "sing"},
		{"a push config", message("a",
			`!"configuration":{"taskPushNotificationConfig":{"url":"https://example.com/hook"}}`),
			"PUSH_NOTIFICATION_NOT_SUPPORTED", "", "configuration.taskPushNotificationConfig"},
		{"a reserved tenant", message("a", `!"tenant":"tasks"`), "INVALID_PARAMS", "tenant", "reserved"},
	}
}

func TestBadMessages(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, bad := range badMessages() {
			t.Run(bad.name, func(t *testing.T) {
				for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
					c.wantFails(t, op, bad.params, bad.reason, bad.field, bad.text)
				}
			})
		}
		if list := c.ok(t, "ListTasks", `{}`); list["totalSize"] != 0.0 {
			t.Errorf("what was refused left tasks behind: %v", list)
		}
	})
}

// The other operations refuse what makes no sense, too.
func TestBadParameters(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, bad := range []struct{ op, params, field, text string }{
			{"GetTask", `{"id":"a","historyLength":-1}`, "historyLength", ""},
			{"GetTask", `{"id":"a","historyLength":"x"}`, "historyLength", ""},
			{"GetTask", byID(strings.Repeat("x", 257)), "id", "256"},
			{"CancelTask", byID(strings.Repeat("x", 257)), "id", "256"},
			{"SubscribeToTask", byID(strings.Repeat("x", 257)), "id", "256"},
			{"ListTasks", `{"pageSize":0}`, "pageSize", "1 to 100"},
			{"ListTasks", `{"pageSize":101}`, "pageSize", "1 to 100"},
			{"ListTasks", `{"pageSize":-1}`, "pageSize", ""},
			{"ListTasks", `{"historyLength":-1}`, "historyLength", ""},
			{"ListTasks", `{"status":"TASK_STATE_DREAMING"}`, "status", "TASK_STATE_"},
			{"ListTasks", `{"statusTimestampAfter":"yesterday"}`, "statusTimestampAfter", ""},
			{"ListTasks", `{"includeArtifacts":"yes"}`, "includeArtifacts", "true"},
			{"ListTasks", `{"pageToken":"made up"}`, "pageToken", ""},
		} {
			c.wantFails(t, bad.op, bad.params, "INVALID_PARAMS", bad.field, bad.text)
		}
	})
}

// Parameters that an operation cannot do without. In HTTP+JSON most of them are parts of the path.
func TestRequiredParameters(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	for op, fields := range map[string][]string{
		"SendMessage": {"message"}, "SendStreamingMessage": {"message"},
		"GetTask": {"id"}, "CancelTask": {"id"}, "SubscribeToTask": {"id"},
	} {
		for _, field := range fields {
			c.wantFails(t, op, `{}`, "INVALID_PARAMS", field, "required")
			a := c.raw(t, "POST", "/", `{"jsonrpc":"2.0","id":"r-1","method":"`+op+`"}`)
			_, a.failure = c.result(t, a.body)
			c.wantError(t, a, "INVALID_PARAMS", field, "required")
		}
	}
}

func TestContentType(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, contentType := range []string{"", "text/plain", "application/xml", "multipart/form-data; boundary=x"} {
			for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
				c.wantFails(t, op, message("a"), "UNSUPPORTED_MEDIA_TYPE", "", "application/json",
					"Content-Type:"+contentType)
			}
		}
		c.ok(t, "SendMessage", message("a"), "Content-Type: application/json; charset=utf-8")
		if c.binding.name == "JSON-RPC" {
			return
		}
		method, path, body := c.request("SendMessage", message("a"))
		a := c.raw(t, method, path, body, "Content-Type: application/a2a+json")
		if a.status != 200 || a.header.Get("Content-Type") != "application/a2a+json" {
			t.Errorf("application/a2a+json: %d %s", a.status, a.header.Get("Content-Type"))
		}
	})
}

// Every operation of the standard refuses a caller who does not speak 1.0, before it looks at anything else.
func TestVersion(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, version := range []struct{ header, says string }{
			{"", "0.3"}, {"2.0", "2.0"}, {"1.1", "1.1"}, {"nonsense", "nonsense"},
		} {
			for _, op := range operations {
				a := c.call(t, op.name, op.params("nobody-has-it"), "A2A-Version:"+version.header)
				c.wantError(t, a, "VERSION_NOT_SUPPORTED", "", version.says)
			}
		}
		for _, good := range []string{"A2A-Version: 1.0", "a2a-version: 1.0", "A2A-Version: 1.0.1"} {
			c.ok(t, "SendMessage", message("a"), good)
		}
		method, path, body := c.request("SendMessage", message("a"))
		if a := c.raw(t, method, path+"?A2A-Version=1.0", body, "A2A-Version:"); a.status != 200 ||
			strings.Contains(a.body, `"error"`) {
			t.Errorf("the version as a query parameter: %d %s", a.status, a.body)
		}
	})
}

// A call that looks like 1.0 but names no version is 0.3 by the letter of the standard, and refused with the remedy.
func TestCallWithoutVersion(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		c.wantFails(t, "SendMessage", message("a"), "VERSION_NOT_SUPPORTED", "", "A2A-Version: 1.0", "A2A-Version:")
	})
}

func TestFinishedTasks(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		for text, state := range map[string]string{"echo a": "COMPLETED", "fail": "FAILED", "reject": "REJECTED",
			"": "CANCELED"} {
			var task map[string]any
			if text == "" {
				task = c.ok(t, "CancelTask", byID(idOf(t, c.send(t, "ask"))))
			} else {
				task = c.send(t, text)
			}
			wantState(t, task, state)
			id, says := idOf(t, task), strings.ToLower(state)
			for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
				c.wantFails(t, op, message("a", taskID(id)), "UNSUPPORTED_OPERATION", "", says)
			}
			c.wantFails(t, "SubscribeToTask", byID(id), "UNSUPPORTED_OPERATION", "", says)
			c.wantFails(t, "CancelTask", byID(id), "TASK_NOT_CANCELABLE", "", says)
		}
	})
}

func TestUnknownTasks(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, op := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
			c.wantFails(t, op, byID("nobody-has-it"), "TASK_NOT_FOUND", "", "")
		}
		for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
			c.wantFails(t, op, message("a", taskID("nobody-has-it")), "TASK_NOT_FOUND", "", "")
			c.wantFails(t, op, message("a", taskID("nobody-has-it"), contextID("nor-this")), "TASK_NOT_FOUND", "", "")
		}
	})
}

// Callers do not see the agent's internal errors, and temporary errors differ from permanent ones.
func TestAgentFailures(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for text, says := range map[string]string{"fail": "internal error", "panic": "internal error",
			"public": "the mill is closed"} {
			task := c.send(t, text)
			wantState(t, task, "FAILED")
			if said := textOf(at[map[string]any](t, task, "status", "message")); strings.Contains(fmt.Sprint(task),
				"secret") || !strings.Contains(said, says) {
				t.Errorf("%s: the caller reads %q", text, said)
			}
		}
	})
}

// While a turn runs sixteen messages may wait; the next one is told to come back, which is temporary.
func TestTemporaryFailure(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "hold a", immediately))
		for range 16 {
			c.send(t, "echo", taskID(id), immediately)
		}
		c.wantFails(t, "SendMessage", message("echo", taskID(id)), "RATE_LIMITED", "", "16")
	})
}
