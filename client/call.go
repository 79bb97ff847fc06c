// SPDX-License-Identifier: Apache-2.0

package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Call is one operation on its way to one interface of the agent, as an [Interceptor] sees it.
type Call struct {
	Operation string             // the name in A2A 1.0, such as "SendMessage" or "SubscribeToTask"
	Request   any                // the request of the a2a package, a pointer; to change it, put a changed copy here
	Params    http.Header        // service parameters, sent as HTTP headers or gRPC metadata; may be changed
	Query     url.Values         // credentials that are sent in the URL, which gRPC does not have; may be changed
	Interface a2a.AgentInterface // where it goes
}

// A Handler makes a call and returns its result, of the type that the operation's method returns: for a stream that is
// an iter.Seq2[a2a.StreamEvent, error].
type Handler func(ctx context.Context, call *Call) (any, error)

// An Interceptor stands around every call: it may change the call before it hands it to next, look at what comes back,
// call next again or not at all. It runs once for each attempt, so a call that is repeated or goes to another
// interface passes it again. It must be safe for concurrent use.
type Interceptor func(ctx context.Context, call *Call, next Handler) (any, error)

// do makes a call: repeated when the operation allows it, each time to the first interface that can be reached.
func do[Res, Req any](ctx context.Context, c *Client, op wire.Operation, req *Req) (Res, error) {
	policy := retry.Policy{Tries: 1, First: 100 * time.Millisecond, Max: 2 * time.Second, MaxWait: 10 * time.Second}
	if op.Reads() {
		policy.Tries += max(0, c.opts.Retries)
	}
	once := func(ctx context.Context) (Res, error) { return reach[Res](ctx, c, op, req) }
	res, err := retry.Do(ctx, policy, once, mayRepeat)
	if err != nil {
		return res, c.explain(ctx, op, err)
	}
	return res, nil
}

// mayRepeat reports whether a call that reads may succeed later, and when the agent asked to come back.
func mayRepeat(err error) (time.Duration, bool) {
	if _, ok := errors.AsType[*wire.ConnError](err); ok {
		return 0, true
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Remote &&
		(e.Kind == a2a.ErrUnavailable || e.Kind == a2a.ErrRateLimited) {
		return e.RetryAfter, true
	}
	return 0, false
}

// reach tries the interface that answered last, then the others in their order, until one takes the request. Where no
// connection could be made, the interfaces of other versions are not tried: they would be reached only if the agent
// came up in between, and the client would stay with an older version.
func reach[Res, Req any](ctx context.Context, c *Client, op wire.Operation, req *Req) (Res, error) {
	current := int(c.current.Load())
	res, err := attempt[Res](ctx, c, c.endpoints[current], op, req)
	if !unsent(err) && !refusesVersion(err) {
		return reread(ctx, c, current, op, req, res, err)
	}
	var away []*endpoint // could not be reached
	if unsent(err) {
		away = append(away, c.endpoints[current])
	}
	failures := []error{err}
	for i, e := range c.endpoints {
		if i == current || slices.ContainsFunc(away, e.atAddressOf) {
			continue
		}
		res, err = attempt[Res](ctx, c, e, op, req)
		if lacksOperation(err) { // tells nothing of the agent, which the others did not reach
			continue
		}
		if !unsent(err) && !refusesVersion(err) {
			c.current.Store(int32(i))
			return reread(ctx, c, i, op, req, res, err)
		}
		if unsent(err) {
			away = append(away, e)
		}
		failures = append(failures, err)
	}
	for _, err := range failures {
		if refusesVersion(err) { // an answer says more than that nobody is there
			return res, err
		}
	}
	return res, errors.Join(failures...)
}

// atAddressOf reports whether two endpoints connect to the same address in the same way: gRPC needs HTTP/2 there.
func (e *endpoint) atAddressOf(other *endpoint) bool {
	a, err := url.Parse(e.iface.URL)
	if err != nil {
		return false
	}
	b, err := url.Parse(other.iface.URL)
	return err == nil && a.Scheme == b.Scheme && a.Host == b.Host && a.Host != "" &&
		(e.iface.Binding == a2a.BindingGRPC) == (other.iface.Binding == a2a.BindingGRPC)
}

// refusesVersion reports whether an agent refused a call for the version of the protocol, so that an interface of
// another version may take it. Nothing came of the call.
func refusesVersion(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && e.Remote && e.Kind == a2a.ErrVersionNotSupported
}

// lacksOperation reports whether a call was not made, because the version of the interface has no such operation.
func lacksOperation(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && !e.Remote && e.Kind == a2a.ErrUnsupportedOperation
}

// unsent reports whether a call failed before a byte of it was sent.
func unsent(err error) bool {
	if _, refused := errors.AsType[*OriginError](err); refused {
		return true
	}
	e, ok := errors.AsType[*wire.ConnError](err)
	return ok && !e.Sent
}

// attempt makes a call to one interface, through the interceptors.
func attempt[Res, Req any](ctx context.Context, c *Client, e *endpoint, op wire.Operation, req *Req) (Res, error) {
	r := *req
	*op.Subject(&r).Tenant = cmp.Or(c.opts.Tenant, e.iface.Tenant)
	call := &Call{Operation: op.String(), Request: &r, Params: c.params(op, e.generation), Query: url.Values{},
		Interface: e.iface}
	var none Res
	result, err := c.intercepted(func(ctx context.Context, call *Call) (any, error) {
		r, ok := call.Request.(*Req)
		if !ok {
			return nil, fmt.Errorf("an interceptor made the request of %s a %T", call.Operation, call.Request)
		}
		if err := c.mayCarry(call); err != nil {
			return nil, err
		}
		result, err := op.Call(wire.WithParams(ctx, call.Params, call.Query), e.transport, r)
		if err == nil && result == nil {
			return struct{}{}, nil // of DeletePushConfig
		}
		return result, err
	})(ctx, call)
	if err != nil {
		return none, err
	}
	res, ok := result.(Res)
	if !ok {
		return none, fmt.Errorf("an interceptor made the result of %s a %T", call.Operation, result)
	}
	return res, nil
}

// intercepted returns h with all interceptors around it, and the trace around these.
func (c *Client) intercepted(h Handler) Handler {
	for i := len(c.opts.Interceptors) - 1; i >= 0; i-- {
		outer, inner := c.opts.Interceptors[i], h
		h = func(ctx context.Context, call *Call) (any, error) { return outer(ctx, call, inner) }
	}
	return func(ctx context.Context, call *Call) (any, error) { return traced(ctx, c, call, h) }
}

// params returns the service parameters of a call (A2A 1.0 §3.2.6). Generations before 1.0 have no version to name, but
// peers that speak several like to hear of 0.3; older ones are told apart by what is asked.
func (c *Client) params(op wire.Operation, gen a2a.Generation) http.Header {
	h := http.Header{}
	switch gen {
	case a2a.Generation10, a2a.Generation03:
		h.Set(wire.HeaderVersion, string(gen))
	}
	extensions := c.opts.Extensions
	if op.Streams() && c.replays() && !slices.Contains(extensions, a2a.ReplayExtension) {
		extensions = append(extensions[:len(extensions):len(extensions)], a2a.ReplayExtension)
	}
	if len(extensions) > 0 {
		h.Set(wire.ExtensionsHeader(gen), strings.Join(extensions, ","))
	}
	return h
}

// explain makes an error for the caller of one that a connection caused.
func (c *Client) explain(ctx context.Context, op wire.Operation, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%v: %w", op, err)
	}
	conn, ok := errors.AsType[*wire.ConnError](err)
	if !ok {
		return err
	}
	if !conn.Sent {
		return &UnreachableError{Agent: c.Card().Name, Err: err}
	}
	message := "the connection to the agent broke before it answered"
	if op == wire.OpSendMessage || op == wire.OpStreamMessage {
		message += "; the message may have arrived, so it was not sent again"
	}
	return &a2a.Error{Kind: a2a.ErrUnavailable, Message: message, Cause: conn.Err}
}
