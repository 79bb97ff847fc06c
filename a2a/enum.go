// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The names of the enums on the wire; the index is the number.
var (
	roleNames      = []string{"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"}
	taskStateNames = []string{
		"TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED",
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

// MarshalJSONTo implements the Marshaler of json/v2. A role without a name is an error.
func (r Role) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, r.MarshalJSON) }

// MarshalJSONTo implements the Marshaler of json/v2. A state without a name is an error.
func (s TaskState) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, s.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Role) UnmarshalJSON(data []byte) error { return Unmarshal(data, r) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *TaskState) UnmarshalJSON(data []byte) error { return Unmarshal(data, s) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2. It takes the name, the number, or the number's digits as a string.
func (r *Role) UnmarshalJSONFrom(d *jsontext.Decoder) error { return decodeWith(d, r, readRole) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2. It takes the name, the number, or the number's digits as a string.
func (s *TaskState) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, s, readTaskState)
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
	return 0, &Error{Kind: ErrInvalidParams, Message: strconv.Quote(clip(text)) + " is unknown: expected " + strings.Join(names[1:], ", ")}
}

func marshalEnum(names []string, n int32) ([]byte, error) {
	w := newWriter(nil)
	w.enum(names, n)
	return w.result()
}

func readRole(d *reader, r *Role) error           { return readEnum(d, (*int32)(r), roleNames) }
func readTaskState(d *reader, s *TaskState) error { return readEnum(d, (*int32)(s), taskStateNames) }

func readEnum(d *reader, p *int32, names []string) error {
	text, err := readNumberText(d, "a name or a number")
	if err != nil {
		return err
	}
	n, err := parseEnum(names, text)
	if err != nil {
		return invalid(d, AsError(err).Message)
	}
	*p = n
	return nil
}
