// SPDX-License-Identifier: Apache-2.0

// Package bytenant makes several agents one service: the tenant of a request names the agent. gRPC, which has no paths,
// reaches them so (A2A 1.0 §8.3.2).
package bytenant

import (
	"context"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Pick returns the agent that a tenant names. The agent gets the request without its tenant, so that the same tasks are
// reached by its path and by its tenant.
type Pick func(tenant string) (a2a.Service, error)

// forward passes a request on to the agent that it names.
func forward[Q, R any](ctx context.Context, pick Pick, op wire.Operation, req *Q,
	call func(a2a.Service, context.Context, *Q) (R, error)) (R, error) {
	passed := *req
	tenant := op.Subject(&passed).Tenant
	agent, err := pick(*tenant)
	if err != nil {
		var none R
		return none, err
	}
	*tenant = ""
	to := *a2a.CallFrom(ctx)
	to.Tenant = ""
	return call(agent, a2a.WithCall(ctx, &to), &passed)
}

// SendMessage implements a2a.Service.
func (p Pick) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return forward(ctx, p, wire.OpSendMessage, req, a2a.Service.SendMessage)
}

// StreamMessage implements a2a.Service.
func (p Pick) StreamMessage(ctx context.Context,
	req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return forward(ctx, p, wire.OpStreamMessage, req, a2a.Service.StreamMessage)
}

// GetTask implements a2a.Service.
func (p Pick) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return forward(ctx, p, wire.OpGetTask, req, a2a.Service.GetTask)
}

// ListTasks implements a2a.Service.
func (p Pick) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return forward(ctx, p, wire.OpListTasks, req, a2a.Service.ListTasks)
}

// CancelTask implements a2a.Service.
func (p Pick) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return forward(ctx, p, wire.OpCancelTask, req, a2a.Service.CancelTask)
}

// Subscribe implements a2a.Service.
func (p Pick) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return forward(ctx, p, wire.OpSubscribe, req, a2a.Service.Subscribe)
}

// CreatePushConfig implements a2a.Service.
func (p Pick) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return forward(ctx, p, wire.OpCreatePushConfig, req, a2a.Service.CreatePushConfig)
}

// GetPushConfig implements a2a.Service.
func (p Pick) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return forward(ctx, p, wire.OpGetPushConfig, req, a2a.Service.GetPushConfig)
}

// ListPushConfigs implements a2a.Service.
func (p Pick) ListPushConfigs(ctx context.Context,
	req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return forward(ctx, p, wire.OpListPushConfigs, req, a2a.Service.ListPushConfigs)
}

// DeletePushConfig implements a2a.Service.
func (p Pick) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := forward(ctx, p, wire.OpDeletePushConfig, req,
		func(agent a2a.Service, ctx context.Context, req *a2a.DeletePushConfigRequest) (struct{}, error) {
			return struct{}{}, agent.DeletePushConfig(ctx, req)
		})
	return err
}

// ExtendedCard implements a2a.Service.
func (p Pick) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return forward(ctx, p, wire.OpExtendedCard, req, a2a.Service.ExtendedCard)
}
