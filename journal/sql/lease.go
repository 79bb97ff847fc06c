// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

// Claim implements [journal.Journal].
func (j *Journal) Claim(ctx context.Context, holder string, agents []string, ttl time.Duration,
	limit int) ([]journal.Claimed, error) {
	if err := j.begin(ctx); err != nil {
		return nil, err
	}
	if len(agents) == 0 || limit <= 0 {
		return nil, nil
	}
	// Looking costs no transaction: most of the time nothing is there to claim.
	now, err := j.now(ctx, j.db)
	if err != nil {
		return nil, err
	}
	keys, err := runnable(short(ctx), j.db, now, agents, 1)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	var claimed []journal.Claimed
	err = j.write(ctx, func(ctx context.Context, tx *store.Tx) error {
		claimed = nil
		now, err := j.now(ctx, tx)
		if err != nil {
			return err
		}
		keys, err := runnable(ctx, tx, now, agents, limit)
		if err != nil {
			return err
		}
		for _, key := range keys {
			c, err := j.claim(ctx, tx, key, holder, ttl, now)
			if err != nil {
				return err
			}
			claimed = append(claimed, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// runnable returns the tasks that can be claimed now.
func runnable(ctx context.Context, q store.Querier, now int64, agents []string, limit int) ([]journal.Key, error) {
	args := []any{now, limit}
	places := make([]string, len(agents))
	for i, a := range agents {
		args = append(args, a)
		places[i] = "$" + strconv.Itoa(i+3)
	}
	rows, err := q.QueryContext(ctx, `SELECT s.agent, s.tenant, s.owner, t.id FROM tasks t
		JOIN scopes s ON s.id = +t.scope
		WHERE t.ready_at <= $1 AND s.agent IN (`+strings.Join(places, ", ")+`) ORDER BY t.ready_at LIMIT $2`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys []journal.Key
	for rows.Next() {
		var k journal.Key
		if err := rows.Scan(&k.Agent, &k.Tenant, &k.Owner, &k.ID); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// claim gives the task to a holder, whoever had it.
func (j *Journal) claim(ctx context.Context, tx *store.Tx, key journal.Key, holder string, ttl time.Duration,
	now int64) (journal.Claimed, error) {
	none := journal.Claimed{}
	r, err := j.find(ctx, tx, key)
	if err != nil {
		return none, err
	}
	r.holder, r.leaseUntil = holder, now+max(ttl.Milliseconds(), 1)
	r.token++
	if err := r.lease(ctx, tx, key); err != nil {
		return none, err
	}
	head, err := scanHead(key, tx.QueryRowContext(ctx, selectHead+whereTask, r.scope, string(key.ID)).Scan)
	if err != nil {
		return none, err
	}
	in, err := inputs(ctx, tx, r.scope, key, r.taken)
	if err != nil {
		return none, err
	}
	return journal.Claimed{Lease: journal.Lease{Key: key, Holder: holder, Token: r.token}, Head: head, Inputs: in}, nil
}

// lease writes who holds the task.
func (r *row) lease(ctx context.Context, tx *store.Tx, key journal.Key) error {
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET holder = $3, token = $4, lease_until = $5, ready_at = $6
		WHERE scope = $1 AND id = $2`, r.scope, string(key.ID), r.holder, int64(r.token), r.leaseUntil, r.ready())
	if err != nil {
		return failed(key.ID, "write the lease of", err)
	}
	return nil
}

// ClaimTask implements [journal.Journal].
func (j *Journal) ClaimTask(ctx context.Context, key journal.Key, holder string, ttl time.Duration) (journal.Claimed,
	error) {
	if err := j.begin(ctx); err != nil {
		return journal.Claimed{}, err
	}
	var claimed journal.Claimed
	err := j.write(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := j.now(ctx, tx)
		if err != nil {
			return err
		}
		r, err := j.find(ctx, tx, key)
		if err != nil {
			return err
		}
		if r.leaseUntil > now {
			return &journal.HeldError{Holder: r.holder, Until: fromMillis(r.leaseUntil)}
		}
		claimed, err = j.claim(ctx, tx, key, holder, ttl, now)
		return err
	})
	if err != nil {
		return journal.Claimed{}, err
	}
	return claimed, nil
}

// Renew implements [journal.Journal].
func (j *Journal) Renew(ctx context.Context, leases []journal.Lease, ttl time.Duration) ([]bool, error) {
	if err := j.begin(ctx); err != nil || len(leases) == 0 {
		return nil, err
	}
	held := make([]bool, len(leases))
	err := j.write(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := j.now(ctx, tx)
		if err != nil {
			return err
		}
		for i, l := range leases {
			held[i], err = j.changeLease(ctx, tx, l, func(r *row) { r.leaseUntil = now + max(ttl.Milliseconds(), 1) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}

// changeLease applies change if the lease is still held.
func (j *Journal) changeLease(ctx context.Context, tx *store.Tx, l journal.Lease, change func(*row)) (bool, error) {
	r, err := j.find(ctx, tx, l.Key)
	if errors.Is(err, journal.ErrNotFound) {
		return false, nil
	}
	if err != nil || !r.heldBy(l, l.Key) {
		return false, err
	}
	change(r)
	return true, r.lease(ctx, tx, l.Key)
}

// Release implements [journal.Journal].
func (j *Journal) Release(ctx context.Context, l journal.Lease) error {
	if err := j.begin(ctx); err != nil {
		return err
	}
	return j.write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := j.changeLease(ctx, tx, l, func(r *row) { r.holder, r.leaseUntil = "", 0 })
		return err
	})
}
