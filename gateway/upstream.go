// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An upstream is an agent behind the gateway, as an a2a.Service: see service.go.
type upstream struct {
	name     string
	ref      string
	opts     client.Options
	resolver *card.Resolver
	logger   *slog.Logger
	tasks    *taskTable
	hooks    *webhooks

	mu     sync.Mutex
	called *client.Client // of the card that was found last
	of     *a2a.AgentCard // that card
	old    []*client.Client
}

func newUpstream(u Upstream, o *Options, hooks *webhooks) *upstream {
	up := &upstream{
		name: u.Name, ref: u.Card, opts: o.Client, logger: o.Logger,
		tasks: newTaskTable(o.MaxTasks, o.Lifetime), hooks: hooks,
	}
	if len(up.opts.Generations) == 0 {
		up.opts.Generations = wire.Generations
	}
	up.opts.Interceptors = append(slices.Clone(o.Client.Interceptors), up.passCredentials)
	up.resolver = o.Client.Resolver
	if up.resolver == nil {
		up.resolver = card.NewResolver(&card.Options{HTTPClient: o.Client.HTTPClient, Retries: o.Client.Retries})
	}
	return up
}

// client returns the client for the upstream's card as it is now. While the card cannot be fetched the last one counts.
func (u *upstream) client(ctx context.Context) (*client.Client, error) {
	found, err := u.resolver.Resolve(ctx, u.ref)
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case err != nil && u.called != nil:
		u.logger.LogAttrs(ctx, slog.LevelWarn, "the upstream's card cannot be fetched; using the last one",
			slog.String("upstream", u.ref), slog.String("error", err.Error()))
		return u.called, nil
	case err != nil:
		return nil, unreachable(u, err)
	case found == u.of:
		return u.called, nil
	}
	cl, err := client.New(found, &u.opts)
	if err != nil {
		return nil, unreachable(u, err)
	}
	if u.called != nil {
		u.old = append(u.old, u.called) // calls of it may still run
	}
	u.called, u.of = cl, found
	return cl, nil
}

func unreachable(u *upstream, err error) error {
	return &a2a.Error{Kind: a2a.ErrUnavailable, Message: "the agent behind this gateway cannot be reached", Cause: fmt.Errorf("upstream %s: %w", u.ref, err)}
}

func (u *upstream) close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	var err error
	for _, cl := range append(u.old, u.called) {
		if cl != nil {
			err = cl.Close()
		}
	}
	u.called, u.old = nil, nil
	return err
}

// card returns what the gateway says of the upstream: its card, without what holds for the upstream only. The server
// puts its own interfaces in, and leaves out signatures.
func (u *upstream) card(ctx context.Context, _ *http.Request) (*a2a.AgentCard, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	c := *cl.Card()
	c.Capabilities.Streaming = set(c.Capabilities.Streaming)
	c.Capabilities.PushNotifications = set(c.Capabilities.PushNotifications)
	c.Capabilities.ExtendedAgentCard = set(nil)
	return &c, nil
}

// set returns a flag that is not set as one that is false: a server takes an unset one for "as the service can".
func set(flag *bool) *bool {
	if flag == nil {
		return new(bool)
	}
	return flag
}

// Capabilities says what passes the gateway; what the upstream's card does not offer is off in the card.
func (u *upstream) Capabilities() a2a.AgentCapabilities {
	yes := true
	return a2a.AgentCapabilities{Streaming: &yes, PushNotifications: &yes}
}
