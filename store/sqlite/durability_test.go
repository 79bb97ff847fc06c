// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

// Writes that were reported as committed survive kill -9, several times in a row on one file.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		writer := start(t, "write", dir)
		var reported []int
		for writer.out.Scan() {
			if line := writer.out.Text(); strings.HasPrefix(line, "error") {
				t.Fatal(line)
			}
			i, err := strconv.Atoi(writer.out.Text())
			if err != nil {
				t.Fatalf("the child said %q", writer.out.Text())
			}
			reported = append(reported, i)
			if len(reported) == 500*(round+1) { // what follows is already on its way
				if err := writer.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = writer.Wait()
		if len(reported) < 500 {
			t.Fatalf("the child ended after %d rows", len(reported))
		}
		db := mustOpen(t, dir, Options{})
		checkIntegrity(t, db)
		for _, i := range reported {
			var n int
			if err := db.QueryRowContext(t.Context(), `SELECT length(body) FROM item WHERE id = $1`,
				i).Scan(&n); err != nil || n != len(body) {
				t.Errorf("round %d: row %d was reported and has %d bytes, %v", round, i, n, err)
			}
		}
		mustExec(t, db, `DELETE FROM item`)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Under steady load the log starts over again and again.
func TestLogStaysShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const limit = 200 // pages
	db := mustOpen(t, dir, Options{walPages: limit})
	mustExec(t, db, createItem)
	writeALot(t, db, 4, 1000) // at least 16 MB of log
	if got := walSize(t, dir); got > 2*limit*4096 {
		t.Errorf("the log has %d KB for a limit of %d KB", got>>10, limit*4)
	}
	if got := count(t, db); got != 4000 {
		t.Errorf("%d rows, want 4000", got)
	}
}

// A reader with an old snapshot lets the log grow; when it is gone, the log
// starts over.
func TestLogRecoversFromALongReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const limit = 100
	db := mustOpen(t, dir, Options{walPages: limit})
	mustExec(t, db, createItem)
	err := db.Read(t.Context(), func(ctx context.Context, s *store.Snapshot) error {
		if err := s.QueryRowContext(ctx, `SELECT count(*) FROM item`).Scan(new(int)); err != nil {
			return err
		}
		writeALot(t, db, 2, 400)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	grown := walSize(t, dir)
	if grown < limit*4096 {
		t.Fatalf("the log has %d KB: the reader did not hold it", grown>>10)
	}
	mustExec(t, db, `DELETE FROM item`)
	writeALot(t, db, 2, 1500)
	if got := walSize(t, dir); got > grown*3/2 {
		t.Errorf("the log grew on, from %d to %d KB", grown>>10, got>>10)
	}
}

func TestLogTruncatedWhenIdle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{idleAfter: 20 * time.Millisecond})
	mustExec(t, db, createItem)
	mustExec(t, db, insertItem, 1, body)
	poll(t, "the log is empty", func() bool { return walSize(t, dir) == 0 })
	mustExec(t, db, insertItem, 2, body)
	poll(t, "the log is empty again", func() bool { return walSize(t, dir) == 0 })
	if got := count(t, db); got != 2 {
		t.Errorf("%d rows, want 2", got)
	}
}

// Another program that holds SQLite's own lock is waited for, then named as
// the reason.
func TestBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("waits 5 s for the busy timeout; run without -short")
	}
	t.Parallel()
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	mustExec(t, db, createItem)
	other, err := openPool(t.Context(), filepath.Join(dir, fileName), 1, writerParams())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := exec1(t.Context(), db, insertItem, 1, body); !errors.Is(err, store.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, insertItem, 1, body)
}

func writeALot(t *testing.T, db *store.DB, writers, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := exec1(t.Context(), db, `INSERT INTO item (body) VALUES ($1)`, body); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func walSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, fileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// poll waits up to ten seconds for something to become true.
func poll(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("never came true: %s", what)
		case <-tick.C:
		}
	}
}
