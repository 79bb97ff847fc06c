// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// Values of kind.
const (
	kindTask           = "task"
	kindMessage        = "message"
	kindStatusUpdate   = "status-update"
	kindArtifactUpdate = "artifact-update"

	kindText = "text"
	kindFile = "file"
	kindData = "data"
)

// stateNames are the states of the form; an index is a state of the model.
var stateNames = [...]string{
	a2a.TaskStateUnspecified:   "unknown",
	a2a.TaskStateSubmitted:     "submitted",
	a2a.TaskStateWorking:       "working",
	a2a.TaskStateCompleted:     "completed",
	a2a.TaskStateFailed:        "failed",
	a2a.TaskStateCanceled:      "canceled",
	a2a.TaskStateInputRequired: "input-required",
	a2a.TaskStateRejected:      "rejected",
	a2a.TaskStateAuthRequired:  "auth-required",
}

// statesByName has other spellings too.
var statesByName = func() map[string]a2a.TaskState {
	states := map[string]a2a.TaskState{"cancelled": a2a.TaskStateCanceled}
	for state, name := range stateNames {
		states[name] = a2a.TaskState(state)
		states[strings.ReplaceAll(name, "-", "_")] = a2a.TaskState(state)
	}
	return states
}()

func writeState(w *jsonio.Writer, name string, s a2a.TaskState) {
	if s < 0 || int(s) >= len(stateNames) {
		w.Key(name)
		w.Fail("is " + s.String() + ", which no name stands for")
		return
	}
	w.Const(name, stateNames[s])
}

func readState(d *jsonio.Reader, s *a2a.TaskState) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	state, ok := statesByName[name]
	if !ok {
		return unknown(d, name, stateNames[:]...)
	}
	*s = state
	return nil
}

// roleName returns the name of a role. There are but two, and what is not said by a user is said by an agent.
func roleName(r a2a.Role) string {
	if r == a2a.RoleUser {
		return "user"
	}
	return "agent"
}

func readRole(d *jsonio.Reader, r *a2a.Role) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	switch name {
	case "user":
		*r = a2a.RoleUser
	case "agent":
		*r = a2a.RoleAgent
	default:
		return unknown(d, name, "user", "agent")
	}
	return nil
}

// unknown faults the name that was read last.
func unknown(d *jsonio.Reader, name string, expected ...string) error {
	return jsonio.Invalid(d, notOneOf(name, expected...))
}

func notOneOf(name string, expected ...string) string {
	return "is " + strconv.Quote(jsonio.Clip(name)) + ": expected " + strings.Join(expected, ", ")
}
