// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
)

// fill writes the rows of tasks from first to last as quickly as it can: a third has one state, the rest another, one
// context has half of them, and each two have the same time.
const fill = `WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
	INSERT INTO tasks (scope, id, context, state, status_at, seq, taken, holder, token, lease_until, since, wake_at,
	tail, head)
	SELECT 1, printf('t%08d', i), iif(i % 2, 'large', printf('c%d', i)), iif(i % 3, 3, 4), 1000 + i / 2,
		1, 0, '', 1, 0, 0, 0, 0, x'010000000000000000000000' FROM n`

const addScope = `INSERT INTO scopes (id, agent, tenant, owner) VALUES (1, 'a', '', 'o')`

var listed = journal.Scope{Agent: "a", Owner: "o"}

func write(t testing.TB, db *store.DB, text string, args ...any) {
	t.Helper()
	err := db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, text, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func number(t testing.TB, db *store.DB, text string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRowContext(context.Background(), text, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wrongCounts finds blocks that do not say how many tasks they have, and tasks that are in no block.
const wrongCounts = `WITH blocks AS (
		SELECT *, lead(since, 1, 1 << 62) OVER (PARTITION BY scope, context, state ORDER BY since) AS until FROM
		task_counts)
	SELECT count(*) + abs((SELECT 2 * count(*) FROM tasks) - (SELECT sum(n) FROM task_counts)) FROM blocks b WHERE n <>
		iif(b.context = '', (SELECT count(*) FROM tasks t
			WHERE t.scope = b.scope AND t.state = b.state AND t.status_at >= b.since AND t.status_at < b.until),
		(SELECT count(*) FROM tasks t WHERE t.scope = b.scope AND t.context = b.context
			AND t.state = b.state AND t.status_at >= b.since AND t.status_at < b.until))`

// checkCounts compares the counts with the tasks, and totals of lists with those of another way to count.
func checkCounts(t *testing.T, db *store.DB, j *sql.Journal) {
	t.Helper()
	if n := number(t, db, wrongCounts); n != 0 {
		t.Fatalf("%d counts are wrong", n)
	}
	for _, contextID := range []a2a.ContextID{"", "large", "c2", "none"} {
		for _, state := range []a2a.TaskState{0, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled} {
			for _, since := range []int64{0, 1, 1500, 2023, 2024, 2025, 3000, 1 << 40} {
				q := journal.Query{ContextID: contextID, State: state, Limit: 1}
				if since > 0 {
					q.Since = time.UnixMilli(since)
				}
				p, err := j.List(t.Context(), listed, q)
				if err != nil {
					t.Fatal(err)
				}
				want := number(t, db, `SELECT count(*) FROM tasks WHERE ($1 = '' OR context = $1) AND ($2 = 0 OR state
					= $2)
					AND status_at >= $3`, string(contextID), int32(state), since)
				if p.Total != want {
					t.Errorf("context %q, state %v, since %d: %d tasks, want %d", contextID, state, since, p.Total,
						want)
				}
			}
		}
	}
}

// TestCountsAreTrue changes many tasks in ways that blocks are made, emptied and taken apart.
func TestCountsAreTrue(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	j := newJournal(t, db)
	write(t, db, addScope)
	write(t, db, fill, 0, 9999)
	checkCounts(t, db, j)
	if n := number(t, db, `SELECT count(*) FROM task_counts WHERE context = '' AND state = 3`); n < 3 || n > 5 {
		t.Errorf("6,666 tasks are counted in %d blocks", n)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		// Some get a new state, a new time, or both; some of the times are earlier.
		write(t, db, `UPDATE tasks SET state = iif(abs(random()) % 4, 5, state), status_at = max(0, status_at + $1)
			WHERE abs(random()) % 3 = 0`, rng.IntN(8000)-2000)
		checkCounts(t, db, j)
		write(t, db, `DELETE FROM tasks WHERE status_at BETWEEN $1 AND $1 + 900 OR abs(random()) % 20 = 0`,
			1000+rng.IntN(5000))
		checkCounts(t, db, j)
	}
	write(t, db, `DELETE FROM tasks`)
	if n := number(t, db, `SELECT count(*) FROM task_counts`); n != 0 {
		t.Errorf("%d counts of no tasks are left", n)
	}
}

// TestMigrationRemovesScopesWithoutTasks has a database of the version that kept them.
func TestMigrationRemovesScopesWithoutTasks(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	migrateTo(t, db, "00001_tables.sql", "00002_counts.sql")
	write(t, db, addScope)
	write(t, db, `INSERT INTO scopes (agent, tenant, owner) VALUES ('a', '', 'p'), ('a', '', 'q')`)
	write(t, db, fill, 0, 9)
	j := newJournal(t, db)
	if n := number(t, db, `SELECT count(*) FROM scopes`); n != 1 {
		t.Errorf("%d scopes are left of one owner with tasks", n)
	}
	checkCounts(t, db, j)
}

// TestMigrationCounts has a database of the version before the counts.
func TestMigrationCounts(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	migrateTo(t, db, "00001_tables.sql")
	write(t, db, addScope)
	write(t, db, fill, 0, 9999)
	j := newJournal(t, db)
	checkCounts(t, db, j)
	write(t, db, fill, 10_000, 12_999)
	checkCounts(t, db, j)
}

// migrateTo makes the journal's tables of an earlier version: those of some migrations.
func migrateTo(t *testing.T, db *store.DB, names ...string) {
	t.Helper()
	old := fstest.MapFS{}
	for _, name := range names {
		body, err := fs.ReadFile(os.DirFS("migrations/sqlite"), name)
		if err != nil {
			t.Fatal(err)
		}
		old[name] = &fstest.MapFile{Data: body}
	}
	if err := db.Migrate(t.Context(), "journal", old); err != nil {
		t.Fatal(err)
	}
}

// TestPagesReadNoMoreThanTheyShow looks at how the database goes about a page: along an index for each state, merged,
// and with nothing sorted or counted.
func TestPagesReadNoMoreThanTheyShow(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	newJournal(t, db)
	for _, contextID := range []a2a.ContextID{"", "c"} {
		for _, since := range []time.Time{{}, time.UnixMilli(5)} {
			for _, token := range []string{"", "x"} {
				q := journal.Query{ContextID: contextID, Since: since, PageToken: token, Limit: 10}
				text, args := sql.PageQuery(q, 3, 4, 7)
				plan := explain(t, db, text, args...)
				index := "COVERING INDEX tasks_by_state (scope=? AND state=?"
				if contextID != "" {
					index = "COVERING INDEX tasks_by_context (scope=? AND context=? AND state=?"
				}
				if strings.Count(plan, index) != 3 || strings.Count(plan, "MERGE (UNION ALL)") != 2 ||
					strings.Contains(plan, "TEMP B-TREE") ||
					!strings.Contains(plan, "SEARCH t USING PRIMARY KEY (scope=? AND id=?)") {
					t.Errorf("%s\n%s", text, plan)
				}
				text, args = sql.BlockQuery(q)
				if plan := explain(t, db, text, args...); !strings.Contains(plan, "status_at>? AND status_at<?") ||
					!strings.Contains(plan, "SEARCH c USING PRIMARY KEY") {
					t.Errorf("%s\n%s", text, plan)
				}
			}
		}
	}
}

// TestPagesCostTheSame compares a page of a few tasks with one of many, which used to count them all.
func TestPagesCostTheSame(t *testing.T) {
	sizes := []int{1000, 40_000}
	queries := map[string]journal.Query{
		"all":        {Limit: 1},
		"context":    {Limit: 1, ContextID: "large"},
		"state":      {Limit: 1, State: a2a.TaskStateCompleted},
		"both":       {Limit: 1, State: a2a.TaskStateCompleted, ContextID: "large"},
		"rare state": {Limit: 1, State: a2a.TaskStateCanceled},
	}
	var journals []*sql.Journal
	for _, n := range sizes {
		db := openDB(t, t.TempDir())
		journals = append(journals, newJournal(t, db))
		write(t, db, addScope)
		write(t, db, fill, 0, n-1)
	}
	for name, q := range queries {
		var took [2][41]time.Duration
		for i := range took[0] {
			for k, j := range journals {
				began := time.Now()
				if _, err := j.List(t.Context(), listed, q); err != nil {
					t.Fatal(err)
				}
				took[k][i] = time.Since(began)
			}
		}
		few, many := median(took[0][:]), median(took[1][:])
		t.Logf("%s: %v of %d tasks, %v of %d", name, few, sizes[0], many, sizes[1])
		if many > 3*few {
			t.Errorf("%s: a page costs %v of %d tasks, %v of %d", name, few, sizes[0], many, sizes[1])
		}
	}
}

// TestListsUseTheirOwnConnection lists whole tasks, small and large, while every other connection for reading is in
// use.
func TestListsUseTheirOwnConnection(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	j := newJournal(t, db)
	add(t, j, scopeOf("alice"), "small")
	w := newWriter(j, journal.Key{Scope: scopeOf("alice"), ID: "large"})
	for range 20 {
		if err := w.write(40); err != nil {
			t.Fatal(err)
		}
	}
	if number(t, db, `SELECT count(*) FROM checkpoints`) != 1 {
		t.Fatal("the large task has no checkpoint")
	}
	release := make(chan struct{})
	var busy, over sync.WaitGroup
	for range 4 { // as many as sqlite.Options.Readers is by default
		busy.Add(1)
		over.Go(func() {
			err := db.Read(context.Background(), func(context.Context, *store.Snapshot) error {
				busy.Done()
				<-release
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	busy.Wait()
	defer over.Wait()
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	p, err := j.List(ctx, scopeOf("alice"), journal.Query{Tasks: true})
	if err != nil || len(p.Tasks) != 2 || p.Tasks[0].ID != p.Heads[0].Key.ID {
		t.Fatalf("%+v, error %v", p, err)
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{1000, 300_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := openDB(b, b.TempDir())
			j := newJournal(b, db)
			write(b, db, addScope)
			write(b, db, fill, 0, n-1)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := j.List(b.Context(), listed, journal.Query{Limit: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
