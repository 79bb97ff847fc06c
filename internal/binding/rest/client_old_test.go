// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// A peer is an agent of 0.3 that answers all requests alike and remembers the last of them.
type peer struct {
	status      int
	contentType string
	answer      string

	got, accept, body string
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.got, p.accept, p.body = r.Method+" "+r.URL.RequestURI(), r.Header.Get("Accept"), string(body)
	if p.contentType != "" {
		w.Header().Set("Content-Type", p.contentType)
	}
	w.WriteHeader(p.status)
	io.WriteString(w, p.answer)
}

// client returns a client of the peer, whose agent is at a path.
func (p *peer) client(t *testing.T, path string) *OldClient {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	caller := httpcall.New(server.Client())
	caller.Timeout, caller.HeaderTimeout, caller.IdleTimeout = time.Minute, time.Minute, time.Minute
	caller.MaxAnswer, caller.MaxEvent = 1<<20, 1<<20
	return NewOldClient(server.URL+path, v03pb.Proto, caller, time.Minute)
}

func send(c *OldClient) func(*testing.T) (any, error) {
	return func(t *testing.T) (any, error) {
		return c.SendMessage(t.Context(),
			&a2a.SendMessageRequest{Message: &a2a.Message{ID: "m", Role: a2a.RoleUser,
				Parts: []a2a.Part{a2a.TextPart("x")}}})
	}
}

// Each operation sends the right request, and accepts each status that an SDK uses for success.
func TestOldClientRequests(t *testing.T) {
	t.Parallel()
	p := &peer{contentType: "application/json"}
	c := p.client(t, "/agent/")
	task := aTask()
	config := aConfig()
	zero := 0
	for name, row := range map[string]struct {
		call      func(t *testing.T) (any, error)
		status    int
		answer    string
		got, body string
		want      any
	}{
		"send": {
			call: send(c), status: 200, answer: `{"task":` + protoTask + `}`, got: "POST /agent/v1/message:send",
			want: task,
			body: `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]},` +
				`"configuration":{"blocking":true}}`,
		},
		"send, JavaScript": {call: send(c), status: 201, answer: `{"task":` + protoTask + `}`,
			got: "POST /agent/v1/message:send", want: task,
			body: `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]},` +
				`"configuration":{"blocking":true}}`},
		"get": {
			call: func(t *testing.T) (any, error) {
				return c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "a/b"})
			}, status: 200, answer: protoTask, got: "GET /agent/v1/tasks/a%2Fb", want: task,
		},
		"get without history": {
			call: func(t *testing.T) (any, error) {
				return c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t", HistoryLength: &zero})
			}, status: 200, got: "GET /agent/v1/tasks/t?historyLength=1", want: task,
			answer: `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED"},"history":[{"messageId":"m"}]}`,
		},
		"list": {
			call: func(t *testing.T) (any, error) {
				return c.ListTasks(t.Context(), &a2a.ListTasksRequest{
					ContextID: "c", Status: a2a.TaskStateCanceled, PageSize: new(5), PageToken: "n",
					HistoryLength:        &zero,
					StatusTimestampAfter: time.UnixMilli(1700000000000), IncludeArtifacts: true,
				})
			}, status: 200, answer: `[` + protoTask + `]`,
			got: "GET /agent/v1/tasks?contextId=c&historyLength=0&includeArtifacts=true&" +
				"lastUpdatedAfter=1700000000000&pageSize=5&pageToken=n&status=TASK_STATE_CANCELLED",
			want: &a2a.ListTasksResponse{Tasks: []*a2a.Task{task}, PageSize: 1, TotalSize: 1},
		},
		"cancel": {
			call: func(t *testing.T) (any, error) {
				return c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: "t"})
			}, status: 202, answer: protoTask, got: "POST /agent/v1/tasks/t:cancel", body: `{"name":"tasks/t"}`,
			want: task,
		},
		"create": {
			call: func(t *testing.T) (any, error) { return c.CreatePushConfig(t.Context(), config) }, status: 201,
			answer: protoConfig,
			got:    "POST /agent/v1/tasks/t/pushNotificationConfigs",
			body:   `{"parent":"tasks/t","configId":"p","config":` + protoConfig + `}`, want: config,
		},
		"get config": {
			call: func(t *testing.T) (any, error) {
				return c.GetPushConfig(t.Context(), &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"})
			}, status: 200, answer: protoConfig, got: "GET /agent/v1/tasks/t/pushNotificationConfigs/p", want: config,
		},
		"list configs": {
			call: func(t *testing.T) (any, error) {
				return c.ListPushConfigs(t.Context(), &a2a.ListPushConfigsRequest{TaskID: "t"})
			}, status: 200, answer: `{"configs":[` + protoConfig + `]}`,
			got:  "GET /agent/v1/tasks/t/pushNotificationConfigs",
			want: &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{config}},
		},
		"list configs, by the text": {
			call: func(t *testing.T) (any, error) {
				return c.ListPushConfigs(t.Context(), &a2a.ListPushConfigsRequest{TaskID: "t"})
			}, status: 200, answer: `[` + protoConfig + `]`, got: "GET /agent/v1/tasks/t/pushNotificationConfigs",
			want: &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{config}},
		},
		"delete": {
			call: func(t *testing.T) (any, error) {
				return nil, c.DeletePushConfig(t.Context(), &a2a.DeletePushConfigRequest{TaskID: "t", ID: "p"})
			}, status: 204, got: "DELETE /agent/v1/tasks/t/pushNotificationConfigs/p",
		},
		"card in Protobuf JSON": {
			call: func(t *testing.T) (any, error) {
				card, err := c.ExtendedCard(t.Context(), &a2a.ExtendedCardRequest{})
				if err != nil {
					return nil, err
				}
				return card.SecuritySchemes, nil
			}, status: 200, got: "GET /agent/v1/card",
			answer: `{"protocolVersion":"0.3.0","name":"n","url":"https://e.com",` +
				`"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X"}}},` +
				`"security":[{"schemes":{"k":{"list":[]}}}]}`,
			want: map[string]a2a.SecurityScheme{"k": &a2a.APIKeyScheme{Location: "header", Name: "X"}},
		},
	} {
		p.status, p.answer = row.status, row.answer
		got, err := row.call(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if p.got != row.got || p.body != row.body || p.accept != "application/json" {
			t.Errorf("%s: sent %s, Accept %s\n%s", name, p.got, p.accept, p.body)
		}
	}
}

// Errors keep the kind that the SDKs of 0.3 give them, and what is no error of theirs is told as it is.
func TestOldClientErrors(t *testing.T) {
	t.Parallel()
	const json = "application/json"
	p := &peer{}
	c := p.client(t, "")
	push := func(t *testing.T) (any, error) {
		return c.GetPushConfig(t.Context(), &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"})
	}
	for name, row := range map[string]struct {
		call                func(t *testing.T) (any, error)
		status              int
		contentType, answer string
		kind                a2a.Kind
	}{
		"JavaScript":           {send(c), 404, json, `{"code":-32001,"message":"Task not found"}`, a2a.ErrTaskNotFound},
		"JavaScript, 500":      {send(c), 500, json, `{"code":-32005,"message":"no"}`, a2a.ErrContentTypeNotSupported},
		"Python":               {send(c), 409, json, `{"message":"no"}`, a2a.ErrTaskNotCancelable},
		"Python, push":         {push, 501, json, `{"message":"no"}`, a2a.ErrPushNotSupported},
		"Python, params":       {send(c), 422, json, `{"message":"no"}`, a2a.ErrInvalidParams},
		"a framework's 404":    {send(c), 404, json, `{"detail":"Not Found"}`, a2a.ErrMethodNotFound},
		"a page":               {send(c), 404, "text/html", `<html>`, a2a.ErrMethodNotFound},
		"nothing":              {send(c), 503, "", ``, a2a.ErrUnavailable},
		"a page that is fine":  {send(c), 200, "text/html", `<html>`, a2a.ErrInvalidAgentResponse},
		"a redirect":           {send(c), 307, json, `{"message":"there"}`, a2a.ErrInvalidAgentResponse},
		"JSON of another kind": {send(c), 200, json, `{"result":{}}`, a2a.ErrInvalidAgentResponse},
		"JSON that is none":    {send(c), 200, json, `{"task":`, a2a.ErrInvalidAgentResponse},
		"success of nothing":   {send(c), 204, "", ``, a2a.ErrInvalidAgentResponse},
	} {
		p.status, p.contentType, p.answer = row.status, row.contentType, row.answer
		got, err := row.call(t)
		if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Kind != row.kind {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestOldClientStreams(t *testing.T) {
	t.Parallel()
	const (
		task    = `data: {"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}` + "\n\n"
		working = `data: {"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}` +
			"\n\n"
		paused = "id: 7\n" +
			`data: {"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"},` +
			`"final":true}}` + "\n\n"
	)
	p := &peer{status: 200, contentType: sse.ContentType}
	c := p.client(t, "")
	read := func(answer string) (kinds []string, err error) {
		p.answer = answer
		events, err := c.StreamMessage(t.Context(),
			&a2a.SendMessageRequest{Message: &a2a.Message{ID: "m", Role: a2a.RoleUser}})
		if err != nil {
			return nil, err
		}
		for ev, err := range events {
			if err != nil {
				return kinds, err
			}
			switch e := ev.Event.(type) {
			case *a2a.Task:
				kinds = append(kinds, "task "+e.Status.State.String())
			case *a2a.StatusUpdate:
				kinds = append(kinds, "status "+e.Status.State.String())
			case *a2a.Message:
				kinds = append(kinds, "message")
			}
		}
		return kinds, nil
	}
	for name, row := range map[string]struct {
		answer string
		want   []string
		kind   a2a.Kind // of the error; ErrInternal with fails false is none
		fails  bool
	}{
		"to the final update": {task + paused + working,
			[]string{"task TASK_STATE_WORKING", "status TASK_STATE_INPUT_REQUIRED"}, 0, false},
		"to the end": {task + working, []string{"task TASK_STATE_WORKING", "status TASK_STATE_WORKING"}, 0,
			false},
		"without a task": {working + paused,
			[]string{"task TASK_STATE_WORKING", "status TASK_STATE_INPUT_REQUIRED"}, 0, false},
		"a message": {`data: {"message":{"messageId":"m","role":"ROLE_AGENT",` +
			`"content":[{"text":"\"code\""}]}}` + "\n\n", []string{"message"}, 0, false},
		"a message, old name": {`data: {"msg":{"messageId":"m","content":[]}}` + "\n\n", []string{"message"}, 0, false},

		"an error of JavaScript": {task + "event: error\n" + `data: {"code":-32602,"message":"m"}` + "\n\n",
			[]string{"task TASK_STATE_WORKING"}, a2a.ErrInvalidParams, true},
		"an error of that type": {task + "event: error\n" + `data: {"message":"m"}` + "\n\n",
			[]string{"task TASK_STATE_WORKING"}, a2a.ErrInternal, true},
		"an error without one": {task + `data: {"code":-32001,"message":"m"}` + "\n\n",
			[]string{"task TASK_STATE_WORKING"}, a2a.ErrTaskNotFound, true},
		"an error of 1.0": {`data: {"error":{"code":404,"status":"NOT_FOUND","message":"m"}}` + "\n\n", nil,
			a2a.ErrTaskNotFound, true},
		"an error that says nothing": {"event: error\ndata: oops\n\n", nil, a2a.ErrInvalidAgentResponse, true},
		"nonsense": {task + "data: {}\n\n", []string{"task TASK_STATE_WORKING"},
			a2a.ErrInvalidAgentResponse, true},
	} {
		got, err := read(row.answer)
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		e, ok := errors.AsType[*a2a.Error](err)
		if row.fails != (err != nil) || row.fails && (!ok || e.Kind != row.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.got != "POST /v1/message:stream" || p.accept != sse.ContentType {
		t.Errorf("sent %s, %s", p.got, p.accept)
	}

	p.status, p.contentType = 404, "application/json"
	if _, err := read(`{"code":-32001,"message":"gone"}`); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("refused: %v", err)
	}
}

// A subscription begins with the task, which peers do not always send: then it is fetched.
func TestOldClientSubscribes(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.URL.Path == "/v1/tasks/t" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w,
				`{"id":"t","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a",`+
					`"parts":[{"text":"x"}]}]}`)
			return
		}
		w.Header().Set("Content-Type", sse.ContentType)
		io.WriteString(w, `data: {"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}`+"\n\n")
	}))
	defer server.Close()
	caller := httpcall.New(server.Client())
	caller.Timeout, caller.HeaderTimeout, caller.IdleTimeout, caller.MaxAnswer, caller.MaxEvent = time.Minute,
		time.Minute, time.Minute, 1<<20, 1<<20
	events, err := NewOldClient(server.URL, v03pb.Proto, caller, time.Minute).Subscribe(t.Context(),
		&a2a.SubscribeRequest{ID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ev, err := range events {
		task, ok := ev.Event.(*a2a.Task)
		if err != nil || !ok || len(task.Artifacts) != 1 {
			t.Errorf("%+v, %v", ev.Event, err)
		}
		n++
	}
	if diff := cmp.Diff([]string{"GET /v1/tasks/t:subscribe", "GET /v1/tasks/t"}, asked); n != 1 || diff != "" {
		t.Errorf("%d events, %s", n, diff)
	}
}

// Our client and our server in 0.3, as their peers are not always.
func TestOldClientAndServer(t *testing.T) {
	t.Parallel()
	g := &agent{events: []a2a.Event{aTask()}}
	caller := httpcall.New(http.DefaultClient)
	caller.Timeout, caller.HeaderTimeout, caller.IdleTimeout, caller.MaxAnswer, caller.MaxEvent = time.Minute,
		time.Minute, time.Minute, 1<<20, 1<<20
	c := NewOldClient(serve(t, g, nil), v03pb.Proto, caller, time.Minute)
	for _, row := range wire.Table {
		g.err = &a2a.Error{Kind: row.Kind, Message: "why"}
		_, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: "t"})
		_, streamErr := c.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: "t"})
		if !errors.Is(err, row.Kind) || !errors.Is(streamErr, row.Kind) {
			t.Errorf("%v: %v, %v", row.Kind, err, streamErr)
		}
	}
	g.err = nil
	request := &a2a.ListTasksRequest{
		ContextID: "c", Status: a2a.TaskStateAuthRequired, PageSize: new(7), PageToken: "n", HistoryLength: new(2),
		StatusTimestampAfter: time.UnixMilli(1700000000000).UTC(), IncludeArtifacts: true,
	}
	if _, err := c.ListTasks(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if got, _ := g.last(); !cmp.Equal(request, got) {
		t.Errorf("-sent +got\n%s", cmp.Diff(request, got))
	}
}

func FuzzUnwrapOld(f *testing.F) {
	f.Add("", []byte(`{"code":-32001,"message":"m"}`))
	f.Add("error", []byte(`{"message":"m"}`))
	f.Add("", []byte(`{"task":{"id":"t"}}`))
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		payload, err := unwrapOld(sse.Event{Type: typ, Data: data})
		if _, ok := errors.AsType[*a2a.Error](err); err != nil && !ok ||
			(payload == nil) == (err == nil) && len(data) > 0 {
			t.Errorf("%q, %v", payload, err)
		}
	})
}
