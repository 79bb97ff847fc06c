// SPDX-License-Identifier: Apache-2.0

package wiretest

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// A Caller speaks to the agent in one way. It is for one goroutine.
type Caller struct {
	Client     *client.Client
	Generation a2a.Generation
	Streams    bool     // messages are sent for a stream
	Progress   []string // what the agent said during the last message that it was sent so; none without streaming

	tasks []*a2a.Task // what came of each message
}

// Message is one of the user with a text, the beginning of a conversation.
func Message(text string) *a2a.Message {
	return a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
}

// Answer is a message to a task.
func Answer(task *a2a.Task, parts ...a2a.Part) *a2a.Message {
	m := InContext(task, parts...)
	m.TaskID = task.ID
	return m
}

// InContext is a message that goes on with the conversation of a task, without being one to the task.
func InContext(of *a2a.Task, parts ...a2a.Part) *a2a.Message {
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	m.ContextID = of.ContextID
	return m
}

// Say sends a text that begins a conversation and returns the task that comes of it.
func (c *Caller) Say(t *testing.T, text string) *a2a.Task {
	t.Helper()
	return c.Send(t, Message(text))
}

// Send sends a message and returns the task that comes of it.
func (c *Caller) Send(t *testing.T, m *a2a.Message) *a2a.Task {
	t.Helper()
	result, err := c.Do(t, m)
	if err != nil {
		t.Fatal(err)
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		t.Fatalf("no task, but %+v", result)
	}
	c.tasks = append(c.tasks, task)
	return task
}

// Do sends a message and returns whatever comes of it.
func (c *Caller) Do(t *testing.T, m *a2a.Message) (a2a.SendResult, error) {
	t.Helper()
	if c.Streams {
		return c.stream(t, m)
	}
	return c.Client.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
}

// stream reads what comes of a message to its end, and then gets the task.
func (c *Caller) stream(t *testing.T, m *a2a.Message) (a2a.SendResult, error) {
	t.Helper()
	events, err := c.Client.StreamMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
	if err != nil {
		return nil, err
	}
	c.Progress = nil
	var id a2a.TaskID
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		waits := false // a stream of 1.0 stays open then
		switch e := e.Event.(type) {
		case *a2a.Message:
			return e, nil
		case *a2a.Task:
			id = e.ID
			c.note(e.Status)
		case *a2a.StatusUpdate:
			id = e.TaskID
			c.note(e.Status)
			waits = e.Status.State == a2a.TaskStateAuthRequired
		}
		if waits {
			break
		}
	}
	return c.Get(t, id), nil
}

// note keeps what the agent says while it works.
func (c *Caller) note(s a2a.TaskStatus) {
	if s.State == a2a.TaskStateWorking && s.Message != nil {
		c.Progress = append(c.Progress, s.Message.Text())
	}
}

// WantProgress fails the test when the message that was last sent was sent for a stream, and the agent did not say
// a text while it worked.
func (c *Caller) WantProgress(t *testing.T, text string) {
	t.Helper()
	if c.Streams && !slices.Contains(c.Progress, text) {
		t.Errorf("the stream says %q, and not %q", c.Progress, text)
	}
}

// Want fails the test unless a task is in a state and says a text, in its status or its artifacts.
func Want(t *testing.T, task *a2a.Task, state a2a.TaskState, text string) {
	t.Helper()
	all := task.Status.Message.Text()
	for _, a := range task.Artifacts {
		all += a.Text()
	}
	if task.Status.State != state || !strings.Contains(all, text) {
		t.Errorf("%v: %s\nwant %v: %s", task.Status.State, all, state, text)
	}
}

// Get returns a task as it is now.
func (c *Caller) Get(t *testing.T, id a2a.TaskID) *a2a.Task {
	t.Helper()
	task, err := c.Client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return task
}
