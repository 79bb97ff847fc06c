// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dragoman-a2a/dragoman/store"
)

// mountSmall mounts a file system of 2 MiB for the test.
func mountSmall(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0777"); err != nil {
		t.Skipf("NOT TESTED: cannot mount a small file system (%v); run as root, or by `unshare -Urm go test "+
			"./store/sqlite`", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the space that is left and returns how to give it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	_ = f.Close()
	return func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := mountSmall(t)
	data := filepath.Join(dir, "data")
	db := mustOpen(t, data, Options{})
	mustExec(t, db, createItem)
	for i := range 20 {
		mustExec(t, db, insertItem, i, body)
	}
	free := fill(t, dir)

	kept := 20
	var err error
	for i := kept; i < 10_000 && err == nil; i++ {
		if err = exec1(t.Context(), db, insertItem, i, body); err == nil {
			kept++
		}
	}
	if !errors.Is(err, store.ErrDiskFull) || !strings.Contains(err.Error(), "disk is full") ||
		!strings.Contains(err.Error(), data) {
		t.Fatalf("got %v, want ErrDiskFull that names the file", err)
	}
	// One function too large for the disk fails; nothing of it is there.
	if err := exec1(t.Context(), db, insertItem, 77_777, make([]byte, 4<<20)); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("a large row: %v", err)
	}
	// Swallowing the error does not save the rest: SQLite may have rolled the
	// transaction back, and what ran after that would be committed alone.
	err = db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		// Too large for the page cache: it fails here, not at the commit.
		_, _ = tx.ExecContext(ctx, insertItem, 77_777, make([]byte, 24<<20))
		_, again := tx.ExecContext(ctx, `DELETE FROM item`)
		if row := tx.QueryRowContext(ctx, `SELECT 1`).Scan(new(int)); !errors.Is(again, store.ErrDiskFull) ||
			row == nil {
			t.Errorf("statements after the failure: %v, %v", again, row)
		}
		return nil
	})
	if !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("with the error swallowed: %v", err)
	}
	if got := count(t, db); got != kept {
		t.Errorf("%d rows while full, want %d", got, kept)
	}
	checkIntegrity(t, db)

	free()
	mustExec(t, db, insertItem, 88_888, body)
	if got := count(t, db); got != kept+1 {
		t.Errorf("%d rows with space again, want %d", got, kept+1)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, data, Options{})
	checkIntegrity(t, db)
	if got := count(t, db); got != kept+1 {
		t.Errorf("%d rows after reopening, want %d", got, kept+1)
	}
}

func TestOpenOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := mountSmall(t)
	data := filepath.Join(dir, "data")
	db := mustOpen(t, data, Options{})
	mustExec(t, db, createItem)
	mustExec(t, db, insertItem, 1, body)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	free := fill(t, dir)
	if _, err := Open(t.Context(), data, Options{}); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("existing database: got %v, want ErrDiskFull", err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "fresh"), Options{}); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("new database: got %v, want ErrDiskFull", err)
	}
	free()
	db = mustOpen(t, data, Options{})
	checkIntegrity(t, db)
	if got := count(t, db); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
}

func TestOpenReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	dir := mountSmall(t)
	data := filepath.Join(dir, "data")
	db := mustOpen(t, data, Options{})
	mustExec(t, db, createItem)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{data, filepath.Join(dir, "fresh")} {
		if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, store.ErrReadOnly) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want ErrReadOnly that names %s", err, path)
		}
	}
}

// A folder of another user: as root in a child that gives up its rights, as
// mode bits do not bind root.
func TestOpenWithoutPermission(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]os.FileMode{"readable": 0o555, "closed": 0o500} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
				_ = os.Chmod(d, 0o755) // let the other user get as far as dir
			}
			// The lock exists and can be opened: only writing fails.
			if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })

			cmd := exec.Command("/proc/self/exe") // the binary's own folder may be closed to others
			cmd.Env = append(os.Environ(), roleVar+"=open", dirVar+"="+dir)
			cmd.Dir = "/"
			if os.Getuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), store.ErrReadOnly.Error()) ||
				!strings.Contains(string(out), dir) {
				t.Errorf("the child said %q (%v), want %q and the folder", out, err, store.ErrReadOnly)
			}
		})
	}
}
