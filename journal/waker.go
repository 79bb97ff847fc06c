// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"sync"
)

// A Waker tells the nodes of a journal that a task has something new. It only says "look again" and may lose or
// repeat what it says: everybody who listens also polls.
type Waker interface {
	// Notify says that these tasks have something new. A key with nothing but an agent says that there may be tasks of
	// the agent to claim. Notify does not block for long and has nothing to report.
	Notify(ctx context.Context, keys ...Key)
	// Listen calls f for each key that any node notifies about, until ctx ends. f must return quickly.
	Listen(ctx context.Context, f func(Key)) error
}

// LocalWaker is the Waker within one process. The zero value is ready.
type LocalWaker struct {
	mu        sync.RWMutex
	listeners map[int]func(Key)
	next      int
}

// Notify calls the listeners.
func (w *LocalWaker) Notify(_ context.Context, keys ...Key) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, f := range w.listeners {
		for _, k := range keys {
			f(k)
		}
	}
}

// Listen implements [Waker]. It returns the context's error.
func (w *LocalWaker) Listen(ctx context.Context, f func(Key)) error {
	w.mu.Lock()
	if w.listeners == nil {
		w.listeners = map[int]func(Key){}
	}
	id := w.next
	w.next++
	w.listeners[id] = f
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	delete(w.listeners, id)
	w.mu.Unlock()
	return ctx.Err()
}
