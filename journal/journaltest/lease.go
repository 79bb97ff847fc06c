// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"sync"
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

// renew renews leases and says which are still held.
func (b *bench) renew(ttl time.Duration, leases ...journal.Lease) []bool {
	b.Helper()
	held, err := b.j.Renew(b.ctx, leases, ttl)
	b.must(err)
	return held
}

// heldBy fails unless an error says who holds a task.
func (b *bench) heldBy(holder string, err error) *journal.HeldError {
	b.Helper()
	var held *journal.HeldError
	if !errors.As(err, &held) || held.Holder != holder {
		b.Fatalf("error %v, want that %s holds the task", err, holder)
	}
	return held
}

// claimsNone fails if a task can be claimed.
func (b *bench) claimsNone(why string, agents ...string) {
	b.Helper()
	if c := b.claim("you", 10, agents...); len(c) != 0 {
		b.Fatalf("%s: claimed %+v", why, c)
	}
}

// claimsOne returns the only task that can be claimed.
func (b *bench) claimsOne(key journal.Key) journal.Claimed {
	b.Helper()
	c := b.claim("you", 10, "agent")
	if len(c) != 1 || c[0].Lease.Key != key || c[0].Lease.Holder != "you" {
		b.Fatalf("claimed %+v, want %s", c, key.ID)
	}
	return c[0]
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

var leaseTests = []test{
	{"fences off earlier holders", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateWorking)
		d.take("one", 20*time.Millisecond)
		old := d.lease
		c := d.expire("two")
		if c.Lease.Token <= old.Token || c.Lease.Holder != "two" || c.Lease.Key != d.key {
			b.Errorf("lease %+v after %+v", c.Lease, old)
		}
		d.same("claimed head", &d.head, c.Head)
		d.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "x")))
		d.same("held", []bool{false, true}, d.renew(long, old, c.Lease))
		d.must(d.j.Release(d.ctx, old))
		d.lease = c.Lease
		d.must(d.append(plain, d.artifact("a", false, "x")))
		d.stored()
	}},
	{"wrong leases are refused", func(b *bench) {
		d := b.create(key())
		right, other := d.lease, d.create(key()).lease
		for name, wrong := range map[string]journal.Lease{
			"none":           {},
			"another task's": other,
			"another holder": {Key: d.key, Holder: "you", Token: right.Token},
			"another token":  {Key: d.key, Holder: "me", Token: right.Token + 1},
		} {
			d.lease = wrong
			if err := d.append(plain, d.artifact("a", false, "x")); !errors.Is(err, journal.ErrLeaseLost) {
				b.Errorf("%s: error %v", name, err)
			}
		}
		d.stored()
	}},
	{"one that expired is good until somebody claims", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateWorking)
		d.take("one", time.Millisecond)
		d.eventually("time passes",
			func() bool { return time.Now().After(d.events[0].Time.Add(20 * time.Millisecond)) })
		d.must(d.append(plain, d.artifact("a", false, "x")))
		d.same("held", []bool{true}, d.renew(long, d.lease))
		_, err := d.j.ClaimTask(d.ctx, d.key, "two", long)
		if held := d.heldBy("one", err); !held.Until.After(time.Now().Add(long / 2)) {
			b.Errorf("claim of a renewed lease: %v", err)
		}
	}},
	{"a holder does not claim anew what it holds", func(b *bench) {
		d := b.create(key())
		_, err := d.j.ClaimTask(d.ctx, d.key, d.lease.Holder, long)
		d.heldBy(d.lease.Holder, err)
		d.must(d.append(plain, d.artifact("a", false, "x")))
	}},
	{"release", func(b *bench) {
		d := b.create(key())
		old := d.lease
		d.must(d.j.Release(d.ctx, old))
		d.must(d.j.Release(d.ctx, old))
		d.wants(journal.ErrLeaseLost, d.append(plain, d.artifact("a", false, "x")))
		d.same("held", []bool{false, false}, d.renew(long, old, journal.Lease{}))
		d.take("two", long)
		d.must(d.append(release, d.artifact("a", false, "x")))
		if d.lease != (journal.Lease{}) {
			b.Errorf("lease %+v", d.lease)
		}
		d.take("three", long)
		d.must(d.append(plain, d.artifact("a", true, "x")))
		d.must(d.j.Release(d.ctx, journal.Lease{Key: key(), Holder: "x", Token: 1}))
	}},
	{"no such task", func(b *bench) {
		_, err := b.j.ClaimTask(b.ctx, key(), "me", long)
		b.wants(journal.ErrNotFound, err)
	}},
}

var claimTests = []test{
	{"inputs make runnable", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateInputRequired)
		d.claimsNone("nothing to do", "agent")
		in := input("x")
		in.Number = d.enqueue(d.key, in)
		c := d.claimsOne(d.key)
		d.same("inputs", []journal.Input{in}, c.Inputs)
		d.same("head", &d.head, c.Head)
		d.claimsNone("twice", "agent")
		d.lease = c.Lease
		d.must(d.append(both(taken(1), release), received(1, "x")))
		d.claimsNone("after all was taken", "agent")
	}},
	{"released with inputs left", func(b *bench) {
		d := b.create(key())
		d.enqueue(d.key, input("x"))
		d.enqueue(d.key, input("y"))
		d.must(d.append(both(taken(1), release)))
		if c := d.claimsOne(d.key); len(c.Inputs) != 1 || c.Inputs[0].Number != 2 {
			b.Fatalf("claimed %+v", c)
		}
	}},
	{"an open turn makes runnable", func(b *bench) {
		d := b.create(key())
		d.must(d.append(both(run(journal.Run{Open: true, Attempt: 1}), release)))
		if c := d.claimsOne(d.key); !c.Head.Run.Open {
			b.Fatalf("claimed %+v", c)
		}
	}},
	{"a timer makes runnable when it is due", func(b *bench) {
		far, soon := b.create(key()), b.create(key())
		b.must(far.append(both(run(journal.Run{WakeAt: now().Add(long)}), release)))
		b.must(soon.append(both(run(journal.Run{WakeAt: now().Add(50 * time.Millisecond)}), release)))
		var c []journal.Claimed
		b.eventually("the timer is due", func() bool { c = b.claim("you", 10, "agent"); return len(c) > 0 })
		if len(c) != 1 || c[0].Lease.Key != soon.key {
			b.Fatalf("claimed %+v", c)
		}
		if time.Now().Before(soon.head.Run.WakeAt.Add(-10 * time.Millisecond)) {
			b.Error("claimed before it was due")
		}
	}},
	{"an expired lease", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateWorking)
		d.take("one", long)
		d.must(d.append(run(journal.Run{Open: true, Attempt: 1})))
		d.claimsNone("a held task", "agent")
		d.renew(time.Millisecond, d.lease)
		d.eventually("the task is claimed", func() bool { return len(d.claim("two", 10, "agent")) == 1 })
		d.wants(journal.ErrLeaseLost, d.append(plain))
	}},
	{"limit, and the longest waiting first", func(b *bench) {
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
				b.Fatalf("%d claimed, limit %d", len(c), limit)
			}
			for _, c := range c {
				got = append(got, c.Lease.Key)
			}
		}
		b.same("order", []journal.Key{keys[3], keys[1], keys[4], keys[0], keys[2]}, got)
	}},
	{"only the named agents", func(b *bench) {
		for _, agent := range []string{"a", "b", "c"} {
			k := key()
			k.Agent = agent
			b.enqueue(b.rest(k, a2a.TaskStateInputRequired).key, input("x"))
		}
		b.claimsNone("for no agent")
		b.claimsNone("for another agent", "none")
		c := b.claim("me", 10, "a", "none", "c")
		if len(c) != 2 || c[0].Lease.Key.Agent != "a" || c[1].Lease.Key.Agent != "c" {
			b.Fatalf("claimed %+v", c)
		}
	}},
	{"each task once", func(b *bench) {
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
				b.Errorf("%s claimed %d times", k.ID, n)
			}
		}
		if len(seen) != tasks {
			b.Errorf("%d tasks claimed, want %d", len(seen), tasks)
		}
	}},
}

// tick waits until the clock, which may count milliseconds, has moved.
func tick(b *bench) {
	start := time.Now()
	b.eventually("time passes", func() bool { return time.Since(start) > 3*time.Millisecond })
}
