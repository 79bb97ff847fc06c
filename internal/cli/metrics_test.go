// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
)

// docs has the page and the dashboard that name metrics.
var docs = filepath.Join("..", "..", "docs")

// promName returns the name of a metric in Prometheus.
func promName(m *telemetry.Metric) string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" {
		name += "_seconds"
	}
	return name
}

// scrape reads metrics as Prometheus does, and returns the values of all lines.
func scrape(t *testing.T, url string) map[string]string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, resp.Status)
	}
	values := map[string]string{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if i := strings.LastIndexByte(lines.Text(), ' '); i > 0 && lines.Text()[0] != '#' {
			values[lines.Text()[:i]] = lines.Text()[i+1:]
		}
	}
	return values
}

// Metrics beyond this machine need a token, or the word that all may read them.
func TestMetricsBeyondThisMachine(t *testing.T) {
	t.Parallel()
	args := []string{"serve", "--echo", "--addr", "127.0.0.1:0", "--metrics", "0.0.0.0:0"}
	if got := run(t.Context(), args...); got.code != cmdline.ExitUsage {
		t.Errorf("without a token: %+v", got)
	}
	p, _ := serveTraced(t, []string{"DRAGOMAN_METRICS_TOKEN=hunter2"}, args...)
	found := regexp.MustCompile(`metrics at http://\S+:(\d+)/`).FindStringSubmatch(p.Output())
	for header, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer hunter2": 200} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+found[1]+"/metrics",
			nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", header)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("with %q: %s", header, res.Status)
		}
	}
	serveTraced(t, nil, append(args, "--open")...)
}

// A server with --metrics serves all metrics, at no other address than that.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p, url := serveTraced(t, nil, "serve", "--echo", "--addr", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	found := regexp.MustCompile(`metrics at (http\S+)`).FindStringSubmatch(p.Output())
	if found == nil {
		t.Fatalf("it does not say where the metrics are: %s", p.Output())
	}
	for range 2 {
		if r := run(t.Context(), "send", url, "hello"); r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	if r := run(t.Context(), "task", "get", "no-such-task", "-a", url); r.code == 0 {
		t.Fatal("there is a task that was never sent")
	}
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		t.Error("the port of the agent serves metrics")
	}
	var values map[string]string
	lines := map[string]string{
		`a2a_server_request_duration_seconds_count{a2a_method_name="SendStreamingMessage"}`:                "2",
		`a2a_server_request_duration_seconds_count{a2a_method_name="GetTask",error_type="TASK_NOT_FOUND"}`: "1",
		`a2a_server_first_event_duration_seconds_count{a2a_method_name="SendStreamingMessage"}`:            "2",
		`a2a_server_open_streams`: "0",
		`a2a_task_duration_seconds_count{a2a_task_state="TASK_STATE_COMPLETED",gen_ai_agent_name="echo"}`: "2",
		`dragoman_turns_running{gen_ai_agent_name="echo"}`:                                                "0",
		`dragoman_turns_waiting`: "0",
		`dragoman_events_queued`: "0",
	}
	settled := func() bool {
		values = scrape(t, found[1])
		for line, want := range lines {
			if values[line] != want {
				return false
			}
		}
		return values[`dragoman_journal_duration_seconds_count{dragoman_journal_operation="append"}`] != ""
	}
	defer func() {
		for line, want := range lines {
			if values[line] != want {
				t.Errorf("%s is %q, not %s", line, values[line], want)
			}
		}
	}()
	clitest.Await(t, settled)
}

// labelNames returns the names of all labels in Prometheus.
func labelNames() []string {
	var names []string
	for _, m := range telemetry.Metrics {
		for _, l := range m.Labels {
			names = append(names, strings.ReplaceAll(string(l), ".", "_"))
		}
	}
	return names
}

// docs/operate.md lists all metrics and their labels. Run with -update to write the list.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| metric | meaning | labels |\n| --- | --- | --- |\n")
	for _, m := range telemetry.Metrics {
		var labels []string
		for _, l := range m.Labels {
			labels = append(labels, "`"+strings.ReplaceAll(string(l), ".", "_")+"`")
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", promName(m), m.What, strings.Join(labels, ", "))
	}
	name := filepath.Join(docs, "operate.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), "<!-- table: metrics -->\n\n")
	_, after, ends := strings.Cut(rest, "\n<!-- end -->\n")
	if !ok || !ends {
		t.Fatalf("%s has no place for the table", name)
	}
	want := before + "<!-- table: metrics -->\n\n" + table.String() + "\n<!-- end -->\n" + after
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the metrics as they are: go generate ./internal/cli", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The dashboard asks for metrics that exist, and for every one of them.
func TestDashboardKnowsTheMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(docs, "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	names := regexp.MustCompile(`\b(a2a_(server|task)|dragoman)_[a-z_]+\b`)
	for _, name := range names.FindAllString(string(text), -1) {
		if slices.Contains(labelNames(), name) {
			continue
		}
		asked[regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")] = true
	}
	for _, m := range telemetry.Metrics {
		if !asked[promName(m)] {
			t.Errorf("no panel shows %s", promName(m))
		}
		delete(asked, promName(m))
	}
	for name := range asked {
		t.Errorf("a panel asks for %s, which does not exist", name)
	}
}
