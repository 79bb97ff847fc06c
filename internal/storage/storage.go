// SPDX-License-Identifier: Apache-2.0

// Package storage opens the journals of commands, in the data folder or in a database.
package storage

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/postgres"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	database "github.com/dragoman-a2a/dragoman/store/postgres"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// A Journal keeps the tasks of an engine. Close it.
type Journal struct {
	journal.Journal
	Place    string          // for people
	Waker    journal.Waker   // tells the other nodes; nil if there are none
	folder   string          // for what else belongs to the tasks; "" in memory
	db       *store.DB       // nil in memory
	waker    *postgres.Waker // nil if other processes cannot have the journal
	commands *http.Server    // nil without push notifications
}

// Folder returns the folder for what is kept beside the tasks, "" if they are kept in memory. It belongs to this
// machine, also if the tasks are in a database.
func (s *Journal) Folder() string { return s.folder }

// Open opens the journal of an agent or command at the value of --data-dir: in a database, or in a folder of its own
// below it.
func Open(ctx context.Context, run *cmdline.Run, dataDir, name string, logger *slog.Logger,
	options *sql.Options) (*Journal, error) {
	if cmdline.IsDatabase(dataDir) {
		return openDatabase(ctx, run, dataDir, name, logger, options)
	}
	folder, err := run.DataFolder(dataDir, name)
	if err != nil {
		return nil, err
	}
	if folder == cmdline.InMemory {
		return &Journal{Journal: memory.New(nil), Place: "in memory; tasks end with the server"}, nil
	}
	opened, err := OpenFolder(ctx, run, folder, logger, options)
	if err != nil {
		return nil, cmdline.ExplainFolder(folder, err)
	}
	return opened, nil
}

// OpenFolder opens the journal in a folder, which is locked until the journal is closed.
func OpenFolder(ctx context.Context, run *cmdline.Run, folder string, logger *slog.Logger,
	options *sql.Options) (*Journal, error) {
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: run.Name, Logger: logger})
	if err != nil {
		return nil, err
	}
	j, err := sql.New(ctx, db, options)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Journal{Journal: j, Place: folder, folder: folder, db: db}, nil
}

// openDatabase opens the journal that all agents and commands share in a database.
func openDatabase(ctx context.Context, run *cmdline.Run, url, name string, logger *slog.Logger,
	options *sql.Options) (*Journal, error) {
	folder, err := run.DataFolder("", name)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, url)
	if err != nil {
		return nil, cmdline.ExplainDatabase(err)
	}
	j, err := sql.New(ctx, db, options)
	if err != nil {
		return nil, errors.Join(cmdline.ExplainDatabase(err), db.Close())
	}
	waker, err := postgres.NewWaker(url, cmp.Or(logger, slog.Default()))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Journal{Journal: j, Place: db.Path(), Waker: waker, folder: folder, db: db, waker: waker}, nil
}

// Close closes the journal and its database.
func (s *Journal) Close() error {
	var err error
	if s.commands != nil {
		err = s.commands.Close()
	}
	if s.waker != nil {
		err = errors.Join(err, s.waker.Close())
	}
	err = errors.Join(err, s.Journal.Close())
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
