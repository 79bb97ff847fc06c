// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"errors"
	"time"
)

// Await waits for the answer to a query that has a Ref, [MaxWait] at most. Whoever gives up waiting leaves the query as
// it is. Its result is that of [Ask] with Wait, or [NotOpen].
type Await struct {
	From, Ref string // those of [Ask]
	Timeout   time.Duration
}

// Withdraw takes a query back that has a Ref. Its result is [Withdrawn], or [NotOpen].
type Withdraw struct{ From, Ref string }

// Withdrawn is the result of [Withdraw].
type Withdrawn struct {
	Status string `json:"status"` // withdrawn
}

// NotOpen is the result of a command about a query that waits for no answer: it was never asked, or has ended, which
// [Hub.Outcome] tells apart.
type NotOpen struct {
	Status string `json:"status"` // not_open
}

func (c Await) session() string { return c.From }

func (c Await) run(t *tx) Result {
	q := t.open(c.From, c.Ref)
	if q == nil {
		return NotOpen{Status: "not_open"}
	}
	return waiting{query: q.ID, limit: min(c.Timeout, MaxWait), kept: true}
}

func (c Withdraw) session() string { return c.From }

func (c Withdraw) run(t *tx) Result {
	q := t.open(c.From, c.Ref)
	if q == nil {
		return NotOpen{Status: "not_open"}
	}
	t.emit(Event{Kind: KindWithdrawn, Session: q.To, ID: q.ID})
	return Withdrawn{Status: "withdrawn"}
}

// open returns the query that a session comes back for, nil when there is none that waits for its answer.
func (t *tx) open(from, ref string) *Query {
	for _, q := range t.state.Queries.all() {
		if ref != "" && q.Ref == ref && q.From == from {
			return q
		}
	}
	return nil
}

// ErrDeleted is what [Hub.Outcome] returns when the events are not kept any more that would tell, or the project is
// not.
var ErrDeleted = errors.New("the outcome of the query is no longer stored")

// Outcome returns what became of a query with a Ref, from the events of the project after one that came before it was
// asked. The result is what [Await] would have had, nil when the query has not ended; asked is false when there is no
// such query.
func (h *Hub) Outcome(ctx context.Context, project, ref string, after int64) (result Result, asked bool, err error) {
	follower := h.Follow(project)
	last, err := h.Last(ctx, project)
	if err != nil {
		return nil, false, err
	}
	id := ""
	switch {
	case after > last: // of another project, which was deleted
		return nil, false, ErrDeleted
	case after == last:
		return nil, false, nil
	}
	for e, err := range follower.Events(ctx, after) {
		switch {
		case err != nil:
			return nil, false, err
		case e.Kind == KindEnded, e.Seq != after+1 && id == "":
			return nil, false, ErrDeleted
		case e.Kind == KindAsked && e.Query.Ref == ref:
			id = e.Query.ID
		case id != "" && e.ID == id && e.ends() != nil:
			return e.ends(), true, nil
		}
		if after = e.Seq; after >= last {
			return nil, id != "", nil
		}
	}
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	return nil, false, ErrClosed
}
