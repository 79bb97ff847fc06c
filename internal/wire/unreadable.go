// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// What is wrong with results that are read without an error.
var (
	ErrNullResult = errors.New("the result is null")
	ErrNoStatus   = errors.New("the task has no status")
)

// LacksStatus reports whether the result of a message is a task of which nobody can tell where it stands.
func LacksStatus(result any) bool {
	task, ok := result.(*a2a.Task)
	return ok && task.Status == (a2a.TaskStatus{})
}

// Unreadable makes an error of what an agent sent and could not be decoded. What is wrong stands there as it is: the
// decoders are those of servers, too, which say "invalid parameters" to a client before it.
func Unreadable(err error) error {
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Kind == a2a.ErrInvalidParams {
		err = errors.New(strings.TrimPrefix(err.Error(), e.Kind.String()+": "))
	}
	return &a2a.Error{Kind: a2a.ErrInvalidAgentResponse, Message: "cannot read the agent's answer", Cause: err}
}
