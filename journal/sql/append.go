// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

// minTail is how many bytes of events a task has at least before a checkpoint is worth its while; and a checkpoint is
// written when the tail is tailFactor times as large as the last one. The task has less bytes than its events, so this
// writes less than once more what the events take, and reading costs at most tailFactor+1 times the task.
const (
	minTail    = 32 << 10
	tailFactor = 2
	// fewEvents is up to how many events the first commit of a task has no checkpoint, however large they are.
	fewEvents = 16
)

// row is what of a task's row decides about changes to it.
type row struct {
	scope      int64
	state      int32
	statusAt   int64
	seq        uint64
	taken      uint64
	lastInput  uint64
	holder     string
	token      uint64
	leaseUntil int64
	since      int64
	wakeAt     int64
	readyAt    dbsql.NullInt64
	cursors    int
	tail, base int
	bytes      int // of head, events, checkpoint and waiting inputs
	head       int // bytes of the head
}

const selectRow = `SELECT state, status_at, seq, taken, last_input, holder, token, lease_until, since, wake_at,
	ready_at, cursors, tail, base, bytes, length(head) FROM tasks WHERE scope = $1 AND id = $2`

// find reads the row of a task that is to be changed, and locks it.
func (j *Journal) find(ctx context.Context, tx *store.Tx, key journal.Key) (*row, error) {
	r := new(row)
	err := j.within(ctx, tx, key.Scope, func(scope int64) error {
		r.scope = scope
		row := tx.QueryRowContext(ctx, selectRow+j.db.Dialect().Lock, scope, string(key.ID))
		return missing(row.Scan(&r.state, &r.statusAt, &r.seq, &r.taken, &r.lastInput, &r.holder, &r.token,
			&r.leaseUntil, &r.since, &r.wakeAt, &r.readyAt, &r.cursors, &r.tail, &r.base, &r.bytes, &r.head))
	})
	return r, err
}

// missing turns the absence of a row into ErrNotFound.
func missing(err error) error {
	if errors.Is(err, dbsql.ErrNoRows) {
		return journal.ErrNotFound
	}
	return err
}

func (r *row) terminal() bool { return stateOf(r.state).Terminal() }

func (r *row) heldBy(l journal.Lease, key journal.Key) bool {
	return r.leaseUntil != 0 && l.Token == r.token && l.Holder == r.holder && l.Key == key
}

// ready returns from when on the task can be claimed.
func (r *row) ready() dbsql.NullInt64 {
	at := r.since
	if r.wakeAt != 0 && (at == 0 || r.wakeAt < at) {
		at = r.wakeAt
	}
	if at == 0 || r.terminal() {
		return dbsql.NullInt64{}
	}
	return dbsql.NullInt64{Int64: max(at, r.leaseUntil), Valid: true}
}

// wait notes since when something waits for a holder.
func (r *row) wait(something bool, now int64) {
	switch {
	case !something || r.terminal():
		r.since = 0
	case r.since == 0:
		r.since = now
	}
}

// commit is a journal.Commit on its way into the database.
type commit struct {
	*journal.Commit
	head       []byte
	rows       []eventRow
	size       int // of the rows, in bytes
	scope      int64
	token      uint64
	lease      journal.Lease
	checkpoint bool // the tail has grown as large as the last checkpoint
}

// Append implements [journal.Journal].
func (j *Journal) Append(ctx context.Context, change *journal.Commit) (journal.Lease, error) {
	if err := change.Validate(); err != nil {
		return journal.Lease{}, err
	}
	c := &commit{Commit: change}
	if err := c.encode(); err != nil { // outside of the writer, which others wait for
		return journal.Lease{}, failed(c.Key.ID, "encode", err)
	}
	apply := j.append
	if c.Create != nil {
		apply = j.create
	}
	err := j.change(ctx, func(ctx context.Context, tx *store.Tx, now int64) error { return apply(ctx, tx, c, now) })
	if err != nil {
		return journal.Lease{}, err
	}
	j.scopes.put(c.Key.Scope, c.scope)
	if c.checkpoint && c.Task != nil {
		// The events are durable. A checkpoint only makes reading cheaper; what keeps it from being written will
		// show in the next commit.
		_ = j.checkpoint(ctx, c)
	}
	return c.lease, nil
}

func (c *commit) encode() (err error) {
	if c.head, err = encodeHead(c.Head); err != nil {
		return err
	}
	c.rows, err = encodeEvents(c.Events)
	for _, r := range c.rows {
		c.size += len(r.body)
	}
	return err
}

func (j *Journal) create(ctx context.Context, tx *store.Tx, c *commit, now int64) error {
	r := &row{
		state: int32(c.Head.Status.State), taken: c.Taken, wakeAt: millis(c.Head.Run.WakeAt),
		// No token is ever given twice, not even to a task that has the id of one that was removed.
		token: uint64(now),
	}
	c.token = r.token
	r.wait(c.Head.Run.Open, now)
	if !c.Release {
		r.holder, r.leaseUntil = c.Create.Holder, now+milliseconds(c.Create.TTL)
		c.lease = journal.Lease{Key: c.Key, Holder: r.holder, Token: r.token}
	}
	if err := j.insert(ctx, tx, c, r); err != nil {
		return err
	}
	if err := backdate(ctx, tx, c.scope, millis(c.Head.Status.Timestamp), now); err != nil {
		return err
	}
	// A few events fold as quickly as a checkpoint is read, which would be the same bytes once more.
	c.checkpoint = c.size >= minTail && len(c.Events) > fewEvents
	for i := range c.Create.Cursors {
		if err := putCursor(ctx, tx, c.scope, c.Head.Seq, c.Key, &c.Create.Cursors[i], now); err != nil {
			return err
		}
	}
	if len(c.Create.Cursors) > 0 {
		if err := countCursors(ctx, tx, c.scope, c.Key); err != nil {
			return err
		}
	}
	if err := j.roomFor(ctx, tx, c); err != nil {
		return err
	}
	return c.rest(ctx, tx)
}

// insertTask does nothing if the id is taken or the scope was removed. The scope is kept from that until the end.
func insertTask(share string) string {
	return `INSERT INTO tasks (scope, id, context, state, status_at, seq, taken, holder, token,
	lease_until, since, wake_at, ready_at, tail, create_key, head, bytes)
	SELECT s.id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
	FROM scopes s WHERE s.id = $1` + share + ` ON CONFLICT DO NOTHING`
}

// insert writes the row of a new task. Most often the number of its scope is known, it has no idempotency key, and one
// statement does.
func (j *Journal) insert(ctx context.Context, tx *store.Tx, c *commit, r *row) error {
	share := j.db.Dialect().Share
	var known bool
	c.scope, known = j.scopes.get(c.Key.Scope)
	for placed := !known || c.Create.IdempotencyKey != ""; ; placed = true {
		if placed {
			if err := c.place(ctx, tx, share); err != nil {
				return err
			}
		}
		res, err := tx.ExecContext(ctx, insertTask(share),
			c.scope, string(c.Key.ID), string(c.Head.ContextID), r.state, millis(c.Head.Status.Timestamp),
			int64(c.Head.Seq), int64(r.taken), r.holder, int64(r.token), r.leaseUntil, r.since, r.wakeAt, r.ready(),
			c.size, c.Create.IdempotencyKey, c.head, c.size+len(c.head))
		var n int64
		if err == nil {
			n, err = res.RowsAffected()
		}
		switch {
		case err != nil:
			return failed(c.Key.ID, "write", err)
		case n > 0:
			return nil
		case placed:
			return journal.ErrExists
		}
	}
}

// selectPlace says whether a new task's id and its idempotency key are free in a scope.
const selectPlace = `SELECT s.id, EXISTS (SELECT 1 FROM tasks t WHERE t.scope = s.id AND t.id = $4),
	coalesce((SELECT k.id FROM create_keys k WHERE k.scope = s.id AND k.key = $5), '')
	FROM scopes s WHERE s.agent = $1 AND s.tenant = $2 AND s.owner = $3`

// Another node may have come first with the same scope or key. Its row is then updated to what it is, which waits for
// the other node's commit and returns what it has written.
const (
	insertScope = `INSERT INTO scopes (agent, tenant, owner) VALUES ($1, $2, $3)
	ON CONFLICT (agent, tenant, owner) DO UPDATE SET owner = excluded.owner RETURNING id`
	insertCreateKey = `INSERT INTO create_keys (scope, key, id) VALUES ($1, $2, $3)
	ON CONFLICT (scope, key) DO UPDATE SET key = excluded.key RETURNING id`
)

// place finds or makes the scope of a new task, and claims the task's idempotency key. It trusts the database only: a
// task in a scope that was removed would never be found again. lock keeps the scope from that.
func (c *commit) place(ctx context.Context, tx *store.Tx, lock string) error {
	s, key := c.Key.Scope, c.Create.IdempotencyKey
	var taken bool
	var first string
	err := tx.QueryRowContext(ctx, selectPlace+lock, s.Agent, s.Tenant, s.Owner, string(c.Key.ID), key).Scan(&c.scope,
		&taken, &first)
	switch {
	case errors.Is(err, dbsql.ErrNoRows):
		err = tx.QueryRowContext(ctx, insertScope, s.Agent, s.Tenant, s.Owner).Scan(&c.scope)
	case taken:
		return journal.ErrExists
	case first != "":
		return &journal.DuplicateError{TaskID: taskID(first)}
	}
	if err != nil || key == "" {
		return err
	}
	err = tx.QueryRowContext(ctx, insertCreateKey, c.scope, key, string(c.Key.ID)).Scan(&first)
	if err == nil && first != string(c.Key.ID) {
		return &journal.DuplicateError{TaskID: taskID(first)}
	}
	return err
}

func (j *Journal) append(ctx context.Context, tx *store.Tx, c *commit, now int64) error {
	r, err := j.find(ctx, tx, c.Key)
	if err != nil {
		return err
	}
	c.scope, c.token = r.scope, r.token
	if err := c.admissible(r); err != nil {
		return err
	}
	if err := c.update(ctx, tx, r, now); err != nil {
		return failed(c.Key.ID, "write", err)
	}
	if err := j.roomFor(ctx, tx, c); err != nil {
		return err
	}
	if err := c.rest(ctx, tx); err != nil {
		return failed(c.Key.ID, "write", err)
	}
	return nil
}

// admissible says why a commit cannot be applied.
func (c *commit) admissible(r *row) error {
	switch {
	case !r.heldBy(c.Lease, c.Key):
		return journal.ErrLeaseLost
	case c.Expect != r.seq:
		return journal.ErrConflict
	case r.terminal() && !c.Head.Status.State.Terminal():
		return journal.ErrFinished
	case c.UnlessInputs && r.lastInput > max(c.Taken, r.taken):
		return journal.ErrInputsWaiting
	}
	return nil
}

// update writes the task's row, and removes inputs and wakes cursors. Columns of indexes are only written when they
// change, because the engine would write the index as well.
func (c *commit) update(ctx context.Context, tx *store.Tx, r *row, now int64) error {
	was := *r
	r.state, r.statusAt = int32(c.Head.Status.State), millis(c.Head.Status.Timestamp)
	r.taken = max(r.taken, c.Taken)
	if r.terminal() {
		r.taken = max(r.taken, r.lastInput)
	}
	r.wakeAt = millis(c.Head.Run.WakeAt)
	r.wait(c.Head.Run.Open || r.lastInput > r.taken, now)
	if c.Release {
		r.holder, r.leaseUntil = "", 0
	} else {
		c.lease = c.Lease
	}
	if r.taken > was.taken && was.lastInput > was.taken {
		freed, err := r.removeInputs(ctx, tx, c.Key)
		if err != nil {
			return err
		}
		r.bytes -= freed
	}
	r.tail += c.size
	r.bytes += c.size + len(c.head) - r.head
	c.checkpoint = c.size > 0 && r.tail >= max(minTail, tailFactor*r.base)

	text := `UPDATE tasks SET seq = $3, taken = $4, holder = $5, lease_until = $6, since = $7, wake_at = $8,` +
		` tail = $9, head = $10, bytes = $11`
	args := []any{r.scope, string(c.Key.ID), int64(c.Head.Seq), int64(r.taken), r.holder, r.leaseUntil, r.since,
		r.wakeAt, r.tail, c.head, r.bytes}
	status := r.state != was.state || r.statusAt != was.statusAt
	switch ready := r.ready(); {
	case status:
		text += `, ready_at = $12, state = $13, status_at = $14`
		args = append(args, ready, r.state, r.statusAt)
	case ready != was.readyAt:
		text += `, ready_at = $12`
		args = append(args, ready)
	}
	if _, err := tx.ExecContext(ctx, text+` WHERE scope = $1 AND id = $2`, args...); err != nil {
		return err
	}
	if status {
		if err := backdate(ctx, tx, r.scope, r.statusAt, now); err != nil {
			return err
		}
	}
	if r.cursors > 0 && len(c.Events) > 0 {
		_, err := tx.ExecContext(ctx, `UPDATE cursors SET ready_at = CASE due WHEN 0 THEN $3 ELSE due END
			WHERE scope = $1 AND id = $2 AND ready_at IS NULL AND delivered < $4`,
			r.scope, string(c.Key.ID), now, int64(c.Head.Seq))
		return err
	}
	return nil
}

// removeInputs removes the inputs that were taken, and returns how many bytes they had.
func (r *row) removeInputs(ctx context.Context, tx *store.Tx, key journal.Key) (freed int, err error) {
	const taken = ` FROM inputs WHERE scope = $1 AND id = $2 AND number <= $3`
	args := []any{r.scope, string(key.ID), int64(r.taken)}
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(length(body)), 0)`+taken, args...).Scan(&freed); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `DELETE`+taken, args...)
	return freed, err
}

// rest writes what is in tables of its own.
func (c *commit) rest(ctx context.Context, tx *store.Tx) error {
	for _, row := range c.rows {
		_, err := tx.ExecContext(ctx, `INSERT INTO events (scope, id, last_seq, body) VALUES ($1, $2, $3, $4)`,
			c.scope, string(c.Key.ID), int64(row.last), row.body)
		if err != nil {
			return err
		}
	}
	if c.TaskState != nil {
		_, err := tx.ExecContext(ctx, `INSERT INTO task_states (scope, id, state) VALUES ($1, $2, $3)
			ON CONFLICT (scope, id) DO UPDATE SET state = excluded.state`, c.scope, string(c.Key.ID), c.TaskState)
		if err != nil {
			return err
		}
	}
	if c.ContextState == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO context_states (scope, context, state) VALUES ($1, $2, $3)
		ON CONFLICT (scope, context) DO UPDATE SET state = excluded.state`,
		c.scope, string(c.Head.ContextID), c.ContextState)
	return err
}

// checkpoint writes the folded task. It is a transaction of its own, so that a large task is encoded here and not by
// the writer. If the task has changed meanwhile the checkpoint is left out.
func (j *Journal) checkpoint(ctx context.Context, c *commit) error {
	body, err := c.Task().AppendJSON(nil)
	if err != nil {
		return err
	}
	return j.change(ctx, func(ctx context.Context, tx *store.Tx, _ int64) error {
		res, err := tx.ExecContext(ctx, `UPDATE tasks SET tail = 0, base = $3, bytes = bytes - base + $3
			WHERE scope = $1 AND id = $2 AND seq = $4 AND token = $5`,
			c.scope, string(c.Key.ID), len(body), int64(c.Head.Seq), int64(c.token))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO checkpoints (scope, id, seq, body) VALUES ($1, $2, $3, $4)
			ON CONFLICT (scope, id) DO UPDATE SET seq = excluded.seq, body = excluded.body`,
			c.scope, string(c.Key.ID), int64(c.Head.Seq), body)
		return err
	})
}
