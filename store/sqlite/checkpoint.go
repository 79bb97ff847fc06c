// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// defaultWALPages is the length of the log, in pages of 4 KiB, at which
	// copying it into the database begins: 16 MiB.
	defaultWALPages = 4000
	// lookEvery is the number of committed functions between two looks at the length of the log.
	lookEvery = 64
	// defaultIdleAfter is long because a truncated log has to grow again, which
	// makes each sync about twice as slow as writing over an old one.
	defaultIdleAfter = 30 * time.Second

	// Free pages are used again before the file grows. A file that is busy is made shorter when it has a quarter of
	// free pages and 4 MiB at least, a little at each look; one that is idle loses all of them, 32 MiB at a time.
	fewFree      = 1024
	shrinkBeside = 128
	shrinkIdle   = 8192
)

// A checkpoint's states. Only the writer leaves resting and copied, only the background goroutine leaves copying.
const (
	resting int32 = iota
	copying       // the goroutine copies the log beside the writer
	copied        // the writer is to copy what came meanwhile
)

// checkpointer keeps the write-ahead log short without making writers wait for it. Copying everything by the writer
// would stop it for tens of milliseconds; copying only beside it never reaches the log's end under load, so the log
// would never start over and grow for ever. Hence both: a goroutine copies nearly all, then the writer, between two
// commits, the short rest, and the next commit starts at the beginning of the file again. A reader that keeps a
// snapshot open delays that.
//
// Errors are not reported: a checkpoint that fails (a full disk) costs
// nothing but space, is tried again, and the writer meets the same trouble.
type checkpointer struct {
	pool  *sql.DB
	limit int // pages
	state atomic.Int32
	work  chan struct{}
	ended chan struct{}

	// Used by the writer only.
	written int // functions since the last look
	next    int // length of the log at which the next checkpoint begins
}

func newCheckpointer(pool *sql.DB, limit int) *checkpointer {
	c := &checkpointer{pool: pool, limit: limit, next: limit, work: make(chan struct{}, 1), ended: make(chan struct{})}
	go c.run()
	return c
}

func (c *checkpointer) run() {
	defer close(c.ended)
	for range c.work {
		c.checkpoint("PASSIVE")
		c.state.Store(copied)
	}
}

// afterCommit is called by the writer between two transactions.
func (c *checkpointer) afterCommit(functions int) {
	switch c.state.Load() {
	case copied:
		c.finish()
	case resting:
		if c.written += functions; c.written >= lookEvery {
			c.written = 0
			c.look()
		}
	}
}

func (c *checkpointer) look() {
	if free, all := c.pages(); free >= fewFree && free >= all/4 {
		c.shrink(shrinkBeside)
	}
	pages, _, ok := c.checkpoint("NOOP")
	if !ok || pages < c.next {
		return
	}
	c.state.Store(copying)
	c.work <- struct{}{}
}

// finish copies the rest while nobody writes.
func (c *checkpointer) finish() {
	c.state.Store(resting)
	c.next = c.limit
	pages, done, ok := c.checkpoint("PASSIVE")
	if !ok || done < pages {
		// A reader still uses an old state: wait for more pages before the next attempt.
		c.next = pages + c.limit/4
	}
}

// whenIdle gives the log's space back.
func (c *checkpointer) whenIdle() (done bool) {
	if c.state.Load() == copying {
		return false
	}
	c.state.Store(resting)
	c.next = c.limit
	free, _ := c.pages()
	if free > 0 {
		c.shrink(shrinkIdle)
	}
	pages, _, ok := c.checkpoint("TRUNCATE")
	return ok && pages == 0 && free <= shrinkIdle
}

// checkpoint runs a checkpoint and returns the length of the log in pages and
// how much of it is in the database. It is not ok when somebody was in the way.
func (c *checkpointer) checkpoint(mode string) (pages, done int, ok bool) {
	var busy int
	row := c.pool.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint("+mode+")")
	if err := row.Scan(&busy, &pages, &done); err != nil {
		return 0, 0, false
	}
	return pages, done, busy == 0
}

// pages returns how many pages of the file are free, and how many it has.
func (c *checkpointer) pages() (free, all int) {
	const text = "SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count"
	if err := c.pool.QueryRowContext(context.Background(), text).Scan(&free, &all); err != nil {
		return 0, 0
	}
	return free, all
}

// shrink cuts up to n free pages off the file, which becomes shorter with the next
// checkpoint. It is a transaction of its own, while the writer has none.
func (c *checkpointer) shrink(n int) {
	rows, err := c.pool.QueryContext(context.Background(), "PRAGMA incremental_vacuum("+strconv.Itoa(n)+")")
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() { // each step cuts off one page
	}
	_ = rows.Err()
}

// stop ends the goroutine. The writer must have ended before.
func (c *checkpointer) stop() {
	close(c.work)
	<-c.ended
}

func (c *checkpointer) close() error {
	c.stop()
	// The last connection to go copies the log and removes it.
	return c.pool.Close()
}
