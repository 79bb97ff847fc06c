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
	keys, err := runnable(short(ctx), j.db, now, agents, 1, "")
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) ([]journal.Claimed, error) {
		keys, err := runnable(ctx, tx, now, agents, limit, j.db.Dialect().LockFree)
		if err != nil {
			return nil, err
		}
		var claimed []journal.Claimed
		for _, key := range keys {
			r, err := j.find(ctx, tx, key)
			if err != nil {
				return nil, err
			}
			c, err := r.claim(ctx, tx, key, holder, now+milliseconds(ttl))
			if err != nil {
				return nil, err
			}
			claimed = append(claimed, c)
		}
		return claimed, nil
	})
}

func milliseconds(ttl time.Duration) int64 { return max(ttl.Milliseconds(), 1) }

// runnable returns the tasks that can be claimed now, locked as the statement's end says.
func runnable(ctx context.Context, q store.Querier, now int64, agents []string, limit int,
	lock string) ([]journal.Key, error) {
	args := []any{now, limit}
	places := make([]string, len(agents))
	for i, a := range agents {
		args = append(args, a)
		places[i] = "$" + strconv.Itoa(i+3)
	}
	return store.All(ctx, q, func(scan func(...any) error) (k journal.Key, err error) {
		return k, scan(&k.Agent, &k.Tenant, &k.Owner, &k.ID)
	}, `SELECT s.agent, s.tenant, s.owner, t.id FROM tasks t
		JOIN scopes s ON s.id = +t.scope
		WHERE t.ready_at <= $1 AND s.agent IN (`+strings.Join(places, ", ")+`)
		ORDER BY t.ready_at LIMIT $2`+lock, args...)
}

// claim gives the task to a holder, whoever had it.
func (r *row) claim(ctx context.Context, tx *store.Tx, key journal.Key, holder string, until int64) (journal.Claimed,
	error) {
	r.holder, r.leaseUntil = holder, until
	r.token++
	if err := r.lease(ctx, tx, key); err != nil {
		return journal.Claimed{}, err
	}
	head, err := scanHead(key, tx.QueryRowContext(ctx, selectHead+whereTask, r.scope, string(key.ID)).Scan)
	if err != nil {
		return journal.Claimed{}, err
	}
	in, err := inputs(ctx, tx, r.scope, key, r.taken)
	return journal.Claimed{Lease: journal.Lease{Key: key, Holder: holder, Token: r.token}, Head: head, Inputs: in}, err
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
	return write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) (journal.Claimed, error) {
		r, err := j.find(ctx, tx, key)
		if err != nil {
			return journal.Claimed{}, err
		}
		if r.leaseUntil > now {
			return journal.Claimed{}, &journal.HeldError{Holder: r.holder, Until: fromMillis(r.leaseUntil)}
		}
		return r.claim(ctx, tx, key, holder, now+milliseconds(ttl))
	})
}

// Renew implements [journal.Journal].
func (j *Journal) Renew(ctx context.Context, leases []journal.Lease, ttl time.Duration) ([]bool, error) {
	if err := j.begin(ctx); err != nil || len(leases) == 0 {
		return nil, err
	}
	return write(ctx, j, func(ctx context.Context, tx *store.Tx, now int64) (held []bool, err error) {
		held = make([]bool, len(leases))
		for i, l := range leases {
			held[i], err = j.changeLease(ctx, tx, l, func(r *row) { r.leaseUntil = now + milliseconds(ttl) })
			if err != nil {
				return nil, err
			}
		}
		return held, nil
	})
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
	return j.change(ctx, func(ctx context.Context, tx *store.Tx, _ int64) error {
		_, err := j.changeLease(ctx, tx, l, func(r *row) { r.holder, r.leaseUntil = "", 0 })
		return err
	})
}
