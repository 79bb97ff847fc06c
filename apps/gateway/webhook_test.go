// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/server"
)

// A webhookService keeps push configs and has one task for each id.
type webhookService struct {
	a2a.Service // panics where a test goes beyond what is here

	mu      sync.Mutex
	configs []*a2a.PushConfig
}

func (s *webhookService) Capabilities() a2a.AgentCapabilities {
	yes, no := true, false
	return a2a.AgentCapabilities{Streaming: &no, PushNotifications: &yes}
}

func (s *webhookService) GetTask(_ context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return &a2a.Task{ID: req.ID, ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}, nil
}

func (s *webhookService) SendMessage(_ context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if req.Configuration != nil && req.Configuration.PushConfig != nil {
		s.keep(req.Configuration.PushConfig)
	}
	return &a2a.Task{ID: "made", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired}}, nil
}

func (s *webhookService) keep(c *a2a.PushConfig) *a2a.PushConfig {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := *c
	if kept.ID == "" {
		kept.ID = fmt.Sprint("p", len(s.configs))
	}
	s.configs = append(s.configs, &kept)
	return &kept
}

func (s *webhookService) CreatePushConfig(_ context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	return s.keep(c), nil
}

func (s *webhookService) GetPushConfig(_ context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.configs {
		if c.ID == req.ID && c.TaskID == req.TaskID {
			return c, nil
		}
	}
	return nil, a2a.ErrTaskNotFound
}

func (s *webhookService) ListPushConfigs(_ context.Context,
	req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &a2a.ListPushConfigsResponse{Configs: s.configs}, nil
}

func (s *webhookService) DeletePushConfig(context.Context, *a2a.DeletePushConfigRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configs = nil
	return nil
}

func (s *webhookService) last() *a2a.PushConfig {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.configs[len(s.configs)-1]
}

// A notification is what a client's webhook got.
type notification struct {
	header http.Header
	body   string
}

func receiver(t *testing.T, status int) (string, chan notification) {
	t.Helper()
	got := make(chan notification, 4)
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- notification{r.Header.Clone(), string(b)}
		w.WriteHeader(status)
	})), got
}

// notify posts what an agent of a generation would.
func notify(t *testing.T, url, body string) int {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func listening(opts *gateway.Options, ts *httptest.Server) {
	opts.Server.URL = "http://" + ts.Listener.Addr().String()
}

// frontWithURL serves a gateway that knows its own URL.
func frontWithURL(t *testing.T, opts gateway.Options, up gateway.Upstream) string {
	t.Helper()
	ts := httptest.NewUnstartedServer(nil)
	listening(&opts, ts)
	opts.Logger, opts.Server.Logger = quiet, quiet
	g, err := gateway.New([]gateway.Upstream{up}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	ts.Config.Handler = g
	ts.Start()
	t.Cleanup(func() {
		ts.Close()
		g.Close()
	})
	return ts.URL
}

// The agent notifies the gateway, and the gateway the client, each in its generation.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	const (
		body10 = `{"statusUpdate":{"taskId":"made","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
		body03 = `{"kind":"task","id":"made","contextId":"c","status":{"state":"working"},` +
			`"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"one"}]}]}`
		rest03 = `{"statusUpdate":{"taskId":"made","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"},` +
			`"final":true}}`
		body01 = `{"id":"made","sessionId":"c","status":{"state":"working"},"artifacts":[{"index":0,` +
			`"parts":[{"type":"text","text":"one"}]},{"index":1,"parts":[{"type":"text","text":"two"}]}]}`
	)
	for _, row := range []struct {
		name      string
		up, down  a2a.Generation
		body      string // of the agent
		mediaType string
		want      []string
	}{
		{"1.0 for 1.0", a2a.Generation10, a2a.Generation10, body10, "application/a2a+json",
			[]string{`"statusUpdate"`, `"TASK_STATE_WORKING"`, `"taskId":"made"`}},
		{"0.3 for 1.0", a2a.Generation03, a2a.Generation10, body03, "application/a2a+json",
			[]string{`"task":{"id":"made"`, `"TASK_STATE_WORKING"`}},
		{"0.3 over HTTP+JSON for 1.0", a2a.Generation03, a2a.Generation10, rest03, "application/a2a+json",
			[]string{`"statusUpdate"`, `"TASK_STATE_CANCELED"`}},
		{"0.1 for 1.0", a2a.Generation01, a2a.Generation10, body01, "application/a2a+json",
			[]string{`"task":{"id":"made","contextId":"c"`, `"TASK_STATE_WORKING"`, `"artifactId":"index-0"`,
				`"artifactId":"index-1"`}},
		// asked for as a whole
		{"1.0 for 0.3", a2a.Generation10, a2a.Generation03, body10, "application/json",
			[]string{`"kind":"task"`, `"id":"made"`, `"completed"`}},
		{"0.3 for 0.3", a2a.Generation03, a2a.Generation03, body03, "application/json",
			[]string{`"kind":"task"`, `"id":"made"`, `"working"`}},
		{"1.0 for 0.1", a2a.Generation10, a2a.Generation01, body10, "application/json",
			[]string{`"id":"mine"`, `"completed"`}},
		{"0.1 for 0.1", a2a.Generation01, a2a.Generation01, body01, "application/json",
			[]string{`"id":"mine","sessionId":"c"`, `"working"`, `"index":1`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			svc := &webhookService{}
			up := serveService(t, svc, card(), row.up, nil)
			url := frontWithURL(t, gateway.Options{AllowPrivateWebhooks: true}, gateway.Upstream{Card: up})
			hook, got := receiver(t, 200)
			c := dial(t, url, row.down, client.Options{})
			config := &a2a.PushConfig{URL: hook, Token: "tok",
				Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "cred"}}
			request := message("hello")
			request.Configuration = &a2a.SendConfiguration{PushConfig: config}
			if row.down == a2a.Generation01 {
				request.NewTaskID = "mine"
			}
			if _, err := c.SendMessage(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			given := svc.last()
			if !strings.HasPrefix(given.URL, url+"/_webhook/") || given.Token != "" || given.Authentication != nil {
				t.Fatalf("the agent was given %+v", given)
			}
			if status := notify(t, given.URL, row.body); status != http.StatusNoContent {
				t.Fatalf("the gateway answered the agent with %d", status)
			}
			n := <-got
			wants(t, n.body, row.want...)
			if n.header.Get("Content-Type") != row.mediaType || n.header.Get("Authorization") != "Bearer cred" ||
				n.header.Get("X-A2a-Notification-Token") != "tok" {
				t.Errorf("headers %v", n.header)
			}
		})
	}
}

// The agent's answer says how the client's webhook failed, or that the gateway may not call it.
func TestWebhooksThatFail(t *testing.T) {
	t.Parallel()
	svc := &webhookService{}
	up := gateway.Upstream{Card: serveService(t, svc, card(), a2a.Generation10, nil)}
	const body = `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`
	register := func(opts gateway.Options, hook string) string {
		c := dial(t, frontWithURL(t, opts, up), a2a.Generation10, client.Options{})
		if _, err := c.CreatePushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: hook}); err != nil {
			t.Fatal(err)
		}
		return svc.last().URL
	}
	hook, _ := receiver(t, 500)
	if status := notify(t, register(gateway.Options{AllowPrivateWebhooks: true}, hook),
		body); status != http.StatusBadGateway {
		t.Errorf("of a webhook that fails: %d", status)
	}
	hook, got := receiver(t, 200)
	private := register(gateway.Options{}, hook)
	if status := notify(t, private, body); status != http.StatusBadGateway || len(got) != 0 {
		t.Errorf("of a webhook on this machine: %d", status)
	}
	if status := notify(t, private+"x", body); status != http.StatusNotFound {
		t.Errorf("of nobody's: %d", status)
	}
	open := register(gateway.Options{AllowPrivateWebhooks: true}, hook)
	for _, bad := range []string{``, `{`, `[]`, `{"kind":"news"}`, `"x"`} {
		if status := notify(t, open, bad); status != http.StatusBadRequest {
			t.Errorf("%q is answered with %d", bad, status)
		}
	}
	if status := notify(t, open, `{"task":{"id":"`+string(bytes.Repeat([]byte("x"), 9<<20))+
		`"}}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("of a large one: %d", status)
	}
	resp, err := http.Get(open + "?validationToken=abc")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "abc" {
		t.Errorf("the challenge is answered with %q", b)
	}
}

// Clients see their own webhooks in push configs, not the gateway's.
func TestWebhooksOfFailedSendsAreForgotten(t *testing.T) {
	t.Parallel()
	up := gateway.Upstream{Card: upstreamThatRefuses(t)}
	c := dial(t, frontWithURL(t, gateway.Options{MaxWebhooks: 1}, up), a2a.Generation10, client.Options{})
	for range 3 {
		request := message("hello")
		request.Configuration = &a2a.SendConfiguration{PushConfig: &a2a.PushConfig{URL: "https://client.example/hook"}}
		if _, err := c.SendMessage(t.Context(), request); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("sent: %v", err)
		}
	}
	if _, err := c.CreatePushConfig(t.Context(),
		&a2a.PushConfig{TaskID: "t", URL: "https://client.example/hook"}); err != nil {
		t.Errorf("a webhook after sends that failed: %v", err)
	}
	long := "https://client.example/" + strings.Repeat("x", 5000)
	if _, err := c.CreatePushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: long}); !errors.Is(err,
		a2a.ErrInvalidParams) {
		t.Errorf("a long URL: %v", err)
	}
}

// A refusing service knows no task.
type refusing struct{ webhookService }

func (*refusing) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return nil, a2a.ErrTaskNotFound
}

func upstreamThatRefuses(t *testing.T) string {
	return serveService(t, &refusing{}, card(), a2a.Generation10, nil)
}

func TestPushConfigsAreShownAsTheyCame(t *testing.T) {
	t.Parallel()
	svc := &webhookService{}
	up := gateway.Upstream{Card: serveService(t, svc, card(), a2a.Generation10, nil)}
	c := dial(t, frontWithURL(t, gateway.Options{MaxWebhooks: 2}, up), a2a.Generation10, client.Options{})
	const hook = "https://client.example/hook"
	made, err := c.CreatePushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: hook, Token: "tok"})
	if err != nil || made.URL != hook || made.Token != "tok" || made.ID == "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	got, err := c.GetPushConfig(t.Context(), &a2a.GetPushConfigRequest{TaskID: "t", ID: made.ID})
	if err != nil || got.URL != hook {
		t.Errorf("got %+v, %v", got, err)
	}
	list, err := c.ListPushConfigs(t.Context(), &a2a.ListPushConfigsRequest{TaskID: "t"})
	if err != nil || len(list.Configs) != 1 || list.Configs[0].URL != hook {
		t.Errorf("listed %+v, %v", list, err)
	}
	gone := svc.last().URL
	if err := c.DeletePushConfig(t.Context(), &a2a.DeletePushConfigRequest{TaskID: "t", ID: made.ID}); err != nil {
		t.Error(err)
	}
	if status := notify(t, gone,
		`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`); status != http.StatusNotFound {
		t.Errorf("a deleted webhook answers %d", status)
	}
	for range 2 {
		if _, err := c.CreatePushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: hook}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreatePushConfig(t.Context(), &a2a.PushConfig{TaskID: "t", URL: hook}); err == nil ||
		!strings.Contains(err.Error(), "limit") {
		t.Errorf("one too many: %v", err)
	}
}

var _ server.Capable = (*webhookService)(nil)
