// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// Snapshot returns the state as text, for [Project.Restore].
func (p *Project) Snapshot() ([]byte, error) { return json.Marshal(p.state) }

// Restore makes the state that of a snapshot, which may be empty, and of the events that came after it.
func (p *Project) Restore(snapshot []byte, events []Event) error {
	s := newState()
	if len(snapshot) > 0 {
		if err := json.Unmarshal(snapshot, s); err != nil {
			return fmt.Errorf("read the snapshot: %w", err)
		}
	}
	for i := range events {
		if events[i].Seq != s.Seq+1 {
			return fmt.Errorf("event %d follows event %d", events[i].Seq, s.Seq)
		}
		s.apply(&events[i])
	}
	p.state = s
	return nil
}

// restarted is what happens to those who waited, and to all who were there, when a coordinator ends.
type restarted struct{}

func (restarted) who() (string, bool) { return "", false }

func (restarted) run(t *turn) Result {
	for id, q := range t.state.Queries.all() {
		if q.Awaited {
			t.emit(Event{Kind: KindUnawaited, Session: q.From, ID: id})
		}
	}
	for _, claim := range slices.Clone(t.state.Queue) {
		t.emit(Event{Kind: KindUnqueued, Session: claim.Session, ID: claim.ID, Text: "the coordinator was started again"})
	}
	for _, s := range t.state.Sessions.all() {
		if s.Agent != nil && !s.active() {
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

func sorted(names map[string]bool) []string { return slices.Sorted(maps.Keys(names)) }
