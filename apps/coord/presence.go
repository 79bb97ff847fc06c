// SPDX-License-Identifier: Apache-2.0

package coord

import "time"

// Times of presence.
const (
	DefaultSessionTimeout   = 2 * time.Minute // without a heartbeat until an agent counts as dead
	DefaultSessionRetention = 24 * time.Hour  // how long the todos and messages of the dead are kept
)

// sweep notices what time alone does: leases whose time is up, agents that died, and what is kept no longer, such as
// queries that nobody answers.
type sweep struct {
	timeout, keep time.Duration
	present       func(session string) bool // has a connection, which is a heartbeat
}

// limit is for how long an agent may show no heartbeat.
func (c sweep) limit(a *Agent) time.Duration {
	return max(c.timeout, time.Duration(a.LeaseTTL)*time.Second)
}

func (sweep) who() (string, bool) { return "", false }

func (c sweep) run(t *tx) Result {
	t.expire()
	for id, q := range t.state.Queries.all() {
		if (!q.Awaited || q.Ref != "") && t.now.Sub(q.Time) >= c.keep {
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

// holds reports whether a session has leases, or waits for any.
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

// abandon lets go of everything that others wait for at a session: its leases, and the answers it owes. The caller
// hands on what is free.
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
