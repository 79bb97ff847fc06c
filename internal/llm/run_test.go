// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// number wants {"n":...}.
const number = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`

// double is a tool.
var double = llm.NewTool("double", "doubles a number", number, func(_ context.Context, args struct {
	N int `json:"n"`
}) (any, error) {
	if args.N < 0 {
		return nil, errors.New("not below zero")
	}
	return map[string]int{"result": 2 * args.N}, nil
})

// ask is a task with one question.
func ask(text string, tools ...llm.Tool) llm.Task {
	return llm.Task{Messages: []llm.Message{llm.User(text)}, Tools: tools}
}

func TestRunCallsTools(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Step{Text: "I compute.",
		Calls: []llmtest.Call{{Name: "double", Args: `{"n":21}`, ID: "1"}}}, llmtest.Text("It is 42."))
	task := ask("2*21?", double)
	var heard []string
	task.OnText = func(text string) { heard = append(heard, text) }
	task.OnToolCall = func(c llm.ToolCall) { heard = append(heard, "call "+c.Name+c.Arguments) }
	a, err := llm.Run(t.Context(), s.Model(), task)
	if err != nil || a.Text != "It is 42." || a.Calls != 2 || a.Usage.Input == 0 {
		t.Fatalf("Run = %+v, %v", a, err)
	}
	want := []llm.Message{
		{Role: llm.RoleAssistant, Text: "I compute.",
			ToolCalls: []llm.ToolCall{{ID: "1", Name: "double", Arguments: `{"n":21}`}}},
		{Role: llm.RoleTool, CallID: "1", Text: `{"result":42}`},
		llm.Assistant("It is 42."),
	}
	if diff := cmp.Diff(want, a.Messages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(append(task.Messages, want[:2]...), s.Last().Messages); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(heard, ""); got != `I compute.call double{"n":21}It is 42.` {
		t.Errorf("heard %q", got)
	}
}

func TestRunCallsToolsTogether(t *testing.T) {
	t.Parallel()
	both := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(2)
	go func() { arrived.Wait(); close(both) }()
	meet := llm.Tool{Name: "meet", Call: func(ctx context.Context, _ jsontext.Value) (any, error) {
		arrived.Done()
		select {
		case <-both:
			return "met", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	s := llmtest.New(t, llmtest.Calls(llmtest.Call{Name: "meet"}, llmtest.Call{Name: "meet"}), llmtest.Text("done"))
	a, err := llm.Run(t.Context(), s.Model(), ask("go", meet))
	if err != nil || a.Messages[1].Text != "met" || a.Messages[2].Text != "met" {
		t.Errorf("Run = %+v, %v", a, err)
	}
}

func TestTheModelIsToldWhatWentWrong(t *testing.T) {
	t.Parallel()
	long := llm.Tool{Name: "long", Call: func(context.Context, jsontext.Value) (any,
		error) {
		return strings.Repeat("x", 100_000), nil
	}}
	odd := llm.Tool{Name: "odd", Call: func(context.Context, jsontext.Value) (any, error) { return func() {}, nil }}
	for name, test := range map[string]struct {
		call llmtest.Call
		want string
	}{
		"an error":         {llmtest.Call{Name: "double", Args: `{"n":-1}`}, "error: not below zero"},
		"unknown tool":     {llmtest.Call{Name: "treble", Args: `{}`}, `error: there is no tool "treble"`},
		"broken JSON":      {llmtest.Call{Name: "double", Args: `{"n":`}, "not a valid JSON object"},
		"no object":        {llmtest.Call{Name: "double", Args: `[1]`}, "not a valid JSON object"},
		"missing argument": {llmtest.Call{Name: "double", Args: ``}, "do not fit the tool's schema"},
		"wrong type":       {llmtest.Call{Name: "double", Args: `{"n":"x"}`}, "/n"},
		"a long result":    {llmtest.Call{Name: "long"}, "[cut here: "},
		"an odd result":    {llmtest.Call{Name: "odd"}, "the result cannot be told"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, llmtest.Calls(test.call), llmtest.Text("ok"))
			if _, err := llm.Run(t.Context(), s.Model(), ask("go", double, long, odd)); err != nil {
				t.Fatal(err)
			}
			results := s.Last().Results()
			if len(results) != 1 || !strings.Contains(results[0].Text, test.want) || len(results[0].Text) > 70_000 {
				t.Errorf("the model was told %q, want %q", results, test.want)
			}
		})
	}
}

func TestRunEndsWithATool(t *testing.T) {
	t.Parallel()
	form := llm.Tool{Name: "form", Call: func(context.Context, jsontext.Value) (any, error) {
		return nil, fmt.Errorf("the user has to fill it in: %w", llm.ErrStop)
	}}
	s := llmtest.New(t, llmtest.Calls(llmtest.Call{Name: "double", Args: `{"n":1}`}, llmtest.Call{Name: "form"}))
	a, err := llm.Run(t.Context(), s.Model(), ask("go", double, form))
	if err != nil || a.StoppedBy != "form" || len(a.Messages) != 3 || a.Messages[2].Text != "done" {
		t.Errorf("Run = %+v, %v", a, err)
	}
}

func TestRunSurvivesAPanic(t *testing.T) {
	t.Parallel()
	bad := llm.Tool{Name: "bad", Call: func(context.Context, jsontext.Value) (any, error) { panic("oh") }}
	s := llmtest.New(t, llmtest.Calls(llmtest.Call{Name: "bad"}))
	if _, err := llm.Run(t.Context(), s.Model(), ask("go", bad)); err == nil ||
		!strings.Contains(err.Error(), `tool "bad" panicked: oh`) {
		t.Errorf("got %v", err)
	}
}

func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps []llmtest.Step
		want  string // "": ErrBadOutput
	}{
		"at once":     {[]llmtest.Step{llmtest.JSON(`{"n":1}`)}, `{"n":1}`},
		"in a fence":  {[]llmtest.Step{llmtest.Text("Here:\n```json\n{\"n\":2}\n```\nBye.")}, `{"n":2}`},
		"open fence":  {[]llmtest.Step{llmtest.Text("```\n{\"n\":3}")}, `{"n":3}`},
		"repaired":    {[]llmtest.Step{llmtest.JSON(`{"n":"x"}`), llmtest.JSON(`{"n":4}`)}, `{"n":4}`},
		"no JSON":     {[]llmtest.Step{llmtest.Text("five"), llmtest.JSON(`{"n":5}`)}, `{"n":5}`},
		"never right": {[]llmtest.Step{llmtest.JSON(`{}`), llmtest.JSON(`{}`)}, ""},
		"cut":         {[]llmtest.Step{{Text: `{"n":`, Finish: llm.FinishLength}}, ""},
		"after a tool": {[]llmtest.Step{llmtest.Calls(llmtest.Call{Name: "double", Args: `{"n":3}`}),
			llmtest.JSON(`{"n":6}`)}, `{"n":6}`},
		"not at the end": {[]llmtest.Step{llmtest.JSON(`{"n":7}{"n":8}`), llmtest.JSON(`{"n":7}`)}, `{"n":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := ask("how many?", double)
			task.Schema = jsontext.Value(number)
			s := llmtest.New(t, test.steps...)
			a, err := llm.Run(t.Context(), s.Model(), task)
			if test.want == "" {
				if !errors.Is(err, llm.ErrBadOutput) {
					t.Errorf("got %+v, %v, want ErrBadOutput", a, err)
				}
				return
			}
			if err != nil || string(a.JSON) != test.want {
				t.Errorf("Run = %+v, %v", a, err)
			}
			if schema := s.Requests()[0].Schema; !schema.IsValid() {
				t.Errorf("the server was sent the schema %q", schema)
			}
		})
	}
}

func TestAnEmptyAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	a, err := llm.Run(t.Context(), llmtest.New(t, llmtest.Text(""), llmtest.Text("hi")).Model(), ask("hello"))
	if err != nil || a.Text != "hi" {
		t.Errorf("Run = %+v, %v", a, err)
	}
}

func TestACutAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	cut := llmtest.Step{Calls: []llmtest.Call{{Name: "double", Args: `{"n":1}`}}, Cut: true}
	a, err := llm.Run(t.Context(), llmtest.New(t, cut, llmtest.Text("hi")).Model(), ask("hello", double))
	if err != nil || a.Text != "hi" || a.Calls != 2 {
		t.Errorf("Run = %+v, %v", a, err)
	}
	task := ask("hello")
	task.OnText = func(string) {}
	a, err = llm.Run(t.Context(), llmtest.New(t, llmtest.CutAfter("half")).Model(), task)
	if !errors.Is(err, llm.ErrUnavailable) || a.Text != "half" {
		t.Errorf("a cut answer of which somebody has heard: %+v, %v", a, err)
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	again := func(*llmtest.Request) llmtest.Step {
		return llmtest.Step{Calls: []llmtest.Call{{Name: "double", Args: `{"n":1}`}},
			Usage: llm.Usage{Input: 90, Output: 10}}
	}
	uncounted := func(*llmtest.Request) llmtest.Step {
		return llmtest.Step{Calls: []llmtest.Call{{Name: "double", Args: `{"n":1}`}}, NoUsage: true}
	}
	for name, test := range map[string]struct {
		budget llm.Budget
		model  func(*llmtest.Request) llmtest.Step
		calls  int
	}{
		"calls":       {llm.Budget{Calls: 3}, again, 3},
		"usual calls": {llm.Budget{}, again, 12},
		"tokens":      {llm.Budget{Tokens: 250}, again, 3},
		"not counted": {llm.Budget{Tokens: 1}, uncounted, 1},
		"limited waits": {llm.Budget{Time: 300 * time.Millisecond},
			func(*llmtest.Request) llmtest.Step { return llmtest.Step{Stall: true} }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := ask("go on", double)
			task.Budget = test.budget
			a, err := llm.Run(t.Context(), llmtest.Func(t, test.model).Model(), task)
			if !errors.Is(err, llm.ErrBudget) || a.Calls != test.calls {
				t.Errorf("%d calls, error %v", a.Calls, err)
			}
		})
	}
}

func TestTheBudgetOfTimeEndsTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := llm.Tool{Name: "wait", Call: func(ctx context.Context, _ jsontext.Value) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		model := modelFunc(func(*llm.Request) llm.Message {
			return llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "wait"}}}
		})
		began := time.Now()
		a, err := llm.Run(t.Context(), model, ask("go", wait))
		if !errors.Is(err, llm.ErrBudget) || time.Since(began) != 2*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		if len(a.Messages) != 2 {
			t.Errorf("the answer holds %+v", a.Messages)
		}
	})
}

func TestTheCauseOfTheContextIsTold(t *testing.T) {
	t.Parallel()
	gone := errors.New("the user has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	leave := llm.Tool{Name: "leave", Call: func(context.Context, jsontext.Value) (any,
		error) {
		cancel(gone)
		return nil, nil
	}}
	s := llmtest.New(t, llmtest.Calls(llmtest.Call{Name: "leave"}))
	if _, err := llm.Run(ctx, s.Model(), ask("go", leave)); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestTooManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	call := llmtest.Call{Name: "double", Args: `{"n":1}`}
	many := make([]llmtest.Call, 40)
	for i := range many {
		many[i] = call
	}
	s := llmtest.New(t, llmtest.Calls(many...), llmtest.Text("ok"))
	if _, err := llm.Run(t.Context(), s.Model(), ask("go", double)); err != nil {
		t.Fatal(err)
	}
	results := s.Last().Results()
	if len(results) != 40 || results[31].Text != `{"result":2}` || !strings.Contains(results[32].Text, "not called") {
		t.Errorf("the results are %q", results)
	}
}

func TestTasksThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]llm.Task{
		"twice":       ask("x", double, double),
		"name":        ask("x", llm.Tool{Name: "a.b"}),
		"no name":     ask("x", llm.Tool{}),
		"tool schema": ask("x", llm.Tool{Name: "f", Schema: jsontext.Value(`{"type":1}`)}),
		"schema":      {Schema: jsontext.Value(`{`)},
	} {
		if _, err := llm.Run(t.Context(), llmtest.New(t).Model(), task); !errors.Is(err, llm.ErrBadRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConversationsAreSaved(t *testing.T) {
	t.Parallel()
	want := []llm.Message{
		llm.User("look", png, llm.Image{URL: "https://example.com/a.png"}),
		{Role: llm.RoleAssistant,
			ToolCalls: []llm.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":`, Extra: jsontext.Value(`{"s":1}`)}}},
		{Role: llm.RoleTool, CallID: "1", Text: "done"},
	}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []llm.Message
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", raw, diff)
	}
}
