// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// These errors describe faults of results that decode without an error.
var (
	ErrNullResult = errors.New("the result is null")
	ErrNoStatus   = errors.New("the task has no status")
)

// LacksStatus reports whether the result of a message is a task without a status.
func LacksStatus(result any) bool {
	task, ok := result.(*a2a.Task)
	return ok && task.Status == (a2a.TaskStatus{})
}

// Unreadable makes an error of a decoding error in an agent's answer. It keeps the decoder's description but removes
// the prefix "invalid parameters", because servers use the same decoders and send that prefix to clients.
func Unreadable(err error) error {
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Kind == a2a.ErrInvalidParams {
		err = errors.New(strings.TrimPrefix(err.Error(), e.Kind.String()+": "))
	}
	return &a2a.Error{Kind: a2a.ErrInvalidAgentResponse, Message: "cannot read the agent's answer", Cause: err}
}
