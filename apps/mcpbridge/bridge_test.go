// SPDX-License-Identifier: Apache-2.0

package mcpbridge_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/mcpbridge"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var generations = []string{"2025-11-25", "2026-07-28"}

func each(t *testing.T, test func(t *testing.T, generation string)) {
	t.Parallel()
	for _, generation := range generations {
		t.Run(generation, func(t *testing.T) {
			t.Parallel()
			test(t, generation)
		})
	}
}

// serve runs an agent behind HTTP and returns a client of it.
func serve(t *testing.T, a agent.Func, skills ...a2a.AgentSkill) *client.Client {
	t.Helper()
	url := a2atest.Serve(t, a, &a2a.AgentCard{
		Name: "Test agent", Description: "It does what tests want", Version: "1", Skills: skills,
		DefaultInputModes:  []string{"*/*"},
		DefaultOutputModes: []string{"*/*"},
	})
	c, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func skill(id string) a2a.AgentSkill {
	return a2a.AgentSkill{ID: id, Name: "Skill " + id, Description: "Does " + id, Tags: []string{"x"},
		Examples: []string{"do " + id}}
}

// bridge connects to a bridge over HTTP.
func bridge(t *testing.T, generation string, opts *mcpbridge.Options, with *mcp.ClientOptions,
	agents ...*client.Client) *mcp.ClientSession {
	t.Helper()
	var all []mcpbridge.Agent
	for _, c := range agents {
		all = append(all, mcpbridge.Agent{Service: c, Card: c.Card()})
	}
	b, err := mcpbridge.New(all, opts)
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, generation, b.Handler(nil), with)
}

// connect connects to the endpoint of a bridge.
func connect(t *testing.T, generation string, endpoint http.Handler, with *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	srv := httptest.NewServer(endpoint)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, with).Connect(t.Context(),
		&mcp.StreamableClientTransport{
			Endpoint: srv.URL, HTTPClient: srv.Client(),
		}, &mcp.ClientSessionOptions{ProtocolVersion: generation})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		srv.CloseClientConnections()
		srv.Close()
	})
	if got := session.InitializeResult().ProtocolVersion; got != generation {
		t.Fatalf("speaks %s, want %s", got, generation)
	}
	return session
}

type report struct {
	Status    string `json:"status"`
	Question  string `json:"question"`
	Error     string `json:"error"`
	Note      string `json:"note"`
	TaskID    string `json:"task_id"`
	ContextID string `json:"context_id"`
	Agent     string `json:"agent"`
}

// call calls a tool and returns its content and what its last line reports.
func call(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) (*mcp.CallToolResult, report) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var r report
	last := result.Content[len(result.Content)-1].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		t.Fatalf("%s: %v", last, err)
	}
	return result, r
}

func textAt(t *testing.T, r *mcp.CallToolResult, i int) string {
	t.Helper()
	if i >= len(r.Content) {
		t.Fatalf("there are %d blocks", len(r.Content))
	}
	text, ok := r.Content[i].(*mcp.TextContent)
	if !ok {
		t.Fatalf("block %d is %T", i, r.Content[i])
	}
	return text.Text
}

func echo(_ context.Context, t *agent.Turn) error {
	return t.Artifact("echo", a2a.TextPart(t.Skill()+": "+t.Text()))
}

func TestSkillsAreTools(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		one := bridge(t, generation, nil, nil, serve(t, echo, skill("a b/ä"), skill("a-b"), skill("a b")))
		list, err := one.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != "a-b a_b a_b_2 cancel_task get_task" {
			t.Errorf("tools: %s", got)
		}
		for tool, id := range map[string]string{"a_b": "a b/ä", "a-b": "a-b", "a_b_2": "a b"} {
			result, r := call(t, one, tool, map[string]any{"text": "hello"})
			if got := textAt(t, result, 0); got != id+": hello" || result.IsError || r.Status != "completed" ||
				r.TaskID == "" {
				t.Errorf("%s: %q, %+v", tool, got, r)
			}
		}
		two := bridge(t, generation, nil, nil, serve(t, echo, skill("x")), serve(t, echo))
		result, r := call(t, two, "Test_agent_x", map[string]any{"text": "hello"})
		if got := textAt(t, result, 0); got != "x: hello" || r.Agent != "Test_agent" {
			t.Errorf("%s of %q", got, r.Agent)
		}
		if _, r := call(t, two, "get_task",
			map[string]any{"task_id": r.TaskID, "agent": "Test_agent"}); r.Status != "completed" {
			t.Errorf("%+v", r)
		}
		for _, bad := range []map[string]any{{"task_id": r.TaskID}, {"task_id": r.TaskID, "agent": "Test_agent_2"},
			{"agent": "Test_agent"}} {
			if result, r := call(t, two, "get_task", bad); !result.IsError || r.Error == "" {
				t.Errorf("%v: %+v", bad, r)
			}
		}
		if result, _ := call(t, two, "Test_agent_2", map[string]any{"text": "hi"}); textAt(t, result, 0) != ": hi" {
			t.Error("an agent without skills has no tool of its own")
		}
	})
}

func TestCardsAreResources(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		c := bridge(t, generation, nil, nil, serve(t, echo, skill("x")))
		list, err := c.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: list.Resources[0].URI})
		if err != nil {
			t.Fatal(err)
		}
		var card a2a.AgentCard
		if err := json.Unmarshal([]byte(got.Contents[0].Text), &card); err != nil || card.Name != "Test agent" ||
			len(card.Skills) != 1 {
			t.Errorf("%s, %v", got.Contents[0].Text, err)
		}
	})
}

// Text, data and files go in, and what the agent makes of them comes out.
func TestContentPassesBothWays(t *testing.T) {
	back := func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("all", append(t.Message().Parts, a2a.URLPart("javascript:alert(1)", "", "x"),
			a2a.URLPart("https://example.com/a.pdf", "application/pdf", "a.pdf"))...)
	}
	each(t, func(t *testing.T, generation string) {
		c := bridge(t, generation, nil, nil, serve(t, back, skill("x")))
		result, _ := call(t, c, "x", map[string]any{
			"text": "hello", "data": map[string]any{"n": 1},
			"files": []any{
				map[string]any{"name": "p.png", "media_type": "image/png", "content": "iVBORw0="},
				map[string]any{"name": "a.wav", "media_type": "audio/wav", "content": "iVBORw0="},
				map[string]any{"name": "n.txt", "text": "note"},
				map[string]any{"name": "b.bin", "media_type": "application/x", "content": "AAEC"},
				map[string]any{"name": "u", "url": "https://example.com/u"},
			},
		})
		if len(result.Content) != 10 {
			t.Fatalf("%d blocks: %+v", len(result.Content), result.Content)
		}
		if textAt(t, result, 0) != "hello" || textAt(t, result, 1) != `{"n":1}` {
			t.Error(textAt(t, result, 0), textAt(t, result, 1))
		}
		if i, ok := result.Content[2].(*mcp.ImageContent); !ok || i.MIMEType != "image/png" || len(i.Data) != 5 {
			t.Errorf("%+v", result.Content[2])
		}
		if _, ok := result.Content[3].(*mcp.AudioContent); !ok {
			t.Errorf("%T", result.Content[3])
		}
		if e, ok := result.Content[4].(*mcp.EmbeddedResource); !ok || e.Resource.Text != "note" ||
			e.Resource.MIMEType != "text/plain" {
			t.Errorf("%+v", result.Content[4])
		}
		if e, ok := result.Content[5].(*mcp.EmbeddedResource); !ok || len(e.Resource.Blob) != 3 {
			t.Errorf("%+v", result.Content[5])
		}
		if l, ok := result.Content[6].(*mcp.ResourceLink); !ok || l.URI != "https://example.com/u" {
			t.Errorf("%+v", result.Content[6])
		}
		if got := textAt(t, result, 7); got != "[a file at javascript:alert(1)]" {
			t.Error(got)
		}
		if l, ok := result.Content[8].(*mcp.ResourceLink); !ok || l.MIMEType != "application/pdf" {
			t.Errorf("%+v", result.Content[8])
		}
	})
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	c := bridge(t, generations[1], nil, nil, serve(t, echo, skill("x")))
	for _, bad := range []map[string]any{
		nil, {"text": ""}, {"text": 1}, {"data": nil}, {"files": "x"}, {"files": []any{map[string]any{"name": "x"}}},
		{"files": []any{map[string]any{"text": "x", "url": "https://x"}}},
		{"files": []any{map[string]any{"url": "file:///etc/passwd"}}},
		{"files": []any{map[string]any{"content": "?"}}}, {"text": "x", "task_id": strings.Repeat("x", 1000)},
		{"text": "x", "task_id": "none"},
	} {
		if result, r := call(t, c, "x", bad); !result.IsError || r.Status != "error" || r.Error == "" {
			t.Errorf("%v: %+v", bad, r)
		}
	}
}

func TestStreamsAreProgress(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		told := make(chan string, 100)
		goOn := make(chan struct{})
		slow := func(ctx context.Context, t *agent.Turn) error {
			if err := t.Working(a2a.TextPart("first \x1b[31mlook")); err != nil {
				return err
			}
			select {
			case <-goOn:
			case <-ctx.Done():
				return ctx.Err()
			}
			return t.Artifact("a", a2a.TextPart("done"))
		}
		c := bridge(t, generation, nil, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
				if strings.Contains(req.Params.Message, "look") { // it was told while the agent still works
					close(goOn)
				}
				told <- req.Params.Message
			},
		}, serve(t, slow, skill("x")))
		params := &mcp.CallToolParams{Name: "x", Arguments: map[string]any{"text": "go"}}
		params.SetProgressToken("p")
		result, err := c.CallTool(t.Context(), params)
		if err != nil || textAt(t, result, 0) != "done" {
			t.Fatalf("%+v, %v", result, err)
		}
		close(told)
		seen := false
		for m := range told {
			seen = seen || m == "first \ufffd[31mlook"
		}
		if !seen {
			t.Error("the status was not told")
		}
	})
}

// asker asks until it has heard two answers.
func asker(ctx context.Context, t *agent.Turn) error {
	var heard []string
	if _, err := t.LoadTask(ctx, &heard); err != nil {
		return err
	}
	heard = append(heard, t.Text())
	if err := t.SaveTask(ctx, heard); err != nil {
		return err
	}
	if len(heard) < 3 {
		return t.Ask(a2a.TextPart("What else? (" + t.Text() + ")"))
	}
	return t.Artifact("all", a2a.TextPart(strings.Join(heard, ", ")))
}

func TestQuestionsAreElicited(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		var mu sync.Mutex
		var asked []string
		c := bridge(t, generation, nil, &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, req.Params.Message)
				return &mcp.ElicitResult{Action: "accept",
					Content: map[string]any{"answer": []string{"two", "three"}[len(asked)-1]}}, nil
			},
		}, serve(t, asker, skill("x")))
		result, r := call(t, c, "x", map[string]any{"text": "one"})
		if got := textAt(t, result, 0); got != "one, two, three" || r.Status != "completed" {
			t.Errorf("%q, %+v", got, r)
		}
		if got := strings.Join(asked, "|"); got != "The agent Test agent asks: What else? (one)|The agent Test agent "+
			"asks: What else? (two)" {
			t.Error(got)
		}
	})
}

// A client that cannot ask a person, or whose person does not answer, gets the question and goes on with another call.
func TestQuestionsWithoutElicitation(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		for _, action := range []string{"", "decline", "cancel"} {
			var opts *mcp.ClientOptions
			if action != "" {
				opts = &mcp.ClientOptions{ElicitationHandler: func(context.Context,
					*mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: action}, nil
				}}
			}
			c := bridge(t, generation, nil, opts, serve(t, asker, skill("x")))
			result, r := call(t, c, "x", map[string]any{"text": "one"})
			if r.Status != "input-required" || r.TaskID == "" || result.IsError ||
				action == "" && r.Question != "What else? (one)" {
				t.Fatalf("%q: %+v", action, r)
			}
			_, r = call(t, c, "x", map[string]any{"text": "two", "task_id": r.TaskID})
			result, r = call(t, c, "x", map[string]any{"text": "three", "task_id": r.TaskID})
			if got := textAt(t, result, 0); got != "one, two, three" && action == "" {
				t.Errorf("%q: %q, %+v", action, got, r)
			}
		}
	})
}

// The bridge accepts the state that a client carries between the rounds of a call only as the bridge gave it.
func TestForgedStates(t *testing.T) {
	t.Parallel()
	c := bridge(t, generations[1], nil, nil, serve(t, asker, skill("x")))
	for _, state := range []string{"x", ".", "e30.", "eyJhZ2VudCI6IlRlc3RfYWdlbnQifQ.AAAA"} {
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "x", Arguments: map[string]any{"text": "x"}, RequestState: state,
			InputResponses: mcp.InputResponseMap{"answer": &mcp.ElicitResult{Action: "accept",
				Content: map[string]any{"answer": "x"}}},
		})
		if err != nil || !result.IsError || !strings.Contains(textAt(t, result, 0), "requestState") {
			t.Errorf("%q: %+v, %v", state, result, err)
		}
	}
}

func TestEndsOfTasks(t *testing.T) {
	ends := func(_ context.Context, t *agent.Turn) error {
		switch t.Text() {
		case "fail":
			return agent.Public("no luck", nil)
		case "reject":
			return agent.Reject(a2a.TextPart("not me"))
		case "auth":
			return t.NeedAuth(a2a.TextPart("log in"))
		case "reply":
			return t.Reply(a2a.TextPart("hi"))
		}
		return errors.New("secret")
	}
	each(t, func(t *testing.T, generation string) {
		c := bridge(t, generation, nil, nil, serve(t, ends, skill("x")))
		for text, want := range map[string]struct {
			status, first string
			failed        bool
		}{
			"fail": {"failed", "no luck", true}, "reject": {"rejected", "not me", true},
			"auth":  {"auth-required", `{"status":"auth-required","question":"log in"`, false},
			"reply": {"answered", "hi", false}, "panic": {"failed", "", true},
		} {
			result, r := call(t, c, "x", map[string]any{"text": text})
			if got := textAt(t, result, 0); r.Status != want.status || result.IsError != want.failed ||
				!strings.HasPrefix(got, want.first) || strings.Contains(got, "secret") {
				t.Errorf("%s: %s, %+v, %t", text, got, r, result.IsError)
			}
		}
	})
}

// An agent that takes long is left with its task, which can be looked at and cancelled.
func TestSlowAgents(t *testing.T) {
	slow := func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	each(t, func(t *testing.T, generation string) {
		a := serve(t, slow, skill("x"))
		c := bridge(t, generation, &mcpbridge.Options{Wait: 200 * time.Millisecond, MaxCalls: 1}, nil, a)
		_, r := call(t, c, "x", map[string]any{"text": "go"})
		if r.Status != "working" || r.TaskID == "" {
			t.Fatalf("%+v", r)
		}
		if _, r := call(t, c, "get_task", map[string]any{"task_id": r.TaskID}); r.Status != "working" {
			t.Errorf("%+v", r)
		}
		if _, r := call(t, c, "cancel_task", map[string]any{"task_id": r.TaskID}); r.Status != "canceled" {
			t.Errorf("%+v", r)
		}

		// A call that is cancelled takes the task with it.
		patient := bridge(t, generation, nil, nil, a)
		ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer stop()
		if _, err := patient.CallTool(ctx,
			&mcp.CallToolParams{Name: "x", Arguments: map[string]any{"text": "go"}}); err == nil {
			t.Error("the call was answered")
		}
		for deadline := time.Now().Add(20 * time.Second); ; {
			list, err := a.ListTasks(t.Context(), &a2a.ListTasksRequest{})
			if err != nil {
				t.Fatal(err)
			}
			open := 0
			for _, task := range list.Tasks {
				if !task.Status.State.Terminal() {
					open++
				}
			}
			if open == 0 && len(list.Tasks) == 2 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d tasks go on", open, len(list.Tasks))
			}
		}
	})
}

// Calls above the limit are refused instead of kept.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	started, end := make(chan struct{}), make(chan struct{})
	c := bridge(t, generations[0], &mcpbridge.Options{MaxCalls: 1}, nil,
		serve(t, func(ctx context.Context, t *agent.Turn) error {
			close(started)
			<-end
			return nil
		}, skill("x")))
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "x", Arguments: map[string]any{"text": "go"}})
		done <- err
	}()
	<-started
	if result, r := call(t, c, "x", map[string]any{"text": "go"}); !result.IsError ||
		!strings.Contains(r.Error, "limit") {
		t.Errorf("%+v", r)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Agents may say too much, and in characters that do things.
func TestHostileAnswers(t *testing.T) {
	hostile := func(_ context.Context, t *agent.Turn) error {
		big := strings.Repeat("ä", 40_000)
		return t.Artifact("a", a2a.TextPart("\x1b]0;title\x07\u202eevil\x00"),
			a2a.RawPart(make([]byte, 200_000), "image/png", "b\x1b.png"), a2a.TextPart(big), a2a.TextPart(big),
			a2a.TextPart(big))
	}
	many := func(_ context.Context, t *agent.Turn) error {
		for range 300 {
			if err := t.Artifact("a", a2a.TextPart("x")); err != nil {
				return err
			}
		}
		return nil
	}
	each(t, func(t *testing.T, generation string) {
		bad := skill("x")
		bad.Name, bad.Description, bad.Examples = "\x1b[2J", strings.Repeat("\u202e", 5000), []string{"a\nb"}
		c := bridge(t, generation, &mcpbridge.Options{MaxOutput: 100_000}, nil, serve(t, hostile, bad))
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := list.Tools[2].Title + list.Tools[2].Description; list.Tools[2].Name != "x" ||
			strings.ContainsAny(text, "\x1b\u202e") || len(text) > 3000 || !strings.Contains(text, "- a b\n") {
			t.Errorf("%q", text)
		}
		result, r := call(t, c, "x", map[string]any{"text": "go"})
		if got := textAt(t, result, 0); got != "\ufffd]0;title\ufffd\ufffdevil\ufffd" {
			t.Errorf("%q", got)
		}
		size := 0
		for i := range result.Content {
			size += len(textAt(t, result, i))
		}
		if size > 101_000 || !strings.Contains(r.Note, "cut at 100000 bytes") {
			t.Errorf("%d bytes, %+v", size, r)
		}
		c = bridge(t, generation, nil, nil, serve(t, many, skill("x")))
		if result, r := call(t, c, "x", map[string]any{"text": "go"}); len(result.Content) != 201 ||
			!strings.Contains(r.Note, "cut") {
			t.Errorf("%d blocks, %+v", len(result.Content), r)
		}
	})
}

func TestNoAgents(t *testing.T) {
	t.Parallel()
	if _, err := mcpbridge.New(nil, nil); err == nil {
		t.Error("a bridge to nothing was made")
	}
}
