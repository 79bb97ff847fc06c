// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Decode reads data, all of it, into v. Nothing that the functions of this package read shares memory with data, except
// what [Raw] returns. Errors are [*a2a.Error]: ErrParse when data is not JSON, ErrInvalidParams when a member
// is there twice or has the wrong type or value. After an error v is undefined.
func Decode[T any](data []byte, v *T, read func(*Reader, *T) error) error {
	d := decoders.Get().(*Reader)
	defer func() {
		d.Reset(noInput) // lets go of data
		decoders.Put(d)
	}()
	d.Reset(bytes.NewBuffer(data)) // decodes in place: no copy of data is made
	if err := read(d, v); err != nil {
		return public(d, err)
	}
	switch _, err := d.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return public(d, err)
	}
	return &a2a.Error{Kind: a2a.ErrParse, Message: "invalid JSON payload: more follows after the value ends"}
}

var (
	decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(noInput) }}
	noInput  = strings.NewReader("")
)

// A fault is what is wrong with a value, and where it stands.
type fault struct {
	kind    a2a.Kind
	pointer jsontext.Pointer
	why     string
}

func (f *fault) Error() string { return f.why }

// Invalid returns an ErrInvalidParams about the value that was read last: an object or a list when that has just ended.
func Invalid(d *Reader, why string) error {
	return &fault{a2a.ErrInvalidParams, d.StackPointer(), why}
}

// InvalidMember returns an ErrInvalidParams about a member of the object that has just ended, which need not be there.
// The name may be a path like file.bytes.
func InvalidMember(d *Reader, name, why string) error {
	pointer := d.StackPointer()
	for step := range strings.SplitSeq(name, ".") {
		pointer = pointer.AppendToken(step)
	}
	return &fault{a2a.ErrInvalidParams, pointer, why}
}

// wrongType reads the next value, which may be bad JSON itself, and faults it.
func wrongType(d *Reader, want string) error {
	if _, err := Raw(d); err != nil {
		return err
	}
	return Invalid(d, "must be "+want)
}

// public makes an [*a2a.Error] of what went wrong. Errors that are none of ours stay what they are.
func public(d *Reader, err error) error {
	if f, ok := errors.AsType[*fault](err); ok {
		return fieldError(f.kind, fieldOf(d, f.pointer), f.why, nil)
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == io.EOF:
		return &a2a.Error{Kind: a2a.ErrParse, Message: "invalid JSON payload: it is empty"}
	case !ok:
		return err
	case syntax.Err == jsontext.ErrDuplicateName:
		return fieldError(a2a.ErrInvalidParams, fieldOf(d, syntax.JSONPointer), "appears twice", err)
	}
	why := strings.TrimPrefix(fmt.Sprint(syntax.Err), "jsontext: ")
	return &a2a.Error{Kind: a2a.ErrParse, Cause: err, Message: fmt.Sprintf("invalid JSON payload: %s at byte %d", why, syntax.ByteOffset)}
}

// fieldError returns an error about a field, or about the whole value when field is empty.
func fieldError(kind a2a.Kind, field, why string, cause error) *a2a.Error {
	if field == "" {
		return &a2a.Error{Kind: kind, Message: kind.String() + ": the value " + why, Cause: cause}
	}
	return &a2a.Error{Kind: kind, Violations: []a2a.Violation{{Field: field, Description: why}}, Cause: cause}
}

// fieldOf turns a JSON pointer into a path like message.parts[2].file.bytes.
func fieldOf(d *Reader, pointer jsontext.Pointer) string {
	var path strings.Builder
	level := 0
	for token := range pointer.Tokens() {
		level++
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

// isIndex reports whether the token of a pointer is an index of an array. What the decoder has open it knows; below that
// a number is taken for an index.
func isIndex(d *Reader, level int, token string) bool {
	if level <= d.StackDepth() {
		kind, _ := d.StackIndex(level)
		return kind == '['
	}
	_, err := strconv.ParseUint(token, 10, 31)
	return err == nil
}

// Clip shortens text of a peer to what an error message can bear: 256 bytes.
func Clip(s string) string {
	const most = 256
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
