// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/pgtest"
)

// TestPruneFindsAllThatIsOld adds tasks with statuses of any age, between calls of Prune: after each none is left that
// is older than its time, and none that is not is gone.
func TestPruneFindsAllThatIsOld(t *testing.T) { onEach(t, pruneFindsAllThatIsOld) }

func pruneFindsAllThatIsOld(t *testing.T, open opener) {
	db := open(t)
	j := newJournal(t, db)
	rng := rand.New(rand.NewPCG(1, 2))
	made := 0
	for round := range 30 {
		for range rng.IntN(40) {
			made++
			c := one(scopeOf(fmt.Sprint(rng.IntN(8))), a2a.TaskID(fmt.Sprint(made)), a2a.TaskStateCompleted, "x")
			if rng.IntN(3) > 0 {
				c.Head.Status.Timestamp = time.Now().Add(-time.Duration(rng.IntN(100)) * time.Minute)
			}
			if _, err := j.Append(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		before := time.Now().Add(-time.Duration(rng.IntN(100)) * time.Minute)
		const selectOld = `SELECT count(*) FROM tasks WHERE status_at < $1`
		old, all := number(t, db, selectOld, before.UnixMilli()), number(t, db, `SELECT count(*) FROM tasks`)
		limit := 1000
		if round%3 == 0 {
			limit = max(1, old/2)
		}
		n, err := j.Prune(t.Context(), before, limit)
		if err != nil || n != min(old, limit) {
			t.Fatalf("round %d: %d of %d are pruned, error %v", round, n, old, err)
		}
		if left := number(t, db, `SELECT count(*) FROM tasks`); left != all-n ||
			limit == 1000 && number(t, db, selectOld, before.UnixMilli()) != 0 {
			t.Fatalf("round %d: %d of %d are left", round, left, all)
		}
	}
}

// TestPruneCostsWhatIsOld prunes one task, beside scopes with tasks that are too new.
func TestPruneCostsWhatIsOld(t *testing.T) {
	t.Parallel()
	var took [2]time.Duration
	for i, scopes := range []int{10, 5_000} {
		db := openDB(t, t.TempDir())
		j := newJournal(t, db)
		write(t, db, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			INSERT INTO scopes (agent, tenant, owner) SELECT 'a', '', printf('o%d', i) FROM n`, scopes)
		write(t, db, `INSERT INTO tasks (scope, id, context, state, status_at, seq, taken, holder, token, lease_until,
			since,
			wake_at, tail, head) SELECT id, 't', 'c', 3, unixepoch() * 1000, 1, 0, '', 1, 0, 0, 0, 0,
			x'010000000000000000000000' FROM scopes`)
		before := time.Now().Add(-time.Hour)
		if n, err := j.Prune(t.Context(), before, 1000); n != 0 || err != nil { // looks at each scope once
			t.Fatalf("%d are pruned, error %v", n, err)
		}
		var all [21]time.Duration
		for k := range all {
			c := one(scopeOf("alice"), a2a.TaskID(fmt.Sprint(k)), a2a.TaskStateCompleted, "x")
			c.Head.Status.Timestamp = before.Add(-time.Minute)
			if _, err := j.Append(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if n, err := j.Prune(t.Context(), before, 1000); n != 1 || err != nil {
				t.Fatalf("%d are pruned, error %v", n, err)
			}
			all[k] = time.Since(began)
		}
		took[i] = median(all[:])
	}
	t.Logf("%v beside 10 scopes, %v beside 5,000", took[0], took[1])
	if took[1] > 5*took[0] {
		t.Errorf("to prune a task takes %v beside 10 scopes, %v beside 5,000", took[0], took[1])
	}
}

// The notes of transactions in PostgreSQL give the counts of the tasks, before and after they are added up.
func TestCountsOnPostgres(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, pgtest.New(t))
	j := newJournal(t, db)
	states := []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateInputRequired}
	for round := range 4 {
		var writers sync.WaitGroup
		for w := range 8 {
			writers.Go(func() {
				for i := range 20 {
					id := a2a.TaskID(fmt.Sprint(round, "-", w, "-", i))
					_, err := j.Append(t.Context(), one(scopeOf(fmt.Sprint(i%3)), id, states[(w+i)%3], "x"))
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		if n := number(t, db, `SELECT count(*) FROM (SELECT scope, state, sum(n) AS n FROM task_counts
			WHERE context = '' GROUP BY scope, state) AS have FULL JOIN
			(SELECT scope, state, count(*) AS n FROM tasks GROUP BY scope, state) AS want USING (scope, state)
			WHERE coalesce(have.n, 0) <> coalesce(want.n, 0)`); n != 0 {
			t.Errorf("round %d: %d counts are wrong", round, n)
		}
		checkBytes(t, db)
		if n := number(t, db, `SELECT count(*) FROM changes`); n > 3*256 {
			t.Errorf("%d notes wait to be added up", n)
		}
		if _, err := j.Prune(t.Context(), time.Now().Add(time.Hour), 50); err != nil {
			t.Error(err)
		}
	}
	if number(t, db, `SELECT count(*) FROM count_sums`) == 0 {
		t.Error("nothing was added up")
	}
}
