// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
)

// QueryContext runs one reading statement on a pooled connection. It sees everything that was committed before the
// call. The caller closes the rows soon: an open cursor keeps a connection and, on SQLite, the log from shrinking.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := db.reads.QueryContext(ctx, query, args...)
	return rows, db.Classify(err)
}

// QueryRowContext runs one reading statement that returns at most one row. The caller must Scan it; its error is the
// driver's own.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return db.reads.QueryRowContext(ctx, query, args...)
}

// Snapshot is the state of the database at one moment. It is only valid inside
// the function given to [DB.Read], for one goroutine.
type Snapshot struct {
	db     *DB
	tx     *sql.Tx
	stmts  *statements // of the pool that tx is from; nil if the driver keeps them
	missed []string    // texts that were not in the cache of statements
}

// Read runs fn on a snapshot: all statements in it see the same state, made of whole commits. A single statement is
// cheaper by [DB.QueryContext]. The error of fn is returned as it is. fn holds one of few connections: it reads through
// s only, as waiting for a second one could wait for ever.
func (db *DB) Read(ctx context.Context, fn func(ctx context.Context, s *Snapshot) error) error {
	return db.read(ctx, db.cfg.Reader, db.reads, fn)
}

// List is [DB.Read] for lists, which some callers ask for without a pause. It has connections of its own, so that no
// other read waits for a list. While there is something to write, it lets one transaction pass first: a list costs less
// than a write, and its callers would take the processor from those who write.
func (db *DB) List(ctx context.Context, fn func(ctx context.Context, s *Snapshot) error) error {
	return db.read(ctx, db.cfg.Lister, db.lists, func(ctx context.Context, s *Snapshot) error {
		db.writer.giveWay(ctx)
		return fn(ctx, s)
	})
}

func (db *DB) read(ctx context.Context, pool *sql.DB, on runner,
	fn func(context.Context, *Snapshot) error) error {
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: db.cfg.Dialect.Snapshot})
	if err != nil {
		return db.Classify(err)
	}
	s := &Snapshot{db: db, tx: tx}
	s.stmts, _ = on.(*statements)
	defer func() {
		// There is nothing to keep, and after a cancelled context nothing to roll back either.
		_ = tx.Rollback()
		if s.stmts != nil {
			s.stmts.learn(ctx, s.missed)
		}
	}()
	return fn(ctx, s)
}

// QueryContext runs a reading statement in the snapshot.
func (s *Snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if st, ok := s.statement(ctx, query); ok {
		rows, err := st.QueryContext(ctx, args...)
		return rows, s.db.Classify(err)
	}
	rows, err := s.tx.QueryContext(ctx, query, args...)
	return rows, s.db.Classify(err)
}

// QueryRowContext runs a reading statement in the snapshot that returns at most one row. The caller must Scan it.
func (s *Snapshot) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if st, ok := s.statement(ctx, query); ok {
		return st.QueryRowContext(ctx, args...)
	}
	return s.tx.QueryRowContext(ctx, query, args...)
}

// GiveWay lets one transaction pass if there is something to write, as
// [DB.List] does at its begin: for a list that goes on to read much.
func (s *Snapshot) GiveWay(ctx context.Context) { s.db.writer.giveWay(ctx) }

// statement returns the cached statement for a text. It prepares none: the pool does that on a connection of its own,
// which others like this may have in use while they wait for this one's.
func (s *Snapshot) statement(ctx context.Context, text string) (*sql.Stmt, bool) {
	if s.stmts == nil {
		return nil, false
	}
	st, ok := s.stmts.known(text)
	if !ok {
		s.missed = append(s.missed, text)
		return nil, false
	}
	return s.tx.StmtContext(ctx, st.Stmt), true
}

// Classify returns an error of a [sql.Row] or of [sql.Rows], which come from the driver, as one that wraps the
// matching error of this package, if there is one.
func (db *DB) Classify(err error) error {
	err, _ = db.cfg.Dialect.Classify(err)
	return err
}

// All runs a query, calls one with the Scan of each row, and returns what that made of them.
func All[T any](ctx context.Context, q Querier, one func(scan func(...any) error) (T, error), query string,
	args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		row, err := one(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
