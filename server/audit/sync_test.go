// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// While the file does not reach the disk, no record is taken.
func TestDiskThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var fails atomic.Bool
		failure := errors.New("input/output error")
		l.sync = func() error {
			if fails.Load() {
				return failure
			}
			return nil
		}
		fails.Store(true)
		record := Record{Operation: "SendMessage", Result: "ok"}
		if err := l.Append(context.Background(), record); err != nil {
			t.Fatal("before the disk is known to fail:", err)
		}
		time.Sleep(2 * syncEvery)
		if err := l.Append(context.Background(), record); !errors.Is(err, failure) {
			t.Fatal("while it fails:", err)
		}
		fails.Store(false)
		time.Sleep(2 * syncEvery)
		if err := l.Append(context.Background(), record); err != nil {
			t.Fatal("after it is well again:", err)
		}
	})
}
