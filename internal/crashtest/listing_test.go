// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// manyTasks writes the rows of tasks that have ended, without events: lists do not read those.
const manyTasks = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
	INSERT INTO tasks (scope, id, context, state, status_at, seq, taken, holder, token, lease_until, since, wake_at,
	tail, head)
	SELECT (SELECT id FROM scopes), printf('01900000-0000-7000-8000-%012d', i), printf('c%d', i), iif(i % 10, 3, 4),
		unixepoch() * 1000 - $1 + i, 1, 0, '', 1, 0, 0, 0, 0, x'010000000000000000000000' FROM n`

// TestListingDoesNotSlowSending has eight callers list a database of many tasks without a pause, one task a page,
// beside eight that send: these keep at least half of their rate.
func TestListingDoesNotSlowSending(t *testing.T) {
	tasks, window := prove(20_000, 300_000), prove(time.Second, 10*time.Second)
	folder := t.TempDir()
	fill(t, folder, tasks)
	p := start(t, config{Folder: folder})
	c := p.dial(p.config.Addrs.Plain)
	sendOne := func(ctx context.Context) error {
		_, err := c.SendMessage(ctx, message("echo hi", ""))
		return err
	}
	one := 1
	listOne := func(ctx context.Context) error {
		res, err := c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: &one})
		if err == nil && (len(res.Tasks) != 1 || res.TotalSize <= tasks) {
			return errors.New("the page is not what it should be")
		}
		return err
	}
	hammer(t, window/4, sendOne, nil) // until the log has its size and connections are open
	alone, _ := hammer(t, window, sendOne, nil)
	beside, lists := hammer(t, window, sendOne, listOne)
	t.Logf("%d tasks: %.0f sends a second alone, %.0f beside %.0f lists a second", tasks, alone, beside, lists)
	if least := alone / prove(4.0, 2.0); beside < least { // a second tells less than ten
		t.Errorf("listing leaves %.0f of %.0f sends a second", beside, alone)
	}
	p.stop()
}

// TestListingWholeTasksDoesNotSlowSending has eight callers list tasks with their artifacts without a pause, beside
// eight that send: what lists read does not keep others from the connections for reading.
func TestListingWholeTasksDoesNotSlowSending(t *testing.T) {
	window := prove(time.Second, 10*time.Second)
	p := start(t, config{Folder: t.TempDir()})
	c := p.dial(p.config.Addrs.Plain)
	text := "echo " + strings.Repeat("x", 20<<10)
	for range 100 {
		if _, err := c.SendMessage(t.Context(), message(text, "")); err != nil {
			t.Fatal(err)
		}
	}
	all := prove(20, 50)
	sendOne := func(ctx context.Context) error {
		_, err := c.SendMessage(ctx, message("echo hi", ""))
		return err
	}
	listAll := func(ctx context.Context) error {
		res, err := c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: &all, IncludeArtifacts: true})
		if err == nil && (len(res.Tasks) != all || len(res.Tasks[0].Artifacts) != 1) {
			return errors.New("the page is not what it should be")
		}
		return err
	}
	alone, _ := hammer(t, window, sendOne, nil)
	beside, lists := hammer(t, window, sendOne, listAll)
	t.Logf("%.0f sends a second alone, %.0f beside %.0f lists a second", alone, beside, lists)
	if least := alone / prove(4.0, 2.0); beside < least {
		t.Errorf("listing leaves %.0f of %.0f sends a second", beside, alone)
	}
	p.stop()
}

// fill makes a data folder with tasks of the plain agent.
func fill(t *testing.T, folder string, tasks int) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), folder, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sql.New(t.Context(), db, nil)
	err = errors.Join(err, db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO scopes (agent, tenant, owner) VALUES ('plain', '', '')`)
		if err == nil {
			_, err = tx.ExecContext(ctx, manyTasks, tasks)
		}
		return err
	}))
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// hammer has eight callers do one thing, and eight more another one, each as often as it can, and returns how often a
// second each was done. The other thing may be nil.
func hammer(t *testing.T, window time.Duration, one, other func(context.Context) error) (rate, otherRate float64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), window)
	defer cancel()
	var wg sync.WaitGroup
	var counts [2]atomic.Int64
	for i, do := range []func(context.Context) error{one, other} {
		for range 8 {
			if do == nil {
				break
			}
			wg.Go(func() {
				for ctx.Err() == nil {
					err := do(ctx)
					if ctx.Err() != nil {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					counts[i].Add(1)
				}
			})
		}
	}
	wg.Wait()
	return float64(counts[0].Load()) / window.Seconds(), float64(counts[1].Load()) / window.Seconds()
}
