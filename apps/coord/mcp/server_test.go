// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dial returns a client of a new coordinator.
func dial(t *testing.T, opts *coordmcp.Options) *mcp.ClientSession {
	t.Helper()
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, opts).Handler())
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: srv.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	return session
}

// call calls a tool and returns its text, which has to be what the structured content says.
func call(t *testing.T, c *mcp.ClientSession, name string, arguments map[string]any) string {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(result.Content) != 1 || result.StructuredContent == nil {
		t.Fatalf("%s: %+v", name, result)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

func TestCalls(t *testing.T) {
	t.Parallel()
	c := dial(t, nil)
	me := map[string]any{"project_id": "p", "session_name": "task-001"}
	with := func(more ...any) map[string]any {
		all := map[string]any{}
		for k, v := range me {
			all[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i].(string)] = more[i+1]
		}
		return all
	}
	for _, step := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"add_todo", with("todo_item", "x", "priority", "high"),
			`"warning":"session not registered: call register_agent first"}`},
		{"register_agent", with("task_id", 1, "branch", "main", "description", "d"),
			`{"status":"registered","project_id":"p","session_name":"task-001","other_active_agents":[],` +
				`"message":"Successfully registered. 0 other agents are active in this project."}`},
		{"announce_file_change", with("file_path", "a.go", "operation", "modify", "description", nil),
			`{"status":"locked","file_path":"a.go",` +
				`"message":"File locked successfully. Remember to release when done."}`},
		{"announce_file_change", with("file_path", "a.go", "change_type", "burn"),
			`{"status":"error","error":"change_type must be one of [create modify delete refactor]","code":"invalid"}`},
		{"release_file_lock", with("file_path", "./a.go"), `{"status":"released","file_path":"./a.go"}`},
		{"get_recent_changes", map[string]any{"project_id": "p", "limit": "5"},
			`[{"session":"task-001","file_path":"a.go","change_type":"modify","description":"","timestamp":"`},
		{"get_recent_changes", map[string]any{"project_id": "p", "limit": 0},
			`[{"session":"task-001","file_path":"a.go"`},
		{"get_recent_changes", map[string]any{"project_id": "p", "limit": -3},
			`{"status":"error","error":"limit must be 0, for the default, or more","code":"invalid"}`},
		{"get_recent_changes", map[string]any{"project_id": "p", "minutes": -1},
			`{"status":"error","error":"minutes must be 0, for all that is known, or more","code":"invalid"}`},
		{"query_agent", map[string]any{"project_id": "p", "from_session": "x", "to_session": "task-001",
			"query_type": "help", "query": "?", "timeout": -5},
			`"error":"timeout must be 0, for no wait, or more","code":"invalid"`},
		{"mark_task_completed", with("task_id", "another's"),
			`{"status":"success","message":"Task another's marked as completed"}`},
		{"list_interfaces", map[string]any{"project_id": "p"}, `{}`},
		{"query_interface", map[string]any{"project_id": "p", "interface_name": "User"},
			`{"status":"not_found","error":"Interface User not found","similar":[]}`},
		{"heartbeat", map[string]any{"session_name": "x"},
			`{"status":"error","error":"project_id is missing","code":"invalid"}`},
		{"check_messages", me, `[]`},
	} {
		if got := call(t, c, step.tool, step.args); !strings.Contains(got, step.want) ||
			step.want[0] == '{' && got != step.want {
			t.Errorf("%s %v: %s", step.tool, step.args, got)
		}
	}
}

// The tool definitions have a bounded size.
func TestToolsAreSmall(t *testing.T) {
	t.Parallel()
	for extended, limit := range map[bool]int{false: 4000, true: 6000} {
		c := dial(t, &coordmcp.Options{Extended: extended})
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list.Tools)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 19, true: 21}[extended]; len(list.Tools) != want {
			t.Errorf("%d tools, want %d", len(list.Tools), want)
		}
		if tokens := len(text) / 3; tokens > limit { // English in JSON has about four bytes a token
			t.Errorf("the definitions have about %d tokens", tokens)
		}
	}
}

func TestWaitsAreCanceled(t *testing.T) {
	t.Parallel()
	c := dial(t, nil)
	for _, name := range []string{"a", "b"} {
		call(t, c, "register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": name,
			"branch": "", "description": ""})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "query_agent", Arguments: map[string]any{
		"project_id": "p", "from_session": "a", "to_session": "b", "query_type": "help", "query": "?", "timeout": 600,
	}})
	if err == nil {
		t.Fatal("the call was answered")
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if got := call(t, c, "check_messages",
			map[string]any{"project_id": "p", "session_name": "b", "peek": true}); got == "[]" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the query was not withdrawn")
		}
	}
}
