// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// about reports whether got is want within what a histogram of three digits keeps.
func about(got, want time.Duration) bool {
	return got >= want-want/500-unit && got <= want+want/500+unit
}

func kindOf(err error) string { return err.Error() }

// after ends once d is over, or with ctx.
func after(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func measure(t *testing.T, ctx context.Context, opts Options, send Request) *Report {
	t.Helper()
	report, err := Run(ctx, opts, send, kindOf)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRunKeepsItsRateAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		opts := Options{Rate: 50, Duration: 10 * time.Second, Concurrency: 8, Drain: time.Second}
		got := measure(t, t.Context(), opts, func(ctx context.Context, first func()) error {
			if n.Add(1)%100 == 0 {
				return errors.New("refused")
			}
			if err := after(ctx, 2*time.Millisecond); err != nil {
				return err
			}
			first()
			return after(ctx, 8*time.Millisecond)
		})
		if got.Planned != 500 || got.Succeeded != 495 || got.Failed != 5 || got.Errors["refused"] != 5 ||
			got.NotSent != 0 || got.Unfinished != 0 || got.Interrupted {
			t.Errorf("got %+v", got)
		}
		if !about(got.Latency.P50, 10*time.Millisecond) || !about(got.Latency.Highest, 10*time.Millisecond) ||
			got.Latency.N != 495 {
			t.Errorf("latency %+v", got.Latency)
		}
		if !about(got.First.P99, 2*time.Millisecond) || got.First.N != 495 {
			t.Errorf("first %+v", got.First)
		}
		if got.Elapsed < 9900*time.Millisecond || got.Elapsed > 10*time.Second {
			t.Errorf("it took %v", got.Elapsed)
		}
		if tp := got.Throughput(); tp < 49 || tp > 51 {
			t.Errorf("throughput %v", tp)
		}
	})
}

func TestRunStopsAtCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := Options{Rate: 1000, Duration: time.Hour, Count: 7, Concurrency: 1, Drain: time.Second}
		got := measure(t, t.Context(), opts, func(context.Context, func()) error { return nil })
		if got.Planned != 7 || got.Succeeded != 7 || got.Elapsed > 7*time.Millisecond {
			t.Errorf("got %+v", got)
		}
	})
}

// A server that stands still for a second makes all of that second's requests late, though one was open only.
func TestWaitingRequestsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		opts := Options{Rate: 100, Duration: 2 * time.Second, Concurrency: 1, Drain: time.Second}
		got := measure(t, t.Context(), opts, func(ctx context.Context, _ func()) error {
			if n.Add(1) == 1 {
				return after(ctx, time.Second)
			}
			return nil
		})
		if got.Succeeded != 200 || got.NotSent != 0 {
			t.Fatalf("got %+v", got)
		}
		// Of 200 requests 100 were late by 1 s, 0.99 s and so on.
		if !about(got.Latency.P90, 800*time.Millisecond) && !about(got.Latency.P90, 810*time.Millisecond) {
			t.Errorf("the 90th percentile is %v", got.Latency.P90)
		}
		if !about(got.Latency.Highest, time.Second) {
			t.Errorf("the highest is %v", got.Latency.Highest)
		}
	})
}

// A server that never answers ends nothing but the run.
func TestRunLeavesWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := Options{Rate: 10, Duration: time.Second, Concurrency: 3, Drain: 2 * time.Second}
		got := measure(t, t.Context(), opts, func(ctx context.Context, _ func()) error { return after(ctx, time.Hour) })
		if got.Unfinished != 3 || got.NotSent != 7 || got.Failed != 0 || got.Succeeded != 0 ||
			got.Elapsed != 3*time.Second {
			t.Errorf("got %+v", got)
		}
		if got.Latency != (Percentiles{}) {
			t.Errorf("latency of nothing: %+v", got.Latency)
		}
	})
}

func TestRunGivesWhatThereIsWhenItIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 950*time.Millisecond)
		defer cancel()
		opts := Options{Rate: 10, Duration: time.Hour, Concurrency: 30, Drain: time.Second}
		got := measure(t, ctx, opts, func(ctx context.Context,
			_ func()) error {
			return after(ctx, 100*time.Millisecond)
		})
		if !got.Interrupted || got.Succeeded != 9 || got.Unfinished != 1 || got.Planned != 10 || got.NotSent != 0 ||
			got.Elapsed != 950*time.Millisecond {
			t.Errorf("got %+v", got)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Rate: 1, Duration: 1, Concurrency: 1}
	for name, spoil := range map[string]func(*Options){
		"rate":        func(o *Options) { o.Rate = 0 },
		"high rate":   func(o *Options) { o.Rate = 1e7 },
		"duration":    func(o *Options) { o.Duration = 0 },
		"count":       func(o *Options) { o.Count = -1 },
		"concurrency": func(o *Options) { o.Concurrency = 0 },
		"drain":       func(o *Options) { o.Drain = -1 },
	} {
		opts := good
		spoil(&opts)
		if _, err := Run(t.Context(), opts, nil, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
