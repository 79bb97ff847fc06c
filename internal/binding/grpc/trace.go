// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// A trace knows how far a call of the client came: gRPC gives a server that cannot be reached, one that broke off and one
// that says it is busy the same code.
type trace struct {
	sent     atomic.Bool // the peer may have got the request
	answered atomic.Bool // the status is the peer's
}

type traceKey struct{}

// traced returns a context for one call, and what will be known of it.
func traced(ctx context.Context) (context.Context, *trace) {
	t := new(trace)
	return context.WithValue(ctx, traceKey{}, t), t
}

// tracer fills in traces.
type tracer struct{}

func (tracer) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (tracer) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (tracer) HandleConn(context.Context, stats.ConnStats)                       {}

func (tracer) HandleRPC(ctx context.Context, s stats.RPCStats) {
	t, ok := ctx.Value(traceKey{}).(*trace)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.OutHeader:
		t.sent.Store(true)
	case *stats.InTrailer:
		t.answered.Store(true)
	}
}
