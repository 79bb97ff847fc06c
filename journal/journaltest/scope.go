// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func testScope(t *testing.T, open Opener) {
	for name, foreign := range map[string]func(*journal.Scope){
		"agent":  func(s *journal.Scope) { s.Agent = "other" },
		"tenant": func(s *journal.Scope) { s.Tenant = "" },
		"owner":  func(s *journal.Scope) { s.Owner = "" },
		"shifted": func(s *journal.Scope) { // the same letters in other places
			s.Agent, s.Tenant, s.Owner = "agentten", "ant", "owner"
		},
	} {
		t.Run("another "+name, func(t *testing.T) {
			b := setup(t, open)
			d := b.create(key())
			b.must(d.append(func(c *journal.Commit) { c.TaskState, c.ContextState = []byte("t"), []byte("c") }))
			b.must(b.j.PutCursor(b.ctx, d.key, journal.Cursor{Name: "c"}))
			k := d.key
			foreign(&k.Scope)
			notThere(b, d, k)
			d.stored()

			own := b.rest(k, a2a.TaskStateWorking) // the same id is free there
			own.stored()
			d.stored()
			b.enqueue(k, input("x"))
			if n := len(b.inputs(d.key, 0)); n != 0 {
				t.Errorf("%d inputs of a foreign task", n)
			}
			if state, err := b.j.TaskState(b.ctx, k); state != nil || err != nil {
				t.Errorf("task state %q, %v", state, err)
			}
			if cursors, err := b.j.Cursors(b.ctx, k); len(cursors) != 0 || err != nil {
				t.Errorf("cursors %v, %v", cursors, err)
			}
		})
	}
}

// notThere tries all that a key can be used for.
func notThere(b *bench, d *driver, k journal.Key) {
	b.Helper()
	stranger := *d
	stranger.key, stranger.head.Key = k, k
	b.wants(journal.ErrNotFound, stranger.append(plain, d.artifact("a", false, "x")))
	_, err := b.j.Enqueue(b.ctx, k, input("x"), 0)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.Inputs(b.ctx, k, 0)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.ClaimTask(b.ctx, k, "me", long)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.Head(b.ctx, k)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.Load(b.ctx, k)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.Events(b.ctx, k, 0, 1)
	b.wants(journal.ErrNotFound, err)
	_, err = b.j.TaskState(b.ctx, k)
	b.wants(journal.ErrNotFound, err)
	b.wants(journal.ErrNotFound, b.j.PutCursor(b.ctx, k, journal.Cursor{Name: "x"}))
	_, err = b.j.Cursors(b.ctx, k)
	b.wants(journal.ErrNotFound, err)
	b.must(b.j.DeleteCursor(b.ctx, k, "c"))
	lease := d.lease
	lease.Key = k
	held, err := b.j.Renew(b.ctx, []journal.Lease{lease}, time.Nanosecond)
	b.must(err)
	b.same("held", []bool{false}, held)
	b.must(b.j.Release(b.ctx, lease))
	state, err := b.j.ContextState(b.ctx, k.Scope, d.head.ContextID)
	b.must(err)
	b.same("context state", []byte(nil), state)
	page, err := b.j.List(b.ctx, k.Scope, journal.Query{})
	b.must(err)
	b.same("list", &journal.Page{}, page)

	cursors, err := b.j.Cursors(b.ctx, d.key)
	b.must(err)
	if len(cursors) != 1 {
		b.Fatalf("a stranger removed the cursor: %v", cursors)
	}
}
