// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a fresh database with the table item(id, note), and its folder.
func open(t testing.TB) (*store.DB, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	mustWrite(t, db, `CREATE TABLE item (id INTEGER PRIMARY KEY, note TEXT NOT NULL UNIQUE)`)
	return db, dir
}

func mustWrite(t testing.TB, db *store.DB, query string, args ...any) {
	t.Helper()
	if err := write(t.Context(), db, query, args...); err != nil {
		t.Fatal(err)
	}
}

func write(ctx context.Context, db *store.DB, query string, args ...any) error {
	return db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

const insert = `INSERT INTO item (note) VALUES ($1)`

// notes returns all notes in the order they were inserted.
func notes(t testing.TB, q store.Querier) []string {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), `SELECT note FROM item ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// blocker holds the writer until release is called, so that a test can fill
// the queue with a group it knows.
func blocker(t testing.TB, db *store.DB) (release func()) {
	t.Helper()
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		left <- db.Write(context.Background(), func(context.Context, *store.Tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	return func() {
		close(leave)
		if err := <-left; err != nil {
			t.Error(err)
		}
	}
}

// waitFor waits until n functions wait for the writer.
func waitFor(t testing.TB, db *store.DB, n int) {
	t.Helper()
	for db.Stats().Waiting != n {
		if t.Context().Err() != nil {
			t.Fatal("the queue never filled")
		}
		yield()
	}
}
