// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Member says how one member of a JSON object gets into a T, and out of it. The functions below make members of the
// usual types. They get the name of the member, and a function that returns where its value lies in a T. Members that
// start with Opt are left out when they are empty, those that start with Ptr when they are nil.
type Member[T any] struct {
	Name string
	// Of is the name of the member of which Name is another; both at once are refused.
	Of   string
	Read func(*Reader, *T) error
	// Write writes the member under its name; a member without it is only read.
	Write func(w *Writer, name string, v *T)
	// Nullable says that null is a value of the member. Else null counts as absent.
	Nullable bool
}

// A Codec reads and writes values of one type. [*Object] is one.
type Codec[V any] interface {
	Read(*Reader, *V) error
	Write(*Writer, *V)
}

// Value is a member of any type.
func Value[T, V any](
	name string, read func(*Reader, *V) error, write func(*Writer, string, V), of func(*T) *V,
) Member[T] {
	return Member[T]{
		Name:  name,
		Read:  func(d *Reader, v *T) error { return read(d, of(v)) },
		Write: func(w *Writer, name string, v *T) { write(w, name, *of(v)) },
	}
}

// Str is a string.
func Str[T any, S ~string](name string, of func(*T) *S) Member[T] {
	return Member[T]{
		Name:  name,
		Read:  func(d *Reader, v *T) error { return String(d, of(v)) },
		Write: func(w *Writer, name string, v *T) { w.Str(name, string(*of(v))) },
	}
}

// OptStr is a string that is left out when empty.
func OptStr[T any, S ~string](name string, of func(*T) *S) Member[T] {
	return Member[T]{
		Name:  name,
		Read:  func(d *Reader, v *T) error { return String(d, of(v)) },
		Write: func(w *Writer, name string, v *T) { w.OptStr(name, string(*of(v))) },
	}
}

// PtrStr is a string that is left out when nil.
func PtrStr[T any](name string, of func(*T) **string) Member[T] {
	return Value(name, newOf(String[string]), (*Writer).PtrStr, of)
}

// OptBool is a boolean that is left out when false.
func OptBool[T any](name string, of func(*T) *bool) Member[T] {
	return Value(name, Bool, (*Writer).OptBool, of)
}

// PtrBool is a boolean that is left out when nil.
func PtrBool[T any](name string, of func(*T) **bool) Member[T] {
	return Value(name, newOf(Bool), (*Writer).PtrBool, of)
}

// OptTime is a timestamp, see [Writer.OptTime].
func OptTime[T any](name string, of func(*T) *time.Time) Member[T] {
	return Value(name, Time, (*Writer).OptTime, of)
}

// OptMetadata is an object of any values that is left out when nil.
func OptMetadata[T any, M ~map[string]jsontext.Value](name string, of func(*T) *M) Member[T] {
	return Value(name, Metadata[M], func(w *Writer, name string, m M) { w.OptMetadata(name, m) }, of)
}

// Strs is a list of strings. More than limit of them are refused; a limit of 0 is none.
func Strs[T any, S ~string](name string, limit int, of func(*T) *[]S) Member[T] {
	return Value(name, stringsOf[S](limit), WriteStrs, of)
}

// OptStrs is [Strs] that is left out when empty.
func OptStrs[T any, S ~string](name string, limit int, of func(*T) *[]S) Member[T] {
	return Value(name, stringsOf[S](limit), WriteOptStrs, of)
}

func stringsOf[S ~string](limit int) func(*Reader, *[]S) error {
	return func(d *Reader, list *[]S) error { return List(d, list, limit, String) }
}

func newOf[V any](read func(*Reader, *V) error) func(*Reader, **V) error {
	return func(d *Reader, p **V) error { return New(d, p, read) }
}

// Nested is an object that is always there.
func Nested[T, V any](name string, c Codec[V], of func(*T) *V) Member[T] {
	return Member[T]{
		Name: name,
		Read: func(d *Reader, v *T) error { return c.Read(d, of(v)) },
		Write: func(w *Writer, name string, v *T) {
			w.Key(name)
			c.Write(w, of(v))
		},
	}
}

// Required is an object that cannot be written when nil.
func Required[T, V any](name string, c Codec[V], of func(*T) **V) Member[T] {
	write := c.Write
	return Value(name, newOf(c.Read), func(w *Writer, name string, v *V) {
		w.Key(name)
		WritePointer(w, v, write)
	}, of)
}

// Ptr is an object that is left out when nil.
func Ptr[T, V any](name string, c Codec[V], of func(*T) **V) Member[T] {
	return Value(name, newOf(c.Read), func(w *Writer, name string, v *V) {
		if v != nil {
			w.Key(name)
			c.Write(w, v)
		}
	}, of)
}

// Each is a list of objects. More than limit of them are refused; a limit of 0 is none.
func Each[T, V any](name string, limit int, c Codec[V], of func(*T) *[]V) Member[T] {
	read, write := c.Read, c.Write
	return Value(name,
		func(d *Reader, list *[]V) error { return List(d, list, limit, read) },
		func(w *Writer, name string, list []V) { WriteEach(w, name, list, write) }, of)
}

// OptEach is [Each] that is left out when empty.
func OptEach[T, V any](name string, limit int, c Codec[V], of func(*T) *[]V) Member[T] {
	m := Each(name, limit, c, of)
	m.Write = unlessEmpty(m.Write, of)
	return m
}

// EachPtr is a list of objects without a limit, of which none may be nil.
func EachPtr[T, V any](name string, c Codec[V], of func(*T) *[]*V) Member[T] {
	read, write := newOf(c.Read), c.Write
	return Value(name,
		func(d *Reader, list *[]*V) error { return List(d, list, 0, read) },
		func(w *Writer, name string, list []*V) { WritePointers(w, name, list, write) }, of)
}

// OptEachPtr is [EachPtr] that is left out when empty.
func OptEachPtr[T, V any](name string, c Codec[V], of func(*T) *[]*V) Member[T] {
	m := EachPtr(name, c, of)
	m.Write = unlessEmpty(m.Write, of)
	return m
}

func unlessEmpty[T, E any](write func(*Writer, string, *T), of func(*T) *[]E) func(*Writer, string, *T) {
	return func(w *Writer, name string, v *T) {
		if len(*of(v)) > 0 {
			write(w, name, v)
		}
	}
}

// Num is a whole number of 32 bits.
func Num[T any](name string, of func(*T) *int) Member[T] {
	return Value(name, Int32, func(w *Writer, name string, n int) { w.Int(name, int64(n)) }, of)
}

// PtrNum is a whole number of 32 bits that is left out when nil.
func PtrNum[T any](name string, of func(*T) **int) Member[T] {
	return Value(name, newOf(Int32), (*Writer).OptInt, of)
}
