// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"time"
)

// measureFirst is the time from the request of one caller to the first event of its stream.
func measureFirst(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		name   string
		server *process
		most   time.Duration
	}{
		{"first event, memory", f.memory, 500 * time.Microsecond},
		{"first event, SQLite", f.sqlite, 1500 * time.Microsecond},
	} {
		times, err := firstEvents(ctx, c.server, 2*s.slice)
		if err != nil {
			return nil, err
		}
		p50, p99 := quantile(times, 0.5), quantile(times, 0.99)
		rows = append(rows, row{
			Case: c.name, Conns: 1, Ours: inMS(p50), P50: inMS(p50), P99: inMS(p99),
			Marks: []mark{under("p99", p99, c.most)},
		})
	}
	return rows, nil
}

// firstEvents returns sorted times, of one stream after the other on one connection.
func firstEvents(ctx context.Context, s *process, during time.Duration) ([]time.Duration, error) {
	c, err := dial(s.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	end := time.Now().Add(during)
	c.SetDeadline(end.Add(patience))
	var times []time.Duration
	for time.Now().Before(end) && ctx.Err() == nil {
		request := post(s.Path, message("SendStreamingMessage", "Ada"))
		began := time.Now()
		stream, err := c.open(request)
		if err != nil {
			return nil, err
		}
		if err := stream.first(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
		if _, _, err := stream.drain(); err != nil {
			return nil, err
		}
	}
	slices.Sort(times)
	return times, ctx.Err()
}
