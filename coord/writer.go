// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"sync"
)

// A Store keeps the events of projects.
type Store interface {
	// Append keeps commits, in order and all of them or none.
	Append(ctx context.Context, all []Commit) error
	// Load returns the last snapshot of a project, nil if there is none, and the events after it.
	Load(ctx context.Context, project string) (snapshot []byte, events []Event, err error)
	// Events returns up to limit events of a project after a number, in order.
	Events(ctx context.Context, project string, after int64, limit int) ([]Event, error)
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
	done chan struct{} // closed when it is there, or err is set
	err  error
	fail func(error)
}

// maxBatch is how many commits go to the store at once.
const maxBatch = 256

// A writer takes commits to a store in the order in which they came, many at a time.
type writer struct {
	store Store
	mu    sync.Mutex
	queue []*commit
	more  chan struct{} // has one element when there is something in the queue, or nothing will ever come
	ended bool
	loop  sync.WaitGroup
}

func newWriter(store Store) *writer {
	w := &writer{store: store, more: make(chan struct{}, 1)}
	if store != nil {
		w.loop.Go(w.run)
	}
	return w
}

// add takes a commit, unless the writer has ended: what comes then has not happened.
func (w *writer) add(c *commit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
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
	w.ended = true
	w.mu.Unlock()
	w.signal()
	w.loop.Wait()
	return nil
}

func (w *writer) run() {
	for range w.more {
		for {
			w.mu.Lock()
			n := min(len(w.queue), maxBatch)
			batch := w.queue[:n:n]
			w.queue = w.queue[n:]
			ended := w.ended
			w.mu.Unlock()
			if n == 0 {
				if ended {
					return
				}
				break
			}
			w.write(batch)
		}
	}
}

// write keeps a batch. What follows a commit of a project that failed cannot be kept either; the project is given up by
// then, and its numbers do not fit.
func (w *writer) write(batch []*commit) {
	all := make([]Commit, len(batch))
	for i, c := range batch {
		all[i] = c.Commit
	}
	err := w.store.Append(context.Background(), all)
	for _, c := range batch {
		if c.err = err; err != nil {
			c.fail(err)
		}
		close(c.done)
	}
}
