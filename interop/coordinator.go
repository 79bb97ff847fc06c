// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/coordscript"
)

// coordTools are the tools of the coordinator: the 19 of the API reference of A2AMCP, and two more.
var coordTools = []string{
	"register_agent", "heartbeat", "list_active_agents", "unregister_agent", "mark_task_completed", "add_todo",
	"update_todo",
	"get_my_todos", "get_all_todos", "query_agent", "check_messages", "respond_to_query", "broadcast_message",
	"announce_file_change",
	"release_file_lock", "get_recent_changes", "register_interface", "query_interface", "list_interfaces", "list_locks",
	"check_lock",
}

// A coordination is a coordinator of a row's own and the clients that call it.
type coordination struct{ *mcpProgram }

// playCoordinator has the clients of a peer work together by a coordinator that knows of nothing yet.
func (l *lab) playCoordinator(ctx context.Context, r *row) map[string]result {
	failed := func(err error) map[string]result {
		return map[string]result{"tools": {Scenario: "tools", Detail: err.Error()}}
	}
	url, stop, err := l.launch(ctx, exec.CommandContext(ctx, l.dragoman, "coord", "serve", "--addr", "127.0.0.1:0",
		"--data-dir", ":memory:", "--extended"))
	if err != nil {
		return failed(err)
	}
	defer stop()
	if r.peer.ownCalls {
		if err := quietly(r.program.command(ctx, r.program.client, url+"/mcp")); err != nil {
			return failed(err)
		}
		return map[string]result{"tools": {Scenario: "tools", OK: true}}
	}
	target := []string{url + "/mcp"}
	if over, _ := r.mcp(); over == "stdio" {
		target = []string{l.dragoman, "coord", "stdio", "--coord", url}
	}
	p, err := l.startMCP(ctx, r, target...)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	c := coordination{p}
	waits := newWaiting(c)
	return mcpScenarios(ctx, map[string]func(context.Context) error{
		"tools": c.tools, "resources": c.resources, "updates": c.updates, "prompt": c.prompt,
		"progress": waits.progress, "cancel": waits.cancel,
	})
}

// readScripts returns the conversations that the coordinator's own tests play, by their names.
func readScripts() (map[string]string, error) {
	files, err := filepath.Glob("../apps/coord/mcp/testdata/*.script")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("there are no scripts for the coordinator"))
	}
	scripts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		scripts[filepath.Base(file)] = string(text)
	}
	return scripts, nil
}

// tools plays the scripts.
func (c coordination) tools(ctx context.Context) error {
	scripts, err := readScripts()
	if err != nil {
		return err
	}
	one, err := c.connect(ctx, "lister", false)
	if err != nil {
		return err
	}
	if err := one.names(ctx, "tools", coordTools...); err != nil {
		return err
	}
	for name, script := range scripts {
		_, err := coordscript.Play(ctx, script, func(who string) (coordscript.Client, error) {
			client, err := c.connect(ctx, name+" "+who, false)
			return scriptClient{client}, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// A scriptClient is a client of MCP for scripts.
type scriptClient struct{ *caller }

// Call calls a tool.
func (c scriptClient) Call(ctx context.Context, tool, arguments string) (coordscript.Answer, error) {
	a, err := c.call(ctx, tool, arguments)
	if err != nil {
		return coordscript.Answer{}, err
	}
	text, err := a.text()
	return coordscript.Answer{Text: text, Structured: jsontext.Value(a.Structured), Failed: a.Failed}, err
}

// must calls tools one after the other, whose answers have to begin with a status.
func (c *caller) must(ctx context.Context, calls ...[3]string) error {
	for _, call := range calls {
		a, err := c.call(ctx, call[0], call[1])
		if err != nil {
			return err
		}
		if text, err := a.text(); err != nil || !strings.HasPrefix(text, `{"status":"`+call[2]+`"`) {
			return fmt.Errorf("%s %s: the answer is %s (%w) and should have the status %s", call[0], call[1], text, err,
				call[2])
		}
	}
	return nil
}

// resources compares each resource with the tool that tells the same.
func (c coordination) resources(ctx context.Context) error {
	one, err := c.connect(ctx, "reader", false)
	if err != nil {
		return err
	}
	views := map[string][2]string{ // a tool and its arguments
		"agents":     {"list_active_agents", `{"project_id":"resources"}`},
		"todos":      {"get_all_todos", `{"project_id":"resources"}`},
		"leases":     {"list_locks", `{"project_id":"resources"}`},
		"interfaces": {"list_interfaces", `{"project_id":"resources"}`},
		"changes":    {"get_recent_changes", `{"project_id":"resources","limit":100}`},
		"inbox/ann":  {"check_messages", `{"project_id":"resources","session_name":"ann","peek":true}`},
	}
	var templates []string
	for name := range views {
		templates = append(templates, "dragoman://{project}/"+strings.Replace(name, "/ann", "/{session}", 1))
	}
	err = errors.Join(one.names(ctx, "templates", templates...), one.must(ctx,
		[3]string{"register_agent",
			`{"project_id":"resources","session_name":"ann","task_id":"1","branch":"main","description":"d"}`,
			"registered"},
		[3]string{"add_todo", `{"project_id":"resources","session_name":"ann","todo_item":"t"}`, "added"},
		[3]string{"announce_file_change",
			`{"project_id":"resources","session_name":"ann","file_path":"x","change_type":"modify","description":"d"}`,
			"locked"},
		[3]string{"register_interface",
			`{"project_id":"resources","session_name":"ann","interface_name":"I","definition":"interface I {}"}`,
			"registered"},
		[3]string{"broadcast_message",
			`{"project_id":"resources","session_name":"bob","message_type":"info","content":"hello"}`,
			"broadcast_sent"},
	))
	if err != nil {
		return err
	}
	for name, view := range views {
		told, err := one.call(ctx, view[0], view[1])
		if err != nil {
			return err
		}
		read, err := one.do(ctx, "read", mcpRequest{URI: "dragoman://resources/" + name})
		if err != nil {
			return err
		}
		want, err := told.text()
		got, err2 := read.text()
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if got != want || len(got) < 20 {
			return fmt.Errorf("the resource %s is\n%s\nand should be\n%s", name, got, want)
		}
	}
	if _, err := one.do(ctx, "read", mcpRequest{URI: "dragoman://resources/nothing"}); err == nil {
		return errors.New("a resource is read that there is not")
	}
	return nil
}

// updates has one client hear of what another does.
func (c coordination) updates(ctx context.Context) error {
	watcher, err := c.connect(ctx, "watcher", false)
	if err != nil {
		return err
	}
	worker, err := c.connect(ctx, "worker", false)
	if err != nil {
		return err
	}
	const uri = "dragoman://updates/agents"
	if _, err := watcher.do(ctx, "subscribe", mcpRequest{URI: uri}); err != nil {
		return err
	}
	err = worker.must(ctx, [3]string{"register_agent",
		`{"project_id":"updates","session_name":"worker","task_id":"1","branch":"main","description":"d"}`,
		"registered"})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second,
		errors.New("nobody says that the resource has changed"))
	defer cancel()
	if _, err := watcher.do(ctx, "updated", mcpRequest{URI: uri}); err != nil {
		return err
	}
	read, err := watcher.do(ctx, "read", mcpRequest{URI: uri})
	if err != nil {
		return err
	}
	if text, err := read.text(); err != nil ||
		!strings.HasPrefix(text, `{"worker":{"task_id":"1","branch":"main","description":"d","status":"active"`) {
		return fmt.Errorf("the resource has changed to %s (%w)", text, err)
	}
	return nil
}

// prompt gets the prompt, which says how to begin and what goes on.
func (c coordination) prompt(ctx context.Context) error {
	one, err := c.connect(ctx, "joiner", false)
	if err != nil {
		return err
	}
	a, err := one.do(ctx, "prompt", mcpRequest{Name: "join_project",
		Arguments: json.RawMessage(`{"project_id":"prompt","session_name":"ann","task":"Mend it"}`)})
	if err != nil {
		return err
	}
	text, err := a.text()
	if err != nil {
		return err
	}
	for _, want := range []string{
		"Join the project \"prompt\" with the tools of this server; project_id is \"prompt\" in every call.\n",
		"Your session_name is \"ann\".\n",
		"Your task: Mend it\n", "1. register_agent first", "\nAgents: {}\n", "\nLocks: {\"leases\":[],\"queue\":[]}\n",
	} {
		if !strings.Contains(text, want) {
			return fmt.Errorf("the prompt is\n%s\nand should have\n%s", text, want)
		}
	}
	return nil
}

// A waiting is one call that waits for a lease, hears that it waits, and is given up.
type waiting struct {
	coordination
	heard chan error // whether it heard that it waits; then cancel goes on
}

func newWaiting(c coordination) *waiting { return &waiting{c, make(chan error, 1)} }

const waitFor = `{"project_id":"waiting","session_name":"bob","file_path":"x","change_type":"modify",` +
	`"description":"d","wait_seconds":60}`

// progress has a client wait until it hears that it waits. Then it gives up.
func (w *waiting) progress(ctx context.Context) (err error) {
	defer func() { w.heard <- err }()
	ann, err := w.connect(ctx, "ann", false)
	if err != nil {
		return err
	}
	bob, err := w.connect(ctx, "bob", false)
	if err != nil {
		return err
	}
	err = ann.must(ctx, [3]string{"announce_file_change",
		`{"project_id":"waiting","session_name":"ann","file_path":"x","change_type":"modify","description":"d"}`,
		"locked"})
	if err != nil {
		return err
	}
	a, err := bob.do(ctx, "call", mcpRequest{Tool: "announce_file_change", Arguments: json.RawMessage(waitFor),
		Progress: true, Cancel: true})
	if err != nil {
		return err
	}
	if !a.Cancelled || len(a.Progress) == 0 || a.Progress[0] != "waiting" {
		return fmt.Errorf("the call that waits ended with %+v and should hear that it is waiting", a)
	}
	return nil
}

// cancelLimit is how long it may take until a call that a client has cancelled is given up.
const cancelLimit = 5 * time.Second

// cancel sees to it that the one who gave up is not in the queue any more.
func (w *waiting) cancel(ctx context.Context) error {
	looker, err := w.connect(ctx, "looker", false)
	if err != nil {
		return err
	}
	if err := <-w.heard; err != nil {
		return fmt.Errorf("nothing was cancelled: %w", err)
	}
	for deadline := time.Now().Add(cancelLimit); ; time.Sleep(50 * time.Millisecond) {
		a, err := looker.call(ctx, "list_locks", `{"project_id":"waiting"}`)
		if err != nil {
			return err
		}
		text, err := a.text()
		if err != nil || strings.HasSuffix(text, `],"queue":[]}`) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%v after its client has cancelled the call it still waits: %s", cancelLimit, text)
		}
	}
}
