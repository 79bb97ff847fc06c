// SPDX-License-Identifier: Apache-2.0

// Package sql is a journal in a database: its tables live beside those of other components in a [store.DB], and
// everything it acknowledged is there after a crash.
//
// A commit is one row of events, whatever their number, and one small row for the task's head. The folded task is
// written now and then, as a checkpoint, so that a long task can be read without folding it from its beginning. Times
// are kept to the millisecond.
package sql

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

// The migrations of each engine begin with its tables as they were when it was added.
//
//go:embed migrations
var migrations embed.FS

// Journal is a [journal.Journal] in a database.
type Journal struct {
	db         *store.DB
	ownerBytes int64 // 0 without a quota
	closed     atomic.Bool
	changes    atomic.Int64 // that this handle has made
	scopes     scopeCache
}

// Options configure [New]. The zero Options set no quota.
type Options struct {
	// OwnerBytes is the most bytes that the tasks of one owner may take, over all agents and tenants in the database:
	// their heads, events, checkpoints, waiting inputs, states and cursors. The file is larger: keys, indexes and free
	// space do not count. Callers without an identity are one owner. The journal refuses a write beyond the quota with
	// a [journal.QuotaError], but an existing task can always end. Pruning makes room. 0 means no quota.
	OwnerBytes int64
}

var _ journal.Journal = (*Journal)(nil)

// New brings the journal's tables in db up to date and returns the journal; nil Options are the zero ones. If no other
// process can write to the database, New ends all leases that were left behind: their holders died with the previous
// process.
func New(ctx context.Context, db *store.DB, opts *Options) (*Journal, error) {
	files, err := fs.Sub(migrations, "migrations/"+db.Dialect().Name)
	if err != nil {
		return nil, fmt.Errorf("journal: no tables for %s: %w", db.Dialect().Name, err)
	}
	if err := db.Migrate(ctx, "journal", files); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{db: db}
	if opts != nil {
		j.ownerBytes = opts.OwnerBytes
	}
	if db.Exclusive() {
		if err := db.Write(ctx, tidyUp); err != nil {
			return nil, fmt.Errorf("journal: tidy up after the last process: %w", err)
		}
	}
	return j, nil
}

// tidyUp ends all leases, once for each opening of the database: the temporary table lives as long as that.
func tidyUp(ctx context.Context, tx *store.Tx) error {
	var n int
	const seen = `SELECT count(*) FROM sqlite_temp_master WHERE name = 'journal_opened'`
	if err := tx.QueryRowContext(ctx, seen).Scan(&n); err != nil || n > 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, `CREATE TEMP TABLE journal_opened (x INTEGER)`); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET lease_until = 0, holder = '', ready_at = CASE
		WHEN ready_at IS NULL THEN NULL
		WHEN since = 0 THEN wake_at
		WHEN wake_at = 0 THEN since
		ELSE min(since, wake_at) END
		WHERE lease_until > 0`)
	return err
}

// Close implements [journal.Journal]. The database stays open.
func (j *Journal) Close() error {
	j.closed.Store(true)
	return nil
}

// begin says why a call cannot be made.
func (j *Journal) begin(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if j.closed.Load() {
		return journal.ErrClosed
	}
	return nil
}

// now is the database's clock in Unix milliseconds. A database of this process alone has this process's clock.
func (j *Journal) now(ctx context.Context, q store.Querier) (int64, error) {
	if j.db.Exclusive() {
		return time.Now().UnixMilli(), nil
	}
	var ms int64
	err := q.QueryRowContext(ctx, "SELECT "+j.db.Dialect().Now).Scan(&ms)
	return ms, err
}

// change runs fn in a transaction, with the database's time. fn locks the rows that its writes depend on, and may run
// again if the engine undid them.
func (j *Journal) change(ctx context.Context, fn func(ctx context.Context, tx *store.Tx, now int64) error) error {
	if err := j.begin(ctx); err != nil {
		return err
	}
	err := j.db.Change(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := j.now(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, tx, now)
	})
	if errors.Is(err, store.ErrClosed) {
		return fmt.Errorf("%w: %w", journal.ErrClosed, err)
	}
	if err == nil && j.db.Dialect().Name == postgres && j.changes.Add(1)%addUpEvery == 0 {
		_ = j.db.Write(ctx, addUp) // until it succeeds, lists and quotas cost a little more
	}
	return j.explain(err)
}

// write is change for a function with a result.
func write[T any](ctx context.Context, j *Journal,
	fn func(ctx context.Context, tx *store.Tx, now int64) (T, error)) (result T, err error) {
	err = j.change(ctx, func(ctx context.Context, tx *store.Tx, now int64) (err error) {
		result, err = fn(ctx, tx, now)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}

// read calls fn with the number of a scope, as within does, for reads by key. They are not interrupted, because that
// would cost a goroutine each, more than what they take themselves.
func read[T any](ctx context.Context, j *Journal, s journal.Scope,
	fn func(ctx context.Context, scope int64) (T, error)) (result T, err error) {
	if err := j.begin(ctx); err != nil {
		return result, err
	}
	ctx = short(ctx)
	err = j.within(ctx, j.db, s, func(scope int64) (err error) {
		result, err = fn(ctx, scope)
		return err
	})
	return result, j.explain(err)
}

// short is the context of a read by key, see read.
func short(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// explain tells of an error of the database that passes, such as that of a full disk, that it does.
func (j *Journal) explain(err error) error {
	if err == nil {
		return nil
	}
	err = j.db.Classify(err)
	if errors.Is(err, store.ErrDiskFull) || errors.Is(err, store.ErrBusy) || errors.Is(err, store.ErrReadOnly) ||
		errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrAgain) {
		return fmt.Errorf("%w: %w", journal.ErrUnavailable, err)
	}
	return err
}

// Ready returns nil if tasks can be kept now, else why not. It may write to the database to find out. Error:
// [journal.ErrUnavailable].
func (j *Journal) Ready(ctx context.Context) error {
	if err := j.begin(ctx); err != nil {
		return err
	}
	return j.explain(j.db.Ready(ctx))
}

// failed names the task in an error of the database or of the bytes in it.
func failed(id a2a.TaskID, doing string, err error) error {
	return fmt.Errorf("journal: %s task %s: %w", doing, id, err)
}

// scopeCache remembers the numbers of scopes. A scope is removed with its last task, and its number is never given to
// another. So a number that is out of date finds nothing, and [Journal.within] asks the database.
type scopeCache struct {
	mu sync.RWMutex
	m  map[journal.Scope]int64
}

// maxScopes bounds the cache. Beyond it everything is forgotten and looked up anew, which is one indexed read a call.
const maxScopes = 10_000

func (c *scopeCache) get(s journal.Scope) (int64, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	id, ok := c.m[s]
	return id, ok
}

func (c *scopeCache) put(s journal.Scope, id int64) {
	if known, ok := c.get(s); ok && known == id { // nearly always: others need not wait
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxScopes {
		c.m = make(map[journal.Scope]int64)
	}
	c.m[s] = id
}

func (c *scopeCache) forget(s journal.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, s)
}

// within calls f with the number of a scope. If f finds nothing under a number that was remembered, and the database
// has another one by now, within calls f again with that. Inside a write the cache is left alone: the scope may be
// undone with the transaction. Errors: those of f, and ErrNotFound if the scope has no tasks.
func (j *Journal) within(ctx context.Context, q store.Querier, s journal.Scope, f func(scope int64) error) error {
	known, remembered := j.scopes.get(s)
	if remembered {
		if err := f(known); !errors.Is(err, journal.ErrNotFound) {
			return err
		}
	}
	id, err := scopeID(ctx, q, s)
	if remembered && errors.Is(err, journal.ErrNotFound) {
		j.scopes.forget(s)
	}
	if err != nil {
		return err
	}
	if remembered && id == known {
		return journal.ErrNotFound
	}
	if _, writing := q.(*store.Tx); !writing {
		j.scopes.put(s, id)
	}
	return f(id)
}

// scopeID reads the number of a scope. Error: ErrNotFound if the scope has no tasks.
func scopeID(ctx context.Context, q store.Querier, s journal.Scope) (id int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT id FROM scopes WHERE agent = $1 AND tenant = $2 AND owner = $3`,
		s.Agent, s.Tenant, s.Owner).Scan(&id)
	return id, missing(err)
}
