// SPDX-License-Identifier: Apache-2.0

// Package loadgen sends requests at a rate that does not depend on the answers, and measures how long they take.
//
// Each request has a time at which it is due. Its duration counts from that time, even if it had to wait for other
// requests to end. A server that stalls for a second delays all requests that were due in that second. A generator that
// waits for answers would not send them.
package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Options say what a run sends. All but Count must be above 0.
type Options struct {
	Rate        float64       // requests that are due in a second
	Duration    time.Duration // how long requests are due
	Count       int           // how many there are at most; 0 for as many as are due
	Concurrency int           // how many may be open at once; further ones that are due wait
	Drain       time.Duration // how long those that are open at the end may take to end
}

// Check says what is wrong with the options.
func (o *Options) Check() error {
	switch {
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0) || o.Rate > 1e6:
		return fmt.Errorf("a rate of %v a second; it must be above 0 and at most 1000000", o.Rate)
	case o.Duration <= 0:
		return fmt.Errorf("a duration of %v; it must be above 0", o.Duration)
	case o.Count < 0:
		return fmt.Errorf("a count of %d; it must not be negative", o.Count)
	case o.Concurrency <= 0:
		return fmt.Errorf("a concurrency of %d; it must be above 0", o.Concurrency)
	case o.Drain < 0:
		return fmt.Errorf("a drain time of %v; it must not be negative", o.Drain)
	}
	return nil
}

// A Request makes one request and waits for its end. It calls first, if at all once, when the first piece of an answer
// that comes in pieces is there. It is called by several goroutines at once.
type Request func(ctx context.Context, first func()) error

// A Report is what a run has measured.
type Report struct {
	Planned     int            // requests that were due
	Succeeded   int            //
	Failed      int            // the sum of Errors
	Errors      map[string]int // by kind
	Unfinished  int            // were still open when the run was over, and left
	NotSent     int            // were due and found no place among those that were open
	Elapsed     time.Duration  // from the first request that was due until the last one ended
	Interrupted bool           // the context ended before the run did
	Latency     Percentiles    // of those that succeeded, until the end of the answer
	First       Percentiles    // of those of them that called first, until then
}

// Throughput returns how many requests succeeded in a second.
func (r *Report) Throughput() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Succeeded) / r.Elapsed.Seconds()
}

// Percentiles are durations of which that share is not longer, three digits of each being exact. N tells of how many.
type Percentiles struct {
	N                                       int64
	Min, Mean, P50, P90, P99, P999, Highest time.Duration
}

// The histogram's unit is a microsecond. It counts longer times than highest as highest.
const (
	unit    = time.Microsecond
	highest = time.Hour
	digits  = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(highest/unit), digits) }

// record cannot fail, since the value is in the range.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	h.RecordValue(int64(min(max(d, 0), highest) / unit))
}

func percentiles(h *hdrhistogram.Histogram) Percentiles {
	if h.TotalCount() == 0 {
		return Percentiles{}
	}
	at := func(p float64) time.Duration { return time.Duration(h.ValueAtPercentile(p)) * unit }
	return Percentiles{
		N: h.TotalCount(), Min: time.Duration(h.Min()) * unit, Mean: time.Duration(h.Mean() * float64(unit)),
		P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Highest: time.Duration(h.Max()) * unit,
	}
}

// errOver is why requests are left that are open when the drain time is over.
var errOver = errors.New("the run is over")

type run struct {
	opts  Options
	send  Request
	kind  func(error) string
	start time.Time
	open  sync.WaitGroup

	mu             sync.Mutex
	report         Report
	latency, first *hdrhistogram.Histogram
}

// Run sends requests until they are done, or until ctx ends, when it leaves those that are open; the report has what
// was measured till then. The kind of an error is what it is counted under.
func Run(ctx context.Context, opts Options, send Request, kind func(error) string) (*Report, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	r := &run{opts: opts, send: send, kind: kind, start: time.Now(), latency: newHistogram(), first: newHistogram()}
	r.report.Errors = make(map[string]int)
	sending, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	sent := r.pace(ctx, sending)
	overdue := time.AfterFunc(r.opts.Drain, func() { leave(errOver) })
	r.open.Wait()
	overdue.Stop()
	r.report.Elapsed = time.Since(r.start)
	r.report.Interrupted = ctx.Err() != nil
	r.report.Planned = r.planned()
	if r.report.Interrupted { // requests that were due later do not count
		r.report.Planned = sent
	}
	r.report.NotSent = r.report.Planned - sent
	r.report.Latency, r.report.First = percentiles(r.latency), percentiles(r.first)
	return &r.report, nil
}

// planned returns how many requests are due in a whole run.
func (r *run) planned() int {
	n := int(math.Ceil(r.opts.Rate * r.opts.Duration.Seconds()))
	if r.opts.Count > 0 {
		n = min(n, r.opts.Count)
	}
	return n
}

// pace sends each request when it is due, or else as soon as there is a place, and returns how many it sent.
func (r *run) pace(ctx, sending context.Context) int {
	places := make(chan struct{}, r.opts.Concurrency)
	over := time.NewTimer(r.opts.Duration)
	defer over.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for n := range r.planned() {
		due := r.start.Add(time.Duration(float64(n) / r.opts.Rate * float64(time.Second)))
		pause.Reset(time.Until(due))
		select {
		case <-pause.C:
		case <-ctx.Done():
			return n
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return n
		case <-over.C:
			return n
		}
		r.open.Go(func() {
			r.one(sending, due)
			<-places
		})
	}
	return r.planned()
}

func (r *run) one(ctx context.Context, due time.Time) {
	var first time.Duration
	err := r.send(ctx, func() { first = time.Since(due) })
	took := time.Since(due)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.report.Succeeded++
		record(r.latency, took)
		if first > 0 {
			record(r.first, first)
		}
	case ctx.Err() != nil:
		r.report.Unfinished++
	default:
		r.report.Failed++
		r.report.Errors[r.kind(err)]++
	}
}
