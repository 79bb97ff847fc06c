// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/older"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An agent is a Service that answers what a test wants and remembers what it was asked.
type agent struct {
	err    error
	events []a2a.Event // of streams, after which they end with failed
	failed error

	mu      sync.Mutex
	request any
	call    a2a.Call
}

func (g *agent) asked(ctx context.Context, request any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.request, g.call = request, *a2a.CallFrom(ctx)
	return g.err
}

func (g *agent) last() (any, a2a.Call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	request := g.request
	g.request = nil
	return request, g.call
}

func aTask() *a2a.Task {
	return &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}}
}

func aConfig() *a2a.PushConfig { return &a2a.PushConfig{ID: "p", TaskID: "t", URL: "https://e.com"} }

func (g *agent) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return aTask(), g.asked(ctx, r)
}

func (g *agent) stream() iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, event := range g.events {
			if !yield(a2a.NewStreamEvent("1", event), nil) {
				return
			}
		}
		if g.failed != nil {
			yield(a2a.StreamEvent{}, g.failed)
		}
	}
}

func (g *agent) StreamMessage(ctx context.Context, r *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return g.stream(), g.asked(ctx, r)
}

func (g *agent) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return g.stream(), g.asked(ctx, r)
}

func (g *agent) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return aTask(), g.asked(ctx, r)
}

func (g *agent) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return &a2a.ListTasksResponse{Tasks: []*a2a.Task{aTask()}, PageSize: 1, TotalSize: 1}, g.asked(ctx, r)
}

func (g *agent) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return aTask(), g.asked(ctx, r)
}

func (g *agent) CreatePushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return aConfig(), g.asked(ctx, r)
}

func (g *agent) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return aConfig(), g.asked(ctx, r)
}

func (g *agent) ListPushConfigs(ctx context.Context, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	return &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{aConfig()}}, g.asked(ctx, r)
}

func (g *agent) DeletePushConfig(ctx context.Context, r *a2a.DeletePushConfigRequest) error {
	return g.asked(ctx, r)
}

func (g *agent) ExtendedCard(ctx context.Context, r *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return &a2a.AgentCard{
		Name: "Agent", Description: "Answers", Version: "1",
		SupportedInterfaces: []a2a.AgentInterface{{URL: "https://e.com", Binding: a2a.BindingHTTPJSON,
			ProtocolVersion: "0.3"}},
		SecuritySchemes: map[string]a2a.SecurityScheme{"key": &a2a.APIKeyScheme{Location: "header", Name: "X-Key"}},
	}, g.asked(ctx, r)
}

// authenticator knows everybody, but for those who send no good token.
type authenticator struct{}

func (authenticator) Authenticate(r *http.Request) (a2a.Identity, error) {
	if r.Header.Get("Authorization") == "bad" {
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "who is it?")
	}
	return a2a.Identity{Subject: "somebody"}, nil
}

var _ auth.Authenticator = authenticator{}

// serve serves an agent. Change may change how.
func serve(t *testing.T, g *agent, change func(*binding.Core)) string {
	t.Helper()
	core := &binding.Core{
		Service: older.Service{Service: g}, Auth: authenticator{},
		Profile: func(*http.Request) (*binding.Profile, error) {
			return &binding.Profile{Streaming: true, Push: true, ExtendedCard: true, Challenges: []string{"Bearer"}},
				nil
		},
		MaxBody: 1 << 20, MaxParts: 10, MaxDepth: 100, Generations: wire.Generations,
		Streams:   &binding.StreamLimits{PerOwner: 9, Total: 9},
		Requests:  &binding.Budget{Total: 8 << 20, What: "requests"},
		Answers:   &binding.Budget{Total: 8 << 20, What: "answers"},
		KeepAlive: time.Minute, WriteTimeout: time.Minute, BodyTimeout: time.Minute,
	}
	if change != nil {
		change(core)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(&Server{Core: core}).Serve(&binding.Exchange{W: w, R: r})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// ask makes a request; headers are pairs.
func ask(t *testing.T, method, url, body string, headers ...string) (status int, header http.Header, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

const (
	protoSend = `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]},` +
		`"configuration":{"blocking":true}}`
	textSend    = `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}`
	protoTask   = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}`
	textTask    = `{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled"}}`
	protoConfig = `{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p",` +
		`"url":"https://e.com"}}`
	card03 = `{"protocolVersion":"0.3.0","name":"Agent","description":"Answers","url":"https://e.com",` +
		`"preferredTransport":"HTTP+JSON"`
)

// Each path of 0.2.2 to 0.3, what it asks the agent for, and what answers it.
func TestOldPaths(t *testing.T) {
	t.Parallel()
	sent := &a2a.SendMessageRequest{
		Message:       &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}},
		Configuration: &a2a.SendConfiguration{},
	}
	sentText := *sent
	sentText.Configuration = &a2a.SendConfiguration{HistoryLength: new(0)}
	g := &agent{events: []a2a.Event{aTask()}}
	url := serve(t, g, nil)
	for _, row := range []struct {
		method, path, body string
		want               any
		answer             string // the beginning of it
	}{
		{"POST", "/v1/message:send", protoSend, sent, `{"task":` + protoTask + `}`},
		{"POST", "/v1/message:send", textSend, &sentText, `{"task":` + textTask + `}`},
		{"POST", "/v1/message:stream", protoSend, sent, "id: 1\ndata: {\"task\":" + protoTask + "}\n\n"},
		{"POST", "/v1/message:stream", textSend, &sentText, "id: 1\ndata: {\"task\":" + textTask + "}\n\n"},
		{"GET", "/v1/tasks/t", "", &a2a.GetTaskRequest{ID: "t"}, protoTask},
		{"GET", "/v1/tasks/t?historyLength=3", "", &a2a.GetTaskRequest{ID: "t", HistoryLength: new(3)}, protoTask},
		{"GET", "/v1/tasks/t?history_length=3", "", &a2a.GetTaskRequest{ID: "t", HistoryLength: new(3)}, protoTask},
		{"GET", "/v1/tasks/t?historyLength=0", "", &a2a.GetTaskRequest{ID: "t"}, protoTask}, // all of it
		{"GET", "/v1/tasks/t?tenant=acme", "", &a2a.GetTaskRequest{ID: "t"}, protoTask},     // there are none
		{"GET", "/v1/tasks", "", &a2a.ListTasksRequest{},
			`{"tasks":[` + protoTask + `],"nextPageToken":"","totalSize":1}`},
		{
			"GET",
			"/v1/tasks?contextId=c&status=input-required&pageSize=5&pageToken=n&historyLength=0&" +
				"lastUpdatedAfter=1700000000000&includeArtifacts=true", "",
			&a2a.ListTasksRequest{
				ContextID: "c", Status: a2a.TaskStateInputRequired, PageSize: new(5), PageToken: "n",
				HistoryLength:        new(0),
				StatusTimestampAfter: time.UnixMilli(1700000000000).UTC(), IncludeArtifacts: true,
			}, `{"tasks":`,
		},
		{
			"GET",
			"/v1/tasks?context_id=c&status=TASK_STATE_CANCELLED&page_size=0&last_updated_time=2025-10-28T10:30:00Z", "",
			&a2a.ListTasksRequest{ContextID: "c", Status: a2a.TaskStateCanceled,
				StatusTimestampAfter: time.Date(2025, 10, 28, 10, 30, 0, 0, time.UTC)}, `{"tasks":`,
		},
		{"POST", "/v1/tasks/t:cancel", `{"name":"tasks/t"}`, &a2a.CancelTaskRequest{ID: "t"}, protoTask},
		{"POST", "/v1/tasks/t:cancel", "", &a2a.CancelTaskRequest{ID: "t"}, protoTask},
		{"POST", "/v1/tasks/t:subscribe", `{"name":"tasks/t"}`, &a2a.SubscribeRequest{ID: "t"},
			"id: 1\ndata: {\"task\":" + protoTask + "}\n\n"},
		{"POST", "/v1/tasks/t:subscribe", "", &a2a.SubscribeRequest{ID: "t"}, "id: 1\n"},
		{"GET", "/v1/tasks/t:subscribe", "", &a2a.SubscribeRequest{ID: "t"}, "id: 1\n"},
		{"POST", "/v1/tasks/t/pushNotificationConfigs", `{"parent":"tasks/t","configId":"p","config":` + protoConfig +
			`}`, aConfig(), protoConfig},
		{"POST", "/v1/tasks/t/pushNotificationConfigs", protoConfig, aConfig(), protoConfig},
		{"POST", "/v1/tasks/t/pushNotificationConfigs",
			`{"config":{"taskId":"t","pushNotificationConfig":{"id":"p","url":"https://e.com"}}}`, aConfig(),
			protoConfig},
		{"POST", "/v1/task/t/pushNotificationConfigs", protoConfig, aConfig(), protoConfig}, // a slip of the proto
		{"GET", "/v1/tasks/t/pushNotificationConfigs/p", "", &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"},
			protoConfig},
		{"GET", "/v1/tasks/t/pushNotificationConfigs", "", &a2a.ListPushConfigsRequest{TaskID: "t", PageSize: 100},
			`{"configs":[` + protoConfig + `]}`},
		{"DELETE", "/v1/tasks/t/pushNotificationConfigs/p", "", &a2a.DeletePushConfigRequest{TaskID: "t", ID: "p"},
			`{}`},
		{"GET", "/v1/card", "", &a2a.ExtendedCardRequest{}, card03},
		{"GET", "/agent/authenticatedExtendedCard", "", &a2a.ExtendedCardRequest{},
			strings.Replace(card03, "0.3.0", "0.2.6", 1)},
	} {
		status, header, answer := ask(t, row.method, url+row.path, row.body)
		got, call := g.last()
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s %s %s: -want +got\n%s", row.method, row.path, row.body, diff)
		}
		if status != 200 || !strings.HasPrefix(answer, row.answer) || call.Generation != a2a.Generation03 ||
			call.Binding != a2a.BindingHTTPJSON {
			t.Errorf("%s %s %s: %d, %+v\n got %s\nwant %s", row.method, row.path, row.body, status, call, answer,
				row.answer)
		}
		wantType := "application/json"
		if strings.HasPrefix(row.answer, "id:") {
			wantType = "text/event-stream"
		}
		if got := header.Get("Content-Type"); got != wantType {
			t.Errorf("%s %s: Content-Type %s", row.method, row.path, got)
		}
	}
}

// Which generation a request is taken for, by its version and its path.
func TestGenerationOfAPath(t *testing.T) {
	t.Parallel()
	const send10 = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
	all := func(*binding.Core) {}
	lenient := func(c *binding.Core) { c.AcceptUnversioned = true }
	recent := func(c *binding.Core) { c.Generations = []a2a.Generation{a2a.Generation10} }
	for _, row := range []struct {
		name, path, version string
		core                func(*binding.Core)
		generation          a2a.Generation // that the agent was asked in
		reason              string         // of the error
		form                a2a.Generation // of the error
	}{
		{"/v1 without a version", "/v1/message:send", "", all, "0.3", "", ""},
		{"/v1 with 0.3", "/v1/message:send", "0.3", all, "0.3", "", ""},
		{"/v1 with 0.3 and a patch", "/v1/message:send", "0.3.0", all, "0.3", "", ""},
		{"/v1 with 0.2", "/v1/message:send", "0.2.6", all, "0.3", "", ""},
		{"/v1 with 0.1", "/v1/message:send", "0.1", all, "0.3", "", ""},
		{"no prefix, 1.0", "/message:send", "1.0", all, "1.0", "", ""},
		{"no prefix, 1.0 and a patch", "/message:send", "1.0.1", all, "1.0", "", ""},
		{"a tenant, 1.0", "/acme/message:send", "1.0", all, "1.0", "", ""},
		{"/v1 with 1.0, for v1 is no tenant", "/v1/message:send", "1.0", all, "", "METHOD_NOT_FOUND", "1.0"},
		{"/v1 is no tenant", "/v1/extendedAgentCard", "1.0", all, "", "METHOD_NOT_FOUND", "1.0"},
		{"/v1 has no tenants", "/v1/acme/message:send", "", all, "", "METHOD_NOT_FOUND", "1.0"},
		{"no prefix, no version", "/message:send", "", all, "", "VERSION_NOT_SUPPORTED", "1.0"},
		{"no prefix, no version, accepted", "/message:send", "", lenient, "1.0", "", ""},
		{"/v1, no version, accepted", "/v1/message:send", "", lenient, "0.3", "", ""},
		{"no prefix, 0.3", "/message:send", "0.3", all, "", "VERSION_NOT_SUPPORTED", "1.0"},
		{"no prefix, 0.3, though none is accepted", "/message:send", "0.3", lenient, "", "VERSION_NOT_SUPPORTED",
			"1.0"},
		{"a tenant, 0.3", "/acme/message:send", "0.3", all, "", "VERSION_NOT_SUPPORTED", "1.0"},
		{"/v1, unknown version", "/v1/message:send", "banana", all, "", "VERSION_NOT_SUPPORTED", "0.3"},
		{"no prefix, unknown version", "/message:send", "banana", all, "", "VERSION_NOT_SUPPORTED", "1.0"},
		{"a future version", "/message:send", "2.0", all, "", "VERSION_NOT_SUPPORTED", "1.0"},
		{"/v1 where 0.3 is not served", "/v1/message:send", "", recent, "", "METHOD_NOT_FOUND", "1.0"},
		{"/v1 where the 0.3 that is asked for is not served", "/v1/message:send", "0.3", recent, "",
			"VERSION_NOT_SUPPORTED", "1.0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := &agent{}
			body := protoSend
			if row.generation == a2a.Generation10 {
				body = send10
			}
			var headers []string
			if row.version != "" {
				headers = []string{"A2A-Version", row.version}
			}
			method := "POST"
			if strings.HasSuffix(row.path, "Card") {
				method, body = "GET", ""
			}
			status, _, answer := ask(t, method, serve(t, g, row.core)+row.path, body, headers...)
			request, call := g.last()
			if row.generation != "" {
				if status != 200 || call.Generation != row.generation ||
					call.Tenant != "" && row.path != "/acme/message:send" {
					t.Errorf("%d, %+v, %s", status, call, answer)
				}
				return
			}
			if request != nil || !strings.Contains(answer, `"reason":"`+row.reason+`"`) ||
				strings.HasPrefix(answer, `{"error":`) != (row.form == a2a.Generation10) {
				t.Errorf("%d, asked %v, %s", status, request, answer)
			}
		})
	}
}

// Where the two generations have one card each.
func TestCardOfAGeneration(t *testing.T) {
	t.Parallel()
	g := &agent{}
	url := serve(t, g, nil)
	_, _, old := ask(t, "GET", url+"/v1/card", "")
	_, _, recent := ask(t, "GET", url+"/extendedAgentCard", "", "A2A-Version", "1.0")
	if !strings.HasPrefix(old, card03) || !strings.Contains(old, `"type":"apiKey"`) ||
		!strings.Contains(old, `"apiKeySecurityScheme"`) {
		t.Errorf("0.3: %s", old)
	}
	if !strings.Contains(recent, `"supportedInterfaces"`) {
		t.Errorf("1.0: %s", recent)
	}
	without := serve(t, g, func(c *binding.Core) {
		c.Profile = func(*http.Request) (*binding.Profile, error) { return &binding.Profile{}, nil }
	})
	if status, _, answer := ask(t, "GET", without+"/v1/card", ""); status != 404 ||
		!strings.HasPrefix(answer, `{"code":-32007,`) {
		t.Errorf("none: %d, %s", status, answer)
	}
}

// Each kind of error has the status and the code of 0.3, in one form, which SDKs of 0.3 and our own client read.
func TestErrorsOfOldPaths(t *testing.T) {
	t.Parallel()
	g := &agent{events: []a2a.Event{aTask()}}
	url := serve(t, g, nil)
	for _, row := range wire.Table {
		failure := &a2a.Error{Kind: row.Kind, Message: "why", Metadata: map[string]string{"k": "v"}}
		g.err, g.failed = failure, nil
		public := failure.PublicMessage()
		for _, path := range []string{"/v1/message:send", "/v1/message:stream"} {
			status, header, answer := ask(t, "POST", url+path, protoSend)
			checkOldError(t, &row, public, answer)
			if status != row.HTTP03 || header.Get("Content-Type") != "application/json" {
				t.Errorf("%v: %d, %v", row.Kind, status, header)
			}
			if e := wire.DecodeStatusError03(wire.OpSendMessage, status, []byte(answer)); e == nil ||
				e.Kind != row.Kind || e.Metadata["k"] != "v" {
				t.Errorf("%v was read as %#v", row.Kind, e)
			}
		}
		g.err, g.failed = nil, failure
		_, _, answer := ask(t, "POST", url+"/v1/message:stream", protoSend)
		_, last, ok := strings.Cut(answer, "\n\nevent: error\ndata: ")
		if !ok {
			t.Errorf("%v: %s", row.Kind, answer)
			continue
		}
		checkOldError(t, &row, public, strings.TrimSpace(last))
	}
}

func checkOldError(t *testing.T, row *wire.Row, message, answer string) {
	t.Helper()
	var body struct {
		Code    int
		Message string
		Data    struct{ Details []map[string]any }
	}
	if err := json.Unmarshal([]byte(answer), &body); err != nil {
		t.Errorf("%v: %v\n%s", row.Kind, err, answer)
		return
	}
	if body.Code != row.Code03 || body.Message != message || len(body.Data.Details) != 1 ||
		body.Data.Details[0]["reason"] != row.Reason {
		t.Errorf("%v: %s", row.Kind, answer)
	}
}

// The binding refuses invalid requests before it calls the agent.
func TestBadRequestsOfOldPaths(t *testing.T) {
	t.Parallel()
	g := &agent{}
	url := serve(t, g, nil)
	const inMessage = `{"message":{"messageId":"m","role":"ROLE_USER","content":[`
	for _, row := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/v1/message:send", `{`, 400, `"code":-32700`},
		{"POST", "/v1/message:send", ``, 400, `"field":"message"`},
		{"POST", "/v1/message:send", `{}`, 400, `"field":"message"`},
		{"POST", "/v1/message:send", inMessage + `]}}`, 400, `"field":"message.content"`},
		{"POST", "/v1/message:send", inMessage + strings.Repeat(`{"text":"x"},`, 10) + `{"text":"x"}]}}`, 400,
			`"field":"message.content"`},
		{"POST", "/v1/message:send", inMessage + `{"file":{"fileWithUri":"https://e.com","fileWithBytes":"AA=="}}]}}`,
			400, `"field":"message.content[0].file.fileWithBytes"`},
		{"POST", "/v1/message:send", inMessage + `{"file":{"fileWithUri":""}}]}}`, 400,
			`"field":"message.content[0].file.fileWithUri"`},
		{"POST", "/v1/message:send", inMessage + `{"kind":"text"}]}}`, 400, `"code":-32602`},
		{"POST", "/v1/message:send", `{"message":{"messageId":"m","role":"ROLE_BOSS","content":[{"text":"x"}]}}`, 400,
			`"field":"message.role"`},
		{"POST", "/v1/message:send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[]}}`, 400,
			`"field":"message.parts"`},
		{"POST", "/v1/message:send",
			`{"message":{"kind":"task","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}`, 400,
			`"field":"message.kind"`},
		{"POST", "/v1/message:send",
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]},` +
				`"configuration":{"pushNotification":{}}}`, 400, `"field":"configuration.pushNotification.url"`},
		{"POST", "/v1/message:send", `{"message":{"messageId":"` + strings.Repeat("m", 1<<20) + `"}}`, 413,
			`"code":-31413`},
		{"POST", "/v1/tasks/t:cancel", `{"name":"tasks/other"}`, 400, `"field":"name"`},
		{"POST", "/v1/tasks/t:cancel", `{"name":"configs/t"}`, 400, `"field":"name"`},
		{"POST", "/v1/tasks/t/pushNotificationConfigs",
			`{"parent":"tasks/other","config":{"pushNotificationConfig":{"url":"https://e.com"}}}`, 400,
			`"field":"parent"`},
		{"POST", "/v1/tasks/t/pushNotificationConfigs", `{"pushNotificationConfig":{}}`, 400,
			`"field":"pushNotificationConfig.url"`},
		{"POST", "/v1/tasks/t/pushNotificationConfigs", `{}`, 400, `"field":"config.pushNotificationConfig"`},
		{"GET", "/v1/tasks/t?historyLength=-1", ``, 400, `"field":"historyLength"`},
		{"GET", "/v1/tasks?status=sleeping&lastUpdatedAfter=yesterday&pageSize=x", ``, 400, `"field":"pageSize"`},
		{"GET", "/v1/tasks?status=sleeping", ``, 400, `"field":"status"`},
		{"GET", "/v1/tasks?lastUpdatedAfter=yesterday", ``, 400, `"field":"lastUpdatedAfter"`},
		{"GET", "/v1/message:send", ``, 405, `"code":-32601`},
		{"PUT", "/v1/tasks/t", `{}`, 405, `"code":-32601`},
		{"POST", "/v1/card", `{}`, 405, `"code":-32601`},
	} {
		status, _, answer := ask(t, row.method, url+row.path, row.body)
		if request, _ := g.last(); request != nil || status != row.status || !strings.Contains(answer, row.says) ||
			!strings.HasPrefix(answer, `{"code":`) {
			t.Errorf("%s %s %.200s: %d %s, asked %v", row.method, row.path, row.body, status, answer, request)
		}
	}
	if status, _, answer := ask(t, "POST", url+"/v1/message:send", "x", "Content-Type", "text/plain"); status != 415 ||
		!strings.HasPrefix(answer, `{"code":-32005,`) {
		t.Errorf("a text: %d %s", status, answer)
	}
	status, header, answer := ask(t, "GET", url+"/v1/tasks/t", "", "Authorization", "bad")
	if status != 401 || header.Get("WWW-Authenticate") != "Bearer" || !strings.HasPrefix(answer, `{"code":-31401,`) {
		t.Errorf("a stranger: %d %v %s", status, header, answer)
	}
}

// A stream of 0.3 ends at what its updates call final, however long the agent's goes on.
func TestOldStreamsEnd(t *testing.T) {
	t.Parallel()
	update := func(s a2a.TaskState) a2a.Event {
		return &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: s}}
	}
	g := &agent{events: []a2a.Event{aTask(), update(a2a.TaskStateWorking), update(a2a.TaskStateAuthRequired),
		update(a2a.TaskStateWorking)}, failed: errors.New("too late")}
	url := serve(t, g, nil)
	for _, body := range []string{protoSend, textSend} {
		_, _, answer := ask(t, "POST", url+"/v1/message:stream", body)
		if n := strings.Count(answer, "data: "); n != 3 || !strings.Contains(answer, `"final":true`) {
			t.Errorf("%d events:\n%s", n, answer)
		}
	}
}
