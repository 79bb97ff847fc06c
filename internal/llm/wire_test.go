// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// wire is a transport that answers everything with one body.
type wire struct {
	mediaType, body string
	sent            *string // the last request's URL and body; nil: nobody asks
}

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if w.sent != nil {
		*w.sent = r.URL.String() + "\n" + string(body)
	}
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {w.mediaType}},
		Body: io.NopCloser(strings.NewReader(w.body)), Request: r,
	}, err
}

// through asks a model whose provider answers with a body.
func through(t testing.TB, w wire, o Options) (*Response, error) {
	t.Helper()
	o.Key, o.Client = "k", &http.Client{Transport: w}
	m, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Ask(context.Background(), &Request{Messages: []Message{User("hello")}}, nil)
}

const stream = "text/event-stream"

func TestWhatServersSend(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) ToolCall { return ToolCall{ID: id, Name: name, Arguments: args} }
	signed := call("1", "f", "{}")
	signed.Extra = []byte(`{"google":{"thought_signature":"s"}}`)
	for name, test := range map[string]struct {
		body string
		want Message
	}{
		"content in parts": {
			`data: {"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image_url",` +
				`"image_url":{"url":"data:image/png;base64,cG5n"}}]}}]}`,
			Message{Text: "a"},
		},
		"a signature of the thought": {
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1",` +
				`"extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}]}}]}`,
			Message{ToolCalls: []ToolCall{signed}},
		},
		"whole calls without ids": {
			`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},` +
				`{"function":{"name":"g","arguments":{"a":1}}}]}}]}`,
			Message{ToolCalls: []ToolCall{call("call_0", "f", "{}"), call("call_1", "g", `{"a":1}`)}},
		},
		"ids that are repeated": {
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f",` +
				`"arguments":"{\"a\""}}]}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"f",` +
				`"arguments":":1}"}}]}}]}`,
			Message{ToolCalls: []ToolCall{call("1", "f", `{"a":1}`)}},
		},
		"other choices": {
			`data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`,
			Message{Text: "yes"},
		},
		"members twice, bad UTF-8": {
			"data: {\"id\":1,\"id\":2,\"choices\":[{\"delta\":{\"content\":\"a\xff\"}}]}", Message{Text: "a\ufffd"},
		},
		"no more than a reason": {`data: {"choices":[{"delta":{}}]}`, Message{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// and no [DONE]
			body := test.body + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"eos"}]}` + "\n\n"
			r, err := through(t, wire{mediaType: stream, body: body}, Options{})
			if err != nil || r.Finish != FinishStop {
				t.Fatalf("%+v, %v", r, err)
			}
			test.want.Role = RoleAssistant
			if diff := cmp.Diff(test.want, r.Message); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	calls := strings.Repeat(`{"function":{"name":"f","arguments":"{}"}},`, maxCalls) +
		`{"function":{"name":"f","arguments":"{}"}}`
	for name, test := range map[string]struct {
		mediaType, body string
		want            error
	}{
		"nothing":       {stream, "", ErrUnavailable},
		"half an event": {stream, `data: {"choices":[`, ErrUnavailable},
		"no JSON":       {stream, "data: hello\n\n", ErrBadOutput},
		"too many":      {stream, `data: {"choices":[{"delta":{"tool_calls":[` + calls + "]}}]}\n\n", ErrBadOutput},
		"a page":        {"application/json", "<html>", ErrBadOutput},
		"too long":      {stream, "data: " + strings.Repeat("x", maxAnswer+1), ErrBadOutput},
		"too long JSON": {"application/json", strings.Repeat(" ", maxAnswer+1), ErrBadOutput},
		"too much": {stream, strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\""+
			strings.Repeat("x", 1<<20)+"\"}}]}\n\n", 33), ErrBadOutput},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := through(t, wire{mediaType: test.mediaType, body: test.body}, Options{}); !errors.Is(err,
				test.want) {
				t.Errorf("got %d bytes, %v, want %v", len(r.Message.Text), err, test.want)
			}
		})
	}
}

func TestOpenAIItself(t *testing.T) {
	t.Parallel()
	var sent string
	w := wire{mediaType: stream, body: "data: [DONE]\n\n", sent: &sent}
	if _, err := through(t, w, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"https://api.openai.com/v1/chat/completions\n", `"model":"gpt-6-luna"`, `"reasoning_effort":"none"`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("no %s in %s", want, sent)
		}
	}
	if _, err := through(t, w, Options{Model: "other"}); err != nil || strings.Contains(sent, "effort") {
		t.Errorf("another model is told how to reason: %s (%v)", sent, err)
	}
}

// FuzzStream reads streams of events; whatever comes, the answer is bounded by it and errors have kinds.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\"," +
			"\"arguments\":\"{\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
		"data: {\"error\":{\"message\":\"x\",\"code\":429}}\n\n",
		"data: {\"error\":\"x\"}\n\n",
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":-1}}\n\n: comment\n\n",
		"event: x\nid: 1\nretry: 5\ndata: {}\n\n",
		"data: {\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}}]}\n\n",
	} {
		f.Add(seed, true)
		f.Add(strings.TrimPrefix(strings.TrimSpace(seed), "data: "), false)
	}
	f.Fuzz(func(t *testing.T, body string, streams bool) {
		mediaType := "application/json"
		if streams {
			mediaType = stream
		}
		r, err := through(t, wire{mediaType: mediaType, body: body}, Options{})
		if _, ok := errors.AsType[*Error](err); err != nil && !ok {
			t.Errorf("error of type %T: %v", err, err)
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("%q", err)
		}
		if size(r.Message) > 10*len(body)+1000 || r.Usage.Input < 0 || r.Usage.Output < 0 {
			t.Errorf("%+v of %d bytes", r, len(body))
		}
		for _, c := range r.Message.ToolCalls {
			if c.ID == "" {
				t.Errorf("a call without an id: %+v", c)
			}
		}
	})
}

// FuzzComplaint reads bodies of errors.
func FuzzComplaint(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"m","type":"t","code":"context_length_exceeded"}}`,
		`[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]`,
		`{"error":"m"}`, `{"message":["a"]}`, `{"detail":[{"msg":"m"}]}`, `<html>`, `[]`, `null`,
		"\xff key-4711 \x1b[31m",
	} {
		f.Add(seed, 400)
	}
	f.Fuzz(func(t *testing.T, body string, status int) {
		c := &client{key: "key-4711"}
		e, ok := errors.AsType[*Error](c.complain(status, complaintIn([]byte(body)), nil))
		if !ok || e.Kind == nil {
			t.Fatalf("%q: no kind", body)
		}
		if strings.Contains(e.Message, c.key) || strings.ContainsAny(e.Message, "\x1b\n") ||
			!utf8.ValidString(e.Message) || len(e.Message) > 2*maxMessage {
			t.Errorf("the message of %q is %q", body, e.Message)
		}
	})
}

// FuzzJSONIn finds JSON in what models write.
func FuzzJSONIn(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "```json\n{}\n```", "```", "x ```\n1", "", "```a```b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := jsonIn(text); len(got) > len(text) || !strings.Contains(text, string(got)) {
			t.Errorf("found %q in %q", got, text)
		}
	})
}
