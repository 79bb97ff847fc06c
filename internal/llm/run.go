// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// Task is what [Run] gets done.
type Task struct {
	System   string         // instructions; "" for none
	Messages []Message      // the conversation so far, ending with what is to be answered
	Tools    []Tool         // what the model may use; names are unique
	Schema   jsontext.Value // JSON Schema that the answer has to satisfy; empty: the answer is text
	Budget   Budget         // the zero value has limits too

	// OnText gets the model's text as it comes, also what it says before it calls tools. nil: nobody listens. With a
	// Schema the text is pieces of JSON that nothing has checked yet.
	OnText func(text string)
	// OnToolCall is told of a call before it is made. nil: nobody listens.
	OnToolCall func(call ToolCall)
}

// Budget bounds one [Run].
type Budget struct {
	Calls  int           // requests to the model; 0: 12
	Tokens int           // input and output of all of them, as the provider counts; 0: 200,000
	Time   time.Duration // 0: 2 minutes
}

// withDefaults fills in what is zero.
func (b Budget) withDefaults() Budget {
	b.Calls = cmp.Or(b.Calls, 12)
	b.Tokens = cmp.Or(b.Tokens, 200_000)
	b.Time = cmp.Or(b.Time, 2*time.Minute)
	return b
}

// Answer is the outcome of a [Run].
type Answer struct {
	Text      string         // the model's last words; with a Schema, the same as JSON
	JSON      jsontext.Value // with a Schema: the answer, which satisfies it
	StoppedBy string         // the tool that ended the run with [ErrStop]; "": the model ended it
	Messages  []Message      // what the run adds to the conversation: tool calls, their results, the answer
	Calls     int            // requests made to the model
	Usage     Usage          // of all of them
}

// Run gives the task to the model, makes the tool calls that it asks for, those of one answer at the same time, and
// tells it their results, until it answers without a call. Calls of tools that do not exist, arguments that are not
// JSON or not what the tool's schema asks, and errors of tools are told to the model. An answer that does not satisfy
// the task's schema is sent back once with what is wrong.
//
// The error is an [*Error], or the cause of ctx. The Answer is never nil: with an error it holds what was done until
// then.
func Run(ctx context.Context, m Model, t Task) (*Answer, error) {
	r := &run{model: m, task: t, budget: t.Budget.withDefaults(), answer: &Answer{}}
	return r.answer, r.do(ctx)
}

const (
	maxCallsAtOnce = 32 // of one answer; more are told to wait
	maxRunning     = 8  // of them at the same time
)

// run is one [Run].
type run struct {
	model  Model
	task   Task
	budget Budget
	answer *Answer

	tools    map[string]tool
	schema   *schema.Schema // of the answer
	repaired bool           // the one repair has been asked for
	heard    bool           // OnText was told of the answer that comes
}

// tool is a tool whose schema is compiled.
type tool struct {
	Tool
	schema *schema.Schema // of the arguments
}

func (r *run) do(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return &Error{Kind: ErrBadRequest, Message: err.Error()}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.budget.Time, over("%s have passed", r.budget.Time))
	defer cancel()
	for {
		if err := r.affordable(); err != nil {
			return err
		}
		response, err := r.ask(ctx)
		if err != nil {
			return err
		}
		r.add(response.Message)
		if len(response.Message.ToolCalls) == 0 {
			if again, err := r.end(response); !again {
				return err
			}
			continue
		}
		if err := r.call(ctx, response.Message.ToolCalls); err != nil || r.answer.StoppedBy != "" {
			return err
		}
	}
}

// over is the error of a budget that is used up.
func over(format string, args ...any) error {
	return &Error{Kind: ErrBudget, Message: fmt.Sprintf(format, args...)}
}

// prepare compiles the schemas of the task.
func (r *run) prepare() (err error) {
	if r.schema, err = compile(r.task.Schema); err != nil {
		return fmt.Errorf("the answer's schema: %w", err)
	}
	r.tools = make(map[string]tool, len(r.task.Tools))
	for _, t := range r.task.Tools {
		if !validName.MatchString(t.Name) {
			return fmt.Errorf("the name of tool %q must be 1 to 64 letters, digits, _ or -", t.Name)
		}
		if _, twice := r.tools[t.Name]; twice {
			return fmt.Errorf("two tools are called %q", t.Name)
		}
		s, err := compile(t.Schema)
		if err != nil {
			return fmt.Errorf("tool %q: %w", t.Name, err)
		}
		r.tools[t.Name] = tool{t, s}
	}
	return nil
}

// validName matches the names of tools that providers take.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// compile reads a schema. An empty text lets every value pass.
func compile(text jsontext.Value) (*schema.Schema, error) {
	if len(text) == 0 {
		text = jsontext.Value(`{}`)
	}
	return schema.Compile(text)
}

// check reports what is wrong with a value, in words for a model.
func check(s *schema.Schema, value jsontext.Value) error {
	if !value.IsValid() {
		return errors.New("it is not valid JSON")
	}
	return s.Check(value)
}

// affordable says whether the budget allows another request.
func (r *run) affordable() error {
	if r.answer.Calls >= r.budget.Calls {
		return over("%d requests were made to the model", r.answer.Calls)
	}
	if used := r.answer.Usage.Total(); used >= r.budget.Tokens {
		return over("%d of %d tokens are used", used, r.budget.Tokens)
	}
	return nil
}

// ask gets one answer. One that is cut is asked for once more, unless somebody has heard the beginning.
func (r *run) ask(ctx context.Context) (*Response, error) {
	response, err := r.askOnce(ctx)
	cut := errors.Is(err, ErrUnavailable) && size(response.Message) > 0
	if !cut || r.heard || r.affordable() != nil || ctx.Err() != nil {
		return response, err
	}
	return r.askOnce(ctx)
}

// askOnce makes one request and counts it.
func (r *run) askOnce(ctx context.Context) (*Response, error) {
	r.answer.Calls++
	r.heard = false
	request := &Request{System: r.task.System, Messages: slices.Concat(r.task.Messages, r.answer.Messages),
		Tools: r.task.Tools, Schema: r.task.Schema}
	response, err := r.model.Ask(ctx, request, r.listen)
	usage := response.Usage
	if usage == (Usage{}) {
		usage = estimate(request, response)
	}
	r.answer.Usage.Input += usage.Input
	r.answer.Usage.Output += usage.Output
	if len(response.Message.ToolCalls) == 0 {
		r.answer.Text = response.Message.Text
	}
	if err != nil && ctx.Err() != nil {
		err = ended(ctx, err)
	}
	return response, err
}

func (r *run) add(m Message) { r.answer.Messages = append(r.answer.Messages, m) }

// listen tells OnText of a piece of the answer.
func (r *run) listen(text string) {
	if r.task.OnText != nil {
		r.heard = true
		r.task.OnText(text)
	}
}

// estimate guesses the tokens of an answer whose provider does not count, at four bytes a token: a budget has to hold
// there as well.
func estimate(request *Request, response *Response) Usage {
	input := len(request.System) + len(request.Schema)
	for _, t := range request.Tools {
		input += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range request.Messages {
		input += size(m)
	}
	return Usage{Input: input/4 + 1, Output: size(response.Message)/4 + 1}
}

func size(m Message) int {
	n := len(m.Text)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// end looks at an answer without tool calls. again means that the model was asked to repair it.
func (r *run) end(response *Response) (again bool, err error) {
	if response.Finish == FinishLength {
		return false, &Error{Kind: ErrBadOutput, Message: "the answer was cut at the limit of its length"}
	}
	problem := r.problem(response.Message)
	if problem == "" {
		return false, nil
	}
	if r.repaired {
		return false, &Error{Kind: ErrBadOutput, Message: problem}
	}
	r.repaired = true
	r.add(User(problem))
	return true, nil
}

// problem says what is wrong with the last answer, in words for the model; "" if nothing.
func (r *run) problem(m Message) string {
	if len(r.task.Schema) == 0 {
		if strings.TrimSpace(m.Text) == "" {
			return "Your answer was empty. Answer the last message."
		}
		return ""
	}
	value := jsonIn(m.Text)
	if err := check(r.schema, value); err != nil {
		return "Your answer does not fit the JSON Schema:\n" + err.Error() +
			"\nAnswer again, with the corrected JSON alone."
	}
	r.answer.JSON = value
	return ""
}

// outcome is what became of one call.
type outcome struct {
	message Message
	stop    bool
	err     error // ends the run
}

// call makes the calls of one answer, several at the same time, and adds their results in the order of the calls.
func (r *run) call(ctx context.Context, calls []ToolCall) error {
	outcomes := make([]outcome, len(calls))
	running := make(chan struct{}, maxRunning)
	var wg sync.WaitGroup
	for i, c := range calls {
		if r.task.OnToolCall != nil {
			r.task.OnToolCall(c)
		}
		wg.Go(func() {
			running <- struct{}{}
			defer func() { <-running }()
			outcomes[i] = r.callOne(ctx, i, c)
		})
	}
	wg.Wait()
	for i, o := range outcomes {
		r.add(o.message)
		if o.stop && r.answer.StoppedBy == "" {
			r.answer.StoppedBy = calls[i].Name
		}
	}
	for _, o := range outcomes {
		if o.err != nil {
			return o.err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// callOne makes one call. A panic ends the run rather than the process: calls have goroutines of their own.
func (r *run) callOne(ctx context.Context, i int, c ToolCall) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o.message = resultMessage(c, nil, errors.New("the tool failed"))
			o.err = fmt.Errorf("tool %q panicked: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	if i >= maxCallsAtOnce {
		return outcome{message: resultMessage(c, nil,
			fmt.Errorf("not called: %d calls at once are the most", maxCallsAtOnce))}
	}
	t, args, err := r.accept(c)
	if err != nil {
		return outcome{message: resultMessage(c, nil, err)}
	}
	value, err := t.Call(ctx, args)
	if errors.Is(err, ErrStop) {
		return outcome{message: resultMessage(c, value, nil), stop: true}
	}
	return outcome{message: resultMessage(c, value, err)}
}

// accept finds the tool of a call and checks the arguments.
func (r *run) accept(c ToolCall) (tool, jsontext.Value, error) {
	t, ok := r.tools[c.Name]
	if !ok {
		return tool{}, nil, fmt.Errorf("there is no tool %q", c.Name)
	}
	args := jsontext.Value(strings.TrimSpace(c.Arguments))
	if len(args) == 0 {
		args = jsontext.Value("{}") // which is how some models call a tool without arguments
	}
	if !args.IsValid() || args.Kind() != '{' {
		return tool{}, nil, errors.New("the arguments are not a valid JSON object; call again")
	}
	if err := check(t.schema, args); err != nil {
		return tool{}, nil, fmt.Errorf("the arguments do not fit the tool's schema:\n%w\ncall again", err)
	}
	return t, args, nil
}
