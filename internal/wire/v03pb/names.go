// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

const (
	// markerKey is the key of metadata under which a marker stands: that of the other form of 0.3.
	markerKey = "https://dragoman-a2a.dev/wire/v03"
	// compatKey is what the official SDKs write, in place of the flag "wrapped". It is read only.
	compatKey = "data_part_compat"
	// wrapperName is the one member of an object that stands for another value.
	wrapperName = "value"
)

// A marker is what the form has no place for in a part or in a message.
type marker struct {
	mediaType, filename string
	wrapped             bool
	references          []a2a.TaskID
}

// stateNames are the enum's names; an index is a value of the proto, and of the model.
var stateNames = [...]string{
	a2a.TaskStateUnspecified:   "TASK_STATE_UNSPECIFIED",
	a2a.TaskStateSubmitted:     "TASK_STATE_SUBMITTED",
	a2a.TaskStateWorking:       "TASK_STATE_WORKING",
	a2a.TaskStateCompleted:     "TASK_STATE_COMPLETED",
	a2a.TaskStateFailed:        "TASK_STATE_FAILED",
	a2a.TaskStateCanceled:      "TASK_STATE_CANCELLED",
	a2a.TaskStateInputRequired: "TASK_STATE_INPUT_REQUIRED",
	a2a.TaskStateRejected:      "TASK_STATE_REJECTED",
	a2a.TaskStateAuthRequired:  "TASK_STATE_AUTH_REQUIRED",
}

// canceled10 is how 1.0 spells that state: with one L.
const canceled10 = "TASK_STATE_CANCELED"

// StateName returns the name of a state, "" when it has none.
func StateName(state a2a.TaskState) string {
	if state < 0 || int(state) >= len(stateNames) {
		return ""
	}
	return stateNames[state]
}

// StateNamed returns the state that has a name, as Proto or as Text spells it: TASK_STATE_INPUT_REQUIRED,
// input-required.
func StateNamed(name string) (a2a.TaskState, bool) {
	const prefix = "TASK_STATE_"
	if !strings.HasPrefix(name, prefix) {
		name = prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	}
	if name == canceled10 {
		name = stateNames[a2a.TaskStateCanceled]
	}
	i := slices.Index(stateNames[:], name)
	return a2a.TaskState(max(i, 0)), i > 0
}

var roleNames = [...]string{
	a2a.RoleUnspecified: "ROLE_UNSPECIFIED",
	a2a.RoleUser:        "ROLE_USER",
	a2a.RoleAgent:       "ROLE_AGENT",
}

func writeEnum(w *jsonio.Writer, name string, names []string, value int) {
	if value < 0 || value >= len(names) {
		w.Key(name)
		w.Fail("is " + strconv.Itoa(value) + ", which no name stands for")
		return
	}
	w.Const(name, names[value])
}

// readEnum reads a name or a number of an enum.
func readEnum[E ~int32](d *jsonio.Reader, p *E, names []string) error {
	if d.PeekKind() == '0' {
		var n int64
		if err := jsonio.Int(d, &n, math.MaxInt32); err != nil {
			return err
		}
		if n < 0 || int(n) >= len(names) {
			return jsonio.Invalid(d, "is "+strconv.FormatInt(n, 10)+", which no name stands for")
		}
		*p = E(n)
		return nil
	}
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	if name == canceled10 {
		name = stateNames[a2a.TaskStateCanceled]
	}
	i := slices.Index(names, name)
	if i < 0 {
		return jsonio.Invalid(d, "is "+strconv.Quote(jsonio.Clip(name))+": expected "+strings.Join(names, ", "))
	}
	*p = E(i)
	return nil
}

// member is a member by its name, by the same name in snake case, and by others.
func member[T any](name string, read func(*jsonio.Reader, *T) error, others ...string) []jsonio.Member[T] {
	members := []jsonio.Member[T]{{Name: name, Read: read}}
	if snake := SnakeCase(name); snake != name {
		others = append(others, snake)
	}
	for _, other := range others {
		members = append(members, jsonio.Member[T]{Name: other, Of: name, Read: read})
		if snake := SnakeCase(other); snake != other {
			members = append(members, jsonio.Member[T]{Name: snake, Of: name, Read: read})
		}
	}
	return members
}

// SnakeCase returns the name that a field has in the proto, of the one that it has in JSON.
func SnakeCase(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// readCount reads a number of things, which may come as a string.
func readCount(d *jsonio.Reader, p *int) error {
	var n int64
	if d.PeekKind() != '"' {
		err := jsonio.Int(d, &n, math.MaxInt32)
		*p = int(n)
		return err
	}
	var text string
	if err := jsonio.String(d, &text); err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return jsonio.Invalid(d, "must be a whole number")
	}
	*p = int(n)
	return nil
}
