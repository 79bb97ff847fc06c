// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// spans collects what programs send over OTLP.
type spans struct {
	mu  sync.Mutex
	all []span
}

// span is a span as the collector writes it, in JSON.
type span struct {
	Service string         `json:"service"`
	Trace   string         `json:"traceId"`
	ID      string         `json:"spanId"`
	Parent  string         `json:"parentSpanId,omitzero"`
	Name    string         `json:"name"`
	Kind    string         `json:"kind"`
	Failed  bool           `json:"failed,omitzero"`
	Attrs   map[string]any `json:"attributes"`
}

// collectSpans starts a collector, and returns the environment of programs that send to it.
func collectSpans(t *testing.T) (*spans, []string) {
	t.Helper()
	c := &spans{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var req collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &req)
		}
		if err != nil {
			t.Error(err)
		}
		c.add(&req)
		w.Header().Set("Content-Type", "application/x-protobuf")
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return c, []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + srv.URL + "/v1/traces", "OTEL_BSP_SCHEDULE_DELAY=20"}
}

func (c *spans) add(req *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range req.ResourceSpans {
		service, _ := attributes(resource.Resource.Attributes)["service.name"].(string)
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.all = append(c.all, span{
					Service: service, Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId),
					Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name, Kind: s.Kind.String(),
					Failed: s.Status.GetCode() != 0, Attrs: attributes(s.Attributes),
				})
			}
		}
	}
}

func attributes(list []*common.KeyValue) map[string]any {
	all := map[string]any{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.Key] = v.IntValue
		}
	}
	return all
}

// find returns the spans of a program with a name.
func (c *spans) find(service, name string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.all {
		if s.Service == service && s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// write writes the spans as JSON and returns the file's name. With DRAGOMAN_TRACE it is that file, for people.
func (c *spans) write(t *testing.T) string {
	t.Helper()
	name := os.Getenv("DRAGOMAN_TRACE")
	if name == "" {
		name = filepath.Join(t.TempDir(), "trace.json")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := json.Marshal(c.all, json.Deterministic(true))
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// serveTraced starts a command that serves, and sends its spans to a collector.
func serveTraced(t *testing.T, env []string, args ...string) (*clitest.Process, string) {
	t.Helper()
	p, err := clitest.Start(clitest.Command(t, env, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	url, err := p.Ready()
	if err != nil {
		t.Fatal(err)
	}
	return p, url
}

// A message from the command line through a host to an agent is one trace, also when the agent is killed in its turn
// and started again.
func TestOneTraceThroughAKilledAgent(t *testing.T) {
	t.Parallel()
	c, env := collectSpans(t)
	addr, data := clitest.FreeAddress(t), t.TempDir()
	serve := []string{"serve", "--agent", "slow", "--addr", addr, "--data-dir", data}
	first, url := serveTraced(t, env, serve...)
	_, host := serveTraced(t, env, "host", "-a", url, "--serve", "127.0.0.1:0", "--data-dir", ":memory:")
	send := clitest.Command(t, env, "send", "-a", host, "--stream", "--text", "count to 40 every 50ms")
	done := make(chan error, 1)
	go func() { _, err := send.Output(); done <- err }()
	clitest.Await(t, func() bool { // the turn is open, and in the journal
		return len(c.find("dragoman serve", "journal append")) > 5
	})
	first.Kill()
	serveTraced(t, env, serve...)
	if err := <-done; err != nil {
		stderr := ""
		if e, ok := err.(*exec.ExitError); ok {
			stderr = string(e.Stderr)
		}
		t.Fatalf("%v: %s", err, stderr)
	}
	clitest.Await(t, func() bool {
		return len(c.find("dragoman serve", "turn")) > 0 && len(c.find("dragoman host", "turn")) > 0
	})

	text, err := os.ReadFile(c.write(t))
	if err != nil {
		t.Fatal(err)
	}
	var all []span
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	byID := map[string]span{}
	for _, s := range all {
		byID[s.ID] = s
	}
	sent := c.find("dragoman send", "SendStreamingMessage")
	if len(sent) != 1 || sent[0].Kind != "SPAN_KIND_CLIENT" || sent[0].Parent != "" {
		t.Fatalf("dragoman send: %+v", sent)
	}
	trace := sent[0].Trace
	var path []string // from the resumed turn to the command
	for s := c.find("dragoman serve", "turn")[0]; s.ID != ""; s = byID[s.Parent] {
		path = append(path, s.Service+": "+s.Name)
		if s.Trace != trace {
			t.Errorf("%s is in trace %s, not in %s", s.Name, s.Trace, trace)
		}
	}
	want := []string{"dragoman serve: turn", "dragoman host: SendStreamingMessage",
		"dragoman host: invoke_agent Slow Agent", "dragoman host: turn", "dragoman host: SendStreamingMessage",
		"dragoman send: SendStreamingMessage"}
	if !slices.Equal(path, want) {
		t.Errorf("the resumed turn comes from\n%q, not\n%q", path, want)
	}
	resumed := c.find("dragoman serve", "turn")[0].Attrs
	for key, value := range map[string]any{"dragoman.turn.attempt": int64(2), "gen_ai.agent.name": "slow",
		"a2a.task.state": "TASK_STATE_COMPLETED"} {
		if resumed[key] != value {
			t.Errorf("%s of the resumed turn is %v", key, resumed[key])
		}
	}
	for _, key := range []string{"a2a.task.id", "a2a.message.id", "gen_ai.conversation.id"} {
		if resumed[key] == nil {
			t.Errorf("the resumed turn has no %s, but %v", key, slices.Sorted(maps.Keys(resumed)))
		}
	}
	server := c.find("dragoman host", "SendStreamingMessage")
	i := slices.IndexFunc(server, func(s span) bool { return s.Kind == "SPAN_KIND_SERVER" })
	if i < 0 || server[i].Attrs["a2a.method.name"] != "SendStreamingMessage" ||
		server[i].Attrs["a2a.protocol.version"] != "1.0" || server[i].Trace != trace {
		t.Errorf("the host's server: %+v", server)
	}
}
