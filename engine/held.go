// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/share"
	"github.com/dragoman-a2a/dragoman/journal"
)

// largeMessage is from how many bytes on a message counts against Options.MaxHeld: what is smaller costs less than its
// turn.
const largeMessage = 64 << 10

// heldBytes counts the bytes of the large messages that turns hold: those they work on and those that wait for them.
type heldBytes struct {
	max int64

	mu     sync.Mutex
	total  int64
	owners map[owner]int64
}

// owner is whose tasks they are, whichever agent has them.
type owner struct{ tenant, name string }

func ownerOf(s journal.Scope) owner { return owner{s.Tenant, s.Owner} }

// admit refuses a large message when there is no room for it. One owner gets three quarters of the room. Several that
// are admitted at once may pass the limit together; how many those are is up to the server.
func (h *heldBytes) admit(s journal.Scope, m *a2a.Message) error {
	size := large(m)
	if size == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// A message larger than all there is gets through when nothing else is held, or it would never do so.
	if h.total+size <= h.max && h.owners[ownerOf(s)]+size <= share.Of(h.max) || h.owners[ownerOf(s)] == 0 && h.total <= share.Of(h.max) {
		return nil
	}
	return &a2a.Error{
		Kind:       a2a.ErrUnavailable,
		Message:    fmt.Sprintf("turns hold as many bytes of large messages as they may, %d, or those of this caller their share; send again when some have ended", h.max),
		RetryAfter: 5 * time.Second,
	}
}

func (h *heldBytes) add(s journal.Scope, size int64) {
	if size == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.owners == nil {
		h.owners = map[owner]int64{}
	}
	h.total += size
	if h.owners[ownerOf(s)] += size; h.owners[ownerOf(s)] == 0 {
		delete(h.owners, ownerOf(s))
	}
}

// large returns the size of a message that counts, 0 for any other.
func large(m *a2a.Message) int64 {
	if size := int64(a2a.SizeOf(m)); size >= largeMessage {
		return size
	}
	return 0
}

// hold counts a message that the runner holds until its turns are over; mu is held.
func (r *runner) hold(m *a2a.Message) {
	if size := large(m); size > 0 && !r.left {
		r.held += size
		r.e.held.add(r.key.Scope, size)
	}
}

// letGo ends the count; mu is held.
func (r *runner) letGo() {
	r.e.held.add(r.key.Scope, -r.held)
	r.held = 0
}
