// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var (
	camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	enumName  = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z$`)
)

// requiredMembers are what the proto marks as REQUIRED, by the member under which the object stands.
var requiredMembers = map[string][]string{
	"task":           {"id", "status"},
	"status":         {"state"},
	"message":        {"messageId", "role", "parts"},
	"artifact":       {"artifactId", "parts"},
	"statusUpdate":   {"taskId", "contextId", "status"},
	"artifactUpdate": {"taskId", "contextId", "artifact"},
}

// checkForm walks through an answer: members are in camelCase, enums are names, times are UTC, nothing of older
// generations is there, and what is required is.
func checkForm(t *testing.T, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, required := range requiredMembers[name] {
			if !has(v, required) {
				t.Errorf("%s without %s: %v", name, required, v)
			}
		}
		for member, value := range v {
			if !camelCase.MatchString(member) || member == "kind" || member == "final" {
				t.Errorf("member %s of %s", member, name)
			}
			checkForm(t, member, value)
		}
	case []any:
		for _, value := range v {
			checkForm(t, singular(name), value)
		}
	case string:
		switch {
		case (name == "state" || name == "role") && !enumName.MatchString(v):
			t.Errorf("%s is %q", name, v)
		case name == "timestamp" && !timestamp.MatchString(v):
			t.Errorf("%s is %q", name, v)
		}
	case nil:
		t.Errorf("%s is null", name)
	}
}

func singular(name string) string {
	if name == "history" {
		return "message"
	}
	return strings.TrimSuffix(name, "s")
}

// rich is a message with something in each member, and members that nobody knows.
const rich = `{"message":{"messageId":"m-1","role":"ROLE_USER","contextId":"c-1",
	"extensions":["https://x.example/mood/v1"],"metadata":{"snake_case":{"a":null}},
	"parts":[{"text":"ask"},{"data":{"n":12345678901234567890.10}},{"raw":"aGk","filename":"hi.txt",
	"mediaType":"text/plain","metadata":{"k":[]}}],
	"unknownMember":{"deep":[1,2]},"kind":"message"},"configuration":{"blocking":true,"acceptedOutputModes":[]},
	"metadata":{"x":1},"future":null}`

func TestJSONForm(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		sent := c.call(t, "SendMessage", rich) // unknown members are ignored
		task := at[map[string]any](t, sent.result, "task")
		wantState(t, task, "INPUT_REQUIRED")
		first := at[map[string]any](t, task, "history", 0)
		if at[string](t, first, "role") != "ROLE_USER" || len(at[[]any](t, first, "parts")) != 3 ||
			has(first, "unknownMember") || has(first, "kind") {
			t.Errorf("the message came back as %v", first)
		}
		metadata, _ := json.Marshal(first["metadata"])
		if string(metadata) != `{"snake_case":{"a":null}}` || !strings.Contains(sent.body, `12345678901234567890.10`) {
			t.Errorf("what the caller said freely has changed: %s", sent.body)
		}
		delete(first, "metadata") // of free form: no rule holds
		delete(at[map[string]any](t, first, "parts", 1), "data")
		checkForm(t, "task", task)

		id := idOf(t, task)
		s := c.open(t, "SendStreamingMessage", message("chunks 3", taskID(id)))
		for _, ev := range s.rest() {
			if ev.kind != "task" {
				checkForm(t, ev.kind, ev.object)
			}
		}
		other := c.send(t, "echo hi", `"contextId":"form"`)
		checkForm(t, "task", other)
		checkForm(t, "task", c.ok(t, "GetTask", byID(idOf(t, other))))
		checkForm(t, "list", c.ok(t, "ListTasks", `{"contextId":"form","includeArtifacts":true,"historyLength":5}`))
		checkForm(t, "result", c.ok(t, "SendMessage", message("reply hi")))
	})
}

// What ProtoJSON lets a caller write, beside the plain form.
func TestOtherSpellings(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, params := range []string{
			`{"message":{"message_id":"1","role":"ROLE_USER","parts":[{"text":"echo"}],"context_id":null,` +
				`"reference_task_ids":[]}}`,
			`{"message":{"messageId":"1","role":1,"parts":[{"text":"echo","media_type":"text/plain"}]},` +
				`"configuration":{"history_length":"5","return_immediately":false}}`,
			`{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"raw":"aGk","mediaType":"text/plain"},` +
				`{"raw":"_-8=","mediaType":"text/plain"}]},"configuration":null}`,
		} {
			c.ok(t, "SendMessage", params)
		}
	})
}

// Each artifact of a task has an id of its own and something in it.
func TestArtifactIDs(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "hold a", immediately))
		c.send(t, "echo one", taskID(id), immediately)
		close(c.gate("a"))
		task := c.untilState(t, id, "COMPLETED")
		more := c.open(t, "SendStreamingMessage", message("chunks 5")).rest()
		ids := map[string]bool{}
		for i := range at[[]any](t, task, "artifacts") {
			artifact := at[map[string]any](t, task, "artifacts", i)
			if name := at[string](t, artifact, "artifactId"); name == "" || ids[name] ||
				len(at[[]any](t, artifact, "parts")) == 0 {
				t.Errorf("artifact %v", artifact)
			} else {
				ids[name] = true
			}
		}
		var first string
		for _, ev := range more {
			if ev.kind != "artifactUpdate" {
				continue
			}
			name := at[string](t, ev.object, "artifact", "artifactId")
			if first == "" {
				first = name
			}
			if name != first || len(at[[]any](t, ev.object, "artifact", "parts")) == 0 {
				t.Errorf("chunk %v", ev.object)
			}
		}
	})
}

// JSON-RPC 2.0 itself: ids come back as they came, and what is no request is told so.
func TestJSONRPC(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	for _, test := range []struct {
		body, id string
		code     float64 // 0: a result
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, `1`, 0},
		{`{"jsonrpc":"2.0","id":"\u0061","method":"ListTasks"}`, `"\u0061"`, 0},
		{`{"id":null,"jsonrpc":"2.0","method":"ListTasks"}`, `null`, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"listTasks"}`, `1`, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"message/send"}`, `1`, -32601},
		{`{"jsonrpc":"1.0","id":1,"method":"ListTasks"}`, `1`, -32600},
		{`{"id":1,"method":"ListTasks"}`, `1`, -32600},
		{`{"jsonrpc":"2.0","id":1}`, `1`, -32600},
		{`[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]`, `null`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":[1]}`, `1`, -32602},
		{`{"jsonrpc":"2.0","id":1`, `null`, -32700},
		{``, `null`, -32700},
	} {
		got := c.raw(t, "POST", "/", test.body)
		if got.status != 200 || !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":`+test.id+`,`) {
			t.Errorf("%s: %d %s", test.body, got.status, got.body)
		}
		failure, _ := object(t, got.body)["error"].(map[string]any)
		if test.code == 0 && failure != nil || test.code != 0 && failure["code"] != test.code {
			t.Errorf("%s: %s", test.body, got.body)
		}
	}
}

// HTTP+JSON: parameters stand in path and query, percent-encoded, and the tenant in any of three places.
func TestPathsAndQueries(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[1])
	const in = "c/ä?&=%3A:cancel"
	id := idOf(t, c.send(t, "ask", contextID(in)))
	if ids, _ := c.list(t, `{"contextId":"c/ä?&=%3A:cancel"}`); len(ids) != 1 || ids[0] != id {
		t.Errorf("list %v", ids)
	}
	task := at[map[string]any](t, object(t, c.raw(t, "POST", "/acme/message:send", message("ask")).body), "task")
	for path, want := range map[string]int{
		"/acme/tasks/" + idOf(t, task): 200, "/tasks/" + idOf(t, task): 404, "/other/tasks/" + idOf(t, task): 404,
		"/tasks/" + idOf(t, task) + "?tenant=acme": 200, "/acme/tasks/" + idOf(t, task) + "?tenant=other": 400,
		"/nowhere": 404, "/v1/tasks/" + id: 404, "/tasks/" + id + "?historyLength=1&unknown=2": 200,
		"/tasks/" + id + "?historyLength=x": 400,
	} {
		if got := c.raw(t, "GET", path, ""); got.status != want {
			t.Errorf("%s: %d, want %d: %s", path, got.status, want, got.body)
		}
	}
	if got := c.raw(t, "DELETE", "/tasks/"+id, ""); got.status != 405 || got.header.Get("Allow") != "GET" {
		t.Errorf("DELETE: %d %v", got.status, got.header)
	}
	if got := c.raw(t, "POST", "/tasks/"+id+":cancel", "", "Content-Type:"); got.status != 200 {
		t.Errorf("cancel without a body: %d %s", got.status, got.body)
	}
}
