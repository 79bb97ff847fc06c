// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
)

func scopeOf(owner string) journal.Scope { return journal.Scope{Agent: "a", Tenant: "t", Owner: owner} }

// add makes a task that has ended, with a state for its context.
func add(t *testing.T, j *sql.Journal, s journal.Scope, id a2a.TaskID) {
	t.Helper()
	if _, err := j.Append(t.Context(), one(s, id, a2a.TaskStateCompleted, "of "+s.Owner)); err != nil {
		t.Fatal(err)
	}
}

// one returns the commit that makes a task in a state, with a text in its history and in the state of its context.
func one(s journal.Scope, id a2a.TaskID, state a2a.TaskState, text string) *journal.Commit {
	now := time.Now()
	key := journal.Key{Scope: s, ID: id}
	w := newWriter(nil, key)
	head := w.head
	head.Status = a2a.TaskStatus{State: state, Timestamp: now}
	c := &journal.Commit{Key: key, Create: &journal.Create{Holder: "h", TTL: time.Minute}, Release: true, Head: &head,
		ContextState: []byte(text), Task: w.projection.Task}
	w.add(c, &a2a.Task{ID: id, ContextID: head.ContextID, Status: head.Status,
		History: []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}})
	return c
}

func pruneAll(t *testing.T, j *sql.Journal, want int) {
	t.Helper()
	if n, err := j.Prune(t.Context(), time.Now().Add(time.Hour), 1000); n != want || err != nil {
		t.Fatalf("pruned %d, want %d; error %v", n, want, err)
	}
}

// sees checks that a handle finds exactly some tasks in a scope, by each way to read.
func sees(t *testing.T, j *sql.Journal, s journal.Scope, want ...a2a.TaskID) {
	t.Helper()
	page, err := j.List(t.Context(), s, journal.Query{})
	if err != nil || page.Total != len(want) || len(page.Heads) != len(want) {
		t.Errorf("%s lists %+v, want %v; error %v", s.Owner, page, want, err)
	}
	state, err := j.ContextState(t.Context(), s, "c")
	if err != nil || (state == nil) != (len(want) == 0) || state != nil && string(state) != "of "+s.Owner {
		t.Errorf("%s has the state %q, error %v", s.Owner, state, err)
	}
	for _, id := range []a2a.TaskID{"old", "same", "new"} {
		there := false
		for _, w := range want {
			there = there || w == id
		}
		for how, err := range reads(t, j, journal.Key{Scope: s, ID: id}) {
			if there && err != nil || !there && !errors.Is(err, journal.ErrNotFound) {
				t.Errorf("%s of %s's task %s, which is there: %v: error %v", how, s.Owner, id, there, err)
			}
		}
	}
}

// reads returns what each way to read a task says.
func reads(t *testing.T, j *sql.Journal, key journal.Key) map[string]error {
	ctx := t.Context()
	errs := make(map[string]error)
	_, errs["Head"] = j.Head(ctx, key)
	_, errs["Load"] = j.Load(ctx, key)
	_, errs["Events"] = j.Events(ctx, key, 0, 10)
	_, errs["Inputs"] = j.Inputs(ctx, key, 0)
	_, errs["Cursors"] = j.Cursors(ctx, key)
	_, errs["TaskState"] = j.TaskState(ctx, key)
	lease, err := j.ClaimTask(ctx, key, "reader", time.Minute)
	if errs["ClaimTask"] = err; err == nil {
		errs["Release"] = j.Release(ctx, lease.Lease)
	}
	return errs
}

// Pruning removes a scope with its last task while the journal runs. A handle that remembers the scope's number finds
// nothing under it: neither tasks of the next owner, nor an empty list when its own owner has new tasks.
func TestScopeIsPrunedWithItsLastTask(t *testing.T) { onEach(t, scopeIsPrunedWithItsLastTask) }

func scopeIsPrunedWithItsLastTask(t *testing.T, open opener) {
	db := open(t)
	j, other := newJournal(t, db), newJournal(t, db)
	alice, bob := scopeOf("alice"), scopeOf("bob")
	add(t, j, alice, "old")
	add(t, j, alice, "same")
	sees(t, j, alice, "old", "same")
	sees(t, other, alice, "old", "same") // it remembers the number, too
	pruneAll(t, j, 2)
	if n := number(t, db, `SELECT count(*) FROM scopes`); n != 0 {
		t.Errorf("%d scopes without tasks are left", n)
	}

	add(t, j, bob, "same")
	for _, handle := range []*sql.Journal{j, other} {
		sees(t, handle, alice)
		sees(t, handle, bob, "same")
	}
	add(t, other, alice, "new") // by the handle that did not prune
	for _, handle := range []*sql.Journal{j, other} {
		sees(t, handle, alice, "new")
		sees(t, handle, bob, "same")
	}
}

// If a handle still remembers a removed scope, the tasks that it adds there can be claimed and pruned like all others.
func TestTaskInAScopeThatWasRemoved(t *testing.T) { onEach(t, taskInAScopeThatWasRemoved) }

func taskInAScopeThatWasRemoved(t *testing.T, open opener) {
	db := open(t)
	j, other := newJournal(t, db), newJournal(t, db)
	add(t, j, scopeOf("alice"), "old")
	pruneAll(t, other, 1)
	c := one(scopeOf("alice"), "new", a2a.TaskStateWorking, "x")
	c.Head.Run.Open = true
	if _, err := j.Append(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, handle := range []*sql.Journal{j, other} {
		claimed, err := handle.Claim(t.Context(), "h", []string{"a"}, time.Minute, 10)
		if err != nil || len(claimed) != 1 || claimed[0].Head.Key != c.Key {
			t.Fatalf("claimed %+v, error %v", claimed, err)
		}
		if err := handle.Release(t.Context(), claimed[0].Lease); err != nil {
			t.Fatal(err)
		}
	}
}

func TestScopeIsDroppedWithItsTenant(t *testing.T) { onEach(t, scopeIsDroppedWithItsTenant) }

func scopeIsDroppedWithItsTenant(t *testing.T, open opener) {
	db := open(t)
	j := newJournal(t, db)
	add(t, j, scopeOf("alice"), "old")
	if left, err := j.DropTenants(t.Context(), "a", "t", time.Now().Add(time.Hour)); left != 0 || err != nil {
		t.Fatalf("%d left, error %v", left, err)
	}
	if n := number(t, db, `SELECT count(*) FROM scopes`); n != 0 {
		t.Errorf("%d scopes without tasks are left", n)
	}
}

// A task that was acknowledged has a scope, also while others are removed.
func TestScopesAreMadeWhileOthersArePruned(t *testing.T) {
	onEach(t, scopesAreMadeWhileOthersArePruned)
}

func scopesAreMadeWhileOthersArePruned(t *testing.T, open opener) {
	db := open(t)
	handles := []*sql.Journal{newJournal(t, db), newJournal(t, db)}
	var writers, pruner sync.WaitGroup
	done := make(chan struct{})
	pruner.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if _, err := handles[0].Prune(t.Context(), time.Now().Add(time.Hour), 1000); err != nil {
				t.Error(err)
			}
		}
	})
	for w := range 4 {
		writers.Go(func() {
			s := scopeOf(fmt.Sprint("owner", w%2))
			for i := range 100 {
				id := a2a.TaskID(fmt.Sprint(w, "-", i))
				c := one(s, id, a2a.TaskStateWorking, "x") // which is not pruned
				if i%2 == 0 {
					c = one(s, id, a2a.TaskStateCompleted, "x")
				}
				_, err := handles[i%3%2].Append(t.Context(), c)
				if err == nil && i%2 == 1 {
					_, err = handles[i%2].Load(t.Context(), c.Key)
				}
				if err != nil {
					t.Errorf("task %s: %v", id, err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	pruner.Wait()
	if n := number(t, db, `SELECT count(*) FROM tasks WHERE scope NOT IN (SELECT id FROM scopes)`); n != 0 {
		t.Errorf("%d tasks are in no scope", n)
	}
}
