// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// generations are revisions of MCP: with sessions, and without.
var generations = []string{"2025-11-25", "2026-07-28"}

// place is a coordinator that tells callers apart by the token they send, which is their name.
type place struct {
	t   *testing.T
	url string
	hub *coord.Hub
}

func open(t *testing.T) *place {
	t.Helper()
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{
		Authorize: func(_ context.Context, header http.Header, project string, reads bool) (string, error) {
			name := header.Get("Authorization")
			if name == "" {
				return "", &coordmcp.RefusedError{Why: "this project needs a token"}
			}
			return name, nil
		},
	}).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	return &place{t, srv.URL, hub}
}

type as string

func (name as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if name != "" {
		r.Header.Set("Authorization", string(name))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// join connects somebody; told gets the URIs of resources that have changed.
func (p *place) join(name, generation string) (c *mcp.ClientSession, told chan string) {
	p.t.Helper()
	told = make(chan string, 1000)
	client := mcp.NewClient(&mcp.Implementation{Name: name}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context,
			req *mcp.ResourceUpdatedNotificationRequest) {
			told <- req.Params.URI
		},
	})
	c, err := client.Connect(p.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: p.url, HTTPClient: &http.Client{Transport: as(name)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: generation})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	if got := c.InitializeResult().ProtocolVersion; got != generation {
		p.t.Fatalf("speaks %s, want %s", got, generation)
	}
	return c, told
}

func register(t *testing.T, c *mcp.ClientSession, name string) {
	t.Helper()
	call(t, c, "register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": name,
		"branch": "main", "description": "does " + name})
}

func read(t *testing.T, c *mcp.ClientSession, uri string) (string, error) {
	t.Helper()
	result, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if result.CacheScope != "private" { // what one may read another may not
		t.Errorf("%s may be kept for others: %q", uri, result.CacheScope)
	}
	if len(result.Contents) != 1 || result.Contents[0].MIMEType != "application/json" || result.Contents[0].URI != uri {
		t.Fatalf("%s: %+v", uri, result)
	}
	return result.Contents[0].Text, nil
}

func each(t *testing.T, test func(t *testing.T, p *place, generation string)) {
	t.Parallel()
	for _, generation := range generations {
		t.Run(generation, func(t *testing.T) {
			t.Parallel()
			test(t, open(t), generation)
		})
	}
}

// The list of resources has, page by page, the projects that the caller may see.
func TestResourcesAreListed(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(nil)
	var want []string
	for i := range 45 {
		name := fmt.Sprintf("größe %02d", i)
		if _, err := hub.Do(t.Context(), name, "", coord.AddTodo{Session: "a", Item: "x"}); err != nil {
			t.Fatal(err)
		}
		if i%9 > 0 {
			want = append(want, name)
		}
	}
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{
		Sees: func(_ context.Context, _ http.Header, project string) (bool, error) {
			return slices.Contains(want, project), nil
		},
	}).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	p := &place{t: t, url: srv.URL}
	for _, generation := range generations {
		c, _ := p.join("x", generation)
		var got []string
		for r, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if project, found := strings.CutSuffix(r.Name, "/agents"); found {
				got = append(got, project)
			}
			if _, err := read(t, c, r.URI); err != nil {
				t.Errorf("%s: %v", r.URI, err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q", generation, got)
		}
		if _, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: "x"}); err == nil ||
			!strings.Contains(err.Error(), "cursor") {
			t.Errorf("a cursor that is none: %v", err)
		}
	}
}

// await waits until a resource is said to have changed.
func await(t *testing.T, told chan string, uri string) {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		select {
		case got := <-told:
			if got == uri {
				return
			}
			t.Errorf("told of %s, want %s", got, uri)
		case <-timeout:
			t.Fatalf("not told that %s has changed", uri)
		}
	}
}

func TestResourcesShowTheProject(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, _ := p.join("ann", generation)
		register(t, c, "a/b")
		register(t, c, "b")
		call(t, c, "add_todo", map[string]any{"project_id": "p", "session_name": "b", "todo_item": "write"})
		call(t, c, "announce_file_change", map[string]any{"project_id": "p", "session_name": "b", "file_path": "x.go",
			"change_type": "modify", "description": "d"})
		call(t, c, "register_interface", map[string]any{"project_id": "p", "session_name": "b",
			"interface_name": "User", "definition": "type User"})
		call(t, c, "broadcast_message", map[string]any{"project_id": "p", "session_name": "b", "message_type": "info",
			"content": "hello"})
		for uri, want := range map[string]string{
			"dragoman://p/agents":          `"b":{"task_id":"b"`,
			"dragoman://p/todos":           `"text":"write"`,
			"dragoman://p/leases":          `"paths":["x.go"]`,
			"dragoman://p/interfaces":      `{"User":{"definition":"type User"`,
			"dragoman://p/changes":         `"file_path":"x.go"`,
			"dragoman://p/inbox/a%2Fb":     `"content":"hello"`,
			"dragoman://another/agents":    `{}`,
			"dragoman://a%3Ab/inbox/ghost": `[]`,
		} {
			for range 2 { // reading an inbox leaves the messages there
				if got, err := read(t, c, uri); err != nil || !strings.Contains(got, want) {
					t.Errorf("%s: %s, %v; want %s", uri, got, err, want)
				}
			}
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 6 {
			t.Errorf("%d templates, %v", len(templates.ResourceTemplates), err)
		}
	})
}

func TestResourcesThatAreNone(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, _ := p.join("ann", generation)
		for _, uri := range []string{
			"dragoman://p/nothing", "dragoman://p", "dragoman://p/inbox", "dragoman://p/agents/x",
			"dragoman://p/inbox/a/b", "dragoman:///agents",
			"other://p/agents", "dragoman://%zz/agents", "dragoman://%00/agents",
			"dragoman://" + strings.Repeat("p", 300) + "/agents", "",
		} {
			if got, err := read(t, c, uri); err == nil {
				t.Errorf("%q: %s", uri, got)
			}
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err == nil &&
				generation == generations[0] {
				t.Errorf("%q can be subscribed to", uri)
			}
		}
	})
}

func TestSubscriptionsTellOfChanges(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, told := p.join("ann", generation)
		register(t, c, "a")
		register(t, c, "b")
		for _, what := range []string{"agents", "todos", "leases", "interfaces", "inbox/a"} {
			uri := "dragoman://p/" + what
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatalf("%s: %v", uri, err)
			}
			act := map[string]func(){
				"agents": func() {
					call(t, c, "mark_task_completed",
						map[string]any{"project_id": "p", "session_name": "b", "task_id": "b"})
				},
				"todos": func() {
					call(t, c, "add_todo", map[string]any{"project_id": "p", "session_name": "b", "todo_item": "write"})
				},
				"leases": func() {
					call(t, c, "announce_file_change",
						map[string]any{"project_id": "p", "session_name": "b", "file_path": "x.go",
							"change_type": "modify"})
				},
				"interfaces": func() {
					call(t, c, "register_interface",
						map[string]any{"project_id": "p", "session_name": "b", "interface_name": "U",
							"definition": "d"})
				},
				"inbox/a": func() {
					call(t, c, "query_agent",
						map[string]any{"project_id": "p", "from_session": "b", "to_session": "a", "query_type": "help",
							"query": "?", "wait_for_response": false})
				},
			}[what]
			subscribed(t, generation, told, uri, act)
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Subscribers are told when the project is no more, of all that it showed, and of what happens in the next one of its
// name.
func TestSubscribersOfADeletedProject(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, told := p.join("ann", generation)
		// which nothing else changes here
		for _, uri := range []string{"dragoman://p/interfaces", "dragoman://p/changes"} {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			for range 2 { // and once more in the second one
				subscribed(t, generation, told, uri, func() {
					register(t, c, "a")
					if _, err := p.hub.DeleteProject(t.Context(), "p", "ann", true); err != nil {
						t.Fatal(err)
					}
				})
			}
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// subscribed acts until the subscriber is told. Clients of 2026-07-28 do not say when their subscription has begun.
func subscribed(t *testing.T, generation string, told chan string, uri string, act func()) {
	t.Helper()
	if generation == generations[0] {
		act()
		await(t, told, uri)
		return
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		act()
		select {
		case got := <-told:
			if got == uri {
				return
			}
		case <-time.After(300 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("not told that %s has changed", uri)
		}
	}
}

// Many changes make few notifications.
func TestManyChangesAreFewNotifications(t *testing.T) {
	t.Parallel()
	c, told := open(t).join("ann", generations[0])
	register(t, c, "a")
	const uri = "dragoman://p/todos"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for i := range 100 {
		call(t, c, "add_todo", map[string]any{"project_id": "p", "session_name": "a", "todo_item": fmt.Sprint(i)})
	}
	await(t, told, uri)
	if most := int(time.Since(begun)/(100*time.Millisecond)) + 2; len(told)+1 > most {
		t.Errorf("told %d times, want %d at most", len(told)+1, most)
	}
}

func TestInboxesArePrivate(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		ann, _ := p.join("ann", generation)
		register(t, ann, "a")
		bob, told := p.join("bob", generation)
		if got, err := read(t, bob, "dragoman://p/inbox/a"); err == nil ||
			!strings.Contains(err.Error(), "registered by another caller") {
			t.Errorf("bob read %s, %v", got, err)
		}
		err := bob.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "dragoman://p/inbox/a"})
		if err == nil && generation == generations[0] {
			t.Error("bob subscribed")
		}
		register(t, bob, "b")
		call(t, bob, "broadcast_message", map[string]any{"project_id": "p", "session_name": "b", "message_type": "info",
			"content": "hello"})
		if got, err := read(t, ann, "dragoman://p/inbox/a"); err != nil || !strings.Contains(got, "hello") {
			t.Errorf("ann read %s, %v", got, err)
		}
		select {
		case uri := <-told:
			t.Errorf("bob was told of %s", uri)
		default:
		}
		nobody, _ := p.join("", generation)
		if got, err := read(t, nobody, "dragoman://p/agents"); err == nil ||
			!strings.Contains(err.Error(), "needs a token") {
			t.Errorf("nobody read %s, %v", got, err)
		}
		if _, err := nobody.GetPrompt(t.Context(),
			&mcp.GetPromptParams{Name: "join_project", Arguments: map[string]string{"project_id": "p"}}); err == nil {
			t.Error("nobody was told how to join")
		}
	})
}

// Subscriptions are bounded and end with their connection.
func TestSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	p := open(t)
	for range 2 {
		c, _ := p.join("ann", generations[0])
		for i := range 101 {
			err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: fmt.Sprintf("dragoman://p/inbox/s%d", i)})
			if full := i == 100; full != (err != nil) {
				t.Fatalf("subscription %d: %v", i, err)
			}
			if said, ok := errors.AsType[*jsonrpc.Error](err); err != nil &&
				(!ok || said.Code != jsonrpc.CodeInvalidRequest) {
				t.Errorf("refused with %v", err)
			}
		}
		c.Close()
	}
}

func TestPromptTellsHowToJoin(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, _ := p.join("ann", generation)
		register(t, c, "a")
		call(t, c, "register_interface", map[string]any{"project_id": "p", "session_name": "a",
			"interface_name": "User", "definition": strings.Repeat("long", 10_000)})
		for i := range 60 {
			call(t, c, "announce_file_change",
				map[string]any{"project_id": "p", "session_name": "a", "file_path": fmt.Sprintf("f%d.go", i),
					"change_type": "modify", "description": strings.Repeat("ä", 1000)})
		}
		got, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{
			Name: "join_project", Arguments: map[string]string{"project_id": "p", "session_name": "task-9",
				"task": "Add a login page"},
		})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Messages[0].Content.(*mcp.TextContent).Text
		for _, want := range []string{`project_id is "p"`, `"task-9"`, "Add a login page", "register_agent first",
			`"description":"does a"`, `["User"]`, "information, not instructions", "and more"} {
			if !strings.Contains(text, want) {
				t.Errorf("the prompt lacks %s", want)
			}
		}
		if len(text) > 80<<10 {
			t.Errorf("the prompt has %d bytes", len(text))
		}
		for _, bad := range []map[string]string{nil, {"project_id": "\x01"},
			{"project_id": "p", "task": strings.Repeat("x", 5000)}} {
			if _, err := c.GetPrompt(t.Context(),
				&mcp.GetPromptParams{Name: "join_project", Arguments: bad}); err == nil {
				t.Errorf("arguments %v were taken", bad)
			}
		}
	})
}
