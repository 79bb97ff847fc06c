// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"errors"
	"fmt"
	"time"
)

// The kinds of errors; errors.Is finds them in what [Model] and [Run] return.
var (
	// Error.RetryAfter says how long to wait, when known
	ErrRateLimit = errors.New("the model's rate limit is reached")
	ErrRefused   = errors.New("the model refused") // by itself, or its provider's filter did
	// not what the schema asks, cut off, or not the protocol
	ErrBadOutput     = errors.New("the model's answer is unusable")
	ErrContextLength = errors.New("the conversation is too long")     // for this model
	ErrAuth          = errors.New("the model's provider wants a key") // none, a wrong one, or one without the right
	// another fault of the request, such as an unknown model
	ErrBadRequest = errors.New("the model's provider refused this")
	// network, 5xx, a stream that stalls; retries included
	ErrUnavailable = errors.New("the model cannot be reached")
	ErrBudget      = errors.New("the budget of this turn is used up") // see Budget
	ErrNoModel     = errors.New("no model is configured")             // from OptionsFromEnv
)

// ErrStop, wrapped in the error of a tool, ends a [Run] without asking the model again: the answer's StoppedBy names
// the tool. It is for tools whose outcome goes to the user as it is, such as a form or a question.
var ErrStop = errors.New("stop here")

// Error is a failure to get an answer from a model. Its text names no key and is meant for logs.
type Error struct {
	Kind       error         // one of the kinds above
	Status     int           // the HTTP status; 0: there was none
	Message    string        // what the provider, or the model that refused, said
	RetryAfter time.Duration // how long the provider wants to be left alone; 0: it did not say
	Err        error         // the cause, if there is another

	final bool // it will not pass by trying again
}

// Error says what happened, the kind first.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf(" (retry after %s)", e.RetryAfter)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
