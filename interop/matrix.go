// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// direction says who calls whom.
type direction string

const (
	fromPeer direction = "client" // the peer's client calls our server
	toPeer   direction = "agent"  // our client calls an agent of the peer

	throughGateway direction = "gateway" // the peer's client calls our gateway, before an agent of another generation

	asClient direction = "as client" // the framework calls our sample agents
	asAgent  direction = "as agent"  // our client calls an agent of the framework

	toCoordinator direction = "coordinator" // the peer's client of MCP calls our coordinator
	toBridge      direction = "bridge"      // the peer's client of MCP uses agents as tools
)

// directions are in the order in which they are shown.
var directions = []direction{fromPeer, toPeer, throughGateway, asClient, asAgent, toCoordinator, toBridge}

// A row is one peer, transport and direction.
type row struct {
	peer      *peer
	direction direction
	transport string
	program   *program
	results   map[string]result
	firstTry  string // what failed before the row was played again
}

func (r *row) String() string {
	return fmt.Sprintf("%s, %s, %s", r.peer.title(), r.direction, r.transport)
}

// mcp returns how a client of MCP reaches our server, stdio or http, and the revision that it speaks.
func (r *row) mcp() (over, revision string) {
	over, revision, _ = strings.Cut(r.transport, " ")
	return over, revision
}

func (r *row) revision() string {
	_, revision := r.mcp()
	return revision
}

// skip is a peer that cannot run here.
type skip struct {
	peer *peer
	err  error
}

// fault is an entry of known.json: what a version of a peer does wrong, and which cells are red because of that.
type fault struct {
	Peer       string    `json:"peer"` // name and version
	Direction  direction `json:"direction"`
	Transports []string  `json:"transports"`
	Scenarios  []string  `json:"scenarios"`
	Reason     string    `json:"reason"`
	Sometimes  bool      `json:"sometimes"` // a race of the peer: the cells may be green too
}

func (f *fault) explains(r *row, scenario string) bool {
	return f.Peer == r.peer.title() && f.Direction == r.direction && slices.Contains(f.Transports, r.transport) &&
		slices.Contains(f.Scenarios, scenario)
}

// readKnown reads known.json and checks that it speaks of peers and scenarios that there are.
func readKnown() ([]*fault, error) {
	content, err := os.ReadFile("known.json")
	if err != nil {
		return nil, err
	}
	var known []*fault
	if err := json.Unmarshal(content, &known); err != nil {
		return nil, fmt.Errorf("known.json: %w", err)
	}
	for _, f := range known {
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("known.json: %w", err)
		}
	}
	return known, nil
}

func (f *fault) check() error {
	i := slices.IndexFunc(peers, func(p *peer) bool { return p.title() == f.Peer })
	if i < 0 {
		return fmt.Errorf("there is no peer %q", f.Peer)
	}
	for _, t := range f.Transports {
		if !slices.Contains(peers[i].over(f.Direction), t) {
			return fmt.Errorf("%s has no transport %q", f.Peer, t)
		}
	}
	for _, s := range f.Scenarios {
		if !slices.Contains(scenarios, s) {
			return fmt.Errorf("there is no scenario %q", s)
		}
	}
	if !slices.Contains(peers[i].directions(), f.Direction) || f.Reason == "" || len(f.Transports) == 0 ||
		len(f.Scenarios) == 0 {
		return fmt.Errorf("an entry for %s lacks a direction that the peer has, transports, scenarios or reason",
			f.Peer)
	}
	return nil
}

// verdict is what a cell shows.
type verdict string

const (
	green     verdict = "ok"
	explained verdict = "explained"
	red       verdict = "FAIL"
	absent    verdict = "–" // the implementation has no such call
	blank     verdict = ""  // the cell has no meaning
)

// A cell is the judgement of one scenario of one row.
type cell struct {
	verdict verdict
	note    int // of the faults, counted from 1, that explains it
	detail  string
}

// A matrix is the judged result of a run.
type matrix struct {
	rows   []*row
	judged [][]cell // by row and scenario
	faults []*fault
	stale  []string // entries of known.json that nothing needs any more
}

// judge compares what happened with what is known. Stale entries are looked for only in a complete run.
func judge(rows []*row, known []*fault, complete bool) *matrix {
	m := &matrix{rows: rows, faults: known}
	needed := map[string]bool{}
	for _, r := range rows {
		cells := make([]cell, len(scenarios))
		for i, s := range scenarios {
			cells[i] = judgeCell(r, s, known)
			if cells[i].verdict == explained {
				needed[key(cells[i].note, r.transport, s)] = true
			}
		}
		m.judged = append(m.judged, cells)
	}
	if complete {
		m.stale = stale(known, needed)
	}
	return m
}

// unexplained tells the first failure of a row that is not known; empty if there is none.
func unexplained(r *row, known []*fault) string {
	for _, s := range scenarios {
		if c := judgeCell(r, s, known); c.verdict == red {
			return s + ": " + c.detail
		}
	}
	return ""
}

func key(note int, transport, scenario string) string {
	return fmt.Sprint(note, transport, " ", scenario)
}

func judgeCell(r *row, scenario string, known []*fault) cell {
	got, said := r.results[scenario]
	switch {
	case !expected(r, scenario):
		return cell{}
	case got.OK:
		return cell{verdict: green, detail: got.Detail}
	case got.Absent:
		return cell{verdict: absent, detail: got.Detail}
	case !said:
		got.Detail = "the scenario was not reached"
	}
	for i, f := range known {
		if f.explains(r, scenario) {
			return cell{verdict: explained, note: i + 1, detail: got.Detail}
		}
	}
	return cell{verdict: red, detail: got.Detail}
}

// stale returns the cells of known.json that are not red, but should always be.
func stale(known []*fault, needed map[string]bool) []string {
	var list []string
	for i, f := range known {
		if f.Sometimes {
			continue
		}
		for _, t := range f.Transports {
			for _, s := range f.Scenarios {
				if !needed[key(i+1, t, s)] {
					list = append(list, fmt.Sprintf("%s, %s, %s: %s", f.Peer, f.Direction, t, s))
				}
			}
		}
	}
	return list
}

// count returns how many cells have a verdict.
func (m *matrix) count(v verdict) int {
	n := 0
	for _, cells := range m.judged {
		for _, c := range cells {
			if c.verdict == v {
				n++
			}
		}
	}
	return n
}

func (m *matrix) cells() int { return m.count(green) + m.count(explained) + m.count(red) }

func (m *matrix) summary() string {
	return fmt.Sprintf("%d ok, %d explained, %d FAIL", m.count(green), m.count(explained), m.count(red))
}

// verdict returns an error if a cell is red without an explanation, or an explanation without a red cell.
func (m *matrix) verdict() error {
	if n := m.count(red); n > 0 {
		return fmt.Errorf("%d red cells that known.json does not explain; run again with -v and -run to see more", n)
	}
	if len(m.stale) > 0 {
		return fmt.Errorf("known.json explains what is not red any more; take it out:\n  %s",
			strings.Join(m.stale, "\n  "))
	}
	return nil
}

// text returns the matrix for a terminal, then the details of what is not green.
func (m *matrix) text() string {
	var b strings.Builder
	width := 0
	for _, r := range m.rows {
		width = max(width, len(r.String()))
	}
	for _, d := range directions {
		columns := m.columns(d)
		if len(columns) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-*s", width+2, "peer, its side, transport")
		for _, j := range columns {
			fmt.Fprintf(&b, " %-11s", scenarios[j])
		}
		b.WriteByte('\n')
		for i, r := range m.rows {
			if r.direction != d {
				continue
			}
			fmt.Fprintf(&b, "%-*s", width+2, r)
			for _, j := range columns {
				fmt.Fprintf(&b, " %-11s", m.judged[i][j].short())
			}
			b.WriteByte('\n')
		}
	}
	for _, r := range m.rows {
		if r.firstTry != "" {
			fmt.Fprintf(&b, "played again: %s, after %s\n", r, r.firstTry)
		}
	}
	for i, r := range m.rows {
		for j, c := range m.judged[i] {
			if c.verdict == red {
				fmt.Fprintf(&b, "FAIL %s: %s: %s\n", r, scenarios[j], c.detail)
			}
		}
	}
	for i, r := range m.rows {
		for j, c := range m.judged[i] {
			if c.verdict == explained {
				fmt.Fprintf(&b, "explained %s: %s: %s\n    %.300s\n", r, scenarios[j], m.faults[c.note-1].Reason,
					c.detail)
			}
		}
	}
	return b.String()
}

// columns returns the scenarios of one direction, in its order. A column without a cell is left out.
func (m *matrix) columns(d direction) []int {
	order, ok := ofOthers[d]
	if !ok {
		order = ofA2A
	}
	var columns []int
	for _, s := range order {
		j := slices.Index(scenarios, s)
		for i, r := range m.rows {
			if r.direction == d && m.judged[i][j].verdict != blank {
				columns = append(columns, j)
				break
			}
		}
	}
	return columns
}

func (c cell) short() string {
	if c.verdict == explained {
		return fmt.Sprintf("[%d]", c.note)
	}
	return string(c.verdict)
}
