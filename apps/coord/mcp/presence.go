// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// maxPerLine is how many sessions of agents one connection can be the heartbeat of.
const maxPerLine = 100

// presence takes a connection for a heartbeat of the sessions of agents that came over it. Over stdio that is the
// session of MCP. Over HTTP it is the stream that a client keeps open, as a session of MCP outlives a client that was
// killed. Clients without sessions of MCP listen to an inbox.
type presence struct {
	hub *coord.Hub

	mu    sync.Mutex
	lines map[any]*line // by *sdk.ServerSession over stdio, by its id over HTTP
}

// A line is a connection and the sessions that came over it, by project and name, with the ends of their presence.
type line struct {
	open    int // streams
	watched bool
	agents  map[[2]string]func()
}

func (p *presence) line(key any) *line {
	l := p.lines[key]
	if l == nil {
		l = &line{agents: make(map[[2]string]func())}
		p.lines[key] = l
	}
	return l
}

// called binds the connection of a call to its session. Calls that only read do not bind. A session leaves a connection
// when it ends or comes by another one.
func (p *presence) called(req *sdk.CallToolRequest, project, session string, c coord.Command, result coord.Result) {
	agent := [2]string{project, session}
	if _, failed := result.(coord.Failure); failed || session == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch c := c.(type) {
	case coord.MyTodos, coord.CheckLock:
		return
	case coord.Check:
		if c.Peek {
			return
		}
	case coord.Unregister:
		p.unbind(agent)
		return
	case coord.Register:
		p.unbind(agent)
	}
	p.bind(req, agent)
}

// bind takes the connection of a call for a heartbeat of a session, with the lock held.
func (p *presence) bind(req *sdk.CallToolRequest, agent [2]string) {
	if req.Session == nil || req.ProtocolVersion() >= mcphttp.Stateless {
		return
	}
	key, overHTTP := any(req.Session), req.Extra != nil && req.Extra.Header != nil
	if overHTTP {
		key = req.Session.ID()
	}
	l := p.line(key)
	if !l.watched {
		l.watched = true
		if !overHTTP {
			l.open++
		}
		go p.remove(key, req.Session)
	}
	if _, known := l.agents[agent]; known || len(l.agents) >= maxPerLine {
		return
	}
	l.agents[agent] = nil
	if l.open > 0 {
		l.agents[agent] = p.hub.Connect(agent[0], agent[1])
	}
}

// unbind ends what all connections say of a session, with the lock held.
func (p *presence) unbind(agent [2]string) {
	for _, l := range p.lines {
		if leave := l.agents[agent]; leave != nil {
			leave()
		}
		delete(l.agents, agent)
	}
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

// remove waits for the end of a session of MCP.
func (p *presence) remove(key any, session *sdk.ServerSession) {
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
			l.agents[agent] = p.hub.Connect(agent[0], agent[1])
		}
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if l.open--; l.open > 0 {
			return
		}
		l.leave()
		if !l.watched && p.lines[id] == l {
			delete(p.lines, id)
		}
	}
}
