// SPDX-License-Identifier: Apache-2.0

// Package postgres opens a [store.DB] on a PostgreSQL database, which any number of processes may share.
//
// Statements run through a pooler in transaction mode, such as PgBouncer, as well: nothing here needs a session of its
// own, but for [Waker].
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/dragoman-a2a/dragoman/store"
)

const (
	// changers is how many transactions one process has at a time: the server commits them to disk together.
	changers = 8
	readers  = 6
	listers  = 1
	// timeout bounds one transaction and the wait for a connection.
	timeout = 10 * time.Second
	// minVersion is the oldest server that all statements here were run on.
	minVersion = 130000
)

// IsURL reports whether the name of a database is for [Open].
func IsURL(name string) bool {
	u, err := url.Parse(name)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
}

// Open opens a database by its URL, postgres://user:password@host:port/database?option=value, with the options and
// environment variables of libpq. Parts that the URL leaves out have the defaults of psql. The database must exist.
// Migrations make its tables.
//
// Errors: [store.ErrUnreachable]; of the server, with what to do about a database that is missing, a password that is
// wrong, rights that are missing and a version that is too old. No error has the password.
func Open(ctx context.Context, dsn string) (*store.DB, error) {
	config, err := Config(dsn)
	if err != nil {
		return nil, err
	}
	if err := begin(ctx, config); err != nil {
		return nil, fmt.Errorf("postgres: open %s: %w", place(config), err)
	}
	var pools []*sql.DB
	open := func(connections int) *sql.DB {
		pool := stdlib.OpenDB(*config)
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		pool.SetConnMaxIdleTime(5 * time.Minute)
		pools = append(pools, pool)
		return pool
	}
	// Besides the changers, one connection is for Write and two are for migrations.
	writer, reader, lister := open(changers+3), open(readers), open(listers)
	db, err := store.New(ctx, store.Config{Dialect: dialect(), Path: place(config), Writer: writer, Reader: reader,
		Lister: lister, Changers: changers, MaxBatch: 1})
	if err != nil {
		for _, pool := range pools {
			_ = pool.Close()
		}
		return nil, fmt.Errorf("postgres: open %s: %w", place(config), err)
	}
	return db, nil
}

// begin looks at the server and makes what is not of a component.
func begin(ctx context.Context, config *pgx.ConnConfig) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return explain(err)
	}
	defer conn.Close(ctx)
	var version int
	var process uint32
	const look = `SELECT current_setting('server_version_num')::int, pg_backend_pid()`
	err = conn.QueryRow(ctx, look, pgx.QueryExecModeExec).Scan(&version, &process)
	if err != nil {
		return explain(err)
	}
	if version < minVersion {
		return fmt.Errorf("the server has version %d; upgrade it to %d at least", version/10000, minVersion/10000)
	}
	if process != conn.PgConn().PID() && config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		// A pooler stands between: the server's connections change, and with them the prepared statements.
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	_, err = conn.Exec(ctx, createLock)
	return explain(err)
}

// Config reads the URL of a database, for a connection of the caller's own. Errors of the parser may have the password,
// so they are not passed on.
func Config(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("postgres: the database is not a URL like postgres://user@host:5432/database")
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, timeout)
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "dragoman"
	}
	return config, nil
}

// place names a database without the password.
func place(config *pgx.ConnConfig) string {
	return fmt.Sprintf("postgres://%s@%s:%d/%s", config.User, config.Host, config.Port, config.Database)
}

const (
	// createLock makes the row that functions of DB.Write lock. A row is locked the same way by PostgreSQL and by what
	// is compatible with it, and through a pooler. These statements are one transaction.
	createLock = migrating + `; CREATE TABLE IF NOT EXISTS dragoman_lock (one INTEGER PRIMARY KEY);
		INSERT INTO dragoman_lock VALUES (1) ON CONFLICT DO NOTHING`
	takeLock = `SELECT one FROM dragoman_lock WHERE one = 1 FOR UPDATE`
	// migrating takes an advisory lock; the number is that of this program.
	migrating = `SELECT pg_advisory_xact_lock(4812209473318840321)`
)

// dialect is what package store has to know of PostgreSQL.
func dialect() store.Dialect {
	return store.Dialect{
		Name:       "postgres",
		Now:        "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
		Begin:      []string{"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", takeLock},
		Lock:       " FOR UPDATE",
		Share:      " FOR KEY SHARE",
		LockFree:   " FOR UPDATE OF t SKIP LOCKED",
		Snapshot:   sql.LevelRepeatableRead,
		Remote:     true,
		Timeout:    timeout,
		Probe:      "DELETE FROM dragoman_lock WHERE one = 0",
		Migrations: goose.DialectPostgres,
		Migrating:  migrating,
		Classify:   classify,
	}
}
