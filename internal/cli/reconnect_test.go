// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
)

// A command that follows a task says that the connection is lost, and that it is back.
func TestSubscribeSaysThatItReconnects(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(eng.Agent("agent", agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(); err != nil {
			return err
		}
		select {
		case <-release:
			return t.Complete(a2a.TextPart("done"))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}), nil), &server.Options{Logger: silent, Card: &a2a.AgentCard{Name: "Test", Description: "d", Version: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	var down atomic.Bool
	subscribed, refused := make(chan struct{}, 100), make(chan struct{}, 100)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			refused <- struct{}{}
			panic(http.ErrAbortHandler)
		}
		if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			defer func() { recover() }() // of a connection that the test closes
			subscribed <- struct{}{}
		}
		srv.ServeHTTP(w, r)
	}))
	defer ts.Close()
	defer eng.Shutdown(context.Background())
	sent := run(t.Context(), "send", "-a", ts.URL, "--async", "hi")
	id := regexp.MustCompile(`Task: (\S+)`).FindStringSubmatch(sent.stdout)
	if id == nil {
		t.Fatal(sent)
	}
	for len(subscribed) > 0 {
		<-subscribed
	}
	ended := make(chan result, 1)
	go func() { ended <- run(t.Context(), "task", "subscribe", "-a", ts.URL, id[1]) }()
	<-subscribed
	down.Store(true)
	ts.CloseClientConnections()
	<-refused
	down.Store(false)
	<-subscribed
	close(release)
	got := <-ended
	const want = "Warning: lost the connection to the agent; reconnecting for up to 1m0s\nConnected to the agent " +
		"again.\n"
	if got.code != cmdline.ExitOK || got.stderr != want || !strings.Contains(got.stdout, "Status: completed - done") {
		t.Errorf("exit code %d\n%s\n%s", got.code, got.stderr, got.stdout)
	}
}

// The error of a command whose agent does not come back leaves out details for programs.
func TestCutFailure(t *testing.T) {
	t.Parallel()
	away := &client.UnreachableError{Agent: "Test", Err: &wire.ConnError{Err: syscall.ECONNREFUSED}}
	for want, err := range map[string]error{
		`the connection to the agent was lost and did not come back:` +
			` agent "Test" cannot be reached: connection refused`: &client.CutError{TaskID: "t", Err: away},
		"the connection to the agent was " +
			"lost and did not come back: EOF": &client.CutError{TaskID: "t", Err: errors.New("EOF")},
	} {
		f := newCommand(nil).Failure(err)
		if f.Message != want || f.Exit != cmdline.ExitUnreachable {
			t.Errorf("got %d %q, want %q", f.Exit, f.Message, want)
		}
	}
}
