// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

func measured(t *testing.T, r result) *measurement {
	t.Helper()
	var m measurement
	if err := json.Unmarshal([]byte(r.stdout), &m); err != nil {
		t.Fatalf("%v in:\n%s%s", err, r.stdout, r.stderr)
	}
	return &m
}

func TestBenchStopsAtItsCountAndMeasures(t *testing.T) {
	t.Parallel()
	base := serveAgent(t, echo(), nil)
	got := run(t.Context(), "bench", base, "--rate", "1000", "--count", "40", "--text", "Hello", "-o", "json")
	m := measured(t, got)
	if got.code != cmdline.ExitOK || m.Planned != 40 || m.Succeeded != 40 || m.Failed+m.NotSent+m.Unfinished != 0 ||
		m.Latency == nil || m.First != nil {
		t.Fatalf("exit code %d: %+v\n%s", got.code, m, got.stderr)
	}
	if l := m.Latency; l.Min <= 0 || l.P50 < l.Min || l.P90 < l.P50 || l.P99 < l.P90 || l.P999 < l.P99 ||
		l.Max < l.P999 {
		t.Errorf("percentiles %+v", l)
	}
}

func TestBenchMeasuresTheFirstEventOfAStream(t *testing.T) {
	t.Parallel()
	base := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		turn.Working()
		return nil
	}), nil)
	got := run(t.Context(), "bench", "-a", base, "--rate", "500", "--count", "5", "--stream")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Answered: 5, ") ||
		!strings.Contains(got.stdout, "First event: p50 ") {
		t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
}

func TestBenchCountsErrorsByKind(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	base := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		switch n.Add(1) % 2 {
		case 0:
			return agent.Reject(a2a.TextPart("no"))
		default:
			return turn.Reply(a2a.TextPart("yes"))
		}
	}), nil)
	got := run(t.Context(), "bench", base, "--rate", "500", "--count", "10", "-o", "json")
	m := measured(t, got)
	if got.code != cmdline.ExitOK || m.Succeeded != 5 || m.Failed != 5 || m.Errors["DRAGOMAN_ERR_TASK_FAILED"] != 5 {
		t.Errorf("exit code %d: %+v", got.code, m)
	}
}

// What was measured till then is printed when the run is interrupted.
func TestBenchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	base := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		if n.Add(1) == 10 {
			cancel()
		}
		return turn.Reply(a2a.TextPart("yes"))
	}), nil)
	got := run(ctx, "bench", base, "--rate", "200", "--duration", "1h", "-o", "json")
	m := measured(t, got)
	if got.code != cmdline.ExitInterrupted || !m.Interrupted || m.Succeeded < 5 || m.Succeeded > 11 || m.NotSent != 0 {
		t.Errorf("exit code %d: %+v", got.code, m)
	}
}

func TestBenchSparesMachinesOfOthers(t *testing.T) {
	t.Parallel()
	card := `{"name":"Far","description":"d","version":"1","capabilities":{},"skills":[],
	"defaultInputModes":["text/plain"],
		"defaultOutputModes":["text/plain"],"supportedInterfaces":[{"url":"http://192.0.2.1:8080",
		"protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	file := t.TempDir() + "/card.json"
	if err := os.WriteFile(file, []byte(card), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"http://192.0.2.1:8080"}, {"-a", file}} {
		got := run(t.Context(), append([]string{"bench", "--count", "1"}, args...)...)
		if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "192.0.2.1 is not on this machine") ||
			!strings.Contains(got.stderr, "--i-own-this-host") {
			t.Errorf("%v: exit code %d:\n%s", args, got.code, got.stderr)
		}
	}
	if err := (&benchOptions{ownHost: true}).allow(t.Context(), "192.0.2.1"); err != nil {
		t.Error(err)
	}
}

func TestBenchOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--rate", "0"}, {"--duration", "-1s"}, {"--count", "-1"}, {"--concurrency", "0"}, {"--request-timeout", "0"},
		{"hello"}, {},
	} {
		if got := run(t.Context(), append([]string{"bench"}, args...)...); got.code != cmdline.ExitUsage {
			t.Errorf("%v: exit code %d:\n%s", args, got.code, got.stderr)
		}
	}
}

// Nothing was answered: that is a failure, and still shown.
func TestBenchOfNothing(t *testing.T) {
	t.Parallel()
	base := serveAgent(t, agent.Func(func(context.Context,
		*agent.Turn) error {
		return agent.Reject(a2a.TextPart("no"))
	}), nil)
	got := run(t.Context(), "bench", base, "--count", "3", "--rate", "100")
	if got.code != cmdline.ExitFailure || !strings.Contains(got.stdout, "Failed: 3\n  DRAGOMAN_ERR_TASK_FAILED: 3\n") ||
		!strings.Contains(got.stderr, "no message was answered") {
		t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
}
