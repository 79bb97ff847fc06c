// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strings"
	"time"
)

// Free takes a lease from its holder, or a claim out of the queue, for a person.
type Free struct{ ID, Person string }

// Freed is the result of [Free].
type Freed struct {
	Status  string   `json:"status"` // freed
	Session string   `json:"session"`
	Paths   []string `json:"paths"`
}

func (c Free) run(t *tx) Result {
	if f := badID("lock_id", c.ID); f != nil {
		return f
	}
	t.expire()
	why := c.Person + " freed it"
	if lease := t.state.Leases.get(c.ID); lease != nil {
		t.emit(Event{Kind: KindReleased, Session: lease.Session, ID: c.ID, Text: why})
		return c.freed(t, &lease.Claim, "%s took your lock of %s away: change it no more before you have it again")
	}
	for _, claim := range t.state.Queue {
		if claim.ID == c.ID {
			t.emit(Event{Kind: KindUnqueued, Session: claim.Session, ID: claim.ID, Text: why})
			return c.freed(t, claim, "%s ended your wait for the lock of %s")
		}
	}
	return Failure{Status: "not_found", Error: fmt.Sprintf("There is no lock %s in project %s; it may have been "+
		"released", c.ID, t.Project.id)}
}

func (c Free) freed(t *tx, claim *Claim, text string) Result {
	paths := strings.Join(claim.Paths, ", ")
	t.tell(claim.Session, c.Person, fmt.Sprintf(text, c.Person, paths))
	t.grantQueued()
	return Freed{Status: "freed", Session: claim.Session, Paths: claim.Paths}
}

func (t *tx) tell(session, person, text string) { t.warn(session, person, text, person) }

// warn puts a warning into the inbox of a session, by an event of the session that is the cause.
func (t *tx) warn(session, from, text, cause string) {
	m := &Message{ID: t.id(from), From: from, Type: TypeBroadcast, Subtype: "warning", Text: text, Time: t.now}
	t.emit(Event{Kind: KindBroadcast, Session: cause, To: []string{session}, Message: m})
}

// Retire ends an agent as death does, for a person. It deletes a session that never registered or has been dead for a
// minute: no earlier, as a double click must not delete what the first click keeps.
type Retire struct{ Session, Person string }

// Retired is the result of [Retire].
type Retired struct {
	Status  string `json:"status"` // retired
	Session string `json:"session"`
}

func (c Retire) run(t *tx) Result {
	if !t.Registered(c.Session) {
		return c.remove(t)
	}
	t.abandon(c.Session, c.Person+" has retired it")
	t.emit(Event{Kind: KindDied, Session: c.Session, Text: c.Person + " has retired it"})
	t.tell(c.Session, c.Person, c.Person+" has retired you: your locks are free. If you go on, register again first")
	t.grantQueued()
	return Retired{Status: "retired", Session: c.Session}
}

// remove ends a session that is no living agent.
func (c Retire) remove(t *tx) Result {
	if s := t.state.Sessions.get(c.Session); s == nil || s.Agent != nil && t.now.Sub(s.EndedAt) < time.Minute {
		return t.noAgent(c.Session)
	}
	why := c.Person + " has ended it"
	t.abandon(c.Session, why)
	t.emit(Event{Kind: KindDeleted, Session: c.Session, Text: why})
	t.grantQueued()
	return Retired{Status: "retired", Session: c.Session}
}
