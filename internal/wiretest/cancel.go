// SPDX-License-Identifier: Apache-2.0

package wiretest

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Begin sends a text that begins a conversation, and returns the task at once.
func (c *Caller) Begin(t *testing.T, text string) *a2a.Task {
	t.Helper()
	return c.begin(t, Message(text))
}

func (c *Caller) begin(t *testing.T, m *a2a.Message) *a2a.Task {
	t.Helper()
	sent, err := c.Client.SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message: m, Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return sent.(*a2a.Task)
}

// Cancel cancels a task and fails the test unless that succeeds.
func (c *Caller) Cancel(t *testing.T, id a2a.TaskID) {
	t.Helper()
	task, err := c.Client.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	Want(t, task, a2a.TaskStateCanceled, "")
}
