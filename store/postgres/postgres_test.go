// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/dragoman-a2a/dragoman/internal/pgtest"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/postgres"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func open(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// withItems is a database with the table item(id, n) and the rows 1 and 2.
func withItems(t *testing.T, url string) *store.DB {
	t.Helper()
	db := open(t, url)
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO item VALUES (1, 0), (2, 0)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func sum(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `SELECT sum(n) FROM item`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// add reads rows, ends each SELECT with lock, and writes them one larger.
func add(lock string, ids ...int) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		for _, id := range ids {
			var n int
			if err := tx.QueryRowContext(ctx, `SELECT n FROM item WHERE id = $1`+lock, id).Scan(&n); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE item SET n = $2 WHERE id = $1`, id, n+1); err != nil {
				return err
			}
		}
		return nil
	}
}

// Functions of Write exclude each other on all nodes, so they need no locks of their own.
func TestWriteExcludesAllOthers(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	nodes := []*store.DB{withItems(t, url), open(t, url)}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if err := nodes[i%2].Write(t.Context(), add("", 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := sum(t, nodes[0]); n != 160 {
		t.Errorf("160 writes added %d", n)
	}
}

// Functions of Change run beside each other. Those that lock rows in another order end in a deadlock, of which nobody
// hears: the one that the server picks runs again.
func TestChangesAfterADeadlock(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	nodes := []*store.DB{withItems(t, url), open(t, url)}
	var all sync.WaitGroup
	for i := range 2 {
		ids := []int{1, 2}
		if i == 1 {
			ids = []int{2, 1}
		}
		all.Go(func() {
			for range 10 {
				if err := nodes[i].Change(t.Context(), add(nodes[i].Dialect().Lock, ids...)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := sum(t, nodes[0]); n != 40 {
		t.Errorf("20 changes of two rows added %d", n)
	}
}

// A change waits for no other one with other rows.
func TestChangesRunBesideEachOther(t *testing.T) {
	t.Parallel()
	db := withItems(t, pgtest.New(t))
	holds, done := make(chan struct{}), make(chan error)
	go func() {
		done <- db.Change(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			err := add(db.Dialect().Lock, 1)(ctx, tx)
			close(holds)
			<-done
			return err
		})
	}()
	<-holds
	for _, write := range []func(context.Context, func(context.Context, *store.Tx) error) error{db.Change, db.Write} {
		if err := write(t.Context(), add(db.Dialect().Lock, 2)); err != nil {
			t.Error(err)
		}
	}
	done <- nil
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// After an error the server keeps nothing of a transaction, also if the function goes on as if nothing had happened.
func TestAnErrorCannotBeIgnored(t *testing.T) {
	t.Parallel()
	db := withItems(t, pgtest.New(t))
	err := db.Change(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, _ = tx.ExecContext(ctx, `UPDATE item SET n = 1 / 0`)
		_, _ = tx.ExecContext(ctx, `UPDATE item SET n = 7`)
		return nil
	})
	if err == nil || sum(t, db) != 0 {
		t.Errorf("error %v, the sum is %d", err, sum(t, db))
	}
	if err := db.Change(t.Context(), add("", 1)); err != nil {
		t.Error(err)
	}
}

func TestServerThatComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	db := withItems(t, server.Database(t))
	use := func() (errs []error) {
		_, err := store.All(t.Context(), db, func(scan func(...any) error) (n int, err error) { return n, scan(&n) },
			`SELECT n FROM item`)
		return []error{db.Write(t.Context(), add("", 1)), db.Change(t.Context(), add("", 2)), err}
	}
	for _, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} { // an orderly end, and a crash
		server.Down(how)
		for i, err := range use() {
			if !errors.Is(db.Classify(err), store.ErrUnreachable) {
				t.Errorf("use %d without a server: %v", i, err)
			}
		}
		if err := db.Ready(t.Context()); !errors.Is(err, store.ErrUnreachable) {
			t.Errorf("ready: %v", err)
		}
		if err := server.Up(); err != nil {
			t.Fatal(err)
		}
		for i, err := range use() {
			if err != nil {
				t.Errorf("use %d of the server that came back: %v", i, err)
			}
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Errorf("ready: %v", err)
		}
	}
	if n := sum(t, db); n != 4 {
		t.Errorf("the sum is %d", n)
	}
}

func TestManyNodesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	steps := fstest.MapFS{}
	for i := 1; i <= 3; i++ {
		steps[fmt.Sprintf("%05d_step.sql", i)] = &fstest.MapFile{
			Data: fmt.Appendf(nil, "-- +goose Up\nCREATE TABLE step%d (id INTEGER);\n", i)}
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			db, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(db.Migrate(t.Context(), "c", steps), db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	delete(steps, "00003_step.sql")
	err := open(t, url).Migrate(t.Context(), "c", steps)
	if newer, ok := errors.AsType[*store.NewerError](err); !ok || newer.Have != 3 || newer.Known != 2 {
		t.Errorf("an older program gets %v", err)
	}
}

// An error of Open says what to do, and never has the password.
func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	db := open(t, url)
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `CREATE ROLE guest LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.TrimSuffix(strings.Replace(url, "postgres@", "postgres:s3cret@", 1), "?sslmode=disable")
	for name, tt := range map[string]struct {
		url  string
		want error  // nil where the server's error has no sentinel
		hint string // what to do
	}{
		"no server":   {"postgres://u:s3cret@127.0.0.1:1/d", store.ErrUnreachable, ""},
		"no database": {at[:strings.LastIndex(at, "/")] + "/none?sslmode=disable", nil, "createdb"},
		"no user":     {strings.Replace(at, "postgres:s3cret", "nobody:s3cret", 1) + "?sslmode=disable", nil, "PGUSER"},
		"no rights": {strings.Replace(at, "postgres:s3cret", "guest:s3cret", 1) + "?sslmode=disable",
			store.ErrReadOnly, "GRANT"},
		"not a URL": {"postgres://u:s3cret@:notaport/d", nil, "postgres://user@host:5432/database"},
	} {
		db, err := postgres.Open(t.Context(), tt.url)
		if err == nil {
			db.Close()
		}
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.hint) ||
			strings.Contains(fmt.Sprint(err), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
