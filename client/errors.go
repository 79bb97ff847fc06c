// SPDX-License-Identifier: Apache-2.0

package client

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// UnreachableError says that no connection to the agent could be made. Surely nothing was sent.
type UnreachableError struct {
	Agent string // the card's name of it
	Err   error  // why, for each interface that was tried
}

// Error names the agent and says why.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("agent %q cannot be reached: %v", e.Agent, e.Err)
}

// Unsent tells packages that do not know this one that the call can be made again without doing anything twice.
func (e *UnreachableError) Unsent() bool { return true }

// Unwrap returns the reason, and the kind of error that this is to a caller of one's own.
func (e *UnreachableError) Unwrap() []error { return []error{a2a.ErrUnavailable, e.Err} }

// CutError says that a stream broke before its end and could not be continued. The task goes on without it.
type CutError struct {
	TaskID a2a.TaskID // "" when the stream broke before it named the task
	LastID string     // the last event that came; "" when the agent cannot replay
	Err    error      // what broke the stream, or kept it from being continued
}

// Error names the task and what to do.
func (e *CutError) Error() string {
	if e.TaskID == "" {
		return fmt.Sprintf("the stream was cut before the agent named a task; the message may have arrived: %v", e.Err)
	}
	return fmt.Sprintf("the stream of task %s was cut and could not be continued; get or subscribe to the task to "+
		"see on: %v", e.TaskID, e.Err)
}

// Unwrap returns what happened, and the kind of error that this is to a caller of one's own.
func (e *CutError) Unwrap() []error { return []error{a2a.ErrUnavailable, e.Err} }

// PausedError says that a task waits for input or for authorization. Answer with a message that carries its TaskID.
type PausedError struct{ Task *a2a.Task }

// Error says what the task waits for, in the agent's words.
func (e *PausedError) Error() string {
	what := "input"
	if e.Task.Status.State == a2a.TaskStateAuthRequired {
		what = "authorization"
	}
	return fmt.Sprintf("task %s waits for %s%s", e.Task.ID, what, said(e.Task))
}

// TaskError says that a task ended otherwise than by being completed.
type TaskError struct{ Task *a2a.Task }

// Error says how the task ended, in the agent's words.
func (e *TaskError) Error() string {
	how := "ended in an unknown state"
	switch e.Task.Status.State {
	case a2a.TaskStateFailed:
		how = "failed"
	case a2a.TaskStateRejected:
		how = "was rejected"
	case a2a.TaskStateCanceled:
		how = "was canceled"
	}
	return fmt.Sprintf("task %s %s%s", e.Task.ID, how, said(e.Task))
}

// maxSaid is how many runes of an agent's words an error shows.
const maxSaid = 300

// said returns the text of a task's status, as oneLine does.
func said(t *a2a.Task) string { return oneLine(t.Status.Message.Text()) }

// oneLine returns a text after a colon, for an error or a log: on one line, as those end up in terminals.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxSaid {
		text = string(runes[:maxSaid]) + "..."
	}
	return ": " + text
}
