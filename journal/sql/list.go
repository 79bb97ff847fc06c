// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
	"github.com/dragoman-a2a/dragoman/store"
)

// List implements [journal.Journal]. It costs the page, however many tasks there are: the page is read along an index,
// and the total is kept with the writes. Lists have connections of their own, so that other reads need not wait for
// them, not even while a list reads whole tasks.
func (j *Journal) List(ctx context.Context, s journal.Scope, q journal.Query) (*journal.Page, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	var from *keyset.Place
	if q.PageToken != "" {
		p, err := keyset.Decode(s, q)
		if err != nil {
			return nil, err
		}
		from = &p
	}
	if q.Limit <= 0 {
		q.Limit = journal.DefaultPage
	}
	q.Whole = q.Whole || q.Tasks
	page := &journal.Page{}
	err := j.db.List(ctx, func(ctx context.Context, snap *store.Snapshot) error {
		return j.within(ctx, snap, s, func(scope int64) (err error) {
			l := &list{q: q, scope: scope, from: from}
			if err := l.count(ctx, snap); err != nil {
				return err
			}
			if l.total == 0 {
				return journal.ErrNotFound
			}
			page.Total = l.total
			var more bool
			if page.Heads, more, err = l.heads(ctx, snap, s); err != nil {
				return err
			}
			if more {
				last := page.Heads[len(page.Heads)-1]
				page.Next = keyset.Encode(s, q, keyset.Place{Time: millis(last.Status.Timestamp), ID: last.Key.ID})
			}
			if q.Tasks {
				page.Tasks, err = loadAll(ctx, snap, scope, page.Heads)
			}
			return err
		})
	})
	if errors.Is(err, journal.ErrNotFound) { // no task matches
		return page, nil
	}
	if err != nil {
		return nil, j.explain(err)
	}
	return page, nil
}

// giveWayEvery is after how many whole tasks a list lets a writer pass once more: so much costs about what a write
// does.
const giveWayEvery = 10

// loadAll reads the tasks of a page.
func loadAll(ctx context.Context, snap *store.Snapshot, scope int64, heads []*journal.Head) ([]*a2a.Task, error) {
	tasks := make([]*a2a.Task, 0, len(heads))
	for i, h := range heads {
		if i > 0 && i%giveWayEvery == 0 {
			snap.GiveWay(ctx)
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		s, err := load(short(ctx), snap, scope, h.Key)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, s.Task)
	}
	return tasks, nil
}

// list is one query on its way.
type list struct {
	q     journal.Query
	scope int64
	from  *keyset.Place

	total  int
	states []int32 // of the tasks that match
}

// where collects the text of a statement and its arguments.
type where struct {
	text strings.Builder
	args []any
}

// and adds a text that ends where the number of its argument belongs.
func (w *where) and(text string, arg any) {
	w.args = append(w.args, arg)
	w.text.WriteString(text + "$" + strconv.Itoa(len(w.args)))
}

type stateCount struct {
	state int32
	n     int
}

// count finds out how many tasks match, and of what states they are.
func (l *list) count(ctx context.Context, snap *store.Snapshot) error {
	since := int64(-1) // all blocks are after it
	if !l.q.Since.IsZero() {
		since = millis(l.q.Since)
	}
	w := new(where)
	w.and("SELECT state, sum(CASE WHEN since > ", since)
	w.and(" THEN n ELSE 0 END) FROM task_counts WHERE scope = ", l.scope)
	w.and(" AND context = ", string(l.q.ContextID))
	if l.q.State != 0 {
		w.and(" AND state = ", int32(l.q.State))
	}
	w.text.WriteString(" GROUP BY state")
	counts, err := store.All(ctx, snap, func(scan func(...any) error) (c stateCount, err error) {
		return c, scan(&c.state, &c.n)
	}, w.text.String(), w.args...)
	if err != nil {
		return err
	}
	for _, c := range counts {
		if since >= 0 {
			var within int
			text, args := l.blockQuery(c.state, since)
			if err := snap.QueryRowContext(ctx, text, args...).Scan(&within); err != nil {
				return err
			}
			c.n += within
		}
		if c.n > 0 {
			l.states = append(l.states, c.state)
			l.total += c.n
		}
	}
	return nil
}

// blockQuery counts the tasks from a time on in the block that the time is in.
func (l *list) blockQuery(state int32, since int64) (text string, args []any) {
	w := new(where)
	w.text.WriteString("SELECT count(*)")
	l.of(w, state)
	w.and(" AND t.status_at >= ", since)
	w.and(" AND t.status_at < coalesce((SELECT min(c.since) FROM task_counts c WHERE c.scope = ", l.scope)
	w.and(" AND c.context = ", string(l.q.ContextID))
	w.and(" AND c.state = ", state)
	w.and(" AND c.since > ", since)
	w.text.WriteString("), 9000000000000000000)")
	return w.text.String(), w.args
}

// of adds the tasks of one state to a statement.
func (l *list) of(w *where, state int32) {
	w.and(" FROM tasks t WHERE t.scope = ", l.scope)
	if l.q.ContextID != "" {
		w.and(" AND t.context = ", string(l.q.ContextID))
	}
	w.and(" AND t.state = ", state)
}

// pageQuery reads the page, and one head more if there is one. The inner query merges the states, each along the index;
// it reads no more of a state than the page shows.
func (l *list) pageQuery() (text string, args []any) {
	w := new(where)
	w.text.WriteString(`SELECT ` + headColumns + `, length(t.head), t.tail + t.base FROM (`)
	for i, state := range l.states {
		if i > 0 {
			w.text.WriteString(" UNION ALL ")
		}
		w.text.WriteString("SELECT t.status_at AS at, t.id AS id")
		l.of(w, state)
		if !l.q.Since.IsZero() {
			w.and(" AND t.status_at >= ", millis(l.q.Since))
		}
		if l.from != nil {
			w.and(" AND (t.status_at, t.id) < (", l.from.Time)
			w.and(", ", string(l.from.ID))
			w.text.WriteString(")")
		}
	}
	w.and(" ORDER BY at DESC, id DESC LIMIT ", l.q.Limit+1)
	// CROSS JOIN keeps SQLite from going through the tasks first.
	w.and(") AS page CROSS JOIN tasks t WHERE t.scope = ", l.scope)
	w.text.WriteString(" AND t.id = page.id ORDER BY page.at DESC, page.id DESC")
	return w.text.String(), w.args
}

// heads reads the heads of a page. It stops, and says that there are more, at the query's limit or its bound on bytes.
func (l *list) heads(ctx context.Context, snap *store.Snapshot, s journal.Scope) (heads []*journal.Head, more bool,
	err error) {
	text, args := l.pageQuery()
	rows, err := snap.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	var total int64
	for rows.Next() {
		var head, task int64
		h, err := scanHead(journal.Key{Scope: s}, rows.Scan, &head, &task)
		if err != nil {
			return nil, false, err
		}
		if total += head; l.q.Whole {
			total += task
		}
		if n := len(heads); n == l.q.Limit || l.q.MaxBytes > 0 && total > l.q.MaxBytes && n > 0 {
			return heads, true, nil
		}
		heads = append(heads, h)
	}
	return heads, false, rows.Err()
}
