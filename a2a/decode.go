// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// MaxDepth is how deeply one value of free form may nest: the value of data, a metadata object (itself the first
// level), the value of a member nobody knows. It counts from that value, not from the start of the document, so
// that what came in a request can go out in a task in a list in a JSON-RPC response. The protocol's own objects
// nest at most a dozen levels.
const MaxDepth = jsonio.MaxDepth

type (
	reader        = jsonio.Reader
	object[T any] = jsonio.Object[T]
	member[T any] = jsonio.Member[T]
)

// Unmarshal decodes all of data into v, a pointer to a type of this package. It replaces the contents of v; on an error
// v is undefined. Nothing in v shares memory with data.
//
// Errors are [*Error]: ErrParse when data is not strict JSON (bad syntax, duplicate keys, invalid UTF-8, bytes after
// the value, values deeper than [MaxDepth]), ErrInvalidParams when a member has the wrong type or value. Required
// members may be missing: that is for Validate to say.
func Unmarshal(data []byte, v json.UnmarshalerFrom) error {
	d := jsonio.Open(data)
	defer jsonio.Close(d)
	err := v.UnmarshalJSONFrom(d)
	if err == nil {
		err = jsonio.End(d)
	}
	return decodeError(d, 0, err)
}

// described is a pointer to a type whose JSON a table describes.
type described[T any] interface {
	*T
	object() *object[T]
}

// decodeWith is UnmarshalJSONFrom of every type.
func decodeWith[T any, P described[T]](d *reader, v P) error {
	var zero T
	*v = zero
	base := d.StackDepth()
	return decodeError(d, base, v.object().Read(d, (*T)(v)))
}

// decodeError makes an [*Error] of what went wrong while reading a value that starts below base levels, see
// [jsonio.Explain]. Errors of the reader under the decoder, such as that of a body which is too large, stay what they
// are.
func decodeError(d *reader, base int, err error) error {
	if err == nil {
		return nil
	}
	err = jsonio.Explain(d, base, err)
	e, ok := errors.AsType[*jsonio.Error](err)
	if !ok {
		return err
	}
	kind := ErrParse
	if e.Problem == jsonio.BadValue {
		kind = ErrInvalidParams
	}
	switch {
	case e.Field != "":
		return &Error{Kind: kind, Violations: []Violation{{Field: e.Field, Description: e.Why}}, Cause: e.Cause}
	case kind == ErrParse:
		return &Error{Kind: kind, Message: "invalid JSON payload: " + e.Why + e.Place, Cause: e.Cause}
	}
	return &Error{Kind: kind, Message: kind.String() + ": " + e.Error()}
}

// ParseTime returns the time of a timestamp of the protocol, in UTC: RFC 3339 with any offset, in the years 1 to 9999.
// A timestamp without an offset, as Python's isoformat writes one, is taken for UTC. Anything else is an
// ErrInvalidParams that names no field.
func ParseTime(text string) (time.Time, error) {
	t, ok := jsonio.ParseTime(text)
	if !ok {
		return time.Time{}, &Error{Kind: ErrInvalidParams, Message: jsonio.NoTime}
	}
	return t, nil
}
