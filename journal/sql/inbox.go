// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

// Enqueue implements [journal.Journal].
func (j *Journal) Enqueue(ctx context.Context, key journal.Key, in journal.Input, limit int) (uint64, error) {
	return write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) (uint64, error) {
		r, err := j.find(ctx, tx, key)
		if err != nil {
			return 0, err
		}
		return j.enqueue(ctx, tx, r, key, in, limit, now)
	})
}

func (j *Journal) enqueue(ctx context.Context, tx *store.Tx, r *row, key journal.Key, in journal.Input, limit int,
	now int64) (uint64, error) {
	id := string(key.ID)
	if in.IdempotencyKey != "" {
		var number int64
		err := tx.QueryRowContext(ctx, `SELECT number FROM input_keys WHERE scope = $1 AND id = $2 AND key = $3`,
			r.scope, id, in.IdempotencyKey).Scan(&number)
		if err == nil || !errors.Is(err, dbsql.ErrNoRows) {
			return uint64(number), err
		}
	}
	if r.terminal() {
		return 0, journal.ErrFinished
	}
	if limit > 0 && in.Kind == journal.InputMessage {
		var waiting int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM inputs WHERE scope = $1 AND id = $2 AND kind = $3`,
			r.scope, id, int64(journal.InputMessage)).Scan(&waiting)
		if err != nil {
			return 0, err
		}
		if waiting >= limit {
			return 0, journal.ErrInboxFull
		}
	}
	if in.Time.IsZero() {
		in.Time = fromMillis(now)
	}
	body, err := encodeInput(&in)
	if err != nil {
		return 0, err
	}
	if in.Kind == journal.InputMessage { // a cancel makes room
		if err := j.room(ctx, tx, key.Owner, len(body)); err != nil {
			return 0, err
		}
	}
	r.lastInput++
	r.wait(true, now)
	return r.lastInput, r.addInput(ctx, tx, id, &in, body)
}

func (r *row) addInput(ctx context.Context, tx *store.Tx, id string, in *journal.Input, body []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO inputs (scope, id, number, kind, body) VALUES ($1, $2, $3, $4, $5)`,
		r.scope, id, int64(r.lastInput), int64(in.Kind), body)
	if err != nil {
		return err
	}
	if in.IdempotencyKey != "" {
		_, err := tx.ExecContext(ctx, `INSERT INTO input_keys (scope, id, key, number) VALUES ($1, $2, $3, $4)`,
			r.scope, id, in.IdempotencyKey, int64(r.lastInput))
		if err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE tasks SET last_input = $3, since = $4, ready_at = $5, bytes = bytes + $6
		WHERE scope = $1 AND id = $2`, r.scope, id, int64(r.lastInput), r.since, r.ready(), len(body))
	return err
}

// Inputs implements [journal.Journal].
func (j *Journal) Inputs(ctx context.Context, key journal.Key, after uint64) ([]journal.Input, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) ([]journal.Input, error) {
		in, err := inputs(ctx, j.db, scope, key, after)
		if err == nil && len(in) == 0 {
			err = exists(ctx, j.db, scope, key)
		}
		return in, err
	})
}

// exists returns ErrNotFound when the task is not there.
func exists(ctx context.Context, q store.Querier, scope int64, key journal.Key) error {
	var one int
	return missing(q.QueryRowContext(short(ctx), `SELECT 1 FROM tasks WHERE scope = $1 AND id = $2`,
		scope, string(key.ID)).Scan(&one))
}

func inputs(ctx context.Context, q store.Querier, scope int64, key journal.Key, after uint64) ([]journal.Input, error) {
	all, err := store.All(ctx, q, func(scan func(...any) error) (in journal.Input, err error) {
		var body []byte
		if err := scan(&in.Number, &in.Kind, &body); err != nil {
			return in, err
		}
		return in, decodeInput(body, &in)
	}, `SELECT number, kind, body FROM inputs
		WHERE scope = $1 AND id = $2 AND number > $3 ORDER BY number`, scope, string(key.ID), int64(after))
	if err != nil {
		return nil, failed(key.ID, "read the inputs of", err)
	}
	return all, nil
}
