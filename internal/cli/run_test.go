// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// silent is a logger for servers whose errors are part of a test.
var silent = slog.New(slog.DiscardHandler)

// result is what a run in this process left behind.
type result struct {
	code           int
	stdout, stderr string
}

// runWith runs the program with an environment and a standard input.
func runWith(ctx context.Context, env map[string]string, stdin string, args ...string) result {
	var out, err bytes.Buffer
	r := Run{
		Program: "dragoman", Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
	}
	code := r.Do(ctx)
	return result{code, out.String(), err.String()}
}

func run(ctx context.Context, args ...string) result { return runWith(ctx, nil, "", args...) }

// serveAgent serves an agent, or whatever options say, until the test ends, and returns its URL.
func serveAgent(t *testing.T, a agent.Agent, opts *server.Options) string {
	t.Helper()
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	return serveService(t, eng.Agent("agent", a, nil), opts, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // turns of these tests need not end well
		eng.Shutdown(ctx)
	})
}

func serveService(t *testing.T, svc a2a.Service, opts *server.Options, after func()) string {
	t.Helper()
	if opts == nil {
		opts = &server.Options{}
	}
	if opts.Card == nil {
		opts.Card = &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}}
	}
	opts.Logger = silent
	srv, err := server.New(svc, opts)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	t.Cleanup(func() { after(); ts.CloseClientConnections(); ts.Close() })
	return ts.URL
}

func serveHandler(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	return ts.URL
}
