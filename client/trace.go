// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"net"
	"net/url"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// traced stands outside all interceptors. It passes the trace of ctx on to the agent and, if the program traces,
// begins a span for the call, which ends with its stream.
func traced(ctx context.Context, c *Client, call *Call, next Handler) (any, error) {
	ctx, span := telemetry.Start(ctx, call.Operation, trace.SpanKindClient)
	telemetry.ToHeader(ctx, call.Params)
	if !span.On() {
		result, err := next(ctx, call)
		span.End()
		return result, err
	}
	span.Set(telemetry.KeyMethod.String(call.Operation), telemetry.KeyAgent.String(c.Card().Name),
		telemetry.KeyVersion.String(call.Interface.ProtocolVersion),
		telemetry.KeyBinding.String(call.Interface.Binding),
		telemetry.KeyAddress.String(address(call.Interface.URL)))
	if send, ok := call.Request.(*a2a.SendMessageRequest); ok && send.Message != nil {
		span.Set(telemetry.KeyMessage.String(string(send.Message.ID)))
	}
	subject := wire.OperationOf(call.Operation).Subject(call.Request)
	span.Set(telemetry.KeyTenant.String(*subject.Tenant), telemetry.KeyTask.String(string(subject.Task)),
		telemetry.KeyConversation.String(string(subject.Context)))
	result, err := next(ctx, call)
	opened, streams := result.(events)
	if err != nil || !streams {
		describe(span, result)
		fail(ctx, span, err)
		span.End()
		return result, err
	}
	return events(func(yield func(a2a.StreamEvent, error) bool) {
		defer span.End()
		for ev, err := range opened {
			describe(span, ev.Event)
			fail(ctx, span, err)
			if !yield(ev, err) {
				return
			}
		}
	}), nil
}

// describe says in the span what an agent answered of a task.
func describe(span telemetry.Span, answer any) {
	switch v := answer.(type) {
	case *a2a.Task:
		span.Set(telemetry.KeyTask.String(string(v.ID)), telemetry.KeyConversation.String(string(v.ContextID)),
			telemetry.KeyState.String(v.Status.State.String()))
	case *a2a.StatusUpdate:
		span.Set(telemetry.KeyTask.String(string(v.TaskID)), telemetry.KeyConversation.String(string(v.ContextID)),
			telemetry.KeyState.String(v.Status.State.String()))
	case *a2a.Message:
		span.Set(telemetry.KeyConversation.String(string(v.ContextID)))
	}
}

// fail marks the span as failed, if err is not nil.
func fail(ctx context.Context, span telemetry.Span, err error) {
	if err == nil {
		return
	}
	reason := "connection"
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		reason = wire.RowOf(e.Kind).Reason
	} else if ctx.Err() != nil {
		reason = "canceled"
	}
	span.Fail(reason)
}

// address returns the host of an interface. A URL may hold credentials; its host does not.
func address(of string) string {
	if u, err := url.Parse(of); err == nil && u.Host != "" {
		return u.Hostname()
	}
	host, _, _ := net.SplitHostPort(of) // of gRPC
	return host
}
