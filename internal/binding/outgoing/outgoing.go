// SPDX-License-Identifier: Apache-2.0

// Package outgoing is what a client and the client sides of all bindings share: the service parameters of a call,
// and how a call failed below the protocol.
package outgoing

import (
	"context"
	"net/http"
)

type key struct{}

// With returns a context for one call with these service parameters (A2A 1.0 §3.2.6), which the binding sends as HTTP
// headers or as gRPC metadata. Names are spelled as http.Header spells them. The header must not be changed until the
// call has returned.
func With(ctx context.Context, params http.Header) context.Context {
	return context.WithValue(ctx, key{}, params)
}

// From returns the service parameters of ctx, or nil. They are read-only.
func From(ctx context.Context) http.Header {
	params, _ := ctx.Value(key{}).(http.Header)
	return params
}

// ConnError says that a call failed below the protocol: no connection, or one that broke.
type ConnError struct {
	Sent bool // the peer may have got the request; false means that surely no byte of it was sent
	Err  error
}

// Error returns the failure's text and, where it matters, that the request may have arrived.
func (e *ConnError) Error() string {
	if e.Sent {
		return "connection lost: " + e.Err.Error()
	}
	return e.Err.Error()
}

// Unwrap returns the failure itself.
func (e *ConnError) Unwrap() error { return e.Err }
