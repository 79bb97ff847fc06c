// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// Snapshot returns the state as text, for [Project.Restore]. A broadcast is in it once, however many inboxes it is in.
func (p *Project) Snapshot() ([]byte, error) {
	s := *p.state
	s.Sessions, s.Broadcasts = newOrdered[*session](), make(map[int64]*Message)
	for name, of := range p.state.Sessions.all() {
		short := *of
		short.Inbox = make([]*Message, len(of.Inbox))
		for i, m := range of.Inbox {
			if short.Inbox[i] = m; m.Type == TypeBroadcast {
				s.Broadcasts[m.N], short.Inbox[i] = m, &Message{N: m.N}
			}
		}
		s.Sessions.set(name, &short)
	}
	return json.Marshal(&s, json.Deterministic(true))
}

// unfold puts the broadcasts of a snapshot back into the inboxes.
func (s *state) unfold() error {
	for name, of := range s.Sessions.all() {
		for i, m := range of.Inbox {
			if m.Type != "" {
				continue
			}
			if of.Inbox[i] = s.Broadcasts[m.N]; of.Inbox[i] == nil {
				return fmt.Errorf("read the snapshot: message %d of session %s is not in it", m.N, name)
			}
		}
	}
	s.Broadcasts = nil
	return nil
}

// Restore makes the state that of a snapshot, which may be empty, and of the events that came after it.
func (p *Project) Restore(snapshot []byte, events []Event) error {
	s := newState()
	if len(snapshot) > 0 {
		if err := json.Unmarshal(snapshot, s); err != nil {
			return fmt.Errorf("read the snapshot: %w", err)
		}
		if err := s.unfold(); err != nil {
			return err
		}
	}
	for i := range events {
		if events[i].Seq != s.Seq+1 {
			return fmt.Errorf("event %d follows event %d", events[i].Seq, s.Seq)
		}
		s.apply(&events[i])
	}
	s.dropped = nil // those who asked were told then
	p.state = s
	return nil
}

// restarted is what happens to those who waited, and to all who were there, when a coordinator ends.
type restarted struct{}

func (restarted) run(t *tx) Result {
	for _, q := range t.state.Queries.all() {
		if q.Awaited {
			t.unawait(q)
		}
	}
	for _, claim := range slices.Clone(t.state.Queue) {
		t.emit(Event{Kind: KindUnqueued, Session: claim.Session, ID: claim.ID,
			Text: "the coordinator was started again"})
	}
	for _, s := range t.state.Sessions.all() {
		if s.Agent != nil && !s.active() && !t.holds(s.Name) { // one that holds something has called since it died
			s.Seen = latest(s.Seen, s.EndedAt) // what the dead have left is not kept any longer for that
			continue
		}
		s.Seen = t.now
	}
	return nil
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
