// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/schema"
)

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
	schema   *schema.Schema // nil: none
	repaired bool           // the one repair has been asked for
	heard    bool           // OnText was told of the answer that comes
	notify   sync.Mutex
}

// tool is a tool whose schema is compiled.
type tool struct {
	Tool
	schema *schema.Schema // nil: none
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
		if !validName(t.Name) {
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

// validName says whether providers take a name of a tool.
func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// compile reads a schema, if there is one.
func compile(text jsontext.Value) (*schema.Schema, error) {
	if len(text) == 0 {
		return nil, nil
	}
	return schema.Compile(text)
}

// check reports what is wrong with a value, in words for a model.
func check(s *schema.Schema, value jsontext.Value) error {
	if !value.IsValid() {
		return errors.New("it is not valid JSON")
	}
	if s == nil {
		return nil
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
	if !errors.Is(err, ErrUnavailable) || r.heard || !begun(response) || r.affordable() != nil || ctx.Err() != nil {
		return response, err
	}
	return r.askOnce(ctx)
}

// begun reports whether anything of an answer has come.
func begun(r *Response) bool { return r.Message.Text != "" || len(r.Message.ToolCalls) > 0 }

// askOnce makes one request and counts it.
func (r *run) askOnce(ctx context.Context) (*Response, error) {
	r.answer.Calls++
	r.heard = false
	request := &Request{System: r.task.System, Messages: r.conversation(), Tools: r.task.Tools, Schema: r.task.Schema}
	response, err := Collect(r.listen(r.model.Stream(ctx, request)))
	usage := response.Usage
	if usage == (Usage{}) {
		usage = estimate(request, response)
	}
	r.answer.Usage.Input += usage.Input
	r.answer.Usage.Output += usage.Output
	if len(response.Message.ToolCalls) == 0 {
		r.answer.Text, r.answer.Images = response.Message.Text, response.Message.Images
	}
	if err != nil && ctx.Err() != nil {
		err = ended(ctx, err)
	}
	return response, err
}

// conversation is what was said before the run and in it.
func (r *run) conversation() []Message {
	before := r.task.Messages
	return append(before[:len(before):len(before)], r.answer.Messages...)
}

func (r *run) add(m Message) { r.answer.Messages = append(r.answer.Messages, m) }

// listen passes the deltas on and tells OnText of their text.
func (r *run) listen(deltas iter.Seq2[Delta, error]) iter.Seq2[Delta, error] {
	if r.task.OnText == nil {
		return deltas
	}
	return func(yield func(Delta, error) bool) {
		for d, err := range deltas {
			if d.Text != "" {
				r.heard = true
				r.task.OnText(d.Text)
			}
			if !yield(d, err) {
				return
			}
		}
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
		if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
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
		r.told(r.task.OnToolCall, c)
		wg.Go(func() {
			running <- struct{}{}
			defer func() { <-running }()
			outcomes[i] = r.callOne(ctx, i, c)
			r.ended(c, outcomes[i].message)
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

func (r *run) told(f func(ToolCall), c ToolCall) {
	if f == nil {
		return
	}
	r.notify.Lock()
	defer r.notify.Unlock()
	f(c)
}

func (r *run) ended(c ToolCall, m Message) {
	if r.task.OnToolResult == nil {
		return
	}
	r.notify.Lock()
	defer r.notify.Unlock()
	r.task.OnToolResult(c, m)
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
