// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"

	"github.com/pressly/goose/v3"
)

// componentName keeps a component's name fit for a table name.
var componentName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Migrate brings the tables of one component up to date. fsys holds its goose migrations (00001_name.sql and so on, at
// the root) for this engine; the versions applied are kept in the table <component>_versions, so components do not know
// of each other. Each migration is one transaction.
//
// A database in which the component is newer than fsys is not touched: Migrate returns a [NewerError].
func (db *DB) Migrate(ctx context.Context, component string, fsys fs.FS) error {
	if !componentName.MatchString(component) {
		return fmt.Errorf("store: component name %q must be lower-case letters, digits and _", component)
	}
	db.migrating.Lock()
	defer db.migrating.Unlock()
	if err := db.migrate(ctx, component, fsys); err != nil {
		return fmt.Errorf("store: migrate %s: %w", component, err)
	}
	return nil
}

func (db *DB) migrate(ctx context.Context, component string, fsys fs.FS) error {
	if text := db.cfg.Dialect.Migrating; text != "" {
		tx, err := db.cfg.Writer.BeginTx(ctx, nil)
		if err != nil {
			return db.Classify(err)
		}
		defer tx.Rollback() // it holds a lock and nothing else
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return db.Classify(err)
		}
	}
	// The provider is not closed: that would close the pool it was given.
	provider, err := goose.NewProvider(db.cfg.Dialect.Migrations, db.cfg.Writer, fsys,
		goose.WithTableName(component+"_versions"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	var known int64
	for _, s := range provider.ListSources() {
		known = max(known, s.Version)
	}
	have, err := provider.GetDBVersion(ctx)
	if err != nil {
		return db.Classify(err)
	}
	if have > known {
		return &NewerError{Path: db.cfg.Path, Component: component, Have: have, Known: known}
	}
	_, err = provider.Up(ctx)
	return db.Classify(err)
}
