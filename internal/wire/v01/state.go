// SPDX-License-Identifier: Apache-2.0

package v01

import "github.com/dragoman-a2a/dragoman/a2a"

// stateNames are the states of the form; an index is a state of the model. Two of them have no name of their own.
var stateNames = [...]string{
	a2a.TaskStateUnspecified:   "unknown",
	a2a.TaskStateSubmitted:     "submitted",
	a2a.TaskStateWorking:       "working",
	a2a.TaskStateCompleted:     "completed",
	a2a.TaskStateFailed:        "failed",
	a2a.TaskStateCanceled:      "canceled",
	a2a.TaskStateInputRequired: "input-required",
	a2a.TaskStateRejected:      "failed",
	a2a.TaskStateAuthRequired:  "input-required",
}

// trueNames are the names that the other states have in later generations.
var trueNames = map[a2a.TaskState]string{a2a.TaskStateRejected: "rejected", a2a.TaskStateAuthRequired: "auth-required"}

// statesByName has also what peers write that know later generations, or spell as others do.
var statesByName = map[string]a2a.TaskState{
	"unknown": a2a.TaskStateUnspecified, "submitted": a2a.TaskStateSubmitted, "working": a2a.TaskStateWorking,
	"completed": a2a.TaskStateCompleted, "failed": a2a.TaskStateFailed,
	"canceled": a2a.TaskStateCanceled, "cancelled": a2a.TaskStateCanceled,
	"input-required": a2a.TaskStateInputRequired, "input_required": a2a.TaskStateInputRequired,
	"rejected": a2a.TaskStateRejected, "auth-required": a2a.TaskStateAuthRequired,
}

// ends reports whether a status update of this state is the last of a stream: the task is over or waits for its caller.
func ends(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() }

// unmask returns the state that a marker says is behind the one that is shown. A marker that does not go with what is
// shown is an old one.
func unmask(shown a2a.TaskState, m marker) a2a.TaskState {
	if hidden, ok := statesByName[m.state]; ok && stateNames[hidden] == stateNames[shown] {
		return hidden
	}
	return shown
}
