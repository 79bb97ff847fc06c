// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"net/http/httptest"
	"reflect"
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
	// What may be left out though the reference of A2AMCP has it as required: labels that nothing depends on.
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

// What programs send that models are not told of, and numbers that no float holds.
func TestUndeclaredArguments(t *testing.T) {
	t.Parallel()
	a, err := readArgs([]byte(`{"session_name":"s","file_path":"x","fencing_token":9007199254740993,"auto":true,"literal":"true","resume":1,"details":true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]coord.Command{
		"register_agent":       coord.Register{Session: "s", Resume: true},
		"announce_file_change": coord.Announce{Session: "s", Paths: []string{"x"}, Auto: true, Literal: true, Details: true},
		"release_file_lock":    coord.Release{Session: "s", Path: "x", Token: 9007199254740993, Auto: true, Literal: true},
		"check_lock":           coord.CheckLock{Session: "s", Path: "x", Token: 9007199254740993, Literal: true},
		"get_recent_changes":   coord.RecentChanges{Limit: 20, Details: true},
	}
	for i := range tools {
		if c, ok := want[tools[i].name]; ok {
			if got := tools[i].command(a); !reflect.DeepEqual(got, c) || a.err != nil {
				t.Errorf("%+v, want %+v; %v", got, c, a.err)
			}
		}
	}
	for _, token := range []string{`1.5`, `"x"`, `-1`, `9223372036854775808`, `1e3`, `true`} {
		a, err := readArgs([]byte(`{"fencing_token":` + token + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.token("fencing_token"); a.err == nil {
			t.Errorf("%s is read as %d", token, got)
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
