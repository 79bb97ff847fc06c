// SPDX-License-Identifier: Apache-2.0

// Package retry repeats calls that may be repeated, with growing pauses and within bounds.
package retry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Policy bounds the repetition of a call.
type Policy struct {
	Tries   int           // calls in all; 0 or 1 means that nothing is repeated
	First   time.Duration // the first pause; each later one is about twice as long
	Max     time.Duration // the longest pause that this side chooses
	MaxWait time.Duration // the longest pause that the peer may ask for; asked for more, the call fails at once
}

// Do calls f until it succeeds, until again says that its error is final, or until the policy is used up, and returns
// the last result. A wait that again returns is what the peer asked for; 0 leaves it to the policy. When ctx ends
// during a pause the last error is returned: it says more than that time was up.
func Do[T any](ctx context.Context, p Policy, f func(context.Context) (T, error),
	again func(error) (wait time.Duration, ok bool)) (T, error) {
	pauses := NewPauses(p.First, p.Max)
	for try := 1; ; try++ {
		result, err := f(ctx)
		if err == nil || try >= p.Tries {
			return result, err
		}
		wait, ok := again(err)
		if !ok || wait > p.MaxWait {
			return result, err
		}
		if Sleep(ctx, max(wait, pauses.Next())) != nil {
			return result, err
		}
	}
}

// Pauses are pauses that grow from one to the next, up to a bound. They vary at random by a fifth, so that clients
// which lost one server together do not come back together.
type Pauses struct{ b *backoff.ExponentialBackOff }

// NewPauses returns pauses from first to longest.
func NewPauses(first, longest time.Duration) *Pauses {
	b := &backoff.ExponentialBackOff{
		InitialInterval: first, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: longest,
	}
	b.Reset()
	return &Pauses{b}
}

// Next returns the next pause.
func (p *Pauses) Next() time.Duration { return p.b.NextBackOff() }

// Reset makes the next pause the first one again.
func (p *Pauses) Reset() { p.b.Reset() }

// Sleep waits for d, or until ctx ends and then returns its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// After reads the Retry-After header of h (RFC 9110 §10.2.3), in seconds or as a date. It returns 0 when there is
// none that can be read, or when the date has passed.
func After(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
