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

// messageBudget counts the bytes of the large messages that turns work on and of those that wait for them.
type messageBudget struct {
	max int64

	mu     sync.Mutex
	total  int64
	owners map[owner]int64
}

// An owner has tasks of any agent.
type owner struct{ tenant, name string }

func ownerOf(s journal.Scope) owner { return owner{s.Tenant, s.Owner} }

// admit refuses a large message when there is no room for it. One owner gets three quarters of the room. Several that
// are admitted at once may pass the limit together; how many those are is up to the server.
func (b *messageBudget) admit(s journal.Scope, m *a2a.Message) error {
	size := largeSize(m)
	if size == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// A message larger than all there is gets through when nothing else is held, or it would never do so.
	mine := b.owners[ownerOf(s)]
	if b.total+size <= b.max && mine+size <= share.Of(b.max) || mine == 0 && b.total <= share.Of(b.max) {
		return nil
	}
	return &a2a.Error{
		Kind: a2a.ErrUnavailable,
		Message: fmt.Sprintf("turns hold as many bytes of large messages as they may, %d, or those of this caller "+
			"their share; "+
			"send again when some have ended", b.max),
		RetryAfter: 5 * time.Second,
	}
}

// charge counts bytes of an owner's messages; a negative size takes them off.
func (b *messageBudget) charge(s journal.Scope, size int64) {
	if size == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owners == nil {
		b.owners = map[owner]int64{}
	}
	b.total += size
	if b.owners[ownerOf(s)] += size; b.owners[ownerOf(s)] == 0 {
		delete(b.owners, ownerOf(s))
	}
}

// largeSize returns the size of a message that counts, 0 for any other.
func largeSize(m *a2a.Message) int64 {
	if size := int64(a2a.SizeOf(m)); size >= largeMessage {
		return size
	}
	return 0
}

// charge counts a message until the runner's turns are over; mu is held.
func (r *runner) charge(m *a2a.Message) {
	if size := largeSize(m); size > 0 && r.phase != phaseLeft {
		r.charged += size
		r.e.budget.charge(r.key.Scope, size)
	}
}
