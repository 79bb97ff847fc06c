// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/journal"
)

// This test's program imports no journal for folders.
func TestOpenFolderNamesTheMissingImport(t *testing.T) {
	t.Parallel()
	_, err := journal.OpenFolder(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), `import _ "github.com/dragoman-a2a/dragoman/journal/sqlite"`) {
		t.Errorf("got %v", err)
	}
}
