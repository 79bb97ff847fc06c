// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Agents of 0.1 create a task for every id that they do not know, and answer a send when they are done. This file
// builds the promises of [a2a.Service] on that behavior.

// send01 sends a message. One that is not to wait is streamed until the task is there.
func (c *Client) send01(ctx context.Context, req *a2a.SendMessageRequest) (any, error) {
	if req.Configuration != nil && req.Configuration.ReturnImmediately {
		sent, err := c.begin01(ctx, req)
		if !isKind(err, a2a.ErrUnsupportedOperation, a2a.ErrMethodNotFound) {
			return sent, err
		}
	}
	req, err := c.named(ctx, req)
	if err != nil {
		return nil, err
	}
	return c.call(ctx, wire.OpSendMessage, req, c.send)
}

func (c *Client) stream01(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	req, err := c.named(ctx, req)
	if err != nil {
		return nil, err
	}
	return c.stream(ctx, wire.OpStreamMessage, req, "")
}

var errNoEvent = &a2a.Error{Kind: a2a.ErrInvalidAgentResponse,
	Message: "the agent's stream ended before its first event"}

// begin01 returns what a stream begins with, and leaves it.
func (c *Client) begin01(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := c.stream01(ctx, req)
	if err != nil {
		return nil, err
	}
	for ev, err := range events {
		if err != nil {
			return nil, err
		}
		if sent, ok := ev.Event.(a2a.SendResult); ok {
			return sent, nil
		}
	}
	return nil, errNoEvent
}

// named returns a request that names the task it makes, and its session. It refuses a message to a task that does not
// exist or has ended, because the agent would create the task or begin it anew.
func (c *Client) named(ctx context.Context, req *a2a.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	switch {
	case req.Message == nil || req.NewTaskID != "":
		return req, nil
	case req.Message.TaskID != "":
		task, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: req.Message.TaskID})
		if err == nil && task.Status.State.Terminal() {
			return nil, &a2a.Error{
				Kind: a2a.ErrUnsupportedOperation, Message: "the task has ended and takes no messages; start a new one",
				Metadata: map[string]string{a2a.MetadataTaskState: task.Status.State.String()},
			}
		}
		return req, err
	}
	r, m := *req, *req.Message
	r.Message, r.NewTaskID = &m, a2a.NewTaskID()
	if m.ContextID == "" {
		m.ContextID = a2a.NewContextID()
	}
	return &r, nil
}

func isKind(err error, kinds ...a2a.Kind) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok {
		return false
	}
	for _, kind := range kinds {
		if e.Kind == kind {
			return true
		}
	}
	return false
}
