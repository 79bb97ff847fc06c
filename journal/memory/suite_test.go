// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/journaltest"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

func TestContract(t *testing.T) {
	journaltest.Run(t, func(*testing.T) (journal.Journal, func() (journal.Journal, error)) {
		return memory.New(nil), nil
	})
}
