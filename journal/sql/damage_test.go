// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store"
)

func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		harm  string
		calls string // which of Head, Load, Events, Inputs fail
	}{
		"head": {`UPDATE tasks SET head = x'01ff'`, "Head Load List"},
		"event": {`UPDATE events SET body = replace(body, '"artifactUpdate"',` +
			` '"artifactupdate') WHERE last_seq < 50`, "Events"},
		"lost events":  {`DELETE FROM events WHERE last_seq = (SELECT max(last_seq) FROM events)`, "Load"},
		"lost between": {`DELETE FROM events WHERE last_seq = (SELECT max(last_seq) - 40 FROM events)`, "Load"},
		"cut events":   {`UPDATE events SET body = substr(body, 1, length(body) - 1)`, "Load Events"},
		"checkpoint":   {`UPDATE checkpoints SET body = '{'`, "Load"},
		"input":        {`UPDATE inputs SET body = x''`, "Inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openDB(t, t.TempDir())
			j := newJournal(t, db)
			key := crashKey(0)
			w := newWriter(j, key)
			for range 25 { // enough for checkpoints, with some events after the last
				if err := w.write(40); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := j.Enqueue(t.Context(), key, journal.Input{Kind: journal.InputWake}, 0); err != nil {
				t.Fatal(err)
			}
			err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, test.harm)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for call, f := range map[string]func() error{
				"Head":   func() error { _, err := j.Head(t.Context(), key); return err },
				"Load":   func() error { _, err := j.Load(t.Context(), key); return err },
				"Events": func() error { _, err := j.Events(t.Context(), key, 0, 1<<30); return err },
				"Inputs": func() error { _, err := j.Inputs(t.Context(), key, 0); return err },
				"List":   func() error { _, err := j.List(t.Context(), key.Scope, journal.Query{}); return err },
			} {
				err := f()
				if !strings.Contains(test.calls, call) {
					continue
				}
				if err == nil || !strings.Contains(err.Error(), string(key.ID)) {
					t.Errorf("%s: error %v, want one that names the task", call, err)
				}
			}
		})
	}
}

func TestQueriesUseTheirIndexes(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	newJournal(t, db)
	for query, index := range map[string]string{
		`SELECT t.id FROM tasks t JOIN scopes s ON s.id = +t.scope WHERE t.ready_at <= 5 AND s.agent IN ('a',` +
			` 'b') ORDER BY t.ready_at LIMIT 5`: "tasks_by_ready",
		`SELECT t.id FROM scopes s CROSS JOIN tasks t WHERE t.scope = s.id AND t.state = 3 AND t.status_at < 9 AND ` +
			`t.lease_until <= 9 LIMIT 9`: "tasks_by_state (scope=? AND state=? AND status_at<?)",
		`SELECT 1 FROM tasks t WHERE t.scope ` +
			`= 1 AND t.context = 'c'`: "COVERING INDEX tasks_by_context",
		`SELECT c.id FROM cursors c JOIN scopes s ON s.id = +c.scope ` +
			`WHERE c.ready_at <= 1 ORDER BY c.ready_at LIMIT 5`: "cursors_by_ready",
	} {
		plan := explain(t, db, query)
		if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nwants %s and no sorting:\n%s", query, index, plan)
		}
	}
}

func explain(t *testing.T, db *store.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(detail + "\n")
	}
	return plan.String()
}
