// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a Service that answers what a test tells it to and remembers what it was asked.
type fake struct {
	result any // of operations that answer once; nil means a task
	err    error
	events iter.Seq2[a2a.StreamEvent, error] // nil means one task and the end
	onCall func(ctx context.Context)
	caps   a2a.AgentCapabilities

	mu      sync.Mutex
	request any
	call    a2a.Call
}

func (f *fake) Capabilities() a2a.AgentCapabilities {
	caps := f.caps
	caps.Extensions = append(slices.Clone(caps.Extensions), a2a.AgentExtension{
		URI: server.ReplayExtension, Description: "Last-Event-ID resumes the stream of a task without a gap",
	})
	return caps
}

func (f *fake) asked(ctx context.Context, request any) error {
	f.mu.Lock()
	f.request, f.call = request, *a2a.CallFrom(ctx)
	f.mu.Unlock()
	if f.onCall != nil {
		f.onCall(ctx)
	}
	return f.err
}

func (f *fake) last() (any, a2a.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.request, f.call
}

func aTask() *a2a.Task {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
}

// answer returns the scripted result, or other.
func answer[T any](f *fake, other T) T {
	if r, ok := f.result.(T); ok {
		return r
	}
	return other
}

func (f *fake) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	return answer[a2a.SendResult](f, aTask()), nil
}

func (f *fake) stream(ctx context.Context, r any) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	if f.events != nil {
		return f.events, nil
	}
	return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.NewStreamEvent("1", aTask()), nil) }, nil
}

func (f *fake) StreamMessage(ctx context.Context, r *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return f.stream(ctx, r)
}

func (f *fake) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return f.stream(ctx, r)
}

func (f *fake) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return answer(f, aTask()), f.asked(ctx, r)
}

func (f *fake) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return answer(f, &a2a.ListTasksResponse{PageSize: 50}), f.asked(ctx, r)
}

func (f *fake) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return answer(f, aTask()), f.asked(ctx, r)
}

func (f *fake) CreatePushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return r, f.asked(ctx, r)
}

func (f *fake) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return &a2a.PushConfig{ID: r.ID, TaskID: r.TaskID, URL: "https://example.com"}, f.asked(ctx, r)
}

func (f *fake) ListPushConfigs(ctx context.Context, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	return &a2a.ListPushConfigsResponse{}, f.asked(ctx, r)
}

func (f *fake) DeletePushConfig(ctx context.Context, r *a2a.DeletePushConfigRequest) error {
	return f.asked(ctx, r)
}

func (f *fake) ExtendedCard(ctx context.Context, r *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return aCard(), f.asked(ctx, r)
}

// can is everything that a service can say it has.
func can() a2a.AgentCapabilities {
	yes := true
	return a2a.AgentCapabilities{PushNotifications: &yes, ExtendedAgentCard: &yes}
}

// asAlice makes every caller alice.
func asAlice(o *server.Options) {
	o.Authenticator = auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) {
		return a2a.Identity{Subject: "alice"}, nil
	})
}

func aCard() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Test agent", Description: "Answers tests", Version: "1.2.3",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "s", Name: "Skill", Description: "Does", Tags: []string{"t"},
			Examples: []string{"100 USD in GBP"}}},
	}
}

// serve runs a server over f; tune may be nil.
func serve(t *testing.T, f *fake, tune func(*server.Options)) *httptest.Server {
	t.Helper()
	ts := httptest.NewServer(newServer(t, f, tune))
	t.Cleanup(ts.Close)
	return ts
}

// newServer returns a server that serves 1.0 only, unless tune says otherwise.
func newServer(t *testing.T, f *fake, tune func(*server.Options)) *server.Server {
	t.Helper()
	opts := &server.Options{Card: aCard(), Logger: slog.New(slog.DiscardHandler),
		Generations: []a2a.Generation{a2a.Generation10}}
	if tune != nil {
		tune(opts)
	}
	srv, err := server.New(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// reply is an answer as a test looks at it.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends one request of version 1.0 with header fields as "Name: value"; "Name:" alone removes a default.
func do(t *testing.T, ts *httptest.Server, method, path, body string, header ...string) reply {
	t.Helper()
	var rd io.Reader
	if body != "" {
		rd = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, ts.URL+path, rd)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			req.Header.Del(name)
		} else {
			req.Header[http.CanonicalHeaderKey(name)] = append(headerWithoutDefault(req.Header, name), value)
		}
	}
	return send(t, ts, req)
}

// headerWithoutDefault lets a test's own value replace the default and a second one of the same name follow it.
func headerWithoutDefault(h http.Header, name string) []string {
	values := h.Values(name)
	if len(values) == 1 && (values[0] == "1.0" && strings.EqualFold(name, "A2A-Version") ||
		strings.EqualFold(name, "Content-Type")) {
		return nil
	}
	return values
}

func send(t *testing.T, ts *httptest.Server, req *http.Request) reply {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(got)}
}

// rpc sends a JSON-RPC request with id 7.
func rpc(t *testing.T, ts *httptest.Server, method, params string, header ...string) reply {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":7,"method":"` + method + `"`
	if params != "" {
		body += `,"params":` + params
	}
	return do(t, ts, "POST", "/", body+"}", header...)
}

// failure is an error as either binding writes it.
type failure struct {
	code    int // JSON-RPC code or HTTP status
	message string
	reason  string
	fields  []string // of BadRequest
}

// failureOf reads the error of either binding, also that of a stream.
func failureOf(t *testing.T, body string) failure {
	t.Helper()
	var in struct {
		Error *struct {
			Code    int
			Message string
			Data    []map[string]any
			Details []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil || in.Error == nil {
		t.Fatalf("no error body: %s", body)
	}
	f := failure{code: in.Error.Code, message: in.Error.Message}
	for _, d := range append(in.Error.Data, in.Error.Details...) {
		switch d["@type"] {
		case "type.googleapis.com/google.rpc.ErrorInfo":
			f.reason = d["reason"].(string)
			if d["domain"] != "a2a-protocol.org" {
				t.Errorf("domain is %v", d["domain"])
			}
		case "type.googleapis.com/google.rpc.BadRequest":
			for _, v := range d["fieldViolations"].([]any) {
				f.fields = append(f.fields, v.(map[string]any)["field"].(string))
			}
		case nil:
			t.Errorf("a detail has no @type: %v", d)
		}
	}
	return f
}

// resultOf returns the compacted result of a JSON-RPC answer.
func resultOf(t *testing.T, r reply) string {
	t.Helper()
	var in struct {
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(r.body), &in); err != nil || in.Result == nil {
		t.Fatalf("no result: %d %s", r.status, r.body)
	}
	return compact(t, in.Result)
}

func compact(t *testing.T, b []byte) string {
	t.Helper()
	var buf bytes.Buffer
	if err := json.Compact(&buf, b); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return buf.String()
}
