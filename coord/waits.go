// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"slices"
	"strings"
	"time"
)

// waiting is the result of a command that has to wait for a query's answer or for a lease. The Hub waits, and callers
// never see it.
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

// unawait ends the wait for an answer, which may still come.
type unawait struct {
	id    string
	after time.Duration
}

func (unawait) who() (string, bool) { return "", false }

func (c unawait) run(t *turn) Result {
	if q := t.state.Queries.get(c.id); q != nil && q.Awaited {
		t.emit(Event{Kind: KindUnawaited, Session: q.From, ID: c.id})
	}
	return unanswered(c.id, c.after)
}

// withdraw takes a query back that nobody wants an answer to any more.
type withdraw struct{ id string }

func (withdraw) who() (string, bool) { return "", false }

func (c withdraw) run(t *turn) Result {
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

func (unqueue) who() (string, bool) { return "", false }

func (c unqueue) run(t *turn) Result {
	i := slices.IndexFunc(t.state.Queue, func(claim *Claim) bool { return claim.ID == c.id })
	if i < 0 {
		return nil // it has gone with its session, which nobody waits for either
	}
	claim := t.state.Queue[i]
	result := c.as.conflict(t, claim)
	t.emit(Event{Kind: KindUnqueued, Session: claim.Session, ID: c.id, Text: "it was waited for long enough"})
	t.hand()
	return result
}

// drop frees a lease that was granted to a call which had been given up.
type drop struct{ id string }

func (drop) who() (string, bool) { return "", false }

func (c drop) run(t *turn) Result {
	if lease := t.state.Leases.get(c.id); lease != nil {
		t.emit(Event{Kind: KindReleased, Session: lease.Session, ID: c.id, Text: "the call that waited for it was canceled"})
		t.hand()
	}
	return nil
}

// waitsFor returns the sessions that a session waits for: those it asked and waits to be answered by, and those that
// are in the way of its claims.
func (t *turn) waitsFor(name string) []string {
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

// cycle returns the circle of sessions that there would be if one began to wait for others, nil when there would be none.
func (t *turn) cycle(from string, to []string) []string {
	var path []string
	seen := map[string]bool{}
	var leadsBack func(name string) bool
	leadsBack = func(name string) bool {
		if name == from {
			return true
		}
		if seen[name] {
			return false
		}
		seen[name] = true
		path = append(path, name)
		if slices.ContainsFunc(t.waitsFor(name), leadsBack) {
			return true
		}
		path = path[:len(path)-1]
		return false
	}
	if !slices.ContainsFunc(to, leadsBack) {
		return nil
	}
	return append([]string{from}, path...)
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

func (ListWaits) who() (string, bool) { return "", false }

func (ListWaits) run(t *turn) Result {
	t.expire()
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
