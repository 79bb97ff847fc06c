// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func (b *bench) claim(holder string, limit int, agents ...string) []journal.Claimed {
	b.Helper()
	c, err := b.j.Claim(b.ctx, holder, agents, long, limit)
	b.must(err)
	return c
}

// take claims one task and lets the driver write with the new lease.
func (d *driver) take(holder string, ttl time.Duration) {
	d.Helper()
	c, err := d.j.ClaimTask(d.ctx, d.key, holder, ttl)
	d.must(err)
	d.lease = c.Lease
}

// expire waits until somebody else can claim the task, which then has it.
func (d *driver) expire(holder string) journal.Claimed {
	d.Helper()
	var c journal.Claimed
	d.eventually("the lease expires", func() bool {
		var err error
		c, err = d.j.ClaimTask(d.ctx, d.key, holder, long)
		return err == nil
	})
	return c
}

func testLease(t *testing.T, open Opener) {
	t.Run("fences off earlier holders", func(t *testing.T) {
		d := setup(t, open).rest(key(), a2a.TaskStateWorking)
		d.take("one", 20*time.Millisecond)
		old := d.lease
		c := d.expire("two")
		if c.Lease.Token <= old.Token || c.Lease.Holder != "two" || c.Lease.Key != d.key {
			t.Errorf("lease %+v after %+v", c.Lease, old)
		}
		d.same("claimed head", &d.head, c.Head)
		d.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "x")))
		held, err := d.j.Renew(d.ctx, []journal.Lease{old, c.Lease}, long)
		d.must(err)
		d.same("held", []bool{false, true}, held)
		d.must(d.j.Release(d.ctx, old))
		d.lease = c.Lease
		d.must(d.append(plain, d.artifact("a", false, "x")))
		d.stored()
	})
	t.Run("wrong leases are refused", func(t *testing.T) {
		d := setup(t, open).create(key())
		right, other := d.lease, d.create(key()).lease
		for name, wrong := range map[string]journal.Lease{
			"none":           {},
			"another task's": other,
			"another holder": {Key: d.key, Holder: "you", Token: right.Token},
			"another token":  {Key: d.key, Holder: "me", Token: right.Token + 1},
		} {
			d.lease = wrong
			if err := d.append(plain, d.artifact("a", false, "x")); !errors.Is(err, journal.ErrLeaseLost) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		d.stored()
	})
	t.Run("one that expired is good until somebody claims", func(t *testing.T) {
		d := setup(t, open).rest(key(), a2a.TaskStateWorking)
		d.take("one", time.Millisecond)
		d.eventually("time passes",
			func() bool { return time.Now().After(d.events[0].Time.Add(20 * time.Millisecond)) })
		d.must(d.append(plain, d.artifact("a", false, "x")))
		held, err := d.j.Renew(d.ctx, []journal.Lease{d.lease}, long)
		d.must(err)
		d.same("held", []bool{true}, held)
		_, err = d.j.ClaimTask(d.ctx, d.key, "two", long)
		var by *journal.HeldError
		if !errors.As(err, &by) || by.Holder != "one" || !by.Until.After(time.Now().Add(long/2)) {
			t.Errorf("claim of a renewed lease: %v", err)
		}
	})
	t.Run("a holder does not claim anew what it holds", func(t *testing.T) {
		d := setup(t, open).create(key())
		_, err := d.j.ClaimTask(d.ctx, d.key, d.lease.Holder, long)
		var by *journal.HeldError
		if !errors.As(err, &by) || by.Holder != d.lease.Holder {
			t.Errorf("claim of an own lease: %v", err)
		}
		d.must(d.append(plain, d.artifact("a", false, "x")))
	})
	t.Run("release", func(t *testing.T) {
		d := setup(t, open).create(key())
		old := d.lease
		d.must(d.j.Release(d.ctx, old))
		d.must(d.j.Release(d.ctx, old))
		d.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "x")))
		held, err := d.j.Renew(d.ctx, []journal.Lease{old, {}}, long)
		d.must(err)
		d.same("held", []bool{false, false}, held)
		d.take("two", long)
		d.must(d.append(release, d.artifact("a", false, "x")))
		if d.lease != (journal.Lease{}) {
			t.Errorf("lease %+v", d.lease)
		}
		d.take("three", long)
		d.must(d.append(plain, d.artifact("a", true, "x")))
		d.must(d.j.Release(d.ctx, journal.Lease{Key: key(), Holder: "x", Token: 1}))
	})
	t.Run("no such task", func(t *testing.T) {
		b := setup(t, open)
		_, err := b.j.ClaimTask(b.ctx, key(), "me", long)
		b.wants(journal.ErrNotFound, err)
	})
}

func testClaim(t *testing.T, open Opener) {
	t.Run("inputs make runnable", func(t *testing.T) {
		d := setup(t, open).rest(key(), a2a.TaskStateInputRequired)
		if c := d.claim("me", 10, "agent"); len(c) != 0 {
			t.Fatalf("claimed a task with nothing to do: %+v", c)
		}
		in := input("x")
		in.Number = d.enqueue(d.key, in)
		c := d.claim("me", 10, "agent")
		if len(c) != 1 || c[0].Lease.Key != d.key || c[0].Lease.Holder != "me" {
			t.Fatalf("claimed %+v", c)
		}
		d.same("inputs", []journal.Input{in}, c[0].Inputs)
		d.same("head", &d.head, c[0].Head)
		if c := d.claim("you", 10, "agent"); len(c) != 0 {
			t.Fatalf("claimed twice: %+v", c)
		}
		d.lease = c[0].Lease
		d.must(d.append(both(taken(1), release), received(1, "x")))
		if c := d.claim("you", 10, "agent"); len(c) != 0 {
			t.Fatalf("claimed after all was taken: %+v", c)
		}
	})
	t.Run("released with inputs left", func(t *testing.T) {
		d := setup(t, open).create(key())
		d.enqueue(d.key, input("x"))
		d.enqueue(d.key, input("y"))
		d.must(d.append(both(taken(1), release)))
		if c := d.claim("you", 10, "agent"); len(c) != 1 || len(c[0].Inputs) != 1 || c[0].Inputs[0].Number != 2 {
			t.Fatalf("claimed %+v", c)
		}
	})
	t.Run("an open turn makes runnable", func(t *testing.T) {
		d := setup(t, open).create(key())
		d.must(d.append(both(run(journal.Run{Open: true, Attempt: 1}), release)))
		if c := d.claim("you", 10, "agent"); len(c) != 1 || !c[0].Head.Run.Open {
			t.Fatalf("claimed %+v", c)
		}
	})
	t.Run("a timer makes runnable when it is due", func(t *testing.T) {
		b := setup(t, open)
		far, soon := b.create(key()), b.create(key())
		b.must(far.append(both(run(journal.Run{WakeAt: now().Add(long)}), release)))
		b.must(soon.append(both(run(journal.Run{WakeAt: now().Add(50 * time.Millisecond)}), release)))
		var c []journal.Claimed
		b.eventually("the timer is due", func() bool { c = b.claim("you", 10, "agent"); return len(c) > 0 })
		if len(c) != 1 || c[0].Lease.Key != soon.key {
			t.Fatalf("claimed %+v", c)
		}
		if time.Now().Before(soon.head.Run.WakeAt.Add(-10 * time.Millisecond)) {
			t.Error("claimed before it was due")
		}
	})
	t.Run("an expired lease", func(t *testing.T) {
		d := setup(t, open).rest(key(), a2a.TaskStateWorking)
		d.take("one", long)
		d.must(d.append(run(journal.Run{Open: true, Attempt: 1})))
		if c := d.claim("two", 10, "agent"); len(c) != 0 {
			t.Fatalf("claimed a held task: %+v", c)
		}
		_, err := d.j.Renew(d.ctx, []journal.Lease{d.lease}, time.Millisecond)
		d.must(err)
		d.eventually("the task is claimed", func() bool { return len(d.claim("two", 10, "agent")) == 1 })
		d.wants(journal.ErrLeaseLost, d.append(plain))
	})
	t.Run("limit, and the longest waiting first", func(t *testing.T) {
		b := setup(t, open)
		var keys []journal.Key
		for range 5 {
			d := b.rest(key(), a2a.TaskStateInputRequired)
			keys = append(keys, d.key)
		}
		for i, at := range []int{3, 1, 4, 0, 2} {
			b.enqueue(keys[at], input("x"))
			if i == 0 {
				b.enqueue(keys[at], input("y"))
			}
			tick(b)
		}
		b.enqueue(keys[3], input("z")) // a later input does not put it behind
		var got []journal.Key
		for _, limit := range []int{0, 2, 2, 2, 2} {
			c := b.claim("me", limit, "agent")
			if len(c) > limit {
				t.Fatalf("%d claimed, limit %d", len(c), limit)
			}
			for _, c := range c {
				got = append(got, c.Lease.Key)
			}
		}
		b.same("order", []journal.Key{keys[3], keys[1], keys[4], keys[0], keys[2]}, got)
	})
	t.Run("only the named agents", func(t *testing.T) {
		b := setup(t, open)
		for _, agent := range []string{"a", "b", "c"} {
			k := key()
			k.Agent = agent
			b.enqueue(b.rest(k, a2a.TaskStateInputRequired).key, input("x"))
		}
		if c := b.claim("me", 10); len(c) != 0 {
			t.Fatalf("claimed for no agent: %+v", c)
		}
		if c := b.claim("me", 10, "none"); len(c) != 0 {
			t.Fatalf("claimed for another agent: %+v", c)
		}
		c := b.claim("me", 10, "a", "none", "c")
		if len(c) != 2 || c[0].Lease.Key.Agent != "a" || c[1].Lease.Key.Agent != "c" {
			t.Fatalf("claimed %+v", c)
		}
	})
	t.Run("each task once", func(t *testing.T) {
		b := setup(t, open)
		const tasks = 40
		for range tasks {
			b.enqueue(b.rest(key(), a2a.TaskStateInputRequired).key, input("x"))
		}
		var mu sync.Mutex
		seen := map[journal.Key]int{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					claimed, err := b.j.Claim(b.ctx, "me", []string{"agent"}, long, 3)
					if err != nil {
						b.Error(err)
					}
					if len(claimed) == 0 {
						return
					}
					mu.Lock()
					for _, c := range claimed {
						seen[c.Lease.Key]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for k, n := range seen {
			if n != 1 {
				t.Errorf("%s claimed %d times", k.ID, n)
			}
		}
		if len(seen) != tasks {
			t.Errorf("%d tasks claimed, want %d", len(seen), tasks)
		}
	})
}

// tick waits until the clock, which may count milliseconds, has moved.
func tick(b *bench) {
	start := time.Now()
	b.eventually("time passes", func() bool { return time.Since(start) > 3*time.Millisecond })
}
