// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// target is what one row of a rate should reach; zero asks for nothing.
type target struct {
	name   string
	server *process
	conns  int
	ratio  float64 // to the bare handler
	factor float64 // to each peer
	p99    time.Duration
}

// measureSend is the blocking SendMessage to the hello agent.
func measureSend(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	var rows []row
	for _, targets := range [][]target{
		{{"send, memory", f.memory, 16, 0.65, 9, 0}, {"send, SQLite", f.sqlite, 16, 0.22, 3.5, 8 * time.Millisecond}},
		{{"send, memory", f.memory, 64, 0.75, 9, 0}, {"send, SQLite", f.sqlite, 64, 0.33, 6, 15 * time.Millisecond}},
	} {
		found, err := compare(ctx, s, f.bare, targets, f.peers, func(at *process) func(int) requester {
			if at.old {
				return oldSends(at.Path)
			}
			return sends(at.Path)
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// compare measures the bare handler, our servers and the peers in turn, all with as many connections.
func compare(ctx context.Context, s *settings, bare *process, targets []target, peers []*process,
	requests func(*process) func(int) requester) ([]row, error) {
	servers := []*process{bare}
	for _, t := range targets {
		servers = append(servers, t.server)
	}
	servers = append(servers, peers...)
	conns := targets[0].conns
	found := make(map[*process][]result)
	for round := range s.rounds {
		for _, at := range servers {
			wait := func() error { return nil }
			if round == s.rounds-1 {
				wait = profile(ctx, s, at, fmt.Sprintf("%s, %s, %d", targets[0].name, at.name, conns), s.slice)
			}
			r, err := load(ctx, at, conns, s.slice, requests(at))
			if err != nil {
				return nil, err
			}
			if err := wait(); err != nil {
				return nil, err
			}
			found[at] = append(found[at], r)
		}
	}
	var rows []row
	for _, t := range targets {
		rows = append(rows, t.row(found, bare, peers))
	}
	return rows, nil
}

func (t target) row(found map[*process][]result, bare *process, peers []*process) row {
	ours, base := medians(found[t.server]), medians(found[bare])
	share := ratio(found[t.server], found[bare])
	r := row{
		Case: t.name, Conns: t.conns, Ours: perSecond(ours.rate), Bare: perSecond(base.rate),
		Ratio: fmt.Sprintf("%.2f", share), P50: inMS(ours.p50),
		P99:   fmt.Sprintf("%s (%s)", inMS(ours.p99), inMS(base.p99)),
		CPU:   fmt.Sprintf("%.0f (%.0f)", ours.cpu, base.cpu),
		Marks: []mark{atLeast("ratio", share, t.ratio, "")},
	}
	var names, factors []string
	for _, p := range peers {
		factor := ratio(found[t.server], found[p])
		names = append(names, fmt.Sprintf("%s %s", p.name, perSecond(medians(found[p]).rate)))
		factors = append(factors, fmt.Sprintf("%.1fx", factor))
		if !p.old { // the targets are set against the official SDKs of 1.0
			r.Marks = append(r.Marks, atLeast(p.name, factor, t.factor, "x"))
		}
	}
	r.Peer, r.Factor = strings.Join(names, ", "), strings.Join(factors, ", ")
	if t.p99 > 0 {
		r.Marks = append(r.Marks, under("p99", ours.p99, t.p99))
	}
	return r
}
