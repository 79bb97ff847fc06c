// SPDX-License-Identifier: Apache-2.0

// Package ratelimit bounds how often each caller uses an agent: a Policy of token buckets, one for each caller and
// group of operations. A caller that is over its rate is told when to come back; the others do not notice. [Logins]
// bounds how often credentials can be guessed.
package ratelimit

import (
	"container/list"
	"context"
	"errors"
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

// A Limit is how often each caller may use some operations, all of them together.
type Limit struct {
	// Operations are names such as "SendMessage"; see auth.Operations. Nil means all that no other Limit names.
	Operations []string
	// PerSecond is how many requests a second are let through.
	PerSecond float64
	// Burst is how many requests are let through at once after a pause. 0 means those of a second, and at least 1.
	Burst int
}

// Options say how often callers may call.
type Options struct {
	// Limits are for different operations. An operation that none of them is for has no limit.
	Limits []Limit
	// Callers is how many buckets are kept. 0 means 100,000. Beyond it the one that was not used for longest goes.
	Callers int
}

// New returns a Policy. Callers are told apart as auth.Owner does, so that all anonymous ones share their buckets.
func New(opts Options) (auth.Policy, error) {
	if opts.Callers < 0 {
		return nil, fmt.Errorf("ratelimit: Options.Callers is %d; it must not be below 0", opts.Callers)
	}
	if opts.Callers == 0 {
		opts.Callers = 100_000
	}
	l := newLimiter(opts.Callers)
	for i := range opts.Limits {
		if err := l.add(opts.Limits[i]); err != nil {
			return nil, fmt.Errorf("ratelimit: Options.Limits[%d]: %w", i, err)
		}
	}
	return l, nil
}

func newLimiter(callers int) *limiter {
	return &limiter{callers: callers, limits: map[string]*Limit{}, buckets: map[key]*list.Element{}}
}

// others stands for the operations that no Limit names.
const others = ""

// add puts in one more Limit.
func (l *limiter) add(one Limit) error {
	if !(one.PerSecond > 0) || math.IsInf(one.PerSecond, 0) || one.Burst < 0 {
		return fmt.Errorf("%v requests a second with a burst of %d let no request through; use numbers above 0",
			one.PerSecond, one.Burst)
	}
	if one.Burst == 0 {
		one.Burst = int(min(max(1, math.Ceil(one.PerSecond)), math.MaxInt32))
	}
	names := one.Operations
	if names == nil {
		names = []string{others}
	}
	for _, name := range names {
		switch {
		case one.Operations != nil && !slices.Contains(auth.Operations(), name):
			return fmt.Errorf("there is no operation %q; use some of %s", name, strings.Join(auth.Operations(), ", "))
		case l.limits[name] != nil && name == others:
			return errors.New("an earlier limit is for all operations that are not named; name those of this one")
		case l.limits[name] != nil:
			return fmt.Errorf("%s has an earlier limit", name)
		}
		l.limits[name] = &one
	}
	return nil
}

// key names a bucket.
type key struct {
	owner string
	limit *Limit
}

type limiter struct {
	callers int
	limits  map[string]*Limit // by operation, and others

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
	limit := l.limits[access.Operation]
	if limit == nil {
		if limit = l.limits[others]; limit == nil {
			return nil
		}
	}
	now := time.Now()
	reservation := l.bucket(key{auth.Owner(access.Call.Identity), limit}).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	return &a2a.Error{Kind: a2a.ErrRateLimited, RetryAfter: wait, Message: fmt.Sprintf(
		"you call %s more often than %v times a second; try again in %v", access.Operation, limit.PerSecond,
		max(wait.Round(time.Millisecond), time.Millisecond))}
}

func (l *limiter) bucket(k key) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.buckets[k]; e != nil {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket).Limiter
	}
	if len(l.buckets) >= l.callers {
		oldest := l.recent.Back()
		delete(l.buckets, oldest.Value.(*bucket).key)
		l.recent.Remove(oldest)
	}
	b := &bucket{k, rate.NewLimiter(rate.Limit(k.limit.PerSecond), k.limit.Burst)}
	l.buckets[k] = l.recent.PushFront(b)
	return b.Limiter
}
