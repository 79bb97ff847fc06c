// SPDX-License-Identifier: Apache-2.0

// Package store holds the one database handle that everything durable in
// Dragoman shares: the journal, and each further component that keeps tables.
//
// A [DB] has one writer. Functions given to [DB.Write] wait in a bounded queue; one goroutine takes all that are
// waiting into one transaction and answers each caller after the commit is on disk. Under load many writes share one
// sync of the disk, and code in such a function never meets a lock conflict. Reads run beside it on a pool of read-only
// connections.
//
// Each component owns its tables: it brings its migrations to [DB.Migrate], which keeps one version table a component.
// SQL is written with $1 placeholders, which every engine here understands; what does differ between engines is
// collected in [Dialect].
//
// Package store/sqlite opens a DB on a folder.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// defaultMaxBatch bounds how long the first function of a batch waits for the last one.
	defaultMaxBatch = 256
	// defaultMaxQueue is four full batches: a longer queue would only add
	// latency, callers wait just as well in front of it.
	defaultMaxQueue = 1024
	// maxGiveWay bounds what a list waits for writers.
	maxGiveWay = 10 * time.Millisecond
)

// Config is what an engine (such as store/sqlite) hands to [New].
type Config struct {
	// Dialect describes the engine. Required.
	Dialect Dialect
	// Path names the database in errors: a file name, or an address without its password.
	Path string
	// Writer is the pool for the writer's connection and for migrations. It
	// must allow at least two connections, and one for each of Changers. Required; closed by [DB.Close].
	Writer *sql.DB
	// Changers is how many functions of [DB.Change] run at a time. Zero is for an engine with a single writer.
	Changers int
	// Reader is the pool of read-only connections. Required; closed by [DB.Close].
	Reader *sql.DB
	// Lister is the pool of read-only connections for [DB.List], best one alone. Required; closed by [DB.Close].
	Lister *sql.DB
	// Exclusive says that no other process can write to this database while it is open.
	Exclusive bool
	// MaxBatch is the most functions in one transaction. Zero means 256.
	MaxBatch int
	// MaxQueue is the most functions waiting for the writer; further callers
	// of Write wait until there is room. Zero means 1024.
	MaxQueue int
	// AfterCommit, if set, is called by the writer between two transactions
	// with the number of functions the last one committed.
	AfterCommit func(functions int)
	// WhenIdle, if set, is called by the writer when nothing was written for
	// IdleAfter. It returns false to be called again after another IdleAfter.
	WhenIdle func() (done bool)
	// IdleAfter is required with WhenIdle.
	IdleAfter time.Duration
	// Close, if set, is called at the end of [DB.Close], after the pools are closed.
	Close func() error
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	cfg       Config
	writer    *queue
	changers  *queue // the writer's on an engine with a single one
	reads     runner // on the Reader
	lists     runner // on the Lister
	migrating sync.Mutex
	closeOnce sync.Once
	closeErr  error
	probing   singleflight.Group // the write that Ready makes
}

// New starts the writer of a database. It is for engines; programs call the engine's Open. On an error the pools are
// left open and cfg.Close is not called.
func New(ctx context.Context, cfg Config) (*DB, error) {
	cfg.MaxBatch = cmp.Or(cfg.MaxBatch, defaultMaxBatch)
	cfg.MaxQueue = cmp.Or(cfg.MaxQueue, defaultMaxQueue)
	db := &DB{cfg: cfg, reads: cfg.Dialect.runner(cfg.Reader), lists: cfg.Dialect.runner(cfg.Lister)}
	h := new(health)
	var err error
	if db.writer, err = newQueue(ctx, cfg, h, 1, cfg.Dialect.Begin...); err != nil {
		return nil, fmt.Errorf("store: open the writer of %s: %w", cfg.Path, err)
	}
	db.changers = db.writer
	if cfg.Changers > 0 {
		db.changers, err = newQueue(ctx, cfg, h, cfg.Changers, cfg.Dialect.Begin[0])
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: open the writers of %s: %w", cfg.Path, err), db.writer.close())
	}
	return db, nil
}

// Dialect tells what is particular to this engine.
func (db *DB) Dialect() Dialect { return db.cfg.Dialect }

// Path names the database for people: the file, or the server's address.
func (db *DB) Path() string { return db.cfg.Path }

// Exclusive reports whether this process is the only one that can write here. Then whatever lease or claim is found at
// start belongs to a process that is gone.
func (db *DB) Exclusive() bool { return db.cfg.Exclusive }

// Now reads the database's clock, the only one that leases and due times are
// compared with. Inside SQL use [Dialect.Now].
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var ms int64
	if err := db.QueryRowContext(ctx, "SELECT "+db.cfg.Dialect.Now).Scan(&ms); err != nil {
		return time.Time{}, fmt.Errorf("store: read the clock of %s: %w", db.cfg.Path, err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// Stats counts since the database was opened.
type Stats struct {
	Commits uint64 // transactions made durable
	Writes  uint64 // functions in them; Writes/Commits is the mean size of a group
	Failed  uint64 // functions that ended in an error
	Waiting int    // functions that wait for the writer now
}

// Stats returns the current counts.
func (db *DB) Stats() Stats {
	var s Stats
	for _, q := range db.queues() {
		s.Commits += q.commits.Load()
		s.Writes += q.writes.Load()
		s.Failed += q.failed.Load()
		s.Waiting += len(q.waiting)
	}
	return s
}

func (db *DB) queues() []*queue {
	if db.changers == db.writer {
		return []*queue{db.writer}
	}
	return []*queue{db.writer, db.changers}
}

// Close finishes the writes that were accepted, refuses further ones with [ErrClosed], and closes the database. It
// waits for reads that are running. Further calls return the first one's error.
func (db *DB) Close() error {
	db.closeOnce.Do(func() {
		var errs []error
		for _, q := range db.queues() {
			errs = append(errs, q.close())
		}
		for _, r := range []runner{db.reads, db.lists} {
			if cache, ok := r.(*statements); ok {
				cache.close()
			}
		}
		errs = append(errs, db.cfg.Lister.Close(), db.cfg.Reader.Close(), db.cfg.Writer.Close())
		if db.cfg.Close != nil {
			errs = append(errs, db.cfg.Close())
		}
		if err := errors.Join(errs...); err != nil {
			db.closeErr = fmt.Errorf("store: close %s: %w", db.cfg.Path, err)
		}
	})
	return db.closeErr
}
