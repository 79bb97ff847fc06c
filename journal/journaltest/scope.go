// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

var scopeTests = []test{
	{"another agent", inAnother(func(s *journal.Scope) { s.Agent = "other" })},
	{"another tenant", inAnother(func(s *journal.Scope) { s.Tenant = "" })},
	{"another owner", inAnother(func(s *journal.Scope) { s.Owner = "" })},
	{"the same letters in other places", inAnother(func(s *journal.Scope) {
		s.Agent, s.Tenant, s.Owner = "agentten", "ant", "owner"
	})},
}

// inAnother shows that a task cannot be reached in another scope, where its id is free.
func inAnother(foreign func(*journal.Scope)) func(*bench) {
	return func(b *bench) {
		d := b.create(key())
		b.must(d.append(states([]byte("t"), []byte("c"))))
		b.put(d.key, journal.Cursor{Name: "c"})
		k := d.key
		foreign(&k.Scope)
		stranger := *d
		stranger.key, stranger.head.Key, stranger.lease.Key = k, k, k
		for name, call := range stranger.callsByKey() {
			if err := call(); !errors.Is(err, journal.ErrNotFound) {
				b.Errorf("%s: error %v", name, err)
			}
		}
		b.must(b.j.DeleteCursor(b.ctx, k, "c"))
		b.same("held", []bool{false}, b.renew(time.Nanosecond, stranger.lease))
		b.must(b.j.Release(b.ctx, stranger.lease))
		state, err := b.j.ContextState(b.ctx, k.Scope, d.head.ContextID)
		b.must(err)
		b.same("context state", []byte(nil), state)
		b.same("list", &journal.Page{}, b.list(k.Scope, journal.Query{}))
		b.same("cursors", []journal.Cursor{{Name: "c"}}, b.cursors(d.key))
		d.stored()

		b.rest(k, a2a.TaskStateWorking).stored()
		d.stored()
		b.enqueue(k, input("x"))
		b.same("inputs", []journal.Input{}, b.inputs(d.key, 0))
		b.knowsNothing(k)
	}
}

// knowsNothing fails if a new task has something of another one that had its id.
func (b *bench) knowsNothing(k journal.Key) {
	b.Helper()
	if state, err := b.j.TaskState(b.ctx, k); state != nil || err != nil {
		b.Errorf("task state %q, %v", state, err)
	}
	b.same("cursors", []journal.Cursor{}, b.cursors(k))
}

// callsByKey are the calls that fail for a task that is not there.
func (d *driver) callsByKey() map[string]func() error {
	ctx, j, k := d.ctx, d.j, d.key
	return map[string]func() error{
		"Append":    func() error { return d.append(plain, d.artifact("a", false, "x")) },
		"Enqueue":   func() error { _, err := j.Enqueue(ctx, k, input("x"), 0); return err },
		"Inputs":    func() error { _, err := j.Inputs(ctx, k, 0); return err },
		"ClaimTask": func() error { _, err := j.ClaimTask(ctx, k, "me", long); return err },
		"Head":      func() error { _, err := j.Head(ctx, k); return err },
		"Load":      func() error { _, err := j.Load(ctx, k); return err },
		"Events":    func() error { _, err := j.Events(ctx, k, 0, 1); return err },
		"TaskState": func() error { _, err := j.TaskState(ctx, k); return err },
		"PutCursor": func() error { return j.PutCursor(ctx, k, journal.Cursor{Name: "x"}) },
		"Cursors":   func() error { _, err := j.Cursors(ctx, k); return err },
	}
}

var closeTests = []test{
	{"no call works any more", func(b *bench) {
		d := b.create(key())
		b.must(b.j.Close())
		calls := d.callsByKey()
		ctx, j := b.ctx, b.j
		calls["Claim"] = func() error { _, err := j.Claim(ctx, "me", []string{"agent"}, long, 1); return err }
		calls["Renew"] = func() error { _, err := j.Renew(ctx, []journal.Lease{d.lease}, long); return err }
		calls["Release"] = func() error { return j.Release(ctx, d.lease) }
		calls["List"] = func() error { _, err := j.List(ctx, d.key.Scope, journal.Query{}); return err }
		calls["ContextState"] = func() error { _, err := j.ContextState(ctx, d.key.Scope, "c"); return err }
		calls["DueCursors"] = func() error { _, err := j.DueCursors(ctx, 1); return err }
		calls["AllCursors"] = func() error { _, _, err := j.AllCursors(ctx, "", 1); return err }
		calls["SwapCursor"] = func() error { return j.SwapCursor(ctx, d.key, journal.Cursor{}, journal.Cursor{}) }
		calls["DeleteCursor"] = func() error { return j.DeleteCursor(ctx, d.key, "c") }
		calls["Prune"] = func() error { _, err := j.Prune(ctx, time.Now(), 1); return err }
		for name, call := range calls {
			if err := call(); !errors.Is(err, journal.ErrClosed) {
				b.Errorf("%s: error %v", name, err)
			}
		}
		b.must(b.j.Close())
	}},
}
