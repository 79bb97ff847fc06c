// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func fileSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestFileShrinks removes most rows of a database, also of one that an earlier version made.
func TestFileShrinks(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]bool{"new": false, "of an earlier version": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if old {
				if err := createFile(filepath.Join(dir, fileName)); err != nil {
					t.Fatal(err)
				}
				pool, err := openPool(t.Context(), filepath.Join(dir, fileName), 1, writerParams())
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range []string{"CREATE TABLE before (x INTEGER)", "INSERT INTO before VALUES (1)"} {
					if _, err := pool.ExecContext(t.Context(), text); err != nil {
						t.Fatal(err)
					}
				}
				if err := pool.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var log bytes.Buffer
			db := mustOpen(t, dir, Options{idleAfter: 20 * time.Millisecond,
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if told := strings.Contains(log.String(), "level=INFO") &&
				strings.Contains(log.String(), "bytes=8192"); told != old {
				t.Errorf("the log has %q", log.String())
			}
			mustExec(t, db, createItem)
			writeALot(t, db, 4, 500)
			poll(t, "the log is in the file", func() bool { return walSize(t, dir) == 0 })
			full := fileSize(t, dir)
			if full < 1<<20 {
				t.Fatalf("the file has %d bytes", full)
			}
			mustExec(t, db, `DELETE FROM item WHERE id > 10`)
			poll(t, "the file is short", func() bool { return fileSize(t, dir) < full/10 })
			if got := count(t, db); got != 10 {
				t.Errorf("%d rows, want 10", got)
			}
			checkIntegrity(t, db)
		})
	}
}
