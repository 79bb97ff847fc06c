// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// revocable returns a coordinator that everybody may look at whose token is not revoked, and its server.
func revocable(t *testing.T, revoked *atomic.Value) (*place, *mcp.Server) {
	t.Helper()
	hub := coord.NewHub(nil)
	server := coordmcp.New(hub, &coordmcp.Options{
		Authorize: func(_ context.Context, header http.Header, _ string, _ bool) (string, error) {
			if name := header.Get("Authorization"); name != revoked.Load() {
				return name, nil
			}
			return "", &coordmcp.RefusedError{Why: "the token was revoked"}
		},
	})
	srv := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	return &place{t, srv.URL, hub}, server.MCP()
}

// connected returns how many connections there are.
func connected(server *mcp.Server) (n int) {
	for range server.Sessions() {
		n++
	}
	return n
}

// become waits until there are so many connections.
func become(t *testing.T, server *mcp.Server, want int) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); connected(server) != want; <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("there are %d connections, want %d", connected(server), want)
		}
	}
}

// A subscriber whose token is revoked gets no notification, and its connection ends, also when nothing happens. Others
// go on.
func TestSubscriptionsEndWithTheRightToThem(t *testing.T) {
	t.Parallel()
	for _, generation := range generations {
		for _, silent := range []bool{false, true} {
			t.Run(fmt.Sprint(generation, silent), func(t *testing.T) {
				t.Parallel()
				var revoked atomic.Value
				p, server := revocable(t, &revoked)
				ann, toAnn := p.join("ann", generation)
				eve, toEve := p.join("eve", generation)
				register(t, ann, "a")
				for _, c := range []*mcp.ClientSession{ann, eve} {
					for _, uri := range []string{"dragoman://p/todos", "dragoman://p/interfaces"} {
						if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
							t.Fatal(err)
						}
					}
				}
				todo := func() {
					call(t, ann, "add_todo", map[string]any{"project_id": "p", "session_name": "a", "todo_item": "x"})
				}
				for _, told := range []chan string{toAnn, toEve} {
					subscribed(t, generation, told, "dragoman://p/todos", todo)
				}
				// of which each listens by one a resource
				before := map[string]int{"2025-11-25": 2, "2026-07-28": 4}[generation]
				become(t, server, before)
				revoked.Store("eve")
				if silent {
					become(t, server, before/2)
				}
				call(t, ann, "register_interface",
					map[string]any{"project_id": "p", "session_name": "a", "interface_name": "User",
						"definition": "type User"})
				for uri := ""; uri != "dragoman://p/interfaces"; {
					select {
					case uri = <-toAnn:
					case <-time.After(20 * time.Second):
						t.Fatal("ann is told of nothing any more")
					}
				}
				become(t, server, before/2)
				for len(toEve) > 0 {
					if uri := <-toEve; uri == "dragoman://p/interfaces" {
						t.Error("eve was told of what happened later")
					}
				}
			})
		}
	}
}

// Subscriptions outlive that it cannot be found out who may see what.
func TestSubscriptionsOutliveWhatCannotBeFoundOut(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(nil)
	var away atomic.Bool
	asked := make(chan struct{}, 100)
	server := coordmcp.New(hub, &coordmcp.Options{
		Authorize: func(context.Context, http.Header, string, bool) (string, error) {
			if away.Load() {
				asked <- struct{}{}
				return "", errors.New("read tokens: the database is away")
			}
			return "", nil
		},
	})
	srv := httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	generation, uri := generations[0], "dragoman://p/todos"
	ann, told := (&place{t, srv.URL, hub}).join("ann", generation)
	if err := ann.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	todo := func() {
		if _, err := hub.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	subscribed(t, generation, told, uri, todo)
	away.Store(true)
	todo()
	<-asked
	await(t, told, uri)
	away.Store(false)
	subscribed(t, generation, told, uri, todo)
}

// A subscriber to an inbox without an owner gets no notification once another caller owns it.
func TestInboxesOfOthersAreNotToldOf(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		const inbox = "dragoman://p/inbox/a"
		eve, toEve := p.join("eve", generation)
		ann, toAnn := p.join("ann", generation)
		register(t, ann, "b")
		for _, c := range []*mcp.ClientSession{eve, ann} {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: inbox}); err != nil {
				t.Fatal(err)
			}
		}
		register(t, ann, "a")
		subscribed(t, generation, toAnn, inbox, func() {
			call(t, ann, "broadcast_message",
				map[string]any{"project_id": "p", "session_name": "b", "message_type": "info", "content": "hello"})
		})
		select {
		case uri := <-toEve:
			t.Errorf("eve was told of %s", uri)
		case <-time.After(300 * time.Millisecond):
		}
	})
}
