// SPDX-License-Identifier: Apache-2.0

// Package sqlite keeps tasks in a folder, in a SQLite database that one process at a time uses. Importing it is enough
// for the Folder of dragoman.Options:
//
//	import _ "github.com/dragoman-a2a/dragoman/journal/sqlite"
//
// It is store/sqlite and journal/sql in one; a program that keeps more than tasks in the database uses those.
package sqlite

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func init() { journal.RegisterFolder(Open) }

// Open returns the journal in a folder, which is made if it is missing and is the process's own until Close. Every
// event that the journal acknowledged is there after a crash.
func Open(ctx context.Context, folder string) (journal.Journal, error) {
	db, err := sqlite.Open(ctx, folder, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	tasks, err := sql.New(ctx, db, nil)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &owner{tasks, db}, nil
}

// owner is a journal whose database ends with it.
type owner struct {
	*sql.Journal
	db *store.DB
}

// Close closes the journal and its database.
func (o *owner) Close() error { return errors.Join(o.Journal.Close(), o.db.Close()) }
