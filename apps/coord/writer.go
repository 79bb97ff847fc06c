// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Store keeps the events of projects.
type Store interface {
	// Append keeps all commits or none, in order. It refuses a commit that does not follow the newest event of its
	// project, as another process has written to that.
	Append(ctx context.Context, all []Commit) error
	// Load returns the last snapshot of a project, nil if there is none, and the events after it.
	Load(ctx context.Context, project string) (snapshot []byte, events []Event, err error)
	// Events returns up to limit events of a project after a number, in order.
	Events(ctx context.Context, project string, after int64, limit int) ([]Event, error)
	// Prune drops events from before a time that no Load needs any more. The newest event of a project stays.
	Prune(ctx context.Context, before time.Time) error
	// DeleteProject drops all of a project and its own tokens. It is no error if there is nothing.
	DeleteProject(ctx context.Context, project string) error
	// Projects returns the names of all projects.
	Projects(ctx context.Context) ([]string, error)
}

// A Commit is what one command did.
type Commit struct {
	Project  string
	Events   []Event
	Texts    [][]byte // of the events, as JSON
	Snapshot []byte   // of the state after the events; nil for none
}

// commit is a Commit on its way to the store.
type commit struct {
	Commit
	of   *projectActor
	ends bool          // it is the end of the project, which is deleted
	free time.Time     // from when on another project may have the name, when ends
	done chan struct{} // closed when it is there, or err is set
	err  error
}

// over reports whether nothing is to be waited for.
func (c *commit) over() bool {
	if c == nil {
		return true
	}
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

const maxBatch = 256

// A writer takes commits to a store in the order in which they came, many at a time.
type writer struct {
	hub    *Hub
	store  Store
	mu     sync.Mutex
	queue  []*commit
	more   chan struct{} // has one element when there is something in the queue, or nothing will ever come
	closed bool
	loop   sync.WaitGroup
}

func newWriter(h *Hub) *writer {
	w := &writer{hub: h, store: h.opts.Store, more: make(chan struct{}, 1)}
	if w.store != nil {
		w.loop.Go(w.run)
	}
	return w
}

// add takes a commit, unless the writer has ended: what comes then has not happened.
func (w *writer) add(c *commit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		c.err = ErrClosed
		close(c.done)
		return
	}
	w.queue = append(w.queue, c)
	w.signal()
}

func (w *writer) signal() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// close writes what is there and ends.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.signal()
	w.loop.Wait()
	return nil
}

func (w *writer) run() {
	for range w.more {
		for {
			w.mu.Lock()
			batch := w.next()
			closed := w.closed
			w.mu.Unlock()
			if len(batch) == 0 {
				if closed {
					return
				}
				break
			}
			if batch[0].ends {
				w.end(batch[0])
			} else {
				w.write(batch)
			}
		}
	}
}

// next takes what is written at once from the queue: commits, or the end of one project. The caller holds the lock.
func (w *writer) next() []*commit {
	n := min(len(w.queue), maxBatch)
	if end := slices.IndexFunc(w.queue[:n], func(c *commit) bool { return c.ends }); end >= 0 {
		n = max(1, end)
	}
	batch := w.queue[:n:n]
	w.queue = w.queue[n:]
	return batch
}

// end has the store delete a project, of which nothing more is kept in any case.
func (w *writer) end(c *commit) {
	if c.of.lost != nil {
		c.err = errGone // not all of the project that was to be deleted has happened
	} else {
		if err := w.store.DeleteProject(context.Background(), c.Project); err != nil {
			c.err = fmt.Errorf("%w: %w", ErrNotKept, err)
		} else {
			w.hub.failures.kept([]*commit{c})
		}
		c.of.lost = errGone
	}
	c.free = nextMillisecond()
	time.Sleep(time.Until(c.free)) // what the next project of the name leads to is not of the same millisecond
	w.hub.hasEnded(c)
	close(c.done)
}

// nextMillisecond returns when the next whole millisecond begins.
func nextMillisecond() time.Time {
	return time.Now().UTC().Truncate(time.Millisecond).Add(time.Millisecond)
}

// write keeps a batch, all at once if that goes, else each project of its own, so that one that fails fails alone.
func (w *writer) write(batch []*commit) {
	var order []*projectActor
	groups := make(map[*projectActor][]*commit)
	good := make([]*commit, 0, len(batch))
	for _, c := range batch {
		if groups[c.of] == nil {
			order = append(order, c.of)
		}
		groups[c.of] = append(groups[c.of], c)
		if c.of.lost == nil && c.err == nil {
			good = append(good, c)
		}
	}
	if len(good) == len(batch) && w.append(batch) == nil {
		w.hub.failures.kept(batch)
		settle(batch, nil)
		return
	}
	for _, of := range order {
		w.writeGroup(of, groups[of])
	}
}

// writeGroup keeps commits of one project. Those after a failed one are of a discarded state.
func (w *writer) writeGroup(of *projectActor, group []*commit) {
	if of.lost != nil {
		settle(group, errGone)
		return
	}
	bad := slices.IndexFunc(group, func(c *commit) bool { return c.err != nil })
	if bad < 0 {
		bad = len(group)
	}
	err := w.append(group[:bad])
	if err == nil {
		w.hub.failures.kept(group[:bad])
		settle(group[:bad], nil)
		if group = group[bad:]; len(group) == 0 {
			return
		}
		err = group[0].err
	}
	err = fmt.Errorf("%w in project %q: %w", ErrNotKept, of.id, err)
	of.lost = err
	w.hub.discard(of, err)
	settle(group, err)
}

// append hands commits to the store.
func (w *writer) append(batch []*commit) error {
	all := make([]Commit, len(batch))
	for i, c := range batch {
		all[i] = c.Commit
	}
	return w.store.Append(context.Background(), all)
}

// settle tells those who wait for commits what came of them.
func settle(batch []*commit, err error) {
	for _, c := range batch {
		c.err = err
		close(c.done)
	}
}
