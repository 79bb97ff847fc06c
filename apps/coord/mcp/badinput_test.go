// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// undeclared are the parameters that no schema has, by tool.
var undeclared = map[string][]param{
	"register_agent":       {flag("resume"), number("patience_seconds", "").opt()},
	"announce_file_change": {flag("auto"), flag("literal"), flag("details")},
	"release_file_lock":    {flag("auto"), flag("literal")},
	"get_recent_changes":   {number("minutes", "").opt(), flag("details")},
	"check_lock":           {flag("literal")},
}

func flag(name string) param { return param{name: name, kind: "boolean", optional: true} }

// A desk is a coordinator with agents a and b in project p, and a client that calls its tools.
type desk struct {
	t   *testing.T
	hub *coord.Hub
	c   *sdk.ClientSession
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(New(hub, &Options{Extended: true}).Handler())
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: srv.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	d := &desk{t, hub, c}
	for _, name := range []string{"a", "b"} {
		d.call("register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": "1", "branch": "",
			"description": ""})
	}
	return d
}

func (d *desk) call(tool string, args map[string]any) (text string, failed bool) {
	d.t.Helper()
	result, err := d.c.CallTool(d.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		d.t.Fatalf("%s %v: %v", tool, args, err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// A wrong is a value that a parameter does not take, and what the answer says that it takes.
type wrong struct {
	why    string
	value  any // nil leaves the parameter out
	allows []string
}

// lenient are the labels that may be left out, though the reference of A2AMCP requires them.
var lenient = []string{"branch", "description", "query_type", "message_type"}

// wrongs returns what a parameter does not take.
func wrongs(p param) []wrong {
	kinds := map[string][]string{"string": {"a string"}, "array": {"a list of strings"}, "boolean": {"true or false"},
		"integer": {" number"}}
	zero := []string{"0"} // in what is said of numbers below it
	switch p.name {
	case "priority":
		kinds["integer"] = []string{"1 (high), 2 (medium) or 3 (low)"}
		zero = kinds["integer"]
	case "fencing_token":
		kinds["integer"] = []string{"a whole number, 0 or more"}
	}
	of := kinds[p.kind]
	all := []wrong{{"an object", map[string]any{"x": 1}, of}}
	if p.kind != "array" {
		all = append(all, wrong{"an array", []any{"x"}, of})
	}
	if !p.optional && !slices.Contains(lenient, p.name) {
		all = append(all, wrong{"missing", nil, orElse(p.enum, "is missing")})
	}
	switch {
	case p.enum != nil:
		all = append(all, wrong{"none of its values", "banana", p.enum},
			wrong{"in capitals", strings.ToUpper(p.enum[0]), p.enum})
	case p.kind == "string":
		all = append(all, wrong{"too long", strings.Repeat("x", 70_000), []string{" bytes"}})
	case p.kind == "array":
		all = append(all,
			wrong{"a list of numbers", []any{1, 2}, of},
			wrong{"too many", make([]string, 101), []string{"100", "limit"}},
			wrong{"with one that is too long", []string{"x", strings.Repeat("x", 2000)}, []string{"1024 bytes"}},
			wrong{"with one that leads out", []string{"x", "../y"}, []string{`"../y" leads out of the project`}},
			wrong{"with one of the root", []string{"x", "/y"}, []string{"relative to the project's root"}},
			wrong{"with one that does not show", []string{"x", "a\x00b"},
				[]string{"any characters but those that do not show"}},
		)
	case p.kind == "integer":
		all = append(all, wrong{"a word", "many", of}, wrong{"below zero", -1, zero})
		if p.name != "fencing_token" {
			all = append(all, wrong{"too large", 1e12, of})
		}
		if !strings.Contains(p.name, "seconds") && !slices.Contains([]string{"timeout", "minutes"}, p.name) {
			all = append(all, wrong{"a fraction", 1.5, of})
		}
	case p.kind == "boolean":
		all = append(all, wrong{"a word", "perhaps", of}, wrong{"a number", 2, of})
	}
	if slices.Contains([]string{"project_id", "session_name", "from_session", "to_session", "task_id", "interface_name",
		"file_path"}, p.name) {
		all = append(all, wrong{"with a character that does not show", "a\x00b",
			[]string{"any characters but those that do not show"}})
	}
	if p.name == "project_id" {
		all = append(all, wrong{"a path", "../p", []string{"must not have .."}})
	}
	return all
}

func orElse(values []string, other string) []string {
	if values == nil {
		return []string{other}
	}
	return values
}

// Each parameter of each tool refuses bad values, and the answer names the parameter and the values that it takes.
func TestBadInput(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range tools {
		tool := &tools[i]
		for _, p := range slices.Concat([]param{projectID}, tool.params, undeclared[tool.name]) {
			for _, w := range wrongs(p) {
				args := goodArgs(tool)
				if args[p.name] = w.value; w.value == nil {
					delete(args, p.name)
				}
				text, failed := d.call(tool.name, args)
				code := strings.Contains(text, `"code":"invalid"`) || strings.Contains(text, `"code":"limit"`)
				if !failed || !strings.HasPrefix(text, `{"status":"error","error":"`) || !code ||
					!strings.Contains(text, p.name) {
					t.Errorf("%s: %s is %s: %.200s", tool.name, p.name, w.why, text)
				}
				for _, allowed := range w.allows {
					if !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), allowed) {
						t.Errorf("%s: %s is %s: %.200s does not say %q", tool.name, p.name, w.why, text, allowed)
					}
				}
			}
		}
	}
}

// Each tool answers in an empty project, and for an unregistered session.
func TestUnknownProjectsAndSessions(t *testing.T) {
	t.Parallel()
	const guest = `"warning":"session not registered: call register_agent first"`
	type answers struct{ project, session []string } // parts of them; of tools that are of no session the last is nil
	want := map[string]answers{
		"register_agent": {[]string{`{"status":"registered","project_id":"PROJECT"`, `"other_active_agents":[]`},
			[]string{`{"status":"registered"`}},
		"heartbeat": {[]string{`{"status":"not_found",` +
			`"error":"Agent a not found in project PROJECT; register again`},
			[]string{`{"status":"not_found","error":"Agent ghost not found in project p; register again`}},
		"list_active_agents": {[]string{`{}`}, nil},
		"unregister_agent": {[]string{`{"status":"not_found","error":"Agent a not found in project PROJECT"`},
			[]string{`{"status":"not_found","error":"Agent ghost not found in project p"`}},
		"mark_task_completed": {[]string{`{"status":"success"`, guest}, []string{`{"status":"success"`, guest}},
		"add_todo":            {[]string{`{"status":"added"`, guest}, []string{`{"status":"added"`, guest}},
		"update_todo":         {[]string{`{"status":"not_found"`, guest}, []string{`{"status":"not_found"`, guest}},
		"get_my_todos":        {[]string{`"total":0`}, []string{`"session_name":"ghost"`}},
		"get_all_todos":       {[]string{`{}`}, nil},
		"query_agent": {[]string{`{"status":"not_found","error":"Agent b not found in project PROJECT"`,
			guest}, []string{`{"status":"sent"`, guest}},
		"check_messages": {[]string{`[]`}, []string{`[`}},
		"respond_to_query": {[]string{`{"status":"not_found","error":"Agent b not found in project PROJECT"`,
			guest}, []string{`{"status":"response_sent","to":"b","matched":false`, guest}},
		"broadcast_message": {[]string{`{"status":"broadcast_sent","recipients":0`, guest},
			[]string{`{"status":"broadcast_sent","recipients":2`, guest}},
		"announce_file_change": {[]string{`{"status":"locked"`, guest}, []string{`{"status":"locked"`, guest}},
		"release_file_lock":    {[]string{`{"status":"not_locked"`, guest}, []string{`{"status":"not_locked"`, guest}},
		"get_recent_changes":   {[]string{`[]`}, nil},
		"register_interface":   {[]string{`{"status":"registered"`, guest}, []string{`{"status":"registered"`, guest}},
		"query_interface":      {[]string{`{"status":"not_found","error":"Interface I not found"`}, nil},
		"list_interfaces":      {[]string{`{}`}, nil},
		"list_locks":           {[]string{`{"leases":[],"queue":[]}`}, nil},
		"check_lock":           {[]string{`{"status":"free"`, guest}, []string{`{"status":"free"`, guest}},
	}
	has := func(tool, text string, failed bool, parts []string) {
		t.Helper()
		for _, part := range parts {
			if failed || !strings.Contains(text, part) {
				t.Errorf("%s: %s, want %s", tool, text, part)
			}
		}
	}
	for i := range tools {
		tool := &tools[i]
		a, ok := want[tool.name]
		if !ok {
			t.Errorf("it is not known what %s should answer", tool.name)
			continue
		}
		args, project := goodArgs(tool), "without-"+tool.name
		args["project_id"] = project
		d := newDesk(t) // what earlier tools have done is not there
		text, failed := d.call(tool.name, args)
		has(tool.name, strings.ReplaceAll(text, project, "PROJECT"), failed, a.project)
		param := "session_name"
		if args["from_session"] != nil {
			param = "from_session"
		}
		if (args[param] == nil) != (a.session == nil) {
			t.Errorf("%s is of a session: %v", tool.name, args[param])
		}
		if args[param] == nil {
			continue
		}
		args = goodArgs(tool)
		args[param] = "ghost"
		text, failed = d.call(tool.name, args)
		has(tool.name, text, failed, a.session)
		if args["to_session"] != nil {
			args[param], args["to_session"] = "a", "stranger"
			text, failed = d.call(tool.name, args)
			has(tool.name, text, failed,
				[]string{`{"status":"not_found","error":"Agent stranger not found in project p"`})
		}
		if tool.name == "register_agent" {
			continue
		}
		if _, err := d.hub.Do(t.Context(), "p", "",
			coord.Configure{Settings: coord.Settings{Strict: true}}); err != nil {
			t.Fatal(err)
		}
		args = goodArgs(tool)
		args[param] = "phantom"
		text, failed = d.call(tool.name, args)
		has("strict "+tool.name, text, failed,
			[]string{`{"status":"not_found","error":"Agent phantom not found in project p`, `"code":"unregistered"`})
	}
}

// Programs may send arguments that no schema has, and numbers that no float holds.
func TestUndeclaredArguments(t *testing.T) {
	t.Parallel()
	a,
		err := readArgs(
		[]byte(
			`{"session_name":"s","file_path":"x","fencing_token":9007199254740993,"auto":true,"literal":"true",` +
				`"resume":1,"details":true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]coord.Command{
		"register_agent": coord.Register{Session: "s", Resume: true},
		"announce_file_change": coord.Announce{Session: "s", Paths: []string{"x"}, Auto: true, Literal: true,
			Details: true},
		"release_file_lock": coord.Release{Session: "s", Path: "x", Token: 9007199254740993, Auto: true,
			Literal: true},
		"check_lock":         coord.CheckLock{Session: "s", Path: "x", Token: 9007199254740993, Literal: true},
		"get_recent_changes": coord.RecentChanges{Limit: 20, Details: true},
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
		"project_id": "p", "session_name": "a", "from_session": "a", "to_session": "b", "task_id": "1",
		"branch": "main", "description": "d",
		"todo_item": "t", "todo_id": "todo-1.5", "query_type": "help", "query": "?", "message_id": "b-1.5",
		"response": "!", "message_type": "info",
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
