// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// traced returns a context of a trace, and what stands of it on the wire.
func traced(t *testing.T) (trace.SpanContext, string) {
	t.Helper()
	state, err := trace.ParseTraceState("vendor=value")
	if err != nil {
		t.Fatal(err)
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5},
			TraceFlags: trace.FlagsSampled, TraceState: state}),
		"00-01020300000000000000000000000000-0405000000000000-01 vendor=value"
}

// A turn belongs to the trace of its caller, on every binding and in every version, also in a program that does not
// trace by itself. So does the turn that goes on with a suspended task.
func TestTraceOfTheCaller(t *testing.T) {
	eachInterface(t, func(t *testing.T, s *stack, c *client.Client, gen a2a.Generation) {
		span, want := traced(t)
		ctx := trace.ContextWithSpanContext(t.Context(), span)
		for _, command := range []string{"trace", "nap"} {
			if answer, err := c.Ask(ctx, command); err != nil || answer != want {
				t.Errorf("%s: the trace of the turn is %q, %v", command, answer, err)
			}
		}
		if answer, err := c.Ask(t.Context(), "trace"); err != nil || answer != " " {
			t.Errorf("without a trace of the caller it is %q, %v", answer, err)
		}
	})
}

// What is no trace context is left out, and a long state of vendors too.
func TestBadTraceContext(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	const parent = "00-01020300000000000000000000000000-0405000000000000-01"
	long := "vendor=" + strings.Repeat("x", 200) + ",b=" + strings.Repeat("x", 200) + ",c=" + strings.Repeat("x", 200)
	for _, test := range []struct {
		name, parent, state, want string
	}{
		{"version ff", "ff" + parent[2:], "", " "},
		{"no ids", "00-00000000000000000000000000000000-0000000000000000-01", "", " "},
		{"short", parent[:40], "", " "},
		{"script", "<script>", "", " "},
		{"long state", parent, long, parent + " "},
		{"bad state", parent, "===", parent + " "},
		{"good", parent, "vendor=value", parent + " vendor=value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, b := range bindings {
				task := s.caller(t, b).with("Traceparent: "+test.parent, "Tracestate: "+test.state).send(t, "trace")
				if got := at[string](t, task, "artifacts", 0, "parts", 0, "text"); got != test.want {
					t.Errorf("%s: the trace of the turn is %q, not %q", b.name, got, test.want)
				}
			}
		})
	}
}
