// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// shows returns differences as lines.
func shows(found []Difference) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%d/%d %s: %s -> %s\n", d.A, d.B, d.Where, string(d.Was), string(d.Is))
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	t.Parallel()
	drop := func(from, to string) func(string) string {
		return func(s string) string {
			i := strings.Index(s, from)
			return s[:i] + s[i+strings.Index(s[i:], to):]
		}
	}
	swap := func(pairs ...string) func(string) string {
		return func(s string) string { return strings.NewReplacer(pairs...).Replace(s) }
	}
	for name, test := range map[string]struct {
		change func(string) string
		want   string
	}{
		"nothing":              {swap(), ""},
		"times and moments":    {swap("${time.1}", "${time.9}", `"t":4`, `"t":400`, "${event.1}", "${event.7}"), ""},
		"other numbers of ids": {swap("${task.1}", "${task.5}", "${rpcNumber.1}", "${rpcNumber.2}"), ""},
		"another task": {swap("/tasks/${task.1}", "/tasks/${task.2}"),
			`2/2 request/path: "/tasks/${task.1}:subscribe" -> "/tasks/${task.2}:subscribe"` + "\n"},
		"no credentials": {swap(`,"headers":{"Authorization":"[redacted]"}`, ""), ""},
		"a state": {swap("TASK_STATE_COMPLETED", "TASK_STATE_FAILED"),
			`1/1 answer/body/result/task/status/state: "TASK_STATE_COMPLETED" -> "TASK_STATE_FAILED"` + "\n"},
		"a member more": {swap(`"contextId":"${context.1}"`, `"contextId":"${context.1}","x":[1]`),
			"1/1 answer/body/result/task/x:  -> [1]\n"},
		"a member less": {swap(`,"contextId":"${context.1}"`, ""),
			`1/1 answer/body/result/task/contextId: "${context.1}" -> ` + "\n"},
		"an element more": {swap(`{"text":"Hello"}`, `{"text":"Hello"},{"text":"again"}`),
			`1/1 request/body/params/message/parts/1:  -> {"text":"again"}` + "\n"},
		"a status": {swap(`"status":200,"headers":{"Content-Type":"application/json"}`,
			`"status":500,"headers":{"Content-Type":"text/plain"}`),
			"1/1 answer/status: 200 -> 500\n1/1 answer/headers/Content-Type: \"application/json\" -> \"text/plain\"\n"},
		"an event less": {drop(`{"t":5,`, `{"t":6,`), `2/2 event 1: {"task":{"id":"${task.1}"}} -> ` + "\n"},
		"the type of an event": {swap(`"event":"note"`, `"event":"remark"`),
			`2/2 event 2/type: "note" -> "remark"` + "\n"},
		"an exchange less": {drop(`{"t":3,`, "\x00"), ""},
		"a stream that broke": {swap(`"dir":"end"`, `"dir":"end","error":"the stream broke"`),
			`2/2 end:  -> "the stream broke"` + "\n"},
		"a stream that was left": {swap(`"dir":"end"`, `"dir":"end","error":"the client left"`), ""},
	} {
		if name == "an exchange less" {
			test.change = func(s string) string { return s[:strings.Index(s, `{"t":3,`)] }
			test.want = `2/0 : "GET /tasks/${task.1}:subscribe" -> ` + "\n"
		}
		if got := shows(Diff(read(t, talk), read(t, test.change(talk)))); got != test.want {
			t.Errorf("%s:\n%swant\n%s", name, got, test.want)
		}
	}
}

// An exchange that one cassette has more does not make the rest differ.
func TestDiffAligns(t *testing.T) {
	t.Parallel()
	text := func(methods string) string {
		b := begin
		for i, m := range methods {
			b += fmt.Sprintf(`{"n":%[1]d,"dir":"request","method":"GET","path":"/%[2]c"}`+"\n"+
				`{"n":%[1]d,"dir":"answer","status":200,"text":"%[2]c"}`+"\n", i+1, m)
		}
		return b
	}
	for pair, want := range map[[2]string]string{
		{"abcde", "abcde"}:  "",
		{"abcde", "abXcde"}: "0/3 :  -> \"GET /X\"\n",
		{"abcde", "bde"}:    "1/0 : \"GET /a\" -> \n3/0 : \"GET /c\" -> \n",
		{"abc", "aXc"}:      "2/2 request/path: \"/b\" -> \"/X\"\n2/2 answer/body: \"b\" -> \"X\"\n",
		{"", "a"}:           "0/1 :  -> \"GET /a\"\n",
	} {
		if got := shows(Diff(read(t, text(pair[0])), read(t, text(pair[1])))); got != want {
			t.Errorf("%v:\n%swant\n%s", pair, got, want)
		}
	}
}

func TestPlayerSaysWhatItExpects(t *testing.T) {
	t.Parallel()
	ask := func(p *Player, method, path, body string) string {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return fmt.Sprint(w.Code, " ", w.Body.String())
	}
	const send = `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m-1",` +
		`"parts":[{"text":"Hello"}]}}}`
	p := NewPlayer(read(t, talk), "http://agent.example/", nil)
	for body, want := range map[string]string{
		strings.Replace(send, "Hello", "Goodbye",
			1): `it expects exchange 1, POST / SendMessage,` +
			` and here body/params/message/parts/0/text is \"Goodbye\" instead of \"Hello\"`,
		strings.Replace(send, `"parts"`, `"extra":1,"parts"`, 1): `body/params/message/extra is 1 instead of nothing`,
		strings.Replace(send, `"messageId":"m-1",`, "",
			1): `body/params/message/messageId is missing instead of \"${message.1}\"`,
		strings.Replace(send, `[{"text":"Hello"}]`, `[]`, 1): `body/params/message/parts/0 is missing instead of`,
	} {
		got := ask(p, "POST", "/", body)
		if !strings.Contains(got, want) ||
			!strings.HasPrefix(got, `200 {"jsonrpc":"2.0","id":7,"error":{"code":-32603,`) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got := ask(p, "GET", "/tasks/t", ""); !strings.HasPrefix(got, `500 {"error":{`) || p.Left() != 2 {
		t.Error(got)
	}
	got := ask(p, "POST", "/", send)
	task := between(got, `"task":{"id":"`, `"`)
	if !strings.HasPrefix(got, `200 {"jsonrpc":"2.0","id":7,"result":`) || len(task) != 36 ||
		strings.Contains(got, "${") {
		t.Error(got)
	}
	if got := ask(p, "GET", "/tasks/another:subscribe", ""); !strings.Contains(got,
		"here path is /tasks/another:subscribe instead of /tasks/${task.1}:subscribe") {
		t.Error(got)
	}
	want := "200 id: 1\ndata: {\"task\":{\"id\":\"" + task +
		"\"}}\n\nevent: note\nid: 2\ndata: http://agent.example/files costs ${5}\n\n"
	if got := ask(p, "GET", "/tasks/"+task+":subscribe", ""); got != want || p.Left() != 0 {
		t.Errorf("%q\n%q", got, want)
	}
	if got := ask(p, "POST", "/", send); !strings.Contains(got, "all requests of the cassette have been made") {
		t.Error(got)
	}
}

func between(s, from, to string) string {
	_, rest, _ := strings.Cut(s, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}

// Text of a message that looks like a placeholder is none, however it is written.
func TestLiteralsAreNoPlaceholders(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "${task.1}", "$${task.1}", "$$$${", "${", "${base}", "a ${x.0} b", "$ {"} {
		if got := fill(escape(s), func(string) string { return "!" }); got != s {
			t.Errorf("%q comes back as %q from %q", s, got, escape(s))
		}
	}
}
