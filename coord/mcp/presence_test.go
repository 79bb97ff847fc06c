// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/coord/mcp"
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

// A wire takes nothing more once all are cut: the client cannot say goodbye on one when it sees that another one is gone.
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

// An agent that does nothing for long keeps its leases as long as its client is connected, whatever its clients of other
// kinds do, and loses them when that is killed, though its session of MCP lives on.
func TestKilledClientsLetGo(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	hub := coord.NewHub(&coord.HubOptions{Timeout: timeout})
	srv := httptest.NewServer(coordmcp.New(hub, nil).Handler())
	defer func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	}()
	w := &wires{}
	transport := &http.Transport{DialContext: w.dial}
	defer transport.CloseIdleConnections()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: &http.Client{Transport: transport}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, c, "register_agent", map[string]any{"project_id": "p", "session_name": "a", "task_id": "1", "branch": "", "description": ""})
	call(t, c, "announce_file_change", map[string]any{"project_id": "p", "session_name": "a", "file_path": "x", "change_type": "modify"})
	held := func() bool {
		result, err := hub.Do(t.Context(), "p", "", coord.ListLocks{})
		if err != nil {
			t.Fatal(err)
		}
		return len(result.(coord.LockList).Leases) == 1
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < 3*timeout+time.Second; <-ticker.C {
		if !held() {
			t.Fatalf("the lease is gone after %v, though the client is connected", time.Since(begun))
		}
	}
	id := c.ID()
	w.kill()
	defer func() { // what the one that was killed could not do
		req, err := http.NewRequest(http.MethodDelete, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Mcp-Session-Id", id)
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			t.Errorf("the session of MCP had ended already: %s", resp.Status)
		}
	}()
	for deadline := time.Now().Add(20 * time.Second); held(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatal("the lease of a client that was killed is still held")
		}
	}
}

// A bench is a coordinator and its clients, for tests of who counts as there.
type bench struct {
	t   *testing.T
	hub *coord.Hub
	url string
}

const shortTimeout = time.Second

func newBench(t *testing.T) *bench {
	hub := coord.NewHub(&coord.HubOptions{Timeout: shortTimeout})
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

// join registers a session and leases a file for it.
func (b *bench) join(c *mcp.ClientSession, name string) {
	b.t.Helper()
	call(b.t, c, "register_agent", map[string]any{"project_id": "p", "session_name": name, "task_id": name, "branch": "b", "description": "d"})
	call(b.t, c, "announce_file_change", map[string]any{"project_id": "p", "session_name": name, "file_path": name, "change_type": "modify", "description": "d"})
}

func (b *bench) holds(name string) bool {
	b.t.Helper()
	result, err := b.hub.Do(b.t.Context(), "p", "", coord.ListLocks{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, l := range result.(coord.LockList).Leases {
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
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); b.holds(name); <-ticker.C {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s still has its lease, though it is gone", name)
		}
		meanwhile()
	}
}

// Who looks at a session does not keep it alive, neither by looking again and again nor by staying connected.
func TestLookersKeepNobodyAlive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
	b := newBench(t)
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
	b := newBench(t)
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

// Who listens to the inbox of a session before it is there keeps it alive if it becomes his, and nobody else's.
func TestListenersKeepNobodyElseAlive(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(&coord.HubOptions{Timeout: shortTimeout})
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
