// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// limits bound what callers make an endpoint keep, as everybody may begin a session, also who may do nothing else.
type limits struct {
	sessions  int // at once, and as many requests without a session
	strangers int // sessions of unknown callers, and as many of their requests without a session
	// how long an unknown caller's session lives without doing anything; a known caller's lives at least as long
	trial time.Duration
	body  time.Duration // how long the body of a POST may take to arrive
}

var defaultLimits = limits{sessions: 5000, strangers: 100, trial: time.Minute, body: time.Minute}

// A gate admits callers within the limits.
type gate struct {
	limits
	server *mcp.Server
	known  func(http.Header) bool // nil when all are

	mu        sync.Mutex
	idle      map[*mcp.ServerSession]idle // those that have never done anything they needed to be authorized for
	requests  map[bool]int                // without a session, that run, of callers who are known or not
	beginning map[bool]int                // the same of requests that begin a session
}

type idle struct {
	since    time.Time
	stranger bool
}

func newGate(server *mcp.Server, known func(http.Header) bool, l limits) *gate {
	return &gate{
		limits: l, server: server, known: known,
		idle: make(map[*mcp.ServerSession]idle), requests: make(map[bool]int), beginning: make(map[bool]int),
	}
}

// guard has a handler answer those for whom there is room.
func (g *gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			g.hurry(w, r)
		}
		stranger := func() bool { return g.known != nil && !g.known(r.Header) }
		switch {
		case r.Header.Get("Mcp-Protocol-Version") >= Stateless:
			done, why := g.enter(!stranger())
			defer done()
			if why != nil {
				why.answer(w)
				return
			}
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "":
			done, why := g.begin(!stranger())
			defer done()
			if why != nil {
				why.answer(w)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// hurry limits how long the body of a request may take to arrive. The limit also covers a body that no handler reads,
// because net/http reads the rest of it. The limit ends with the body, so that answers may wait and stream for longer.
func (g *gate) hurry(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// a connection without read deadlines loses nothing
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.body))
	}
}

// full is the answer to a refused caller.
type full struct {
	status int
	text   string
}

func (f *full) answer(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "60")
	http.Error(w, f.text, f.status)
}

func (g *gate) tooMany(stranger bool) *full {
	if stranger {
		return &full{http.StatusTooManyRequests,
			fmt.Sprintf("there are %d callers without a token that is known here, which is the limit: send one as "+
				"Authorization: Bearer TOKEN", g.strangers)}
	}
	return &full{http.StatusServiceUnavailable,
		fmt.Sprintf("there are %d sessions of MCP, which is the limit: end those that nobody uses, or try again later",
			g.sessions)}
}

// enter counts a request without a session until done is called.
func (g *gate) enter(known bool) (done func(), why *full) {
	g.mu.Lock()
	defer g.mu.Unlock()
	limit := g.strangers
	if known {
		limit = g.sessions
	}
	if g.requests[known] >= limit {
		return func() {}, g.tooMany(!known)
	}
	return g.count(g.requests, known), nil
}

// count counts a request until done is called. The caller holds g.mu.
func (g *gate) count(in map[bool]int, known bool) (done func()) {
	in[known]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		in[known]--
	}
}

// begin counts a request that begins a session until done is called, or says why there is no room for another one. When
// there are as many as there may be, the oldest makes room of those that have done nothing for some time.
func (g *gate) begin(known bool) (done func(), why *full) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if why := g.makeRoom(known); why != nil {
		return func() {}, why
	}
	return g.count(g.beginning, known), nil
}

func (g *gate) makeRoom(known bool) *full {
	live := make(map[*mcp.ServerSession]bool)
	for s := range g.server.Sessions() {
		if s.InitializeParams() != nil { // else its request is counted
			live[s] = true
		}
	}
	strangers := g.beginning[false]
	var oldest *mcp.ServerSession
	for s, i := range g.idle {
		if !live[s] {
			delete(g.idle, s)
			continue
		}
		if i.stranger {
			strangers++
		}
		if time.Since(i.since) >= g.trial && (oldest == nil || i.since.Before(g.idle[oldest].since)) {
			oldest = s
		}
	}
	switch {
	case !known && strangers >= g.strangers:
		return g.tooMany(true)
	case len(live)+g.beginning[false]+g.beginning[true] < g.sessions:
		return nil
	case oldest == nil:
		return g.tooMany(false)
	}
	delete(g.idle, oldest)
	go oldest.Close() // how it ended is nothing to us
	return nil
}

// watch notes which sessions begin, and which have done something.
func (g *gate) watch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || session == nil || session.ID() == "" {
			return next(ctx, method, req)
		}
		result, err := next(ctx, method, req)
		switch {
		case err != nil:
		case method == "initialize":
			g.began(session, req.GetExtra())
		case acts(method, result):
			g.mu.Lock()
			delete(g.idle, session)
			g.mu.Unlock()
		}
		return result, err
	}
}

// acts reports whether a call that was answered is one that a caller needs to be authorized for.
func acts(method string, result mcp.Result) bool {
	switch method {
	case "tools/call":
		r, ok := result.(*mcp.CallToolResult)
		return ok && !r.IsError
	case "resources/read", "resources/subscribe", "prompts/get":
		return true
	}
	return false
}

// began notes a session, and ends that of a stranger if it does nothing.
func (g *gate) began(session *mcp.ServerSession, extra *mcp.RequestExtra) {
	stranger := g.known != nil && (extra == nil || !g.known(extra.Header))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle[session] = idle{time.Now(), stranger}
	if !stranger {
		return
	}
	time.AfterFunc(g.trial, func() {
		g.mu.Lock()
		_, still := g.idle[session]
		delete(g.idle, session)
		g.mu.Unlock()
		if still {
			session.Close() // how it ended is nothing to us
		}
	})
}
