// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"

	"github.com/dragoman-a2a/dragoman/store"
)

const (
	ofTenants  = ` FROM scopes s JOIN tasks t ON t.scope = s.id WHERE s.agent = $1 AND substr(s.tenant, 1, length($2)) = $2`
	selectOver = `SELECT t.scope, t.id, t.context, t.create_key` + ofTenants +
		` AND t.state NOT IN (1, 2) AND t.lease_until <= $3 AND (t.ready_at IS NULL OR t.ready_at > $3) LIMIT $4`
)

// DropTenants removes an agent's tasks, with all that belongs to them, in all tenants whose names begin with a prefix, for
// whoever ends what those tenants stand for. As [Journal.Prune] it spares tasks that are at work or that somebody holds,
// but none that a cursor is behind of, and returns how many it has spared.
func (j *Journal) DropTenants(ctx context.Context, agent, prefix string) (left int, err error) {
	if err := j.begin(ctx); err != nil {
		return 0, err
	}
	for n := pruneBatch; n == pruneBatch; {
		err := j.write(ctx, func(ctx context.Context, tx *store.Tx) error {
			now, err := j.now(ctx, tx)
			if err != nil {
				return err
			}
			over, err := scanPruned(tx.QueryContext(ctx, selectOver, agent, prefix, now, pruneBatch))
			if err != nil {
				return err
			}
			n = len(over)
			return removeAll(ctx, tx, over)
		})
		if err != nil {
			return 0, err
		}
	}
	err = j.db.QueryRowContext(ctx, `SELECT count(*)`+ofTenants, agent, prefix).Scan(&left)
	return left, err
}
