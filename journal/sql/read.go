// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

func stateOf(n int32) a2a.TaskState { return a2a.TaskState(n) }
func taskID(s string) a2a.TaskID    { return a2a.TaskID(s) }

const (
	headColumns = `t.id, t.context, t.state, t.status_at, t.seq, t.head`
	selectHead  = `SELECT ` + headColumns + ` FROM tasks t`
	whereTask   = ` WHERE t.scope = $1 AND t.id = $2`
)

// scanHead makes a head of a row that begins with the headColumns; what follows them goes to more.
func scanHead(key journal.Key, scan func(...any) error, more ...any) (*journal.Head, error) {
	h := &journal.Head{Key: key}
	var statusAt int64
	var body []byte
	to := append([]any{&h.Key.ID, &h.ContextID, &h.Status.State, &statusAt, &h.Seq, &body}, more...)
	if err := scan(to...); err != nil {
		return nil, missing(err)
	}
	h.Status.Timestamp = fromMillis(statusAt)
	if err := decodeHead(body, h); err != nil {
		return nil, failed(h.Key.ID, "damaged head of", err)
	}
	return h, nil
}

func head(ctx context.Context, q store.Querier, scope int64, key journal.Key) (*journal.Head, error) {
	return scanHead(key, q.QueryRowContext(ctx, selectHead+whereTask, scope, string(key.ID)).Scan)
}

// Head implements [journal.Journal].
func (j *Journal) Head(ctx context.Context, key journal.Key) (*journal.Head, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) (*journal.Head, error) {
		return head(ctx, j.db, scope, key)
	})
}

// Load implements [journal.Journal].
func (j *Journal) Load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) (*journal.Snapshot, error) {
		if s, err := loadSmall(ctx, j.db, scope, key); err != nil || s != nil {
			return s, err
		}
		var s *journal.Snapshot
		err := j.db.Read(ctx, func(ctx context.Context, snapshot *store.Snapshot) (err error) {
			s, err = loadLarge(ctx, snapshot, scope, key)
			return err
		})
		return s, err
	})
}

// load reads a task from a snapshot.
func load(ctx context.Context, snap *store.Snapshot, scope int64, key journal.Key) (*journal.Snapshot, error) {
	if s, err := loadSmall(ctx, snap, scope, key); err != nil || s != nil {
		return s, err
	}
	return loadLarge(ctx, snap, scope, key)
}

// loadSmall reads a task without a checkpoint, which has few events, in one statement. It returns nil for any other.
func loadSmall(ctx context.Context, q store.Querier, scope int64, key journal.Key) (*journal.Snapshot, error) {
	var h *journal.Head
	var f folding
	_, err := store.All(ctx, q, func(scan func(...any) error) (none struct{}, err error) {
		var body []byte
		if h == nil {
			h, err = scanHead(key, scan, &body)
		} else {
			var skip dbsql.RawBytes
			err = scan(&skip, &skip, &skip, &skip, &skip, &skip, &body)
		}
		if err != nil {
			return none, err
		}
		return none, f.add(body, h.Origin)
	}, `SELECT `+headColumns+`, e.body FROM tasks t
		JOIN events e ON e.scope = t.scope AND e.id = t.id`+whereTask+` AND t.base = 0 ORDER BY e.last_seq`,
		scope, string(key.ID))
	if err != nil {
		return nil, failed(key.ID, "read", err)
	}
	if h == nil {
		return nil, nil
	}
	return f.snapshot(h)
}

// loadLarge reads the checkpoint and the events after it.
func loadLarge(ctx context.Context, q store.Querier, scope int64, key journal.Key) (*journal.Snapshot, error) {
	h, err := head(ctx, q, scope, key)
	if err != nil {
		return nil, err
	}
	var f folding
	var body []byte
	err = q.QueryRowContext(ctx, `SELECT seq, body FROM checkpoints WHERE scope = $1 AND id = $2`,
		scope, string(key.ID)).Scan(&f.seq, &body)
	if err == nil {
		err = f.start(body, h.Origin)
	} else if errors.Is(err, dbsql.ErrNoRows) {
		err = nil
	}
	if err != nil {
		return nil, failed(key.ID, "read", err)
	}
	_, err = store.All(ctx, q, func(scan func(...any) error) (none struct{}, err error) {
		var body []byte
		if err := scan(&body); err != nil {
			return none, err
		}
		return none, f.add(body, h.Origin)
	}, `SELECT body FROM events WHERE scope = $1 AND id = $2 AND last_seq > $3
		ORDER BY last_seq`, scope, string(key.ID), int64(f.seq))
	if err != nil {
		return nil, failed(key.ID, "read", err)
	}
	return f.snapshot(h)
}

// folding makes a task of what the database holds of it, and notices what is missing.
type folding struct {
	projection *journal.Projection
	seq        uint64
}

func (f *folding) start(checkpoint []byte, origin a2a.Generation) error {
	t := new(a2a.Task)
	if err := a2a.Unmarshal(checkpoint, t); err != nil {
		return fmt.Errorf("damaged checkpoint: %w", err)
	}
	t.Origin = origin
	f.projection = journal.NewProjection(t)
	return nil
}

func (f *folding) add(row []byte, origin a2a.Generation) error {
	var gap error
	err := decodeEvents(row, f.seq, origin, func(e journal.Event, _ int) bool {
		if e.Seq != f.seq+1 {
			gap = fmt.Errorf("event %d follows %d", e.Seq, f.seq)
			return false
		}
		if f.projection == nil {
			if _, ok := e.Wire.Event.(*a2a.Task); !ok {
				gap = errors.New("the first event does not carry the task")
				return false
			}
			f.projection = new(journal.Projection)
		}
		f.seq = e.Seq
		f.projection.Apply(&e)
		return true
	})
	if err = errors.Join(err, gap); err != nil {
		return fmt.Errorf("damaged events: %w", err)
	}
	return nil
}

func (f *folding) snapshot(head *journal.Head) (*journal.Snapshot, error) {
	if f.seq != head.Seq {
		return nil, failed(head.Key.ID, "damaged events of",
			fmt.Errorf("the last is %d, the head says %d", f.seq, head.Seq))
	}
	return &journal.Snapshot{Head: head, Task: f.projection.Task()}, nil
}

// maxPageBytes is how much Events returns at once, but for one event that is larger: whoever reads for a subscriber may
// hold it for long.
const maxPageBytes = 128 << 10

// Events implements [journal.Journal].
func (j *Journal) Events(ctx context.Context, key journal.Key, after uint64, limit int) ([]journal.Event, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) (events []journal.Event, err error) {
		var origin a2a.Generation
		if after == 0 { // only the first event has it
			h, err := head(ctx, j.db, scope, key)
			if err != nil {
				return nil, err
			}
			origin = h.Origin
		}
		if limit > 0 {
			if events, err = j.events(ctx, scope, key, after, limit, origin); err != nil {
				return nil, failed(key.ID, "read events of", err)
			}
		}
		if len(events) == 0 {
			return nil, exists(ctx, j.db, scope, key)
		}
		return events, nil
	})
}

func (j *Journal) events(ctx context.Context, scope int64, key journal.Key, after uint64, limit int,
	origin a2a.Generation) ([]journal.Event, error) {
	// Numbers of the database are signed; there are no events beyond them.
	rows, err := j.db.QueryContext(ctx, `SELECT body FROM events WHERE scope = $1 AND id = $2 AND last_seq > $3
		ORDER BY last_seq LIMIT $4`, scope, string(key.ID), int64(min(after, 1<<62)), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var events []journal.Event
	var gap error
	size := 0
	for len(events) < limit && size < maxPageBytes && rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return nil, err
		}
		err := decodeEvents(body, after, origin, func(e journal.Event, n int) bool {
			if want := after + uint64(len(events)) + 1; e.Seq != want {
				gap = fmt.Errorf("event %d is damaged: %d is in its place", want, e.Seq)
				return false
			}
			events = append(events, e)
			size += n
			return len(events) < limit && size < maxPageBytes
		})
		if err := errors.Join(err, gap); err != nil {
			return nil, err
		}
	}
	return events, rows.Err()
}

// TaskState implements [journal.Journal].
func (j *Journal) TaskState(ctx context.Context, key journal.Key) ([]byte, error) {
	return read(ctx, j, key.Scope, func(ctx context.Context, scope int64) (state []byte, err error) {
		err = missing(j.db.QueryRowContext(ctx, `SELECT state FROM task_states WHERE scope = $1 AND id = $2`,
			scope, string(key.ID)).Scan(&state))
		if errors.Is(err, journal.ErrNotFound) {
			err = exists(ctx, j.db, scope, key)
		}
		return state, err
	})
}

// ContextState implements [journal.Journal].
func (j *Journal) ContextState(ctx context.Context, s journal.Scope, id a2a.ContextID) ([]byte, error) {
	state, err := read(ctx, j, s, func(ctx context.Context, scope int64) (state []byte, err error) {
		err = missing(j.db.QueryRowContext(ctx, `SELECT state FROM context_states WHERE scope = $1 AND context = $2`,
			scope, string(id)).Scan(&state))
		return state, err
	})
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil
	}
	return state, err
}
