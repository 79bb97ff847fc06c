// SPDX-License-Identifier: Apache-2.0

package store

import "github.com/pressly/goose/v3"

// Dialect is everything in which the engines differ and that code outside the engine's own package has to know.
type Dialect struct {
	// Name is "sqlite" or "postgres". Components choose their migrations by it.
	Name string
	// Now is an SQL expression for the database's clock: an integer, Unix time in milliseconds.
	Now string
	// Begin is the statement that starts a write transaction.
	Begin string
	// Probe is a statement that writes without changing anything, see [DB.Ready].
	Probe string
	// Migrations is the engine's name in goose.
	Migrations goose.Dialect
	// Classify turns an error of the driver into one that wraps a sentinel of this package where one fits, and tells
	// whether the transaction it came from may be gone, so that nothing more may run in it. Errors it does not know
	// come back unchanged.
	Classify func(error) (err error, lost bool)
}
