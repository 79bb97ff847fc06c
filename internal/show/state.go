// SPDX-License-Identifier: Apache-2.0

// Package show prints the objects of the protocol as text and as JSON.
package show

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// StateName returns a state as people write it: input-required for TASK_STATE_INPUT_REQUIRED.
func StateName(s a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.String(), "TASK_STATE_")), "_", "-")
}

// StateOf returns the state of a name, as people or the protocol write it. The empty name is that of no state.
func StateOf(text string) (state a2a.TaskState, ok bool) {
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		if strings.EqualFold(text, state.String()) ||
			strings.EqualFold(strings.ReplaceAll(text, "_", "-"), StateName(state)) {
			return state, true
		}
	}
	return a2a.TaskStateUnspecified, text == ""
}

// StateNames returns all states as people write them.
func StateNames() []string {
	var names []string
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		names = append(names, StateName(state))
	}
	return names
}
