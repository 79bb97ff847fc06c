// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/store"
)

// pruneBatch is how many tasks one transaction removes: other writers wait for no more.
const pruneBatch = 50

// backdated is how much older than the write a status is at most, without a note in its scope, see backdate.
const backdated = 60_000 // milliseconds

// Prune implements [journal.Journal]. It costs the scopes that have a task old enough, not all scopes.
func (j *Journal) Prune(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := j.begin(ctx); err != nil {
		return 0, err
	}
	p := pruning{engine: j.db.Dialect(), before: millis(before), at: -1}
	removed := 0
	for removed < limit && !p.over {
		next := p // the transaction may be undone
		n, err := write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) (int, error) {
			return next.prune(ctx, tx, now, min(pruneBatch, limit-removed))
		})
		if err != nil {
			return removed, err
		}
		p, removed = next, removed+n
	}
	return removed, nil
}

// pruning is how far a Prune has come. It goes through the scopes by prune_at, and then by number.
type pruning struct {
	engine    store.Dialect
	before    int64
	began     int64 // what scopes without old tasks get is the same in all transactions, or they would come again
	at, scope int64 // the last scope that was dealt with
	over      bool
}

const (
	// selectScope finds the next scope that may have something to prune.
	selectScope = `SELECT prune_at, id FROM scopes WHERE (prune_at, id) > ($1, $2) AND prune_at < $3
	ORDER BY prune_at, id LIMIT 1`
	// selectPrunable goes along the index by state and time.
	selectPrunable = `SELECT t.scope, t.id, t.context, t.create_key FROM tasks t
	WHERE t.scope = $1 AND t.state = $2 AND t.status_at < $3 AND t.lease_until <= $4 AND (t.ready_at IS NULL OR
	t.ready_at > $4)
	AND (t.cursors = 0 OR NOT EXISTS
		(SELECT 1 FROM cursors c WHERE c.scope = t.scope AND c.id = t.id AND c.delivered < t.seq))
	LIMIT $5`
)

// selectOldest reads the oldest status in a scope of a task that may be pruned.
var selectOldest = func() string {
	var each []string
	for _, state := range prunable {
		each = append(each,
			fmt.Sprintf("SELECT min(status_at) AS at FROM tasks WHERE scope = $1 AND state = %d", state))
	}
	return "SELECT min(at) FROM (" + strings.Join(each, " UNION ALL ") + ") AS oldest"
}()

// prunable are the states of tasks that may be pruned: all but submitted and working.
var prunable = []a2a.TaskState{
	a2a.TaskStateUnspecified, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
	a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired,
}

type pruned struct {
	scope                  int64
	id, context, createKey string
}

// prune removes tasks up to a limit, from a bounded number of scopes.
func (p *pruning) prune(ctx context.Context, tx *store.Tx, now int64, limit int) (removed int, err error) {
	if p.began == 0 {
		p.began = now
	}
	for range pruneBatch {
		var at, scope int64
		err := tx.QueryRowContext(ctx, selectScope, p.at, p.scope, p.before).Scan(&at, &scope)
		if errors.Is(err, dbsql.ErrNoRows) {
			p.over = true
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
		n, err := p.pruneScope(ctx, tx, scope, now, limit-removed)
		if err != nil {
			return removed, err
		}
		if removed += n; removed == limit {
			return removed, nil // the scope may have more
		}
		p.at, p.scope = at, scope
	}
	return removed, nil
}

// pruneScope removes tasks of one scope. If it has found all, it notes from when on the next one may be old enough.
func (p *pruning) pruneScope(ctx context.Context, tx *store.Tx, scope, now int64, limit int) (int, error) {
	if err := lockScope(ctx, tx, p.engine.Lock, scope); err != nil {
		return 0, err
	}
	oldest, err := p.oldestIn(ctx, tx, scope)
	if err != nil {
		return 0, err
	}
	var all []pruned
	for _, state := range prunable {
		if oldest >= p.before {
			break
		}
		old, err := store.All(ctx, tx, scanPruned, selectPrunable+p.engine.LockFree,
			scope, int32(state), p.before, now, limit-len(all))
		if err != nil {
			return 0, err
		}
		all = append(all, old...)
	}
	if err := removeAll(ctx, tx, all); err != nil || len(all) == limit {
		return len(all), err
	}
	if len(all) > 0 {
		if oldest, err = p.oldestIn(ctx, tx, scope); err != nil {
			return 0, err
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE scopes SET prune_at = $2 WHERE id = $1 AND prune_at <> $2`, scope, oldest)
	return len(all), err
}

// oldestIn returns how old a status of a task that may be pruned is at most, of those in a scope and those to come.
func (p *pruning) oldestIn(ctx context.Context, tx *store.Tx, scope int64) (int64, error) {
	var at dbsql.NullInt64
	if err := tx.QueryRowContext(ctx, selectOldest, scope).Scan(&at); err != nil {
		return 0, fmt.Errorf("journal: read the oldest task of a scope: %w", err)
	}
	if at.Valid {
		return min(at.Int64, p.began-backdated), nil
	}
	return p.began - backdated, nil
}

// backdate has the next Prune look at a scope that gets a status much older than now.
func backdate(ctx context.Context, tx *store.Tx, scope, statusAt, now int64) error {
	if statusAt >= now-backdated {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE scopes SET prune_at = 0 WHERE id = $1 AND prune_at > $2`, scope, statusAt)
	return err
}

// lockScope keeps other nodes from making tasks in a scope, so that what goes with its last task goes with no other.
func lockScope(ctx context.Context, tx *store.Tx, lock string, scope int64) error {
	if lock == "" {
		return nil
	}
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM scopes WHERE id = $1`+lock, scope).Scan(new(int))
	if errors.Is(err, dbsql.ErrNoRows) { // removed meanwhile
		return nil
	}
	return err
}

// removeAll removes tasks, and the scopes of which they were the last.
func removeAll(ctx context.Context, tx *store.Tx, all []pruned) error {
	scopes := make(map[int64]bool)
	for _, p := range all {
		if err := p.remove(ctx, tx); err != nil {
			return failed(taskID(p.id), "remove", err)
		}
		scopes[p.scope] = true
	}
	for scope := range scopes {
		_, err := tx.ExecContext(ctx, `DELETE FROM scopes WHERE id = $1 AND NOT EXISTS
			(SELECT 1 FROM tasks t WHERE t.scope = $1)`, scope)
		if err != nil {
			return fmt.Errorf("journal: remove a scope without tasks: %w", err)
		}
	}
	return nil
}

func scanPruned(scan func(...any) error) (p pruned, err error) {
	return p, scan(&p.scope, &p.id, &p.context, &p.createKey)
}

func (p *pruned) remove(ctx context.Context, tx *store.Tx) error {
	for _, table := range []string{"events", "checkpoints", "inputs", "input_keys", "task_states", "cursors", "tasks"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE scope = $1 AND id = $2`, p.scope,
			p.id); err != nil {
			return err
		}
	}
	if p.createKey != "" {
		_, err := tx.ExecContext(ctx, `DELETE FROM create_keys WHERE scope = $1 AND key = $2`, p.scope, p.createKey)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM context_states WHERE scope = $1 AND context = $2 AND NOT EXISTS
		(SELECT 1 FROM tasks t WHERE t.scope = $1 AND t.context = $2)`, p.scope, p.context)
	return err
}
