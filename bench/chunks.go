// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sdkChunks is how many chunks the Go SDK gets: its time grows with the square of their number, and 4,000 take it
// most of a minute.
const sdkChunks = 500

const chunkRuns = 9

// measureChunks is one artifact to which chunks of 20 bytes are appended, streamed to one client over HTTP.
func measureChunks(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	var rows []row
	same := map[string]time.Duration{} // as many chunks as the peer gets, by case
	for _, c := range []struct {
		name        string
		server      *process
		most, most4 time.Duration
	}{
		{"chunks, memory", f.memory, 20 * time.Millisecond, 80 * time.Millisecond},
		{"chunks, SQLite", f.sqlite, 50 * time.Millisecond, 200 * time.Millisecond},
	} {
		found, err := chunkTimes(ctx, c.server, sdkChunks, 1000, 4000, 16000)
		if err != nil {
			return nil, err
		}
		fewest := fmt.Sprintf("%s, %d", c.name, sdkChunks)
		same[fewest] = found[sdkChunks]
		each := func(n int) float64 { return float64(found[n]) / float64(n) }
		rows = append(rows,
			row{Case: fewest, Conns: 1, Ours: inMS(found[sdkChunks])},
			row{Case: c.name + ", 1,000", Conns: 1, Ours: inMS(found[1000])},
			row{Case: c.name + ", 4,000", Conns: 1, Ours: inMS(found[4000]),
				Marks: []mark{under("time", found[4000], c.most)}},
			row{Case: c.name + ", 16,000", Conns: 1, Ours: inMS(found[16000]), Marks: []mark{
				under("time", found[16000], c.most4),
				{Name: "a chunk, to 1 of 1,000", Got: each(16000) / each(1000), Want: 1.5, Unit: "x", Under: true},
			}})
	}
	if f.goPeer == nil {
		return rows, nil
	}
	sdk, err := streamChunks(f.goPeer, sdkChunks)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if took, ok := same[rows[i].Case]; ok {
			rows[i].Peer, rows[i].Factor = fmt.Sprintf("%s %s", goPeerName, inMS(sdk)),
				fmt.Sprintf("%.0fx", float64(sdk)/float64(took))
		}
	}
	return rows, nil
}

// chunkTimes returns the median time for each number of chunks; the numbers are taken in turn.
func chunkTimes(ctx context.Context, s *process, counts ...int) (map[int]time.Duration, error) {
	all := map[int][]time.Duration{}
	for range chunkRuns {
		for _, n := range counts {
			took, err := streamChunks(s, n)
			if err != nil {
				return nil, err
			}
			all[n] = append(all[n], took)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	found := map[int]time.Duration{}
	for n, times := range all {
		slices.Sort(times)
		found[n] = median(times)
	}
	return found, nil
}

// streamChunks returns the time from the request to the end of the stream.
func streamChunks(s *process, n int) (time.Duration, error) {
	c, err := dial(s.Addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * patience))
	request := post(s.Path, message("SendStreamingMessage", fmt.Sprintf("chunks %d", n)))
	began := time.Now()
	stream, err := c.open(request)
	if err != nil {
		return 0, err
	}
	events, completed, err := stream.drain()
	took := time.Since(began)
	switch {
	case err != nil:
		return 0, err
	case !completed || events < n:
		return 0, fmt.Errorf("%s: the stream ended after %d events, completed: %t", s.name, events, completed)
	}
	return took, nil
}
