// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/share"
)

// A Budget bounds how many bytes requests hold at once. What does not fit waits for a while, and is refused then. One
// owner gets three quarters of it at most; of those who wait, the one whose owner holds least is next. Whoever holds some
// of it does not ask for more of the same, so nobody waits for himself.
type Budget struct {
	Total int64         // bytes; what is larger than one owner may hold counts as that
	Wait  time.Duration // how long a request waits
	What  string        // what holds the bytes, for the error

	mu      sync.Mutex
	used    int64
	owners  map[string]int64
	waiting []*claim // first come first
	queued  int64    // bytes that those who wait hold already
}

// A claim is some of a budget, had or waited for.
type claim struct {
	budget *Budget
	owner  string
	bytes  int64
	there  bool          // the bytes are in memory while it waits
	ready  chan struct{} // closed when it is had
}

func (b *Budget) share() int64 { return share.Of(b.Total) }

// take claims bytes for an owner, and waits for them if need be. Where they are there already, in memory, no more wait
// than may be had.
func (b *Budget) take(ctx context.Context, owner string, bytes int64, there bool) (*claim, *a2a.Error) {
	c := &claim{budget: b, owner: owner, bytes: min(bytes, b.share()), there: there, ready: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	if there {
		b.queued += c.bytes
	}
	b.next()
	waits := c.waits()
	tooMany := waits && there && b.queued > b.Total
	if tooMany {
		b.drop(len(b.waiting) - 1)
	}
	b.mu.Unlock()
	switch {
	case tooMany:
		return nil, b.full()
	case !waits:
		return c, nil
	}
	timeout := time.NewTimer(b.Wait)
	defer timeout.Stop()
	select {
	case <-c.ready:
		return c, nil
	case <-timeout.C:
	case <-ctx.Done():
	}
	if b.leave(c) {
		return c, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, a2a.AsError(err)
	}
	return nil, b.full()
}

// leave takes a claim off the queue. It reports whether it was had at the last moment.
func (b *Budget) leave(c *claim) (had bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, c)
	if i < 0 {
		return true
	}
	b.drop(i)
	b.next() // what comes after it may be smaller
	return false
}

// drop takes a claim off the queue.
func (b *Budget) drop(i int) {
	if c := b.waiting[i]; c.there {
		b.queued -= c.bytes
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
}

func (c *claim) waits() bool {
	select {
	case <-c.ready:
		return false
	default:
		return true
	}
}

// charge claims bytes that are held already, whether or not there is room.
func (b *Budget) charge(owner string, bytes int64) *claim {
	c := &claim{budget: b, owner: owner, bytes: bytes}
	b.mu.Lock()
	b.give(c)
	b.mu.Unlock()
	return c
}

func (b *Budget) fits(c *claim) bool {
	return b.used+c.bytes <= b.Total && b.owners[c.owner]+c.bytes <= b.share()
}

func (b *Budget) give(c *claim) {
	if b.owners == nil {
		b.owners = map[string]int64{}
	}
	b.used += c.bytes
	b.owners[c.owner] += c.bytes
}

// next gives what there is to those who wait.
func (b *Budget) next() {
	for {
		best := -1
		for i, c := range b.waiting {
			if b.owners[c.owner]+c.bytes <= b.share() && (best < 0 || b.owners[c.owner] < b.owners[b.waiting[best].owner]) {
				best = i
			}
		}
		if best < 0 || !b.fits(b.waiting[best]) { // a large one is not overtaken, or it would wait for ever
			return
		}
		c := b.waiting[best]
		b.drop(best)
		b.give(c)
		close(c.ready)
	}
}

// shrink gives back what is more than bytes. A nil claim holds nothing.
func (c *claim) shrink(bytes int64) {
	if c == nil {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes >= c.bytes {
		return
	}
	b.used -= c.bytes - bytes
	if b.owners[c.owner] -= c.bytes - bytes; b.owners[c.owner] == 0 {
		delete(b.owners, c.owner)
	}
	c.bytes = bytes
	b.next()
}

// release gives a claim back. It may be called more than once, and for a nil claim.
func (c *claim) release() { c.shrink(0) }

func (b *Budget) full() *a2a.Error {
	return &a2a.Error{
		Kind:       a2a.ErrUnavailable,
		Message:    fmt.Sprintf("the server holds as many bytes of %s as it may, %d, or this caller its share of them; try again later", b.What, b.Total),
		RetryAfter: time.Second,
	}
}
