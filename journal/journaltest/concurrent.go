// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// oneOfMany makes calls at the same time, of which one succeeds and the others are refused.
func (b *bench) oneOfMany(call func(i int) error, refused func(error) bool) {
	b.Helper()
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = call(i) })
	}
	wg.Wait()
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
		} else if !refused(err) {
			b.Error(err)
		}
	}
	if succeeded != 1 {
		b.Errorf("%d calls succeeded", succeeded)
	}
}

var concurrentTests = []test{
	{"many tasks", func(b *bench) {
		const tasks, commits = 16, 20
		drivers := make([]*driver, tasks)
		var wg sync.WaitGroup
		for i := range drivers {
			d := b.draft(key())
			drivers[i] = d
			wg.Go(func() {
				if err := d.append(d.creation("me"), d.born(a2a.TaskStateWorking)); err != nil {
					b.Error(err)
				}
				for n := range commits {
					if err := d.append(plain, d.artifact("a", true, fmt.Sprint(n)),
						d.status(a2a.TaskStateWorking, nil)); err != nil {
						b.Error(err)
					}
				}
			})
			wg.Go(func() {
				for range commits {
					if _, err := b.j.Load(b.ctx, d.key); err != nil && !errors.Is(err, journal.ErrNotFound) {
						b.Error(err)
					}
					if _, err := b.j.List(b.ctx, d.key.Scope, journal.Query{Limit: 5}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for _, d := range drivers {
			d.stored()
		}
	}},
	{"a reader misses nothing", func(b *bench) {
		d := b.create(key())
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
						b.Errorf("event %d follows %d", e.Seq, seq)
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
			b.Errorf("read up to %d", seq)
		}
	}},
	{"one of many creates", func(b *bench) {
		k := key()
		b.oneOfMany(func(i int) error {
			d := b.draft(k)
			return d.append(d.creation(fmt.Sprint(i)), d.born(a2a.TaskStateWorking))
		}, func(err error) bool { return errors.Is(err, journal.ErrExists) })
	}},
	{"one of many claims", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateWorking)
		b.oneOfMany(func(i int) error {
			_, err := b.j.ClaimTask(b.ctx, d.key, fmt.Sprint("h", i), long)
			return err
		}, func(err error) bool {
			var held *journal.HeldError
			return errors.As(err, &held)
		})
	}},
	{"several handles", func(b *bench) {
		if b.again == nil {
			b.Skip("this journal has one handle only")
		}
		other, err := b.again()
		b.must(err)
		b.Cleanup(func() { b.must(other.Close()) })
		d := b.create(key())
		there := *d
		there.bench = &bench{T: b.T, j: other, ctx: b.ctx}
		there.stored()
		_, err = other.ClaimTask(b.ctx, d.key, "you", long)
		b.heldBy("me", err)
		b.must(b.j.Release(b.ctx, d.lease))
		there.take("you", long)
		b.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "lost")))
		there.must(there.append(plain, d.artifact("a", false, "x")))
		d.head, d.events = there.head, there.events
		d.stored()
	}},
}
