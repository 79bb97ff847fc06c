// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// The tasks of some tenants go, however many there are, except those that are at work or held and those that were made
// later; others stay.
func TestDropTenants(t *testing.T) { onEach(t, dropTenants) }

func dropTenants(t *testing.T, open opener) {
	ctx := t.Context()
	j := newJournal(t, open(t))
	now := time.Now().UTC().Truncate(time.Millisecond)
	add := func(agent, tenant string, id a2a.TaskID, state a2a.TaskState, release bool) journal.Key {
		t.Helper()
		created := now
		if strings.HasPrefix(string(id), "next") {
			created = now.Add(time.Millisecond)
		}
		key := journal.Key{Scope: journal.Scope{Agent: agent, Tenant: tenant, Owner: "o"}, ID: id}
		task := &a2a.Task{ID: id, ContextID: "c", Status: a2a.TaskStatus{State: state, Timestamp: now}}
		_, err := j.Append(ctx, &journal.Commit{
			Key: key, Create: &journal.Create{Holder: "h", TTL: time.Minute},
			Events: []journal.Event{{Seq: 1, Time: now, Wire: a2a.NewStreamEvent("1", task)}},
			Head:   &journal.Head{Key: key, ContextID: "c", Status: task.Status, Created: created, Seq: 1},
			Task:   func() *a2a.Task { return task }, Release: release,
		})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	var gone []journal.Key
	for i := range 120 {
		gone = append(gone, add("s", fmt.Sprint("p_%/", i%3), a2a.TaskID(fmt.Sprint("t", i)), a2a.TaskStateCompleted,
			true))
	}
	stay := []journal.Key{
		add("s", "p_%/0", "next", a2a.TaskStateCompleted, true),
		add("s", "p_%/0", "next at work", a2a.TaskStateWorking, true),
		add("s", "p_%/0", "working", a2a.TaskStateWorking, true), add("s", "p_%/0", "held", a2a.TaskStateFailed, false),
		add("s", "pxx/0", "t0", a2a.TaskStateCompleted, true), add("s", "", "t0", a2a.TaskStateCompleted, true),
		add("other", "p_%/0", "t0", a2a.TaskStateCompleted, true),
	}
	if left, err := j.DropTenants(ctx, "s", "p_%/", now.Add(time.Millisecond)); left != 2 || err != nil {
		t.Errorf("%d are left, %v", left, err)
	}
	for _, key := range gone {
		if _, err := j.Load(ctx, key); !errors.Is(err, journal.ErrNotFound) {
			t.Fatalf("%+v: %v", key, err)
		}
	}
	for _, key := range stay {
		if _, err := j.Load(ctx, key); err != nil {
			t.Errorf("%+v: %v", key, err)
		}
	}
}
