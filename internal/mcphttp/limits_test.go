// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An endpoint is one whose callers are known when they send a token. A tool refuses those without.
type endpoint struct {
	t       *testing.T
	server  *mcp.Server
	handler http.Handler
}

func newEndpoint(t *testing.T, l limits) *endpoint {
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	known := func(h http.Header) bool { return h.Get("Authorization") != "" }
	server.AddTool(&mcp.Tool{Name: "act", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: !known(req.Extra.Header)}, nil
		})
	return &endpoint{t, server, handler(server, newGate(server, known, l), nil)}
}

// post sends a message in a session, "" for none, with a token, if there is one.
func (e *endpoint) post(ctx context.Context, version, session, token, method,
	params string) *httptest.ResponseRecorder {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session,
		"Authorization":        token,
		"Mcp-Protocol-Version": version, "Mcp-Method": method,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	e.handler.ServeHTTP(w, r)
	return w
}

// begin begins a session, and returns its id or why there is none.
func (e *endpoint) begin(token string) (id string, w *httptest.ResponseRecorder) {
	w = e.post(e.t.Context(), "", "", token, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	return w.Header().Get("Mcp-Session-Id"), w
}

func (e *endpoint) mustBegin(token string) (id string) {
	e.t.Helper()
	id, w := e.begin(token)
	if w.Code != http.StatusOK || id == "" {
		e.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return id
}

// act calls the tool and returns the status of HTTP.
func (e *endpoint) act(session, token string) int {
	return e.post(e.t.Context(), "2025-11-25", session, token, "tools/call", `{"name":"act","arguments":{}}`).Code
}

func (e *endpoint) refused(w *httptest.ResponseRecorder, status int, why string) {
	e.t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), why) || w.Header().Get("Retry-After") == "" {
		e.t.Errorf("%d %v %s, want %d", w.Code, w.Header(), w.Body, status)
	}
}

// end ends all sessions, as no test may leave any.
func (e *endpoint) end() {
	for s := range e.server.Sessions() {
		s.Close()
	}
}

// Strangers have few sessions, which end when they do nothing, and are in nobody's way who is known.
func TestSessionsOfStrangersAreFewAndShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t, limits{sessions: 10, strangers: 2, trial: time.Minute})
		defer e.end()
		idle, refused := e.mustBegin(""), e.mustBegin("")
		if status := e.act(refused, ""); status != http.StatusOK {
			t.Errorf("a call that is refused: %d", status)
		}
		_, w := e.begin("")
		e.refused(w, http.StatusTooManyRequests, "2 callers without a token")
		known := e.mustBegin("ann")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for _, id := range []string{idle, refused} {
			if status := e.act(id, ""); status != http.StatusNotFound {
				t.Errorf("a stranger's session goes on: %d", status)
			}
		}
		if status := e.act(known, "ann"); status != http.StatusOK {
			t.Errorf("a session of somebody who is known: %d", status)
		}
		late := e.mustBegin("")
		e.act(late, "ann") // shows its token later
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if status := e.act(late, "ann"); status != http.StatusOK {
			t.Errorf("a session that has done something: %d", status)
		}
	})
}

// There is an end to sessions. One that has done nothing makes room for another, but not when it has just begun.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t, limits{sessions: 2, strangers: 2, trial: time.Minute})
		defer e.end()
		busy := e.mustBegin("ann")
		e.act(busy, "ann")
		idle := e.mustBegin("bob")
		_, w := e.begin("eve")
		e.refused(w, http.StatusServiceUnavailable, "2 sessions of MCP")
		time.Sleep(2 * time.Minute)
		e.mustBegin("eve")
		synctest.Wait()
		if status := e.act(idle, "bob"); status != http.StatusNotFound {
			t.Errorf("the idle session: %d", status)
		}
		if status := e.act(busy, "ann"); status != http.StatusOK {
			t.Errorf("the busy session: %d", status)
		}
	})
}

// Streams of those who come without a session are bounded as well.
func TestListenersAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t, limits{sessions: 2, strangers: 1, trial: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		listen := func(token string) (ended chan *httptest.ResponseRecorder) {
			ended = make(chan *httptest.ResponseRecorder, 1)
			go func() {
				ended <- e.post(ctx, Stateless, "", token, "subscriptions/listen", `{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
					"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},
					"io.modelcontextprotocol/clientCapabilities":{}}}`)
			}()
			synctest.Wait()
			return ended
		}
		for _, token := range []string{"", "ann", "bob"} {
			select {
			case w := <-listen(token):
				t.Fatalf("%q: %d %s", token, w.Code, w.Body)
			default:
			}
		}
		e.refused(<-listen(""), http.StatusTooManyRequests, "1 callers")
		e.refused(<-listen("eve"), http.StatusServiceUnavailable, "2 sessions")
	})
}

// Requests that would begin a session count before they have said all, so that they are in nobody's way either.
func TestRequestsThatBeginSessionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t, limits{sessions: 3, strangers: 1, trial: time.Minute})
		defer e.end()
		var bodies []*io.PipeWriter
		slow := func(token string) (ended chan *httptest.ResponseRecorder) {
			body, rest := io.Pipe()
			bodies = append(bodies, rest)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", body)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", token)
			ended = make(chan *httptest.ResponseRecorder, 1)
			go func() {
				w := httptest.NewRecorder()
				e.handler.ServeHTTP(w, r)
				ended <- w
			}()
			synctest.Wait()
			return ended
		}
		waits := func(ended chan *httptest.ResponseRecorder) {
			t.Helper()
			select {
			case w := <-ended:
				t.Errorf("%d %s", w.Code, w.Body)
			default:
			}
		}
		refused := func(ended chan *httptest.ResponseRecorder, status int, why string) {
			t.Helper()
			select {
			case w := <-ended:
				e.refused(w, status, why)
			default:
				t.Error("is let in")
			}
		}
		waits(slow(""))
		for range 3 {
			refused(slow(""), http.StatusTooManyRequests, "1 callers")
		}
		e.mustBegin("ann")
		waits(slow("bob"))
		refused(slow("eve"), http.StatusServiceUnavailable, "3 sessions")
		for _, rest := range bodies {
			rest.Close()
		}
		synctest.Wait()
		e.mustBegin("")
		e.mustBegin("eve")
	})
}

// The body of a POST must arrive in a limited time. Its answer has no time limit.
func TestBodiesAreNotAwaitedForEver(t *testing.T) {
	t.Parallel()
	const patience = 200 * time.Millisecond
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			select {
			case <-ctx.Done():
			case <-Carrier(ctx).Done():
			case <-time.After(3 * patience):
				return &mcp.CallToolResult{}, nil
			}
			return nil, context.Canceled
		})
	h := handler(server, newGate(server, nil, limits{sessions: 10, strangers: 10, trial: time.Minute, body: patience}),
		nil)
	for _, version := range []string{"2025-11-25", Stateless} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %t", version, http2), func(t *testing.T) {
				t.Parallel()
				srv := httptest.NewUnstartedServer(h)
				srv.EnableHTTP2 = http2
				srv.StartTLS()
				defer srv.Close()
				defer srv.CloseClientConnections()
				slowBody(t, srv, version)
				slowAnswer(t, srv, version)
			})
		}
	}
}

// slowBody posts a body that does not end.
func slowBody(t *testing.T, srv *httptest.Server, version string) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	body, rest := io.Pipe()
	defer context.AfterFunc(ctx, func() { rest.Close() })() // because the transport waits for its reader
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", version)
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Error(resp.Status)
	}
}

// slowAnswer calls the tool that waits.
func slowAnswer(t *testing.T, srv *httptest.Server, version string) {
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: srv.Client(), MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"}); err != nil {
		t.Error(err)
	}
}
