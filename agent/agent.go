// SPDX-License-Identifier: Apache-2.0

// Package agent is what the author of an agent writes against. An agent is a function of a [Turn]: it reads the
// message, shows its work through the turn, and its return value decides how the turn ends:
//
//	returns nil                         the task is completed
//	return t.Complete(parts...)         completed, with a last word about it
//	return t.Ask(parts...)              input-required; the next message starts the next turn
//	return t.AskForm(schema, values)    likewise, with a form; [Turn.FormAnswer] reads the answer into a type
//	return t.NeedAuth(parts...)         auth-required; likewise
//	return t.Authorize(need)            likewise, with what a person has to allow, and where
//	return t.Suspend(until)             stays working without a turn, until a timer, a message or a wake-up
//	return t.Reply(parts...)            no task at all: the answer is a message
//	return agent.Reject(parts...)       rejected
//	return agent.Withdraw(parts...)     canceled, because the user said so in words
//	returns another error, or panics    failed; the client reads a generic text, or that of agent.Public
//	its context is cancelled            canceled, after 5 s of grace at the latest
//
// The task exists once the turn has called one of its methods, or has ended. Until then callers can neither see nor
// cancel it, because the answer may still be a message. An agent with a long job should call [Turn.Working] first.
//
// [Turn.Delegate] has another agent do a part of the task. Package agenttest tests an agent without a server.
//
// A hello world:
//
//	hello := agent.Func(func(ctx context.Context, t *agent.Turn) error {
//		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Text()+"!"))
//	})
package agent

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

// An Agent does the work of a task, one turn at a time. Run must honour its context, which ends when the task is
// cancelled, when the turn passes its time limit, when a commit fails and when the server has drained; context.Cause
// says which. Turns of different tasks run at once, also those of one context, so an Agent is safe for concurrent use.
type Agent interface {
	Run(ctx context.Context, t *Turn) error
}

// Func is a function that is an Agent. When it works for long it calls [Turn.Working] first, so that the task can be
// seen, listed and cancelled from then on.
type Func func(ctx context.Context, t *Turn) error

// Run calls f.
func (f Func) Run(ctx context.Context, t *Turn) error { return f(ctx, t) }

// A Canceler has something to do, or to say, when a task is cancelled. Cancel runs before the running turn's context
// is cancelled, at the same time as that turn, or without one when the task waits. It may clean up within the
// cancel's grace (5 s, which it shares with the turn that ends after it), or return [NotCancelable]; other errors are
// logged and the task is cancelled all the same.
type Canceler interface {
	Cancel(ctx context.Context, t *Turn) error
}

// A Resumable agent can take up a turn that a crash or a shutdown interrupted: it is run again with the same message
// and [Turn.Attempt] above 1. Interrupted turns of other agents end as failed.
type Resumable interface {
	Resumable() bool
}

// NotCancelable is what [Canceler] returns to refuse a cancel.
//
//lint:ignore ST1012 an agent returns it as an answer, like Reject, more than as an error
var NotCancelable = errors.New("the task cannot be canceled")

// ErrCanceled, ErrTurnLimit, ErrShutdown and ErrOver are causes that a turn's context ends with.
var (
	ErrCanceled  = errors.New("the task was canceled")
	ErrTurnLimit = errors.New("the turn passed its time limit")
	ErrShutdown  = errors.New("the server shuts down")
	ErrOver      = errors.New("the turn is over")
)

// Reject returns what an agent returns to reject the task: it will not do this work. The parts tell why.
func Reject(parts ...a2a.Part) error { return &turn.Outcome{Kind: turn.Reject, Parts: parts} }

// Withdraw returns what an agent returns to end the task as canceled when the user takes the request back in a message
// ("never mind") instead of cancelling the task. The parts confirm it.
func Withdraw(parts ...a2a.Part) error { return &turn.Outcome{Kind: turn.Withdraw, Parts: parts} }

// Public returns an error whose message the client may read as the reason why the task failed. cause is for the
// operator of the agent: the log has it, as a warning, without the message. A nil cause means that nothing is wrong
// with the agent.
func Public(message string, cause error) error {
	return &turn.PublicError{Message: message, Cause: cause}
}
