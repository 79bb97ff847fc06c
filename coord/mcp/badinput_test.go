// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/coord"
)

// What each parameter of each tool refuses, and that the answer says which parameter it is.
func TestBadInput(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(New(hub, &Options{Extended: true}).Handler())
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: srv.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	call := func(tool string, args map[string]any) (text string, failed bool) {
		t.Helper()
		result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s %v: %v", tool, args, err)
		}
		return result.Content[0].(*sdk.TextContent).Text, result.IsError
	}
	for _, name := range []string{"a", "b"} {
		call("register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": "1", "branch": "", "description": ""})
	}
	// What may be left out though the reference of A2AMCP has it as required.
	lenient := []string{"branch", "description", "query_type", "message_type"}
	for i := range tools {
		tool := &tools[i]
		for _, p := range append([]param{projectID}, tool.params...) {
			refuses := func(why string, value any) {
				t.Helper()
				args := goodArgs(tool)
				if args[p.name] = value; value == nil {
					delete(args, p.name)
				}
				text, failed := call(tool.name, args)
				if !failed || !strings.HasPrefix(text, `{"status":"error","error":"`) || !strings.Contains(text, `"code":"invalid"`) || !strings.Contains(text, p.name) {
					t.Errorf("%s: %s is %s: %.200s", tool.name, p.name, why, text)
				}
			}
			refuses("an object", map[string]any{"x": 1})
			if p.kind != "array" {
				refuses("an array", []any{"x"})
			}
			if !p.optional && !slices.Contains(lenient, p.name) {
				refuses("missing", nil)
			}
			switch {
			case p.kind == "string" && p.enum != nil:
				refuses("none of its values", "banana")
			case p.kind == "string":
				refuses("too long", strings.Repeat("x", 70_000))
			case p.kind == "integer":
				refuses("a word", "many")
				if p.name != "fencing_token" {
					refuses("too large", 1e12)
				}
				if !slices.Contains([]string{"timeout", "wait_seconds", "ttl_seconds"}, p.name) {
					refuses("a fraction", 1.5)
				}
			case p.kind == "boolean":
				refuses("a word", "perhaps")
			}
			if slices.Contains([]string{"project_id", "session_name", "from_session", "to_session", "task_id", "interface_name", "file_path"}, p.name) {
				refuses("with a character that no name has", "a\x00b")
			}
		}
	}
}

// goodArgs returns arguments that a tool takes.
func goodArgs(tool *tool) map[string]any {
	good := map[string]any{
		"project_id": "p", "session_name": "a", "from_session": "a", "to_session": "b", "task_id": "1", "branch": "main", "description": "d",
		"todo_item": "t", "todo_id": "todo-1.5", "query_type": "help", "query": "?", "message_id": "b-1.5", "response": "!", "message_type": "info",
		"content": "c", "file_path": "x", "interface_name": "I", "definition": "type I", "wait_for_response": false,
	}
	args := map[string]any{"project_id": "p"}
	for _, p := range tool.params {
		if v, ok := good[p.name]; ok {
			args[p.name] = v
		}
		switch {
		case p.name == "status":
			args[p.name] = "pending"
		case p.name == "change_type":
			args[p.name] = "modify"
		}
	}
	return args
}
