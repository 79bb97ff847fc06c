// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func testConcurrent(t *testing.T, open Opener) {
	t.Run("many tasks", func(t *testing.T) {
		b := setup(t, open)
		const tasks, commits = 16, 20
		drivers := make([]*driver, tasks)
		var wg sync.WaitGroup
		for i := range drivers {
			d := b.draft(key())
			drivers[i] = d
			wg.Go(func() {
				if err := d.append(d.creation("me"), d.born(a2a.TaskStateWorking)); err != nil {
					t.Error(err)
				}
				for n := range commits {
					if err := d.append(plain, d.artifact("a", true, fmt.Sprint(n)),
						d.status(a2a.TaskStateWorking, nil)); err != nil {
						t.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range commits {
					if _, err := b.j.Load(b.ctx, d.key); err != nil && !errors.Is(err, journal.ErrNotFound) {
						t.Error(err)
					}
					if _, err := b.j.List(b.ctx, d.key.Scope, journal.Query{Limit: 5}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for _, d := range drivers {
			d.stored()
		}
	})
	t.Run("a reader misses nothing", func(t *testing.T) {
		d := setup(t, open).create(key())
		const events = 300
		read := make(chan uint64, 1)
		go func() {
			var seq uint64
			for seq < events {
				page, err := d.j.Events(d.ctx, d.key, seq, 7)
				if err != nil {
					break
				}
				for _, e := range page {
					if e.Seq != seq+1 {
						t.Errorf("event %d follows %d", e.Seq, seq)
					}
					seq = e.Seq
				}
			}
			read <- seq
		}()
		for d.head.Seq < events {
			d.must(d.append(plain, d.status(a2a.TaskStateWorking, nil)))
		}
		if seq := <-read; seq != events {
			t.Errorf("read up to %d", seq)
		}
	})
	t.Run("one of many creates", func(t *testing.T) {
		b := setup(t, open)
		k := key()
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			d := b.draft(k)
			wg.Go(func() { errs[i] = d.append(d.creation(fmt.Sprint(i)), d.born(a2a.TaskStateWorking)) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else {
				b.wants(journal.ErrExists, err)
			}
		}
		if made != 1 {
			t.Errorf("%d made the task", made)
		}
	})
	t.Run("one of many claims", func(t *testing.T) {
		b := setup(t, open)
		d := b.rest(key(), a2a.TaskStateWorking)
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = b.j.ClaimTask(b.ctx, d.key, fmt.Sprint("h", i), long) })
		}
		wg.Wait()
		got := 0
		for _, err := range errs {
			var held *journal.HeldError
			if err == nil {
				got++
			} else if !errors.As(err, &held) {
				t.Error(err)
			}
		}
		if got != 1 {
			t.Errorf("%d hold the task", got)
		}
	})
}

func testHandles(t *testing.T, open Opener) {
	b := setup(t, open)
	if b.again == nil {
		t.Skip("this journal has one handle only")
	}
	other, err := b.again()
	b.must(err)
	t.Cleanup(func() { b.must(other.Close()) })
	d := b.create(key())
	there := *d
	there.bench = &bench{T: t, j: other, ctx: b.ctx}
	there.stored()
	var held *journal.HeldError
	if _, err := other.ClaimTask(b.ctx, d.key, "you", long); !errors.As(err, &held) {
		t.Errorf("claim of a held task: %v", err)
	}
	b.must(b.j.Release(b.ctx, d.lease))
	there.take("you", long)
	b.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "lost")))
	there.must(there.append(plain, d.artifact("a", false, "x")))
	d.head, d.events = there.head, there.events
	d.stored()
}

func testClose(t *testing.T, open Opener) {
	b := setup(t, open)
	d := b.create(key())
	b.must(b.j.Close())
	for name, call := range map[string]func() error{
		"Append":       func() error { return d.append(plain, d.artifact("a", false, "x")) },
		"Enqueue":      func() error { _, err := b.j.Enqueue(b.ctx, d.key, input("x"), 0); return err },
		"Inputs":       func() error { _, err := b.j.Inputs(b.ctx, d.key, 0); return err },
		"Claim":        func() error { _, err := b.j.Claim(b.ctx, "me", []string{"agent"}, long, 1); return err },
		"ClaimTask":    func() error { _, err := b.j.ClaimTask(b.ctx, d.key, "me", long); return err },
		"Renew":        func() error { _, err := b.j.Renew(b.ctx, []journal.Lease{d.lease}, long); return err },
		"Release":      func() error { return b.j.Release(b.ctx, d.lease) },
		"Head":         func() error { _, err := b.j.Head(b.ctx, d.key); return err },
		"Load":         func() error { _, err := b.j.Load(b.ctx, d.key); return err },
		"Events":       func() error { _, err := b.j.Events(b.ctx, d.key, 0, 1); return err },
		"List":         func() error { _, err := b.j.List(b.ctx, d.key.Scope, journal.Query{}); return err },
		"TaskState":    func() error { _, err := b.j.TaskState(b.ctx, d.key); return err },
		"ContextState": func() error { _, err := b.j.ContextState(b.ctx, d.key.Scope, "c"); return err },
		"PutCursor":    func() error { return b.j.PutCursor(b.ctx, d.key, journal.Cursor{Name: "c"}) },
		"Cursors":      func() error { _, err := b.j.Cursors(b.ctx, d.key); return err },
		"DueCursors":   func() error { _, err := b.j.DueCursors(b.ctx, 1); return err },
		"DeleteCursor": func() error { return b.j.DeleteCursor(b.ctx, d.key, "c") },
		"Prune":        func() error { _, err := b.j.Prune(b.ctx, time.Now(), 1); return err },
	} {
		if err := call(); !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	b.must(b.j.Close())
}
