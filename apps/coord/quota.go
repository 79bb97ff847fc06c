// SPDX-License-Identifier: Apache-2.0

package coord

import "fmt"

// Limits of what one session may keep in a project, so that none fills it.
const (
	maxShare      = maxState / 4  // bytes, of one that is registered
	maxGuestShare = maxState / 32 // bytes, of one that is not
	maxGuests     = maxState / 8  // bytes, of all together that never registered
	maxUncounted  = 1 << 10       // bytes of what is so short that it is bounded by its number
	perText       = 200           // bytes that are kept around a text
)

// overQuota says that a session would keep more than its share with more texts, or all that never registered more than
// theirs. Of an agent what is short is not looked at: there is a limit of how many such texts there are, and looking
// costs more.
func (t *tx) overQuota(name string, texts ...string) *Failure {
	more := 0
	for _, text := range texts {
		more += textSize(text)
	}
	return first(t.overOwn(name, more), t.overGuests(name, more))
}

// overOwn says that a session would keep more than its own share with more bytes.
func (t *tx) overOwn(name string, more int) *Failure {
	if more <= maxUncounted {
		return nil
	}
	share := maxGuestShare
	if t.Registered(name) {
		share = maxShare
	}
	if t.keeps(name)+more <= share {
		return nil
	}
	return &Failure{Status: "error", Code: CodeLimit, Error: fmt.Sprintf(
		"%s keeps %d KiB in this project, which is its share: finish to-dos and start afresh with register_agent and "+
			"another task, release locks, shorten definitions", name, share>>10)}
}

// keeps returns how many bytes of texts a session keeps in the project, about.
func (t *tx) keeps(name string) int {
	size, broadcasts := 0, 0
	for _, todo := range t.session(name).Todos {
		size += textSize(todo.Text)
	}
	for _, def := range t.state.Interfaces.all() {
		if def.RegisteredBy == name {
			size += textSize(def.Definition)
		}
	}
	for _, of := range t.state.Sessions.all() {
		here := 0
		for _, m := range of.Inbox {
			switch {
			case m.From != name:
			case m.Type == TypeBroadcast:
				here += textSize(m.Text)
			default:
				size += textSize(m.Text)
			}
		}
		broadcasts = max(broadcasts, here) // those in one inbox are those in the others
	}
	for _, lease := range t.state.index.of(name) {
		size += lease.size()
	}
	for _, claim := range t.state.Queue {
		if claim.Session == name {
			size += claim.size()
		}
	}
	return size + broadcasts
}

// guests is how much all sessions keep together that never registered.
type guests struct {
	size    int   // bytes at most: what they have added since they were counted, and nothing of what has gone
	counted bool  // the size is right
	at      int64 // the event after which the size is exact; -1 when something was added since
}

// overGuests says that those who never registered would keep more than they may together, as any name will do for one
// of them. What the dead have left is not counted, nor is it refused to them to go on: agents that die together are no
// reason to refuse newcomers for the day that it is kept, and each has had a share of its own. People and agents of A2A
// are none of them: their names are given to them.
func (t *tx) overGuests(name string, more int) *Failure {
	if !t.isUnregistered(name) {
		return nil
	}
	g := &t.guests
	more += perText
	if !g.counted || g.size+more > maxGuests && g.at != t.state.Seq {
		*g = guests{size: t.guestsKeep(), counted: true, at: t.state.Seq}
	}
	if g.size+more > maxGuests {
		return &Failure{Status: "error", Code: CodeLimit, Error: fmt.Sprintf(
			"unregistered sessions together hold %d KiB in this project, which is the limit: call register_agent "+
				"first. "+
				"Registering frees the locks and to-dos of %s and keeps the rest", maxGuests>>10, name)}
	}
	g.size += more
	g.at = -1
	return nil
}

// guestsKeep returns how many bytes the sessions keep that never registered, about.
func (t *tx) guestsKeep() int {
	size := 0
	add := func(n int) { size += n + perText }
	broadcasts := map[int64]bool{}
	for _, of := range t.state.Sessions.all() {
		if t.isUnregistered(of.Name) {
			for _, todo := range of.Todos {
				add(textSize(todo.Text))
			}
		}
		for _, m := range of.Inbox {
			if !t.fromUnregistered(m) || broadcasts[m.N] {
				continue
			}
			broadcasts[m.N] = m.Type == TypeBroadcast // which is kept once
			add(textSize(m.Text))
		}
	}
	for _, q := range t.state.Queries.all() {
		if t.isUnregistered(q.From) {
			add(textSize(q.Text))
		}
	}
	for _, def := range t.state.Interfaces.all() {
		// those of who has left have a limit of their own
		if t.state.Sessions.get(def.RegisteredBy) != nil && t.isUnregistered(def.RegisteredBy) {
			add(textSize(def.Definition))
		}
	}
	for _, lease := range t.state.Leases.all() {
		if t.isUnregistered(lease.Session) {
			add(lease.size())
		}
	}
	for _, claim := range t.state.Queue {
		if t.isUnregistered(claim.Session) {
			add(claim.size())
		}
	}
	return size
}

// isUnregistered reports whether a session, which need not be there yet, has not registered and is none of the dead.
func (t *tx) isUnregistered(name string) bool {
	s := t.state.Sessions.get(name)
	return (s == nil || s.Agent == nil) && !isExternal(name)
}

// fromUnregistered reports whether a message is from a session that never registered. That may be deleted, as it left
// nothing but messages that others have not read; the messages of an agent that has left are no guest's.
func (t *tx) fromUnregistered(m *Message) bool {
	return t.isUnregistered(m.From) && (m.Guest || t.state.Sessions.get(m.From) != nil)
}

// size returns how many bytes of texts a claim has.
func (c *Claim) size() int {
	n := textSize(c.Description)
	for _, p := range c.Paths {
		n += textSize(p)
	}
	return n
}

// textSize returns how many bytes a text has where it is kept, about.
func textSize(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}
