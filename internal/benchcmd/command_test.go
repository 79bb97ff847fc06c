// SPDX-License-Identifier: Apache-2.0

package benchcmd_test

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/benchcmd"
	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

func measured(t *testing.T, r dragoman.Result) *benchcmd.Measurement {
	t.Helper()
	var m benchcmd.Measurement
	if err := json.Unmarshal([]byte(r.Stdout), &m); err != nil {
		t.Fatalf("%v in:\n%s%s", err, r.Stdout, r.Stderr)
	}
	return &m
}

func TestBenchStopsAtItsCountAndMeasures(t *testing.T) {
	t.Parallel()
	base := dragoman.ServeAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		return turn.Reply(a2a.TextPart(turn.Text()))
	}))
	got := dragoman.Run(t.Context(), "bench", base, "--rate", "1000", "--count", "40", "--text", "Hello", "-o", "json")
	m := measured(t, got)
	if got.Code != cmdline.ExitOK || m.Planned != 40 || m.Succeeded != 40 || m.Failed+m.NotSent+m.Unfinished != 0 ||
		m.Latency == nil || m.First != nil {
		t.Fatalf("exit code %d: %+v\n%s", got.Code, m, got.Stderr)
	}
	if l := m.Latency; l.Min <= 0 || l.P50 < l.Min || l.P90 < l.P50 || l.P99 < l.P90 || l.P999 < l.P99 ||
		l.Max < l.P999 {
		t.Errorf("percentiles %+v", l)
	}
}

func TestBenchMeasuresTheFirstEventOfAStream(t *testing.T) {
	t.Parallel()
	base := dragoman.ServeAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		turn.Working()
		return nil
	}))
	got := dragoman.Run(t.Context(), "bench", "-a", base, "--rate", "500", "--count", "5", "--stream")
	if got.Code != cmdline.ExitOK || !strings.Contains(got.Stdout, "Answered: 5, ") ||
		!strings.Contains(got.Stdout, "First event: p50 ") {
		t.Errorf("exit code %d:\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
}

func TestBenchCountsErrorsByKind(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	base := dragoman.ServeAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		switch n.Add(1) % 2 {
		case 0:
			return agent.Reject(a2a.TextPart("no"))
		default:
			return turn.Reply(a2a.TextPart("yes"))
		}
	}))
	got := dragoman.Run(t.Context(), "bench", base, "--rate", "500", "--count", "10", "-o", "json")
	m := measured(t, got)
	if got.Code != cmdline.ExitOK || m.Succeeded != 5 || m.Failed != 5 || m.Errors["DRAGOMAN_ERR_TASK_FAILED"] != 5 {
		t.Errorf("exit code %d: %+v", got.Code, m)
	}
}

// A run that is interrupted prints its measurements up to then.
func TestBenchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	base := dragoman.ServeAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		if n.Add(1) == 10 {
			cancel()
		}
		return turn.Reply(a2a.TextPart("yes"))
	}))
	got := dragoman.Run(ctx, "bench", base, "--rate", "200", "--duration", "1h", "-o", "json")
	m := measured(t, got)
	if got.Code != cmdline.ExitInterrupted || !m.Interrupted || m.Succeeded < 5 || m.Succeeded > 11 || m.NotSent != 0 {
		t.Errorf("exit code %d: %+v", got.Code, m)
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
		got := dragoman.Run(t.Context(), append([]string{"bench", "--count", "1"}, args...)...)
		if got.Code != cmdline.ExitUsage || !strings.Contains(got.Stderr, "192.0.2.1 is not on this machine") ||
			!strings.Contains(got.Stderr, "--i-own-this-host") {
			t.Errorf("%v: exit code %d:\n%s", args, got.Code, got.Stderr)
		}
	}
	if err := benchcmd.Allow(t.Context(), "192.0.2.1"); err != nil {
		t.Error(err)
	}
}

func TestBenchOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--rate", "0"}, {"--duration", "-1s"}, {"--count", "-1"}, {"--concurrency", "0"}, {"--request-timeout", "0"},
		{"hello"}, {},
	} {
		if got := dragoman.Run(t.Context(), append([]string{"bench"}, args...)...); got.Code != cmdline.ExitUsage {
			t.Errorf("%v: exit code %d:\n%s", args, got.Code, got.Stderr)
		}
	}
}

// Nothing was answered: that is a failure, and still shown.
func TestBenchOfNothing(t *testing.T) {
	t.Parallel()
	base := dragoman.ServeAgent(t, agent.Func(func(context.Context,
		*agent.Turn) error {
		return agent.Reject(a2a.TextPart("no"))
	}))
	got := dragoman.Run(t.Context(), "bench", base, "--count", "3", "--rate", "100")
	if got.Code != cmdline.ExitFailure || !strings.Contains(got.Stdout, "Failed: 3\n  DRAGOMAN_ERR_TASK_FAILED: 3\n") ||
		!strings.Contains(got.Stderr, "no message was answered") {
		t.Errorf("exit code %d:\n%s%s", got.Code, got.Stdout, got.Stderr)
	}
}
