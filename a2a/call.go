// SPDX-License-Identifier: Apache-2.0

package a2a

import "context"

// Generation is a published generation of the protocol, as A2A-Version names it: Major.Minor.
type Generation string

// The generations that Dragoman knows. The documents of April 2025 count as 0.1.
const (
	Generation01 Generation = "0.1"
	Generation02 Generation = "0.2"
	Generation03 Generation = "0.3"
	Generation10 Generation = "1.0"
)

// Identity is who calls, as an authenticator found it. The zero Identity is the anonymous caller.
type Identity struct {
	Subject string   // the user or service on whose behalf the call is made
	Client  string   // the program that makes the call
	Scopes  []string // what the credentials allow
	// Actors are the programs that act for the subject, the nearest one first, where the credentials name them: the
	// claim act of RFC 8693 §4.1. They are for the record only, and decide nothing.
	Actors []string
}

// Call is what is known of one request beside its body. A value of it in a context is read-only.
type Call struct {
	Identity   Identity
	Tenant     string     // as the request names it, from path or body
	Generation Generation // dialect of the request; "" within one process
	Binding    string     // BindingJSONRPC, ...; "" within one process
	Extensions []string   // URIs of the extensions that the client activates
	RequestID  string     // names this request in logs

	// BaseURL is where the caller reaches the root of the server that took the request, without a slash at the end; ""
	// within one process. Where the server's options do not say it, it has the host that the request names, so it is
	// for the answer to this caller: nothing that others read, or that is kept, may have it in it.
	BaseURL string

	// TraceParent and TraceState are the W3C trace context of the request; "" when there is none. Where the caller sent
	// none and the program traces, they are that of the server's own span.
	TraceParent, TraceState string

	// Accepted, when it is not nil, is for a Service that keeps a request for longer than it takes to look at it, such
	// as a message while an agent works on it, and bounds by itself how much it keeps so. The Service calls it once it
	// counts the request among those, and the server then counts it no longer. Otherwise the server does so until the
	// method returns.
	Accepted func()
}

type callKey struct{}

// WithCall returns a context that carries call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallFrom returns the Call of ctx, or an empty one when ctx has none: an anonymous call within this process.
// The result is never nil and must not be changed.
func CallFrom(ctx context.Context) *Call {
	if call, ok := ctx.Value(callKey{}).(*Call); ok {
		return call
	}
	return &noCall
}

var noCall Call

// ReplayExtension is the URI of Dragoman's replay extension. A request that activates it and sends the header
// Last-Event-ID resumes a task's stream after that event instead of with a snapshot of the task.
const ReplayExtension = "https://dragoman-a2a.dev/extensions/replay/v1"
