// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

const (
	selectTenants = `SELECT t.scope, t.id, t.context, t.create_key, t.head FROM scopes s JOIN tasks t ON t.scope = s.id
		WHERE s.agent = $1 AND substr(s.tenant, 1, length($2)) = $2 ORDER BY t.scope`
	selectOver = `SELECT 1 FROM tasks t` + whereTask +
		` AND t.state NOT IN (1, 2) AND t.lease_until <= $3 AND (t.ready_at IS NULL OR t.ready_at > $3)`
)

// DropTenants removes an agent's tasks that were made before a time, with all that belongs to them, in all tenants
// whose names begin with a prefix, for a program that deletes what those tenants stand for. As [Journal.Prune] it
// spares tasks that are at work or held, but none that a cursor is behind of, and returns how many of those made before
// it has spared.
func (j *Journal) DropTenants(ctx context.Context, agent, prefix string, before time.Time) (left int, err error) {
	if err := j.begin(ctx); err != nil {
		return 0, err
	}
	all, err := j.ofTenants(ctx, agent, prefix, before)
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(all, pruneBatch) {
		spared, err := write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) (int, error) {
			return dropOver(ctx, tx, j.db.Dialect(), batch, now)
		})
		if err != nil {
			return 0, err
		}
		left += spared
	}
	return left, nil
}

// ofTenants returns the tasks that were made before a time.
func (j *Journal) ofTenants(ctx context.Context, agent, prefix string, before time.Time) ([]pruned, error) {
	var old []pruned
	_, err := store.All(ctx, j.db, func(scan func(...any) error) (none struct{}, err error) {
		var p pruned
		var body []byte
		if err := scan(&p.scope, &p.id, &p.context, &p.createKey, &body); err != nil {
			return none, err
		}
		var head journal.Head
		if err := decodeHead(body, &head); err != nil {
			return none, failed(taskID(p.id), "damaged head of", err)
		}
		if head.Created.Before(before) {
			old = append(old, p)
		}
		return none, nil
	}, selectTenants, agent, prefix)
	return old, err
}

// dropOver removes those of some tasks that are over, and returns how many are not.
func dropOver(ctx context.Context, tx *store.Tx, engine store.Dialect, all []pruned, now int64) (spared int,
	err error) {
	var over []pruned
	for i, p := range all { // ordered by scope
		if i == 0 || all[i-1].scope != p.scope {
			if err := lockScope(ctx, tx, engine.Lock, p.scope); err != nil {
				return 0, err
			}
		}
		err := tx.QueryRowContext(ctx, selectOver+engine.LockFree, p.scope, p.id, now).Scan(new(int))
		if err == nil {
			over = append(over, p)
		} else if !errors.Is(err, dbsql.ErrNoRows) {
			return 0, err
		}
	}
	return len(all) - len(over), removeAll(ctx, tx, over)
}
