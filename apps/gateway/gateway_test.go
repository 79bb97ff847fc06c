// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// spoken are the generations that a server of one generation has to be told of.
func spoken(gen a2a.Generation) []a2a.Generation {
	if gen == a2a.Generation03 {
		return []a2a.Generation{a2a.Generation02, a2a.Generation03}
	}
	return []a2a.Generation{gen}
}

func card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Worker", Description: "Works.", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "work", Name: "Work", Description: "Works.", Tags: []string{"work"}}},
	}
}

// worker does what the first word says.
func worker(ctx context.Context, t *agent.Turn) error {
	word, rest, _ := strings.Cut(t.Text(), " ")
	switch word {
	case "ask":
		return t.Ask(a2a.TextPart("which?"))
	case "reply":
		return t.Reply(a2a.TextPart(rest))
	case "hold":
		if err := t.Working(); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	case "references":
		return t.Reply(a2a.TextPart(fmt.Sprintf("refers to %q", t.Message().ReferenceTaskIDs)))
	case "chunks":
		w := t.NewArtifact("chunks")
		for i := range 5 {
			if _, err := fmt.Fprint(w, i); err != nil {
				return err
			}
		}
		return w.Close()
	}
	return t.Artifact("echo", a2a.TextPart(t.Text()))
}

// serve serves a handler and returns its URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	return ts.URL
}

// upstream serves the worker in one generation only.
func upstream(t *testing.T, gen a2a.Generation, tune func(*server.Options)) string {
	t.Helper()
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		e.Shutdown(ctx)
	})
	c := card()
	return serveService(t, e.Agent("worker", agent.Func(worker), &engine.AgentOptions{Card: c}), c, gen, tune)
}

func serveService(t *testing.T, svc a2a.Service, c *a2a.AgentCard, gen a2a.Generation,
	tune func(*server.Options)) string {
	t.Helper()
	opts := &server.Options{Card: c, Logger: quiet, Generations: spoken(gen)}
	if tune != nil {
		tune(opts)
	}
	srv, err := server.New(svc, opts)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, srv)
}

// front serves a gateway.
func front(t *testing.T, opts *gateway.Options, upstreams ...gateway.Upstream) string {
	t.Helper()
	if opts == nil {
		opts = &gateway.Options{}
	}
	opts.Logger, opts.Server.Logger = quiet, quiet
	g, err := gateway.New(upstreams, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return serve(t, g)
}

// dial returns a client that speaks one generation.
func dial(t *testing.T, url string, gen a2a.Generation, opts client.Options) *client.Client {
	t.Helper()
	opts.Generations, opts.Bindings = spoken(gen), []string{a2a.BindingJSONRPC}
	c, err := client.Dial(t.Context(), url, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func message(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}
}

// Clients of each generation work with agents of each other.
func TestEveryPairOfGenerations(t *testing.T) {
	t.Parallel()
	for _, up := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
		for _, down := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
			t.Run(fmt.Sprintf("%s for %s", up, down), func(t *testing.T) {
				t.Parallel()
				c := dial(t, front(t, nil, gateway.Upstream{Card: upstream(t, up, nil)}), down, client.Options{})
				converse(t, c)
				stream(t, c)
				cancel(t, c, up, down)
			})
		}
	}
}

// converse has a question asked and answered.
func converse(t *testing.T, c *client.Client) {
	if got, err := c.Ask(t.Context(), "echo hello"); err != nil || got != "echo hello" {
		t.Errorf("asked: %q, %v", got, err)
	}
	if got, err := c.Ask(t.Context(), "reply hello"); err != nil || got != "hello" {
		t.Errorf("replied: %q, %v", got, err)
	}
	_, err := c.Ask(t.Context(), "ask")
	paused, ok := errors.AsType[*client.PausedError](err)
	if !ok {
		t.Fatalf("asked for a question: %v", err)
	}
	answer := message("this one")
	answer.Message.TaskID = paused.Task.ID
	result, err := c.SendMessage(t.Context(), answer)
	task, ok := result.(*a2a.Task)
	if err != nil || !ok || task.ID != paused.Task.ID || task.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("answered: %+v, %v", result, err)
	}
	if got, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID}); err != nil || got.ID != task.ID ||
		len(got.Artifacts) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "nobody"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("an unknown task: %v", err)
	}
	if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID}); !errors.Is(err,
		a2a.ErrTaskNotCancelable) {
		t.Errorf("cancel of a finished task: %v", err)
	}
}

func stream(t *testing.T, c *client.Client) {
	var text strings.Builder
	var last a2a.Event
	for u, err := range c.Stream(t.Context(), message("chunks")) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk, ok := u.Event.(*a2a.ArtifactUpdate); ok {
			for _, p := range chunk.Artifact.Parts {
				text.WriteString(string(p.Content.(a2a.Text)))
			}
		}
		last = u.Event
	}
	if s, ok := last.(*a2a.StatusUpdate); !ok || s.Status.State != a2a.TaskStateCompleted || text.String() != "01234" {
		t.Errorf("the chunks are %q, the last event %+v", text.String(), last)
	}
}

// cancel ends a task that somebody watches.
func cancel(t *testing.T, c *client.Client, up, down a2a.Generation) {
	request := message("hold")
	id := make(chan a2a.TaskID, 1)
	done := make(chan a2a.TaskState, 1)
	go func() {
		var state a2a.TaskState
		for u, err := range c.Stream(t.Context(), request) {
			if err != nil {
				t.Error(err)
				break
			}
			switch e := u.Event.(type) {
			case *a2a.Task:
				id <- e.ID
				state = e.Status.State
			case *a2a.StatusUpdate:
				state = e.Status.State
			}
		}
		done <- state
	}()
	task, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: <-id})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("canceled: %+v, %v", task, err)
	}
	if state := <-done; state != a2a.TaskStateCanceled {
		t.Errorf("the stream ended with %v", state)
	}
}

// post makes a raw JSON-RPC call.
func post(t *testing.T, url, body string, header ...string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return string(b)
}

func wants(t *testing.T, body string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
}

const send01 = `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":%q,"message":{"role":"user",` +
	`"parts":[{"type":"text","text":%q}]}}}`

// The id that a client of 0.1 made stands for the agent's own, for that caller only.
func TestIDsOfClients(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: upstream(t, a2a.Generation10, nil)})
	ann, bob := "Authorization: Bearer ann", "Authorization: Bearer bob"
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "ask"), ann), `"id":"t"`, `"input-required"`)
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "hello"), bob), `"id":"t"`, `"completed"`, `hello`)
	get := `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`
	wants(t, post(t, url, get, ann), `"id":"t"`, `"input-required"`, `"sessionId"`)
	wants(t, post(t, url, get, bob), `"id":"t"`, `"completed"`)
	wants(t, post(t, url, get), `-32001`)
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "this"), ann), `"id":"t"`, `"completed"`)
	resubscribe := `{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"t"}}`
	wants(t, post(t, url, resubscribe, ann), `"id":"t"`, `"completed"`, `"final":true`)
}

// A caller's answer stays private, even if the caller's key is in a header that the gateway has yet to learn of: it
// fetches the agent's card with the first request.
func TestAnswersOfTheFirstCaller(t *testing.T) {
	t.Parallel()
	up := upstream(t, a2a.Generation10, func(o *server.Options) {
		o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"k": &a2a.APIKeyScheme{Location: "header",
			Name: "X-Key"}}
	})
	url := front(t, nil, gateway.Upstream{Card: up})
	ann := "X-Key: ann"
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "reply a secret"), ann), `"id":"t"`, `a secret`)
	get := `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`
	wants(t, post(t, url, get, ann), `"id":"t"`, `a secret`)
	wants(t, post(t, url, get), `-32001`)
	wants(t, post(t, url, get, "X-Key: bob"), `-32001`)
}

// An id that a caller made is no id in another tenant of the agent.
func TestIDsOfClientsInTenants(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: upstream(t, a2a.Generation10, nil)})
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "reply a secret")), `"id":"t"`, `a secret`)
	get := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t","tenant":%q}}`
	wants(t, post(t, url, fmt.Sprintf(get, ""), "A2A-Version: 1.0"), `a secret`)
	wants(t, post(t, url, fmt.Sprintf(get, "acme"), "A2A-Version: 1.0"), `-32001`)
}

// A message that refers to a task by such an id refers to the agent's own task, also if it begins a task itself.
func TestReferencesToIDsOfClients(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: upstream(t, a2a.Generation10, nil)})
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "ask")), `"id":"t"`, `"input-required"`)
	refer := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",` +
		`"parts":[{"text":"references"}],"referenceTaskIds":["t"]}}}`
	body := post(t, url, refer, "A2A-Version: 1.0")
	if !regexp.MustCompile(`refers to \[\\"[0-9a-f-]{36}\\"\]`).MatchString(body) {
		t.Errorf("the agent is referred to %s", body)
	}
}

// In front of an agent that takes ids as they come, one caller's are no other's either.
func TestIDsOfClientsBefore01(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: upstream(t, a2a.Generation01, nil)})
	ann, bob := "Authorization: Bearer ann", "Authorization: Bearer bob"
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "ask"), ann), `"id":"t"`, `"input-required"`)
	get := `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t","historyLength":9}}`
	wants(t, post(t, url, get, bob), `-32001`)
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "bob's words"), bob), `"id":"t"`, `"completed"`)
	if body := post(t, url, get, ann); !strings.Contains(body, `"input-required"`) || strings.Contains(body, "bob") {
		t.Errorf("ann's task became %s", body)
	}
	// 1.0 has no unknown tasks that come to be.
	ghost := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","taskId":"ghost",` +
		`"role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	wants(t, post(t, url, ghost, "A2A-Version: 1.0"), `-32001`)
}

// A task that ended is not subscribed to in 1.0, whatever the agent thinks of it; its updates name their context.
func TestSubscriptionsOf10(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
		c := dial(t, front(t, nil, gateway.Upstream{Card: upstream(t, gen, nil)}), a2a.Generation10, client.Options{})
		var id a2a.TaskID
		for u, err := range c.Stream(t.Context(), message("chunks")) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := u.Event.(type) {
			case *a2a.Task:
				id = e.ID
			case *a2a.StatusUpdate:
				if e.ContextID == "" {
					t.Errorf("%s: an update without context", gen)
				}
			case *a2a.ArtifactUpdate:
				if e.ContextID == "" {
					t.Errorf("%s: a chunk without context", gen)
				}
			}
		}
		if _, err := c.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: id}); !errors.Is(err,
			a2a.ErrUnsupportedOperation) {
			t.Errorf("%s: subscribed to a finished task: %v", gen, err)
		}
	}
}

// A client that does not want to wait need not, not even for an agent that knows nothing else.
func TestReturnsImmediately(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Generation01, a2a.Generation03, a2a.Generation10} {
		c := dial(t, front(t, nil, gateway.Upstream{Card: upstream(t, gen, nil)}), a2a.Generation10, client.Options{})
		request := message("hold")
		request.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
		result, err := c.SendMessage(t.Context(), request)
		if err != nil {
			t.Fatalf("%s: %v", gen, err)
		}
		task := result.(*a2a.Task)
		if task.Status.State.Terminal() {
			t.Errorf("%s: the task is %v", gen, task.Status.State)
		}
		if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID}); err != nil {
			t.Errorf("%s: cancel: %v", gen, err)
		}
	}
}

// A task that the agent has forgotten is a new one to a client of 0.1.
func TestForgottenTasks(t *testing.T) {
	t.Parallel()
	var at atomic.Pointer[http.Handler]
	handler := func() {
		e, err := engine.New(&engine.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Shutdown(context.Background()) })
		srv, err := server.New(e.Agent("w", agent.Func(worker), &engine.AgentOptions{Card: card()}),
			&server.Options{Card: card(), Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		h := http.Handler(srv)
		at.Store(&h)
	}
	handler()
	up := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*at.Load()).ServeHTTP(w, r) }))
	url := front(t, nil, gateway.Upstream{Card: up})
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "ask")), `"input-required"`)
	handler() // as if it was started again, with nothing kept
	wants(t, post(t, url, fmt.Sprintf(send01, "t", "hello")), `"id":"t"`, `"completed"`)
}

// Extensions and tenants reach the agent.
func TestExtensionsAndTenants(t *testing.T) {
	t.Parallel()
	c := card()
	c.Capabilities.Extensions = []a2a.AgentExtension{{URI: "urn:x", Required: true}}
	got := make(chan *a2a.Call, 4)
	svc := &recording{calls: got}
	url := front(t, nil, gateway.Upstream{Card: serveService(t, svc, c, a2a.Generation10, nil)})
	body := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t","tenant":"acme"}}`
	wants(t, post(t, url, body, "A2A-Version: 1.0"), `-32008`)
	wants(t, post(t, url, body, "A2A-Version: 1.0", "A2A-Extensions: urn:x"), `"id":"t"`)
	if call := <-got; call.Tenant != "acme" || len(call.Extensions) != 1 || call.Extensions[0] != "urn:x" {
		t.Errorf("the agent sees %+v", call)
	}
}

type recording struct {
	webhookService
	calls chan *a2a.Call
}

func (r *recording) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	r.calls <- a2a.CallFrom(ctx)
	return r.webhookService.GetTask(ctx, req)
}

// The gateway remembers a bounded number of ids.
func TestIDsAreForgotten(t *testing.T) {
	t.Parallel()
	url := front(t, &gateway.Options{MaxTasks: 3}, gateway.Upstream{Card: upstream(t, a2a.Generation10, nil)})
	for i := range 4 {
		wants(t, post(t, url, fmt.Sprintf(send01, fmt.Sprint("t", i), "hello")), `"completed"`)
	}
	get := `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":%q}}`
	wants(t, post(t, url, fmt.Sprintf(get, "t0")), `-32001`)
	wants(t, post(t, url, fmt.Sprintf(get, "t3")), `"completed"`)
}

// Two messages that make the same task at once make one.
func TestOneIDAtOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	up := upstream(t, a2a.Generation10, func(o *server.Options) {
		o.CardFunc, o.Card = func(context.Context, *http.Request) (*a2a.AgentCard, error) {
			asked.Add(1)
			return card(),
				nil
		}, nil
	})
	url := front(t, nil, gateway.Upstream{Card: up})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { wants(t, post(t, url, fmt.Sprintf(send01, "same", "ask")), `"id":"same"`) })
	}
	wg.Wait()
	list := post(t, up, `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, "A2A-Version: 1.0")
	wants(t, list, `"totalSize":1`)
}

// Credentials reach the agent only if its card names their scheme.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schemes map[string]a2a.SecurityScheme
		want    map[string]string
	}{
		"none": {nil, map[string]string{"Authorization": "", "X-Key": "", "Cookie": ""}},
		"bearer": {map[string]a2a.SecurityScheme{"b": &a2a.HTTPAuthScheme{Scheme: "bearer"}},
			map[string]string{"Authorization": "Bearer secret", "X-Key": "", "Cookie": ""}},
		"basic": {map[string]a2a.SecurityScheme{"b": &a2a.HTTPAuthScheme{Scheme: "Basic"}},
			map[string]string{"Authorization": "", "X-Key": ""}},
		"key": {map[string]a2a.SecurityScheme{"k": &a2a.APIKeyScheme{Location: "header", Name: "X-Key"}},
			map[string]string{"Authorization": "", "X-Key": "key"}},
		"cookie": {map[string]a2a.SecurityScheme{"k": &a2a.APIKeyScheme{Location: "cookie", Name: "session"}},
			map[string]string{"Cookie": "session=s", "Authorization": ""}},
		"forged": {map[string]a2a.SecurityScheme{"k": &a2a.APIKeyScheme{Location: "header", Name: "Host"}},
			map[string]string{"Authorization": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan http.Header, 1)
			srv, err := server.New(&webhookService{},
				&server.Options{Card: withSchemes(c.schemes), Logger: quiet, Generations: spoken(a2a.Generation10)})
			if err != nil {
				t.Fatal(err)
			}
			up := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "POST" {
					got <- r.Header.Clone()
				}
				srv.ServeHTTP(w, r)
			}))
			url := front(t, nil, gateway.Upstream{Card: up})
			post(t, url, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`,
				"A2A-Version: 1.0", "Authorization: Bearer secret", "X-Key: key", "Cookie: session=s; other=o")
			h := <-got
			for header, want := range c.want {
				if h.Get(header) != want {
					t.Errorf("%s is %q, want %q", header, h.Get(header), want)
				}
			}
		})
	}
}

// An agent that is protected by a token alone says so in its card, so the gateway passes the callers' tokens on.
func TestTheTokenOfAProtectedAgent(t *testing.T) {
	t.Parallel()
	for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
		up := upstream(t, gen,
			func(o *server.Options) { o.Authenticator = auth.Token("secret", a2a.Identity{Subject: "ann"}) })
		url := front(t, nil, gateway.Upstream{Card: up})
		if _, err := dial(t, url, gen,
			client.Options{Interceptors: []client.Interceptor{client.Bearer("secret")}}).SendMessage(t.Context(),
			message("hello")); err != nil {
			t.Errorf("%s with the token: %v", gen, err)
		}
		_, err := dial(t, url, gen,
			client.Options{Interceptors: []client.Interceptor{client.Bearer("wrong")}}).SendMessage(t.Context(),
			message("hello"))
		if !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%s with another token: %v", gen, err)
		}
	}
}

// Credentials of callers stay at the origin of the agent's card.
func TestCredentialsStayAtTheOriginOfTheCard(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			stolen.Add(1)
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	c := withSchemes(map[string]a2a.SecurityScheme{"b": &a2a.HTTPAuthScheme{Scheme: "bearer"}})
	c.SupportedInterfaces = []a2a.AgentInterface{{URL: other, Binding: a2a.BindingJSONRPC, ProtocolVersion: "1.0"}}
	text, err := c.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	home := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(text) }))
	call := func(opts *gateway.Options) string {
		return post(t, front(t, opts, gateway.Upstream{Card: home}),
			`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`, "A2A-Version: 1.0",
			"Authorization: Bearer secret")
	}
	if body := call(nil); stolen.Load() > 0 || strings.Contains(body, other) || !strings.Contains(body, `"error"`) {
		t.Errorf("%d calls with the token elsewhere; the answer is %s", stolen.Load(), body)
	}
	call(&gateway.Options{Client: client.Options{CredentialsTo: []string{other}}})
	if stolen.Load() == 0 {
		t.Error("the token was not sent where it may go")
	}
}

func withSchemes(schemes map[string]a2a.SecurityScheme) *a2a.AgentCard {
	c := card()
	c.SecuritySchemes = schemes
	return c
}

// Several agents are told apart by path and by tenant.
func TestSeveralUpstreams(t *testing.T) {
	t.Parallel()
	url := front(t, nil,
		gateway.Upstream{Name: "old", Card: upstream(t, a2a.Generation01, nil)},
		gateway.Upstream{Name: "new", Card: upstream(t, a2a.Generation10, nil)})
	for _, name := range []string{"old", "new"} {
		c := dial(t, url+"/"+name, a2a.Generation10, client.Options{})
		if got := c.Interface().URL; got != url+"/"+name {
			t.Errorf("the card of %s names %s", name, got)
		}
		if got, err := c.Ask(t.Context(), "echo "+name); err != nil || got != "echo "+name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		c = dial(t, url, a2a.Generation10, client.Options{Tenant: name})
		if got, err := c.Ask(t.Context(), "echo "+name); err != nil || got != "echo "+name {
			t.Errorf("%s as a tenant: %q, %v", name, got, err)
		}
	}
	resp, err := http.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `<a href="old/">old</a>`) ||
		!strings.Contains(string(body), `<a href="new/">new</a>`) {
		t.Errorf("the page at the root: %s %v", body, err)
	}
	c := dial(t, url, a2a.Generation10, client.Options{})
	if _, err := c.Ask(t.Context(), "hello"); !errors.Is(err, a2a.ErrInvalidParams) ||
		!strings.Contains(err.Error(), "old, new") {
		t.Errorf("without a tenant: %v", err)
	}
}

// An agent that is away is said to be, and found again.
func TestUpstreamComesBack(t *testing.T) {
	t.Parallel()
	up := httptest.NewUnstartedServer(nil)
	addr := up.Listener.Addr().String()
	up.Listener.Close()
	url := front(t, &gateway.Options{Client: client.Options{Retries: -1}}, gateway.Upstream{Card: "http://" + addr})
	body := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`
	wants(t, post(t, url, body, "A2A-Version: 1.0"), `-31503`, `cannot be reached`)
	srv, err := server.New(&webhookService{}, &server.Options{Card: card(), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skip("another program took the port; run this test again: ", err)
	}
	back := &httptest.Server{Listener: ln, Config: &http.Server{Handler: srv}}
	back.Start()
	t.Cleanup(back.Close)
	wants(t, post(t, url, body, "A2A-Version: 1.0"), `"id":"t"`)
}

func TestBadUpstreams(t *testing.T) {
	t.Parallel()
	for _, ups := range [][]gateway.Upstream{
		nil, {{}}, {{Card: "a"}, {Card: "b"}}, {{Name: "a", Card: "a"}, {Name: "a", Card: "b"}},
		{{Name: "tasks", Card: "a"}}, {{Name: "a/b", Card: "a"}}, {{Name: "v1", Card: "a"}},
		{{Name: "_webhook", Card: "a"}},
	} {
		if _, err := gateway.New(ups, nil); err == nil {
			t.Errorf("%+v is accepted", ups)
		}
	}
}

// A card that is read anew each time, but says the same, makes no new client.
func TestOneClientForOneCard(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	up := upstream(t, a2a.Generation10, func(o *server.Options) {
		o.Card, o.CardFunc = nil, func(context.Context, *http.Request) (*a2a.AgentCard, error) {
			asked.Add(1)
			return card(), nil
		}
		o.CardMaxAge = time.Nanosecond
	})
	url := front(t, nil, gateway.Upstream{Card: up})
	before := runtime.NumGoroutine()
	for range 100 {
		wants(t, post(t, url, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`, "A2A-Version: 1.0"),
			`-32001`)
	}
	if grown := runtime.NumGoroutine() - before; grown > 50 {
		t.Errorf("%d goroutines more after 100 calls", grown)
	}
	if asked.Load() < 50 {
		t.Errorf("the card was asked for %d times: the test shows nothing", asked.Load())
	}
}
