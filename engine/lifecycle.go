// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/agent"
)

// A phase is how far a runner has come in its life.
type phase uint8

const (
	phaseStarting  phase = iota // no event is queued: the answer may still be a message
	phaseRunning                // the task exists, or its first event is queued
	phaseReleasing              // a commit that gives the lease back is on its way
	phaseEnded                  // there is nothing more to commit: new inputs are for the next runner
	phaseLeft                   // the runner is out of the set
)

// transitions has the phases that can follow each one.
var transitions = [...][]phase{
	phaseStarting:  {phaseRunning, phaseEnded}, // a turn that ends without a task never runs
	phaseRunning:   {phaseReleasing, phaseEnded},
	phaseReleasing: {phaseRunning, phaseEnded}, // it runs again if the commit fails
	phaseEnded:     {phaseLeft},
	phaseLeft:      {},
}

// A lifecycle is the phase of a runner and whether its turn is fenced off, which can happen in any phase. The lock of
// the runner guards it.
type lifecycle struct {
	phase  phase
	fenced error // why the turn may not write any more
}

// enter moves on to a phase and reports whether it can follow the present one. If it cannot, nothing changes.
func (l *lifecycle) enter(next phase) bool {
	if !slices.Contains(transitions[l.phase], next) {
		return false
	}
	l.phase = next
	return true
}

// over reports whether the last commit is made.
func (l *lifecycle) over() bool { return l.phase >= phaseEnded }

// writable returns why nothing may be written any more; nil while it may.
func (l *lifecycle) writable() error {
	switch {
	case l.fenced != nil:
		return l.fenced
	case l.over():
		return agent.ErrOver
	}
	return nil
}

// A presence is how the rest of the engine finds a runner.
type presence uint8

const (
	presenceNone   presence = iota
	presenceRing            // its ring is in the ringSet, and one of the ring's readers is the runner
	presenceRunner          // so is the runner in the runnerSet
)
