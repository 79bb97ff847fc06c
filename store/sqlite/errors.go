// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/dragoman-a2a/dragoman/store"
)

// classify is the dialect's Classify. SQLite may roll a whole transaction back
// on its own after the errors for which lost is true.
func classify(err error) (_ error, lost bool) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err, false
	}
	code := e.Code() & 0xff
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the index of the log could not grow
		code = sqlite3.SQLITE_FULL
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: free some space and try again (%w)", store.ErrDiskFull, err), true
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: make folder and file writable for this user (%w)", store.ErrReadOnly, err), true
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: move the file away, or name another data folder (%w)", store.ErrNotDatabase, err), true
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: restore it from a backup, or try the .recover command of the sqlite3 shell (%w)",
			store.ErrDamaged, err), true
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%w: it held the lock for over %v (%w)", store.ErrBusy, busyTimeout, err), true
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return err, true
	}
	return err, false
}

// classifyOS does the same for errors of the operating system.
func classifyOS(err error) error {
	switch {
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make it writable for this user, or name another folder (%w)", store.ErrReadOnly, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: free some space and try again (%w)", store.ErrDiskFull, err)
	}
	return err
}
