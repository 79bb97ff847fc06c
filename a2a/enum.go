// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// The names of the enums on the wire; the index is the number.
var (
	roleNames      = []string{"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"}
	taskStateNames = []string{
		"TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED",
		"TASK_STATE_FAILED",
		"TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED",
	}
)

// String returns the role's name on the wire, such as ROLE_USER, or its number when it has no name.
func (r Role) String() string { return enumName(roleNames, int32(r)) }

// String returns the state's name on the wire, such as TASK_STATE_WORKING, or its number when it has no name.
func (s TaskState) String() string { return enumName(taskStateNames, int32(s)) }

// ParseRole returns the role of that name or number: "ROLE_USER" and "1" are the same.
// Anything else is an ErrInvalidParams that names no field.
func ParseRole(text string) (Role, error) {
	n, err := parseEnum(roleNames, text)
	return Role(n), err
}

// ParseTaskState returns the state of that name or number: "TASK_STATE_WORKING" and "2" are the same.
// Anything else is an ErrInvalidParams that names no field.
func ParseTaskState(text string) (TaskState, error) {
	n, err := parseEnum(taskStateNames, text)
	return TaskState(n), err
}

// MarshalJSON implements json.Marshaler. A role without a name is an error.
func (r Role) MarshalJSON() ([]byte, error) { return marshalEnum(roleNames, int32(r)) }

// MarshalJSON implements json.Marshaler. A state without a name is an error.
func (s TaskState) MarshalJSON() ([]byte, error) { return marshalEnum(taskStateNames, int32(s)) }

// The methods of json/v2 do the same. They take the name, the number, or the number's digits as a string.

func (r Role) MarshalJSONTo(e *jsontext.Encoder) error { return writeEnumTo(e, roleNames, int32(r)) }
func (s TaskState) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeEnumTo(e, taskStateNames, int32(s))
}

func (r *Role) UnmarshalJSON(data []byte) error      { return Unmarshal(data, r) }
func (s *TaskState) UnmarshalJSON(data []byte) error { return Unmarshal(data, s) }

func (r *Role) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeError(d, d.StackDepth(), readRole(d, r))
}
func (s *TaskState) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeError(d, d.StackDepth(), readTaskState(d, s))
}

func enumName(names []string, n int32) string {
	if n >= 0 && int(n) < len(names) {
		return names[n]
	}
	return strconv.Itoa(int(n))
}

func parseEnum(names []string, text string) (int32, error) {
	if n := slices.Index(names, text); n >= 0 {
		return int32(n), nil
	}
	if n, err := parseInt32(text); err == nil && n >= 0 && int(n) < len(names) {
		return n, nil
	}
	return 0, &Error{Kind: ErrInvalidParams, Message: strconv.Quote(jsonio.Clip(text)) + " is unknown: expected " +
		strings.Join(names[1:], ", ")}
}

func marshalEnum(names []string, n int32) ([]byte, error) {
	if n < 0 || int(n) >= len(names) {
		return nil, errors.New("a2a: cannot encode: the value " + noName(n))
	}
	return []byte(`"` + names[n] + `"`), nil
}

func writeEnumTo(e *jsontext.Encoder, names []string, n int32) error {
	text, err := marshalEnum(names, n)
	if err != nil {
		return err
	}
	return e.WriteValue(text)
}

func noName(n int32) string { return fmt.Sprintf("is %d, which no name stands for", n) }

func readRole(d *reader, r *Role) error           { return readEnum(d, (*int32)(r), roleNames) }
func readTaskState(d *reader, s *TaskState) error { return readEnum(d, (*int32)(s), taskStateNames) }

func writeRole(w *writer, name string, r Role) { writeEnum(w, name, roleNames, int32(r)) }
func writeTaskState(w *writer, name string, s TaskState) {
	writeEnum(w, name, taskStateNames, int32(s))
}

func writeOptTaskState(w *writer, name string, s TaskState) {
	if s != TaskStateUnspecified {
		writeTaskState(w, name, s)
	}
}

func writeEnum(w *writer, name string, names []string, n int32) {
	if n < 0 || int(n) >= len(names) {
		w.Key(name)
		w.Fail(noName(n))
		return
	}
	w.Const(name, names[n])
}

func readEnum(d *reader, p *int32, names []string) error {
	text, err := readNumberText(d, "a name or a number")
	if err != nil {
		return err
	}
	n, err := parseEnum(names, text)
	if err != nil {
		return jsonio.Invalid(d, AsError(err).Message)
	}
	*p = n
	return nil
}
