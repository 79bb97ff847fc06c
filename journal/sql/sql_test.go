// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/pgtest"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/journaltest"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/postgres"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func TestMain(m *testing.M) {
	if crashing() {
		return
	}
	pgtest.Main(m)
}

func openDB(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// opener returns an empty database.
type opener func(testing.TB) *store.DB

// onEach runs a test on each engine.
func onEach(t *testing.T, test func(*testing.T, opener)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, func(t testing.TB) *store.DB { return openDB(t, t.TempDir()) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, func(t testing.TB) *store.DB { return openPostgres(t, pgtest.New(t)) })
	})
}

func newJournal(t testing.TB, db *store.DB) *sql.Journal {
	t.Helper()
	j, err := sql.New(context.Background(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestContract(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() (journal.Journal, error)) {
		db := openDB(t, t.TempDir())
		return newJournal(t, db), func() (journal.Journal, error) { return sql.New(context.Background(), db, nil) }
	})
}

// Each test has a database of its own on one server.
func TestContractOnPostgres(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() (journal.Journal, error)) {
		url := pgtest.New(t)
		db := openPostgres(t, url)
		return newJournal(t, db), func() (journal.Journal, error) {
			return sql.New(context.Background(), openPostgres(t, url), nil)
		}
	})
}

func openPostgres(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := postgres.Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// The same through a pooler in transaction mode, which gives each transaction another connection to the server.
func TestContractThroughAPooler(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	pooled := server.Pool(t)
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() (journal.Journal, error)) {
		url := pooled(server.Database(t))
		return newJournal(t, openPostgres(t, url)), func() (journal.Journal, error) {
			return sql.New(context.Background(), openPostgres(t, url), nil)
		}
	})
}
