// SPDX-License-Identifier: Apache-2.0

// Package client calls agents over A2A, in each version of the protocol that Options.Generations allows, by default in
// all. [Dial] resolves a reference to an agent's card and returns a [Client] for the first of the card's interfaces
// that this package speaks.
//
// A Client is an [a2a.Service]: one method for each operation of the protocol, which does what the operation says and
// no more. On top of these, [Client.Ask] is text in and text out, [Client.Wait] waits for a task, and [Client.Stream]
// and [Client.Follow] are streams that survive a broken connection.
//
// # What is sent twice
//
// A message is sent again in two cases, in which the agent has not worked on it. If no byte of it was sent, it is sent
// again, also to the card's next interface. If the agent answered that it does not know the version of the protocol or
// the method, the message is sent in another version that the card allows. Calls that only read are repeated when the
// connection fails or the agent is busy.
//
// # Errors
//
// An error that the agent answered is an [*a2a.Error] with Remote set. An agent that cannot be reached is an
// [*UnreachableError]. A stream that broke and could not be continued is a [*CutError]; the client never treats a
// broken stream as a finished one.
package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
)

// A Client calls one agent. It is safe for concurrent use.
type Client struct {
	opts      Options
	card      atomic.Pointer[a2a.AgentCard]
	endpoints []*endpoint
	current   atomic.Int32 // index of the endpoint that answered last
	closers   []func() error

	understood atomic.Bool // the agent has understood a method that 0.1 and 0.2 call differently
}

var _ a2a.Service = (*Client)(nil)

// endpoint is an interface of the agent that this side speaks.
type endpoint struct {
	iface      a2a.AgentInterface
	generation a2a.Generation
	transport  Transport
}

// Dial resolves ref, see [card.Resolver.Resolve], and returns a Client for the agent. opts may be nil. The agent itself
// is not called yet.
func Dial(ctx context.Context, ref string, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.withDefaults()
	resolver := o.Resolver
	if resolver == nil {
		resolver = card.NewResolver(&card.Options{HTTPClient: o.HTTPClient, Retries: o.Retries})
	}
	c, err := resolver.Resolve(ctx, ref)
	if err != nil {
		return nil, errors.Join(err, o.release())
	}
	o.CardURL = card.URLOf(ref)
	return open(c, o)
}

// New returns a Client for the agent of a card, which must not be changed any more. opts may be nil.
func New(c *a2a.AgentCard, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.withDefaults()
	return open(c, o)
}

func open(c *a2a.AgentCard, o Options) (*Client, error) {
	if o.Credentials != nil {
		if send := o.Credentials(c, o.CardURL); send != nil {
			o.Interceptors = append(slices.Clone(o.Interceptors), send)
		}
	}
	cl := &Client{opts: o}
	cl.card.Store(c)
	cl.closers = append(cl.closers, o.release)
	if err := cl.connect(); err != nil {
		return nil, errors.Join(err, cl.Close())
	}
	return cl, nil
}

// connect makes an endpoint of each interface that this side speaks (A2A 1.0 §8.3.2): the first one is used, the others
// are there for when it cannot be reached.
func (c *Client) connect() error {
	var refused []string
	for _, iface := range c.withReadings(c.inOrder()) {
		t, err := newTransport(iface, &c.opts)
		if err != nil {
			refused = append(refused, fmt.Sprintf("%s %s at %q: %v", iface.Binding, iface.ProtocolVersion, iface.URL,
				err))
			continue
		}
		gen, _ := generationOf(iface) // there is a transport for it
		c.endpoints = append(c.endpoints, &endpoint{iface, gen, t})
		c.closers = append(c.closers, t.Close)
	}
	if len(c.endpoints) > 0 {
		return nil
	}
	if len(refused) == 0 {
		refused = []string{fmt.Sprintf("none is for %v", c.opts.Bindings)}
	}
	return fmt.Errorf("agent %q has no interface that this client can use: %s", c.Card().Name,
		strings.Join(refused, "; "))
}

// inOrder returns the card's interfaces in the card's order, or those of Options.Bindings in theirs.
func (c *Client) inOrder() []a2a.AgentInterface {
	all := c.Card().SupportedInterfaces
	if len(c.opts.Bindings) == 0 {
		return all
	}
	var chosen []a2a.AgentInterface
	for _, binding := range c.opts.Bindings {
		for _, iface := range all {
			if iface.Binding == binding {
				chosen = append(chosen, iface)
			}
		}
	}
	return chosen
}

// Card returns the agent's card: the extended one once [Client.ExtendedCard] has returned it. It must not be changed.
func (c *Client) Card() *a2a.AgentCard { return c.card.Load() }

// Interface returns the card's interface that the next call goes to.
func (c *Client) Interface() a2a.AgentInterface { return c.endpoints[c.current.Load()].iface }

// Close gives up the client's connections. Calls that still run may fail.
func (c *Client) Close() error {
	var errs []error
	for _, f := range slices.Backward(c.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Capabilities are those of the agent's card, so that a server over a Client promises no more than the agent does.
func (c *Client) Capabilities() a2a.AgentCapabilities {
	caps := c.Card().Capabilities
	for _, flag := range []**bool{&caps.Streaming, &caps.PushNotifications, &caps.ExtendedAgentCard} {
		if *flag == nil {
			*flag = new(bool)
		}
	}
	return caps
}

// streams reports whether the agent says that it can stream.
func (c *Client) streams() bool { return isTrue(c.Card().Capabilities.Streaming) }

// replays reports whether the agent says that it can go on with a stream after a given event.
func (c *Client) replays() bool {
	return slices.ContainsFunc(c.Card().Capabilities.Extensions, func(e a2a.AgentExtension) bool {
		return e.URI == a2a.ReplayExtension
	})
}

// old reports whether the interface in use speaks a generation before 1.0.
func (c *Client) old() bool { return c.endpoints[c.current.Load()].generation != a2a.Generation10 }

func isTrue(b *bool) bool { return b != nil && *b }
