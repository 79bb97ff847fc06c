// SPDX-License-Identifier: Apache-2.0

// Package mcphttp serves an MCP server at one address to both kinds of MCP, that with sessions (2024-11-05 to
// 2025-11-25) and that without (2026-07-28).
package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stateless is the first revision of MCP without sessions.
const Stateless = "2026-07-28"

// sessionTimeout is how long a session is kept on which nothing comes.
const sessionTimeout = 30 * time.Minute

// Handler returns the handler of an MCP endpoint. Each kind of MCP has its own handler, because one for both would lack
// subscriptions or cancelling. When a client ends its session, the handler cancels its calls. It refuses requests from
// web pages of other origins. It allows at most 5,000 sessions, and 100 of unknown callers, and refuses callers beyond
// that. The session of an unknown caller ends within a minute if it does nothing. A request that begins a session
// counts from its arrival. If known is nil, all callers are known. The body of a POST must arrive within a minute.
// Errors of the server without a JSON-RPC code get one. A tool is silent if it reports no progress. The handler answers
// calls of silent tools without a session with one JSON text, which costs less than a stream of events. If silent is
// nil, no tool is silent.
func Handler(server *mcp.Server, known func(http.Header) bool, silent func(tool string) bool) http.Handler {
	return handler(server, newGate(server, known, defaultLimits), silent)
}

func handler(server *mcp.Server, g *gate, silent func(tool string) bool) http.Handler {
	running := &calls{of: make(map[string]map[*call]bool), posts: make(map[string]context.Context)}
	server.AddReceivingMiddleware(withCode, running.watch, g.watch)
	get := func(*http.Request) *mcp.Server { return server }
	with := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	without := mcp.NewStreamableHTTPHandler(get,
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	atOnce := mcp.NewStreamableHTTPHandler(get,
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, JSONResponse: true})
	return http.NewCrossOriginProtection().Handler(
		g.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del(carrierHeader)
			if r.Header.Get("Mcp-Protocol-Version") >= Stateless {
				if silent != nil && r.Header.Get("Mcp-Method") == "tools/call" && silent(r.Header.Get("Mcp-Name")) {
					atOnce.ServeHTTP(w, r) // which checks that the headers say what the body says
					return
				}
				without.ServeHTTP(w, r)
				return
			}
			switch r.Method {
			case http.MethodDelete:
				running.giveUp(r.Header.Get("Mcp-Session-Id"))
			case http.MethodPost:
				defer running.carry(r)()
			}
			with.ServeHTTP(w, r)
		})))
}

// withCode gives an error without a code that of an internal error: 0, which the SDK would send, is none.
func withCode(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err == nil {
			return result, nil
		}
		if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
		return nil, err
	}
}

// calls are the running calls of tools, by session. The SDK lets the end of a session wait for them, so that a client
// whose call waits for long could not leave, and what the call waits for would be kept for nobody.
type calls struct {
	mu    sync.Mutex
	of    map[string]map[*call]bool
	posts map[string]context.Context // those that run, by number
	last  int
}

type call struct{ cancel context.CancelFunc }

func (c *calls) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.CallToolRequest)
		if !ok || r.Session == nil || r.Session.ID() == "" {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer c.add(r.Session.ID(), &call{cancel})()
		return next(context.WithValue(ctx, carrierKey{}, c.carrier(r.Extra)), method, req)
	}
}

// add notes a call until done is called.
func (c *calls) add(session string, one *call) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[session] == nil {
		c.of[session] = make(map[*call]bool)
	}
	c.of[session][one] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.of[session], one); len(c.of[session]) == 0 {
			delete(c.of, session)
		}
	}
}

// giveUp cancels the calls of a session.
func (c *calls) giveUp(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.of[session] {
		one.cancel()
	}
}

// carrierHeader is the header, of requests inside this process only, with the number of the request that carries a
// call. The SDK gives tools the header of that request, but the context of the one that began the session.
const carrierHeader = "Dragoman-Carrier"

type carrierKey struct{}

// Carrier returns the context of the HTTP request that carries a call of a tool with a session of MCP. When it ends
// before the call does, the connection has ended, and nobody can be answered any more: there are no streams here that a
// client could resume. The SDK lets the call go on, as its client has not canceled it. The context never ends for calls
// that came in another way: those over HTTP without a session are canceled.
func Carrier(ctx context.Context) context.Context {
	if carrier, ok := ctx.Value(carrierKey{}).(context.Context); ok {
		return carrier
	}
	return context.Background()
}

// carry notes a request that may carry calls until done is called.
func (c *calls) carry(r *http.Request) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	number := strconv.Itoa(c.last)
	c.posts[number] = r.Context()
	r.Header.Set(carrierHeader, number)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.posts, number)
	}
}

// carrier returns the context of the request that a call came by.
func (c *calls) carrier(extra *mcp.RequestExtra) context.Context {
	number := ""
	if extra != nil {
		number = extra.Header.Get(carrierHeader)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	carrier := c.posts[number]
	switch {
	case number == "": // it did not come by the handler
		carrier = context.Background()
	case carrier == nil: // it was over before the call began
		over, cancel := context.WithCancel(context.Background())
		cancel()
		carrier = over
	}
	return carrier
}
