// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/store"
)

// pruneBatch is how many tasks one transaction removes: other writers wait for no more.
const pruneBatch = 50

// Prune implements [journal.Journal].
func (j *Journal) Prune(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := j.begin(ctx); err != nil {
		return 0, err
	}
	removed := 0
	for removed < limit {
		batch := min(pruneBatch, limit-removed)
		n := 0
		err := j.write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			n, err = j.prune(ctx, tx, millis(before), batch)
			return err
		})
		if err != nil {
			return removed, err
		}
		removed += n
		if n < batch {
			break
		}
	}
	return removed, nil
}

// selectPrunable goes through the scopes, and in each along the index by state and time. CROSS JOIN keeps SQLite from
// going through the tasks first.
const selectPrunable = `SELECT t.scope, t.id, t.context, t.create_key FROM scopes s CROSS JOIN tasks t
	WHERE t.scope = s.id AND t.state = $1 AND t.status_at < $2 AND t.lease_until <= $3 AND (t.ready_at IS NULL OR t.ready_at > $3)
	AND (t.cursors = 0 OR NOT EXISTS
		(SELECT 1 FROM cursors c WHERE c.scope = t.scope AND c.id = t.id AND c.delivered < t.seq))
	LIMIT $4`

// prunable are the states of tasks that may be pruned: all but submitted and working.
var prunable = []a2a.TaskState{
	a2a.TaskStateUnspecified, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
	a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired,
}

type pruned struct {
	scope                  int64
	id, context, createKey string
}

func (j *Journal) prune(ctx context.Context, tx *store.Tx, before int64, limit int) (int, error) {
	now, err := j.now(ctx, tx)
	if err != nil {
		return 0, err
	}
	var all []pruned
	for _, state := range prunable {
		old, err := scanPruned(tx.QueryContext(ctx, selectPrunable, int32(state), before, now, limit-len(all)))
		if err != nil {
			return 0, err
		}
		all = append(all, old...)
	}
	return len(all), removeAll(ctx, tx, all)
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

// scanPruned reads the rows of a query for tasks that are to be removed.
func scanPruned(rows *dbsql.Rows, err error) ([]pruned, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var old []pruned
	for rows.Next() {
		var p pruned
		if err := rows.Scan(&p.scope, &p.id, &p.context, &p.createKey); err != nil {
			return nil, err
		}
		old = append(old, p)
	}
	return old, rows.Err()
}

func (p *pruned) remove(ctx context.Context, tx *store.Tx) error {
	for _, table := range []string{"events", "checkpoints", "inputs", "input_keys", "task_states", "cursors", "tasks"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE scope = $1 AND id = $2`, p.scope, p.id); err != nil {
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
