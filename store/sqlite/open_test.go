// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

func TestOpenCreatesForTheUserOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "some", "where")
	db := mustOpen(t, dir, Options{})
	mustExec(t, db, createItem)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits; run this test on another system")
	}
	for name, want := range map[string]os.FileMode{
		"": 0o700, fileName: 0o600, fileName + "-wal": 0o600, fileName + "-shm": 0o600, lockName: 0o600,
		ownerName: 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

func TestOpenSettings(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, t.TempDir(), Options{})
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "wal_autocheckpoint": "0",
			"busy_timeout": "5000",
		} {
			var got string
			if err := tx.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %q, %v; want %q", pragma, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "50%20", "#1", "é", "a&b=c", "semi;colon"} {
		dir := filepath.Join(t.TempDir(), name)
		db := mustOpen(t, dir, Options{})
		mustExec(t, db, createItem)
		if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
			t.Error(err)
		}
	}
}

func TestReopenKeepsData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	mustExec(t, db, createItem)
	mustExec(t, db, insertItem, 1, body)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fileName + "-wal", ownerName} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there after Close (%v)", name, err)
		}
	}
	if got := count(t, mustOpen(t, dir, Options{})); got != 1 {
		t.Errorf("%d rows after reopening, want 1", got)
	}
}

func TestOpenNotAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data")
	writeFile(t, file, []byte("precious"))
	for _, path := range []string{file, filepath.Join(file, "below")} {
		_, err := Open(t.Context(), path, Options{})
		if !errors.Is(err, ErrNotFolder) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want ErrNotFolder that names %s", err, path)
		}
	}
	if got, _ := os.ReadFile(file); string(got) != "precious" {
		t.Errorf("the file holds %q now", got)
	}
}

func TestOpenNotADatabase(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"short text": []byte("hello"),
		"long text":  bytes.Repeat([]byte("Call me Ishmael. "), 1000),
		"zeros":      append(make([]byte, 8192), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, fileName)
			writeFile(t, file, content)
			for range 2 { // the first failure must have released the folder
				_, err := Open(t.Context(), dir, Options{})
				if !errors.Is(err, store.ErrNotDatabase) || !strings.Contains(err.Error(), file) {
					t.Errorf("got %v, want ErrNotDatabase that names the file", err)
				}
			}
			if got, _ := os.ReadFile(file); !bytes.Equal(got, content) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	mustExec(t, db, createItem)
	for i := range 100 {
		mustExec(t, db, insertItem, i, body)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, fileName)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < len(content); i++ { // all but the header
		content[i] = 0xa5
	}
	writeFile(t, file, content)
	db, err = Open(t.Context(), dir, Options{})
	if err == nil {
		_, err = db.QueryContext(t.Context(), `SELECT * FROM item`)
		_ = db.Close()
	}
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestOpenNewerVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	step := func(n int) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE journal" + strconv.Itoa(n) +
			" (id INTEGER);\n")}
	}
	older := fstest.MapFS{"00001_a.sql": step(1)}
	newer := fstest.MapFS{"00001_a.sql": step(1), "00002_b.sql": step(2)}
	db := mustOpen(t, dir, Options{})
	if err := db.Migrate(t.Context(), "journal", newer); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, dir, Options{})
	var tooNew *store.NewerError
	if err := db.Migrate(t.Context(), "journal", older); !errors.As(err, &tooNew) || tooNew.Have != 2 ||
		tooNew.Known != 1 {
		t.Errorf("got %v, want a NewerError with versions 2 and 1", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, fileName)); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestOpenHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := start(t, "hold", dir)
	holder.expect(t, "ready")

	_, err := Open(t.Context(), dir, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	host, _ := os.Hostname()
	if h := locked.Holder; h.PID != holder.Process.Pid || h.Program != "the holder" || h.Host != host ||
		time.Since(h.Since) > time.Minute {
		t.Errorf("the holder is said to be %+v, it is process %d", h, holder.Process.Pid)
	}
	for _, part := range []string{dir, "the holder", strconv.Itoa(holder.Process.Pid), host} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message %q does not say %q", err, part)
		}
	}

	if err := holder.in.Close(); err != nil { // it ends by itself
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, dir, Options{})
}

func TestOpenAfterTheHolderWasKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := start(t, "hold", dir)
	holder.expect(t, "ready")
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	mustOpen(t, dir, Options{Program: "the next"})
	var locked *LockedError
	if _, err := Open(t.Context(), dir, Options{}); !errors.As(err, &locked) || locked.Holder.Program != "the next" ||
		locked.Holder.PID != os.Getpid() {
		t.Errorf("got %v, want a LockedError that names this process", err)
	}
}

func TestLockedByUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustOpen(t, dir, Options{})
	writeFile(t, filepath.Join(dir, ownerName), []byte("{"))
	_, err := Open(t.Context(), dir, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder != (Holder{}) || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v, want a LockedError without a holder", err)
	}
}

func TestOpenWithCancelledContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Open(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustOpen(t, dir, Options{}) // nothing was kept locked
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProbeWrites shows that the write of DB.Ready reaches the file, although it changes nothing: another connection
// sees that there was one.
func TestProbeWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := mustOpen(t, dir, Options{})
	other, err := openPool(t.Context(), filepath.Join(dir, fileName), 1, readerParams())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	version := func() (n int) {
		t.Helper()
		if err := other.QueryRowContext(t.Context(), "PRAGMA data_version").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 3 {
		before := version()
		mustExec(t, db, dialect().Probe)
		if after := version(); after == before {
			t.Errorf("%s writes nothing", dialect().Probe)
		}
	}
	if err := db.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
