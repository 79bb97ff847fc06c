// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"sync"
	"time"
)

// Times of presence.
const (
	DefaultSessionTimeout   = 2 * time.Minute // without a heartbeat until an agent counts as dead
	DefaultSessionRetention = 24 * time.Hour  // how long the todos and messages of the dead are kept
)

// presences are the connections of sessions, each of which is a heartbeat.
type presences struct {
	mu          sync.Mutex
	connections map[[2]string]int // by project and session
	listeners   map[[3]string]int // by project, session and principal
}

func newPresences() presences {
	return presences{connections: make(map[[2]string]int), listeners: make(map[[3]string]int)}
}

func count[K comparable](mu *sync.Mutex, all map[K]int, at K) (leave func()) {
	mu.Lock()
	defer mu.Unlock()
	all[at]++
	return sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		if all[at]--; all[at] == 0 {
			delete(all, at)
		}
	})
}

// has reports whether a session has a connection, or its principal listens for it.
func (p *presences) has(project, name string, s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connections[[2]string{project, name}] > 0 ||
		s != nil && s.Bound && p.listeners[[3]string{project, name, s.Principal}] > 0
}

// sweep does what time alone does: it ends leases and queries whose time is up, and notices agents that died.
type sweep struct {
	timeout, keep time.Duration
	present       func(session string) bool // has a connection, which is a heartbeat
}

// limit returns for how long an agent may show no heartbeat.
func (c sweep) limit(a *Agent) time.Duration {
	return max(c.timeout, time.Duration(a.LeaseTTL)*time.Second)
}

func (c sweep) run(t *tx) Result {
	t.expire()
	for id, q := range t.state.Queries.all() {
		if !q.Awaited && t.now.Sub(q.Time) >= c.keep {
			t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: id,
				Text: "it was not answered for " + c.keep.String()})
		}
	}
	freed := false
	var busy map[string]bool // as long as it is right
	isBusy := func(name string) bool {
		if busy == nil {
			busy = t.busy()
		}
		return busy[name]
	}
	abandon := func(name string) {
		t.abandon(name, "it has died")
		freed, busy = true, nil
	}
	for name, s := range t.state.Sessions.all() {
		if c.present(name) {
			s.Seen = t.now
		}
		silent := t.now.Sub(s.Seen)
		switch {
		case s.active() && silent >= c.limit(s.Agent):
			abandon(name)
			t.emit(Event{Kind: KindDied, Session: name,
				Text: "it showed no sign of life for " + c.limit(s.Agent).String()})
		case !s.active() && silent >= c.keep:
			abandon(name)
			t.emit(Event{Kind: KindDeleted, Session: name})
		case s.active() || silent < c.timeout:
		case t.holds(name): // it never registered, or came back from the dead without doing so
			abandon(name)
		case s.Agent == nil && s.empty() && !isBusy(name):
			t.emit(Event{Kind: KindDeleted, Session: name})
		}
	}
	if freed {
		t.grantQueued()
	}
	return nil
}

func (t *tx) holds(name string) bool {
	for range t.state.index.of(name) {
		return true
	}
	for _, claim := range t.state.Queue {
		if claim.Session == name {
			return true
		}
	}
	return false
}

// abandon frees the leases of a session and ends the queries from and to it. The caller grants what is free.
func (t *tx) abandon(name, why string) {
	t.freeLeases(name, why)
	for id, q := range t.state.Queries.all() {
		switch name {
		case q.To:
			t.emit(Event{Kind: KindFailed, Session: q.From, ID: id, Text: "Agent " + name + " will not answer: " + why})
		case q.From:
			t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: id, Text: why})
		}
	}
}
