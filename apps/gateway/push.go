// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// CreatePushConfig implements a2a.Service: the upstream gets the gateway's webhook, which stands for the client's.
func (u *upstream) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	cl, k, err := u.reach(ctx, req.TaskID)
	if err != nil {
		return nil, err
	}
	own, err := u.hooks.replace(ctx, u, req, k.mask)
	if err != nil {
		return nil, err
	}
	own.TaskID = k.id
	made, err := cl.CreatePushConfig(ctx, own)
	if err != nil {
		u.hooks.forget(own.URL)
		return nil, err
	}
	return u.hooks.shown(made, k.mask), nil
}

// GetPushConfig implements a2a.Service.
func (u *upstream) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	cl, k, err := u.reach(ctx, req.TaskID)
	if err != nil {
		return nil, err
	}
	r := *req
	r.TaskID = k.id
	config, err := cl.GetPushConfig(ctx, &r)
	if err != nil {
		return nil, err
	}
	return u.hooks.shown(config, k.mask), nil
}

// ListPushConfigs implements a2a.Service.
func (u *upstream) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	cl, k, err := u.reach(ctx, req.TaskID)
	if err != nil {
		return nil, err
	}
	r := *req
	r.TaskID = k.id
	list, err := cl.ListPushConfigs(ctx, &r)
	if err != nil {
		return nil, err
	}
	shown := &a2a.ListPushConfigsResponse{NextPageToken: list.NextPageToken}
	for _, config := range list.Configs {
		shown.Configs = append(shown.Configs, u.hooks.shown(config, k.mask))
	}
	return shown, nil
}

// DeletePushConfig implements a2a.Service. The gateway forgets the client's webhook once the upstream has.
func (u *upstream) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	cl, k, err := u.reach(ctx, req.TaskID)
	if err != nil {
		return err
	}
	config, lookup := cl.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: k.id, ID: req.ID})
	r := *req
	r.TaskID = k.id
	if err := cl.DeletePushConfig(ctx, &r); err != nil {
		return err
	}
	if lookup == nil {
		u.hooks.forget(config.URL)
	}
	return nil
}

// withWebhook puts the gateway's webhook into a message in place of the client's, if it names one.
func (u *upstream) withWebhook(ctx context.Context, s *sending) error {
	if s.req.Configuration == nil || s.req.Configuration.PushConfig == nil {
		return nil
	}
	own, err := u.hooks.replace(ctx, u, s.req.Configuration.PushConfig, s.mask)
	if err != nil {
		return err
	}
	r, c := *s.req, *s.req.Configuration
	c.PushConfig = own
	r.Configuration = &c
	s.req, s.hook = &r, own.URL
	return nil
}
