// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"slices"
	"testing"

	"github.com/dragoman-a2a/dragoman/agent"
)

// TestLifecycleFollowsItsTable tries to enter each phase from each other one: only those of the table are entered, and
// a refused one changes nothing.
func TestLifecycleFollowsItsTable(t *testing.T) {
	allowed := map[phase][]phase{
		phaseStarting:  {phaseRunning, phaseEnded},
		phaseRunning:   {phaseReleasing, phaseEnded},
		phaseReleasing: {phaseRunning, phaseEnded},
		phaseEnded:     {phaseLeft},
	}
	for from := phaseStarting; from <= phaseLeft; from++ {
		for to := phaseStarting; to <= phaseLeft; to++ {
			l := lifecycle{phase: from}
			want := slices.Contains(allowed[from], to)
			if got := l.enter(to); got != want || l.phase == to != (want || from == to) {
				t.Errorf("from %d to %d: entered %t, now %d; want %t", from, to, got, l.phase, want)
			}
		}
	}
}

// TestLifecycleEnds walks the table from the start: every phase is reached, each leads to the last one, and what may be
// written ends with the phase ended.
func TestLifecycleEnds(t *testing.T) {
	reached := map[phase]bool{}
	var walk func(p phase)
	walk = func(p phase) {
		if reached[p] {
			return
		}
		reached[p] = true
		l := lifecycle{phase: p}
		if ended := errors.Is(l.writable(), agent.ErrOver); ended != (p >= phaseEnded) {
			t.Errorf("phase %d: over is %t", p, ended)
		}
		if p != phaseLeft && len(transitions[p]) == 0 {
			t.Errorf("phase %d leads nowhere", p)
		}
		for _, next := range transitions[p] {
			walk(next)
		}
	}
	walk(phaseStarting)
	if len(reached) != len(transitions) {
		t.Errorf("reached %d of %d phases", len(reached), len(transitions))
	}
	fence := errors.New("fenced")
	for p := range transitions {
		if l := (lifecycle{phase: phase(p), fenced: fence}); l.writable() != fence {
			t.Errorf("phase %d is writable behind a fence: %v", p, l.writable())
		}
	}
}
