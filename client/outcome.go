// SPDX-License-Identifier: Apache-2.0

package client

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// An Outcome gathers the updates of [Client.Stream] or [Client.Follow] into their result: a task, or the one message
// that is the whole answer. It keeps what a stream said even if the agent does not repeat it: some agents have no
// GetTask, others show a task without the artifacts that they streamed.
//
// The zero Outcome is ready. It is not safe for concurrent use.
type Outcome struct{ told fold.Outcome }

// Add takes an update.
func (o *Outcome) Add(u Update) { o.told.Add(u.Event) }

// Message returns the message that is the whole answer, or nil.
func (o *Outcome) Message() *a2a.Message { return o.told.Message() }

// Task returns the task as the updates told it, or nil when they told of none.
func (o *Outcome) Task() *a2a.Task { return o.told.Task() }

// Final returns what the updates and a last GetTask come to, which is called with what that returned. It adds to what
// the updates said: an artifact, a message, or the end of the task that only they told stays. The error counts only if
// the updates do not tell what came of the task.
func (o *Outcome) Final(task *a2a.Task, err error) (*a2a.Task, error) { return o.told.Final(task, err) }
