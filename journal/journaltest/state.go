// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func testState(t *testing.T, open Opener) {
	b := setup(t, open)
	d, other := b.create(key()), b.create(key())
	states := func() (task, context string) {
		ts, err := b.j.TaskState(b.ctx, d.key)
		b.must(err)
		cs, err := b.j.ContextState(b.ctx, d.key.Scope, d.head.ContextID)
		b.must(err)
		return string(ts), string(cs)
	}
	save := func(d *driver, task, context []byte) {
		b.must(d.append(func(c *journal.Commit) { c.TaskState, c.ContextState = task, context }))
	}
	want := func(task, context string) {
		t.Helper()
		if ts, cs := states(); ts != task || cs != context {
			t.Fatalf("states %q and %q, want %q and %q", ts, cs, task, context)
		}
	}
	want("", "")
	save(d, []byte("a\x00"), nil)
	want("a\x00", "")
	save(d, nil, []byte("b"))
	want("a\x00", "b")
	save(other, []byte("its own"), []byte("c"))
	want("a\x00", "c")
	save(d, []byte{}, []byte{})
	want("", "")
	cs, err := b.j.ContextState(b.ctx, d.key.Scope, "none")
	if cs != nil || err != nil {
		t.Errorf("state of no context: %q, %v", cs, err)
	}
}

func testCursor(t *testing.T, open Opener) {
	due := func(b *bench) []journal.DueCursor {
		b.Helper()
		due, err := b.j.DueCursors(b.ctx, 10)
		b.must(err)
		return due
	}
	t.Run("put, replace, delete", func(t *testing.T) {
		d := setup(t, open).create(key())
		c := journal.Cursor{Name: "b", Delivered: 1, Attempts: 3, Due: now(), Data: []byte("x\x00")}
		d.must(d.j.PutCursor(d.ctx, d.key, c))
		d.must(d.j.PutCursor(d.ctx, d.key, journal.Cursor{Name: "a"}))
		got, err := d.j.Cursors(d.ctx, d.key)
		d.must(err)
		d.same("cursors", []journal.Cursor{{Name: "a"}, c}, got)
		c = journal.Cursor{Name: "b", Data: []byte("y")}
		d.must(d.j.PutCursor(d.ctx, d.key, c))
		d.must(d.j.DeleteCursor(d.ctx, d.key, "a"))
		d.must(d.j.DeleteCursor(d.ctx, d.key, "a"))
		d.must(d.j.DeleteCursor(d.ctx, key(), "a"))
		got, err = d.j.Cursors(d.ctx, d.key)
		d.must(err)
		d.same("cursors", []journal.Cursor{c}, got)
	})
	t.Run("a commit with events makes due", func(t *testing.T) {
		d := setup(t, open).create(key())
		c := journal.Cursor{Name: "c", Delivered: 1}
		d.must(d.j.PutCursor(d.ctx, d.key, c))
		d.must(d.append(plain))
		d.same("due with nothing to deliver", []journal.DueCursor{}, due(d.bench))
		d.must(d.append(plain, d.artifact("a", false, "x")))
		want := []journal.DueCursor{{Key: d.key, Cursor: c}}
		d.same("due", want, due(d.bench))
		d.must(d.append(plain, d.artifact("a", true, "x")))
		d.same("due still", want, due(d.bench))
		c.Delivered = 3
		d.must(d.j.PutCursor(d.ctx, d.key, c))
		d.same("due after delivery", []journal.DueCursor{}, due(d.bench))
		c.Delivered = 2
		d.must(d.j.PutCursor(d.ctx, d.key, c))
		d.same("due when put behind", []journal.DueCursor{{Key: d.key, Cursor: c}}, due(d.bench))
		d.must(d.j.DeleteCursor(d.ctx, d.key, "c"))
		d.same("due after deletion", []journal.DueCursor{}, due(d.bench))
	})
	t.Run("a later try", func(t *testing.T) {
		d := setup(t, open).create(key())
		d.must(d.j.PutCursor(d.ctx, d.key, journal.Cursor{Name: "far", Due: now().Add(long)}))
		soon := journal.Cursor{Name: "soon", Attempts: 1, Due: now().Add(50 * time.Millisecond)}
		d.must(d.j.PutCursor(d.ctx, d.key, soon))
		d.must(d.append(plain, d.artifact("a", false, "x")))
		var got []journal.DueCursor
		d.eventually("the cursor is due", func() bool { got = due(d.bench); return len(got) > 0 })
		d.same("due", []journal.DueCursor{{Key: d.key, Cursor: soon}}, got)
	})
	t.Run("limit, and the longest due first", func(t *testing.T) {
		b := setup(t, open)
		start := now().Add(-time.Hour)
		for i, name := range []string{"3", "1", "4", "2"} {
			d := b.create(key())
			at := start.Add(time.Duration(name[0]) * time.Minute)
			b.must(b.j.PutCursor(b.ctx, d.key, journal.Cursor{Name: name, Due: at, Attempts: i}))
		}
		got, err := b.j.DueCursors(b.ctx, 3)
		b.must(err)
		var names []string
		for _, c := range got {
			names = append(names, c.Name)
		}
		b.same("names", []string{"1", "2", "3"}, names)
	})
}

func testPrune(t *testing.T, open Opener) {
	later := func() time.Time { return time.Now().Add(time.Minute) }
	t.Run("old tasks go with all that is theirs", func(t *testing.T) {
		b := setup(t, open)
		d := b.create(key())
		b.enqueue(d.key, input("x"))
		b.must(b.j.PutCursor(b.ctx, d.key, journal.Cursor{Name: "c", Delivered: 3}))
		b.must(d.append(both(taken(1), func(c *journal.Commit) { c.TaskState = []byte("x") }), received(1, "x")))
		b.must(d.append(release, d.status(a2a.TaskStateCompleted, nil)))
		if n, err := b.j.Prune(b.ctx, now().Add(-time.Hour), 10); n != 0 || err != nil {
			t.Fatalf("pruned %d, %v", n, err)
		}
		b.must(b.j.PutCursor(b.ctx, d.key, journal.Cursor{Name: "c", Delivered: 3}))
		n, err := b.j.Prune(b.ctx, later(), 10)
		if n != 1 || err != nil {
			t.Fatalf("pruned %d, %v", n, err)
		}
		_, err = b.j.Load(b.ctx, d.key)
		b.wants(journal.ErrNotFound, err)
		b.same("list", &journal.Page{}, b.list(d.key.Scope, journal.Query{}))
		fresh := b.rest(d.key, a2a.TaskStateWorking)
		fresh.stored()
		if state, err := b.j.TaskState(b.ctx, d.key); state != nil || err != nil {
			t.Errorf("state %q, %v", state, err)
		}
		if cursors, err := b.j.Cursors(b.ctx, d.key); len(cursors) != 0 || err != nil {
			t.Errorf("cursors %v, %v", cursors, err)
		}
		if n := b.enqueue(d.key, input("x")); n != 1 {
			t.Errorf("first input has the number %d", n)
		}
	})
	t.Run("what is spared", func(t *testing.T) {
		b := setup(t, open)
		spared := map[string]*driver{
			"submitted": b.rest(key(), a2a.TaskStateSubmitted),
			"working":   b.rest(key(), a2a.TaskStateWorking),
			"held":      b.rest(key(), a2a.TaskStateCompleted),
			"runnable":  b.rest(key(), a2a.TaskStateInputRequired),
			"behind":    b.rest(key(), a2a.TaskStateCompleted),
			"open":      b.create(key()),
		}
		spared["held"].take("me", long)
		b.enqueue(spared["runnable"].key, input("x"))
		b.must(b.j.PutCursor(b.ctx, spared["behind"].key, journal.Cursor{Name: "c", Due: now().Add(long)}))
		open := spared["open"]
		b.must(open.append(both(run(journal.Run{Open: true}), release), open.status(a2a.TaskStateAuthRequired, nil)))
		gone := []*driver{b.rest(key(), a2a.TaskStateRejected), b.rest(key(), a2a.TaskStateAuthRequired),
			b.rest(key(), a2a.TaskStateInputRequired)}
		n, err := b.j.Prune(b.ctx, later(), 100)
		if n != len(gone) || err != nil {
			t.Errorf("pruned %d, %v", n, err)
		}
		for name, d := range spared {
			if _, err := b.j.Head(b.ctx, d.key); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, d := range gone {
			_, err := b.j.Head(b.ctx, d.key)
			b.wants(journal.ErrNotFound, err)
		}
	})
	t.Run("the limit", func(t *testing.T) {
		b := setup(t, open)
		for range 5 {
			b.rest(key(), a2a.TaskStateCompleted)
		}
		for _, want := range []int{2, 2, 1, 0} {
			if n, err := b.j.Prune(b.ctx, later(), 2); n != want || err != nil {
				t.Errorf("pruned %d, want %d, error %v", n, want, err)
			}
		}
	})
	t.Run("a context's state goes with its last task", func(t *testing.T) {
		b := setup(t, open)
		first, second := b.create(key()), b.create(key())
		b.must(first.append(func(c *journal.Commit) { c.Release, c.ContextState = true, []byte("s") },
			first.status(a2a.TaskStateCompleted, nil)))
		state := func() string {
			s, err := b.j.ContextState(b.ctx, first.key.Scope, first.head.ContextID)
			b.must(err)
			return string(s)
		}
		prune := func() {
			if n, err := b.j.Prune(b.ctx, later(), 10); n != 1 || err != nil {
				t.Fatalf("pruned %d, %v", n, err)
			}
		}
		prune()
		if s := state(); s != "s" {
			t.Errorf("state %q while a task is left", s)
		}
		b.must(second.append(release, second.status(a2a.TaskStateCompleted, nil)))
		prune()
		if s := state(); s != "" {
			t.Errorf("state %q after the last task", s)
		}
	})
	t.Run("an idempotency key is free again", func(t *testing.T) {
		b := setup(t, open)
		for range 2 {
			d := b.draft(key())
			b.must(d.append(func(c *journal.Commit) {
				c.Create, c.Release = &journal.Create{Holder: "me", TTL: long, IdempotencyKey: "k"}, true
			}, d.born(a2a.TaskStateCompleted)))
			if n, err := b.j.Prune(b.ctx, later(), 10); n != 1 || err != nil {
				t.Fatalf("pruned %d, %v", n, err)
			}
		}
	})
}
