// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A card without protocolVersion may be of 0.1 or of 0.2. Agents of April 2025 often leave out authentication, the one
// member that only 0.1 has, so that their cards are read as both; early agents of 0.2 kept it, and theirs are read as
// 0.1. Such an interface has two endpoints at one address. The client keeps to the one whose methods the agent knows.

// withReadings returns the interfaces of a card and, for one of 0.1 alone, the reading as 0.2.
func (c *Client) withReadings(listed []a2a.AgentInterface) []a2a.AgentInterface {
	if len(listed) != 1 || listed[0].Binding != a2a.BindingJSONRPC ||
		!slices.Contains(c.opts.Generations, a2a.Generation02) {
		return listed
	}
	if gen, _ := generationOf(listed[0]); gen != a2a.Generation01 || !slices.Contains(c.opts.Generations, gen) {
		return listed
	}
	other := listed[0]
	other.ProtocolVersion = string(a2a.Generation02)
	return []a2a.AgentInterface{listed[0], other}
}

// otherReading returns the index of the endpoint that is the other reading of one, or -1.
func (c *Client) otherReading(of int) int {
	other := map[a2a.Generation]a2a.Generation{a2a.Generation01: a2a.Generation02, a2a.Generation02: a2a.Generation01}
	this := c.endpoints[of]
	return slices.IndexFunc(c.endpoints, func(e *endpoint) bool {
		return e.generation == other[this.generation] && e.iface.Binding == a2a.BindingJSONRPC &&
			this.iface.Binding == a2a.BindingJSONRPC && e.iface.URL == this.iface.URL
	})
}

// unknownError is what the JavaScript agents of April 2025 answer with -32603 when they do not know a method.
const unknownError = "An unknown error occurred."

// misread reports whether a call failed as calls do when the agent speaks another version than that of the endpoint.
// The Python agents of April 2025 answer a method that they do not know with -32600, others with -32601. The JavaScript
// ones answer message/send with -32603 and unknownError, which counts only before the first call that the agent
// understood. Any other -32603 may come from an agent that did its work.
func (c *Client) misread(at *endpoint, op wire.Operation, err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	switch {
	case !ok:
		return false
	case !e.Remote:
		return op.Reads() && e.Kind == a2a.ErrInvalidAgentResponse
	case !differs(op):
		return false
	case e.Kind == a2a.ErrInternal:
		return at.generation == a2a.Generation02 && e.Message == unknownError && !c.understood.Load()
	}
	return e.Kind == a2a.ErrMethodNotFound || e.Kind == a2a.ErrInvalidRequest
}

// differs reports whether the method of an operation has one name in 0.1 and another in 0.2.
func differs(op wire.Operation) bool {
	return wire.MethodIn(a2a.Generation01, op) != wire.MethodIn(a2a.Generation02, op)
}

// reread returns what an endpoint answered or, if that looks as if the agent spoke another version, what the endpoint
// of that version answers. The one that is understood is kept.
func reread[Res, Req any](
	ctx context.Context, c *Client, at int, op wire.Operation, req *Req, res Res, err error,
) (Res, error) {
	if err == nil && differs(op) {
		c.understood.Store(true)
	}
	other := c.otherReading(at)
	if other < 0 || !c.misread(c.endpoints[at], op, err) {
		return res, err
	}
	again, failed := attempt[Res](ctx, c, c.endpoints[other], op, req)
	if unsent(failed) || c.misread(c.endpoints[other], op, failed) {
		return res, err
	}
	c.current.Store(int32(other))
	c.understood.Store(differs(op))
	return again, failed
}
