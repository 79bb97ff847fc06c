// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"strconv"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// where collects conditions and their arguments.
type where struct {
	text string
	args []any
}

// and adds a condition that ends where the number of its argument belongs.
func (w *where) and(condition string, arg any) {
	w.args = append(w.args, arg)
	w.text += condition + "$" + strconv.Itoa(len(w.args))
}

// List implements [journal.Journal]. The page is read along an index; counting the matches reads the index only.
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
	scope, err := j.scope(ctx, j.db, s)
	if errors.Is(err, journal.ErrNotFound) {
		return &journal.Page{}, nil
	}
	if err != nil {
		return nil, err
	}
	w := filter(scope, q)
	page := &journal.Page{}
	if err := j.db.QueryRowContext(ctx, `SELECT count(*) FROM tasks t`+w.text, w.args...).Scan(&page.Total); err != nil {
		return nil, err
	}
	if page.Total == 0 {
		return page, nil
	}
	if from != nil {
		w.and(" AND (t.status_at, t.id) < (", from.Time)
		w.and(", ", string(from.ID))
		w.text += ")"
	}
	w.and(" ORDER BY t.status_at DESC, t.id DESC LIMIT ", q.Limit+1)
	more, err := j.heads(ctx, s, q, w, page)
	if err != nil {
		return nil, err
	}
	if len(page.Heads) > q.Limit {
		page.Heads = page.Heads[:q.Limit]
		more = true
	}
	if more {
		last := page.Heads[len(page.Heads)-1]
		page.Next = keyset.Encode(s, q, keyset.Place{Time: millis(last.Status.Timestamp), ID: last.Key.ID})
	}
	return page, nil
}

func filter(scope int64, q journal.Query) *where {
	w := new(where)
	w.and(" WHERE t.scope = ", scope)
	if q.ContextID != "" {
		w.and(" AND t.context = ", string(q.ContextID))
	}
	if q.State != 0 {
		w.and(" AND t.state = ", int32(q.State))
	}
	if !q.Since.IsZero() {
		w.and(" AND t.status_at >= ", millis(q.Since))
	}
	return w
}

// heads reads the heads of a page. It stops, and says that there are more, where the query's bound on bytes does.
func (j *Journal) heads(ctx context.Context, s journal.Scope, q journal.Query, w *where, page *journal.Page) (more bool, err error) {
	// The inner query reads an index only, also where it has to pass many tasks that do not match. CROSS JOIN keeps
	// SQLite from going through the tasks first.
	rows, err := j.db.QueryContext(ctx, `SELECT `+headColumns+`, length(t.head), t.tail + t.base FROM (SELECT t.id, t.status_at FROM tasks t`+
		w.text+`) AS page CROSS JOIN tasks t WHERE t.scope = $1 AND t.id = page.id ORDER BY page.status_at DESC, page.id DESC`, w.args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var total int64
	for rows.Next() {
		var head, task int64
		h, err := scanHead(journal.Key{Scope: s}, rows.Scan, &head, &task)
		if err != nil {
			return false, err
		}
		if total += head; q.Whole {
			total += task
		}
		if q.MaxBytes > 0 && total > q.MaxBytes && len(page.Heads) > 0 {
			return true, nil
		}
		page.Heads = append(page.Heads, h)
	}
	return false, rows.Err()
}
