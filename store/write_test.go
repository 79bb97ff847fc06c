// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func yield() { runtime.Gosched() }

type writeFunc = func(context.Context, *store.Tx) error

// group runs functions in one transaction, in this order, and returns their
// results.
func group(t testing.TB, db *store.DB, fns ...writeFunc) []error {
	t.Helper()
	release := blocker(t, db)
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	for i, fn := range fns {
		wg.Go(func() { errs[i] = db.Write(context.Background(), fn) })
		waitFor(t, db, i+1)
	}
	release()
	wg.Wait()
	return errs
}

func inserts(note string) writeFunc {
	return func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, insert, note)
		return err
	}
}

func TestWriteGroupsWhatWaits(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	before := db.Stats()
	var fns []writeFunc
	for i := range 50 {
		fns = append(fns, inserts(fmt.Sprint(i)))
	}
	for _, err := range group(t, db, fns...) {
		if err != nil {
			t.Error(err)
		}
	}
	after := db.Stats()
	// One commit for the function that held the writer, one for the fifty.
	if got := after.Commits - before.Commits; got != 2 {
		t.Errorf("%d commits, want 2", got)
	}
	if got := after.Writes - before.Writes; got != 51 {
		t.Errorf("%d writes, want 51", got)
	}
	if got := len(notes(t, db)); got != 50 {
		t.Errorf("%d rows, want 50", got)
	}
}

func TestWriteManyCallers(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	const callers, each = 32, 50
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				note := fmt.Sprintf("%d/%d", c, i)
				if err := write(t.Context(), db, insert, note); err != nil {
					t.Error(err)
				}
				// A write that has returned is visible to readers.
				var n int
				if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM item WHERE note = $1`,
					note).Scan(&n); err != nil || n != 1 {
					t.Errorf("after the write: %d rows, %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	s := db.Stats()
	if s.Writes != callers*each+1 { // and the table
		t.Errorf("%d writes, want %d", s.Writes, callers*each+1)
	}
	if s.Commits*2 > s.Writes {
		t.Errorf("%d commits for %d writes: they were not grouped", s.Commits, s.Writes)
	}
}

func TestWriteBatchIsBounded(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	before := db.Stats().Commits
	fns := slices.Repeat([]writeFunc{func(context.Context, *store.Tx) error { return nil }}, 300)
	group(t, db, fns...)
	if got := db.Stats().Commits - before; got != 3 {
		t.Errorf("%d commits for 1 + 300 functions, want 3 (1, 256, 44)", got)
	}
}

// If one function of a group fails in any way, the others are committed and none of its own writes is.
func TestWriteFailureHurtsNobodyElse(t *testing.T) {
	t.Parallel()
	errConflict := errors.New("conflict")
	bad := map[string]struct {
		fn    writeFunc
		check func(error) bool
	}{
		"error before a write": {
			func(context.Context, *store.Tx) error { return errConflict },
			func(err error) bool { return err == errConflict },
		},
		"error after writes": {
			func(ctx context.Context, tx *store.Tx) error {
				if err := inserts("bad")(ctx, tx); err != nil {
					return err
				}
				if err := inserts("bad too")(ctx, tx); err != nil {
					return err
				}
				return errConflict
			},
			func(err error) bool { return err == errConflict },
		},
		"error after INSERT RETURNING": {
			func(ctx context.Context, tx *store.Tx) error {
				var id int
				if err := tx.QueryRowContext(ctx, insert+` RETURNING id`, "bad").Scan(&id); err != nil {
					return err
				}
				return errConflict
			},
			func(err error) bool { return err == errConflict },
		},
		"constraint": {
			func(ctx context.Context, tx *store.Tx) error {
				if err := inserts("bad")(ctx, tx); err != nil {
					return err
				}
				return inserts("first")(ctx, tx)
			},
			func(err error) bool { return strings.Contains(err.Error(), "UNIQUE") },
		},
		"syntax": {
			func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "INSERT INTO nowhere VALUES (1)")
				return err
			},
			func(err error) bool { return strings.Contains(err.Error(), "nowhere") },
		},
		"syntax in one row": {
			func(ctx context.Context, tx *store.Tx) error {
				return tx.QueryRowContext(ctx, "SELECT nothing").Scan(new(int))
			},
			func(err error) bool { return strings.Contains(err.Error(), "nothing") },
		},
		"panic after a write": {
			func(ctx context.Context, tx *store.Tx) error {
				_ = inserts("bad")(ctx, tx)
				panic("oh")
			},
			func(err error) bool {
				var p *store.PanicError
				return errors.As(err, &p) && p.Value == "oh" && strings.Contains(string(p.Stack), "write_test.go")
			},
		},
		"rows left open": {
			func(ctx context.Context, tx *store.Tx) error {
				_ = inserts("bad")(ctx, tx)
				rows, err := tx.QueryContext(ctx, `SELECT note FROM item`)
				if err != nil || !rows.Next() {
					return fmt.Errorf("no rows: %w", err)
				}
				return errConflict
			},
			func(err error) bool { return err == errConflict },
		},
	}
	for name, tt := range bad {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			errs := group(t, db, inserts("first"), tt.fn, inserts("last"))
			if errs[0] != nil || errs[2] != nil {
				t.Errorf("the good ones got %v and %v", errs[0], errs[2])
			}
			if errs[1] == nil || !tt.check(errs[1]) {
				t.Errorf("the bad one got %v", errs[1])
			}
			if diff := cmp.Diff([]string{"first", "last"}, notes(t, db)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			// Alone in its transaction it comes out the same.
			if err := db.Write(t.Context(), tt.fn); err == nil || !tt.check(err) {
				t.Errorf("alone it got %v", err)
			}
			if got := len(notes(t, db)); got != 2 {
				t.Errorf("alone it left something: %d rows", got)
			}
			if failed := db.Stats().Failed; failed != 2 {
				t.Errorf("%d failed, want 2", failed)
			}
		})
	}
}

// When the commit itself fails, all hear of it and the writer goes on.
func TestWriteCommitFails(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	mustWrite(t, db, `CREATE TABLE child (item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED)`)
	errs := group(t, db,
		inserts("a"),
		func(context.Context, *store.Tx) error { return errors.New("its own") },
		func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO child VALUES (99)`)
			return err
		})
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") || !strings.Contains(err.Error(), db.Path()) {
			t.Errorf("function %d: %v", i, err)
		}
	}
	mustWrite(t, db, insert, "b")
	if diff := cmp.Diff([]string{"b"}, notes(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestWriteSeesEarlierFunctionsOfTheGroup(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	errTaken := errors.New("taken")
	takes := func(ctx context.Context, tx *store.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM item`).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return errTaken
		}
		return inserts("mine")(ctx, tx)
	}
	errs := group(t, db, takes, takes)
	if errs[0] != nil || errs[1] != errTaken {
		t.Errorf("got %v and %v, want the first one to win", errs[0], errs[1])
	}
}

func TestWriteCancelledBeforeStart(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	cause := errors.New("gone home")
	ctx, cancel := context.WithCancelCause(t.Context())
	release := blocker(t, db)
	result := make(chan error, 1)
	go func() { result <- write(ctx, db, insert, "never") }()
	waitFor(t, db, 1)
	cancel(cause)
	if err := <-result; err != cause { // although the writer is still held
		t.Errorf("got %v, want the cause", err)
	}
	release()
	mustWrite(t, db, insert, "after")
	if diff := cmp.Diff([]string{"after"}, notes(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if err := write(ctx, db, insert, "never"); err != cause {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestWriteCancelledAfterStartIsAwaited(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		cancel()
		return inserts("kept")(ctx, tx)
	})
	if err != nil {
		t.Errorf("got %v: the write was not interrupted", err)
	}
	if diff := cmp.Diff([]string{"kept"}, notes(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestWriteQueueIsBounded(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	release := blocker(t, db)
	var wg sync.WaitGroup
	for i := range 1024 {
		wg.Go(func() {
			if err := write(context.Background(), db, insert, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, db, 1024)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := write(ctx, db, insert, "one too many"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a full queue: %v", err)
	}
	release()
	wg.Wait()
	if got := len(notes(t, db)); got != 1024 {
		t.Errorf("%d rows, want 1024", got)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	release := blocker(t, db)
	result := make(chan error, 1)
	go func() { result <- write(context.Background(), db, insert, "accepted") }()
	waitFor(t, db, 1)
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	release()
	if err := <-result; err != nil {
		t.Errorf("a write accepted before Close: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := write(context.Background(), db, insert, "late"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("write after Close: %v", err)
	}
	if _, err := db.QueryContext(t.Context(), `SELECT 1`); err == nil {
		t.Error("a read after Close went through")
	}
}

// Every write returns when writes race with Close.
func TestCloseRace(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	var wg sync.WaitGroup
	for c := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				err := write(context.Background(), db, insert, fmt.Sprint(c, "/", i))
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for db.Stats().Writes < 50 {
		yield()
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

func TestReadIsOneSnapshot(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	mustWrite(t, db, insert, "before")
	err := db.Read(t.Context(), func(ctx context.Context, s *store.Snapshot) error {
		first := notes(t, s)
		mustWrite(t, db, insert, "meanwhile")
		if diff := cmp.Diff(first, notes(t, s)); diff != "" {
			t.Errorf("the snapshot changed (-first +second):\n%s", diff)
		}
		var n int
		if err := s.QueryRowContext(ctx, `SELECT count(*) FROM item`).Scan(&n); err != nil || n != 1 {
			t.Errorf("count in the snapshot: %d, %v", n, err)
		}
		return sql.ErrNoRows
	})
	if err != sql.ErrNoRows {
		t.Errorf("got %v, want the function's error", err)
	}
	if got := len(notes(t, db)); got != 2 {
		t.Errorf("%d rows afterwards, want 2", got)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	if err := db.QueryRowContext(t.Context(), insert+` RETURNING id`, "x").Scan(new(int)); err == nil {
		t.Error("a reader wrote")
	}
	if _, err := db.QueryContext(t.Context(), `DELETE FROM item RETURNING id`); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
}

// More texts than the statement cache holds still work.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for i := range 1100 {
		query := fmt.Sprintf(`SELECT %d`, i)
		var got, inTx int
		if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != i {
			t.Fatalf("%s: %d, %v", query, got, err)
		}
		if i < 990 {
			continue
		}
		if err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRowContext(ctx, query).Scan(&inTx)
		}); err != nil || inTx != i {
			t.Fatalf("%s: %d, %v", query, inTx, err)
		}
	}
	rows, err := db.QueryContext(t.Context(), `SELECT 'beyond' UNION SELECT 'the cache'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestNow(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	before := time.Now().Add(-time.Second)
	now, err := db.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if now.Before(before) || now.After(time.Now().Add(time.Second)) {
		t.Errorf("the database's clock says %v", now)
	}
	if !db.Exclusive() || db.Dialect().Name != "sqlite" || !strings.HasSuffix(db.Path(), "dragoman.db") {
		t.Errorf("exclusive %v, dialect %q, path %q", db.Exclusive(), db.Dialect().Name, db.Path())
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db, _ := open(b)
			mustWrite(b, db,
				`CREATE TABLE event (task INTEGER, seq INTEGER, body BLOB, PRIMARY KEY (task, seq)) WITHOUT ROWID`)
			mustWrite(b, db, `CREATE TABLE head (task INTEGER PRIMARY KEY, seq INTEGER, body BLOB)`)
			body := make([]byte, 500)
			work := make(chan int, writers)
			before := db.Stats()
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					for i := range work {
						if err := db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
							return benchWrite(ctx, tx, i, body)
						}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for i := range b.N {
				work <- i
			}
			close(work)
			wg.Wait()
			b.StopTimer()
			after := db.Stats()
			b.ReportMetric(float64(after.Writes-before.Writes)/float64(after.Commits-before.Commits), "writes/commit")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
		})
	}
}

// benchWrite is about what a journal does for one event.
func benchWrite(ctx context.Context, tx *store.Tx, i int, body []byte) error {
	task := i % 1000
	var seq int
	err := tx.QueryRowContext(ctx, `SELECT seq FROM head WHERE task = $1`, task).Scan(&seq)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO event (task, seq, body) VALUES ($1, $2, $3)`, task, seq+1,
		body); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO head (task, seq, body) VALUES ($1, $2, $3)
		ON CONFLICT (task) DO UPDATE SET seq = excluded.seq, body = excluded.body`, task, seq+1, body)
	return err
}

func TestReadNeedsOneConnection(t *testing.T) {
	t.Parallel()
	// As many snapshots as connections, all with a statement that nobody has
	// prepared: none may wait for a connection of another.
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var begun, ended sync.WaitGroup
	begun.Add(2)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 {
		ended.Go(func() {
			err := db.Read(ctx, func(ctx context.Context, s *store.Snapshot) error {
				begun.Done()
				begun.Wait()
				var one, two int
				if err := s.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
					return err
				}
				rows, err := s.QueryContext(ctx, `SELECT 2`)
				if err != nil {
					return err
				}
				defer rows.Close()
				if !rows.Next() || rows.Scan(&two) != nil || one != 1 || two != 2 {
					return fmt.Errorf("read %d and %d", one, two)
				}
				return rows.Err()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
}

func BenchmarkRead(b *testing.B) {
	db, _ := open(b)
	mustWrite(b, db, insert, "x")
	b.Run("row", func(b *testing.B) {
		for b.Loop() {
			var n string
			if err := db.QueryRowContext(context.Background(), `SELECT note FROM item WHERE id = $1`,
				1).Scan(&n); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			var n string
			if err := db.Read(context.Background(), func(ctx context.Context, s *store.Snapshot) error {
				return s.QueryRowContext(ctx, `SELECT note FROM item WHERE id = $1`, 1).Scan(&n)
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
