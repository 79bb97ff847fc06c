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
type events = iter.Seq2[a2a.StreamEvent, error]

var sendMessage = operation[a2a.SendMessageRequest, a2a.SendResult]{
	op:        wire.OpSendMessage,
	setTenant: func(r *a2a.SendMessageRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
		return s.SendMessage(ctx, r)
	},
}

// SendMessage sends a message and returns what the agent answers: a message, or a task. Unless the request says
// ReturnImmediately the agent answers when the task has ended or waits, see Options.SendTimeout.
func (c *Client) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return do(ctx, c, &sendMessage, req)
}

var streamMessage = operation[a2a.SendMessageRequest, events]{
	op:        wire.OpStreamMessage,
	setTenant: func(r *a2a.SendMessageRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.SendMessageRequest) (events, error) {
		return s.StreamMessage(ctx, r)
	},
}

// StreamMessage sends a message and returns what happens because of it. A stream that breaks yields a [*CutError];
// [Client.Stream] goes on instead. It fails at once when the card does not say that the agent streams.
func (c *Client) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.judged(ctx, &watch{continues: continues(req)}, func(ctx context.Context) (events, error) { return c.openMessage(ctx, req) })
}

// openMessage opens a stream whose end nobody has judged yet.
func (c *Client) openMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	if err := c.mustStream(); err != nil {
		return nil, err
	}
	return do(ctx, c, &streamMessage, req)
}

var getTask = operation[a2a.GetTaskRequest, *a2a.Task]{
	op:        wire.OpGetTask,
	reads:     true,
	setTenant: func(r *a2a.GetTaskRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.GetTaskRequest) (*a2a.Task, error) {
		return s.GetTask(ctx, r)
	},
}

// GetTask returns a task as it is now.
func (c *Client) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return do(ctx, c, &getTask, req)
}

var listTasks = operation[a2a.ListTasksRequest, *a2a.ListTasksResponse]{
	op:        wire.OpListTasks,
	reads:     true,
	setTenant: func(r *a2a.ListTasksRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
		return s.ListTasks(ctx, r)
	},
}

// ListTasks returns a page of the caller's tasks.
func (c *Client) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return do(ctx, c, &listTasks, req)
}

var cancelTask = operation[a2a.CancelTaskRequest, *a2a.Task]{
	op:        wire.OpCancelTask,
	setTenant: func(r *a2a.CancelTaskRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
		return s.CancelTask(ctx, r)
	},
}

// CancelTask asks the agent to end a task, and returns the task.
func (c *Client) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return do(ctx, c, &cancelTask, req)
}

var subscribe = operation[a2a.SubscribeRequest, events]{
	op:        wire.OpSubscribe,
	setTenant: func(r *a2a.SubscribeRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.SubscribeRequest) (events, error) {
		return s.Subscribe(ctx, r)
	},
}

// Subscribe returns a task and what happens to it from now on, or, when the request names the last event that was seen
// and the agent can replay, what has happened since. A stream that breaks yields a [*CutError]; [Client.Follow] goes
// on instead. It fails at once when the card does not say that the agent streams.
func (c *Client) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	w := &watch{taskID: req.ID, lastID: req.After}
	return c.judged(ctx, w, func(ctx context.Context) (events, error) { return c.openTask(ctx, req) })
}

// openTask opens a stream whose end nobody has judged yet.
func (c *Client) openTask(ctx context.Context, req *a2a.SubscribeRequest) (events, error) {
	if err := c.mustStream(); err != nil {
		return nil, err
	}
	if req.After != "" && !c.replays() {
		r := *req
		r.After = ""
		req = &r
	}
	return do(ctx, c, &subscribe, req)
}

var createPushConfig = operation[a2a.PushConfig, *a2a.PushConfig]{
	op:        wire.OpCreatePushConfig,
	setTenant: func(r *a2a.PushConfig, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.PushConfig) (*a2a.PushConfig, error) {
		return s.CreatePushConfig(ctx, r)
	},
}

// CreatePushConfig has the agent notify a webhook about a task.
func (c *Client) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do(ctx, c, &createPushConfig, req)
}

var getPushConfig = operation[a2a.GetPushConfigRequest, *a2a.PushConfig]{
	op:        wire.OpGetPushConfig,
	reads:     true,
	setTenant: func(r *a2a.GetPushConfigRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
		return s.GetPushConfig(ctx, r)
	},
}

// GetPushConfig returns a push config of a task.
func (c *Client) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do(ctx, c, &getPushConfig, req)
}

var listPushConfigs = operation[a2a.ListPushConfigsRequest, *a2a.ListPushConfigsResponse]{
	op:        wire.OpListPushConfigs,
	reads:     true,
	setTenant: func(r *a2a.ListPushConfigsRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
		return s.ListPushConfigs(ctx, r)
	},
}

// ListPushConfigs returns a page of a task's push configs.
func (c *Client) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	if err := c.mustPush(); err != nil {
		return nil, err
	}
	return do(ctx, c, &listPushConfigs, req)
}

var deletePushConfig = operation[a2a.DeletePushConfigRequest, struct{}]{
	op:        wire.OpDeletePushConfig,
	setTenant: func(r *a2a.DeletePushConfigRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.DeletePushConfigRequest) (struct{}, error) {
		return struct{}{}, s.DeletePushConfig(ctx, r)
	},
}

// DeletePushConfig ends the notifications of a push config.
func (c *Client) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	if err := c.mustPush(); err != nil {
		return err
	}
	_, err := do(ctx, c, &deletePushConfig, req)
	return err
}

var extendedCard = operation[a2a.ExtendedCardRequest, *a2a.AgentCard]{
	op:        wire.OpExtendedCard,
	reads:     true,
	setTenant: func(r *a2a.ExtendedCardRequest, t string) { r.Tenant = t },
	send: func(ctx context.Context, s a2a.Service, r *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
		return s.ExtendedCard(ctx, r)
	},
}

// ExtendedCard returns the card that the agent shows to callers it knows. From then on it is the client's card
// (A2A 1.0 §3.1.11); the interface that is called stays the same.
func (c *Client) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	if !isTrue(c.Card().Capabilities.ExtendedAgentCard) {
		return nil, c.lacks(a2a.ErrUnsupportedOperation, "an extended agent card")
	}
	extended, err := do(ctx, c, &extendedCard, req)
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
