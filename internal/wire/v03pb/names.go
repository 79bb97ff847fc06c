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

// compatKey is what the official SDKs write, in place of the flag "wrapped" of a marker. It is read only.
const compatKey = "data_part_compat"

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

// enum is a member whose value is a name of an enum, or a number.
func enum[T any, E ~int32](name string, names []string, of func(*T) *E) jsonio.Member[T] {
	return jsonio.Value(name,
		func(d *jsonio.Reader, p *E) error { return readEnum(d, p, names) },
		func(w *jsonio.Writer, name string, value E) { writeEnum(w, name, names, value) }, of)
}

func writeEnum[E ~int32](w *jsonio.Writer, name string, names []string, value E) {
	if value < 0 || int(value) >= len(names) {
		w.Key(name)
		w.Fail("is " + strconv.Itoa(int(value)) + ", which no name stands for")
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

// also is another name of a member.
func also[T any](name string, m jsonio.Member[T]) jsonio.Member[T] {
	return jsonio.Member[T]{Name: name, Of: m.Name, Read: m.Read}
}

// object describes a JSON object, whose members may have their names in snake_case too.
func object[T any](members ...jsonio.Member[T]) jsonio.Object[T] {
	return jsonio.Object[T]{Snake: true, Members: members}
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
	if d.PeekKind() != '"' {
		return jsonio.Int32(d, p)
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

func writeCount(w *jsonio.Writer, name string, n int) { w.Int(name, int64(n)) }
