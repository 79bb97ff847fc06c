// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// rest makes a call below /v1, and returns status and body.
func (s *stack) rest(t *testing.T, method, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// The bodies of a send below /v1, in its two forms.
func proto(text, configuration string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":%q}]}%s}`, text,
		configuration)
}

func typescript(text, configuration string) string {
	return fmt.Sprintf(
		`{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":%q}]}%s}`, text,
		configuration)
}

// Whether a send waits has opposite names and opposite defaults.
func TestTrapOfBlocking(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	const send = `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text",` +
		`"text":"work g"}]}%s}`
	state := func(body string) string {
		for _, name := range []string{"completed", "COMPLETED"} {
			if strings.Contains(body, name) {
				return "waited"
			}
		}
		return "at once"
	}
	open := start(t, inMemory(t), nil) // whose gates are open, so that a send that waits comes back
	close(open.gate("g1"))
	close(open.gate("g2"))
	for name, c := range map[string]struct {
		call func(at *stack) string
		want string
	}{
		"0.3, unset": {func(at *stack) string { return fmt.Sprint(at.must(t, "message/send", fmt.Sprintf(send, ""))) },
			"waited"},
		"0.3, true": {func(at *stack) string {
			return fmt.Sprint(at.must(t, "message/send", fmt.Sprintf(send, `,"configuration":{"blocking":true}`)))
		}, "waited"},
		"0.3, false": {func(at *stack) string {
			return fmt.Sprint(at.must(t, "message/send", fmt.Sprintf(send, `,"configuration":{"blocking":false}`)))
		}, "at once"},
		"1.0, unset": {func(at *stack) string { return fmt.Sprint(at.must(t, "SendMessage", say10("work g"), v10)) },
			"waited"},
		"/v1, unset": {func(at *stack) string {
			_,
				b := at.rest(t, "POST", "/v1/message:send", proto("work g", ""))
			return b
		}, "at once"},
		"/v1, true": {func(at *stack) string {
			_, b := at.rest(t, "POST", "/v1/message:send", proto("work g", `,"configuration":{"blocking":true}`))
			return b
		}, "waited"},
	} {
		at := open
		if c.want == "at once" {
			at = s // whose gates are closed, so that a send that waited would not come back
		}
		if got := state(c.call(at)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A task id that nobody knows makes a task in 0.1 only.
func TestTrapOfUnknownIDs(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	expect(t, s.must(t, "tasks/send", say01("fresh", "hi")), map[string]any{"id": "fresh"})
	_, failure := s.call(t, "message/send",
		`{"message":{"kind":"message","messageId":"m","role":"user","taskId":"ghost","parts":[{"kind":"text",`+
			`"text":"x"}]}}`)
	expect(t, failure, map[string]any{"code": -32001.0})
	_, failure = s.call(t, "SendMessage",
		`{"message":{"messageId":"m","role":"ROLE_USER","taskId":"ghost","parts":[{"text":"x"}]}}`, v10)
	expect(t, failure, map[string]any{"code": -32001.0})
	if status, body := s.rest(t, "POST", "/v1/message:send",
		`{"message":{"messageId":"m","role":"ROLE_USER","taskId":"ghost","content":[{"text":"x"}]}}`); status != 404 ||
		!strings.Contains(body, "-32001") {
		t.Errorf("below /v1: %d %s", status, body)
	}
	if _, failure := s.call(t, "GetTask", `{"id":"ghost"}`, v10); failure["code"] != -32001.0 {
		t.Errorf("a refused send made a task: %v", failure)
	}
}

// Members called kind, type or text within data are just data.
func TestTrapOfDiscriminators(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	const data = `{"kind":"file","type":"text","text":"x"}`
	for _, generation := range []struct{ method, params, version string }{
		{"tasks/send", `{"id":"d","message":{"role":"user","parts":[{"type":"data","data":` + data +
			`}]},"historyLength":1}`, ""},
		{"message/send", `{"message":{"messageId":"m","role":"user","parts":[{"type":"data","data":` + data +
			`}]},"configuration":{"historyLength":1}}`, ""},
		{"SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":` + data + `}]}}`, v10},
	} {
		var header []string
		if generation.version != "" {
			header = append(header, generation.version)
		}
		task := s.must(t, generation.method, generation.params, header...)
		if inner, ok := task["task"].(map[string]any); ok {
			task = inner
		}
		seen := s.must(t, "GetTask", fmt.Sprintf(`{"id":%q}`, task["id"]), v10)
		expect(t, seen, map[string]any{"history.0.parts.0.data.kind": "file", "history.0.parts.0.data.type": "text",
			"history.0.parts.0.data.text": "x"})
	}
}

// HTTP+JSON of 0.3 has two forms, and what came in one is answered in it.
func TestTrapOfTwoForms(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	const wait = `,"configuration":{"blocking":true}`
	for _, c := range []struct{ body, in, notIn string }{
		{proto("hello", wait), `"TASK_STATE_COMPLETED"`, `"kind"`},
		{typescript("hello", wait), `"kind":"task"`, `TASK_STATE`},
	} {
		status, body := s.rest(t, "POST", "/v1/message:send", c.body)
		if status != 200 || !strings.Contains(body, `{"task":`) || !strings.Contains(body, c.in) ||
			strings.Contains(body, c.notIn) {
			t.Errorf("%s is answered with %d %s", c.body, status, body)
		}
		_, body = s.rest(t, "POST", "/v1/message:stream", c.body)
		if !strings.Contains(body, `data: {"task":`) || !strings.Contains(body, `"final":true`) ||
			!strings.Contains(body, c.in) || strings.Contains(body, c.notIn) {
			t.Errorf("%s streams %s", c.body, body)
		}
	}
	if status, body := s.rest(t, "POST", "/v1/tasks/nobody:cancel", `{"name":"tasks/nobody"}`); status != 404 ||
		!strings.Contains(body, `"message"`) {
		t.Errorf("cancel: %d %s", status, body)
	}
}

// A history of length 0 is nothing, or all of it.
func TestTrapOfHistoryLength(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	s.must(t, "tasks/send", say01("h", "hello"))
	for _, c := range []struct {
		method, params, version string
		want                    bool
	}{
		{"tasks/get", `{"id":"h"}`, v01, false}, {"tasks/get", `{"id":"h","historyLength":0}`, v01, false},
		{"tasks/get", `{"id":"h","historyLength":5}`, v01, true},
		{"tasks/get", `{"id":"h"}`, v03, false}, {"tasks/get", `{"id":"h","historyLength":0}`, v03, false},
		{"tasks/get", `{"id":"h","historyLength":5}`, v03, true},
		{"GetTask", `{"id":"h"}`, v10, true}, {"GetTask", `{"id":"h","historyLength":0}`, v10, false},
		{"GetTask", `{"id":"h","historyLength":5}`, v10, true},
	} {
		if got := s.must(t, c.method, c.params, c.version)["history"] != nil; got != c.want {
			t.Errorf("%s %s %s: history %v, want %v", c.version, c.method, c.params, got, c.want)
		}
	}
	for _, query := range []string{"", "?historyLength=0", "?historyLength=5"} {
		if status, body := s.rest(t, "GET", "/v1/tasks/h"+query, ""); status != 200 ||
			!strings.Contains(body, `"history"`) {
			t.Errorf("below /v1 %s: %d %s", query, status, body)
		}
	}
}

// Subscribing has two verbs, and v1 is no tenant.
func TestTrapsOfPaths(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	s.must(t, "tasks/send", say01("p", "hello"))
	for _, verb := range []string{"GET", "POST"} {
		if status, body := s.rest(t, verb, "/v1/tasks/p:subscribe", ""); status != 200 ||
			!strings.Contains(body, "TASK_STATE_COMPLETED") {
			t.Errorf("%s subscribe: %d %s", verb, status, body)
		}
	}
	for _, c := range []struct {
		path, version string
		status        int
	}{
		{"/v1/tasks/p", "", 200}, {"/v1/tasks/p", v03, 200}, {"/v1/tasks/p", "A2A-Version: 0.2", 200},
		{"/v1/tasks/p", v10, 404}, {"/v1/tasks/p", v01, 200}, {"/v1/tasks/p", "A2A-Version: banana", 400},
		{"/tasks/p", v10, 200}, {"/tasks/p", "", 400}, {"/tasks/p", v03, 400}, {"/v1/card", "", 404},
		{"/agent/authenticatedExtendedCard", "", 404}, {"/v1/v1/tasks/p", "", 404}, {"/v1/tasks", "", 200},
	} {
		var header []string
		if c.version != "" {
			header = append(header, c.version)
		}
		if status, body := s.rest(t, "GET", c.path, "", header...); status != c.status {
			t.Errorf("%s %s: %d, want %d: %s", c.path, c.version, status, c.status, body)
		}
	}
}

// Peers of 0.1 send nulls for what is not there.
func TestTrapOfNulls(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	got := s.must(t, "tasks/send",
		`{"id":"n","sessionId":null,"pushNotification":null,"historyLength":null,"metadata":null,`+
			`"message":{"role":"user","metadata":null,"parts":[{"type":"text","text":"hi","metadata":null}]}}`)
	expect(t, got, map[string]any{"id": "n", "status.state": "completed"})
	if _, _, body := s.raw(t, `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"n"}}`); strings.Contains(
		body, "null") {
		t.Errorf("we answer with null: %s", body)
	}
	got = s.must(t, "message/send",
		`{"message":{"kind":"message","messageId":"m","role":"user","contextId":null,"taskId":null,"metadata":null,`+
			`"parts":[{"kind":"text","text":"hi","metadata":null}]},"configuration":null,"metadata":null}`)
	expect(t, got, map[string]any{"kind": "task"})
}
