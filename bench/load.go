// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A requester makes the next request of one connection. It may reuse the bytes.
type requester func() []byte

// result is what one measurement of a rate found.
type result struct {
	rate     float64 // answers a second
	p50, p99 time.Duration
	cpu      float64 // microseconds of the server's processor time an answer
}

var resultMember = []byte(`"result"`)

// load keeps conns connections busy for a while, each with one request at a time, and returns what came of it. An
// answer without a result is an error: a server that refuses is quick.
func load(ctx context.Context, s *process, conns int, during time.Duration, next func(i int) requester) (result,
	error) {
	open := make([]*conn, conns)
	for i := range open {
		c, err := dial(s.Addr)
		if err != nil {
			return result{}, err
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(during + patience))
		open[i] = c
	}
	before, err := s.usage(ctx)
	if err != nil {
		return result{}, err
	}
	var (
		wg    sync.WaitGroup
		over  atomic.Bool
		took  = make([][]time.Duration, conns)
		fails = make([]error, conns)
	)
	began := time.Now()
	stop := time.AfterFunc(during, func() { over.Store(true) })
	defer stop.Stop()
	for i, c := range open {
		wg.Go(func() { took[i], fails[i] = c.repeat(ctx, next(i), &over) })
	}
	wg.Wait()
	elapsed := time.Since(began)
	if err := errors.Join(fails...); err != nil {
		return result{}, fmt.Errorf("%s: %w", s.name, err)
	}
	after, err := s.usage(ctx)
	if err != nil {
		return result{}, err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	return result{
		rate: float64(len(all)) / elapsed.Seconds(),
		p50:  quantile(all, 0.5), p99: quantile(all, 0.99),
		cpu: float64(after.CPU-before.CPU) / float64(len(all)),
	}, nil
}

// repeat sends one request after the other until over says so, and returns how long each took.
func (c *conn) repeat(ctx context.Context, next requester, over *atomic.Bool) ([]time.Duration, error) {
	var took []time.Duration
	for !over.Load() && ctx.Err() == nil {
		began := time.Now()
		body, err := c.do(next())
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(body, resultMember) {
			return nil, fmt.Errorf("answered %.300s", body)
		}
		took = append(took, time.Since(began))
	}
	return took, ctx.Err()
}

// quantile returns a quantile of sorted values; 0 of none.
func quantile[T any](sorted []T, q float64) T {
	if len(sorted) == 0 {
		var none T
		return none
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func median[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// medians returns the median of each figure.
func medians(found []result) result {
	var r result
	var rates, cpus []float64
	var p50s, p99s []time.Duration
	for _, f := range found {
		rates, cpus = append(rates, f.rate), append(cpus, f.cpu)
		p50s, p99s = append(p50s, f.p50), append(p99s, f.p99)
	}
	r.rate, r.cpu, r.p50, r.p99 = median(rates), median(cpus), median(p50s), median(p99s)
	return r
}

// ratio returns the median of the ratios that the rounds found: a round's two figures were taken one after the other.
func ratio(ours, base []result) float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i].rate / base[i].rate
	}
	return median(ratios)
}
