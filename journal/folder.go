// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"errors"
	"sync/atomic"
)

var folders atomic.Pointer[func(context.Context, string) (Journal, error)]

// RegisterFolder says how [OpenFolder] opens a journal. It is for the init function of a package that keeps journals in
// folders; a later call replaces an earlier one.
func RegisterFolder(open func(ctx context.Context, folder string) (Journal, error)) {
	folders.Store(&open)
}

// OpenFolder opens the journal in a folder, by a package that the program imports, so that a program without such a
// journal does not link a database. Close the journal. Error: that no such package is imported, with its name.
func OpenFolder(ctx context.Context, folder string) (Journal, error) {
	open := folders.Load()
	if open == nil {
		return nil, errors.New(`journal: the program has no journal for folders; ` +
			`add import _ "github.com/dragoman-a2a/dragoman/journal/sqlite"`)
	}
	return (*open)(ctx, folder)
}
