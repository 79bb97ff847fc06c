// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/store"
)

//go:embed migrations
var migrations embed.FS

// Tables are a Store in a database.
type Tables struct {
	db     *store.DB
	tokens tokens
}

// OpenTables returns the Store in a database, whose tables it makes if they are not there.
func OpenTables(ctx context.Context, db *store.DB) (*Tables, error) {
	files, err := fs.Sub(migrations, "migrations/"+db.Dialect().Name)
	if err != nil {
		return nil, fmt.Errorf("coord: there are no tables for %s", db.Dialect().Name)
	}
	if err := db.Migrate(ctx, "coord", files); err != nil {
		return nil, fmt.Errorf("coord: %w", err)
	}
	return &Tables{db: db}, nil
}

// Append keeps commits in one transaction. When somebody else wrote to one of the projects meanwhile it keeps none.
func (s *Tables) Append(ctx context.Context, all []Commit) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		for i := range all {
			if err := all[i].write(ctx, tx); err != nil {
				return fmt.Errorf("project %q: %w", all[i].Project, err)
			}
		}
		return nil
	})
}

// insertEvent inserts an event if it follows the newest one, all in one statement, as a look before cost as much again.
const insertEvent = "INSERT INTO coord_events (project, seq, at, kind, session, body) SELECT $1, $2, $3, $4, $5, $6 " +
	"WHERE $2 = 1 + (SELECT coalesce(max(seq), 0) FROM coord_events WHERE project = $1)"

func (c *Commit) write(ctx context.Context, tx *store.Tx) error {
	for i := range c.Events {
		e := &c.Events[i]
		done, err := tx.ExecContext(ctx, insertEvent, c.Project, e.Seq, e.Time.UnixMilli(), string(e.Kind), e.Session,
			c.Texts[i])
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("event %d does not follow the newest event: another process has written to this project",
				e.Seq)
		}
	}
	if c.Snapshot == nil && c.Events[0].Seq > 1 {
		return nil
	}
	snapshot, seq := c.Snapshot, c.Events[len(c.Events)-1].Seq
	if snapshot == nil { // the row is there from the first event on
		snapshot, seq = []byte{}, 0
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO coord_projects (project, seq, snapshot) VALUES ($1, $2, $3) "+
		"ON CONFLICT (project) DO UPDATE SET seq = excluded.seq, snapshot = excluded.snapshot",
		c.Project, seq, snapshot)
	return err
}

// Load returns the last snapshot of a project and the events after it.
func (s *Tables) Load(ctx context.Context, project string) (snapshot []byte, events []Event, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, snap *store.Snapshot) error {
		var seq int64
		err := snap.QueryRowContext(ctx, "SELECT seq, snapshot FROM coord_projects WHERE project = $1",
			project).Scan(&seq, &snapshot)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		rows, err := snap.QueryContext(ctx, "SELECT body FROM coord_events WHERE project = $1 AND seq > $2 ORDER BY "+
			"seq", project, seq)
		if err != nil {
			return err
		}
		events, err = scanEvents(rows)
		return err
	})
	return snapshot, events, err
}

// Events returns up to limit events of a project after a number.
func (s *Tables) Events(ctx context.Context, project string, after int64, limit int) ([]Event, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT body FROM coord_events WHERE project = $1 AND seq > $2 ORDER BY seq "+
		"LIMIT $3", project, after, limit)
	if err != nil {
		return nil, err
	}
	return scanEvents(rows)
}

func scanEvents(rows *sql.Rows) ([]Event, error) {
	return collect(rows, func() (e Event, err error) {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return e, err
		}
		if err := json.Unmarshal(body, &e); err != nil {
			return e, fmt.Errorf("read an event: %w", err)
		}
		return e, nil
	})
}

// collect reads all rows, each by one.
func collect[T any](rows *sql.Rows, one func() (T, error)) (all []T, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		v, err := one()
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// Projects returns the names of all projects.
func (s *Tables) Projects(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT project FROM coord_projects ORDER BY project")
	if err != nil {
		return nil, err
	}
	return collect(rows, func() (name string, err error) { return name, rows.Scan(&name) })
}

// pruneAtOnce is how many events go in one transaction, so that no other one waits long.
const pruneAtOnce = 1000

// Prune drops events from before a time that are part of a snapshot, the newest one of which stays.
func (s *Tables) Prune(ctx context.Context, before time.Time) error {
	projects, err := s.Projects(ctx)
	if err != nil {
		return err
	}
	for _, project := range projects {
		for more := true; more; {
			if more, err = s.pruneSome(ctx, project, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneSome drops some events of a project, and reports whether there may be more.
func (s *Tables) pruneSome(ctx context.Context, project string, before time.Time) (more bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		more = false // it may be run again
		result, err := tx.ExecContext(ctx, `DELETE FROM coord_events WHERE project = $1 AND seq <= (
			SELECT max(seq) FROM (
				SELECT seq, at FROM coord_events
				WHERE project = $1 AND seq < (SELECT seq FROM coord_projects WHERE project = $1)
				ORDER BY seq LIMIT $2
			) AS oldest WHERE at < $3)`, project, pruneAtOnce, before.UnixMilli())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		more = n == pruneAtOnce
		return err
	})
	return more, err
}
