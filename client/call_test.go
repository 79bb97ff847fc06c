// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// calls are all operations but the streams, each with what it needs and what is answered.
var calls = []struct {
	op, answer string
	reads      bool
	call       func(context.Context, *client.Client) error
}{
	{"SendMessage", taskEvent("COMPLETED"), false, func(ctx context.Context, c *client.Client) error {
		_, err := c.SendMessage(ctx, send("hi"))
		return err
	}},
	{"GetTask", task("WORKING"), true, func(ctx context.Context, c *client.Client) error {
		_, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t1"})
		return err
	}},
	{"ListTasks", `{"tasks":[` + task("WORKING") + `],"nextPageToken":"n","pageSize":50,"totalSize":1}`, true,
		func(ctx context.Context, c *client.Client) error {
			r, err := c.ListTasks(ctx, &a2a.ListTasksRequest{})
			if err == nil && (len(r.Tasks) != 1 || r.NextPageToken != "n") {
				return fmt.Errorf("page %+v", r)
			}
			return err
		}},
	{"CancelTask", task("CANCELED"), false, func(ctx context.Context, c *client.Client) error {
		_, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: "t1"})
		return err
	}},
	{"CreateTaskPushNotificationConfig", `{"id":"p1","taskId":"t1","url":"https://hook.example"}`, false,
		func(ctx context.Context, c *client.Client) error {
			_, err := c.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: "t1", URL: "https://hook.example"})
			return err
		}},
	{"GetTaskPushNotificationConfig", `{"id":"p1","taskId":"t1","url":"https://hook.example"}`, true,
		func(ctx context.Context, c *client.Client) error {
			_, err := c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: "t1", ID: "p1"})
			return err
		}},
	{"ListTaskPushNotificationConfigs", `{"configs":[{"id":"p1","taskId":"t1","url":"https://hook.example"}]}`, true,
		func(ctx context.Context, c *client.Client) error {
			r, err := c.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: "t1", PageSize: 7, PageToken: "x"})
			if err == nil && len(r.Configs) != 1 {
				return fmt.Errorf("page %+v", r)
			}
			return err
		}},
	{"DeleteTaskPushNotificationConfig", `{}`, false, func(ctx context.Context, c *client.Client) error {
		return c.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: "t1", ID: "p1"})
	}},
	{"GetExtendedAgentCard", cardText(all, iface("https://clock.example", "JSONRPC", "")), true,
		func(ctx context.Context, c *client.Client) error {
			_, err := c.ExtendedCard(ctx, &a2a.ExtendedCardRequest{})
			return err
		}},
}

// Every request of every operation has the version and the tenant of its interface (A2A 1.0 §3.6.1, §8.3.2).
func TestEveryCallCarriesVersionAndTenant(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		for _, tenant := range []string{"", "acme", "a/b c"} {
			for _, op := range calls {
				p := newPeer(t, binding, func(x *exchange) { x.result(op.answer) })
				rest := ""
				if tenant != "" {
					rest = fmt.Sprintf(`,"tenant":%q`, tenant)
				}
				c := dial(t, cardText(all, iface(p.URL+"/base", binding, rest)),
					client.Options{Extensions: []string{"urn:x", "urn:y"}})
				if err := op.call(t.Context(), c); err != nil {
					t.Errorf("%s: %v", op.op, err)
					continue
				}
				x := p.requests()[0]
				if x.op != op.op {
					t.Errorf("called %q with %s %s, want %s", x.op, x.r.Method, x.r.URL, op.op)
				}
				if v := x.r.Header.Get("A2A-Version"); v != "1.0" {
					t.Errorf("%s: A2A-Version %q", op.op, v)
				}
				if v := x.r.Header.Get("A2A-Extensions"); v != "urn:x,urn:y" {
					t.Errorf("%s: A2A-Extensions %q", op.op, v)
				}
				if got := tenantOf(x); got != tenant {
					t.Errorf("%s: tenant %q, want %q (%s %s)", op.op, got, tenant, x.r.URL, x.body)
				}
			}
		}
	})
}

// tenantOf finds the tenant where the binding has it, and checks that body and path agree.
func tenantOf(x *exchange) string {
	inBody := ""
	if i := strings.Index(string(x.body), `"tenant":"`); i >= 0 {
		inBody, _, _ = strings.Cut(string(x.body[i+len(`"tenant":"`):]), `"`)
	}
	if x.rpc {
		return inBody
	}
	segments := strings.Split(strings.TrimPrefix(x.r.URL.EscapedPath(), "/base"), "/")
	inPath := ""
	switch s := segments[1]; {
	case strings.HasPrefix(s, "message:"), s == "tasks", s == "extendedAgentCard":
	case s == "acme":
		inPath = s
	case s == "a%2Fb%20c":
		inPath = "a/b c"
	default:
		inPath = "unknown: " + s
	}
	if len(x.body) > 0 && inBody != inPath {
		return fmt.Sprintf("%s in the path, %s in the body", inPath, inBody)
	}
	return inPath
}

// A tenant of the caller's own making goes nowhere.
func TestTheCallersTenantIsReplaced(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.result(task("WORKING")) })
		req := &a2a.GetTaskRequest{ID: "t1", Tenant: "inbound"}
		if _, err := p.dial(t, nothing, client.Options{}).GetTask(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if got := tenantOf(p.requests()[0]); got != "" {
			t.Errorf("tenant %q", got)
		}
		if req.Tenant != "inbound" {
			t.Error("the request was changed")
		}
	})
}

func TestListTasksSendsItsFilters(t *testing.T) {
	t.Parallel()
	size, history := 7, 0
	req := &a2a.ListTasksRequest{
		ContextID: "c 1", Status: a2a.TaskStateWorking, PageSize: &size, PageToken: "p+q", HistoryLength: &history,
		StatusTimestampAfter: time.Date(2026, 1, 2, 3, 4, 5, 6000000, time.FixedZone("", 3600)), IncludeArtifacts: true,
	}
	p := newPeer(t, a2a.BindingHTTPJSON,
		func(x *exchange) { x.result(`{"tasks":[],"nextPageToken":"","pageSize":7,"totalSize":0}`) })
	if _, err := p.dial(t, nothing, client.Options{}).ListTasks(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := "contextId=c+1&historyLength=0&includeArtifacts=true&pageSize=7&pageToken=p%2Bq&" +
		"status=TASK_STATE_WORKING&statusTimestampAfter=2026-01-02T02%3A04%3A05.006Z"
	if got := p.requests()[0].r.URL.RawQuery; got != want {
		t.Errorf("query %s\nwant  %s", got, want)
	}
}

func TestCapabilitiesAreCheckedBeforeUse(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.result(`{}`) })
		c := p.dial(t, nothing, client.Options{})
		_, err := c.StreamMessage(t.Context(), send("hi"))
		_, err2 := c.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: "t1"})
		for op, err := range map[string]error{"StreamMessage": err, "Subscribe": err2} {
			if !errors.Is(err, a2a.ErrUnsupportedOperation) || !strings.Contains(err.Error(), "streaming") {
				t.Errorf("%s: %v", op, err)
			}
		}
		for _, op := range calls {
			err := op.call(t.Context(), c)
			switch {
			case strings.Contains(op.op, "PushNotification"):
				if !errors.Is(err, a2a.ErrPushNotSupported) {
					t.Errorf("%s: %v", op.op, err)
				}
			case op.op == "GetExtendedAgentCard":
				if !errors.Is(err, a2a.ErrUnsupportedOperation) {
					t.Errorf("%s: %v", op.op, err)
				}
			}
		}
		if ops := p.ops(); strings.Contains(ops, "Push") || strings.Contains(ops, "Card") ||
			strings.Contains(ops, "Stream") {
			t.Errorf("called %s", ops)
		}
	})
}

func TestTheExtendedCardReplacesTheCard(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			x.result(strings.Replace(cardText(nothing, iface("https://clock.example", binding, "")), `"Clock"`,
				`"Secret clock"`, 1))
		})
		c := p.dial(t, all, client.Options{})
		if _, err := c.ExtendedCard(t.Context(), &a2a.ExtendedCardRequest{}); err != nil {
			t.Fatal(err)
		}
		if c.Card().Name != "Secret clock" || c.Interface().URL != p.URL {
			t.Errorf("card %q, interface %v", c.Card().Name, c.Interface())
		}
	})
}

// The statuses of 1.0.0 and 1.0.1 differ, the reason decides; then the code, then the HTTP status.
func TestErrorsOfPeers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		code   int
		status int
		reason string
		want   a2a.Kind
	}{
		{"1.0.1", -32002, 400, "TASK_NOT_CANCELABLE", a2a.ErrTaskNotCancelable},
		{"1.0.0", -32002, 409, "TASK_NOT_CANCELABLE", a2a.ErrTaskNotCancelable},
		{"1.0.1", -32005, 400, "CONTENT_TYPE_NOT_SUPPORTED", a2a.ErrContentTypeNotSupported},
		{"1.0.0", -32005, 415, "CONTENT_TYPE_NOT_SUPPORTED", a2a.ErrContentTypeNotSupported},
		{"1.0.1", -32006, 500, "INVALID_AGENT_RESPONSE", a2a.ErrInvalidAgentResponse},
		{"1.0.0", -32006, 502, "INVALID_AGENT_RESPONSE", a2a.ErrInvalidAgentResponse},
		{"reason before code", -32603, 500, "TASK_NOT_FOUND", a2a.ErrTaskNotFound},
		{"code only", -32001, 404, "", a2a.ErrTaskNotFound},
	} {
		bothBindings(t, func(t *testing.T, binding string) {
			p := newPeer(t, binding, func(x *exchange) { x.fail(tc.code, tc.status, tc.reason, "because") })
			_, err := p.dial(t, all, client.Options{}).CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: "t1"})
			e, ok := errors.AsType[*a2a.Error](err)
			if !ok || e.Kind != tc.want || !e.Remote || e.Message != "because" {
				t.Errorf("%s %d %d %s: %#v", tc.name, tc.code, tc.status, tc.reason, err)
			}
		})
	}
}

func TestStatusesWithoutAnError(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		for status, want := range map[int]a2a.Kind{
			401: a2a.ErrUnauthenticated, 403: a2a.ErrPermissionDenied, 404: a2a.ErrMethodNotFound,
			405: a2a.ErrMethodNotFound,
			413: a2a.ErrTooLarge, 415: a2a.ErrUnsupportedMediaType, 429: a2a.ErrRateLimited, 500: a2a.ErrInternal,
			502: a2a.ErrUnavailable, 503: a2a.ErrUnavailable, 302: a2a.ErrInvalidAgentResponse,
		} {
			for _, contentType := range []string{"text/html", "application/json"} {
				p := newPeer(t, binding, func(x *exchange) {
					x.w.Header().Set("Content-Type", contentType)
					x.w.Header().Set("Retry-After", "7")
					x.w.WriteHeader(status)
					io.WriteString(x.w, "{\"page\":\n\x1b[31m\"not \xff here\"}")
				})
				_, err := p.dial(t, all, client.Options{}).SendMessage(t.Context(), send("hi"))
				e, ok := errors.AsType[*a2a.Error](err)
				if !ok || e.Kind != want || !e.Remote || e.RetryAfter != 7*time.Second {
					t.Errorf("%d: %#v", status, err)
					continue
				}
				if strings.ContainsAny(e.Message, "\x1b\n") || !utf8.ValidString(e.Message) ||
					!strings.Contains(e.Message, fmt.Sprint(status)) {
					t.Errorf("%d: message %q", status, e.Message)
				}
				if status != 302 && !strings.Contains(e.Message, "not ? here") {
					t.Errorf("%d: message %q shows nothing of the body", status, e.Message)
				}
				if n := len(p.requests()); n != 1 {
					t.Errorf("%d: sent %d times", status, n)
				}
			}
		}
	})
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	page := func(contentType, body string) func(*exchange) {
		return func(x *exchange) {
			x.w.Header().Set("Content-Type", contentType)
			io.WriteString(x.w, body)
		}
	}
	for name, tc := range map[string]struct {
		peer func(*exchange)
		want string
	}{
		"html": {page("text/html; charset=utf-8", "<h1>Please log in</h1>"),
			`200 OK with text/html: "<h1>Please log in</h1>"`},
		"no JSON":   {page("application/json", "{"), "cannot read"},
		"array":     {page("application/json", "[]"), "cannot read"},
		"empty":     {page("application/json", ""), "cannot read"},
		"duplicate": {func(x *exchange) { x.result(`{"task":{},"task":{}}`) }, "cannot read"},
		"both": {func(x *exchange) {
			x.result(`{` + strings.Trim(taskEvent("WORKING"), "{}") + `}},` +
				message("x")[1:])
		}, "cannot read"},
		"neither": {func(x *exchange) { x.result(`{}`) }, "cannot read"},
		"large":   {func(x *exchange) { x.result(message(strings.Repeat("x", 5000))) }, "limit of 4000 bytes"},
	} {
		bothBindings(t, func(t *testing.T, binding string) {
			p := newPeer(t, binding, tc.peer)
			_, err := p.dial(t, all, client.Options{MaxAnswer: 4000}).SendMessage(t.Context(), send("hi"))
			if !errors.Is(err, a2a.ErrInvalidAgentResponse) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if name == "large" || name == "both" || name == "duplicate" || name == "neither" {
			continue
		}
		bothBindings(t, func(t *testing.T, binding string) {
			p := newPeer(t, binding, tc.peer)
			_, err := p.dial(t, all, client.Options{}).StreamMessage(t.Context(), send("hi"))
			if !errors.Is(err, a2a.ErrInvalidAgentResponse) {
				t.Errorf("%s: stream: %v", name, err)
			}
		})
	}
}

// The error names the problem of the answer, not that it came with 200 OK.
func TestAnswersWithoutSense(t *testing.T) {
	t.Parallel()
	odd := strings.Replace(task("WORKING"), "WORKING", "DANCING", 1)
	for name, tc := range map[string]struct{ result, want string }{
		"null": {`null`, "cannot read the agent's answer: the result is null"},
		"no status": {`{"task":{"id":"t1","contextId":"c1"}}`,
			"cannot read the agent's answer: the task has no status"},
		"bad state": {`{"task":` + odd + `}`,
			`cannot read the agent's answer: task.status.state "TASK_STATE_DANCING" is unknown`},
		"bad parts ": {`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":7}}`,
			"cannot read the agent's answer: message.parts "},
	} {
		p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) { x.result(tc.result) })
		_, err := p.dial(t, all, client.Options{}).StreamMessage(t.Context(), send("hi"))
		if !errors.Is(err, a2a.ErrInvalidAgentResponse) || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		bothBindings(t, func(t *testing.T, binding string) {
			p := newPeer(t, binding, func(x *exchange) { x.result(tc.result) })
			_, err := p.dial(t, all, client.Options{}).SendMessage(t.Context(), send("hi"))
			if !errors.Is(err, a2a.ErrInvalidAgentResponse) || strings.Contains(err.Error(), "invalid parameters") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.result(`{"task":{"id":"t1"}}`) })
		_, err := p.dial(t, all, client.Options{}).StreamMessage(t.Context(), send("hi"))
		if err == nil || err.Error() != "cannot read the agent's answer: the task has no status" {
			t.Error(err)
		}
	})
}

func TestJSONRPCAnswersThatDoNotBelong(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":99,"result":%s}`, `{"jsonrpc":"1.0","id":1,"result":%s}`, `{"id":1,"result":%s}`,
		`{"jsonrpc":"2.0","id":1}`,
	} {
		p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) {
			x.w.Header().Set("Content-Type", "application/json")
			io.WriteString(x.w, strings.Replace(answer, "%s", task("WORKING"), 1))
		})
		if _, err := p.dial(t, all, client.Options{}).GetTask(t.Context(),
			&a2a.GetTaskRequest{ID: "t1"}); !errors.Is(err, a2a.ErrInvalidAgentResponse) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) { // a peer that could not read the request knows no id
		x.w.Header().Set("Content-Type", "application/json")
		io.WriteString(x.w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
	})
	if _, err := p.dial(t, all, client.Options{}).GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"}); !errors.Is(err,
		a2a.ErrParse) {
		t.Errorf("error %v", err)
	}
}

func TestReadsAreRepeatedAndNothingElse(t *testing.T) {
	t.Parallel()
	faults := map[string]func(*exchange){
		"cut": func(x *exchange) { x.cut() },
		"busy": func(x *exchange) {
			x.w.Header().Set("Retry-After", "0")
			x.w.WriteHeader(http.StatusServiceUnavailable)
		},
		"many": func(x *exchange) { x.w.WriteHeader(http.StatusTooManyRequests) },
	}
	bothBindings(t, func(t *testing.T, binding string) {
		for fault, fail := range faults {
			for _, op := range calls {
				if fault != "cut" && op.op != "GetTask" && op.op != "SendMessage" {
					continue
				}
				p := newPeer(t, binding, func(x *exchange) {
					if x.n < 2 {
						fail(x)
						return
					}
					x.result(op.answer)
				})
				err := op.call(t.Context(), p.dial(t, all, client.Options{}))
				want := 1
				if op.reads {
					want = 3
				}
				if n := len(p.requests()); n != want || (err == nil) != op.reads {
					t.Errorf("%s, %s: %d requests, want %d; error %v", fault, op.op, n, want, err)
				}
			}
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		var first time.Time
		p := newPeer(t, binding, func(x *exchange) {
			if x.n == 0 {
				first = time.Now()
				x.w.Header().Set("Retry-After", "1")
				x.w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			x.result(task("WORKING"))
		})
		if _, err := p.dial(t, all, client.Options{}).GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(first); took < time.Second {
			t.Errorf("came back after %v", took)
		}
		p = newPeer(t, binding, func(x *exchange) {
			x.w.Header().Set("Retry-After", "3600")
			x.w.WriteHeader(http.StatusServiceUnavailable)
		})
		_, err := p.dial(t, all, client.Options{}).GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
		if e, ok := errors.AsType[*a2a.Error](err); !ok || e.RetryAfter != time.Hour || len(p.requests()) != 1 {
			t.Errorf("error %v after %d requests", err, len(p.requests()))
		}
	})
}

func TestTheMessageIsNotSentTwice(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		first := newPeer(t, binding, func(x *exchange) { x.cut() })
		second := newPeer(t, binding, func(x *exchange) { x.result(message("hi")) })
		c := dial(t, cardText(nothing, iface(first.URL, binding, ""), iface(second.URL, binding, "")), client.Options{})
		_, err := c.SendMessage(t.Context(), send("hi"))
		if !errors.Is(err, a2a.ErrUnavailable) || !strings.Contains(err.Error(), "may have arrived") {
			t.Errorf("error %v", err)
		}
		if len(first.requests()) != 1 || len(second.requests()) != 0 {
			t.Errorf("sent %d and %d times", len(first.requests()), len(second.requests()))
		}
	})
}

// closedAddress returns a URL where nobody listens.
func closedAddress() string { return "http://127.0.0.1:1" }

func TestFallbackToTheNextInterface(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		insecure := httptest.NewUnstartedServer(nil)
		insecure.Config.ErrorLog = quiet
		insecure.StartTLS() // its certificate is not known: the handshake fails
		t.Cleanup(insecure.Close)
		p := newPeer(t, binding, func(x *exchange) { x.result(message("hi")) })
		c := dial(t, cardText(nothing,
			iface(closedAddress(), a2a.BindingJSONRPC, `,"tenant":"one"`),
			iface(insecure.URL, a2a.BindingHTTPJSON, `,"tenant":"two"`),
			iface("http://agent.invalid", a2a.BindingHTTPJSON, ``),
			iface(p.URL, binding, `,"tenant":"acme"`),
		), client.Options{})
		for range 2 {
			if _, err := c.SendMessage(t.Context(), send("hi")); err != nil {
				t.Fatal(err)
			}
			if c.Interface().URL != p.URL {
				t.Errorf("uses %v", c.Interface())
			}
		}
		for _, x := range p.requests() {
			if !strings.Contains(string(x.body), `"tenant":"acme"`) {
				t.Errorf("body %s", x.body)
			}
		}
		if n := len(p.requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestNoInterfaceCanBeReached(t *testing.T) {
	t.Parallel()
	c := dial(t, cardText(streams, iface(closedAddress(), a2a.BindingJSONRPC, ""),
		iface(closedAddress(), a2a.BindingHTTPJSON, "")), client.Options{})
	_, err := c.SendMessage(t.Context(), send("hi"))
	_, err2 := updates(c.Stream(t.Context(), send("hi")))
	_, err3 := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
	for _, err := range []error{err, err2, err3} {
		if _, ok := errors.AsType[*client.UnreachableError](err); !ok || !errors.Is(err, a2a.ErrUnavailable) ||
			!strings.Contains(err.Error(), "Clock") {
			t.Errorf("error %v", err)
		}
	}
}

// Version 0.1 has no ListTasks, which says nothing of whether the agent is there.
func TestAnAgentOutOfReachIsNoOldAgent(t *testing.T) {
	t.Parallel()
	addr := closedAddress()
	old := strings.Replace(iface(addr, a2a.BindingJSONRPC, ""), "1.0", "0.1", 1)
	c := dial(t, cardText(streams, iface(addr, a2a.BindingJSONRPC, ""), old), client.Options{Retries: -1})
	_, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{})
	if _, ok := errors.AsType[*client.UnreachableError](err); !ok ||
		strings.Contains(err.Error(), "0.1 of the protocol") {
		t.Errorf("error %v", err)
	}
	if got := c.Interface().ProtocolVersion; got != "1.0" {
		t.Errorf("the next call goes to the interface of %s", got)
	}
}

// An agent that restarts is there again between two tries, and is still what its card says.
func TestAnAgentThatComesBackIsNoOldAgent(t *testing.T) {
	t.Parallel()
	p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) { x.result(message("hi")) })
	old := strings.Replace(iface(p.URL, a2a.BindingJSONRPC, ""), "1.0", "0.3", 1)
	rt := &awayOnce{next: http.DefaultTransport}
	opts := client.Options{HTTPClient: &http.Client{Transport: rt}}
	c := dial(t, cardText(nothing, iface(p.URL, a2a.BindingJSONRPC, ""), old), opts)
	_, err := c.SendMessage(t.Context(), send("hi"))
	if _, ok := errors.AsType[*client.UnreachableError](err); !ok {
		t.Errorf("the first call: error %v", err)
	}
	if _, err := c.SendMessage(t.Context(), send("hi")); err != nil {
		t.Errorf("the second call: %v", err)
	}
	if got := c.Interface().ProtocolVersion; got != "1.0" {
		t.Errorf("calls go to the interface of %s", got)
	}
}

// awayOnce makes the first connection fail.
type awayOnce struct {
	next http.RoundTripper
	away atomic.Bool
}

func (a *awayOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.away.CompareAndSwap(false, true) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return a.next.RoundTrip(r)
}

func TestTheFirstInterfaceThatIsSpoken(t *testing.T) {
	t.Parallel()
	rest := iface("https://a.example/rest", a2a.BindingHTTPJSON, "")
	rpc := iface("https://a.example/rpc", a2a.BindingJSONRPC, "")
	old := strings.Replace(iface("https://a.example/old", a2a.BindingJSONRPC, ""), "1.0", "0.3", 1)
	for name, tc := range map[string]struct {
		interfaces []string
		bindings   []string
		version    a2a.Generation // the only one to speak; "" for any
		want       string         // URL, or part of the error
	}{
		"first":    {[]string{rest, rpc}, nil, "", "https://a.example/rest"},
		"order":    {[]string{rpc, rest}, nil, "", "https://a.example/rpc"},
		"old":      {[]string{old, rpc}, nil, "", "https://a.example/old"},
		"new":      {[]string{old, rpc}, nil, a2a.Generation10, "https://a.example/rpc"},
		"just old": {[]string{old}, nil, "", "https://a.example/old"},
		"foreign": {[]string{iface("https://a.example/x", "urn:custom", ""), iface("a.example:443", "urn:other", ""),
			rest}, nil, "", "https://a.example/rest"},
		"no URL": {[]string{iface("a.example", a2a.BindingJSONRPC, ""), rest}, nil, "", "https://a.example/rest"},
		"pinned": {[]string{rpc, rest}, []string{a2a.BindingHTTPJSON}, "", "https://a.example/rest"},
		"only old": {[]string{old}, nil, a2a.Generation10,
			"version 0.3 of the protocol is not one of those to speak, 1.0"},
		"no gRPC": {[]string{iface("a.example:443", a2a.BindingGRPC, "")}, nil, "",
			`import _ "github.com/dragoman-a2a/dragoman/client/grpc"`},
		"none": {[]string{iface("https://a.example/x", "urn:custom", "")}, nil, "",
			"no transport is registered for this binding"},
		"none left": {[]string{rpc}, []string{a2a.BindingHTTPJSON}, "", "none is for [HTTP+JSON]"},
	} {
		opts := &client.Options{Bindings: tc.bindings}
		if tc.version != "" {
			opts.Generations = []a2a.Generation{tc.version}
		}
		c, err := client.New(decodeCard(t, cardText(nothing, tc.interfaces...)), opts)
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if got := c.Interface().URL; got != tc.want {
			t.Errorf("%s: uses %s", name, got)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRedirectsOfCallsAreRefused(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		other := newPeer(t, binding, func(x *exchange) { x.result(task("WORKING")) })
		p := newPeer(t, binding, func(x *exchange) { http.Redirect(x.w, x.r, other.URL, http.StatusTemporaryRedirect) })
		c := p.dial(t, streams, client.Options{Interceptors: []client.Interceptor{client.Bearer("secret")}})
		_, err := c.SendMessage(t.Context(), send("hi"))
		_, err2 := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
		_, err3 := c.StreamMessage(t.Context(), send("hi"))
		for _, err := range []error{err, err2, err3} {
			if err == nil || !strings.Contains(err.Error(), "redirects are not followed") ||
				!strings.Contains(err.Error(), other.URL) {
				t.Errorf("error %v", err)
			}
		}
		if n := len(other.requests()); n != 0 {
			t.Errorf("%d requests were redirected", n)
		}
	})
}

func TestInterceptors(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			if x.n == 0 {
				x.fail(-31401, 401, "UNAUTHENTICATED", "who?")
				return
			}
			x.result(message("hi"))
		})
		var log []string
		outer := func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
			log = append(log, call.Operation, call.Interface.URL)
			res, err := next(ctx, call)
			if errors.Is(err, a2a.ErrUnauthenticated) {
				call.Params.Set("Authorization", "Bearer fresh")
				res, err = next(ctx, call)
			}
			if m, ok := res.(*a2a.Message); ok {
				log = append(log, show(m))
			}
			return res, err
		}
		inner := func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
			req := *call.Request.(*a2a.SendMessageRequest)
			req.Metadata = a2a.Metadata{"seen": []byte(`true`)}
			call.Request = &req
			return next(ctx, call)
		}
		c := p.dial(t, nothing, client.Options{Interceptors: []client.Interceptor{outer, inner}})
		req := send("hi")
		if _, err := c.SendMessage(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if want := "SendMessage " + p.URL + " message:hi"; strings.Join(log, " ") != want {
			t.Errorf("log %q, want %q", log, want)
		}
		x := p.requests()[1]
		if x.r.Header.Get("Authorization") != "Bearer fresh" || !strings.Contains(string(x.body), `"seen":true`) {
			t.Errorf("header %v, body %s", x.r.Header, x.body)
		}
		if req.Metadata != nil {
			t.Error("the caller's request was changed")
		}
	})
}

func TestAnInterceptorMayAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) { x.cut() })
	for result, want := range map[any]bool{&a2a.Task{ID: "cached"}: true, "nonsense": false} {
		c := p.dial(t, nothing, client.Options{Interceptors: []client.Interceptor{
			func(context.Context, *client.Call, client.Handler) (any, error) { return result, nil },
		}})
		got, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
		if (err == nil) != want || want && got.ID != "cached" {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if ops := p.ops(); ops != "" {
		t.Errorf("called %s", ops)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.hang() })
		c := p.dial(t, nothing, client.Options{Timeout: 20 * time.Millisecond, SendTimeout: 30 * time.Millisecond})
		_, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
		_, err2 := c.SendMessage(t.Context(), send("hi"))
		for want, err := range map[string]error{"20ms": err, "30ms": err2} {
			if !errors.Is(err, a2a.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t1"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			if x.op == opStream {
				x.event("1", taskEvent("WORKING"))
				x.event("2", status("COMPLETED"))
				return
			}
			x.result(task("WORKING"))
		})
		c := p.dial(t, all, client.Options{})
		var failed atomic.Int32
		var callers sync.WaitGroup
		for range 16 {
			callers.Go(func() {
				if got, err := updates(c.Stream(t.Context(), send("hi"))); err != nil ||
					got != "1=task:working 2=completed" {
					failed.Add(1)
				}
				if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"}); err != nil {
					failed.Add(1)
				}
			})
		}
		callers.Wait()
		if n := failed.Load(); n > 0 {
			t.Errorf("%d calls failed", n)
		}
	})
}

// A RoundTripper that tells nothing of what it does is trusted with no second attempt.
func TestUnknownRoundTripper(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	broken := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		tries.Add(1)
		return nil, errors.New("broken")
	})}
	c := dial(t, cardText(nothing, iface("http://a.example", a2a.BindingJSONRPC, ""),
		iface("http://b.example", a2a.BindingJSONRPC, "")), client.Options{HTTPClient: broken})
	if _, err := c.SendMessage(t.Context(), send("hi")); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	if n := tries.Load(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBearer(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.result(task("WORKING")) })
		for token, want := range map[string]string{"abc\n": "Bearer abc", "": "is empty", "a b": "characters"} {
			before := len(p.requests())
			c := p.dial(t, streams, client.Options{Interceptors: []client.Interceptor{client.Bearer(token)}})
			_, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"})
			sent := p.requests()[before:]
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), want) || len(sent) != 0 {
					t.Errorf("%q: %v, and %d requests", token, err, len(sent))
				}
			case len(sent) != 1 || sent[0].r.Header.Get("Authorization") != want:
				t.Errorf("%q: sent %v", token, sent)
			}
		}
	})
}
