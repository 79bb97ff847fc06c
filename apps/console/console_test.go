// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// A bench is a console with its database, which outlives it.
type bench struct {
	t   *testing.T
	db  *store.DB
	app *console.Console
	web *httptest.Server
}

func open(t *testing.T, o console.Options) *bench {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, db: db}
	b.start(o)
	t.Cleanup(func() {
		b.stop()
		db.Close()
	})
	return b
}

func (b *bench) start(o console.Options) {
	b.t.Helper()
	o.Store, o.Logger = b.db, a2atest.Quiet
	app, err := console.New(b.t.Context(), &o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.app, b.web = app, httptest.NewServer(app)
}

func (b *bench) stop() {
	b.app.Leave()
	b.web.CloseClientConnections()
	b.web.Close()
	if err := b.app.Close(); err != nil {
		b.t.Error(err)
	}
}

// ask sends a request and returns the answer's status and what it holds.
func (b *bench) ask(method, path string, body any) (int, map[string]any) {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.web.URL+"/api/"+path, bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.UnmarshalRead(resp.Body, &answer); err != nil {
		b.t.Fatalf("%s %s: %d, %v", method, path, resp.StatusCode, err)
	}
	return resp.StatusCode, answer
}

// must is ask for what succeeds.
func (b *bench) must(method, path string, body any) map[string]any {
	b.t.Helper()
	status, answer := b.ask(method, path, body)
	if status != http.StatusOK {
		b.t.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	return answer
}

// converse adds an agent and starts a conversation with it.
func (b *bench) converse(url string) (conversation string) {
	b.t.Helper()
	added := b.must("POST", "agents", map[string]any{"url": url})["agent"].(map[string]any)
	return b.must("POST", "conversations", map[string]any{"agent": added["id"]})["id"].(string)
}

func say(text string) map[string]any {
	return map[string]any{"parts": []any{map[string]any{"text": text}}}
}

// An entry is one of a conversation.
type entry struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`
	Body struct {
		Task *struct {
			Status struct {
				State string `json:"state"`
			} `json:"status"`
		} `json:"task"`
		StatusUpdate *struct {
			Status struct {
				State string `json:"state"`
			} `json:"status"`
		} `json:"statusUpdate"`
		Message string `json:"message"` // of an error
	} `json:"body"`
}

// until reads the entries of a conversation after one until found says so, and returns them.
func (b *bench) until(conversation string, after int64, found func(entry) bool) []entry {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET",
		fmt.Sprintf("%s/api/conversations/%s/entries?after=%d", b.web.URL, conversation, after), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []entry
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e entry
		if err := json.Unmarshal([]byte(text), &e); err != nil && e.Kind == "" {
			b.t.Fatalf("%s: %v", text, err)
		}
		if all = append(all, e); found(e) {
			return all
		}
	}
	b.t.Fatalf("the stream ended after %+v: %v", all, lines.Err())
	return nil
}

func inState(state string) func(entry) bool {
	return func(e entry) bool {
		return e.Body.StatusUpdate != nil && e.Body.StatusUpdate.Status.State == state ||
			e.Body.Task != nil && e.Body.Task.Status.State == state
	}
}

var card = &a2a.AgentCard{Name: "Echo", Description: "Echoes", Version: "1",
	Skills: []a2a.AgentSkill{{ID: "s", Name: "s", Description: "s", Tags: []string{"s"}}}}

// echo asks back for an empty word, and repeats others.
var echo = agent.Func(func(_ context.Context, turn *agent.Turn) error {
	if text := turn.Message().Text(); text != "ask" {
		return turn.Complete(a2a.TextPart("you said " + text))
	}
	return turn.Ask(a2a.TextPart("what?"))
})

func TestConversation(t *testing.T) {
	t.Parallel()
	b := open(t, console.Options{})
	id := b.converse(a2atest.Serve(t, echo, card))
	b.must("POST", "conversations/"+id+"/messages", say("ask"))
	first := b.until(id, 0, inState("TASK_STATE_INPUT_REQUIRED"))
	if first[0].Kind != "said" {
		t.Errorf("it begins with %+v", first[0])
	}
	b.must("POST", "conversations/"+id+"/messages", say("this"))
	b.until(id, first[len(first)-1].Seq, inState("TASK_STATE_COMPLETED"))
	state := b.must("GET", "state", nil)
	c := state["conversations"].([]any)[0].(map[string]any)
	if c["title"] != "ask" || c["state"] != "completed" || c["context"] == "" {
		t.Errorf("the conversation is %v", c)
	}
	b.must("PATCH", "conversations/"+id, map[string]any{"title": "Words", "pinned": true})
	if found := b.must("GET", "state?text=wor", nil)["conversations"].([]any); len(found) != 1 {
		t.Errorf("a search finds %v", found)
	}
	if found := b.must("GET", "state?text=%25", nil)["conversations"].([]any); len(found) != 0 {
		t.Errorf("a percent sign finds %v", found)
	}
	b.must("DELETE", "conversations/"+id, nil)
	if status, _ := b.ask("GET", "conversations/"+id+"/entries", nil); status != http.StatusNotFound {
		t.Errorf("a deleted conversation: %d", status)
	}
}

// A task that runs while the console is stopped is followed by the next one, and its conversation is whole.
func TestConversationGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	steps := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		turn.Working(a2a.TextPart("begun"))
		select {
		case text := <-next:
			return turn.Complete(a2a.TextPart(text))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	b := open(t, console.Options{})
	id := b.converse(a2atest.Serve(t, steps, card))
	b.must("POST", "conversations/"+id+"/messages", say("go"))
	before := b.until(id, 0, inState("TASK_STATE_WORKING"))
	if status, answer := b.ask("POST", "conversations/"+id+"/messages", say("more")); status != http.StatusConflict {
		t.Errorf("a second message while the first is worked on: %d %v", status, answer)
	}
	b.stop()
	b.start(console.Options{})
	go func() { next <- "done" }()
	after := b.until(id, before[len(before)-1].Seq, inState("TASK_STATE_COMPLETED"))
	if after[0].Seq != before[len(before)-1].Seq+1 {
		t.Errorf("it goes on with %d after %d", after[0].Seq, before[len(before)-1].Seq)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	endless := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		turn.Working(a2a.TextPart("begun"))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b := open(t, console.Options{})
	id := b.converse(a2atest.Serve(t, endless, card))
	b.must("POST", "conversations/"+id+"/messages", say("go"))
	b.until(id, 0, inState("TASK_STATE_WORKING"))
	b.must("POST", "conversations/"+id+"/cancel", nil)
	b.until(id, 0, inState("TASK_STATE_CANCELED"))
}

// What fails says what to do, and the conversation can go on.
func TestFailures(t *testing.T) {
	t.Parallel()
	b := open(t, console.Options{})
	gone := httptest.NewServer(http.NotFoundHandler())
	for name, test := range map[string]struct {
		method, path string
		body         any
		status       int
	}{
		"no address":          {"POST", "agents", map[string]any{"url": " "}, 400},
		"no URL":              {"POST", "agents", map[string]any{"url": "::"}, 502},
		"no card":             {"POST", "agents", map[string]any{"url": gone.URL}, 502},
		"not JSON":            {"POST", "agents", 7, 400},
		"an unknown agent":    {"POST", "conversations", map[string]any{"agent": "x"}, 404},
		"no conversation":     {"POST", "conversations/x/messages", say("a"), 404},
		"removing no agent":   {"DELETE", "agents/x", nil, 404},
		"an empty title":      {"PATCH", "conversations/x", map[string]any{"title": " "}, 400},
		"cancelling nothing":  {"POST", "conversations/x/cancel", nil, 404},
		"deleting nothing":    {"DELETE", "conversations/x", nil, 404},
		"a number of no kind": {"GET", "conversations/x/entries?after=y", nil, 404},
	} {
		status, answer := b.ask(test.method, test.path, test.body)
		if status != test.status || answer["message"] == "" {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	gone.Close()

	url := a2atest.Serve(t, echo, card)
	id := b.converse(url)
	if status, _ := b.ask("POST", "conversations/"+id+"/messages", map[string]any{"parts": []any{}}); status != 400 {
		t.Errorf("a message without parts: %d", status)
	}
	dead := httptest.NewServer(nil)
	card := *card
	card.SupportedInterfaces = []a2a.AgentInterface{{URL: dead.URL, Binding: "JSONRPC", ProtocolVersion: "1.0"}}
	text, _ := json.Marshal(&card)
	cards := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(text) }))
	defer cards.Close()
	id = b.converse(cards.URL)
	dead.Close()
	b.must("POST", "conversations/"+id+"/messages", say("a"))
	all := b.until(id, 0, func(e entry) bool { return e.Kind == "error" })
	if all[len(all)-1].Body.Message == "" {
		t.Errorf("it ends with %+v", all[len(all)-1])
	}
	b.must("POST", "conversations/"+id+"/messages", say("again"))
}

// guestsRead allows all but one caller to read only.
type guestsRead struct{}

func (guestsRead) Decide(_ context.Context, access auth.Access) error {
	if access.Call.Identity.Subject == "me" || access.Agent == "console" && access.Operation == "ReadConsole" {
		return nil
	}
	return a2a.NewError(a2a.ErrPermissionDenied, "guests only read")
}

// Other sites cannot make a browser use the console, a token is asked for where one is set, and a policy decides.
func TestCallers(t *testing.T) {
	t.Parallel()
	b := open(t, console.Options{
		Authenticator: auth.Tokens(map[string]a2a.Identity{"secret": {Subject: "me"}, "reader": {Subject: "guest"}}),
		Policy:        guestsRead{}})
	call := func(method, path string, headers ...string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, b.web.URL+path, strings.NewReader(`{"url":" "}`))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	for _, test := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/", nil, 200},
		{"GET", "/console.js", nil, 200},
		{"GET", "/.dragoman/kit.css", nil, 200},
		{"GET", "/api/state", nil, 401},
		{"GET", "/api/state", []string{"Authorization", "Bearer wrong"}, 401},
		{"GET", "/api/state", []string{"Authorization", "Bearer secret"}, 200},
		{"POST", "/api/agents", []string{"Authorization", "Bearer secret"}, 400},
		{"GET", "/api/state", []string{"Authorization", "Bearer reader"}, 200},
		{"POST", "/api/agents", []string{"Authorization", "Bearer reader"}, 403},
		{"POST", "/api/agents", []string{"Authorization", "Bearer secret", "Origin", "https://evil.example"}, 403},
		{"POST", "/api/agents", []string{"Authorization", "Bearer secret", "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		if got := call(test.method, test.path, test.headers...); got != test.want {
			t.Errorf("%s %s %v: %d, want %d", test.method, test.path, test.headers, got, test.want)
		}
	}
}
