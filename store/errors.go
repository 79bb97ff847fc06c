// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by Write after Close.
	ErrClosed = errors.New("the database is closed")
	// ErrDiskFull means that there was no room for a write. Nothing of it was kept, what was committed before is
	// intact, and writing works again once there is room.
	ErrDiskFull = errors.New("the disk is full")
	// ErrReadOnly means that the folder, the file or the tables cannot be written.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrNotDatabase means that the file is something else than a database.
	ErrNotDatabase = errors.New("the file is not a database")
	// ErrDamaged means that the engine found the file's structure broken.
	ErrDamaged = errors.New("the database file is damaged")
	// ErrUnreachable means that the database's server does not answer, or takes no connection.
	ErrUnreachable = errors.New("the database cannot be reached")
	// ErrAgain means that the engine undid a transaction in favour of another one, as after a deadlock: it may succeed
	// when it is tried again, which [DB.Write] and [DB.Change] have done several times.
	ErrAgain = errors.New("the database is too busy with other changes of the same data")
	// ErrBusy means that another program held the database's lock too long.
	ErrBusy = errors.New("another program is using the database")
)

// NewerError is returned by [DB.Migrate] for a database that a newer version
// of this program has written. Nothing was changed.
type NewerError struct {
	Path      string // the database
	Component string // whose tables are newer
	Have      int64  // migration version found in the database
	Known     int64  // highest migration version this program knows
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer version of this program: its %s tables have version %d, "+
		"this program knows versions up to %d; upgrade the program, or use another place for the data",
		e.Path, e.Component, e.Have, e.Known)
}

// PanicError is returned by [DB.Write] when its function panicked. Nothing the function wrote was kept.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // where, as debug.Stack prints it; for logs only
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("store: a write function panicked: %v", e.Value)
}
