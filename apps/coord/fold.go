// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"slices"
)

// apply folds an event into the state. It decides nothing: what an event does follows from the event alone.
func (s *state) apply(e *Event) {
	begins := cmp.Or(e.Stamp, e.Time.UnixNano()) // no id that the session makes is older
	s.Seq, s.Stamp = e.Seq, max(s.Stamp, e.Stamp)
	if e.Kind == KindJoined {
		s.join(e, begins)
		return
	}
	if e.Session != "" {
		at := s.at(e.Session, e) // whoever does something is there, and can die
		if e.Binds {
			at.bind(e.By, begins)
		}
	}
	switch e.Kind {
	case KindConfigured:
		s.Settings = *e.Settings
		s.Settings.between = nil // they may have been of other roots
		s.index = nil            // paths may be compared in another way
	case KindResumed, KindLeft, KindDied, KindDeleted, KindCompleted:
		s.applyAgent(e)
	case KindTodoAdded, KindTodoUpdated:
		s.applyTodo(e)
	case KindBroadcast:
		for _, name := range e.To {
			s.deliver(name, *e.Message, e)
		}
	case KindRead:
		to := s.at(e.Session, e)
		to.Inbox = slices.DeleteFunc(to.Inbox, func(m *Message) bool { return m.N <= e.Upto })
		to.Dropped = 0 // the reader was told
	case KindAsked, KindAnswered, KindUnawaited, KindWithdrawn, KindFailed:
		s.applyQuery(e)
	case KindQueued, KindUnqueued, KindLocked, KindRenewed, KindReleased, KindExpired:
		s.applyLease(e)
	case KindDefined:
		s.Interfaces.set(e.Interface.Name, e.Interface)
	}
}

// at returns a session that an event is about or is sent to. It begins with its first event.
func (s *state) at(name string, e *Event) *session {
	at := s.Sessions.get(name)
	if at == nil {
		at = &session{Name: name, Seen: e.Time}
		s.Sessions.set(name, at)
	}
	return at
}

// bind makes a session a principal's, whose ids of queries begin with a stamp.
func (at *session) bind(principal string, begins int64) {
	if principal != "" || at.Bound && at.Principal != "" { // else callers are not told apart
		at.Since = begins
	}
	at.Principal, at.Bound = principal, true
}

// join makes a session that of an agent, at the end of the list, with an empty one of todos.
func (s *state) join(e *Event, begins int64) {
	fresh := &session{Name: e.Session, Agent: e.Agent, Seen: e.Time}
	old := s.at(e.Session, e)
	if old.Agent == nil || old.Agent.Principal == e.Agent.Principal {
		fresh.Inbox, fresh.Dropped = old.Inbox, old.Dropped // else they are somebody else's
	}
	fresh.Principal, fresh.Bound, fresh.Since = old.Principal, old.Bound, old.Since
	if !old.Bound || old.Principal != e.Agent.Principal {
		fresh.bind(e.Agent.Principal, begins)
	}
	s.Sessions.delete(e.Session)
	s.Sessions.set(e.Session, fresh)
}

func (s *state) applyAgent(e *Event) {
	switch e.Kind {
	case KindResumed:
		at := s.at(e.Session, e)
		at.Agent, at.Seen = e.Agent, e.Time
	case KindLeft, KindDeleted:
		s.Sessions.delete(e.Session)
	case KindDied:
		if at := s.Sessions.get(e.Session); at != nil && at.Agent != nil {
			dead := *at.Agent
			dead.Status = StatusDead
			at.Agent, at.EndedAt = &dead, e.Time
		}
	case KindCompleted:
		if !slices.Contains(s.Completed, e.ID) {
			s.Completed = append(s.Completed, e.ID)
			s.Completed = s.Completed[max(0, len(s.Completed)-maxCompleted):]
		}
		if at := s.Sessions.get(e.Session); at != nil && at.active() {
			done := *at.Agent
			done.Status = StatusCompleted
			at.Agent = &done
		}
	}
}

func (s *state) applyTodo(e *Event) {
	at := s.at(e.Session, e)
	i := slices.IndexFunc(at.Todos, func(t *Todo) bool { return t.ID == e.Todo.ID })
	if i < 0 {
		at.Todos = append(at.Todos, e.Todo)
		return
	}
	at.Todos[i] = e.Todo
}

// deliver puts a message into an inbox. Broadcasts make room for it, the oldest first.
func (s *state) deliver(name string, m Message, e *Event) {
	to := s.at(name, e)
	if len(to.Inbox) >= maxInbox {
		i := max(0, slices.IndexFunc(to.Inbox, func(m *Message) bool { return m.Type == TypeBroadcast }))
		if to.Inbox[i].Type == TypeQuery {
			s.dropped = append(s.dropped, to.Inbox[i].ID)
		}
		to.Inbox = slices.Delete(to.Inbox, i, i+1)
		to.Dropped++
	}
	m.N = e.Seq
	to.Inbox = append(to.Inbox, &m)
}

func (s *state) applyQuery(e *Event) {
	if e.Kind == KindAsked {
		q := e.Query
		s.Queries.set(q.ID, q)
		s.deliver(q.To, Message{ID: q.ID, From: q.From, Type: TypeQuery, Subtype: q.Type, Text: q.Text, Time: q.Time},
			e)
		return
	}
	q := s.Queries.get(e.ID)
	switch e.Kind {
	case KindAnswered: // also of a query that is not known
		s.Queries.delete(e.ID)
		if q == nil || !q.Awaited {
			s.deliver(e.To[0], *e.Message, e)
		}
	case KindUnawaited:
		if e.Message != nil {
			s.deliver(e.To[0], *e.Message, e)
		}
		if q != nil {
			late := *q
			late.Awaited = false
			s.Queries.set(e.ID, &late)
		}
	case KindFailed:
		s.Queries.delete(e.ID)
		if q != nil && !q.Awaited && e.Message != nil {
			s.deliver(q.From, *e.Message, e)
		}
	case KindWithdrawn:
		s.Queries.delete(e.ID)
		if to := s.Sessions.get(e.Session); to != nil {
			to.Inbox = slices.DeleteFunc(to.Inbox, func(m *Message) bool { return m.Type == TypeQuery && m.ID == e.ID })
		}
	}
}

func (s *state) applyLease(e *Event) {
	switch e.Kind {
	case KindQueued:
		claim := *e.Claim
		if s.index != nil {
			claim.blockers = s.countBlockers(&claim, len(s.Queue))
		}
		s.Queue = append(s.Queue, &claim)
	case KindUnqueued:
		s.unqueue(e.ID)
	case KindLocked:
		s.take(e.Lease.ID) // what was behind the claim is behind the lease
		s.setLease(e.Lease)
		s.Token = e.Lease.Token
		s.note(e, e.Lease.Paths)
	case KindRenewed:
		s.renew(e)
	case KindReleased, KindExpired:
		lease := s.Leases.get(e.ID)
		if lease == nil {
			return
		}
		s.deleteLease(lease)
		s.outOfTheWay(&lease.Claim, s.Queue)
		state := ChangeLapsed
		if e.Kind == KindReleased && e.Text == "" {
			state = ChangeReleased
		}
		s.settle(e.ID, lease.Paths, state)
	}
}

// renew replaces a lease, which may have lost paths, or have become its holder's own instead of a hook's.
func (s *state) renew(e *Event) {
	old := s.Leases.get(e.Lease.ID)
	s.setLease(e.Lease)
	if old == nil {
		return
	}
	if len(e.Lease.Paths) < len(old.Paths) {
		for _, claim := range s.Queue {
			if s.conflictsWith(claim, &old.Claim) && !s.conflictsWith(claim, &e.Lease.Claim) {
				claim.blockers--
			}
		}
		gone := slices.DeleteFunc(slices.Clone(old.Paths),
			func(p string) bool { return slices.Contains(e.Lease.Paths, p) })
		s.settle(e.Lease.ID, gone, ChangeReleased)
	}
	if old.Auto && !e.Lease.Auto {
		s.note(e, e.Lease.Paths)
	}
}

// note adds the changes that a lease announces. A shared lease announces none.
func (s *state) note(e *Event, paths []string) {
	if e.Lease.Mode == ModeShared {
		return
	}
	for _, path := range paths {
		s.Changes = append(s.Changes, Change{
			Session: e.Session, FilePath: path, ChangeType: e.Lease.ChangeType, Description: e.Lease.Description,
			Time: e.Time, Lease: e.Lease.ID,
		})
	}
	s.Changes = s.Changes[max(0, len(s.Changes)-maxChanges):]
}

// settle says of changes that were announced what became of their lease.
func (s *state) settle(lease string, paths []string, state string) {
	for i := range s.Changes {
		if c := &s.Changes[i]; c.Lease == lease && c.State == "" && slices.Contains(paths, c.FilePath) {
			c.State = state
		}
	}
}

// take takes a claim out of the queue and returns it with those that came after it; nil if it is not there.
func (s *state) take(id string) (*Claim, []*Claim) {
	i := slices.IndexFunc(s.Queue, func(c *Claim) bool { return c.ID == id })
	if i < 0 {
		return nil, nil
	}
	claim := s.Queue[i]
	s.Queue = slices.Delete(s.Queue, i, i+1)
	return claim, s.Queue[i:]
}

func (s *state) unqueue(id string) {
	if claim, behind := s.take(id); claim != nil {
		s.outOfTheWay(claim, behind)
	}
}
