// SPDX-License-Identifier: Apache-2.0

package store

import (
	"database/sql"
	"time"

	"github.com/pressly/goose/v3"
)

// Dialect is everything in which the engines differ and that code outside the engine's own package has to know.
type Dialect struct {
	// Name is "sqlite" or "postgres". Components choose their migrations by it.
	Name string
	// Now is an SQL expression for the database's clock: an integer, Unix time in milliseconds.
	Now string
	// Begin are the statements that start a transaction of [DB.Write]: the first one starts any transaction that
	// writes, the others keep all other functions of Write out.
	Begin []string
	// Lock ends a SELECT of [DB.Change] whose rows nobody else may change until the end. LockFree is the same for
	// the rows of the table t, and leaves out those that are locked already. All are empty on an engine with a
	// single writer.
	Lock, LockFree string
	// Share is Lock for rows that several may keep from being removed at a time.
	Share string
	// Snapshot is the isolation in which all statements of a transaction see the same state.
	Snapshot sql.IsolationLevel
	// Remote says that connections are made over a network and can be lost, and Timeout how long a transaction may
	// take there. The driver keeps prepared statements then, where it can.
	Remote  bool
	Timeout time.Duration
	// Probe is a statement that writes without changing anything, see [DB.Ready].
	Probe string
	// Migrations is the engine's name in goose.
	Migrations goose.Dialect
	// Migrating, if not empty, is a statement that keeps other nodes from migrating until its transaction ends.
	Migrating string
	// Classify turns an error of the driver into one that wraps a sentinel of this package where one fits, and tells
	// whether the transaction it came from may be gone, so that nothing more may run in it. Errors it does not know
	// come back unchanged.
	Classify func(error) (err error, lost bool)
}

// runner returns what runs statements on a connection or a pool.
func (d *Dialect) runner(on connection) runner {
	if d.Remote {
		return on
	}
	return &statements{on: on}
}
