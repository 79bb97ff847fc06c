// SPDX-License-Identifier: Apache-2.0

package a2abridge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/a2abridge"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// world is a coordinator with the bridge beside it.
type world struct {
	t   *testing.T
	hub *coord.Hub
	b   *a2abridge.Bridge
	url string
}

func open(t *testing.T, o a2abridge.Options) *world {
	t.Helper()
	hub := coord.NewHub(nil)
	o.Hub, o.Logger = hub, silent
	b, err := a2abridge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	d := daemon.New(daemon.Options{Hub: hub, MCP: coordmcp.Options{Ask: b.Ask}, Logger: silent})
	d.Handle(a2abridge.Prefix, b)
	srv := httptest.NewServer(d)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		hub.Close()
	})
	return &world{t, hub, b, srv.URL}
}

func (w *world) do(principal string, c coord.Command) coord.Result {
	w.t.Helper()
	result, err := w.hub.Do(w.t.Context(), "p", principal, c)
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

func (w *world) register(principal, name string) {
	w.t.Helper()
	w.do(principal, coord.Register{Session: name, TaskID: "t-1", Branch: "main", Description: "Writes the login page"})
}

// inbox waits until a session has a message, and returns all of them.
func (w *world) inbox(principal, name string) []map[string]any {
	w.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		text, err := json.Marshal(w.do(principal, coord.Check{Session: name}))
		if err != nil {
			w.t.Fatal(err)
		}
		var all []map[string]any
		if err := json.Unmarshal(text, &all); err != nil {
			w.t.Fatal(err)
		}
		if len(all) > 0 {
			return all
		}
		<-time.After(time.Millisecond)
	}
	w.t.Fatalf("no message for %s", name)
	return nil
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// dial returns a client of the agent that a session is.
func (w *world) dial(token, path string) *client.Client {
	w.t.Helper()
	c, err := client.Dial(w.t.Context(), w.url+"/a2a/"+path,
		&client.Options{HTTPClient: &http.Client{Transport: bearer(token)}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

func TestSessionsAreAgents(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{})
	w.register("", "task 1/ä")
	c := w.dial("", "p/task%201%2F%C3%A4")
	if got := c.Card(); got.Name != "task 1/ä" || got.Description != "Writes the login page" ||
		!strings.Contains(got.Skills[0].Description, "t-1") || len(got.SecuritySchemes) != 0 {
		t.Errorf("%+v", got)
	}
	states := make(chan a2a.TaskState, 10)
	answer := make(chan string, 1)
	go func() {
		defer close(states)
		req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Which fields?"))}
		for u, err := range c.Stream(t.Context(), req) {
			if err != nil {
				t.Error(err)
				return
			}
			switch e := u.Event.(type) {
			case *a2a.Task:
				states <- e.Status.State
			case *a2a.StatusUpdate:
				states <- e.Status.State
			case *a2a.ArtifactUpdate:
				answer <- e.Artifact.Text()
			}
		}
	}()
	got := w.inbox("", "task 1/ä")
	if len(got) != 1 || got[0]["from"] != "a2a:anonymous" || got[0]["content"] != "Which fields?" ||
		got[0]["type"] != "query" {
		t.Fatalf("%v", got)
	}
	for state := range states {
		if state == a2a.TaskStateWorking {
			break // while nobody has answered
		}
	}
	w.do("", coord.Respond{From: "task 1/ä", MessageID: got[0]["id"].(string), Response: "name and email"})
	last := a2a.TaskStateUnspecified
	for last = range states {
	}
	if text := <-answer; text != "name and email" || last != a2a.TaskStateCompleted {
		t.Errorf("%s, %s", text, last)
	}
}

func TestMessagesThatGetNoAnswer(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{Timeout: 200 * time.Millisecond})
	w.register("", "a")
	c := w.dial("", "p/a")
	_, err := c.Ask(t.Context(), "anybody there?")
	failed, ok := errors.AsType[*client.TaskError](err)
	if !ok || failed.Task.Status.State != a2a.TaskStateFailed ||
		!strings.Contains(err.Error(), "No response received within 0.2 seconds") {
		t.Errorf("%v", err)
	}
	if got := w.do("", coord.Check{Session: "a"}).([]any); len(got) != 0 {
		t.Errorf("the query is still there: %v", got)
	}
	for why, text := range map[string]string{"longer than": strings.Repeat("x", 70_000), "query is missing": ""} {
		part := a2a.TextPart(text)
		_, task := send(t, c, part)
		if task.Status.State != a2a.TaskStateRejected || !strings.Contains(task.Status.Message.Text(), why) {
			t.Errorf("%s: %+v", why, task.Status)
		}
	}
	w.do("", coord.Unregister{Session: "a"})
	if _, err := c.Ask(t.Context(), "anybody there?"); err == nil ||
		!strings.Contains(err.Error(), `no session "a" is registered in the project "p"`) {
		t.Errorf("%v", err)
	}
}

func send(t *testing.T, c *client.Client, parts ...a2a.Part) (*a2a.Message, *a2a.Task) {
	t.Helper()
	result, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, parts...)})
	if err != nil {
		t.Fatal(err)
	}
	switch r := result.(type) {
	case *a2a.Task:
		return nil, r
	case *a2a.Message:
		return r, nil
	}
	return nil, nil
}

func TestCancelWithdrawsTheQuery(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{})
	w.register("", "a")
	c := w.dial("", "p/a")
	result, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("?")),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	peek := func() int { return len(w.do("", coord.Check{Session: "a", Peek: true}).([]any)) }
	for deadline := time.Now().Add(20 * time.Second); peek() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the query does not come")
		}
	}
	task, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: result.(*a2a.Task).ID})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Fatalf("%+v, %v", task, err)
	}
	if n := peek(); n != 0 {
		t.Errorf("%d queries are left", n)
	}
}

func TestAgentsNeedTheProjectsToken(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{Authorize: func(_ context.Context, h http.Header, project string,
		reads bool) (string, error) {
		switch name := strings.TrimPrefix(h.Get("Authorization"), "Bearer "); {
		case name == "ann", name == "bob", name == "observer" && reads:
			return name, nil
		}
		return "", errors.New("no")
	}})
	w.register("ann", "a")
	strange := w.dial("", "p/a")
	if got := strange.Card(); got.Description == "Writes the login page" || len(got.SecurityRequirements) != 1 {
		t.Errorf("strangers see %+v", got)
	}
	if w.dial("", "p/ghost").Card().Name != "ghost" {
		t.Error("strangers can tell who is there")
	}
	if got := w.dial("observer", "p/a").Card(); got.Description != "Writes the login page" ||
		len(got.SecurityRequirements) != 1 {
		t.Errorf("observers see %+v", got)
	}
	for _, token := range []string{"", "wrong", "observer"} {
		if _, err := w.dial(token, "p/a").Ask(t.Context(), "?"); !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%q: %v", token, err)
		}
	}
	go func() {
		got := w.inbox("ann", "a")
		if got[0]["from"] != "a2a:bob" {
			t.Errorf("%v", got)
		}
		w.do("ann", coord.Respond{From: "a", MessageID: got[0]["id"].(string), Response: "yes"})
	}()
	bob := w.dial("bob", "p/a")
	if got, err := bob.Ask(t.Context(), "?"); err != nil || got != "yes" {
		t.Fatalf("%s, %v", got, err)
	}
	list, err := bob.ListTasks(t.Context(), &a2a.ListTasksRequest{})
	if err != nil || len(list.Tasks) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	w.register("ann", "b")
	// another caller, another session
	for _, other := range []*client.Client{w.dial("ann", "p/a"), w.dial("bob", "p/b")} {
		if _, err := other.GetTask(t.Context(), &a2a.GetTaskRequest{ID: list.Tasks[0].ID}); !errors.Is(err,
			a2a.ErrTaskNotFound) {
			t.Errorf("%v", err)
		}
		if list, err := other.ListTasks(t.Context(), &a2a.ListTasksRequest{Tenant: "p/a"}); err == nil &&
			len(list.Tasks) != 0 {
			t.Errorf("%+v", list)
		}
	}
}

func TestPathsWithoutAgent(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{})
	w.register("", "a")
	for _, path := range []string{"/a2a/", "/a2a/p", "/a2a/p/", "/a2a/p/ghost", "/a2a/p/ghost/",
		"/a2a/p/ghost/.well-known/agent-card.json", "/a2a/p/%00/.well-known/agent-card.json",
		"/a2a/%ff/%fe/.well-known/agent-card.json"} {
		resp, err := http.Get(w.url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, resp.Status)
		}
		if strings.HasPrefix(path, "/a2a/p/ghost/") &&
			!strings.Contains(string(text), `no session "ghost" is registered in the project "p"`) {
			t.Errorf("%s: %s", path, text)
		}
	}
}

// outside serves an agent of somebody else and returns its URL.
func outside(t *testing.T, f agent.Func) string {
	t.Helper()
	e, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(e.Agent("a", f, nil),
		&server.Options{Logger: silent, Card: &a2a.AgentCard{Name: "Outside", Description: "d", Version: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		e.Shutdown(ctx)
	})
	return srv.URL
}

func expert(ctx context.Context, t *agent.Turn) error {
	switch text := t.Text(); {
	case text == "ask back":
		return t.Ask(a2a.TextPart("Which one?"))
	case text == "fail":
		return agent.Public("no luck", nil)
	case text == "reply":
		return t.Reply(a2a.TextPart("hi"))
	case text == "long":
		return t.Artifact("a", a2a.TextPart(strings.Repeat("ä", 100_000)))
	case text == "huge":
		return t.Artifact("a", a2a.TextPart(strings.Repeat("x", 5<<20)))
	case text == "slow":
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		return t.Artifact("a", a2a.TextPart("at last"))
	case len(t.Task().History) > 1:
		return t.Artifact("a", a2a.TextPart("then "+text))
	default:
		return t.Artifact("a", a2a.TextPart("you said "+text))
	}
}

// query asks through MCP, as coding agents do.
func (w *world) query(c *mcp.ClientSession, to, text string, more ...any) string {
	w.t.Helper()
	args := map[string]any{"project_id": "p", "from_session": "me", "to_session": to, "query_type": "help",
		"query": text, "timeout": 20}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	result, err := c.CallTool(w.t.Context(), &mcp.CallToolParams{Name: "query_agent", Arguments: args})
	if err != nil {
		w.t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

func (w *world) connect() *mcp.ClientSession {
	w.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(w.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: w.url + "/mcp"}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

func TestSessionsAskAgents(t *testing.T) {
	t.Parallel()
	url := outside(t, expert)
	w := open(t, a2abridge.Options{Agents: map[string]string{"expert": url, "gone": "http://127.0.0.1:1"}})
	w.register("", "me")
	c := w.connect()
	for _, step := range []struct{ to, text, want string }{
		{"a2a:expert", "hello", `{"status":"received","response":"you said hello"}`},
		{"a2a:" + url, "hello", `{"status":"received","response":"you said hello"}`},
		{"a2a:expert", "reply", `{"status":"received","response":"hi"}`},
		{"a2a:expert", "ask back",
			`{"status":"received","response":"Which one?\n\n(The agent asks this back. Answer it`},
		{"a2a:expert", "the blue one", `{"status":"received","response":"then the blue one"}`},
		{"a2a:expert", "hello", `{"status":"received","response":"you said hello"}`},
		{"a2a:expert", "fail", `{"status":"error","error":"Agent did not answer: the task is failed. no luck"}`},
		{"a2a:gone", "hello",
			`{"status":"error","error":"Agent a2a:gone cannot be reached; the log of the coordinator says why"}`},
		{"a2a:other", "hello",
			`{"status":"not_found",` +
				`"error":"Agent a2a:other not found in project p; ` +
				`A2A agents that can be asked: a2a:expert, a2a:gone"}`},
		{"a2a:" + url + "/x", "hello", `{"status":"not_found"`},
		{"a2a:http://169.254.169.254/", "hello", `{"status":"not_found"`},
		{"a2a:expert", "", `{"status":"error","error":"query is missing","code":"invalid"}`},
		{"a2a:expert", strings.Repeat("x", 70_000),
			`{"status":"error","error":"query is longer than 65536 bytes","code":"invalid"}`},
		{"ghost", "hello", `{"status":"not_found","error":"Agent ghost not found in project p"}`},
		{"a2a:expert", "huge", `{"status":"error","error":"Agent `},
	} {
		if got := w.query(c, step.to, step.text); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s %.20s: %.300s", step.to, step.text, got)
		}
	}
	if got := w.query(c, "a2a:expert", "hello", "timeout",
		-5); got != `{"status":"error","error":"timeout must be 0, for no wait, or more","code":"invalid"}` {
		t.Errorf("a timeout below 0: %s", got)
	}
	if got := w.query(c, "a2a:expert", "long"); len(got) > 66_000 ||
		!strings.HasSuffix(got, `... (the answer was longer)"}`) {
		t.Errorf("%d bytes: %s", len(got), got[max(0, len(got)-100):])
	}
}

// An answer that comes late, or that nobody waited for, is in the inbox under the id of the query.
func TestLateAnswersOfAgents(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{Agents: map[string]string{"expert": outside(t, expert)}})
	w.register("", "me")
	c := w.connect()
	for _, how := range [][]any{{"timeout", 0}, {"wait_for_response", false}} {
		var sent struct {
			Status string `json:"status"`
			ID     string `json:"message_id"`
		}
		if err := json.Unmarshal([]byte(w.query(c, "a2a:expert", "slow", how...)), &sent); err != nil ||
			sent.ID == "" || sent.Status == "received" {
			t.Fatalf("%+v, %v", sent, err)
		}
		got := w.inbox("", "me")
		if got[0]["type"] != "response" || got[0]["response_to"] != sent.ID || got[0]["content"] != "at last" ||
			got[0]["from"] != "a2a:expert" {
			t.Errorf("%v", got)
		}
	}
}

func TestAskingForOthers(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{Agents: map[string]string{"expert": outside(t, expert)}, MaxAsked: 1})
	w.register("ann", "a")
	q := coord.Ask{From: "a", To: "a2a:expert", Query: "hello", Wait: true, Timeout: 10 * time.Second}
	result, handled, err := w.b.Ask(t.Context(), "p", "bob", q)
	if f, ok := result.(coord.Failure); !handled || err != nil || !ok || f.Code != coord.CodeForbidden {
		t.Errorf("%+v, %t, %v", result, handled, err)
	}
	slow := q
	slow.Query, slow.Wait = "slow", false
	if _, _, err := w.b.Ask(t.Context(), "p", "ann", slow); err != nil {
		t.Fatal(err)
	}
	result, _, err = w.b.Ask(t.Context(), "p", "ann", q)
	if f, ok := result.(coord.Failure); err != nil || !ok || f.Code != coord.CodeLimit {
		t.Errorf("%+v, %v", result, err)
	}
	q.To = "b"
	if _, handled, _ := w.b.Ask(t.Context(), "p", "ann", q); handled {
		t.Error("a query to a session was taken")
	}
}

// A query that is cancelled cancels the agent's task.
func TestCancelReachesTheAgent(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	w := open(t, a2abridge.Options{Agents: map[string]string{"x": outside(t,
		func(ctx context.Context, t *agent.Turn) error {
			close(begun)
			<-ctx.Done()
			close(ended)
			return ctx.Err()
		})}})
	w.register("", "me")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, _, err := w.b.Ask(ctx, "p", "", coord.Ask{From: "me", To: "a2a:x", Query: "?", Wait: true,
		Timeout: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the agent goes on")
	}
}

// A request for an unregistered session gets an error. Clients that have tasks with it find them.
func TestSessionsThatHaveGone(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{})
	w.register("", "a")
	go func() {
		w.do("", coord.Respond{From: "a", MessageID: w.inbox("", "a")[0]["id"].(string), Response: "yes"})
	}()
	if _, err := w.dial("", "p/a").Ask(t.Context(), "?"); err != nil {
		t.Fatal(err)
	}
	w.do("", coord.Unregister{Session: "a"})
	w.register("", "b")
	w.do("", coord.Retire{Session: "b"})
	if _, err := client.Dial(t.Context(), w.url+"/a2a/p/b", nil); err == nil ||
		!strings.Contains(err.Error(), `says "no session \"b\" is registered in the project \"p\": it has left`) {
		t.Error(err)
	}
	c := w.dial("", "p/a")
	list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{})
	if err != nil || len(list.Tasks) != 1 || list.Tasks[0].Status.State != a2a.TaskStateCompleted {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := c.Ask(t.Context(), "?"); err == nil ||
		!strings.Contains(err.Error(), `no session "a" is registered in the project "p"`) {
		t.Error(err)
	}
}

// An answer of an agent that comes as its call is canceled is in the inbox.
func TestAnswersToCanceledCalls(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	var srv *httptest.Server
	// an agent that makes no task
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			fmt.Fprintf(w, `{"name":"x","description":"d","version":"1","capabilities":{},"skills":[],
				"defaultInputModes":["text/plain"],
				"defaultOutputModes":["text/plain"],"supportedInterfaces":[{"url":%q,"protocolBinding":"JSONRPC",
				"protocolVersion":"1.0"}]}`, srv.URL)
			return
		}
		var call struct {
			ID jsontext.Value `json:"id"`
		}
		if err := json.UnmarshalRead(r.Body, &call); err != nil {
			t.Error(err)
		}
		close(begun)
		<-goOn
		fmt.Fprintf(w,
			`{"jsonrpc":"2.0","id":%s,"result":{"message":{"messageId":"m","role":"ROLE_AGENT",`+
				`"parts":[{"text":"hi"}]}}}`, call.ID)
	}))
	t.Cleanup(srv.Close)
	w := open(t, a2abridge.Options{Agents: map[string]string{"x": srv.URL}})
	w.register("", "me")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, _, err := w.b.Ask(ctx, "p", "", coord.Ask{From: "me", To: "a2a:x", Query: "?", Wait: true,
		Timeout: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(goOn)
	if got := w.inbox("", "me"); got[0]["type"] != "response" || got[0]["content"] != "hi" {
		t.Errorf("%v", got)
	}
}

// A call whose connection ended has not canceled its query: the agent goes on, and its answer is in the inbox.
func TestAnswersToCallsThatWereCutOff(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := open(t, a2abridge.Options{Agents: map[string]string{"x": outside(t,
		func(ctx context.Context, t *agent.Turn) error {
			if err := t.Working(); err != nil {
				return err
			}
			close(begun)
			select {
			case <-goOn:
				return t.Artifact("a", a2a.TextPart("at last"))
			case <-ctx.Done():
				return ctx.Err()
			}
		})}})
	w.register("", "me")
	ctx, cut := context.WithCancelCause(t.Context())
	go func() {
		<-begun
		cut(coord.ErrDisconnected)
	}()
	if _, _, err := w.b.Ask(ctx, "p", "", coord.Ask{From: "me", To: "a2a:x", Query: "?", Wait: true,
		Timeout: time.Minute}); !errors.Is(err, coord.ErrDisconnected) {
		t.Error(err)
	}
	close(goOn)
	if got := w.inbox("", "me"); got[0]["type"] != "response" || got[0]["content"] != "at last" {
		t.Errorf("%v", got)
	}
}

// Late answers come also to a session that has not registered, which is then the caller's.
func TestLateAnswersToGuests(t *testing.T) {
	t.Parallel()
	w := open(t, a2abridge.Options{Agents: map[string]string{"expert": outside(t, expert)}})
	c := w.connect()
	if got := w.query(c, "a2a:expert", "slow", "wait_for_response", false); !strings.Contains(got, `"sent"`) {
		t.Fatal(got)
	}
	if f, refused := w.do("eve", coord.Check{Session: "me"}).(coord.Failure); !refused ||
		f.Code != coord.CodeForbidden {
		t.Errorf("somebody else reads the inbox: %+v", f)
	}
	if got := w.inbox("", "me"); got[0]["type"] != "response" || got[0]["content"] != "at last" {
		t.Errorf("%v", got)
	}
}
