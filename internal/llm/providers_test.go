// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// adder is a tool that needs no more than its arguments.
var adder = llm.NewTool("add", "Adds.", `{"type":"object"}`,
	func(_ context.Context, a struct{ A, B int }) (any, error) { return a.A + a.B, nil })

// Whichever provider it is: a model calls tools, several at once, says nothing, breaks its JSON, and is helped on.
func TestEveryProviderRuns(t *testing.T) {
	t.Parallel()
	llmtest.Each(t, func(t *testing.T, p llmtest.Provider) {
		s := p.New(t,
			llmtest.Calls(llmtest.Call{Name: "add", Args: `{"A":1,"B":2}`},
				llmtest.Call{Name: "add", Args: `{"A":30,"B":40}`}),
			llmtest.Calls(llmtest.Call{Name: "add", Args: `{"A":`}),
			llmtest.Text(" "),
			llmtest.JSON(map[string]int{"sum": 73}),
		)
		a, err := llm.Run(t.Context(), s.Model(), llm.Task{
			Messages: []llm.Message{llm.User("add")}, Tools: []llm.Tool{adder},
			Schema: []byte(`{"type":"object","required":["sum"]}`),
		})
		if err != nil || string(a.JSON) != `{"sum":73}` || a.Calls != 4 || a.Usage.Input == 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		var told []string
		for _, m := range a.Messages {
			if m.Role == llm.RoleTool {
				told = append(told, m.Text)
			}
		}
		if len(told) != 3 || told[0] != "3" || told[1] != "70" {
			t.Errorf("the tools returned %q", told)
		}
	})
}

// A conversation may hold calls that another model, or a program, has made.
func TestEveryProviderTakesCallsOfOthers(t *testing.T) {
	t.Parallel()
	llmtest.Each(t, func(t *testing.T, p llmtest.Provider) {
		s := p.New(t, llmtest.Text("3"))
		_, err := s.Model().Ask(t.Context(), &llm.Request{Messages: []llm.Message{
			llm.User("add"), {Role: llm.RoleAssistant,
				ToolCalls: []llm.ToolCall{{ID: "step-1", Name: "add", Arguments: "{}"},
					{ID: "step-2", Name: "add", Arguments: "{}"}}},
			{Role: llm.RoleTool, CallID: "step-1", Text: "3"}, {Role: llm.RoleTool, CallID: "step-2", Text: "3"},
		}, Tools: []llm.Tool{adder}}, nil)
		if err != nil {
			t.Error(err)
		}
	})
}

func TestEveryProvidersErrors(t *testing.T) {
	t.Parallel()
	llmtest.Each(t, func(t *testing.T, p llmtest.Provider) {
		s := p.Func(t, func(r *llmtest.Request) llmtest.Step {
			return map[string]llmtest.Step{
				"busy":   llmtest.RateLimit(40 * time.Second),
				"refuse": llmtest.Refuse("I will not."),
				"noise":  {Noise: true},
				"long": llmtest.Fail(400, "prompt is too long: 300000 tokens, input token count exceeds the "+
					"context length"),
				"missing": llmtest.Fail(404, "no such model"),
			}[r.LastUser()]
		})
		ask := func(m llm.Model, text string) error {
			_, err := m.Ask(t.Context(), &llm.Request{Messages: []llm.Message{llm.User(text)}}, nil)
			return err
		}
		for text, want := range map[string]error{
			"busy": llm.ErrRateLimit, "refuse": llm.ErrRefused, "noise": llm.ErrBadOutput, "long": llm.ErrContextLength,
			"missing": llm.ErrBadRequest,
		} {
			err := ask(s.Model(), text)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v", text, err)
			}
			if e, ok := errors.AsType[*llm.Error](err); text == "busy" && (!ok || e.RetryAfter != 40*time.Second) {
				t.Errorf("how long to wait is not known: %v", err)
			}
		}
		o := s.Options()
		o.Key = "another"
		m, err := llm.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := ask(m, "hello"); !errors.Is(err, llm.ErrAuth) {
			t.Errorf("a wrong key: %v", err)
		}
	})
}
