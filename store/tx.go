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
	st, err := tx.use(query)
	if err != nil {
		return nil, err
	}
	defer st.used()
	res, err := st.ExecContext(background, args...)
	return res, tx.w.check(err)
}

// QueryContext runs a statement that returns rows. Rows that are still open when the function ends are closed then.
func (tx *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := tx.use(query)
	if err != nil {
		return nil, err
	}
	defer st.used()
	rows, err := st.QueryContext(background, args...)
	if err != nil {
		return nil, tx.w.check(err)
	}
	tx.open = append(tx.open, rows)
	return rows, nil
}

// QueryRowContext runs a statement that returns at most one row. The caller must Scan it.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := tx.use(query)
	if err != nil {
		// A Row cannot be made with an error from outside; a statement that cannot be prepared fails here once more, a
		// lost transaction by its cancelled context.
		return tx.w.conn.QueryRowContext(failed(ctx, tx.w.lost), query, args...)
	}
	defer st.used()
	row := st.QueryRowContext(background, args...)
	_ = tx.w.check(row.Err()) // the caller gets it from Scan
	return row
}

// use finds the statement and makes sure that it can be undone alone.
func (tx *Tx) use(query string) (statement, error) {
	if tx.w.lost != nil {
		return statement{}, tx.w.lost
	}
	st, err := tx.w.stmts.get(background, query)
	if err != nil {
		return statement{}, tx.w.check(err)
	}
	if st.reads || tx.saved || tx.w.alone {
		return st, nil
	}
	if _, err := tx.w.savepoint.ExecContext(background); err != nil {
		return statement{}, tx.w.lose(err)
	}
	tx.saved = true
	return st, nil
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
		if _, err := tx.w.rollbackTo.ExecContext(background); err != nil {
			return tx.w.lose(err)
		}
	}
	if _, err := tx.w.release.ExecContext(background); err != nil {
		return tx.w.lose(err)
	}
	return nil
}

// background is the context of all statements of the writer: it cannot be
// cancelled, which also spares the driver a goroutine for each statement.
var background = context.Background()

// failed returns a context in which no statement runs when the transaction is lost.
func failed(ctx context.Context, lost error) context.Context {
	if lost == nil {
		return background
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel(lost)
	return ctx
}
