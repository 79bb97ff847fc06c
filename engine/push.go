// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// Push keeps the push configs of tasks. The configs that it returns have no secrets.
type Push interface {
	// Prepare checks the config that comes with the first message of a task. The task is created with the cursor.
	Prepare(context.Context, journal.Key, *a2a.PushConfig) (journal.Cursor, error)
	Create(context.Context, journal.Key, *a2a.PushConfig) (*a2a.PushConfig, error)
	Get(ctx context.Context, key journal.Key, id string) (*a2a.PushConfig, error)
	List(ctx context.Context, key journal.Key, size int, token string) (*a2a.ListPushConfigsResponse, error)
	Delete(ctx context.Context, key journal.Key, id string) error
	// Notify says that some task has new events. It must not block.
	Notify()
}

// withPush calls f with the key of a task, unless there are no push notifications.
func withPush[R any](ctx context.Context, s *service, operation, tenant string, id a2a.TaskID,
	f func(Push, journal.Key) (R, error)) (R, error) {
	var none R
	if s.e.opts.Push == nil {
		return none, a2a.ErrPushNotSupported
	}
	key, err := s.key(ctx, operation, tenant, id)
	if err != nil {
		return none, err
	}
	result, err := f(s.e.opts.Push, key)
	if err != nil {
		return none, wireError(err)
	}
	return result, nil
}

// CreatePushConfig implements a2a.Service. The task may have ended (A2A 1.0 §3.1.7).
func (s *service) CreatePushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return withPush(ctx, s, "CreateTaskPushNotificationConfig", r.Tenant, r.TaskID,
		func(p Push, key journal.Key) (*a2a.PushConfig, error) { return p.Create(ctx, key, r) })
}

// GetPushConfig implements a2a.Service.
func (s *service) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return withPush(ctx, s, "GetTaskPushNotificationConfig", r.Tenant, r.TaskID,
		func(p Push, key journal.Key) (*a2a.PushConfig, error) { return p.Get(ctx, key, r.ID) })
}

// ListPushConfigs implements a2a.Service.
func (s *service) ListPushConfigs(ctx context.Context, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	return withPush(ctx, s, "ListTaskPushNotificationConfigs", r.Tenant, r.TaskID,
		func(p Push, key journal.Key) (*a2a.ListPushConfigsResponse, error) {
			return p.List(ctx, key, r.PageSize, r.PageToken)
		})
}

// DeletePushConfig implements a2a.Service.
func (s *service) DeletePushConfig(ctx context.Context, r *a2a.DeletePushConfigRequest) error {
	_, err := withPush(ctx, s, "DeleteTaskPushNotificationConfig", r.Tenant, r.TaskID,
		func(p Push, key journal.Key) (struct{}, error) { return struct{}{}, p.Delete(ctx, key, r.ID) })
	return err
}

// pushConfigOf returns the config that comes with a message, nil if there is none.
func pushConfigOf(req *a2a.SendMessageRequest) *a2a.PushConfig {
	if req.Configuration == nil {
		return nil
	}
	return req.Configuration.PushConfig
}

// pushCursor makes the cursor of a config that comes with the first message of a task.
func (s *service) pushCursor(ctx context.Context, key journal.Key, c *a2a.PushConfig) ([]journal.Cursor, error) {
	cursor, err := s.e.opts.Push.Prepare(ctx, key, c)
	if err != nil {
		return nil, withinSend(wireError(err))
	}
	return []journal.Cursor{cursor}, nil
}

// addPushConfig adds a config that comes with a message to an existing task.
func (s *service) addPushConfig(ctx context.Context, key journal.Key, c *a2a.PushConfig) error {
	_, err := s.e.opts.Push.Create(ctx, key, c)
	return withinSend(wireError(err))
}

// withinSend names the fields of a config by their place in the request of a send.
func withinSend(err error) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || len(e.Violations) == 0 {
		return err
	}
	named := *e
	named.Violations = make([]a2a.Violation, len(e.Violations))
	for i, v := range e.Violations {
		v.Field = "configuration.taskPushNotificationConfig." + v.Field
		named.Violations[i] = v
	}
	return &named
}
