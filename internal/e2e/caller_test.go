// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A binding says how an operation, given by its name and the JSON of its parameters, goes over the wire.
type binding struct {
	name    string
	request func(op, params string) (method, path, body string)
	// result takes the result out of an answer, or the error object.
	result func(t *testing.T, body string) (result, failure map[string]any)
}

var bindings = []binding{
	{name: "JSON-RPC", request: rpcRequest, result: rpcResult},
	{name: "HTTP+JSON", request: restRequest, result: restResult},
}

func rpcRequest(op, params string) (method, path, body string) {
	return "POST", "/", `{"jsonrpc":"2.0","id":"r-1","method":"` + op + `","params":` + params + `}`
}

func rpcResult(t *testing.T, body string) (result, failure map[string]any) {
	t.Helper()
	in := object(t, body)
	if in["jsonrpc"] != "2.0" {
		t.Fatalf("no JSON-RPC 2.0 answer: %s", body)
	}
	result, _ = in["result"].(map[string]any)
	failure, _ = in["error"].(map[string]any)
	if (result == nil) == (failure == nil) {
		t.Fatalf("neither a result nor an error, or both: %s", body)
	}
	if failure == nil && in["id"] != "r-1" {
		t.Fatalf("the id is %v: %s", in["id"], body)
	}
	return result, failure
}

// restRequest puts the ids into the path, and the rest of the parameters into query or body (A2A 1.0 §11.3, §11.5).
func restRequest(op, params string) (method, path, body string) {
	switch op {
	case "SendMessage":
		return "POST", "/message:send", params
	case "SendStreamingMessage":
		return "POST", "/message:stream", params
	case "CreateTaskPushNotificationConfig":
		return "POST", "/tasks/" + member(params, "taskId") + "/pushNotificationConfigs", params
	case "CancelTask":
		return "POST", "/tasks/" + member(params, "id") + ":cancel", params
	case "SubscribeToTask":
		return "POST", "/tasks/" + member(params, "id") + ":subscribe", params
	case "GetTask":
		return "GET", "/tasks/" + member(params, "id") + query(params, "id"), ""
	case "ListTasks":
		return "GET", "/tasks" + query(params), ""
	case "GetTaskPushNotificationConfig":
		return "GET", "/tasks/" + member(params, "taskId") + "/pushNotificationConfigs/" + member(params, "id"), ""
	case "ListTaskPushNotificationConfigs":
		return "GET", "/tasks/" + member(params, "taskId") + "/pushNotificationConfigs" + query(params, "taskId"), ""
	case "DeleteTaskPushNotificationConfig":
		return "DELETE", "/tasks/" + member(params, "taskId") + "/pushNotificationConfigs/" + member(params, "id"), ""
	case "GetExtendedAgentCard":
		return "GET", "/extendedAgentCard" + query(params), ""
	}
	panic("no operation " + op)
}

func restResult(t *testing.T, body string) (result, failure map[string]any) {
	t.Helper()
	in := object(t, body)
	if failure, ok := in["error"].(map[string]any); ok {
		return nil, failure
	}
	return in, nil
}

// member returns a member of the parameters as a segment of a path.
func member(params, name string) string {
	var in map[string]any
	json.Unmarshal([]byte(params), &in)
	return url.PathEscape(fmt.Sprint(in[name]))
}

// query returns the parameters as a query, but for some.
func query(params string, but ...string) string {
	var in map[string]any
	json.Unmarshal([]byte(params), &in)
	q := url.Values{}
	for name, value := range in {
		if !slices.Contains(but, name) {
			q.Set(name, fmt.Sprint(value))
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not a JSON object: %v: %q", err, text)
	}
	return v
}

// A caller speaks to a stack through one binding.
type caller struct {
	*stack
	binding
	header []string // of each request, as "Name: value"
}

func (s *stack) caller(t *testing.T, b binding) *caller {
	t.Helper()
	return &caller{stack: s, binding: b}
}

// with returns a caller whose requests have further headers.
func (c *caller) with(header ...string) *caller {
	d := *c
	d.header = append(slices.Clone(c.header), header...)
	return &d
}

// An answer is what came back.
type answer struct {
	status  int
	header  http.Header
	body    string
	result  map[string]any // nil when there is an error
	failure map[string]any
}

// do sends a request as it is. Header lines with an empty value take a default away.
func (c *caller) do(t *testing.T, method, path string, body io.Reader, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	if method == "POST" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range append(slices.Clone(c.header), header...) {
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			req.Header.Del(name)
		} else {
			req.Header.Set(name, value)
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

// raw sends a request and reads the whole answer, whatever it is.
func (c *caller) raw(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	resp := c.do(t, method, path, strings.NewReader(body), header...)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: string(got)}
}

// call calls an operation that answers once, or fails before its stream opens.
func (c *caller) call(t *testing.T, op, params string, header ...string) answer {
	t.Helper()
	method, path, body := c.request(op, params)
	a := c.raw(t, method, path, body, header...)
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		t.Fatalf("%s: Content-Type %q: %d %.500s", op, ct, a.status, a.body)
	}
	a.result, a.failure = c.result(t, a.body)
	return a
}

// ok calls an operation and returns its result.
func (c *caller) ok(t *testing.T, op, params string, header ...string) map[string]any {
	t.Helper()
	a := c.call(t, op, params, header...)
	if a.failure != nil || a.status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", op, params, a.status, a.body)
	}
	return a.result
}

// send sends a text that makes a task, and returns the task.
func (c *caller) send(t *testing.T, text string, more ...string) map[string]any {
	t.Helper()
	return at[map[string]any](t, c.ok(t, "SendMessage", message(text, more...)), "task")
}

// message returns the parameters of a send: a text, further members of the message as `"name":value`, and what of
// them starts with ! as further members of the parameters.
func message(text string, more ...string) string {
	quoted, _ := json.Marshal(text)
	in, beside := "", ""
	for _, m := range more {
		if rest, ok := strings.CutPrefix(m, "!"); ok {
			beside += "," + rest
		} else {
			in += "," + m
		}
	}
	return `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":` + string(quoted) + `}]` + in + `}` +
		beside + `}`
}

const immediately = `!"configuration":{"returnImmediately":true}`

func taskID(id string) string    { return fmt.Sprintf("%q:%q", "taskId", id) }
func contextID(id string) string { return fmt.Sprintf("%q:%q", "contextId", id) }
func byID(id string) string      { return fmt.Sprintf(`{"id":%q}`, id) }

// at returns what is at a path of a JSON value: names and indices.
func at[T any](t *testing.T, v any, path ...any) T {
	t.Helper()
	here := v
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := here.(map[string]any)
			here = m[step]
		case int:
			list, _ := here.([]any)
			if step >= len(list) {
				t.Fatalf("nothing at %v of %v", path, v)
			}
			here = list[step]
		}
	}
	found, ok := here.(T)
	if !ok {
		t.Fatalf("%v is at %v of %v", here, path, v)
	}
	return found
}

func idOf(t *testing.T, task map[string]any) string {
	t.Helper()
	return at[string](t, task, "id")
}

func stateOf(t *testing.T, v map[string]any) string {
	t.Helper()
	return strings.TrimPrefix(at[string](t, v, "status", "state"), "TASK_STATE_")
}

func wantState(t *testing.T, v map[string]any, want string) {
	t.Helper()
	if got := stateOf(t, v); got != want {
		t.Fatalf("state %s, want %s: %v", got, want, v)
	}
}

func has(v map[string]any, name string) bool {
	_, ok := v[name]
	return ok
}

// An event is one of a stream.
type event struct {
	id     string
	kind   string // task, message, statusUpdate, artifactUpdate, error
	object map[string]any
}

// A stream is read as it comes.
type stream struct {
	answer
	t     *testing.T
	c     *caller
	lines *bufio.Scanner
	close func()
}

// open calls an operation that streams.
func (c *caller) open(t *testing.T, op, params string, header ...string) *stream {
	t.Helper()
	method, path, body := c.request(op, params)
	resp := c.do(t, method, path, strings.NewReader(body), header...)
	s := &stream{t: t, c: c, answer: answer{status: resp.StatusCode, header: resp.Header},
		close: func() { resp.Body.Close() }}
	t.Cleanup(s.close)
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || ct != "text/event-stream" {
		got, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %d, Content-Type %q: %s", op, resp.StatusCode, ct, got)
	}
	s.lines = bufio.NewScanner(resp.Body)
	s.lines.Buffer(nil, 16<<20)
	return s
}

// more returns the next event, false at the end of the stream.
func (s *stream) more() (event, bool) {
	s.t.Helper()
	var id, data string
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "id":
			id = value
		case name == "data":
			data += value
		case s.lines.Text() == "" && data != "":
			return s.event(id, data), true
		}
	}
	if err := s.lines.Err(); err != nil {
		s.t.Fatalf("the stream broke: %v", err)
	}
	return event{}, false
}

func (s *stream) event(id, data string) event {
	s.t.Helper()
	result, failure := s.c.result(s.t, data)
	if failure != nil {
		return event{id: id, kind: "error", object: failure}
	}
	if len(result) != 1 {
		s.t.Fatalf("an event has %d members, not one: %s", len(result), data)
	}
	for kind, v := range result {
		return event{id: id, kind: kind, object: v.(map[string]any)}
	}
	return event{}
}

// next returns the next event, which must be there.
func (s *stream) next() event {
	s.t.Helper()
	ev, ok := s.more()
	if !ok {
		s.t.Fatal("the stream has ended")
	}
	return ev
}

// want reads the next event, which must be that one.
func (s *stream) want(words string) event {
	s.t.Helper()
	ev := s.next()
	if got := ev.words(s.t); got != words {
		s.t.Fatalf("event %q, want %q", got, words)
	}
	return ev
}

// end checks that nothing comes but the end.
func (s *stream) end() {
	s.t.Helper()
	if ev, ok := s.more(); ok {
		s.t.Fatalf("another event: %s", ev.words(s.t))
	}
}

// rest reads to the end.
func (s *stream) rest() []event {
	s.t.Helper()
	var all []event
	for {
		ev, ok := s.more()
		if !ok {
			return all
		}
		all = append(all, ev)
	}
}

// words says what an event is: its kind and its state or text.
func (ev event) words(t *testing.T) string {
	t.Helper()
	switch ev.kind {
	case "task":
		return "task " + stateOf(t, ev.object)
	case "statusUpdate":
		text := ""
		if m, ok := ev.object["status"].(map[string]any)["message"].(map[string]any); ok {
			text = " " + textOf(m)
		}
		return "status " + stateOf(t, ev.object) + text
	case "artifactUpdate":
		return "artifact " + textOf(at[map[string]any](t, ev.object, "artifact"))
	case "message":
		return "message " + textOf(ev.object)
	}
	return ev.kind
}

// textOf joins the texts of a message or an artifact.
func textOf(v map[string]any) string {
	parts, _ := v["parts"].([]any)
	var b strings.Builder
	for _, p := range parts {
		text, _ := p.(map[string]any)["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}
