// SPDX-License-Identifier: Apache-2.0

// Package export sends what package telemetry records to where the environment says, by OpenTelemetry's usual
// variables, and serves metrics to Prometheus. It has OpenTelemetry's SDK and exporters, so only the binary imports it.
package export

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	promexport "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Options say what is sent and served.
type Options struct {
	Service string                        // the default of service.name
	Version string                        // of the program
	Getenv  func(string) string           // for whether anything is to be sent; the exporters read the process's own
	Metrics net.Listener                  // where Prometheus gets the metrics; nil for nowhere
	Admit   func(r *http.Request) error   // refuses a request for the metrics; nil admits all
	Warn    func(format string, a ...any) // is told once that something cannot be sent; nobody else waits for it
}

// patience bounds how long the end of the program waits for what is still to be sent.
const patience = 5 * time.Second

// Start sets the providers of OpenTelemetry, as far as something is to be sent or served, and returns a function that
// sends the rest and ends them.
func Start(ctx context.Context, o Options) (stop func(), err error) {
	traces, metrics := o.wants("TRACES"), o.wants("METRICS")
	if !traces && !metrics && o.Metrics == nil {
		return func() {}, nil
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", o.Service), attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(&warnOnce{warn: o.Warn})
	var ends []func(context.Context) error
	stop = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		for _, end := range ends {
			if err := end(ctx); err != nil {
				otel.Handle(err)
			}
		}
	}
	if traces {
		exporter, err := autoexport.NewSpanExporter(ctx)
		if err != nil {
			return nil, fmt.Errorf("OTEL_TRACES_EXPORTER: %w", err)
		}
		provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
		ends = append(ends, provider.Shutdown)
		otel.SetTracerProvider(provider)
	}
	options := []metric.Option{metric.WithResource(about)}
	if metrics {
		reader, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			stop()
			return nil, fmt.Errorf("OTEL_METRICS_EXPORTER: %w", err)
		}
		options = append(options, metric.WithReader(reader))
	}
	if o.Metrics != nil {
		reader, end, err := serve(o.Metrics, o.Admit)
		if err != nil {
			stop()
			return nil, err
		}
		options = append(options, metric.WithReader(reader))
		ends = append(ends, end)
	}
	if len(options) > 1 {
		provider := metric.NewMeterProvider(options...)
		ends = append(ends, provider.Shutdown)
		otel.SetMeterProvider(provider)
	}
	return stop, nil
}

// wants reports whether the environment asks for a signal. OpenTelemetry would send to this machine if nothing is set.
func (o *Options) wants(signal string) bool {
	if strings.EqualFold(o.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	if exporter := o.Getenv("OTEL_" + signal + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return o.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || o.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

// serve serves the metrics of the program and of Go to Prometheus.
func serve(ln net.Listener, admit func(*http.Request) error) (metric.Reader, func(context.Context) error, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := promexport.New(promexport.WithRegisterer(registry), promexport.WithoutScopeInfo())
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if admit != nil && admit(r) != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "credentials are missing or wrong", http.StatusUnauthorized)
			return
		}
		metrics.ServeHTTP(w, r)
	})
	srv := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10}
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			otel.Handle(err)
		}
	}()
	return reader, func(context.Context) error { return srv.Close() }, nil
}

// warnOnce is told of everything that goes wrong with sending, which may be something for each batch.
type warnOnce struct {
	once sync.Once
	warn func(format string, a ...any)
}

// Handle implements otel.ErrorHandler.
func (w *warnOnce) Handle(err error) {
	w.once.Do(func() { w.warn("cannot send telemetry: %v; further failures are not shown", err) })
}
