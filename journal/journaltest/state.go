// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"fmt"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// saved returns what was saved of a task and of a context.
func (b *bench) saved(k journal.Key, context a2a.ContextID) (task, ofContext string) {
	b.Helper()
	t, err := b.j.TaskState(b.ctx, k)
	b.must(err)
	c, err := b.j.ContextState(b.ctx, k.Scope, context)
	b.must(err)
	return string(t), string(c)
}

func states(task, context []byte) change {
	return func(c *journal.Commit) { c.TaskState, c.ContextState = task, context }
}

var stateTests = []test{
	{"saved with commits", func(b *bench) {
		d, other := b.create(key()), b.create(key())
		for i, step := range []struct {
			by                *driver
			change            change
			wantTask, wantCtx string
		}{
			{d, plain, "", ""},
			{d, states([]byte("a\x00"), nil), "a\x00", ""},
			{d, states(nil, []byte("b")), "a\x00", "b"},
			{other, states([]byte("its own"), []byte("c")), "a\x00", "c"},
			{d, states([]byte{}, []byte{}), "", ""},
		} {
			b.must(step.by.append(step.change))
			if task, context := b.saved(d.key, "context"); task != step.wantTask || context != step.wantCtx {
				b.Fatalf("step %d: states %q and %q, want %q and %q", i, task, context, step.wantTask, step.wantCtx)
			}
		}
		if _, context := b.saved(d.key, "none"); context != "" {
			b.Errorf("state of no context: %q", context)
		}
	}},
}

func (b *bench) put(k journal.Key, c journal.Cursor) {
	b.Helper()
	b.must(b.j.PutCursor(b.ctx, k, c))
}

func (b *bench) cursors(k journal.Key) []journal.Cursor {
	b.Helper()
	all, err := b.j.Cursors(b.ctx, k)
	b.must(err)
	return all
}

func (b *bench) due(limit int) []journal.DueCursor {
	b.Helper()
	due, err := b.j.DueCursors(b.ctx, limit)
	b.must(err)
	return due
}

var cursorTests = []test{
	{"put, replace, delete", func(b *bench) {
		d := b.create(key())
		c := journal.Cursor{Name: "b", Delivered: 1, Attempts: 3, Due: now(), Data: []byte("x\x00")}
		d.put(d.key, c)
		d.put(d.key, journal.Cursor{Name: "a"})
		d.same("cursors", []journal.Cursor{{Name: "a"}, c}, d.cursors(d.key))
		c = journal.Cursor{Name: "b", Data: []byte("y")}
		d.put(d.key, c)
		d.must(d.j.DeleteCursor(d.ctx, d.key, "a"))
		d.must(d.j.DeleteCursor(d.ctx, d.key, "a"))
		d.must(d.j.DeleteCursor(d.ctx, key(), "a"))
		d.same("cursors", []journal.Cursor{c}, d.cursors(d.key))
	}},
	{"a commit with events makes due", func(b *bench) {
		d := b.create(key())
		c := journal.Cursor{Name: "c", Delivered: 1}
		d.put(d.key, c)
		d.must(d.append(plain))
		d.same("due with nothing to deliver", []journal.DueCursor{}, d.due(10))
		d.must(d.append(plain, d.artifact("a", false, "x")))
		want := []journal.DueCursor{{Key: d.key, Cursor: c}}
		d.same("due", want, d.due(10))
		d.must(d.append(plain, d.artifact("a", true, "x")))
		d.same("due still", want, d.due(10))
		c.Delivered = 3
		d.put(d.key, c)
		d.same("due after delivery", []journal.DueCursor{}, d.due(10))
		c.Delivered = 2
		d.put(d.key, c)
		d.same("due when put behind", []journal.DueCursor{{Key: d.key, Cursor: c}}, d.due(10))
		d.must(d.j.DeleteCursor(d.ctx, d.key, "c"))
		d.same("due after deletion", []journal.DueCursor{}, d.due(10))
	}},
	{"a later try", func(b *bench) {
		d := b.create(key())
		d.put(d.key, journal.Cursor{Name: "far", Due: now().Add(long)})
		soon := journal.Cursor{Name: "soon", Attempts: 1, Due: now().Add(50 * time.Millisecond)}
		d.put(d.key, soon)
		d.must(d.append(plain, d.artifact("a", false, "x")))
		var got []journal.DueCursor
		d.eventually("the cursor is due", func() bool { got = d.due(10); return len(got) > 0 })
		d.same("due", []journal.DueCursor{{Key: d.key, Cursor: soon}}, got)
	}},
	{"made with the task", func(b *bench) {
		c := journal.Cursor{Name: "c", Data: []byte("x")}
		d := b.draft(key())
		with := func(made *journal.Commit) { made.Create.Cursors = []journal.Cursor{c} }
		d.must(d.append(both(d.creation("me"), with), d.born(a2a.TaskStateWorking)))
		d.same("cursors", []journal.Cursor{c}, d.cursors(d.key))
		d.same("due", []journal.DueCursor{{Key: d.key, Cursor: c}}, d.due(10))
		c.Delivered = 1
		d.put(d.key, c)
		d.must(d.append(plain, d.artifact("a", false, "x")))
		d.same("due again", []journal.DueCursor{{Key: d.key, Cursor: c}}, d.due(10))
	}},
	{"swap", func(b *bench) {
		d := b.create(key())
		for _, data := range [][]byte{nil, []byte("x")} {
			old := journal.Cursor{Name: "c", Attempts: 1, Due: now().Add(-time.Minute), Data: data}
			d.put(d.key, old)
			next := journal.Cursor{Name: "c", Due: now().Add(long), Data: []byte("y")}
			for _, other := range []journal.Cursor{
				{Name: "d", Attempts: 1, Due: old.Due, Data: data},
				{Name: "c", Attempts: 2, Due: old.Due, Data: data},
				{Name: "c", Attempts: 1, Data: data},
				{Name: "c", Attempts: 1, Due: old.Due, Data: []byte("z")},
				{Name: "c", Attempts: 1, Due: old.Due, Data: data, Delivered: 1},
			} {
				d.wants(journal.ErrConflict, d.j.SwapCursor(d.ctx, d.key, other, next))
			}
			d.wants(journal.ErrConflict, d.j.SwapCursor(d.ctx, key(), old, next))
			d.must(d.j.SwapCursor(d.ctx, d.key, old, next))
			d.wants(journal.ErrConflict, d.j.SwapCursor(d.ctx, d.key, old, next))
			d.same("cursors", []journal.Cursor{next}, d.cursors(d.key))
			d.same("due later", []journal.DueCursor{}, d.due(10))
			old, next = next, journal.Cursor{Name: "c", Delivered: 1}
			d.must(d.j.SwapCursor(d.ctx, d.key, old, next))
			d.must(d.append(plain, d.artifact("a", false, "x")))
			d.same("due", []journal.DueCursor{{Key: d.key, Cursor: next}}, d.due(10))
			d.must(d.j.DeleteCursor(d.ctx, d.key, "c"))
			d.wants(journal.ErrConflict, d.j.SwapCursor(d.ctx, d.key, next, old))
		}
	}},
	{"of all tasks, by pages", func(b *bench) {
		other := key()
		other.Owner, other.Tenant = "other", ""
		var want []string
		for i, k := range []journal.Key{key(), key(), other} {
			b.create(k)
			for _, name := range []string{"a", "b", "c"}[i:] {
				c := journal.Cursor{Name: name, Delivered: uint64(i), Due: now(), Data: []byte(k.ID)}
				b.put(k, c)
				want = append(want, fmt.Sprint(journal.DueCursor{Key: k, Cursor: c}))
			}
		}
		for _, limit := range []int{1, 2, 3, 5, 6, 100} {
			var got []string
			for token, first := "", true; first || token != ""; first = false {
				page, next, err := b.j.AllCursors(b.ctx, token, limit)
				if b.must(err); len(page) > limit {
					b.Fatalf("%d on a page of %d", len(page), limit)
				}
				for _, c := range page {
					got = append(got, fmt.Sprint(c))
				}
				token = next
			}
			slices.Sort(want)
			slices.Sort(got)
			b.same("cursors", want, got)
		}
		for _, token := range []string{"!", "W10", keyset.EncodeTexts("x")} {
			_, _, err := b.j.AllCursors(b.ctx, token, 1)
			b.wants(journal.ErrBadPageToken, err)
		}
	}},
	{"parked", func(b *bench) {
		d := b.create(key())
		d.put(d.key, journal.Cursor{Name: "c", Delivered: journal.Parked})
		d.must(d.append(release, d.status(a2a.TaskStateCompleted, nil)))
		d.same("due", []journal.DueCursor{}, d.due(10))
		d.same("cursors", []journal.Cursor{{Name: "c", Delivered: journal.Parked}}, d.cursors(d.key))
		b.prune(later(), 10, 1)
	}},
	{"limit, and the longest due first", func(b *bench) {
		start := now().Add(-time.Hour)
		for i, name := range []string{"3", "1", "4", "2"} {
			d := b.create(key())
			at := start.Add(time.Duration(name[0]) * time.Minute)
			b.put(d.key, journal.Cursor{Name: name, Due: at, Attempts: i})
		}
		var names []string
		for _, c := range b.due(3) {
			names = append(names, c.Name)
		}
		b.same("names", []string{"1", "2", "3"}, names)
	}},
}

// prune removes tasks that are older than a time, and wants so many to go.
func (b *bench) prune(before time.Time, limit, want int) {
	b.Helper()
	if n, err := b.j.Prune(b.ctx, before, limit); n != want || err != nil {
		b.Fatalf("pruned %d, want %d, error %v", n, want, err)
	}
}

func later() time.Time { return time.Now().Add(time.Minute) }

var pruneTests = []test{
	{"old tasks go with all that is theirs", func(b *bench) {
		d := b.create(key())
		b.enqueue(d.key, input("x"))
		b.put(d.key, journal.Cursor{Name: "c", Delivered: 3})
		b.must(d.append(both(taken(1), func(c *journal.Commit) { c.TaskState = []byte("x") }), received(1, "x")))
		b.must(d.append(release, d.status(a2a.TaskStateCompleted, nil)))
		b.prune(now().Add(-time.Hour), 10, 0)
		b.put(d.key, journal.Cursor{Name: "c", Delivered: 3})
		b.prune(later(), 10, 1)
		_, err := b.j.Load(b.ctx, d.key)
		b.wants(journal.ErrNotFound, err)
		b.same("list", &journal.Page{}, b.list(d.key.Scope, journal.Query{}))
		fresh := b.rest(d.key, a2a.TaskStateWorking)
		fresh.stored()
		b.knowsNothing(d.key)
		if n := b.enqueue(d.key, input("x")); n != 1 {
			b.Errorf("first input has the number %d", n)
		}
	}},
	{"what is spared", func(b *bench) {
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
		b.put(spared["behind"].key, journal.Cursor{Name: "c", Due: now().Add(long)})
		open := spared["open"]
		b.must(open.append(both(run(journal.Run{Open: true}), release), open.status(a2a.TaskStateAuthRequired, nil)))
		gone := []*driver{b.rest(key(), a2a.TaskStateRejected), b.rest(key(), a2a.TaskStateAuthRequired),
			b.rest(key(), a2a.TaskStateInputRequired)}
		b.prune(later(), 100, len(gone))
		for name, d := range spared {
			if _, err := b.j.Head(b.ctx, d.key); err != nil {
				b.Errorf("%s: %v", name, err)
			}
		}
		for _, d := range gone {
			_, err := b.j.Head(b.ctx, d.key)
			b.wants(journal.ErrNotFound, err)
		}
	}},
	{"the limit", func(b *bench) {
		for range 5 {
			b.rest(key(), a2a.TaskStateCompleted)
		}
		for _, want := range []int{2, 2, 1, 0} {
			b.prune(later(), 2, want)
		}
	}},
	{"a context's state goes with its last task", func(b *bench) {
		first, second := b.create(key()), b.create(key())
		b.must(first.append(both(release, states(nil, []byte("s"))), first.status(a2a.TaskStateCompleted, nil)))
		b.prune(later(), 10, 1)
		if _, state := b.saved(second.key, "context"); state != "s" {
			b.Errorf("state %q while a task is left", state)
		}
		b.must(second.append(release, second.status(a2a.TaskStateCompleted, nil)))
		b.prune(later(), 10, 1)
		state, err := b.j.ContextState(b.ctx, first.key.Scope, "context")
		if b.must(err); state != nil {
			b.Errorf("state %q after the last task", state)
		}
	}},
	{"an idempotency key is free again", func(b *bench) {
		for range 2 {
			d := b.draft(key())
			b.must(d.append(func(c *journal.Commit) {
				c.Create, c.Release = &journal.Create{Holder: "me", TTL: long, IdempotencyKey: "k"}, true
			}, d.born(a2a.TaskStateCompleted)))
			b.prune(later(), 10, 1)
		}
	}},
}
