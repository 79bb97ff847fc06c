// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// naive is what a project should do, told as simply as can be: lists that are searched, no events, no ids of its own.
// Paths are plain files and folders.
type naive struct {
	now           time.Time
	timeout, keep time.Duration
	members       []*member
	held, queue   []*hold
	asked         map[string]*question
	defs          map[string]string
}

type member struct {
	name, task, principal string
	known, alive, bound   bool
	provisional, done     bool
	seen, died            time.Time
	todos                 []string // statuses
	inbox                 []letter
}

type letter struct{ query, text string }

type hold struct {
	id, session, mode string
	paths             []string
	ttl               time.Duration
	expires           time.Time
	auto              bool
}

type question struct {
	from, to string
	awaited  bool
	asked    time.Time
}

// member returns the one of a name, nil if there is none.
func (n *naive) member(name string) *member {
	for _, m := range n.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// idle reports whether there is nothing to know of one.
func (n *naive) idle(m *member) bool {
	for _, q := range n.asked {
		if q.from == m.name || q.to == m.name {
			return false
		}
	}
	return !m.known && len(m.todos)+len(m.inbox) == 0 &&
		!slices.ContainsFunc(slices.Concat(n.held, n.queue), func(h *hold) bool { return h.session == m.name })
}

func (n *naive) alive(name string) bool {
	m := n.member(name)
	return m != nil && m.alive
}

// call is what each call of a session begins with; what it returns is not empty if that is all.
func (n *naive) call(name, principal string, registers bool) (*member, string) {
	m := n.member(name)
	if m != nil && m.principal != principal && (m.known && (m.alive || !registers) || !m.known && m.bound) {
		return nil, "error"
	}
	if m == nil {
		m = &member{name: name}
		n.members = append(n.members, m)
	}
	m.seen = n.now
	return m, ""
}

func (n *naive) register(m *member, task, principal string, resume bool) string {
	mine := m.known && m.principal == principal
	switch {
	case mine && resume:
		task = m.task
	case mine && m.provisional:
		m.provisional = false
	case mine && m.task == task:
	default:
		m.provisional = resume
		if m.known && m.principal != principal {
			n.abandon(m.name)
			m.inbox = nil
		}
		if mine && m.alive && !m.done {
			m.inbox = append(m.inbox, letter{"", "broadcast"})
		}
		m.todos = nil
		n.free(m.name)
		n.members = append(slices.DeleteFunc(n.members, func(o *member) bool { return o == m }), m)
	}
	m.done = m.done && mine && resume && m.alive
	m.known, m.alive, m.bound, m.task, m.principal = true, true, true, task, principal
	n.grantQueued()
	others := 0
	for _, o := range n.members {
		if o != m && o.alive {
			others++
		}
	}
	return fmt.Sprint("registered ", others)
}

func (n *naive) unregister(m *member) string {
	if !m.alive {
		return "not_found"
	}
	n.abandon(m.name)
	n.members = slices.DeleteFunc(n.members, func(o *member) bool { return o == m })
	n.grantQueued()
	done := 0
	for _, s := range m.todos {
		if s == "completed" {
			done++
		}
	}
	return fmt.Sprintf("unregistered %d/%d", done, len(m.todos))
}

func (n *naive) ask(m *member, to, id string, wait bool) string {
	switch {
	case to == m.name:
		return "error"
	case !n.alive(to):
		return "not_found"
	case wait && n.reaches(to, m.name, len(n.members)):
		return "deadlock"
	}
	n.asked[id] = &question{m.name, to, wait, n.now}
	n.member(to).inbox = append(n.member(to).inbox, letter{id, "query"})
	if wait {
		return "waiting"
	}
	return "sent"
}

func (n *naive) respond(m *member, id string) string {
	q := n.asked[id]
	if q == nil || q.to != m.name {
		return "not_found"
	}
	delete(n.asked, id)
	if !q.awaited {
		n.member(q.from).inbox = append(n.member(q.from).inbox, letter{"", "response"})
	}
	return "response_sent"
}

func (n *naive) broadcast(m *member) string {
	count := 0
	for _, o := range n.members {
		if o != m && o.alive {
			o.inbox = append(o.inbox, letter{"", "broadcast"})
			count++
		}
	}
	return fmt.Sprint("broadcast_sent ", count)
}

func (n *naive) check(m *member, limit int, peek bool) string {
	read := m.inbox
	if limit > 0 && len(read) > limit {
		read = read[:limit]
	}
	texts := []string{}
	for _, l := range read {
		texts = append(texts, l.text)
	}
	if !peek {
		m.inbox = slices.Clone(m.inbox[len(read):])
	}
	return fmt.Sprint(texts)
}

func (n *naive) announce(m *member, h *hold, ttl time.Duration, wait bool) string {
	h.ttl = ttl
	if n.has(h) {
		return "locked"
	}
	before := n.before(h, n.queue)
	switch {
	case len(before) == 0:
		n.grant(h)
		return "locked"
	case !wait:
		return "conflict"
	case slices.ContainsFunc(before, func(o string) bool { return n.reaches(o, m.name, len(n.members)) }):
		return "deadlock"
	}
	n.queue = append(n.queue, h)
	return "waiting"
}

// has reports whether a session has what it wants already, and renews that.
func (n *naive) has(h *hold) bool {
	var own *hold
	for _, o := range n.held {
		if o.session == h.session && (o.mode != ModeShared || h.mode == ModeShared) &&
			(own == nil || own.auto && !o.auto) &&
			!slices.ContainsFunc(h.paths, func(p string) bool { return !o.about(p) }) {
			own = o
		}
	}
	if own == nil {
		return false
	}
	if own.auto || !h.auto {
		own.ttl = h.ttl
		n.begin(own)
	}
	own.auto = own.auto && h.auto
	return true
}

// about reports whether one has a path by one of its own.
func (h *hold) about(p string) bool {
	return slices.ContainsFunc(h.paths,
		func(q string) bool { return strings.HasPrefix(p+"/", strings.TrimSuffix(q, "/")+"/") })
}

// grant gives one what it wants, and its session what else it wants of that.
func (n *naive) grant(h *hold) {
	n.begin(h)
	n.held = append(n.held, h)
	n.queue = slices.DeleteFunc(n.queue, func(o *hold) bool { return o == h })
	for _, o := range slices.Clone(n.queue) {
		if o.session == h.session && n.has(o) {
			n.queue = slices.DeleteFunc(n.queue, func(q *hold) bool { return q == o })
		}
	}
}

// begin begins the time of one that is granted.
func (n *naive) begin(h *hold) {
	h.expires = time.Time{}
	if h.ttl > 0 {
		h.expires = n.now.Add(h.ttl)
	}
}

// release frees a path, or all with "", of what is held so.
func (n *naive) release(m *member, path string, so func(*hold) bool) (freed int, others, wider bool) {
	for _, h := range slices.Clone(n.held) {
		switch listed := path == "" || slices.Contains(h.paths, path); {
		case h.session != m.name:
			others = others || path != "" && listed
		case !listed:
			wider = wider || h.about(path)
		case so(h):
			rest := slices.DeleteFunc(slices.Clone(h.paths), func(p string) bool { return path == "" || p == path })
			freed += len(h.paths) - len(rest)
			if h.paths = rest; len(rest) == 0 {
				n.held = slices.DeleteFunc(n.held, func(o *hold) bool { return o == h })
			}
		}
	}
	n.grantQueued()
	return freed, others, wider
}

// conflictsWith reports whether two cannot have what they want at once.
func conflictsWith(a, b *hold) bool {
	if a.session == b.session || a.mode == ModeShared && b.mode == ModeShared {
		return false
	}
	for _, p := range a.paths {
		for _, q := range b.paths {
			p, q := strings.TrimSuffix(p, "/")+"/", strings.TrimSuffix(q, "/")+"/"
			if strings.HasPrefix(p, q) || strings.HasPrefix(q, p) {
				return true
			}
		}
	}
	return false
}

// before returns who has to let go before one gets what it wants, with those that came before it.
func (n *naive) before(h *hold, came []*hold) (names []string) {
	for _, o := range slices.Concat(n.held, came) {
		if conflictsWith(h, o) {
			names = append(names, o.session)
		}
	}
	return names
}

// reaches reports whether one waits for another, in so many steps at most.
func (n *naive) reaches(from, to string, steps int) bool {
	if from == to {
		return true
	}
	if steps == 0 {
		return false
	}
	for _, q := range n.asked {
		if q.awaited && q.from == from && n.reaches(q.to, to, steps-1) {
			return true
		}
	}
	for i, h := range n.queue {
		if h.session == from && slices.ContainsFunc(n.before(h, n.queue[:i]),
			func(o string) bool { return n.reaches(o, to, steps-1) }) {
			return true
		}
	}
	return false
}

// grantQueued gives those who wait what they can have now, first come first served.
func (n *naive) grantQueued() {
	for i := 0; i < len(n.queue); {
		if h := n.queue[i]; len(n.before(h, n.queue[:i])) > 0 {
			i++
		} else {
			n.grant(h)
			i = 0
		}
	}
}

// free takes from one all that it holds and waits for.
func (n *naive) free(name string) {
	mine := func(h *hold) bool { return h.session == name }
	n.held, n.queue = slices.DeleteFunc(n.held, mine), slices.DeleteFunc(n.queue, mine)
}

func (n *naive) abandon(name string) {
	n.free(name)
	for id, q := range n.asked {
		switch name {
		case q.to:
			delete(n.asked, id)
		case q.from:
			n.withdraw(id)
		}
	}
}

// take takes from one what it holds, or what it waits for in the queue that comes after that, and tells it.
func (n *naive) take(i int) {
	h := slices.Concat(n.held, n.queue)[i]
	taken := func(o *hold) bool { return o == h }
	n.held, n.queue = slices.DeleteFunc(n.held, taken), slices.DeleteFunc(n.queue, taken)
	m := n.member(h.session)
	m.inbox = append(m.inbox, letter{"", "broadcast"})
	n.grantQueued()
}

func (n *naive) retire(name string) {
	m := n.member(name)
	if m == nil {
		return
	}
	if !m.alive && m.known && n.now.Sub(m.died) < time.Minute {
		return
	}
	n.abandon(name)
	if !m.alive {
		n.remove(m)
		n.grantQueued()
		return
	}
	m.died = n.now
	m.alive = false
	m.inbox = append(m.inbox, letter{"", "broadcast"})
	n.grantQueued()
}

func (n *naive) withdraw(id string) {
	if q := n.asked[id]; q != nil {
		if m := n.member(q.to); m != nil {
			m.inbox = slices.DeleteFunc(m.inbox, func(l letter) bool { return l.query == id })
		}
		delete(n.asked, id)
	}
}

func (n *naive) remove(m *member) {
	n.members = slices.DeleteFunc(n.members, func(o *member) bool { return o == m })
}

// pass lets time pass, and does what it does.
func (n *naive) pass(d time.Duration) {
	n.now = n.now.Add(d)
	n.held = slices.DeleteFunc(n.held, func(h *hold) bool { return !h.expires.IsZero() && !n.now.Before(h.expires) })
	n.grantQueued()
	for _, m := range slices.Clone(n.members) {
		silent := n.now.Sub(m.seen)
		switch {
		case m.alive && silent >= n.timeout:
			n.abandon(m.name)
			m.alive, m.died = false, n.now
		case !m.alive && silent >= n.keep:
			n.abandon(m.name)
			n.remove(m)
		case !m.known && silent >= n.timeout && n.idle(m):
			n.remove(m)
		case !m.alive && silent >= n.timeout &&
			slices.ContainsFunc(slices.Concat(n.held, n.queue), func(h *hold) bool { return h.session == m.name }):
			n.abandon(m.name)
		}
	}
	for id, q := range n.asked {
		if !q.awaited && n.now.Sub(q.asked) >= n.keep {
			n.withdraw(id)
		}
	}
	n.grantQueued()
}
