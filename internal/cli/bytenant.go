// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// byTenant is several agents as one service: the tenant of a request names the one it is for. gRPC, which has no paths,
// reaches them so (A2A 1.0 §8.3.2). To the agent itself the request has no tenant, so that its tasks are the same ones
// that it has below its path.
type byTenant map[string]a2a.Service

// forward passes a request on to the agent that it names.
func forward[Req, Res any](ctx context.Context, agents byTenant, req *Req, tenantOf func(*Req) *string,
	do func(a2a.Service, context.Context, *Req) (Res, error)) (Res, error) {
	passed := *req
	tenant := tenantOf(&passed)
	agent, ok := agents[*tenant]
	if !ok {
		var none Res
		return none, a2a.InvalidParams("tenant", "must name one of the agents here: "+
			strings.Join(slices.Sorted(maps.Keys(agents)), ", "))
	}
	*tenant = ""
	call := *a2a.CallFrom(ctx)
	call.Tenant = ""
	return do(agent, a2a.WithCall(ctx, &call), &passed)
}

// Capabilities are those that one of the agents has, as all are of one engine.
func (agents byTenant) Capabilities() a2a.AgentCapabilities {
	for _, agent := range agents {
		if c, ok := agent.(server.Capable); ok {
			return c.Capabilities()
		}
	}
	return a2a.AgentCapabilities{}
}

// SendMessage implements a2a.Service.
func (agents byTenant) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return forward(ctx, agents, req, func(r *a2a.SendMessageRequest) *string { return &r.Tenant },
		a2a.Service.SendMessage)
}

// StreamMessage implements a2a.Service.
func (agents byTenant) StreamMessage(ctx context.Context,
	req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return forward(ctx, agents, req, func(r *a2a.SendMessageRequest) *string { return &r.Tenant },
		a2a.Service.StreamMessage)
}

// GetTask implements a2a.Service.
func (agents byTenant) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return forward(ctx, agents, req, func(r *a2a.GetTaskRequest) *string { return &r.Tenant }, a2a.Service.GetTask)
}

// ListTasks implements a2a.Service.
func (agents byTenant) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return forward(ctx, agents, req, func(r *a2a.ListTasksRequest) *string { return &r.Tenant }, a2a.Service.ListTasks)
}

// CancelTask implements a2a.Service.
func (agents byTenant) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return forward(ctx, agents, req, func(r *a2a.CancelTaskRequest) *string { return &r.Tenant },
		a2a.Service.CancelTask)
}

// Subscribe implements a2a.Service.
func (agents byTenant) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return forward(ctx, agents, req, func(r *a2a.SubscribeRequest) *string { return &r.Tenant }, a2a.Service.Subscribe)
}

// CreatePushConfig implements a2a.Service.
func (agents byTenant) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return forward(ctx, agents, req, func(r *a2a.PushConfig) *string { return &r.Tenant }, a2a.Service.CreatePushConfig)
}

// GetPushConfig implements a2a.Service.
func (agents byTenant) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return forward(ctx, agents, req, func(r *a2a.GetPushConfigRequest) *string { return &r.Tenant },
		a2a.Service.GetPushConfig)
}

// ListPushConfigs implements a2a.Service.
func (agents byTenant) ListPushConfigs(ctx context.Context,
	req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return forward(ctx, agents, req, func(r *a2a.ListPushConfigsRequest) *string { return &r.Tenant },
		a2a.Service.ListPushConfigs)
}

// DeletePushConfig implements a2a.Service.
func (agents byTenant) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := forward(ctx, agents, req, func(r *a2a.DeletePushConfigRequest) *string { return &r.Tenant },
		func(agent a2a.Service, ctx context.Context, req *a2a.DeletePushConfigRequest) (struct{}, error) {
			return struct{}{}, agent.DeletePushConfig(ctx, req)
		})
	return err
}

// ExtendedCard implements a2a.Service.
func (agents byTenant) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return forward(ctx, agents, req, func(r *a2a.ExtendedCardRequest) *string { return &r.Tenant },
		a2a.Service.ExtendedCard)
}
