// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Ask sends a text and returns the agent's answer as text: that of the artifacts, or else what the agent said. It
// waits for a task as long as ctx allows. A task that waits for something is a [*PausedError], one that did not get
// completed a [*TaskError]; both carry the task.
func (c *Client) Ask(ctx context.Context, text string) (string, error) {
	var w watch
	var outcome Outcome
	req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}
	for u, err := range c.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		w.note("", u.Event)
		outcome.Add(u)
		if m := outcome.Message(); m != nil {
			return m.Text(), nil
		}
		if w.state.Interrupted() {
			break
		}
	}
	task, err := outcome.Final(c.GetTask(ctx, &a2a.GetTaskRequest{ID: w.taskID}))
	if err != nil {
		return "", fmt.Errorf("the task is done, but its result cannot be had: %w", err)
	}
	return answerOf(task)
}

func answerOf(task *a2a.Task) (string, error) {
	switch {
	case task.Status.State.Interrupted():
		return "", &PausedError{task}
	case task.Status.State != a2a.TaskStateCompleted:
		return "", &TaskError{task}
	}
	return task.Text(), nil
}
