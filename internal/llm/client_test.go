// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// hello is the request of tests for which the request does not matter.
var hello = &llm.Request{Messages: []llm.Message{llm.User("hello")}}

func TestTextComesInPieces(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Step{Text: "Grüße aus 東京, und so weiter.", Usage: llm.Usage{Input: 7, Output: 9}})
	var text string
	pieces := 0
	r, err := s.Model().Ask(t.Context(), hello, func(piece string) { text += piece; pieces++ })
	if err != nil {
		t.Fatal(err)
	}
	if text != "Grüße aus 東京, und so weiter." || pieces < 2 || r.Usage != (llm.Usage{Input: 7, Output: 9}) {
		t.Errorf("got %q in %d pieces, usage %+v", text, pieces, r.Usage)
	}
}

func TestToolCallsComeInPieces(t *testing.T) {
	t.Parallel()
	two := []llmtest.Call{{Name: "a", Args: `{"text":"one and more"}`, ID: "1"}, {Name: "b", Args: `{"n":2}`, ID: "2"}}
	want := []llm.ToolCall{{ID: "1", Name: "a", Arguments: `{"text":"one and more"}`},
		{ID: "2", Name: "b", Arguments: `{"n":2}`}}
	for name, step := range map[string]llmtest.Step{
		"mixed":          {Calls: two},
		"whole":          {Calls: two, Whole: true},
		"not streamed":   {Calls: two, Plain: true},
		"after a text":   {Text: "Let me see.", Calls: two},
		"without counts": {Calls: two, NoUsage: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := llmtest.New(t, step).Model().Ask(t.Context(), hello, nil)
			if err != nil || r.Message.Text != step.Text || r.Finish != llm.FinishToolCalls {
				t.Errorf("Ask = %+v, %v", r, err)
			}
			if diff := cmp.Diff(want, r.Message.ToolCalls); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRequestOnTheWire(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Text("ok"))
	schema := jsontext.Value(`{"type":"object"}`)
	picture := llm.Image{MediaType: "image/png", Data: []byte("png")}
	request := &llm.Request{
		System: "Be brief.",
		Messages: []llm.Message{
			llm.User("look", picture),
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
				{ID: "1", Name: "f", Arguments: `{"a":1}`,
					Extra: jsontext.Value(`{"google":{"thought_signature":"s"}}`)},
				{ID: "2", Name: "f", Arguments: `{"a":`},
			}},
			{Role: llm.RoleTool, CallID: "1", Text: "one", Images: []llm.Image{picture}},
			{Role: llm.RoleTool, CallID: "2", Text: "error: no JSON"},
		},
		Tools:  []llm.Tool{{Name: "f", Description: "does f", Schema: schema}, {Name: "g"}},
		Schema: schema,
	}
	if _, err := s.Model().Ask(t.Context(), request, nil); err != nil {
		t.Fatal(err)
	}
	got := s.Last()
	want := *request
	want.Messages = append([]llm.Message(nil), request.Messages...)
	want.Messages[1].ToolCalls = []llm.ToolCall{request.Messages[1].ToolCalls[0], {ID: "2", Name: "f", Arguments: "{}"}}
	want.Messages[2].Images = nil // which tools cannot send: they follow
	want.Messages = append(want.Messages, llm.User("The images of the message before:", picture))
	want.Tools = []llm.Tool{request.Tools[0], {Name: "g", Schema: jsontext.Value(`{"type":"object","properties":{}}`)}}
	if diff := cmp.Diff(want, got.Request); diff != "" {
		t.Error(diff)
	}
	if got.ModelName != llmtest.ModelName || !got.Stream || got.Header.Get("Authorization") != "Bearer "+llmtest.Key {
		t.Errorf("model %q, stream %v, headers %v", got.ModelName, got.Stream, got.Header)
	}
}

func TestErrorsHaveKinds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step llmtest.Step
		want error
	}{
		"refusal":         {llmtest.Refuse("I will not."), llm.ErrRefused},
		"filter":          {llmtest.Step{Text: "half", Finish: llm.FinishFilter}, llm.ErrRefused},
		"filtered prompt": {llmtest.Step{Status: 400, Code: "content_filter", Message: "no"}, llm.ErrRefused},
		"key":             {llmtest.Fail(403, "no right"), llm.ErrAuth},
		"Gemini's key":    {llmtest.Fail(400, "API key not valid. Please pass a valid API key."), llm.ErrAuth},
		"model":           {llmtest.Fail(404, "no such model"), llm.ErrBadRequest},
		"request":         {llmtest.Fail(400, "no"), llm.ErrBadRequest},
		"redirect":        {llmtest.Fail(307, ""), llm.ErrBadRequest},
		"length": {llmtest.Step{Status: 400, Code: "context_length_exceeded", Message: "no"},
			llm.ErrContextLength},
		"length in words": {llmtest.Fail(400, "prompt is too long: 300000 tokens"), llm.ErrContextLength},
		"quota":           {llmtest.Step{Status: 429, Code: "insufficient_quota"}, llm.ErrRateLimit},
		"long wait":       {llmtest.RateLimit(time.Hour), llm.ErrRateLimit},
		"not implemented": {llmtest.Fail(501, "no"), llm.ErrUnavailable},
		"cut":             {llmtest.CutAfter("half of the"), llm.ErrUnavailable},
		"late":            {llmtest.Step{Text: "half", Late: "overloaded"}, llm.ErrUnavailable},
		"late limit": {llmtest.Step{Text: "half", Late: "too fast", Code: "rate_limit_exceeded"},
			llm.ErrRateLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := llmtest.New(t, test.step).Model().Ask(t.Context(), hello, nil)
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.RetryAfter != test.step.RetryAfter {
				t.Errorf("got %#v", err)
			}
		})
	}
}

func TestTheKeyIsNotShown(t *testing.T) {
	t.Parallel()
	s := llmtest.Func(t, func(*llmtest.Request) llmtest.Step { return llmtest.Fail(400, "bad key "+llmtest.Key) })
	o := s.Options()
	for _, text := range []string{o.String(), o.GoString()} {
		if strings.Contains(text, o.Key) {
			t.Errorf("the options show the key: %s", text)
		}
	}
	_, err := s.Model().Ask(t.Context(), hello, nil)
	if err == nil || strings.Contains(err.Error(), o.Key) {
		t.Errorf("the error shows the key: %v", err)
	}
	o.Key = "sk-wrong-12345" // which the server repeats
	m, err := llm.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Ask(t.Context(), hello, nil); !errors.Is(err, llm.ErrAuth) || strings.Contains(err.Error(), o.Key) {
		t.Errorf("a wrong key: %v", err)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Fail(http.StatusServiceUnavailable, "busy"), llmtest.RateLimit(time.Second),
		llmtest.Text("at last"))
	began := time.Now()
	r, err := s.Model().Ask(t.Context(), hello, nil)
	if err != nil || r.Message.Text != "at last" {
		t.Errorf("Ask = %+v, %v", r, err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("took %s, less than Retry-After", took)
	}
}

func TestNoRetryBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.RateLimit(20*time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := s.Model().Ask(ctx, hello, nil)
	if !errors.Is(err, llm.ErrRateLimit) || ctx.Err() != nil {
		t.Errorf("got %v, want the rate limit at once", err)
	}
}

func TestASilentProvider(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Step{Text: "hm", Stall: true})
	o := s.Options()
	o.Idle = 100 * time.Millisecond
	m, err := llm.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ask(t.Context(), hello, nil); !errors.Is(err, llm.ErrUnavailable) ||
		!strings.Contains(err.Error(), "silent") {
		t.Errorf("got %v, want that it was silent", err)
	}
}

func TestTheContextEnds(t *testing.T) {
	t.Parallel()
	gone := errors.New("the user has left")
	for name, step := range map[string]llmtest.Step{
		"before the answer": {Wait: make(chan struct{})},
		"within it":         {Text: "hm", Stall: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			s := llmtest.Func(t, func(*llmtest.Request) llmtest.Step {
				time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
				return step
			})
			if _, err := s.Model().Ask(ctx, hello, nil); !errors.Is(err, gone) {
				t.Errorf("got %v, want the cause", err)
			}
		})
	}
}

func TestSchemaInWordsWhereTheServerWantsIt(t *testing.T) {
	t.Parallel()
	s := llmtest.Func(t, func(r *llmtest.Request) llmtest.Step {
		if len(r.Schema) > 0 {
			return llmtest.Fail(400, "response_format is not supported")
		}
		return llmtest.JSON(map[string]int{"n": 1})
	})
	m := s.Model()
	task := llm.Task{System: "Count.", Messages: hello.Messages,
		Schema: jsontext.Value(`{"type":"object","required":["n"]}`)}
	for range 2 {
		a, err := llm.Run(t.Context(), m, task)
		if err != nil || string(a.JSON) != `{"n":1}` {
			t.Fatalf("Run = %+v, %v", a, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the second run knows what the server takes", n)
	}
	if system := s.Last().System; !strings.HasPrefix(system, "Count.") ||
		!strings.Contains(system, `"required":["n"]`) {
		t.Errorf("the instructions are %q", system)
	}
}
