// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A trace knows how far a call of the client came: gRPC gives a server that cannot be reached, one that broke off and
// one that says it is busy the same code.
type trace struct {
	generation     a2a.Generation
	request, limit int // bytes of the request, and at most of each message of the answer

	sent     atomic.Bool // the peer may have got the request
	answered atomic.Bool // the peer has sent its status
	header   chan struct{}
	once     sync.Once
}

type traceKey struct{}

// traced returns a context for one call, and what will be known of it.
func traced(ctx context.Context, gen a2a.Generation, request, limit int) (context.Context, *trace) {
	t := &trace{generation: gen, request: request, limit: limit, header: make(chan struct{})}
	return context.WithValue(ctx, traceKey{}, t), t
}

// failure says what went wrong with the call.
func (t *trace) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	s, ok := status.FromError(err)
	switch {
	case !ok:
		return &wire.ConnError{Sent: t.sent.Load(), Err: err}
	case t.tooLarge(s):
		return &a2a.Error{Kind: a2a.ErrInvalidAgentResponse, Message: "cannot read the agent's answer",
			Cause: errors.New(s.Message())}
	case t.answered.Load():
		return errorOf(t.generation, s)
	}
	return &wire.ConnError{Sent: t.sent.Load(), Err: errors.New(s.Message())}
}

// tooLarge reports whether the status is that of this side, which refuses an answer, and not that of a peer that
// refuses the request in the same words.
func (t *trace) tooLarge(s *status.Status) bool {
	return s.Code() == codes.ResourceExhausted && t.request <= t.limit &&
		strings.HasPrefix(s.Message(), "grpc: received message") &&
		strings.HasSuffix(s.Message(), fmt.Sprintf(" vs. %d)", t.limit))
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
	case *stats.InHeader:
		t.once.Do(func() { close(t.header) })
	case *stats.InTrailer:
		t.answered.Store(true)
	}
}
