// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// observation is what a request tells those who run the server: a span, and figures.
type observation struct {
	span  telemetry.Span
	began time.Time // zero until observe
	// streams says that the request counts among the open streams.
	streams bool
	// The W3C trace context that belongs to the request: that of its caller, or else that of the span. The caller's
	// comes first because it is what a turn goes on with after a crash, which loses the span of the request.
	traceParent, traceState string
}

// observe begins the span of a request. It makes the context of the exchange.
func (x *Exchange) observe() {
	x.began = time.Now()
	x.ctx = telemetry.FromHeader(x.R.Context(), x.R.Header)
	x.traceParent, x.traceState = telemetry.Text(x.ctx)
	x.ctx, x.span = telemetry.Start(x.ctx, telemetry.SpanRequest, trace.SpanKindServer)
	if x.traceParent == "" {
		x.traceParent, x.traceState = telemetry.Text(x.ctx)
	}
}

// Trace returns the id of the trace that the request belongs to, "" if there is none.
func (x *Exchange) Trace() string { return telemetry.TraceID(x.traceParent) }

// told ends the span and records figures.
func (x *Exchange) told() {
	if x.began.IsZero() {
		return
	}
	if x.streams {
		telemetry.OpenStreams.Add(x.ctx, -1)
	}
	reason := ""
	if x.Err != nil {
		reason = wire.RowOf(x.Err.Kind).Reason
	}
	telemetry.RequestDuration.Since(x.ctx, x.began, telemetry.Method(x.Operation.String()), reason)
	if !x.span.On() {
		x.span.End()
		return
	}
	if name := x.Operation.String(); name != "" {
		x.span.Name(name)
	}
	x.span.Set(telemetry.KeyMethod.String(x.Operation.String()), telemetry.KeyTask.String(string(x.Task)),
		telemetry.KeyConversation.String(string(x.Context)), telemetry.KeyTenant.String(x.Tenant),
		telemetry.KeyVersion.String(string(x.Generation)), telemetry.KeyRequest.String(x.RequestID))
	if x.call != nil {
		x.span.Set(telemetry.KeyBinding.String(x.call.Binding), telemetry.KeyAgent.String(x.profile.Agent))
	}
	switch {
	case x.Cut != nil:
		x.span.Set(telemetry.KeyError.String("cut"))
	case reason != "" && wire.RowOf(x.Err.Kind).HTTP >= 500:
		x.span.Fail(reason)
	case reason != "": // the caller's own mistake
		x.span.Set(telemetry.KeyError.String(reason))
	}
	x.span.End()
}
