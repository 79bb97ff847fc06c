// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/llm"
)

// modelFunc is a model in a test.
type modelFunc func(r *llm.Request) (llm.Message, error)

func (modelFunc) Name() string { return "test" }

func (f modelFunc) Stream(_ context.Context, r *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m, err := f(r)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for i, c := range m.ToolCalls {
			if !yield(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}}, nil) {
				return
			}
		}
		yield(llm.Delta{Text: m.Text, Finish: llm.FinishStop}, nil)
	}
}

// script is a model that gives one message after the other.
func script(messages ...llm.Message) modelFunc {
	return func(*llm.Request) (llm.Message, error) {
		if len(messages) == 0 {
			return llm.Message{}, errors.New("the script has ended")
		}
		m := messages[0]
		messages = messages[1:]
		return m, nil
	}
}

// calls is an answer that calls tools.
func calls(calls ...llm.ToolCall) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, ToolCalls: calls}
}

func TestRunCallsTools(t *testing.T) {
	t.Parallel()
	double := llm.NewTool("double", "doubles", `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
		func(_ context.Context, args struct {
			N int `json:"n"`
		}) (any, error) {
			return args.N * 2, nil
		})
	answer, err := llm.Run(t.Context(), script(calls(llm.ToolCall{ID: "1", Name: "double", Arguments: `{"n":21}`}), llm.Assistant("42")),
		llm.Task{Messages: []llm.Message{llm.User("2*21?")}, Tools: []llm.Tool{double}})
	if err != nil || answer.Text != "42" || answer.Calls != 2 {
		t.Fatalf("Run = %+v, %v", answer, err)
	}
	if len(answer.Messages) != 3 || answer.Messages[1].Text != "42" || answer.Messages[1].CallID != "1" {
		t.Errorf("the run added %+v", answer.Messages)
	}
}

func TestRunRepairsOnce(t *testing.T) {
	t.Parallel()
	schema := jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	answer, err := llm.Run(t.Context(), script(llm.Assistant(`{"n":"x"}`), llm.Assistant("```json\n{\"n\":1}\n```")), llm.Task{Schema: schema})
	if err != nil || string(answer.JSON) != `{"n":1}` {
		t.Errorf("Run = %+v, %v", answer, err)
	}
	_, err = llm.Run(t.Context(), script(llm.Assistant(`{"n":"x"}`), llm.Assistant(`{"n":"y"}`)), llm.Task{Schema: schema})
	if !errors.Is(err, llm.ErrBadOutput) {
		t.Errorf("two bad answers: %v, want ErrBadOutput", err)
	}
}
