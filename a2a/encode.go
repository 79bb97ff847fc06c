// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

type writer = jsonio.Writer

// appendJSON is AppendJSON of every type.
func appendJSON[T any, P described[T]](dst []byte, v P) ([]byte, error) {
	if v == nil {
		return dst, errors.New("a2a: cannot encode: the value is missing")
	}
	return appendWith(Grow(dst, v), (*T)(v), v.object().Write)
}

func appendWith[T any](dst []byte, v T, write func(*writer, T)) ([]byte, error) {
	b, err := jsonio.Append(dst, v, write)
	if err != nil {
		return b, fmt.Errorf("a2a: %w", err)
	}
	return b, nil
}

// encodeTo is MarshalJSONTo of every type.
func encodeTo[T any, P described[T]](e *jsontext.Encoder, v P) error {
	b, err := appendJSON(nil, v)
	if err != nil {
		return err
	}
	return e.WriteValue(b)
}

func writeInt32(w *writer, name string, n int) {
	if int(int32(n)) != n {
		w.Key(name)
		w.Fail("does not fit 32 bits")
		return
	}
	w.Int(name, int64(n))
}

func writeOptInt32(w *writer, name string, n int) {
	if n != 0 {
		writeInt32(w, name, n)
	}
}

// ptrInt32 is a whole number that is left out when nil.
func ptrInt32[T any](name string, of func(*T) **int) member[T] {
	return jsonio.Value(name,
		func(d *reader, p **int) error { return jsonio.New(d, p, readInt32) },
		func(w *writer, name string, n *int) {
			if n != nil {
				writeInt32(w, name, *n)
			}
		}, of)
}
