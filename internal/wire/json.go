// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// AppendJSON is [jsonio.Append] for values of the model, which may be large.
func AppendJSON[T any](dst []byte, v T, write func(*jsonio.Writer, T)) ([]byte, error) {
	return jsonio.Append(a2a.Grow(dst, v), v, write)
}

// DecodeJSON is [jsonio.Decode] for dialects before 1.0. Its errors are [*a2a.Error]: ErrParse when data is not JSON,
// ErrInvalidParams when a member is there twice or has the wrong type or value.
func DecodeJSON[T any](data []byte, v *T, read func(*jsonio.Reader, *T) error) error {
	err := jsonio.Decode(data, v, read)
	e, ok := errors.AsType[*jsonio.Error](err)
	switch {
	case !ok:
		return err
	case e.Problem == jsonio.BadSyntax:
		return &a2a.Error{Kind: a2a.ErrParse, Message: e.Error(), Cause: e.Cause}
	case e.Field == "":
		return &a2a.Error{Kind: a2a.ErrInvalidParams, Message: a2a.ErrInvalidParams.String() + ": " + e.Error(),
			Cause: e.Cause}
	}
	return &a2a.Error{Kind: a2a.ErrInvalidParams, Violations: []a2a.Violation{{Field: e.Field, Description: e.Why}},
		Cause: e.Cause}
}
