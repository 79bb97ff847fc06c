// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Problem says what sort of thing is wrong with a document. Each protocol version has errors of its own for them.
type Problem uint8

// The problems.
const (
	BadValue  Problem = iota // a member has the wrong type or value
	TooNested                // a value has more than [MaxDepth] levels
	Twice                    // a member is there twice
	BadSyntax                // the document is not JSON
)

// An Error says what is wrong with a document, and where.
type Error struct {
	Problem Problem
	Field   string // path like message.parts[2].file.bytes; empty: the whole document
	Why     string // "must be a string"; of BadSyntax a whole clause
	Place   string // " at byte 7" where the decoder of JSON refused the document
	Cause   error
}

func (e *Error) Error() string {
	switch {
	case e.Problem == BadSyntax:
		return "invalid JSON payload: " + e.Why + e.Place
	case e.Field == "":
		return "the value " + e.Why
	}
	return e.Field + " " + e.Why
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// A fault is what is wrong with a value, before it is known where the document of the caller starts.
type fault struct {
	problem Problem
	pointer jsontext.Pointer
	why     string
}

func (f *fault) Error() string { return f.why }

// Invalid faults the value that was read last: an object or a list when that has just ended.
func Invalid(d *Reader, why string) error {
	return &fault{BadValue, d.StackPointer(), why}
}

// InvalidOuter faults the object or the list that is being read.
func InvalidOuter(d *Reader, why string) error {
	return &fault{BadValue, d.StackPointer().Parent(), why}
}

// InvalidMember faults a member of the object that has just ended, which need not be there. The name may be a path
// like file.bytes.
func InvalidMember(d *Reader, name, why string) error {
	pointer := d.StackPointer()
	for step := range strings.SplitSeq(name, ".") {
		pointer = pointer.AppendToken(step)
	}
	return &fault{BadValue, pointer, why}
}

// WrongType reads the next value, which may be bad JSON itself, and faults it.
func WrongType(d *Reader, want string) error {
	if _, err := Raw(d); err != nil {
		return err
	}
	return Invalid(d, "must be "+want)
}

// Explain makes an [*Error] of what went wrong while d read a value that starts below base levels; its path is
// without those. Errors that are neither faults nor the decoder's stay what they are, and so does nil.
func Explain(d *Reader, base int, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault](err); ok {
		return &Error{Problem: f.problem, Field: fieldOf(d, f.pointer, base), Why: f.why}
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == io.EOF:
		return &Error{Problem: BadSyntax, Why: "it is empty"}
	case !ok:
		return err
	}
	e := &Error{
		Problem: BadSyntax, Field: fieldOf(d, syntax.JSONPointer, base), Cause: err,
		Why:   strings.TrimPrefix(fmt.Sprint(syntax.Err), "jsontext: "),
		Place: fmt.Sprintf(" at byte %d", syntax.ByteOffset),
	}
	if syntax.Err == jsontext.ErrDuplicateName {
		e.Problem, e.Why = Twice, "appears twice"
	}
	return e
}

// fieldOf turns a JSON pointer into a path like message.parts[2].file.bytes, without its first base levels.
func fieldOf(d *Reader, pointer jsontext.Pointer, base int) string {
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
	return Clip(path.String())
}

// isIndex reports whether the token of a pointer is an index of an array. At the levels that the decoder has open, the
// decoder knows. Below them isIndex takes each number for an index.
func isIndex(d *Reader, level int, token string) bool {
	if level <= d.StackDepth() {
		kind, _ := d.StackIndex(level)
		return kind == '['
	}
	_, err := strconv.ParseUint(token, 10, 31)
	return err == nil
}
