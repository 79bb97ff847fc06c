// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// wires are the connections of a client, which can be cut all at once, for good.
type wires struct {
	mu  sync.Mutex
	all []net.Conn
	cut bool
}

func (w *wires) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return nil, errors.New("the wires are cut")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	w.all = append(w.all, c)
	return wire{c, w}, nil
}

// A wire takes nothing more once all are cut: the client cannot say goodbye on one when it sees that another one is
// gone.
type wire struct {
	net.Conn
	of *wires
}

func (c wire) Write(b []byte) (int, error) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.of.cut {
		return 0, errors.New("the wires are cut")
	}
	return c.Conn.Write(b)
}

func (w *wires) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for _, c := range w.all {
		c.Close()
	}
}

// An agent that does nothing for long, or waits, keeps its leases as long as its client is connected, whatever its
// clients of other kinds do, and loses them when that is killed, though its session of MCP lives on.
func TestKilledClientsLetGo(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"idle": false, "waiting": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, shortTimeout)
			c, w := b.killable()
			b.join(c, "a")
			if waits {
				b.asks(c, "a")
			}
			b.lives("a")
			id := c.ID()
			w.kill()
			b.dies("a", func() {})
			b.bury(id)
		})
	}
}

// A killed client leaves the queue at once. The answer that it waited for goes to the inbox, for its successor.
func TestKilledClientsWaitNoLonger(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	c, w := b.killable()
	b.join(c, "a")
	query, id := b.asks(c, "a"), c.ID()
	// which is never answered
	go c.CallTool(t.Context(), &mcp.CallToolParams{Name: "announce_file_change", Arguments: map[string]any{
		"project_id": "p", "session_name": "a", "file_path": "b", "change_type": "modify", "wait_seconds": 600,
	}})
	waiting := func() int { return len(b.do(coord.ListWaits{}).([]coord.Wait)) }
	b.comesTo("wait for a lease", func() bool { return waiting() == 2 })
	w.kill()
	b.comesTo("wait for nothing", func() bool { return waiting() == 0 })
	if queue := b.do(coord.ListLocks{}).(coord.LockList).Queue; len(queue) > 0 {
		t.Errorf("the queue has %+v", queue)
	}
	b.do(coord.Respond{From: "b", MessageID: query, Response: "that"})
	again := b.client("2025-11-25")
	if got := call(t, again, "check_messages",
		map[string]any{"project_id": "p", "session_name": "a"}); !strings.Contains(got, `"content":"that"`) {
		t.Errorf("the answer is lost: %s", got)
	}
	b.bury(id)
}

// A bench is a coordinator and its clients, for tests of who counts as there.
type bench struct {
	t   *testing.T
	hub *coord.Hub
	url string
}

const shortTimeout = time.Second

func newBench(t *testing.T, timeout time.Duration) *bench {
	hub := coord.NewHub(&coord.HubOptions{SessionTimeout: timeout})
	srv := httptest.NewServer(coordmcp.New(hub, nil).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	return &bench{t, hub, srv.URL}
}

func (b *bench) client(generation string) *mcp.ClientSession {
	b.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(b.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: b.url}, &mcp.ClientSessionOptions{ProtocolVersion: generation})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close() })
	return c
}

// killable returns a client of MCP with sessions, and its wires.
func (b *bench) killable() (*mcp.ClientSession, *wires) {
	b.t.Helper()
	w := &wires{}
	transport := &http.Transport{DialContext: w.dial}
	b.t.Cleanup(transport.CloseIdleConnections)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(b.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: b.url, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close() })
	return c, w
}

// bury ends a session of MCP for a client that was killed and could not.
func (b *bench) bury(id string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodDelete, b.url, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		b.t.Errorf("the session of MCP had ended already: %s", resp.Status)
	}
}

func (b *bench) do(c coord.Command) coord.Result {
	b.t.Helper()
	result, err := b.hub.Do(b.t.Context(), "p", "", c)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// comesTo waits until something is so.
func (b *bench) comesTo(what string, so func() bool) {
	b.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); !so(); <-ticker.C {
		if time.Now().After(deadline) {
			b.t.Fatalf("it never comes to that: %s", what)
		}
	}
}

// asks lets a session wait long for an answer of a session b that is there, and returns the id of the query.
func (b *bench) asks(c *mcp.ClientSession, name string) (query string) {
	b.t.Helper()
	b.join(b.client("2025-11-25"), "b")
	// which is never answered
	go c.CallTool(b.t.Context(), &mcp.CallToolParams{Name: "query_agent", Arguments: map[string]any{
		"project_id": "p", "from_session": name, "to_session": "b", "query_type": "help", "query": "?", "timeout": 600,
	}})
	b.comesTo("a question", func() bool {
		messages := b.do(coord.Check{Session: "b", Peek: true}).([]any)
		if len(messages) == 1 {
			query = messages[0].(coord.MessageInfo).ID
		}
		return query != ""
	})
	return query
}

// join registers a session and leases a file for it.
func (b *bench) join(c *mcp.ClientSession, name string) {
	b.t.Helper()
	call(b.t, c, "register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": name,
		"branch": "b", "description": "d"})
	call(b.t, c, "announce_file_change", map[string]any{"project_id": "p", "session_name": name, "file_path": name,
		"change_type": "modify", "description": "d"})
}

func (b *bench) holds(name string) bool {
	b.t.Helper()
	for _, l := range b.do(coord.ListLocks{}).(coord.LockList).Leases {
		if l.Session == name {
			return true
		}
	}
	return false
}

// lives checks that a session keeps its lease for some timeouts.
func (b *bench) lives(name string) {
	b.t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < 3*shortTimeout+shortTimeout/2; <-ticker.C {
		if !b.holds(name) {
			b.t.Fatalf("%s is gone after %v, though it is there", name, time.Since(begun))
		}
	}
}

// dies checks that a session loses its lease, whatever is done meanwhile.
func (b *bench) dies(name string, meanwhile func()) {
	b.t.Helper()
	b.comesTo(name+" is gone, and has no lease", func() bool {
		meanwhile()
		return !b.holds(name)
	})
}

// Reading about a session does not keep it alive, neither again and again nor by staying connected.
func TestReadersKeepNoSessionAlive(t *testing.T) {
	t.Parallel()
	b := newBench(t, shortTimeout)
	b.join(b.client("2026-07-28"), "victim")
	looker := b.client("2025-11-25")
	b.dies("victim", func() {
		me := map[string]any{"project_id": "p", "session_name": "victim", "peek": true, "file_path": "y"}
		call(t, looker, "get_my_todos", me)
		call(t, looker, "check_messages", me)
		if _, err := read(t, looker, "dragoman://p/inbox/victim"); err != nil {
			t.Error(err)
		}
	})
}

// A connection says nothing any more of a session that left, or came by another one.
func TestNamesAreUsedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, shortTimeout)
	old, fresh := b.client("2025-11-25"), b.client("2026-07-28")
	b.join(old, "left")
	b.join(old, "moved")
	b.join(old, "stays")
	call(t, old, "unregister_agent", map[string]any{"project_id": "p", "session_name": "left"})
	b.join(fresh, "left")
	b.join(fresh, "moved")
	b.dies("left", func() {})
	b.dies("moved", func() {})
	b.lives("stays")
}

// A client without a session of MCP is there as long as it listens to its inbox.
func TestListenersAreThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, shortTimeout)
	c := b.client("2026-07-28")
	b.join(c, "a")
	inbox := "dragoman://p/inbox/a"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: inbox}); err != nil {
		t.Fatal(err)
	}
	b.lives("a")
	if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: inbox}); err != nil {
		t.Fatal(err)
	}
	b.dies("a", func() {})
}

// A client that listens to the inbox of a future session keeps it alive if the session becomes its own.
func TestListenersKeepOnlyTheirSessionAlive(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(&coord.HubOptions{SessionTimeout: shortTimeout})
	reads := make(chan string, 100)
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{
		Authorize: func(_ context.Context, header http.Header, _ string, looks bool) (string, error) {
			if looks {
				reads <- header.Get("Authorization")
			}
			return header.Get("Authorization"), nil
		},
	}).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	p := &place{t: t, url: srv.URL}
	bob, _ := p.join("bob", "2026-07-28")
	ann, _ := p.join("ann", "2026-07-28")
	for _, name := range []string{"hers", "his"} {
		if err := bob.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "dragoman://p/inbox/" + name}); err != nil {
			t.Fatal(err)
		}
		if got := <-reads; got != "bob" {
			t.Fatalf("%s listens", got)
		}
	}
	b := &bench{t, hub, srv.URL}
	b.join(bob, "his")
	b.join(ann, "hers")
	b.dies("hers", func() {})
	b.lives("his")
}
