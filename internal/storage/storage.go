// SPDX-License-Identifier: Apache-2.0

// Package storage opens the journals of commands in the data folder.
package storage

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// A Journal keeps the tasks of an engine. Close it.
type Journal struct {
	journal.Journal
	Place    string       // for people
	db       *store.DB    // nil in memory
	commands *http.Server // nil without push notifications
}

// Open opens the journal of an agent or command below the value of --data-dir.
func Open(ctx context.Context, run *cmdline.Run, dataDir, name string, logger *slog.Logger,
	options *sql.Options) (*Journal, error) {
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
	return &Journal{Journal: j, Place: folder, db: db}, nil
}

// Close closes the journal and its database.
func (s *Journal) Close() error {
	var err error
	if s.commands != nil {
		err = s.commands.Close()
	}
	err = errors.Join(err, s.Journal.Close())
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
