// SPDX-License-Identifier: Apache-2.0

// Package telemetry tells OpenTelemetry what the library does: spans, metrics, and the context of a trace on the wire.
// It needs OpenTelemetry's API only. A program that wants to see something sets providers, before it makes engines and
// servers, as the binary does by internal/telemetry/export. Without them each use here costs one comparison.
package telemetry

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Scope names the library as the source of spans and metrics.
const Scope = "github.com/dragoman-a2a/dragoman"

// The providers of a program that has set none.
var (
	noTracer = otel.GetTracerProvider()
	noMeter  = otel.GetMeterProvider()
)

// Tracing reports whether the program has a tracer provider.
func Tracing() bool { return otel.GetTracerProvider() != noTracer }

// Measuring reports whether the program has a meter provider.
func Measuring() bool { return otel.GetMeterProvider() != noMeter }

// A Span is part of a trace. The zero Span records nothing.
type Span struct{ span trace.Span }

// Start starts a span, below that of ctx. Without a tracer provider it returns ctx and the zero Span.
func Start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	if !Tracing() {
		return ctx, Span{}
	}
	ctx, span := otel.GetTracerProvider().Tracer(Scope).Start(ctx, name, trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// On reports whether the span records. It saves making attributes for nothing.
func (s Span) On() bool { return s.span != nil && s.span.IsRecording() }

// Name gives the span another name.
func (s Span) Name(name string) {
	if s.On() {
		s.span.SetName(name)
	}
}

// Set sets attributes. Texts that are empty are left out.
func (s Span) Set(attrs ...attribute.KeyValue) {
	for _, a := range attrs {
		if s.On() && (a.Value.Type() != attribute.STRING || a.Value.AsString() != "") {
			s.span.SetAttributes(a)
		}
	}
}

// Fail marks the span as failed, for a reason that is a name and no text: texts may hold what nobody else is to see.
func (s Span) Fail(reason string) {
	if s.On() {
		s.span.SetStatus(codes.Error, reason)
		s.Set(KeyError.String(reason))
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// maxState bounds the vendors' part of a context, in bytes: so much has to be passed on by W3C Trace Context §3.3.1.5.
const maxState = 512

// The headers of W3C Trace Context.
const (
	headerParent = "traceparent"
	headerState  = "tracestate"
)

// FromText returns ctx as one of the trace that the values of traceparent and tracestate name, if they are valid.
func FromText(ctx context.Context, parent, state string) context.Context {
	if parent == "" {
		return ctx
	}
	carrier := propagation.MapCarrier{headerParent: parent}
	if len(state) <= maxState {
		carrier[headerState] = state
	}
	return propagation.TraceContext{}.Extract(ctx, carrier)
}

// Text returns the context of a trace as values of traceparent and tracestate, empty if ctx has none.
func Text(ctx context.Context) (parent, state string) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return "", ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[headerParent], carrier[headerState]
}

// FromHeader is FromText for the headers of a request.
func FromHeader(ctx context.Context, h http.Header) context.Context {
	if len(h["Traceparent"]) != 1 {
		return ctx
	}
	return FromText(ctx, h.Get(headerParent), h.Get(headerState))
}

// ToHeader sets the headers of a request that belongs to the trace of ctx.
func ToHeader(ctx context.Context, h http.Header) {
	if trace.SpanContextFromContext(ctx).IsValid() {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// TraceID returns the trace id in a value of traceparent that is valid, and "" for "".
func TraceID(parent string) string {
	if len(parent) < 35 {
		return ""
	}
	return parent[3:35]
}

// Since records the time since began, with the values of the metric's labels in their order. One that is empty is left
// out.
func (m *Metric) Since(ctx context.Context, began time.Time, values ...string) {
	if Measuring() {
		m.histogram.Record(ctx, time.Since(began).Seconds(), metric.WithAttributeSet(m.labels(values)))
	}
}

// Add adds to a number that goes up and down.
func (m *Metric) Add(ctx context.Context, n int64, values ...string) {
	if Measuring() {
		m.upDown.Add(ctx, n, metric.WithAttributeSet(m.labels(values)))
	}
}

func (m *Metric) labels(values []string) attribute.Set {
	labels := make([]attribute.KeyValue, 0, len(values))
	for i, v := range values {
		if v != "" {
			labels = append(labels, m.Labels[i].String(v))
		}
	}
	return attribute.NewSet(labels...)
}

// Method returns the label of an operation, which may have no name.
func Method(name string) string {
	if name == "" {
		return other
	}
	return name
}

// Observe has count called whenever the numbers of waiting turns and queued events are looked at, until stop.
func Observe(count func() (waiting, queued int)) (stop func()) {
	if !Measuring() {
		return func() {}
	}
	meter := otel.Meter(Scope)
	gauge := func(m *Metric) metric.Int64ObservableUpDownCounter {
		g, _ := meter.Int64ObservableUpDownCounter(m.Name, metric.WithUnit(m.Unit), metric.WithDescription(m.What))
		return g
	}
	turns, events := gauge(WaitingTurns), gauge(QueuedEvents)
	registered, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		waiting, queued := count()
		o.ObserveInt64(turns, int64(waiting))
		o.ObserveInt64(events, int64(queued))
		return nil
	}, turns, events)
	if err != nil {
		return func() {}
	}
	return func() { _ = registered.Unregister() }
}
