// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/journal"
	_ "github.com/dragoman-a2a/dragoman/journal/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Close gives the folder up, so that it can be opened again.
func TestFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for range 2 {
		tasks, err := journal.OpenFolder(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := journal.OpenFolder(t.Context(), folder); err == nil {
			t.Error("two journals share a folder")
		}
		if err := tasks.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
