// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// A row is one line of the table.
type row struct {
	Case    string
	Conns   int
	Ours    string
	Bare    string
	Ratio   string
	P50     string
	P99     string // ours, and the bare handler's
	CPU     string // microseconds of server time a request: ours, and the bare handler's
	Peer    string
	Factor  string // how much more or faster than each peer
	Marks   []mark
	Verdict string // "ok", or "short" and which marks
	Reason  string // of a verdict that is short
}

// A mark is a figure that we want to reach. A figure is better when it is at least Want, or with Under, when it is at
// most that.
type mark struct {
	Name  string
	Got   float64
	Want  float64
	Under bool
	Unit  string
}

func (m mark) ok() bool {
	if m.Under {
		return m.Got <= m.Want
	}
	return m.Got >= m.Want
}

func (m mark) String() string {
	sign := "≥"
	if m.Under {
		sign = "≤"
	}
	return fmt.Sprintf("%s %s %g%s", m.Name, sign, m.Want, m.Unit)
}

func atLeast(name string, got, want float64, unit string) mark {
	return mark{Name: name, Got: got, Want: want, Unit: unit}
}

func under(name string, got, want time.Duration) mark {
	return mark{Name: name, Got: ms(got), Want: ms(want), Unit: " ms", Under: true}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judge writes the verdict.
func (r *row) judge() {
	var short []string
	for _, m := range r.Marks {
		if !m.ok() {
			short = append(short, fmt.Sprintf("%s is %.3g%s", m.Name, m.Got, m.Unit))
		}
	}
	r.Verdict = "ok"
	if len(r.Marks) == 0 {
		r.Verdict = ""
	}
	if len(short) > 0 {
		r.Verdict = "short: " + strings.Join(short, ", ")
		r.Reason = cmp.Or(reasons[r.Case], "not known: measure again on a quiet machine, then with -profile")
	}
}

const mcpCost = "some two thirds of a call's processor time are HTTP and the MCP library, which without sessions " +
	"makes one for each call; " +
	"what the coordinator itself takes is the row of the library"

// reasons says, by case, why a mark is known to be missed.
var reasons = map[string]string{
	"coordination, MCP 2025-11-25, 5000 a second": mcpCost,
	"coordination, MCP 2026-07-28, 5000 a second": mcpCost,
	"send, memory": "over the bare handler a send costs: the turn with its goroutine, commit and journal, about 15 " +
		"us; the collector, " +
		"which scans the 10,000 tasks that are kept, 3 to 10 us by GOGC; " +
		"request ids, limits, checks and deadlines, about 4 us",
	"send, SQLite": "as in memory, with less for the collector, and about 24 us of the writer: 9 for the task's row " +
		"and its indexes, " +
		"6 for its events, 7 for its share of the commit; with 16 connections groups are small and each sync counts",
	"push, added to a send, 1000 a second": "each send causes several deliveries of about 40 us, which use " +
		"the same two processors, and so does their receiver",
	"get, memory": "the task is encoded at each call from some 25 objects all over memory, about 3 us, where the " +
		"bare handler has one " +
		"task in its cache; the collector, as for a send, about 3 us",
	"get, SQLite": "a finished task has no snapshot row: it is looked up in two tables and folded from its events, " +
		"each decoded by " +
		"itself; about 30 us with the driver",
}

// cells returns what the table shows; note is the mark of the reason below it.
func (r *row) cells(note string) []string {
	var marks []string
	for _, m := range r.Marks {
		marks = append(marks, m.String())
	}
	conns := ""
	if r.Conns > 0 {
		conns = fmt.Sprint(r.Conns)
	}
	return []string{
		r.Case, conns, r.Ours, r.Bare, r.Ratio, strings.Join(marks, ", "), r.Verdict, r.P50, r.P99, r.CPU, r.Peer,
		r.Factor, note,
	}
}

var columns = []string{
	"case", "conns", "ours", "bare", "ratio", "target", "verdict", "p50", "p99 (bare)", "CPU us (bare)", "peer",
	"factor", "reason",
}

// summary says in a sentence how many targets are met, and which are not.
func summary(rows []row) string {
	targets := 0
	var short []string
	for _, r := range rows {
		if len(r.Marks) > 0 {
			targets++
		}
		if name := r.Case; r.Reason != "" {
			if r.Conns > 1 {
				name += fmt.Sprintf(" (%d)", r.Conns)
			}
			short = append(short, name)
		}
	}
	if len(short) == 0 {
		return fmt.Sprintf("All %d rows with a target meet it.", targets)
	}
	return fmt.Sprintf("Of %d rows with a target %d meet it and %d do not: %s.", targets, targets-len(short),
		len(short), strings.Join(short, "; "))
}

// printTable writes the rows as a Markdown table with aligned columns, below a summary.
func printTable(w io.Writer, rows []row, skipped []string) {
	fmt.Fprintf(w, "%s\n\n", summary(rows))
	lines := [][]string{columns}
	var notes []string
	for i := range rows {
		lines = append(lines, rows[i].cells(noteOf(rows[i].Reason, &notes)))
	}
	widths := make([]int, len(columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	rule := make([]string, len(columns))
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
	}
	for _, line := range slices.Insert(lines, 1, rule) {
		for i, cell := range line {
			fmt.Fprint(w, "| ", cell, strings.Repeat(" ", widths[i]-len([]rune(cell))+1))
		}
		fmt.Fprintln(w, "|")
	}
	for i, reason := range notes {
		fmt.Fprintf(w, "\n[%d] %s\n", i+1, reason)
	}
	for _, s := range skipped {
		fmt.Fprintln(w, "\nSKIPPED:", s)
	}
}

// noteOf returns the mark of a reason, which it adds to the notes unless it is there.
func noteOf(reason string, notes *[]string) string {
	if reason == "" {
		return ""
	}
	i := slices.Index(*notes, reason)
	if i < 0 {
		i = len(*notes)
		*notes = append(*notes, reason)
	}
	return fmt.Sprintf("[%d]", i+1)
}

func perSecond(rate float64) string {
	if rate < 1000 {
		return fmt.Sprintf("%.0f/s", rate)
	}
	return fmt.Sprintf("%.1fk/s", rate/1000)
}

// inMS writes a duration in milliseconds with as many digits as mean something.
func inMS(d time.Duration) string {
	switch v := ms(d); {
	case v < 10:
		return fmt.Sprintf("%.2f ms", v)
	case v < 100:
		return fmt.Sprintf("%.1f ms", v)
	default:
		return fmt.Sprintf("%.0f ms", v)
	}
}
