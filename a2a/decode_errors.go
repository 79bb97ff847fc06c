// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A fault is an error of decoding before it is known where the document of the caller starts.
type fault struct {
	kind    Kind
	pointer jsontext.Pointer
	why     string
}

func (f *fault) Error() string { return f.why }

// newFault faults the value read last.
func newFault(d *reader, kind Kind, why string) error {
	return &fault{kind: kind, pointer: d.StackPointer(), why: why}
}

// invalid faults the value read last as one that its member cannot have.
func invalid(d *reader, why string) error { return newFault(d, ErrInvalidParams, why) }

// wrongType reads the next value, which may be bad JSON itself, and faults it.
func wrongType(d *reader, want string) error {
	if _, err := readRaw(d); err != nil {
		return err
	}
	return invalid(d, "must be "+want)
}

// publicError makes an [*Error] of what went wrong while reading a value that starts below base levels. Errors of the
// reader under the decoder, such as that of a body which is too large, stay what they are.
func publicError(d *reader, base int, err error) error {
	if f, ok := errors.AsType[*fault](err); ok {
		return fieldError(f.kind, fieldOf(d, f.pointer, base), f.why)
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntaxError(d, base, syntax)
	}
	if err == io.EOF {
		return &Error{Kind: ErrParse, Message: "invalid JSON payload: it is empty"}
	}
	return err
}

// fieldError returns an error about a field, or about the whole value when field is empty.
func fieldError(kind Kind, field, why string) *Error {
	if field == "" {
		return &Error{Kind: kind, Message: kind.String() + ": the value " + why}
	}
	return &Error{Kind: kind, Violations: []Violation{{Field: field, Description: why}}}
}

func syntaxError(d *reader, base int, err *jsontext.SyntacticError) *Error {
	why := strings.TrimPrefix(fmt.Sprint(err.Err), "jsontext: ")
	if err.Err == jsontext.ErrDuplicateName {
		why = "appears twice"
	}
	field := fieldOf(d, err.JSONPointer, base)
	if field == "" {
		return &Error{Kind: ErrParse, Cause: err, Message: fmt.Sprintf("invalid JSON payload: %s at byte %d", why, err.ByteOffset)}
	}
	return &Error{Kind: ErrParse, Cause: err, Violations: []Violation{{Field: field, Description: why}}}
}

// fieldOf turns a JSON pointer into a path like message.parts[2].raw, without its first base levels.
func fieldOf(d *reader, pointer jsontext.Pointer, base int) string {
	var path strings.Builder
	level := 0
	for token := range pointer.Tokens() {
		if level++; level <= base {
			continue
		}
		switch {
		case isIndex(d, level, token):
			path.WriteString("[" + token + "]")
		case path.Len() == 0:
			path.WriteString(token)
		default:
			path.WriteString("." + token)
		}
	}
	return clip(path.String())
}

// isIndex reports whether the token of a pointer is an index of an array. What the decoder has open it knows; below that
// a number is taken for an index.
func isIndex(d *reader, level int, token string) bool {
	if level <= d.StackDepth() {
		kind, _ := d.StackIndex(level)
		return kind == '['
	}
	_, err := strconv.ParseUint(token, 10, 31)
	return err == nil
}
