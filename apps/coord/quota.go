// SPDX-License-Identifier: Apache-2.0

package coord

import "fmt"

// Limits of what one session may keep in a project, so that none fills it.
const (
	maxShare      = maxState / 4  // bytes, of one that is registered
	maxGuestShare = maxState / 32 // bytes, of one that is not
	maxUncounted  = 1 << 10       // bytes of what is so short that it is bounded by its number
)

// overQuota refuses texts with which a session would keep more than its share. It does not look at short texts: their
// number is bounded, and looking costs more.
func (t *tx) overQuota(name string, texts ...string) *Failure {
	more := 0
	for _, text := range texts {
		more += textSize(text)
	}
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

func (t *tx) isUnregistered(name string) bool {
	s := t.state.Sessions.get(name)
	return (s == nil || s.Agent == nil) && !isExternal(name)
}

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
