// SPDX-License-Identifier: Apache-2.0

package llmtest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a test in which the server may find faults.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	faults   []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.faults) > 0
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// end ends the test and returns its faults.
func (r *recorder) end() string {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
	return strings.Join(r.faults, "\n")
}

// post sends a body to the server and returns the status and the answer.
func post(t *testing.T, s *llmtest.Server, path, body string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+llmtest.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body) // cut streams are part of the script
	return resp.StatusCode, resp.Header, string(answer)
}

const question = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`

func TestTheFormOfAStream(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Step{Text: "Good day.", Calls: []llmtest.Call{{Name: "f", Args: `{"a":1}`, ID: "1"}},
		Usage: llm.Usage{Input: 3, Output: 4}})
	status, header, answer := post(t, s, "/chat/completions", question)
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("status %d, %v", status, header)
	}
	at := 0
	for _, want := range []string{
		`"role":"assistant"`, `"content":"Good da"`, `"content":"y."`,
		`"function":{"arguments":"","name":"f"},"id":"1","index":0,"type":"function"`,
		`"function":{"arguments":"{\"a\":"},"index":0`, `"function":{"arguments":"1}"},"index":0`,
		`"finish_reason":"tool_calls"`, `"usage":{"completion_tokens":4,"prompt_tokens":3,"total_tokens":7}`,
		"data: [DONE]\n\n",
	} {
		i := strings.Index(answer[at:], want)
		if i < 0 {
			t.Fatalf("no %s where it belongs in\n%s", want, answer)
		}
		at += i + len(want)
	}
	if s.Last().LastUser() != "hello" {
		t.Errorf("the request was %+v", s.Last())
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.RateLimit(3*time.Second))
	status, header, answer := post(t, s, "/chat/completions", question)
	if status != 429 || header.Get("Retry-After") != "3" || !strings.Contains(answer, `"code":"rate_limit_exceeded"`) {
		t.Errorf("status %d, %v, %s", status, header, answer)
	}
}

func TestFaultsOfTheClientAreFound(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f",` +
		`"arguments":"{}"}}]}`
	chat := func(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }
	for name, test := range map[string]struct{ path, body, want string }{
		"no model":          {"/chat/completions", `{"messages":[{"role":"user"}]}`, "names a model"},
		"no JSON":           {"/chat/completions", `{`, "unexpected end"},
		"another path":      {"/responses", question, "nothing is served"},
		"no result":         {"/chat/completions", chat(call), "have no results"},
		"something between": {"/chat/completions", chat(call + `,{"role":"user","content":"x"}`), "before the results"},
		"uncalled": {"/chat/completions", chat(`{"role":"tool","tool_call_id":"1","content":"x"}`),
			"was not called"},
		"broken arguments": {"/chat/completions", chat(strings.Replace(call, "{}", "{", 1)), "arguments are no JSON"},
		"late system":      {"/chat/completions", chat(`{"role":"user"},{"role":"system"}`), "not the first"},
		"odd part":         {"/chat/completions", chat(`{"role":"user","content":[{"type":"video"}]}`), `"video"`},
		"nameless schema": {"/chat/completions",
			`{"model":"m","messages":[{"role":"user"}],"response_format":{"type":"json_schema"}}`, "no named"},
		"nameless tool": {"/chat/completions",
			`{"model":"m","messages":[{"role":"user"}],"tools":[{"type":"function"}]}`, "no function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			s := llmtest.Func(r, func(*llmtest.Request) llmtest.Step { return llmtest.Text("ok") })
			status, _, _ := post(t, s, test.path, test.body)
			if faults := r.end(); status != 400 || !strings.Contains(faults, test.want) {
				t.Errorf("status %d, faults %q, want %q", status, faults, test.want)
			}
		})
	}
}

func TestScriptsArePlayedToTheirEnd(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	llmtest.New(r, llmtest.Text("a"), llmtest.Text("b"))
	if faults := r.end(); !strings.Contains(faults, "0 of 2 steps") {
		t.Errorf("steps that nobody asked for: %q", faults)
	}
	r = &recorder{TB: t}
	s := llmtest.New(r)
	post(t, s, "/chat/completions", question)
	if faults := r.end(); !strings.Contains(faults, "after the end of the script") {
		t.Errorf("a request too many: %q", faults)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Text("ok"))
	post(t, s, "/chat/completions", `{"model":"m","tools":[{"type":"function","function":{"name":"f",
		"parameters":{}}}],"messages":[
		{"role":"user","content":"before"},
		{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f",
		"arguments":"{\"a\":0}"}}]},
		{"role":"tool","tool_call_id":"1","content":"old"},
		{"role":"user","content":"now"},
		{"role":"assistant","tool_calls":[{"id":"2","type":"function","function":{"name":"f",
		"arguments":"{\"a\":1}"}}]},
		{"role":"tool","tool_call_id":"2","content":"new"}]}`)
	r := s.Last()
	if got := r.Results(); len(got) != 1 || got[0] != (llmtest.Result{Name: "f", Args: `{"a":1}`, Text: "new"}) {
		t.Errorf("the results are %+v", got)
	}
	if !r.Has("f") || r.Has("g") {
		t.Errorf("the tools are %+v", r.Tools)
	}
}

// A script plays a model that calls a tool and then answers.
func TestScriptOfAToolCall(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Calls(llmtest.Call{Name: "rate", Args: `{"from":"EUR","to":"USD"}`}),
		llmtest.Text("10 EUR are 11 USD."),
	)
	rate := llm.NewTool("rate", "The exchange rate of two currencies.", `{"type":"object"}`,
		func(context.Context, struct{}) (any, error) { return 1.1, nil })
	answer, err := llm.Run(t.Context(), model.Model(), llm.Task{
		Messages: []llm.Message{llm.User("10 EUR in USD?")}, Tools: []llm.Tool{rate},
	})
	if err != nil || answer.Text != "10 EUR are 11 USD." {
		t.Errorf("%+v, %v", answer, err)
	}
}
