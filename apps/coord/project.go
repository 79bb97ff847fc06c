// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Project is the state of one project and its rules, without I/O and clock. It is not safe for concurrent use.
type Project struct {
	id    string
	state *state
}

// NewProject returns a project in which nothing has happened.
func NewProject(id string) *Project { return &Project{id: id, state: newState()} }

// A Command is something to do in a project.
type Command interface{ run(t *tx) Result }

type sessionCommand interface {
	Command
	session() string
}

// A Result is what a command answers, in JSON as the API reference of A2AMCP has it.
type Result any

// A Failure is the result of a command that could not be done. Its text is for the caller.
type Failure struct {
	Status string `json:"status"` // error, not_found, not_locked, ...
	Error  string `json:"error"`
	Code   string `json:"code,omitzero"` // of errors that a program may want to tell apart
}

// Codes of failures.
const (
	CodeInvalid      = "invalid"       // an argument is wrong
	CodeLimit        = "limit"         // there is no room for more
	CodeForbidden    = "forbidden"     // the session is somebody else's
	CodeStale        = "stale_token"   // the lease was lost meanwhile
	CodeUnregistered = "unregistered"  // the project serves registered sessions only
	CodeShutdown     = "shutting_down" // the coordinator ends
	CodeInUse        = "in_use"        // agents are at work in the project
)

func invalid(format string, args ...any) *Failure {
	return &Failure{Status: "error", Error: fmt.Sprintf(format, args...), Code: CodeInvalid}
}

func tooMany(what string, limit int) *Failure {
	return &Failure{Status: "error", Error: fmt.Sprintf("there are %d %s, which is the limit", limit, what),
		Code: CodeLimit}
}

func (p *Project) noAgent(name string) *Failure {
	return &Failure{Status: "not_found", Error: fmt.Sprintf("Agent %s not found in project %s", name, p.id)}
}

// A tx is one command while it runs. An event that it emits has happened at once.
type tx struct {
	*Project
	now    time.Time
	by     string // principal of the caller
	actor  string // session of the caller; "" when it is none
	stamp  int64  // of the last id that the command made; 0 when it made none
	events []Event
}

// Do runs a command at a time, for a principal, which is "" where callers are not told apart. It returns the answer and
// the events, which are part of the state already.
func (p *Project) Do(now time.Time, principal string, c Command) (Result, []Event) {
	t := &tx{Project: p, now: now.UTC(), by: principal}
	if p.state.index == nil {
		p.state.reindex()
	}
	if given, ok := c.(sessionCommand); ok {
		name := given.session()
		if refusal := t.admit(name, c); refusal != nil {
			return *refusal, t.events
		}
		if !fromExternal(c) {
			t.actor = name
		}
		if s := t.session(name); !readOnly(c) {
			s.Seen = t.now
		}
	}
	result := c.run(t)
	if f, ok := result.(*Failure); ok {
		result = *f
	}
	return result, t.events
}

// admit checks that the caller may speak for a session.
func (t *tx) admit(name string, c Command) *Failure {
	param := "session_name"
	switch c.(type) {
	case Ask, Respond:
		param = "from_session"
	}
	if why := badName(param, name); why != nil {
		return why
	}
	s := t.state.Sessions.get(name)
	known := s != nil && s.Agent != nil
	_, registers := c.(Register)
	outside := fromExternal(c)
	switch {
	case isExternal(name) != outside:
		return invalid("%s must not begin with %s or %s, as the names of those do who are no sessions", param,
			prefixA2A, prefixPerson)
	case known && s.Agent.Principal != t.by && (s.Agent.Status != StatusDead || !registers):
		// the name of the dead is free, not what they left
		return &Failure{Status: "error", Error: fmt.Sprintf("session %s was registered by another caller; choose "+
			"another name", name), Code: CodeForbidden}
	case !known && s != nil && s.Bound && s.Principal != t.by:
		return &Failure{Status: "error", Error: fmt.Sprintf("session %s belongs to another caller; choose another name",
			name), Code: CodeForbidden}
	case t.state.Settings.Strict && !registers && !outside && !(known && s.active()):
		f := t.noAgent(name)
		f.Code = CodeUnregistered
		return f
	case s == nil && !onlyLooks(c) && !t.room():
		return tooMany("sessions in this project", maxSessions)
	}
	return nil
}

// onlyLooks reports whether a command makes no session of somebody who was none.
func onlyLooks(c Command) bool {
	switch c.(type) {
	case Heartbeat, Unregister, MyTodos, UpdateTodo, Check, CheckLock:
		return true
	}
	return false
}

// room makes room for one more session if need be: it deletes the one silent for longest of those without data.
func (t *tx) room() bool {
	if t.state.Sessions.len() < maxSessions {
		return true
	}
	busy := t.busy()
	var oldest *session
	for name, s := range t.state.Sessions.all() {
		if s.empty() && !busy[name] && (oldest == nil || s.Seen.Before(oldest.Seen)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	t.emit(Event{Kind: KindDeleted, Session: oldest.Name, Text: "it made room for another session"})
	return true
}

// empty reports whether a session is no living agent and nothing is kept of it.
func (s *session) empty() bool { return !s.active() && len(s.Todos)+len(s.Inbox) == 0 }

// busy returns the sessions that have leases, wait for some, have asked something or were asked.
func (t *tx) busy() map[string]bool {
	all := map[string]bool{}
	for _, lease := range t.state.Leases.all() {
		all[lease.Session] = true
	}
	for _, claim := range t.state.Queue {
		all[claim.Session] = true
	}
	for _, q := range t.state.Queries.all() {
		all[q.From], all[q.To] = true, true
	}
	return all
}

// session returns the session of a name, which is in the state from its first event on.
func (t *tx) session(name string) *session {
	if s := t.state.Sessions.get(name); s != nil {
		return s
	}
	return &session{Name: name}
}

// emit makes an event happen. The first one of a session binds it to the principal.
func (t *tx) emit(e Event) {
	e.Seq, e.Time, e.By, e.Stamp = t.state.Seq+1, t.now, t.by, t.stamp
	if e.Session != "" && e.Session == t.actor {
		s := t.session(t.actor)
		e.Binds = s.Agent == nil && !s.Bound && e.Kind != KindJoined
	}
	t.state.apply(&e)
	t.events = append(t.events, e)
	t.failDropped()
}

func (t *tx) id(prefix string) string {
	t.stamp = max(t.now.UnixNano(), t.state.Stamp+1)
	t.state.Stamp = t.stamp
	return prefix + "-" + strconv.FormatInt(t.stamp/1e9, 10) + "." + fmt.Sprintf("%09d", t.stamp%1e9)
}

// stampOf returns when an id was made, if it has a prefix and is one.
func stampOf(id, prefix string) (stamp int64, ok bool) {
	seconds, nanos, ok := strings.Cut(strings.TrimPrefix(id, prefix+"-"), ".")
	if !ok || len(nanos) != 9 || !strings.HasPrefix(id, prefix+"-") {
		return 0, false
	}
	stamp, err := strconv.ParseInt(seconds+nanos, 10, 64)
	return stamp, err == nil
}

func (s *session) active() bool { return s.Agent != nil && s.Agent.Status != StatusDead }

// Registered reports whether a session is that of an agent that is there.
func (p *Project) Registered(name string) bool {
	s := p.state.Sessions.get(name)
	return s != nil && s.active()
}

// Unread returns how many messages wait for a session.
func (p *Project) Unread(name string) int {
	if s := p.state.Sessions.get(name); s != nil {
		return len(s.Inbox)
	}
	return 0
}
