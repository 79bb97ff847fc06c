// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// A breaker lets no call through to an agent for a while after some failures in a row, and then one to see.
type breaker struct {
	limit int
	rest  time.Duration
	now   func() time.Time

	mu      sync.Mutex
	health  plan.Health
	seen    time.Time // when the last call ended
	lost    bool      // it did not get to the agent
	probing bool
}

// allow reports whether a call may be made, and until when not.
func (b *breaker) allow() (until time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.health.Resting.IsZero() {
		return time.Time{}, true
	}
	if b.now().Before(b.health.Resting) || b.probing {
		return b.health.Resting, false
	}
	b.probing = true
	return time.Time{}, true
}

func (b *breaker) worked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.health.State != plan.Up {
		b.health.Since = b.now()
	}
	b.health = plan.Health{State: plan.Up, Since: b.health.Since}
	b.seen, b.lost, b.probing = b.now(), false, false
}

func (b *breaker) failed(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.health.State != plan.Down {
		b.health.Since = b.now()
	}
	b.health.State, b.health.Problem = plan.Down, problem(err)
	b.health.Failures++
	b.seen, b.lost = b.now(), lost(err)
	if b.health.Failures >= b.limit {
		b.health.Resting = b.now().Add(b.rest)
	}
	b.probing = false
}

// release takes back an allowed call that came to nothing because of this side.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

func (b *breaker) look() plan.Health {
	h, _ := b.lookWhen()
	return h
}

// lookWhen returns the health and when it was seen; zero when it was not.
func (b *breaker) lookWhen() (plan.Health, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health
	if h.State == "" {
		h.State = plan.Unknown
	}
	return h, b.seen
}

// resting is the error of a call that is not made before a time.
func (b *breaker) resting(until time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := "left alone until " + until.UTC().Format(time.TimeOnly+" MST")
	if b.lost {
		return &unreached{b.health.Problem + "; it is " + alone}
	}
	return fmt.Errorf("it failed time and again and is %s: %s", alone, b.health.Problem)
}
