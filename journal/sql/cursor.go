// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"strconv"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
	"github.com/dragoman-a2a/dragoman/store"
)

// PutCursor implements [journal.Journal].
func (j *Journal) PutCursor(ctx context.Context, key journal.Key, c journal.Cursor) error {
	return j.change(ctx, func(ctx context.Context, tx *store.Tx, now int64) error {
		r, err := j.find(ctx, tx, key)
		if err != nil {
			return err
		}
		if err := putCursor(ctx, tx, r.scope, r.seq, key, &c, now); err != nil {
			return err
		}
		if err := j.room(ctx, tx, key.Owner, 0); err != nil {
			return err
		}
		return countCursors(ctx, tx, r.scope, key)
	})
}

func putCursor(ctx context.Context, tx *store.Tx, scope int64, seq uint64, key journal.Key, c *journal.Cursor,
	now int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO cursors (scope, id, name, delivered, attempts, due, ready_at, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (scope, id, name) DO UPDATE SET delivered = excluded.delivered, attempts = excluded.attempts,
		due = excluded.due, ready_at = excluded.ready_at, data = excluded.data`,
		scope, string(key.ID), c.Name, int64(c.Delivered), c.Attempts, millis(c.Due), cursorReady(c, seq, now), c.Data)
	return err
}

// cursorReady returns from when on a cursor is due, nothing if it has nothing to deliver.
func cursorReady(c *journal.Cursor, seq uint64, now int64) dbsql.NullInt64 {
	at := now
	if !c.Due.IsZero() {
		at = millis(c.Due)
	}
	return dbsql.NullInt64{Int64: at, Valid: c.Delivered < seq}
}

// SwapCursor implements [journal.Journal].
func (j *Journal) SwapCursor(ctx context.Context, key journal.Key, old, next journal.Cursor) error {
	return j.change(ctx, func(ctx context.Context, tx *store.Tx, now int64) error {
		r, err := j.find(ctx, tx, key)
		if errors.Is(err, journal.ErrNotFound) {
			return journal.ErrConflict
		}
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `UPDATE cursors SET delivered = $4, attempts = $5, due = $6, ready_at = $7,
			data = $8 WHERE scope = $1 AND id = $2 AND name = $3 AND delivered = $9 AND attempts = $10 AND due = $11
			AND data IS NOT DISTINCT FROM $12`, r.scope, string(key.ID), old.Name,
			int64(next.Delivered), next.Attempts, millis(next.Due), cursorReady(&next, r.seq, now), next.Data,
			int64(old.Delivered), old.Attempts, millis(old.Due), old.Data)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n == 0 && err == nil {
			return journal.ErrConflict
		}
		return err
	})
}

// countCursors keeps the number of a task's cursors in its row: a commit to a task without any need not look for them.
func countCursors(ctx context.Context, tx *store.Tx, scope int64, key journal.Key) error {
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET cursors =
		(SELECT count(*) FROM cursors c WHERE c.scope = $1 AND c.id = $2)
		WHERE scope = $1 AND id = $2`, scope, string(key.ID))
	return err
}

// Cursors implements [journal.Journal].
func (j *Journal) Cursors(ctx context.Context, key journal.Key) ([]journal.Cursor, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) ([]journal.Cursor, error) {
		all, err := store.All(ctx, j.db, func(scan func(...any) error) (c journal.Cursor, err error) {
			return c, scanCursor(&c, scan)
		}, `SELECT name, delivered, attempts, due, data FROM cursors
			WHERE scope = $1 AND id = $2 ORDER BY name`, scope, string(key.ID))
		if err != nil {
			return nil, failed(key.ID, "read the cursors of", err)
		}
		if len(all) == 0 {
			return nil, exists(ctx, j.db, scope, key)
		}
		return all, nil
	})
}

// scanCursor reads a row that ends with a cursor; what precedes it goes to before.
func scanCursor(c *journal.Cursor, scan func(...any) error, before ...any) error {
	var due int64
	err := scan(append(before, &c.Name, &c.Delivered, &c.Attempts, &due, &c.Data)...)
	c.Due = fromMillis(due)
	return err
}

// DueCursors implements [journal.Journal].
func (j *Journal) DueCursors(ctx context.Context, limit int) ([]journal.DueCursor, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	now, err := j.now(ctx, j.db)
	if err != nil {
		return nil, err
	}
	return store.All(ctx, j.db, func(scan func(...any) error) (c journal.DueCursor, err error) {
		return c, scanCursor(&c.Cursor, scan, &c.Key.Agent, &c.Key.Tenant, &c.Key.Owner, &c.Key.ID)
	}, `SELECT s.agent, s.tenant, s.owner, c.id, c.name, c.delivered, c.attempts, c.due, c.data
		FROM cursors c JOIN scopes s ON s.id = +c.scope WHERE c.ready_at <= $1 ORDER BY c.ready_at
		LIMIT $2`, now, limit)
}

// AllCursors implements [journal.Journal].
func (j *Journal) AllCursors(ctx context.Context, pageToken string, limit int) ([]journal.DueCursor, string, error) {
	if err := j.begin(ctx); err != nil {
		return nil, "", err
	}
	after, err := keyset.DecodeTexts(pageToken, 3)
	if err != nil {
		return nil, "", err
	}
	if after == nil {
		after = []string{"0", "", ""}
	}
	from, err := strconv.ParseInt(after[0], 10, 64)
	if err != nil {
		return nil, "", journal.ErrBadPageToken
	}
	var scope int64 // of the last one
	page, err := store.All(ctx, j.db, func(scan func(...any) error) (c journal.DueCursor, err error) {
		return c, scanCursor(&c.Cursor, scan, &scope, &c.Key.Agent, &c.Key.Tenant, &c.Key.Owner, &c.Key.ID)
	}, selectAllCursors, from, after[1], after[2], limit)
	if err != nil || len(page) < limit || limit == 0 {
		return page, "", err
	}
	last := &page[limit-1]
	return page, keyset.EncodeTexts(strconv.FormatInt(scope, 10), string(last.Key.ID), last.Name), nil
}

// selectAllCursors goes along the primary key.
const selectAllCursors = `SELECT c.scope, s.agent, s.tenant, s.owner, c.id, c.name, c.delivered, c.attempts, c.due,
	c.data FROM cursors c CROSS JOIN scopes s WHERE s.id = c.scope AND (c.scope, c.id, c.name) > ($1, $2, $3)
	ORDER BY c.scope, c.id, c.name LIMIT $4`

// DeleteCursor implements [journal.Journal].
func (j *Journal) DeleteCursor(ctx context.Context, key journal.Key, name string) error {
	return j.change(ctx, func(ctx context.Context, tx *store.Tx, _ int64) error {
		r, err := j.find(ctx, tx, key)
		if errors.Is(err, journal.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM cursors WHERE scope = $1 AND id = $2 AND name = $3`,
			r.scope, string(key.ID), name)
		if err != nil {
			return err
		}
		return countCursors(ctx, tx, r.scope, key)
	})
}
