// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/coord"
	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// maxPerLine is how many sessions of agents one connection can be the sign of life of.
const maxPerLine = 100

// presence takes a connection for a sign of life of the sessions of agents that came over it. Over stdio that is the
// session of MCP. Over HTTP that would say nothing, as it outlives a client that was killed; there it is the stream that a
// client keeps open to be told things. Calls without a session of MCP come over no connection that lasts.
type presence struct {
	hub *coord.Hub

	mu    sync.Mutex
	lines map[any]*line // by *sdk.ServerSession over stdio, by its id over HTTP
}

// A line is a connection and the sessions that came over it, by project and name, with what ends their presence while it
// is open.
type line struct {
	open   int // streams
	agents map[[2]string]func()
}

// line returns the one of a key, with the lock held.
func (p *presence) line(key any) *line {
	l := p.lines[key]
	if l == nil {
		l = &line{agents: make(map[[2]string]func())}
		p.lines[key] = l
	}
	return l
}

// called notes that a session called.
func (p *presence) called(ctx context.Context, req *sdk.CallToolRequest, project, session string) {
	if session == "" || req.Session == nil || req.ProtocolVersion() >= mcphttp.Stateless {
		return
	}
	key, overHTTP := any(req.Session), req.Extra != nil && req.Extra.Header != nil
	if overHTTP {
		key = req.Session.ID()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.line(key)
	if len(l.agents) == 0 {
		if !overHTTP {
			l.open++
		}
		go p.forget(key, req.Session)
	}
	agent := [2]string{project, session}
	if _, known := l.agents[agent]; known || len(l.agents) >= maxPerLine {
		return
	}
	l.agents[agent] = nil
	if l.open > 0 {
		p.enter(ctx, l, agent)
	}
}

// enter begins the presence of a session, with the lock held.
func (p *presence) enter(ctx context.Context, l *line, agent [2]string) {
	l.agents[agent] = p.hub.Connect(agent[0], agent[1])
}

// leave ends the presence of all sessions of a line, with the lock held.
func (l *line) leave() {
	for agent, leave := range l.agents {
		if leave != nil {
			leave()
			l.agents[agent] = nil
		}
	}
}

// forget waits for the end of a session of MCP.
func (p *presence) forget(key any, session *sdk.ServerSession) {
	session.Wait() // why it ended is nothing to us
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[key].leave()
	delete(p.lines, key)
}

// stream notes that a client opened a stream over HTTP, until closed is called.
func (p *presence) stream(r *http.Request) (closed func()) {
	id := r.Header.Get("Mcp-Session-Id")
	if r.Method != http.MethodGet || id == "" {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.line(id)
	if l.open++; l.open == 1 {
		for agent := range l.agents {
			p.enter(r.Context(), l, agent)
		}
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.open--; l.open > 0 {
			return
		}
		l.leave()
		if len(l.agents) == 0 && p.lines[id] == l {
			delete(p.lines, id)
		}
	}
}
