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

	mu      sync.Mutex
	health  plan.Health
	seen    time.Time // when the last call ended
	lost    bool      // it did not get to the agent
	probing bool
}

// allow returns the error of a call that may not be made yet.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	until := b.health.Resting
	if !b.probing && !time.Now().Before(until) {
		b.probing = !until.IsZero()
		return nil
	}
	alone := "left alone until " + until.UTC().Format(time.TimeOnly+" MST")
	if b.lost {
		return &unreached{b.health.Problem + "; it is " + alone}
	}
	return fmt.Errorf("it failed time and again and is %s: %s", alone, b.health.Problem)
}

// release takes back an allowed call that came to nothing because of this side.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// ended notes a call that the agent answered, whatever it said, or that failed with an error.
func (b *breaker) ended(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen, b.lost, b.probing = time.Now(), lost(err), false
	if err == nil {
		b.health = plan.Health{State: plan.Up}
		return
	}
	b.health.State, b.health.Problem = plan.Down, problem(err)
	if b.health.Failures++; b.health.Failures >= b.limit {
		b.health.Resting = time.Now().Add(b.rest)
	}
}

// look returns the health and when it was seen; zero when it was not.
func (b *breaker) look() (plan.Health, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health
	if h.State == "" {
		h.State = plan.Unknown
	}
	return h, b.seen
}
