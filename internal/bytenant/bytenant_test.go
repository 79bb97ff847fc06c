// SPDX-License-Identifier: Apache-2.0

package bytenant_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/bytenant"
)

func TestTenantsNameAgents(t *testing.T) {
	t.Parallel()
	seen := make(map[string]*a2a.Call)
	agents := bytenant.Pick(func(tenant string) (a2a.Service, error) {
		if tenant != "a" && tenant != "b" {
			return nil, a2a.InvalidParams("tenant", "must name one of the agents here: a, b")
		}
		return tenantService{name: tenant, seen: seen}, nil
	})
	ctx := a2a.WithCall(t.Context(), &a2a.Call{Tenant: "b", RequestID: "r"})
	req := &a2a.GetTaskRequest{Tenant: "b", ID: "1"}
	task, err := agents.GetTask(ctx, req)
	if err != nil || task.ID != "b1" || req.Tenant != "b" {
		t.Errorf("got %+v, %v", task, err)
	}
	if call := seen["b"]; call.Tenant != "" || call.RequestID != "r" {
		t.Errorf("the agent sees %+v", call)
	}
	for _, name := range []string{"", "c"} {
		_, err := agents.GetTask(ctx, &a2a.GetTaskRequest{Tenant: name, ID: "1"})
		if !errors.Is(err, a2a.ErrInvalidParams) ||
			!strings.Contains(err.Error(), "must name one of the agents here: a, b") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := agents.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{Tenant: "c"}); !errors.Is(err,
		a2a.ErrInvalidParams) {
		t.Errorf("got %v", err)
	}
}

// tenantService notes the calls of its requests, which must have no tenant.
type tenantService struct {
	a2a.Service
	name string
	seen map[string]*a2a.Call
}

func (s tenantService) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	s.seen[s.name] = a2a.CallFrom(ctx)
	return &a2a.Task{ID: a2a.TaskID(s.name) + req.ID + a2a.TaskID(req.Tenant)}, nil
}
