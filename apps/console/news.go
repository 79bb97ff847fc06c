// SPDX-License-Identifier: Apache-2.0

package console

import "sync"

// news tells those who look at a conversation that there is more of it. They read the database from where they were, so
// that a slow reader misses nothing and holds nobody up.
type news struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by conversation; "" for all of them
	closed  bool
}

func newNews() *news { return &news{waiting: make(map[string]chan struct{})} }

// next returns a channel that is closed with the next news of a conversation. Take it before you read.
func (n *news) next(conversation string) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	ch := n.waiting[conversation]
	if ch == nil {
		ch = make(chan struct{})
		if n.waiting[conversation] = ch; n.closed {
			close(ch)
		}
	}
	return ch
}

// tell wakes those who look at a conversation, and those who look at all.
func (n *news) tell(conversation string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	for _, name := range [...]string{conversation, ""} {
		if ch := n.waiting[name]; ch != nil {
			close(ch)
			delete(n.waiting, name)
		}
	}
}

// close wakes everyone for good.
func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.closed = true
	for _, ch := range n.waiting {
		close(ch)
	}
}

func (n *news) isClosed() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}
