// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
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
	// OnToolCall is told of a call before it is made, OnToolResult of its outcome, in the order in which calls end.
	// Neither is called twice at the same time. nil: nobody listens.
	OnToolCall   func(call ToolCall)
	OnToolResult func(call ToolCall, result Message)
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
	Images    []Image        // images in the model's last words
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
