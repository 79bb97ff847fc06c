// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// raw posts a body to the JSON-RPC endpoint and returns status, header and body of the answer.
func (s *stack) raw(t *testing.T, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	resp := s.post(t, body, header...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func (s *stack) post(t *testing.T, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// call makes a JSON-RPC call and returns its result, or its error object.
func (s *stack) call(t *testing.T, method, params string, header ...string) (result, failure map[string]any) {
	t.Helper()
	_, _, body := s.raw(t, `{"jsonrpc":"2.0","id":"r-1","method":"`+method+`","params":`+params+`}`, header...)
	return rpcResult(t, body)
}

func (s *stack) must(t *testing.T, method, params string, header ...string) map[string]any {
	t.Helper()
	result, failure := s.call(t, method, params, header...)
	if failure != nil {
		t.Fatalf("%s %s: %v", method, params, failure)
	}
	return result
}

// events makes a JSON-RPC call that streams and returns the results of its events.
func (s *stack) events(t *testing.T, method, params string, header ...string) []map[string]any {
	t.Helper()
	resp := s.post(t, `{"jsonrpc":"2.0","id":"r-1","method":"`+method+`","params":`+params+`}`, header...)
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s is answered with %s: %s", method, got, text)
	}
	var events []map[string]any
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			result, failure := rpcResult(t, data)
			if failure != nil {
				t.Fatalf("%s: %v", method, failure)
			}
			events = append(events, result)
		}
	}
	return events
}

const (
	v10 = "A2A-Version: 1.0"
	v03 = "A2A-Version: 0.3"
	v01 = "A2A-Version: 0.1"
)

// The messages of three generations that say a text.
func say01(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"message":{"role":"user","parts":[{"type":"text","text":%q}]}}`, id, text)
}

func say03(text string) string {
	return fmt.Sprintf(
		`{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":%q}]}}`, text)
}

func say10(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":%q}]}}`, text)
}

// path digs into decoded JSON: "status.state", "artifacts.0.parts.0.text".
func path(v any, steps string) any {
	for step := range strings.SplitSeq(steps, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

func expect(t *testing.T, v any, wants map[string]any) {
	t.Helper()
	for steps, want := range wants {
		if got := path(v, steps); got != want {
			text, _ := json.Marshal(v)
			t.Errorf("%s is %v, want %v, in %s", steps, got, want, text)
		}
	}
}

// Each row of the table of methods and versions, by what answers it.
func TestDispatch(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	lenient := start(t, inMemory(t), func(o *server.Options) { o.AcceptUnversioned = true })
	s.must(t, "tasks/send", say01("born-01", "hello"))
	born03, _ := s.must(t, "message/send", say03("hello"))["id"].(string)
	born10, _ := path(s.must(t, "SendMessage", say10("hello"), v10), "task.id").(string)
	about := func(id string) string { return fmt.Sprintf(`{"id":%q}`, id) }
	is01 := map[string]any{"kind": nil, "sessionId": "?", "status.state": "completed"}
	is03 := map[string]any{"kind": "task", "sessionId": nil, "status.state": "completed"}
	is10 := map[string]any{"status.state": "TASK_STATE_COMPLETED"}
	for _, row := range []struct {
		name, method, params, header string
		at                           *stack
		want                         map[string]any // of the result
		code                         float64        // of the error
	}{
		{"0.1 by its method", "tasks/send", say01("r1", "hi"), "", s,
			map[string]any{"id": "r1", "kind": nil, "artifacts.0.index": 0.0}, 0},
		{"0.3 by its method", "message/send", say03("hi"), "", s, is03, 0},
		{"1.0 by its version", "SendMessage", say10("hi"), v10, s,
			map[string]any{"task.status.state": "TASK_STATE_COMPLETED"}, 0},
		{"1.0 with a patch", "SendMessage", say10("hi"), "A2A-Version: 1.0.1", s,
			map[string]any{"task.status.state": "TASK_STATE_COMPLETED"}, 0},
		{"1.0 without a version", "SendMessage", say10("hi"), "", s, nil, -32009},
		{"1.0 without a version, accepted", "SendMessage", say10("hi"), "", lenient,
			map[string]any{"task.status.state": "TASK_STATE_COMPLETED"}, 0},
		{"0.3 named", "message/send", say03("hi"), v03, s, is03, 0},
		{"0.2 named", "message/send", say03("hi"), "A2A-Version: 0.2", s, is03, 0},
		{"0.1 named", "tasks/send", say01("r2", "hi"), v01, s, map[string]any{"id": "r2", "kind": nil}, 0},
		{"1.0 with a method of 0.3", "message/send", say03("hi"), v10, s, nil, -32601},
		{"1.0 with a method of 0.1", "tasks/send", say01("r3", "hi"), v10, s, nil, -32601},
		{"1.0 with a shared method", "tasks/get", about("born-01"), v10, s, nil, -32601},
		{"0.3 with a method of 1.0", "SendMessage", say10("hi"), v03, s, nil, -32601},
		{"0.3 with a method of 0.1", "tasks/send", say01("r4", "hi"), v03, s, nil, -32601},
		{"0.1 with a method of 0.3", "message/send", say03("hi"), v01, s, nil, -32601},
		{"no method at all", "tasks/fetch", none03, "", s, nil, -32601},
		{"an unknown version", "message/send", say03("hi"), "A2A-Version: banana", s, nil, -32009},
		{"a future version", "SendMessage", say10("hi"), "A2A-Version: 2.0", s, nil, -32009},
		{"shared, born in 0.1", "tasks/get", about("born-01"), "", s, is01, 0},
		{"shared, born in 0.3", "tasks/get", about(born03), "", s, is03, 0},
		{"shared, born in 1.0", "tasks/get", about(born10), "", s, is03, 0},
		{"shared, of 0.1 but 0.3 named", "tasks/get", about("born-01"), v03, s, is03, 0},
		{"shared, of 0.3 but 0.1 named", "tasks/get", about(born03), v01, s, is01, 0},
		{"shared, unknown task", "tasks/get", about("nobody"), "", s, nil, -32001},
		{"cancel of a finished task of 0.1", "tasks/cancel", about("born-01"), "", s, nil, -32002},
		{"cancel of a finished task of 0.3", "tasks/cancel", about(born03), "", s, nil, -32002},
		{"1.0 sees the task of 0.1", "GetTask", about("born-01"), v10, s, is10, 0},
		{"1.0 sees the task of 0.3", "GetTask", about(born03), v10, s, is10, 0},
		{"late 0.3 lists", "tasks/list", `{}`, "", s, map[string]any{"tasks.0.kind": "task"}, 0},
		{"the extended card that is not there", "agent/getAuthenticatedExtendedCard", none03, "", s, nil, -32007},
		{"its name in 0.2.6", "agent/authenticatedExtendedCard", none03, "", s, nil, -32007},
		{"push in 0.1", "tasks/pushNotification/set",
			`{"id":"born-01","pushNotificationConfig":{"url":"https://x.example"}}`, "", s, nil, -32003},
		{"push in 0.3", "tasks/pushNotificationConfig/set",
			`{"taskId":"` + born03 + `","pushNotificationConfig":{"url":"https://x.example"}}`, "", s, nil, -32003},
		{"0.3: message to a finished task", "message/send",
			`{"message":{"kind":"message","messageId":"m","role":"user","taskId":"` + born03 +
				`","parts":[{"kind":"text","text":"x"}]}}`, "", s, nil, -32004},
	} {
		t.Run(row.name, func(t *testing.T) {
			var header []string
			if row.header != "" {
				header = append(header, row.header)
			}
			result, failure := row.at.call(t, row.method, row.params, header...)
			if row.code != 0 {
				expect(t, failure, map[string]any{"code": row.code})
				return
			}
			if failure != nil {
				t.Fatalf("error %v", failure)
			}
			for k, v := range row.want {
				if v == "?" { // anything
					if path(result, k) == nil {
						t.Errorf("%s is missing in %v", k, result)
					}
					continue
				}
				expect(t, result, map[string]any{k: v})
			}
		})
	}
	if _, failure := s.call(t, "SendMessage", say10("hi"), "A2A-Version: 1.0", "A2A-Version: 1.0"); failure != nil {
		t.Errorf("the same version twice: %v", failure)
	}
}

const none03 = `{}`

// Of one task, each generation sees its own form, and what one does the others see.
func TestOneTaskInAllGenerations(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	asked := s.must(t, "tasks/send",
		`{"id":"mine","sessionId":"talk","message":{"role":"user","parts":[{"type":"text","text":"ask"}]}}`)
	expect(t, asked, map[string]any{
		"id": "mine", "sessionId": "talk", "status.state": "input-required",
		"status.message.role": "agent", "status.message.parts.0.type": "text",
		"status.message.parts.0.text": "which one?",
	})
	expect(t, s.must(t, "GetTask", `{"id":"mine"}`, v10), map[string]any{
		"id": "mine", "contextId": "talk", "status.state": "TASK_STATE_INPUT_REQUIRED",
		"status.message.parts.0.text": "which one?",
	})
	expect(t, s.must(t, "ListTasks", `{"contextId":"talk"}`, v10),
		map[string]any{"tasks.0.id": "mine", "totalSize": 1.0})
	answered := s.must(t, "message/send",
		`{"message":{"kind":"message","messageId":"m2","role":"user","taskId":"mine","parts":[{"kind":"text",`+
			`"text":"hold it"}]},"configuration":{"blocking":false}}`)
	expect(t, answered, map[string]any{"kind": "task", "id": "mine", "contextId": "talk"})
	expect(t, s.must(t, "CancelTask", `{"id":"mine"}`, v10), map[string]any{"status.state": "TASK_STATE_CANCELED"})
	expect(t, s.must(t, "tasks/get", `{"id":"mine"}`),
		map[string]any{"id": "mine", "kind": nil, "status.state": "canceled"})

	// Errors name fields as the generation does.
	s.must(t, "tasks/send", say01("open", "ask"))
	_, failure := s.call(t, "tasks/send",
		`{"id":"open","sessionId":"other","message":{"role":"user","parts":[{"type":"text","text":"x"}]}}`)
	if failure["code"] != -32602.0 || !strings.Contains(fmt.Sprint(failure["message"]), "sessionId") {
		t.Errorf("a wrong session: %v", failure)
	}

	// States that 0.1 does not have.
	expect(t, s.must(t, "tasks/send", say01("rejected", "reject")), map[string]any{"status.state": "failed"})
	expect(t, s.must(t, "GetTask", `{"id":"rejected"}`, v10), map[string]any{"status.state": "TASK_STATE_REJECTED"})
	expect(t, s.must(t, "tasks/get", `{"id":"rejected"}`, v03), map[string]any{"status.state": "rejected"})
	expect(t, s.must(t, "tasks/send", say01("auth", "auth")), map[string]any{"status.state": "input-required"})
	expect(t, s.must(t, "tasks/get", `{"id":"auth"}`, v03), map[string]any{"status.state": "auth-required"})

	// A message without a task has no form in 0.1.
	expect(t, s.must(t, "tasks/send", say01("reply", "reply yes")), map[string]any{
		"id": "reply", "status.state": "completed", "status.message.parts.0.text": "yes",
	})
	expect(t, s.must(t, "message/send", say03("reply yes")),
		map[string]any{"kind": "message", "role": "agent", "parts.0.kind": "text", "parts.0.text": "yes"})
}

// Ids that clients of 0.1 make are those of each caller: who uses another one's meets nothing of it.
func TestCollidingIDsOf01(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), byHeader)
	ann, bob := "X-User: ann", "X-User: bob"
	s.must(t, "tasks/send", say01("t", "ask"), ann)
	got := s.must(t, "tasks/send", say01("t", "hello"), bob)
	expect(t, got, map[string]any{"id": "t", "status.state": "completed"})
	expect(t, s.must(t, "tasks/get", `{"id":"t"}`, ann), map[string]any{"status.state": "input-required"})
	if _, failure := s.call(t, "tasks/get", `{"id":"t"}`); failure["code"] != -32007.0 && failure["code"] != -31401.0 {
		t.Errorf("without credentials: %v", failure)
	}
	status, header, body := s.raw(t, `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":`+say01("t", "x")+`}`)
	if status != 401 || header.Get("Www-Authenticate") == "" {
		t.Errorf("status %d, header %v", status, header)
	}
	expect(t, object(t, body), map[string]any{"error.code": -31401.0})
}

// Streams of old generations begin with the right event, mark the right event as final, and end there.
func TestStreamsOfOldGenerations(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	last := func(events []map[string]any) map[string]any { return events[len(events)-1] }

	events := s.events(t, "tasks/sendSubscribe", say01("c", "chunks 3"))
	expect(t, events[0], map[string]any{"id": "c", "artifact": nil, "kind": nil})
	if _, ok := path(events[0], "status.state").(string); !ok {
		t.Errorf("0.1 begins with %v", events[0])
	}
	expect(t, last(events), map[string]any{"id": "c", "status.state": "completed", "final": true})
	text := ""
	for _, ev := range events[1 : len(events)-1] {
		if part, ok := path(ev, "artifact.parts.0.text").(string); ok {
			text += part
			expect(t, ev, map[string]any{"artifact.index": 0.0, "artifact.artifactId": nil})
		}
		if ev["final"] == true {
			t.Errorf("an event before the last is final: %v", ev)
		}
	}
	if text != "0 1 2 " {
		t.Errorf("the chunks are %q", text)
	}

	events = s.events(t, "message/stream", say03("chunks 3"))
	expect(t, events[0], map[string]any{"kind": "task"})
	expect(t, last(events), map[string]any{"kind": "status-update", "status.state": "completed", "final": true})
	for _, ev := range events[1 : len(events)-1] {
		if ev["kind"] == "artifact-update" {
			ended := ev["lastChunk"] == true // which brings no part
			expect(t, ev, map[string]any{"taskId": path(events[0], "id"),
				"artifact.parts.0.kind": map[bool]any{false: "text"}[ended]})
		}
	}

	// In 1.0 each update brings a part, so that there is none that only says that its artifact is complete.
	events = s.events(t, "SendStreamingMessage", say10("chunks 3"), v10)
	text = ""
	for _, ev := range events {
		if update, ok := ev["artifactUpdate"]; ok {
			chunk, _ := path(update, "artifact.parts.0.text").(string)
			if chunk == "" {
				t.Errorf("an update without a part: %v", ev)
			}
			text += chunk
		}
	}
	if text != "0 1 2 " {
		t.Errorf("the chunks of 1.0 are %q", text)
	}

	// A stream of 1.0 stays open where authorization is missing, an older one ends.
	events = s.events(t, "message/stream", say03("await gate"))
	expect(t, last(events), map[string]any{"status.state": "auth-required", "final": true})
	events = s.events(t, "tasks/sendSubscribe", say01("await", "await gate"))
	expect(t, last(events), map[string]any{"status.state": "input-required", "final": true})
	events = s.events(t, "message/stream", say03("ask"))
	expect(t, last(events), map[string]any{"status.state": "input-required", "final": true})
	events = s.events(t, "message/stream", say03("reply yes"))
	if len(events) != 1 || events[0]["kind"] != "message" {
		t.Errorf("a message is streamed as %v", events)
	}
	events = s.events(t, "tasks/sendSubscribe", say01("m", "reply yes"))
	expect(t, last(events), map[string]any{"status.state": "completed", "status.message.parts.0.text": "yes",
		"final": true})

	// A finished task is shown, and that is all.
	events = s.events(t, "tasks/resubscribe", `{"id":"c"}`)
	expect(t, last(events), map[string]any{"id": "c", "status.state": "completed", "final": true})
	task := s.must(t, "message/send", say03("hello"))
	events = s.events(t, "tasks/resubscribe", fmt.Sprintf(`{"id":%q}`, task["id"]))
	if len(events) != 1 || events[0]["kind"] != "task" {
		t.Errorf("a finished task of 0.3 is shown as %v", events)
	}
	if _, failure := s.call(t, "SubscribeToTask", fmt.Sprintf(`{"id":%q}`, task["id"]),
		v10); failure["code"] != -32004.0 {
		t.Errorf("a finished task in 1.0: %v", failure)
	}
}

// Members that are missing in the examples of old documents may be missing in old generations only.
func TestLenientEnvelopes(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	_, _, body := s.raw(t, `{"method":"tasks/send","params":`+say01("e", "hi")+`}`)
	expect(t, object(t, body), map[string]any{"jsonrpc": "2.0", "id": nil, "result.id": "e"})
	_, _, body = s.raw(t, `{"id":7,"method":"message/send","params":`+say03("hi")+`}`)
	expect(t, object(t, body), map[string]any{"id": 7.0, "result.kind": "task"})
	_, _, body = s.raw(t, `{"id":7,"method":"SendMessage","params":`+say10("hi")+`}`, v10)
	expect(t, object(t, body), map[string]any{"error.code": -32600.0})
	_, _, body = s.raw(t, `{"jsonrpc":"1.0","id":7,"method":"message/send","params":`+say03("hi")+`}`)
	expect(t, object(t, body), map[string]any{"error.code": -32600.0})
}

// A task that has ended takes messages of April 2025: 1.0 sees two tasks.
func TestReopening(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	for i := range 3 {
		got := s.must(t, "tasks/send",
			fmt.Sprintf(
				`{"id":"r","sessionId":"talk","message":{"role":"user","parts":[{"type":"text","text":"turn %d"}]}}`,
				i))
		expect(t, got, map[string]any{"id": "r", "sessionId": "talk", "status.state": "completed",
			"artifacts.0.parts.0.text": fmt.Sprint("turn ", i)})
	}
	expect(t, s.must(t, "tasks/get", `{"id":"r"}`), map[string]any{"id": "r", "artifacts.0.parts.0.text": "turn 2"})
	events := s.events(t, "tasks/sendSubscribe", say01("r", "ask"))
	expect(t, events[len(events)-1], map[string]any{"id": "r", "status.state": "input-required", "final": true})
	expect(t, s.must(t, "tasks/send", say01("r", "turn 4")),
		map[string]any{"id": "r", "status.state": "completed", "artifacts.0.parts.0.text": "turn 4"})
	events = s.events(t, "tasks/resubscribe", `{"id":"r"}`)
	expect(t, events[len(events)-1], map[string]any{"id": "r", "final": true})
	if _, failure := s.call(t, "tasks/cancel", `{"id":"r"}`); failure["code"] != -32002.0 {
		t.Errorf("cancel: %v", failure)
	}
	expect(t, s.must(t, "ListTasks", `{"contextId":"talk"}`, v10), map[string]any{"totalSize": 4.0})
	expect(t, s.must(t, "GetTask", `{"id":"r"}`, v10), map[string]any{"artifacts.0.parts.0.text": "turn 0"})
	if _, failure := s.call(t, "tasks/send", say01("r~2", "mine")); failure["code"] != -32602.0 {
		t.Errorf("a task of a client under the id of one that was reopened: %v", failure)
	}
	s = start(t, inMemory(t), func(o *server.Options) { o.RefuseReopening = true })
	s.must(t, "tasks/send", say01("r", "hi"))
	if _, failure := s.call(t, "tasks/send", say01("r", "again")); failure["code"] != -32009.0 {
		t.Errorf("a message to a finished task, with RefuseReopening: %v", failure)
	}
}
