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

// A Budget bounds how many bytes requests hold at once. A request that does not fit waits for a while, and is then
// refused. One owner gets three quarters of the budget at most. Of the waiting requests, the one whose owner holds
// least is next. A request that holds bytes of a budget does not ask for more of the same budget, so no request waits
// for itself. While a request waits, the budget cuts each holder that does not move enough of its bytes in Stall, see
// [claim.moving].
type Budget struct {
	Total int64         // bytes; what is larger than one owner may hold counts as that
	Wait  time.Duration // how long a request waits
	Stall time.Duration // 0 means that nobody is cut
	What  string        // what holds the bytes, for the error

	mu      sync.Mutex
	used    int64
	owners  map[string]int64
	waiting []*claim // first come first
	queued  int64    // bytes that those who wait hold already
	moving  map[*claim]struct{}
}

// A claim is some of a budget, had or waited for.
type claim struct {
	budget *Budget
	owner  string
	bytes  int64
	there  bool          // the bytes are in memory while it waits
	ready  chan struct{} // closed when it is had

	// These are of claims that move.
	cut   func() // makes the reader or writer fail
	moved int64  // bytes since then
	since time.Time
	late  bool // cut was called
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
	if b.await(ctx, c) {
		return c, nil
	}
	if b.leave(c) {
		return c, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, a2a.AsError(err)
	}
	return nil, b.full()
}

// await waits until a claim is had, and cuts those who stall meanwhile.
func (b *Budget) await(ctx context.Context, c *claim) (had bool) {
	timeout := time.NewTimer(b.Wait)
	defer timeout.Stop()
	look := time.NewTicker(max(b.Stall/4, 10*time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-c.ready:
			return true
		case <-look.C:
			b.cutStalled()
		case <-timeout.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// enough is how many bytes, or the rest, a claim that moves has to move in Budget.Stall while others wait.
const enough = 1 << 20

// moving says that the bytes of a claim come or go over the network from now on, and how to end that. A nil claim does
// not move.
func (c *claim) moving(cut func()) {
	if c == nil || c.budget.Stall == 0 {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.moving == nil {
		b.moving = map[*claim]struct{}{}
	}
	c.cut, c.moved, c.since = cut, 0, time.Now()
	b.moving[c] = struct{}{}
}

// move notes that bytes have moved. It reports false if the claim was cut.
func (c *claim) move(bytes int) bool {
	if c == nil || c.cut == nil {
		return true
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.moved += int64(bytes); c.moved >= enough {
		c.moved, c.since = 0, time.Now()
	}
	return !c.late
}

// still says that no more is to move. It reports false if the claim was cut. After it, cut is not called.
func (c *claim) still() bool {
	if c == nil || c.cut == nil {
		return true
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.moving, c)
	return !c.late
}

func (b *Budget) cutStalled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.moving {
		if !c.late && time.Since(c.since) >= b.Stall {
			c.late = true
			c.cut()
		}
	}
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
			if b.owners[c.owner]+c.bytes <= b.share() &&
				(best < 0 || b.owners[c.owner] < b.owners[b.waiting[best].owner]) {
				best = i
			}
		}
		if best < 0 || !b.fits(b.waiting[best]) { // a large one is not overtaken, or it would wait forever
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
		Kind: a2a.ErrUnavailable,
		Message: fmt.Sprintf("the server holds as many bytes of %s as it may, %d, or this caller its share of "+
			"them; try again later", b.What, b.Total),
		RetryAfter: time.Second,
	}
}
