// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// world is a project beside its naive model.
type world struct {
	t       *rapid.T
	model   *naive
	project *Project
	events  []Event
	last    []Event // of the last command
	early   []byte  // a snapshot
	from    int     // the events after it
	queries []string
	tokens  int64
}

// do runs a command and returns its result in short.
func (w *world) do(principal string, c Command) (Result, string) {
	result, events := w.project.Do(w.model.now, principal, c)
	w.events = append(w.events, events...)
	w.last = events
	for _, e := range events {
		if e.Kind == KindLocked {
			if e.Lease.Token <= w.tokens {
				w.t.Fatalf("token %d after %d", e.Lease.Token, w.tokens)
			}
			w.tokens = e.Lease.Token
		}
	}
	return result, short(result)
}

func short(result Result) string {
	switch r := result.(type) {
	case waiting:
		return "waiting"
	case Registered:
		return fmt.Sprint(r.Status, " ", len(r.OtherActive))
	case Unregistered:
		return fmt.Sprintf("%s %d/%d", r.Status, r.Todos.Completed, r.Todos.Total)
	case Broadcasted:
		return fmt.Sprint(r.Status, " ", r.Recipients)
	case []any:
		types := []string{}
		for _, m := range r {
			types = append(types, m.(MessageInfo).Type)
		}
		return fmt.Sprint(types)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err.Error()
	}
	var v struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return err.Error()
	}
	return v.Status
}

// step runs one command of a session in both.
func (w *world) step() {
	t, n := w.t, w.model
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	name, principal := pick("session", "a", "b", "c", "d"), pick("principal", "", "", "", "ann")
	what := pick("command", "register", "register", "heartbeat", "unregister", "todo", "update", "ask", "ask",
		"respond", "respond", "broadcast", "check",
		"announce", "announce", "announce", "announce", "release", "release", "define", "complete")
	isNew := n.member(name) == nil
	var seen time.Time
	if !isNew {
		seen = n.member(name).seen
	}
	m, want := n.call(name, principal, what == "register")
	defer func() { // whoever does something is there from then on
		did := slices.ContainsFunc(w.last, func(e Event) bool { return e.Session == name })
		switch m := n.member(name); {
		case m == nil:
		case did && !m.bound:
			m.bound, m.principal = true, principal
		case isNew && !did:
			n.remove(m)
		}
	}()
	expect := func(c Command, model func() string) Result {
		result, got := w.do(principal, c)
		if want == "" {
			want = model()
		}
		if got != want {
			t.Fatalf("%+v by %q: %s, want %s", c, principal, got, want)
		}
		return result
	}
	switch what {
	case "register":
		task, resume := pick("task", "1", "1", "2"), rapid.IntRange(0, 3).Draw(t, "resume") == 0
		expect(Register{Session: name, TaskID: task, Resume: resume},
			func() string { return n.register(m, task, principal, resume) })
	case "heartbeat":
		expect(Heartbeat{name}, func() string {
			if m.alive {
				return "ok"
			}
			return "not_found"
		})
	case "unregister":
		expect(Unregister{name}, func() string { return n.unregister(m) })
	case "todo":
		expect(AddTodo{Session: name, Item: "x"},
			func() string { m.todos = append(m.todos, "pending"); return "added" })
	case "update":
		i, status := rapid.IntRange(0, 3).Draw(t, "todo"), pick("status", todoStates...)
		id := "none"
		if s := w.project.state.Sessions.get(name); s != nil && i < len(s.Todos) {
			id = s.Todos[i].ID
		}
		expect(UpdateTodo{Session: name, ID: id, Status: status}, func() string {
			if i >= len(m.todos) {
				return "not_found"
			}
			m.todos[i] = status
			return "updated"
		})
	case "ask":
		to, wait := pick("to", "a", "b", "c", "d"), rapid.Bool().Draw(t, "wait")
		id := ""
		expect(Ask{From: name, To: to, Query: "?", Wait: wait, Timeout: time.Minute}, func() string {
			if newest := w.project.state.Queries.last; newest != nil {
				id = newest.key
			}
			return n.ask(m, to, id, wait)
		})
		w.queries = append(w.queries, id)
	case "respond":
		id := pick("query", append([]string{"none"}, w.queries...)...)
		if id == "" {
			id = "none"
		}
		expect(Respond{From: name, MessageID: id, Response: "!"}, func() string { return n.respond(m, id) })
	case "broadcast":
		expect(Broadcast{Session: name, Type: "info", Content: "!"}, func() string { return n.broadcast(m) })
	case "check":
		limit, peek := rapid.IntRange(0, 3).Draw(t, "limit"), rapid.Bool().Draw(t, "peek")
		if m != nil && peek {
			m.seen = seen // looking is no heartbeat
		}
		result, got := w.do(principal, Check{Session: name, Limit: limit, Peek: peek})
		if want == "" {
			want = n.check(m, limit, peek)
		}
		if got != want {
			t.Fatalf("%s reads %s, want %s (%+v)", name, got, want, result)
		}
	case "announce":
		h := &hold{session: name, mode: pick("mode", ModeExclusive, ModeExclusive, ModeShared)}
		h.paths = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "dir/x", "dir/", "dir/sub/", "z"}), 1, 3,
			rapid.ID).Draw(t, "paths")
		ttl := time.Duration(rapid.SampledFrom([]int{0, 0, 30, 100}).Draw(t, "ttl")) * time.Second
		wait := rapid.Bool().Draw(t, "wait")
		h.auto = rapid.Bool().Draw(t, "auto")
		c := Announce{Session: name, Paths: h.paths, ChangeType: "modify", Mode: h.mode, TTL: ttl, Auto: h.auto}
		if wait {
			c.Wait = time.Minute
		}
		if r, ok := expect(c, func() string { return n.announce(m, h, ttl, wait) }).(waiting); ok {
			h.id = r.claim.ID
		}
	case "release":
		w.release(name, expect, m)
	case "define":
		text := pick("definition", "1", "2")
		expect(Define{Session: name, Name: "I", Definition: text},
			func() string { n.defs["I"] = text; return "registered" })
		if want == "registered" {
			if r, ok := w.project.read(n.now, GetInterface{"I"}).(InterfaceInfo); !ok || r.Definition != text {
				t.Fatalf("%+v", r)
			}
		}
	case "complete":
		expect(CompleteTask{Session: name, TaskID: "1"}, func() string {
			m.done = m.alive
			return "success"
		})
	}
}

// release frees a path, or what has a token, or what hooks have taken.
func (w *world) release(name string, expect func(Command, func() string) Result, m *member) {
	t, n := w.t, w.model
	c := Release{Session: name, Auto: rapid.IntRange(0, 3).Draw(t, "auto") == 0}
	only := -1 // the place of the lease with the token
	if k := rapid.IntRange(-3, len(n.held)-1).Draw(t, "lease"); k >= 0 {
		for _, lease := range w.project.state.Leases.all() {
			if only++; only == k {
				c.Token = lease.Token
				break
			}
		}
	}
	if c.Token == 0 && !c.Auto || rapid.Bool().Draw(t, "with a path") {
		c.Path = rapid.SampledFrom([]string{"x", "y", "dir/x", "dir/", "dir/sub/", "z"}).Draw(t, "path")
	}
	expect(c, func() string {
		var with *hold
		if only >= 0 {
			with = n.held[only]
		}
		mine := slices.ContainsFunc(n.held,
			func(h *hold) bool { return h.session == name && slices.Contains(h.paths, c.Path) })
		freed, others, wider := n.release(m, c.Path,
			func(h *hold) bool { return (with == nil || with == h) && (!c.Auto || h.auto) })
		switch {
		case freed > 0:
			return "released"
		case c.Token != 0 && (c.Path == "" || mine), c.Path != "" && others, wider && !c.Auto:
			return "error"
		}
		return "not_locked"
	})
}

// read runs a command that changes nothing.
func (p *Project) read(now time.Time, c Command) Result {
	result, _ := p.Do(now, "", c)
	return result
}

// other lets happen what no session does.
func (w *world) other() {
	t, n := w.t, w.model
	switch rapid.SampledFrom([]string{"pass", "pass", "unawait", "withdraw", "unqueue", "free", "retire", "restart",
		"snapshot"}).Draw(t, "other") {
	case "pass":
		d := time.Duration(rapid.IntRange(0, 150).Draw(t, "seconds")) * time.Second
		n.pass(d)
		w.do("", sweep{n.timeout, n.keep, func(string) bool { return false }})
	case "unawait":
		if len(w.queries) > 0 {
			id := rapid.SampledFrom(w.queries).Draw(t, "query")
			w.do("", unawait{id, time.Minute})
			if q := n.asked[id]; q != nil {
				q.awaited = false
			}
		}
	case "withdraw":
		if len(w.queries) > 0 {
			id := rapid.SampledFrom(w.queries).Draw(t, "query")
			w.do("", withdraw{id})
			n.withdraw(id)
		}
	case "unqueue":
		if len(n.queue) > 0 {
			id := rapid.SampledFrom(n.queue).Draw(t, "claim").id
			w.do("", unqueue{id, Announce{}})
			n.queue = slices.DeleteFunc(n.queue, func(h *hold) bool { return h.id == id })
			n.grantQueued()
		}
	case "free":
		var ids []string
		for id := range w.project.state.Leases.all() {
			ids = append(ids, id)
		}
		for _, h := range n.queue {
			ids = append(ids, h.id)
		}
		if len(ids) > 0 {
			i := rapid.IntRange(0, len(ids)-1).Draw(t, "lock")
			w.do("", Free{ID: ids[i], Person: Person("")})
			n.take(i)
		}
	case "retire":
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "session")
		w.do("", Retire{Session: name, Person: Person("")})
		n.retire(name)
	case "restart": // from what is kept, as a program that begins does
		w.project = w.restored(w.early, w.events[w.from:])
		w.do("", restarted{})
		n.queue = nil
		n.grantQueued()
		for _, q := range n.asked {
			q.awaited = false
		}
		for _, m := range n.members {
			m.seen = n.now
			if m.known && !m.alive && !slices.ContainsFunc(n.held, func(h *hold) bool { return h.session == m.name }) {
				m.seen = w.project.state.Sessions.get(m.name).Seen // the last call that is kept
			}
		}
	case "snapshot":
		text, err := w.project.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		w.early, w.from = text, len(w.events)
	}
}

// restored returns a project made of text alone.
func (w *world) restored(snapshot []byte, events []Event) *Project {
	text, err := json.Marshal(events)
	if err != nil {
		w.t.Fatal(err)
	}
	var read []Event
	if err := json.Unmarshal(text, &read); err != nil {
		w.t.Fatal(err)
	}
	p := NewProject("p")
	if err := p.Restore(snapshot, read); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// view returns all of a state that any answer depends on, but for when sessions called last.
func view(t *rapid.T, p *Project) string {
	text, err := p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s := newState()
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	for _, one := range s.Sessions.all() {
		one.Seen = time.Time{}
	}
	s.Stamp = 0
	text, err = json.Marshal(s, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// consistent checks what holds after every command.
func (w *world) consistent() {
	t, n, s := w.t, w.model, w.project.state
	now := view(t, w.project)
	if folded := view(t, w.restored(nil, w.events)); folded != now {
		t.Fatalf("events fold into another state:\n%s\n%s", folded, now)
	}
	if folded := view(t, w.restored(w.early, w.events[w.from:])); folded != now {
		t.Fatalf("events after a snapshot fold into another state:\n%s\n%s", folded, now)
	}
	read := &tx{Project: w.project, now: n.now}
	holders := []string{}
	for id, lease := range s.Leases.all() {
		holders = append(holders, fmt.Sprint(lease.Session, lease.Paths, lease.Auto, lease.ExpiresAt))
		for other, o := range s.Leases.all() {
			if id != other && s.conflictsWith(&lease.Claim, &o.Claim) {
				t.Fatalf("%+v and %+v are granted at once", lease, o)
			}
		}
	}
	wanted := []string{}
	for _, h := range n.held {
		wanted = append(wanted, fmt.Sprint(h.session, h.paths, h.auto, h.expires))
	}
	if fmt.Sprint(holders) != fmt.Sprint(wanted) {
		t.Fatalf("held are %v, want %v", holders, wanted)
	}
	for i, claim := range s.Queue {
		if claim.blockers != s.countBlockers(claim, i) {
			t.Fatalf("%d are in the way of %+v, not %d", s.countBlockers(claim, i), claim, claim.blockers)
		}
		if len(read.blockers(claim, i)) == 0 {
			t.Fatalf("%+v waits for nobody", claim)
		}
		if claim.ID != n.queue[i].id {
			t.Fatalf("the queue is in another order")
		}
	}
	for _, m := range n.members {
		if one := s.Sessions.get(m.name); one != nil &&
			(len(one.Inbox) != len(m.inbox) || len(one.Todos) != len(m.todos)) {
			t.Fatalf("%s has %d messages and %d todos, want %d and %d", m.name, len(one.Inbox), len(one.Todos),
				len(m.inbox), len(m.todos))
		}
	}
	members := []string{}
	for _, m := range n.members {
		members = append(members, fmt.Sprint(m.name, m.principal))
	}
	sessions := []string{}
	for name, one := range s.Sessions.all() {
		if isExternal(name) {
			continue
		}
		sessions = append(sessions, fmt.Sprint(name, one.Principal))
		if read.cycle(name, waitsFor(read, name)) != nil {
			t.Fatalf("%s waits for itself", name)
		}
	}
	if fmt.Sprint(sessions) != fmt.Sprint(members) {
		t.Fatalf("there are %v, want %v", sessions, members)
	}
}

// waitsFor returns the sessions that a session waits for: those it asked and waits to be answered by, and those that
// are in the way of its claims.
func waitsFor(t *tx, name string) []string {
	var all []string
	for _, q := range t.state.Queries.all() {
		if q.From == name && q.Awaited {
			all = append(all, q.To)
		}
	}
	for i, claim := range t.state.Queue {
		if claim.Session == name {
			all = append(all, t.blockers(claim, i)...)
		}
	}
	return all
}

// A project does what its naive model does, and its events say all of it.
func TestProjectAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, project: NewProject("p"), model: &naive{
			now: time.Unix(1_700_000_000, 0).UTC(), timeout: 2 * time.Minute, keep: 10 * time.Minute,
			asked: map[string]*question{}, defs: map[string]string{},
		}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "who") == 0 {
				w.other()
			} else {
				w.step()
			}
			w.consistent()
		}
	})
}
