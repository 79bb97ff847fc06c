// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"slices"
	"strings"
	"time"
)

// waiting is the result of a command that has to wait. The Hub waits, and callers never see it.
type waiting struct {
	query string    // one of query and
	claim *Claim    // claim
	as    *Announce // that made the claim
	limit time.Duration
}

func (w *waiting) id() string {
	if w.claim != nil {
		return w.claim.ID
	}
	return w.query
}

// end returns the command that ends the wait.
func (w *waiting) end(canceled bool) Command {
	switch {
	case w.claim != nil:
		return unqueue{w.claim.ID, *w.as}
	case canceled:
		return withdraw{w.query}
	}
	return unawait{w.query, w.limit}
}

// unawait ends the wait for an answer. A later answer goes to the inbox; a query of an external agent or a person, who
// have none, ends.
type unawait struct {
	id    string
	after time.Duration
}

func (c unawait) run(t *tx) Result {
	if q := t.state.Queries.get(c.id); q != nil && q.Awaited {
		t.unawait(q)
	}
	return unanswered(c.id, c.after)
}

func (t *tx) unawait(q *Query) {
	if isExternal(q.From) {
		t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: q.ID, Text: "nobody waits for its answer"})
		return
	}
	t.emit(Event{Kind: KindUnawaited, Session: q.From, ID: q.ID})
}

// late puts an answer into the inbox of who asked, as the call that waited for it was gone when it came.
type late struct {
	id, to string
	answer *Message
}

func (c late) run(t *tx) Result {
	if t.state.Sessions.get(c.to) != nil && !isExternal(c.to) { // others have no inbox that anybody looks into
		t.emit(Event{Kind: KindUnawaited, Session: c.to, ID: c.id, To: []string{c.to}, Message: c.answer})
	}
	return nil
}

// withdraw takes a query back that nobody wants an answer to any more.
type withdraw struct{ id string }

func (c withdraw) run(t *tx) Result {
	if q := t.state.Queries.get(c.id); q != nil {
		t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: c.id})
	}
	return nil
}

// unqueue gives up a claim. Its result is what [Announce] without Wait answers.
type unqueue struct {
	id string
	as Announce
}

func (c unqueue) run(t *tx) Result {
	i := slices.IndexFunc(t.state.Queue, func(claim *Claim) bool { return claim.ID == c.id })
	if i < 0 {
		return nil // it has gone with its session, which nobody waits for either
	}
	claim := t.state.Queue[i]
	result := c.as.conflict(t, claim)
	t.emit(Event{Kind: KindUnqueued, Session: claim.Session, ID: c.id, Text: "it was waited for long enough"})
	t.grantQueued()
	return result
}

// drop frees a lease that was granted to a call which had been given up, unless another call was answered with it.
type drop struct{ id string }

func (c drop) run(t *tx) Result {
	if lease := t.state.Leases.get(c.id); lease != nil && !lease.again {
		t.emit(Event{Kind: KindReleased, Session: lease.Session, ID: c.id,
			Text: "the call that waited for it was canceled"})
		t.grantQueued()
	}
	return nil
}

// cycle returns the circle of sessions that would wait for each other if one began to wait for others; nil for none.
func (t *tx) cycle(from string, to []string) []string {
	w, wanted := t.waits(), map[string]bool{}
	for _, name := range to {
		wanted[name] = true
	}
	next := map[string]string{from: ""} // whom each one waits for, on the way to from
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, name := range w.behind(todo[0], next) {
			todo = append(todo, name)
			if !wanted[name] {
				continue
			}
			cycle := []string{from}
			for ; name != from; name = next[name] {
				cycle = append(cycle, name)
			}
			return cycle
		}
	}
	return nil
}

// waits is who waits for whom, by session.
type waits struct {
	*state
	askers map[string][]string // who waits for an answer of it
	queued map[string][]int    // the places of its claims in the queue
}

func (t *tx) waits() *waits {
	w := &waits{state: t.state, askers: map[string][]string{}, queued: map[string][]int{}}
	for _, q := range t.state.Queries.all() {
		if q.Awaited {
			w.askers[q.To] = append(w.askers[q.To], q.From)
		}
	}
	for i, claim := range t.state.Queue {
		w.queued[claim.Session] = append(w.queued[claim.Session], i)
	}
	return w
}

// behind returns those that wait for a session and are not known, and adds it to what is known of them.
func (w *waits) behind(name string, known map[string]string) []string {
	var all []string
	add := func(other string) {
		if _, ok := known[other]; !ok {
			known[other] = name
			all = append(all, other)
		}
	}
	for _, asker := range w.askers[name] {
		add(asker)
	}
	if w.index.held[name] == nil && len(w.queued[name]) == 0 {
		return all
	}
	for i, claim := range w.Queue {
		if _, ok := known[claim.Session]; !ok && w.isBehind(i, name) {
			add(claim.Session)
		}
	}
	return all
}

// isBehind reports whether a session is in the way of the claim at a place in the queue.
func (w *waits) isBehind(i int, name string) bool {
	for _, lease := range w.index.of(name) {
		if w.conflictsWith(w.Queue[i], &lease.Claim) {
			return true
		}
	}
	for _, k := range w.queued[name] {
		if k < i && w.conflictsWith(w.Queue[i], w.Queue[k]) {
			return true
		}
	}
	return false
}

// maxWaits is how many claims of the queue [ListWaits] looks at: more than anybody can look at.
const maxWaits = 100

// ListWaits lists who waits for whom, for the first claims in the queue and for all queries.
type ListWaits struct{}

// A Wait is a session that waits for another one.
type Wait struct {
	From string `json:"from"`
	To   string `json:"to"`
	For  string `json:"for"`  // lock or answer
	What string `json:"what"` // the paths, or the question
}

func (ListWaits) run(t *tx) Result {
	t.expire()
	t.state.work = 0
	all := []Wait{}
	for i, claim := range t.state.Queue[:min(maxWaits, len(t.state.Queue))] {
		for _, to := range t.blockers(claim, i) {
			all = append(all, Wait{From: claim.Session, To: to, For: "lock", What: strings.Join(claim.Paths, ", ")})
		}
	}
	for _, q := range t.state.Queries.all() {
		if q.Awaited {
			all = append(all, Wait{From: q.From, To: q.To, For: "answer", What: q.Text})
		}
	}
	return all
}
