// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
)

// Querier reads. [DB], [Snapshot] and [Tx] have it.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is the writer's transaction as one function given to [DB.Write] sees it: with the writes of the functions before
// it, and only valid until it returns. Statements are prepared once for each text. A statement is not interrupted when
// its context is cancelled, because that would undo the whole transaction, other functions' writes included; they are
// expected to be short.
type Tx struct {
	w    *writer
	open []*sql.Rows // closed when the function returns
	// saved is whether a savepoint guards this function's writes.
	saved bool
}

// ExecContext runs a statement that returns no rows.
func (tx *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	if err := tx.guard(query); err != nil {
		return nil, err
	}
	res, err := tx.w.on.ExecContext(tx.w.ctx, query, args...)
	return res, tx.w.check(err)
}

// QueryContext runs a statement that returns rows. Rows that are still open when the function ends are closed then.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := tx.guard(query); err != nil {
		return nil, err
	}
	rows, err := tx.w.on.QueryContext(tx.w.ctx, query, args...)
	if err != nil {
		return nil, tx.w.check(err)
	}
	tx.open = append(tx.open, rows)
	return rows, nil
}

// QueryRowContext runs a statement that returns at most one row. The caller must Scan it.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if err := tx.guard(query); err != nil {
		// A Row cannot be made with an error from outside; in a lost transaction it fails by its cancelled context.
		return tx.w.conn.QueryRowContext(failed(ctx, err), query, args...)
	}
	row := tx.w.on.QueryRowContext(tx.w.ctx, query, args...)
	_ = tx.w.check(row.Err()) // the caller gets it from Scan
	return row
}

// guard makes sure that what a statement writes can be undone alone.
func (tx *Tx) guard(query string) error {
	if tx.w.lost != nil || tx.saved || tx.w.alone || isSelect(query) {
		return tx.w.lost
	}
	if err := tx.w.exec("SAVEPOINT one"); err != nil {
		return tx.w.lose(err)
	}
	tx.saved = true
	return nil
}

// end closes what the function left open and keeps or undoes its writes.
func (tx *Tx) end(failed bool) error {
	for _, rows := range tx.open {
		_ = rows.Close()
	}
	if !tx.saved || tx.w.lost != nil {
		return tx.w.lost
	}
	if failed {
		if err := tx.w.exec("ROLLBACK TO SAVEPOINT one"); err != nil {
			return tx.w.lose(err)
		}
	}
	if err := tx.w.exec("RELEASE SAVEPOINT one"); err != nil {
		return tx.w.lose(err)
	}
	return nil
}

// failed returns a context in which no statement runs.
func failed(ctx context.Context, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel(cause)
	return ctx
}
