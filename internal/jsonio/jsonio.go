// SPDX-License-Identifier: Apache-2.0

// Package jsonio is the JSON engine of the model and of its dialects: a table for each object that is read,
// functions that append to a buffer for each that is written. It is strict where JSON is (duplicate names, UTF-8,
// depth), keeps the text of values of free form, and names in its errors the field that is wrong, as the peer wrote
// it. It knows no type of A2A.
package jsonio

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deeply a value of free form may nest.
const MaxDepth = 100

// TooDeep says what is wrong with a value of more than [MaxDepth] levels.
var TooDeep = fmt.Sprintf("nests deeper than %d levels", MaxDepth)

// A Reader is what values are read from. It stands before a value when a read function gets it, after it on return.
type Reader = jsontext.Decoder

var (
	readers = sync.Pool{New: func() any { return jsontext.NewDecoder(noInput) }}
	noInput = strings.NewReader("")
)

// Open returns a reader of data, which must not change until [Close].
func Open(data []byte) *Reader {
	d := readers.Get().(*Reader)
	d.Reset(bytes.NewBuffer(data)) // decodes in place: no copy of data is made
	return d
}

// Close lets go of the data of a reader and keeps the reader for the next [Open].
func Close(d *Reader) {
	d.Reset(noInput)
	readers.Put(d)
}

// End returns an error unless nothing follows the value that was read last.
func End(d *Reader) error {
	switch _, err := d.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return &Error{Problem: BadSyntax, Why: "more follows after the value ends"}
}

// Decode reads data, all of it, into v. Nothing that the functions of this package read shares memory with data,
// except what [Raw] returns. Errors are those of [Explain]; after one v is undefined.
func Decode[T any](data []byte, v *T, read func(*Reader, *T) error) error {
	d := Open(data)
	defer Close(d)
	err := read(d, v)
	if err == nil {
		err = End(d)
	}
	return Explain(d, 0, err)
}

// Depth returns how deeply a valid JSON value nests: 0 for a scalar, 1 for [], 2 for [{}].
func Depth(v jsontext.Value) int {
	if kind := v.Kind(); kind != '{' && kind != '[' {
		return 0
	}
	open, deepest := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		case '"':
			i = endOfString(v, i)
		}
	}
	return deepest
}

// endOfString returns the index of the quote that ends the string starting at i.
func endOfString(v jsontext.Value, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i
}

// Clip shortens text of a peer to what an error message can bear: 256 bytes.
func Clip(s string) string {
	const most = 256
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
