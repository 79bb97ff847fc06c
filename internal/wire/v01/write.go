// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A writer appends JSON to a buffer. It keeps its first error and goes on, so that what writes an object reads like the
// object; what came after an error is thrown away.
type writer struct {
	buf   []byte
	start int
	err   error
}

// appendValue appends what write writes of v. After an error dst is as it was.
func appendValue[T any](dst []byte, v T, write func(*writer, T)) ([]byte, error) {
	w := writer{buf: dst, start: len(dst)}
	write(&w, v)
	if w.err != nil {
		return w.buf[:w.start], w.err
	}
	return w.buf, nil
}

func (w *writer) fail(why string) {
	if w.err == nil {
		w.err = fmt.Errorf("cannot encode for version 0.1: %s", why)
	}
}

func (w *writer) begin() { w.buf = append(w.buf, '{') }
func (w *writer) end()   { w.buf = append(w.buf, '}') }

// comma goes before a member or an element unless it is the first: no value ends in an opening brace or bracket.
func (w *writer) comma() {
	if c := w.buf[len(w.buf)-1]; c != '{' && c != '[' {
		w.buf = append(w.buf, ',')
	}
}

// key starts a member.
func (w *writer) key(name string) {
	w.comma()
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

func (w *writer) text(s string) {
	if !utf8.ValidString(s) {
		w.fail("a text holds invalid UTF-8; send bytes as raw instead")
		s = ""
	}
	w.buf, _ = jsontext.AppendQuote(w.buf, s) // its only error is invalid UTF-8
}

// str writes a string, optStr one that is left out when empty.
func (w *writer) str(name, s string) {
	w.key(name)
	w.text(s)
}

func (w *writer) optStr(name, s string) {
	if s != "" {
		w.str(name, s)
	}
}

func (w *writer) bool(name string, b bool) {
	w.key(name)
	w.buf = strconv.AppendBool(w.buf, b)
}

func (w *writer) optBool(name string, b bool) {
	if b {
		w.bool(name, b)
	}
}

func (w *writer) int(name string, n int) {
	w.key(name)
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
}

// optInt writes a number, which is left out when nil.
func (w *writer) optInt(name string, n *int) {
	if n != nil {
		w.int(name, *n)
	}
}

func (w *writer) base64(name string, b []byte) {
	w.key(name)
	w.buf = append(w.buf, '"')
	w.buf = base64.StdEncoding.AppendEncode(w.buf, b)
	w.buf = append(w.buf, '"')
}

// optTime writes a timestamp in UTC with milliseconds; a zero one is left out.
func (w *writer) optTime(name string, t time.Time) {
	if t.IsZero() {
		return
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		w.fail("a timestamp is not in the years 1 to 9999")
		return
	}
	w.key(name)
	w.buf = t.AppendFormat(w.buf, `"2006-01-02T15:04:05.000Z"`)
}

// list writes an array, each element by write.
func list[T any](w *writer, name string, elements []T, write func(*writer, T)) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for _, e := range elements {
		w.comma()
		write(w, e)
	}
	w.buf = append(w.buf, ']')
}

// marked writes metadata and what a marker adds to them.
func (w *writer) marked(metadata a2a.Metadata, m marker) {
	metadata, err := m.with(metadata)
	if err != nil {
		w.fail("what belongs into metadata holds invalid UTF-8")
	}
	w.metadata(metadata)
}

// metadata writes metadata with sorted keys; nil ones are left out.
func (w *writer) metadata(metadata a2a.Metadata) {
	if metadata == nil {
		return
	}
	w.key("metadata")
	w.begin()
	for _, k := range slices.Sorted(maps.Keys(metadata)) {
		w.comma()
		w.text(k)
		w.buf = append(w.buf, ':')
		w.raw(metadata[k], a2a.MaxDepth-1)
	}
	w.end()
}

// raw writes JSON text that came from elsewhere as it is, but in one line, because lines end the data of server-sent
// events.
func (w *writer) raw(v jsontext.Value, levels int) {
	switch {
	case !v.IsValid():
		w.fail("data or metadata hold what is not valid JSON")
	case depth(v) > levels:
		w.fail("data or metadata " + tooDeep)
	case bytes.ContainsAny(v, "\r\n"):
		w.buf, _ = jsontext.AppendFormat(w.buf, v, jsontext.PreserveRawStrings(true)) // it is valid
	default:
		w.buf = append(w.buf, v...)
	}
}
