// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
)

// An upstream is an agent behind the gateway, as an a2a.Service: see service.go.
type upstream struct {
	name     string
	ref      string
	opts     client.Options
	resolver *card.Resolver
	logger   *slog.Logger
	hides    bool // HideCallers
	tasks    *taskTable
	hooks    *webhooks
	server   *server.Server // serves it

	mu    sync.Mutex
	found *a2a.AgentCard // as the resolver returned it last
	text  []byte         // its JSON, by which a card that says the same is known
	calls *calling
}

// calling is a client for one card. All clients of an upstream share their connections.
type calling struct {
	*client.Client
	card   *a2a.AgentCard
	alone  bool // its agent is the only one, so that tenants are the agent's
	hides  bool // passes no credentials on
	logger *slog.Logger
}

func (c *calling) generation() a2a.Generation {
	for _, gen := range wire.Generations {
		if strings.HasPrefix(c.Interface().ProtocolVersion, string(gen)) {
			return gen
		}
	}
	return a2a.Generation10
}

func newUpstream(u Upstream, o *Options, hooks *webhooks) *upstream {
	up := &upstream{
		name: u.Name, ref: u.Card, opts: o.Client, logger: o.Logger,
		hides: o.HideCallers, hooks: hooks,
		tasks: &taskTable{max: o.MaxTasks, lifetime: o.Lifetime, byKey: make(map[taskKey]*list.Element)},
	}
	up.resolver = o.Client.Resolver
	if up.resolver == nil {
		up.resolver = card.NewResolver(&card.Options{HTTPClient: o.Client.HTTPClient, Retries: o.Client.Retries})
	}
	return up
}

// client returns the client for the upstream's card as it is now. While the card cannot be fetched the last one counts.
func (u *upstream) client(ctx context.Context) (*calling, error) {
	found, err := u.resolver.Resolve(ctx, u.ref)
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case err != nil && u.calls != nil:
		u.logger.LogAttrs(ctx, slog.LevelWarn, "the upstream's card cannot be fetched; using the last one",
			slog.String("upstream", u.ref), slog.String("error", err.Error()))
		return u.calls, nil
	case err != nil:
		return nil, unreachable(u, err)
	case found == u.found:
		return u.calls, nil
	}
	text, err := found.AppendJSON(nil)
	if err != nil {
		return nil, unreachable(u, err)
	}
	if !bytes.Equal(text, u.text) {
		calls, err := u.newCalling(found)
		if err != nil {
			return nil, unreachable(u, err)
		}
		u.calls = calls // calls of the one before may still run
	}
	u.found, u.text = found, text
	return u.calls, nil
}

// newCalling makes a client for a card. It has no connections of its own.
func (u *upstream) newCalling(found *a2a.AgentCard) (*calling, error) {
	c := &calling{card: found, alone: u.name == "", hides: u.hides, logger: u.logger}
	opts := u.opts
	opts.CardURL = card.URLOf(u.ref)
	opts.Interceptors = append(slices.Clone(opts.Interceptors), c.passOn)
	var err error
	c.Client, err = client.New(found, &opts)
	return c, err
}

// awayText is what clients read while the upstream is away: they reached somebody, so they look for the fault here.
const awayText = "the gateway runs, but the agent behind it cannot be reached; start that agent, then try again"

const untrustedText = "the gateway runs, but no key that it trusts signed the card of the agent behind it; " +
	"tell the gateway's operator"

func unreachable(u *upstream, err error) error {
	text := awayText
	if errors.Is(err, card.ErrUntrusted) {
		text = untrustedText
	}
	return &a2a.Error{Kind: a2a.ErrUnavailable, Message: text, Cause: fmt.Errorf("upstream %s: %w", u.ref, err)}
}

func (u *upstream) close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		return nil
	}
	return u.calls.Close()
}

// card returns the upstream's card without what holds for the upstream only. The server puts its interfaces in.
func (u *upstream) card(ctx context.Context, _ *http.Request) (*a2a.AgentCard, error) {
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	return cl.shown(cl.card), nil
}

// shown returns a card of the upstream as the server completes it. A gateway that hides its callers asks them for its
// own credentials, which the server adds.
func (cl *calling) shown(upstreams *a2a.AgentCard) *a2a.AgentCard {
	c := *upstreams
	if cl.hides {
		c.SecuritySchemes, c.SecurityRequirements, c.Skills = nil, nil, slices.Clone(c.Skills)
		for i := range c.Skills {
			c.Skills[i].SecurityRequirements = nil
		}
	}
	// A server takes a flag that is not set for "as the service can".
	c.Capabilities.Streaming = cmp.Or(c.Capabilities.Streaming, new(bool))
	c.Capabilities.PushNotifications = cmp.Or(c.Capabilities.PushNotifications, new(bool))
	c.Capabilities.ExtendedAgentCard = cmp.Or(c.Capabilities.ExtendedAgentCard, new(bool))
	return &c
}

// Capabilities says what passes the gateway; what the upstream's card does not offer is off in the card.
func (u *upstream) Capabilities() a2a.AgentCapabilities {
	return a2a.AgentCapabilities{Streaming: new(true), PushNotifications: new(true), ExtendedAgentCard: new(true)}
}
