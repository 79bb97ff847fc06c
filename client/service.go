// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Every request goes out with the tenant of Options.Tenant or, when that is empty, the one that the card gives its
// interface, or with none, whatever it says itself (A2A 1.0 §8.3.2).

// events is what an open stream yields.
type events = wire.Events

// SendMessage sends a message and returns what the agent answers: a message, or a task. Unless the request says
// ReturnImmediately the agent answers when the task has ended or waits, see Options.SendTimeout.
func (c *Client) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return do[a2a.SendResult](ctx, c, wire.OpSendMessage, req)
}

// StreamMessage sends a message and returns what happens because of it. A stream that breaks yields a [*CutError];
// [Client.Stream] goes on instead. It fails at once when the card does not say that the agent streams.
func (c *Client) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return c.judged(ctx, &watch{continues: continues(req)},
		func(ctx context.Context) (events, error) { return c.openMessage(ctx, req) })
}

// openMessage opens a stream; the caller checks how it ended.
func (c *Client) openMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	if err := c.mustStream(); err != nil {
		return nil, err
	}
	return do[events](ctx, c, wire.OpStreamMessage, req)
}

// GetTask returns a task as it is now.
func (c *Client) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return do[*a2a.Task](ctx, c, wire.OpGetTask, req)
}

// ListTasks returns a page of the caller's tasks.
func (c *Client) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return do[*a2a.ListTasksResponse](ctx, c, wire.OpListTasks, req)
}

// CancelTask asks the agent to end a task, and returns the task.
func (c *Client) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return do[*a2a.Task](ctx, c, wire.OpCancelTask, req)
}

// Subscribe returns a task and what happens to it from now on, or, when the request names the last event that was seen
// and the agent can replay, what has happened since. A stream that breaks yields a [*CutError]; [Client.Follow] goes
// on instead. It fails at once when the card does not say that the agent streams.
func (c *Client) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	w := &watch{taskID: req.ID, lastID: req.After}
	return c.judged(ctx, w, func(ctx context.Context) (events, error) { return c.openTask(ctx, req) })
}

// openTask opens a stream; the caller checks how it ended.
func (c *Client) openTask(ctx context.Context, req *a2a.SubscribeRequest) (events, error) {
	if err := c.mustStream(); err != nil {
		return nil, err
	}
	if req.After != "" && !c.replays() {
		r := *req
		r.After = ""
		req = &r
	}
	return do[events](ctx, c, wire.OpSubscribe, req)
}

// CreatePushConfig has the agent notify a webhook about a task.
func (c *Client) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do[*a2a.PushConfig](ctx, c, wire.OpCreatePushConfig, req)
}

// GetPushConfig returns a push config of a task.
func (c *Client) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do[*a2a.PushConfig](ctx, c, wire.OpGetPushConfig, req)
}

// ListPushConfigs returns a page of a task's push configs.
func (c *Client) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do[*a2a.ListPushConfigsResponse](ctx, c, wire.OpListPushConfigs, req)
}

// DeletePushConfig ends the notifications of a push config.
func (c *Client) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	if err := c.mustPush(); err != nil {
		return err
	}
	_, err := do[struct{}](ctx, c, wire.OpDeletePushConfig, req)
	return err
}

// ExtendedCard returns the card that the agent shows to callers it knows. From then on it is the client's card
// (A2A 1.0 §3.1.11); the interface that is called stays the same.
func (c *Client) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	if !isTrue(c.Card().Capabilities.ExtendedAgentCard) {
		return nil, c.lacks(a2a.ErrUnsupportedOperation, "an extended agent card")
	}
	extended, err := do[*a2a.AgentCard](ctx, c, wire.OpExtendedCard, req)
	if err != nil {
		return nil, err
	}
	c.card.Store(extended)
	return extended, nil
}

// Capabilities are checked before they are used (A2A 1.0 §3.3.4).

func (c *Client) mustStream() error {
	if !c.streams() {
		return c.lacks(a2a.ErrUnsupportedOperation, "streaming")
	}
	return nil
}

func (c *Client) mustPush() error {
	if !isTrue(c.Card().Capabilities.PushNotifications) {
		return c.lacks(a2a.ErrPushNotSupported, "push notifications")
	}
	return nil
}

func (c *Client) lacks(kind a2a.Kind, what string) error {
	return a2a.NewError(kind, fmt.Sprintf("the card of agent %q does not offer %s", c.Card().Name, what))
}
