// SPDX-License-Identifier: Apache-2.0

// Package older has what versions before 1.0 do otherwise once a request is read, as a Service around the Service.
package older

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Service serves requests of versions before 1.0 by their rules, with the operations of 1.0. Other requests pass.
type Service struct{ a2a.Service }

func isOlder(ctx context.Context) bool {
	gen := a2a.CallFrom(ctx).Generation
	return gen != a2a.Generation10 && gen != "" // "" is a call within one process
}

// maxPushConfigs is as many as a task can have.
const maxPushConfigs = 100

// ListPushConfigs returns all of them, since older versions have no pages.
func (s Service) ListPushConfigs(
	ctx context.Context, r *a2a.ListPushConfigsRequest,
) (*a2a.ListPushConfigsResponse, error) {
	if isOlder(ctx) {
		all := *r
		all.PageSize = maxPushConfigs
		r = &all
	}
	return s.Service.ListPushConfigs(ctx, r)
}

// GetPushConfig answers a request that names no push config with any one of the task.
func (s Service) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	if r.ID != "" || !isOlder(ctx) {
		return s.Service.GetPushConfig(ctx, r)
	}
	list, err := s.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{Tenant: r.Tenant, TaskID: r.TaskID})
	if err != nil {
		return nil, err
	}
	if list == nil || len(list.Configs) == 0 {
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "the task has no push notification config")
	}
	return list.Configs[0], nil
}

// Subscribe shows a task that has ended, and closes the stream. In 1.0 such a subscription is refused.
func (s Service) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (wire.Events, error) {
	events, err := s.Service.Subscribe(ctx, r)
	if !errors.Is(err, a2a.ErrUnsupportedOperation) || !isOlder(ctx) {
		return events, err
	}
	task, failed := s.GetTask(ctx, &a2a.GetTaskRequest{Tenant: r.Tenant, ID: r.ID})
	switch {
	case failed != nil:
		return nil, failed
	case task == nil || !task.Status.State.Terminal():
		return nil, err
	}
	return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.NewStreamEvent("", task), nil) }, nil
}
