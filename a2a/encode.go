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
func appendJSON[T any](dst []byte, v *T, write func(*writer, *T)) ([]byte, error) {
	if v == nil {
		return dst, errors.New("a2a: cannot encode: the value is missing")
	}
	b, err := jsonio.Append(Grow(dst, v), v, write)
	if err != nil {
		return b, fmt.Errorf("a2a: %w", err)
	}
	return b, nil
}

// encodeTo is MarshalJSONTo of every type.
func encodeTo[T any](e *jsontext.Encoder, v *T, write func(*writer, *T)) error {
	b, err := appendJSON(nil, v, write)
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

func writePtrInt32(w *writer, name string, n *int) {
	if n != nil {
		writeInt32(w, name, *n)
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

// writeOptEach writes a list that is left out when empty, writeOptPointers one of pointers.
func writeOptEach[T any](w *writer, name string, list []T, write func(*writer, *T)) {
	if len(list) > 0 {
		jsonio.WriteEach(w, name, list, write)
	}
}

func writeOptPointers[T any](w *writer, name string, list []*T, write func(*writer, *T)) {
	if len(list) > 0 {
		jsonio.WritePointers(w, name, list, write)
	}
}

// writeMember writes a required object, writeOptMember one that is left out when nil.
func writeMember[T any](w *writer, name string, v *T, write func(*writer, *T)) {
	w.Key(name)
	jsonio.WritePointer(w, v, write)
}

func writeOptMember[T any](w *writer, name string, v *T, write func(*writer, *T)) {
	if v != nil {
		writeMember(w, name, v, write)
	}
}

func writeMap[M ~map[string]V, V any](w *writer, name string, m M, write func(*writer, V)) {
	w.Key(name)
	jsonio.WriteMap(w, m, write)
}
