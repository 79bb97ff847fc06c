// SPDX-License-Identifier: Apache-2.0

// Package ratelimit bounds how often each caller uses an agent: a Policy of token buckets, one for each caller and
// group of operations. A caller that is over its rate is told when to come back; the others do not notice.
package ratelimit

import (
	"container/list"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// A Rate is how many requests a second are let through, and how many at once after a pause.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Options say how often callers may call.
type Options struct {
	// Default is the rate for all operations that Operations does not name; they share one bucket. Zero means no limit.
	Default Rate
	// Operations have rates of their own, by name, such as "SendMessage"; see auth.Operations.
	Operations map[string]Rate
	// Callers is how many buckets are kept. 0 means 100,000. Beyond it the one that was not used for longest goes.
	Callers int
}

// New returns a Policy. Callers are told apart as auth.Owner does, so that all anonymous ones share their buckets.
func New(opts Options) (auth.Policy, error) {
	for name, r := range opts.Operations {
		if !slices.Contains(auth.Operations(), name) {
			return nil, fmt.Errorf("ratelimit: Options.Operations names %q; use some of %s", name,
				strings.Join(auth.Operations(), ", "))
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("ratelimit: %s: %w", name, err)
		}
	}
	if opts.Default != (Rate{}) {
		if err := opts.Default.check(); err != nil {
			return nil, fmt.Errorf("ratelimit: %w", err)
		}
	}
	if opts.Callers < 0 {
		return nil, fmt.Errorf("ratelimit: Options.Callers is %d; it must not be below 0", opts.Callers)
	}
	if opts.Callers == 0 {
		opts.Callers = 100_000
	}
	return &limiter{opts: opts, buckets: map[key]*list.Element{}}, nil
}

func (r Rate) check() error {
	if !(r.PerSecond > 0) || math.IsInf(r.PerSecond, 0) || r.Burst < 1 {
		return fmt.Errorf("%v requests a second with a burst of %d let no request through; use numbers above 0",
			r.PerSecond, r.Burst)
	}
	return nil
}

// key names a bucket: of a caller, and of an operation with a rate of its own or "" for all others.
type key struct{ owner, operation string }

type limiter struct {
	opts Options

	mu      sync.Mutex
	buckets map[key]*list.Element // of *bucket
	recent  list.List             // the bucket that was used last is at the front
}

type bucket struct {
	key key
	*rate.Limiter
}

// Decide implements auth.Policy.
func (l *limiter) Decide(_ context.Context, access auth.Access) error {
	k := key{auth.Owner(access.Call.Identity), access.Operation}
	r, own := l.opts.Operations[access.Operation]
	if !own {
		if r = l.opts.Default; r == (Rate{}) {
			return nil
		}
		k.operation = ""
	}
	now := time.Now()
	reservation := l.bucket(k, r).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	return &a2a.Error{Kind: a2a.ErrRateLimited, RetryAfter: wait, Message: fmt.Sprintf(
		"you call %s more often than %v times a second; try again in %v", access.Operation, r.PerSecond,
		max(wait.Round(time.Millisecond), time.Millisecond))}
}

func (l *limiter) bucket(k key, r Rate) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.buckets[k]; e != nil {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket).Limiter
	}
	if len(l.buckets) >= l.opts.Callers {
		oldest := l.recent.Back()
		delete(l.buckets, oldest.Value.(*bucket).key)
		l.recent.Remove(oldest)
	}
	b := &bucket{k, rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)}
	l.buckets[k] = l.recent.PushFront(b)
	return b.Limiter
}
