// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Ask sends a text and returns the agent's answer as text: that of the artifacts, or else what the agent said. It
// waits for a task as long as ctx allows. A task that waits for something is a [*PausedError], one that did not get
// completed a [*TaskError]; both carry the task.
func (c *Client) Ask(ctx context.Context, text string) (string, error) {
	var w watch
	req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}
	for u, err := range c.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		w.note("", u.Event)
		if m, ok := u.Event.(*a2a.Message); ok && w.answered {
			return textOf(m.Parts), nil
		}
		if w.state.Interrupted() {
			break
		}
	}
	task, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: w.taskID})
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
	var texts []string
	for _, artifact := range task.Artifacts {
		if text := textOf(artifact.Parts); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 && task.Status.Message != nil {
		texts = append(texts, textOf(task.Status.Message.Parts))
	}
	return strings.Join(texts, "\n"), nil
}

// textOf returns the text parts joined as they are: an artifact that was streamed has a part for each of its chunks.
func textOf(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if text, ok := p.Content.(a2a.Text); ok {
			b.WriteString(string(text))
		}
	}
	return b.String()
}
