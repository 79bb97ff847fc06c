// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// pipes are a network within a test, which a clock of the test's own knows to be idle.
type pipes struct {
	calls chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.calls <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// overHTTP returns the transport of a client over HTTP, and what ends it.
func overHTTP(s *coordmcp.Server) (t mcp.Transport, end func()) {
	p := &pipes{calls: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: s.Handler()}
	var serving sync.WaitGroup
	serving.Go(func() { srv.Serve(p) })
	wires := &http.Transport{DialContext: p.dial}
	return &mcp.StreamableClientTransport{Endpoint: "http://127.0.0.1/mcp", HTTPClient: &http.Client{Transport: wires}},
		func() {
			wires.CloseIdleConnections()
			srv.Close()
			serving.Wait()
		}
}

// overStdio returns the transport of a client over stdio, and what ends it.
func overStdio(s *coordmcp.Server) (t mcp.Transport, end func()) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	// why it ends is not asked
	serving.Go(func() { s.MCP().Run(ctx, &mcp.IOTransport{Reader: toServer, Writer: fromServer}) })
	return &mcp.IOTransport{Reader: toClient, Writer: fromClient}, func() {
		cancel()
		serving.Wait()
	}
}

// A call that waits says so every now and then, and one that is canceled leaves nothing behind: neither a question nor
// a claim, whichever way it has come.
func TestCallsThatWait(t *testing.T) {
	t.Parallel()
	for way, over := range map[string]func(*coordmcp.Server) (mcp.Transport, func()){"http": overHTTP,
		"stdio": overStdio} {
		for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
			for tool, args := range map[string]map[string]any{
				"query_agent": {"project_id": "p", "from_session": "ann", "to_session": "bob",
					"query_type": "help", "query": "?"},
				"announce_file_change": {"project_id": "p", "session_name": "ann", "file_path": "x",
					"change_type": "modify", "description": ""},
			} {
				t.Run(way+"/"+version+"/"+tool, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						hub := coord.NewHub(nil)
						defer hub.Close()
						transport, end := over(coordmcp.New(hub, nil))
						defer end()
						tryWaits(t, hub, transport, version, tool, args)
					})
				})
			}
		}
	}
}

func tryWaits(t *testing.T, hub *coord.Hub, transport mcp.Transport, version, tool string, args map[string]any) {
	var mu sync.Mutex
	var told []*mcp.ProgressNotificationParams
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, req.Params)
		},
	}).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("it speaks %s", got)
	}
	for _, name := range []string{"ann", "bob"} {
		call(t, c, "register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": name,
			"branch": "", "description": ""})
	}
	do := func(c coord.Command) string {
		t.Helper()
		result, err := hub.Do(t.Context(), "p", "", c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	do(coord.Announce{Session: "bob", Paths: []string{"x"}, ChangeType: "modify"})
	waits := func(ctx context.Context, seconds int) (*mcp.CallToolResult, error) {
		args["timeout"], args["wait_seconds"] = seconds, seconds
		return c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args,
			Meta: mcp.Meta{"progressToken": "of-" + tool}})
	}

	result, err := waits(t.Context(), 12)
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, `"timeout"`) &&
		!strings.Contains(text, `"conflict"`) {
		t.Error(text)
	}
	synctest.Wait()
	mu.Lock()
	if len(told) != 2 || told[0].Progress >= told[1].Progress {
		t.Errorf("told %d times how it goes", len(told))
	}
	for _, p := range told {
		if p.Message != "waiting" || p.ProgressToken != "of-"+tool {
			t.Errorf("%+v", p)
		}
	}
	mu.Unlock()
	do(coord.Check{Session: "bob"}) // the question, which nobody waits for any more

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := waits(ctx, 600)
		done <- err
	}()
	time.Sleep(7 * time.Second)
	if got := do(coord.ListWaits{}); got == "[]" {
		t.Error("it does not wait")
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("the call was answered")
	}
	synctest.Wait()
	for _, c := range []coord.Command{coord.ListWaits{}, coord.Check{Session: "bob", Peek: true}} {
		if got := do(c); got != "[]" {
			t.Errorf("the call has left %s", got)
		}
	}
	if got := do(coord.ListLocks{}); !strings.Contains(got, `"queue":[]`) || strings.Contains(got, "ann") {
		t.Errorf("the call has left %s", got)
	}
}
