// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A switchboard is the Service at the root of a gateway to several upstreams, which tenants name.
type switchboard []*upstream

func (s switchboard) pick(tenant string) (*upstream, error) {
	names := make([]string, len(s))
	for i, r := range s {
		if r.name == tenant {
			return r, nil
		}
		names[i] = r.name
	}
	return nil, a2a.InvalidParams("tenant",
		fmt.Sprintf("must name one of the agents behind this gateway: %s", strings.Join(names, ", ")))
}

// card is the one at the root: it lists what is behind the gateway.
func (g *Gateway) card(context.Context, *http.Request) (*a2a.AgentCard, error) {
	c := &a2a.AgentCard{
		Name: "Dragoman gateway",
		Description: "Several agents behind one address. Each has a card below its name, and takes requests " +
			"whose tenant is that name.",
		Version:            "1",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
	}
	for _, r := range g.routes {
		c.Skills = append(c.Skills, a2a.AgentSkill{
			ID: r.name, Name: r.name, Tags: []string{"agent"},
			Description: fmt.Sprintf("The agent %s; its card is at /%s/.well-known/agent-card.json", r.name, r.name),
		})
	}
	return c, nil
}

// Capabilities says what passes; an upstream that lacks one answers so itself.
func (s switchboard) Capabilities() a2a.AgentCapabilities { return (*upstream)(nil).Capabilities() }

// forward calls an operation of the upstream that the request's tenant names.
func forward[Q, R any](ctx context.Context, s switchboard, tenant string, req Q,
	call func(*upstream, context.Context, Q) (R, error)) (res R, err error) {
	u, err := s.pick(tenant)
	if err != nil {
		return res, err
	}
	return call(u, ctx, req)
}

func (s switchboard) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).SendMessage)
}

func (s switchboard) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).StreamMessage)
}

func (s switchboard) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).GetTask)
}

func (s switchboard) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).ListTasks)
}

func (s switchboard) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).CancelTask)
}

func (s switchboard) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (events, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).Subscribe)
}

func (s switchboard) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).CreatePushConfig)
}

func (s switchboard) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).GetPushConfig)
}

func (s switchboard) ListPushConfigs(ctx context.Context,
	req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).ListPushConfigs)
}

func (s switchboard) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	u, err := s.pick(req.Tenant)
	if err != nil {
		return err
	}
	return u.DeletePushConfig(ctx, req)
}

func (s switchboard) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return forward(ctx, s, req.Tenant, req, (*upstream).ExtendedCard)
}
