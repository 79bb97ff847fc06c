// SPDX-License-Identifier: Apache-2.0

// Package sqlite opens a [store.DB] on a data folder: one SQLite file in write-ahead mode, every commit synced to disk,
// the folder locked by one process.
//
// The folder holds dragoman.db (with -wal and -shm beside it while open), dragoman.lock and dragoman.owner, which says
// who holds the lock. Other programs may read the file while it is open; sqlite3's own shell does.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dragoman-a2a/dragoman/store"
)

const (
	fileName  = "dragoman.db"
	lockName  = "dragoman.lock"
	ownerName = "dragoman.owner"

	defaultReaders = 4
	// listers is one, so that of many lists at a time one takes from everybody else, and one gives way to the writer.
	listers = 1
	// busyTimeout is for other programs that look into the file; this process never waits for itself.
	busyTimeout = 5 * time.Second
	// Page caches, in KiB as SQLite wants them (negative). The writer's holds what one batch of small writes touches,
	// so that nothing is spilled before the commit. A page takes 8 KiB of memory, as the allocator of the driver rounds
	// up, so these are half of what they cost.
	writerCache = -6 * 1024
	readerCache = -4 * 1024
)

// Options are for [Open]. The zero value is right for most programs.
type Options struct {
	// Program is the name by which another process learns who holds the folder. Empty means the name of the executable.
	Program string
	// Readers is the number of connections for reading. Zero means 4.
	Readers int
	// Logger is told when a file of an earlier version is written anew, which can take long. Nil means slog.Default.
	Logger *slog.Logger

	walPages  int           // see checkpointer; zero means defaultWALPages
	idleAfter time.Duration // zero means defaultIdleAfter
}

// ErrNotFolder is returned by [Open] when the path names something else.
var ErrNotFolder = errors.New("the data path is not a folder")

// Open opens the database in the folder dir and creates both if they are missing, readable by the current user only.
// Close the result to release the folder.
//
// Errors, besides those of the operating system: [ErrNotFolder], a [*LockedError] that names the process that holds the
// folder, [store.ErrReadOnly], [store.ErrNotDatabase], [store.ErrDamaged] and [store.ErrDiskFull]. In each case what is
// on disk is as it was.
func Open(ctx context.Context, dir string, opts Options) (*store.DB, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sqlite: data folder: %w", err)
	}
	if err := makeFolder(dir); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", dir, err)
	}
	held, err := lockFolder(ctx, dir, opts.Program)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", dir, err)
	}
	db, err := openLocked(ctx, filepath.Join(dir, fileName), opts, held)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: open %s: %w", filepath.Join(dir, fileName), err), held.release())
	}
	return db, nil
}

// dialect is what package store has to know of SQLite.
func dialect() store.Dialect {
	return store.Dialect{
		Name:       "sqlite",
		Now:        "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
		Begin:      []string{"BEGIN IMMEDIATE"},
		Probe:      "PRAGMA user_version = 0", // nobody uses it; SQLite writes it all the same
		Migrations: goose.DialectSQLite3,
		Classify:   classify,
	}
}

func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%w: remove the file, or name another folder", ErrNotFolder)
	}
	err := os.MkdirAll(dir, 0o700)
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", ErrNotFolder, err)
	}
	return classifyOS(err)
}

// openLocked opens the file; the folder's lock is held, and given back by the DB's Close.
func openLocked(ctx context.Context, path string, opts Options, held *folderLock) (_ *store.DB, err error) {
	if err := createFile(path); err != nil {
		return nil, err
	}
	var pools []*sql.DB
	defer func() {
		if err != nil {
			for _, p := range pools {
				err = errors.Join(err, p.Close())
			}
		}
	}()
	open := func(connections int, params url.Values) (*sql.DB, error) {
		pool, err := openPool(ctx, path, connections, params)
		if err == nil {
			pools = append(pools, pool)
		}
		return pool, err
	}
	// One connection of the first pool is the writer's, the other is for migrations.
	writer, err := open(2, writerParams())
	if err != nil {
		return nil, err
	}
	if err := makeShrinkable(ctx, writer, path, cmp.Or(opts.Logger, slog.Default())); err != nil {
		return nil, err
	}
	reader, readerErr := open(cmp.Or(opts.Readers, defaultReaders), readerParams())
	lister, listerErr := open(listers, readerParams())
	side, sideErr := open(1, checkpointParams())
	if err := cmp.Or(readerErr, listerErr, sideErr); err != nil {
		return nil, err
	}
	cp := newCheckpointer(side, cmp.Or(opts.walPages, defaultWALPages))
	db, err := store.New(ctx, store.Config{
		Dialect: dialect(), Path: path, Writer: writer, Reader: reader, Lister: lister, Exclusive: true,
		AfterCommit: cp.afterCommit, WhenIdle: cp.whenIdle, IdleAfter: cmp.Or(opts.idleAfter, defaultIdleAfter),
		Close: func() error { return errors.Join(cp.close(), held.release()) },
	})
	if err != nil {
		cp.stop()
		return nil, err
	}
	return db, nil
}

// createFile makes sure that the file, and with it the log that takes over its mode, is for the user only. It must not
// open a file that exists: closing a file drops the locks which SQLite holds on it in this process.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return classifyOS(err)
	}
	return f.Close()
}

// openPool opens a pool and reads the file's header through it, so that a file that is not usable is found here.
func openPool(ctx context.Context, path string, connections int, params url.Values) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	var mode string
	if err := pool.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		err, _ = classify(err)
		return nil, errors.Join(err, pool.Close())
	}
	if mode != "wal" {
		return nil, errors.Join(fmt.Errorf("the file system does not support SQLite's write-ahead log (journal mode "+
			"is %q); use a local disk", mode), pool.Close())
	}
	return pool, nil
}

// makeShrinkable has the file keep track of where its pages belong, so that free
// ones can be given back. That is for good: a file that an earlier version made
// is written anew once. Where the disk has no room for that, it is left as it is.
func makeShrinkable(ctx context.Context, pool *sql.DB, path string, log *slog.Logger) error {
	const incremental = 2
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var mode int
	if err := conn.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode); err != nil || mode == incremental {
		err, _ = classify(err)
		return err
	}
	var pages, size int64
	if err := conn.QueryRowContext(ctx, "SELECT page_count, page_count * page_size FROM pragma_page_count, "+
		"pragma_page_size").Scan(&pages, &size); err != nil {
		err, _ = classify(err)
		return err
	}
	if pages > 1 { // a new file has one
		log.InfoContext(ctx, "writing the database anew once, so that its file can shrink", "file", path, "bytes", size)
	}
	for _, text := range []string{"PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			if err, _ = classify(err); errors.Is(err, store.ErrDiskFull) {
				log.InfoContext(ctx, "the disk has no room to write the database anew: its file will not shrink",
					"file", path)
				return nil
			}
			return err
		}
	}
	return nil
}

func dsn(path string, params url.Values) string {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // also for C:/data
	u := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	return u.String()
}

// params are those of a connection: its mode, and its pragmas besides those that all have.
func params(mode string, pragmas ...string) url.Values {
	return url.Values{
		"mode":          {mode},
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
		"_foreign_keys": {"1"},
		"_dqs":          {"0"}, // "x" is a name, never a string
		"_error_rc":     {"1"},
		"_pragma":       append(pragmas, "temp_store(MEMORY)"),
	}
}

func writerParams() url.Values {
	p := params("rw", fmt.Sprintf("cache_size(%d)", writerCache), noCheckpoints)
	p.Set("_journal_mode", "WAL")
	p.Set("_synchronous", "FULL")
	p.Set("_txlock", "immediate") // migrations begin through database/sql
	return p
}

func readerParams() url.Values { return params("ro", fmt.Sprintf("cache_size(%d)", readerCache)) }

// checkpointParams never wait: a checkpoint that is in the way of another connection comes again later.
func checkpointParams() url.Values {
	p := params("rw", noCheckpoints)
	p.Set("_busy_timeout", "0")
	p.Set("_synchronous", "FULL")
	return p
}

// noCheckpoints leaves the log to the checkpointer.
const noCheckpoints = "wal_autocheckpoint(0)"
