// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

// Room refuses a new task of about so many bytes that its owner's quota has no room for, so that no agent runs in vain.
// It reserves nothing: the commit that makes the task may still be refused. Error: [journal.QuotaError].
func (j *Journal) Room(ctx context.Context, scope journal.Scope, bytes int) error {
	if err := j.begin(ctx); err != nil {
		return err
	}
	return j.explain(j.room(short(ctx), j.db, scope.Owner, bytes))
}

// room refuses what would make an owner's tasks larger than the quota: more bytes than the database has by now.
func (j *Journal) room(ctx context.Context, q store.Querier, owner string, more int) error {
	if j.ownerBytes <= 0 {
		return nil
	}
	var used int64
	err := q.QueryRowContext(ctx, `SELECT bytes FROM owner_bytes WHERE owner = $1`, owner).Scan(&used)
	if err != nil && !errors.Is(err, dbsql.ErrNoRows) {
		return fmt.Errorf("journal: read what the tasks of an owner take: %w", err)
	}
	if used+int64(more) > j.ownerBytes {
		return &journal.QuotaError{Bytes: j.ownerBytes}
	}
	return nil
}

// roomFor is room for a commit whose row is written. A commit that ends a task that exists is never refused, nor is one
// that only says where the work stands.
func (j *Journal) roomFor(ctx context.Context, tx *store.Tx, c *commit) error {
	states := len(c.TaskState) + len(c.ContextState)
	if c.Create == nil && (c.Head.Status.State.Terminal() || len(c.Events) == 0 && states == 0) {
		return nil
	}
	return j.room(ctx, tx, c.Key.Owner, states)
}
