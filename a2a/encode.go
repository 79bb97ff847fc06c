// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A writer appends JSON to a buffer. It remembers its first error and goes on, so that the functions that write an
// object read like the object; what they wrote after an error is thrown away.
type writer struct {
	buf   []byte
	start int // where our JSON starts in buf
	err   error
}

func newWriter(dst []byte) writer { return writer{buf: dst, start: len(dst)} }

// result returns the extended buffer, or the buffer as it was and the error.
func (w *writer) result() ([]byte, error) {
	if w.err != nil {
		return w.buf[:w.start], w.err
	}
	return w.buf, nil
}

// fail records that the value about to be written cannot be.
func (w *writer) fail(why string) {
	if w.err == nil {
		w.err = fmt.Errorf("a2a: cannot encode: %s %s", w.path(), why)
	}
}

// path names the member whose value comes next. It reads back what was written: errors are rare, so the way to a
// value is not kept while all goes well.
func (w *writer) path() string {
	written := append(bytes.Clone(w.buf[w.start:]), "null"...)
	d := jsontext.NewDecoder(bytes.NewReader(written))
	for {
		if _, err := d.ReadToken(); err != nil {
			break
		}
	}
	if field := fieldOf(d, d.StackPointer(), 0); field != "" {
		return field
	}
	return "the value"
}

func (w *writer) begin() { w.buf = append(w.buf, '{') }
func (w *writer) end()   { w.buf = append(w.buf, '}') }

// key starts a member. No value ends in an opening brace, so the last byte tells whether it is the object's first.
func (w *writer) key(name string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

// freeKey starts a member whose name is data: it may hold anything.
func (w *writer) freeKey(name string) {
	if w.buf[len(w.buf)-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.text(name)
	w.buf = append(w.buf, ':')
}

// elem starts an element of an array.
func (w *writer) elem() {
	if w.buf[len(w.buf)-1] != '[' {
		w.buf = append(w.buf, ',')
	}
}

// text writes a JSON string.
func (w *writer) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			w.quote(s)
			return
		}
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, s...)
	w.buf = append(w.buf, '"')
}

func (w *writer) quote(s string) {
	if !utf8.ValidString(s) {
		w.fail("holds invalid UTF-8; send bytes as raw instead of text")
		s = ""
	}
	w.buf, _ = jsontext.AppendQuote(w.buf, s) // its only error is invalid UTF-8
}

// str writes a required string, optStr one that is left out when empty, ptrStr one that is left out when nil.
func (w *writer) str(name, s string) {
	w.key(name)
	w.text(s)
}

func (w *writer) optStr(name, s string) {
	if s != "" {
		w.str(name, s)
	}
}

func (w *writer) ptrStr(name string, s *string) {
	if s != nil {
		w.str(name, *s)
	}
}

func (w *writer) optBool(name string, b bool) {
	if b {
		w.key(name)
		w.buf = append(w.buf, "true"...)
	}
}

func (w *writer) ptrBool(name string, b *bool) {
	if b == nil {
		return
	}
	w.key(name)
	if *b {
		w.buf = append(w.buf, "true"...)
	} else {
		w.buf = append(w.buf, "false"...)
	}
}

func (w *writer) int32(name string, n int) {
	w.key(name)
	if int(int32(n)) != n {
		w.fail("does not fit 32 bits")
	}
	w.buf = strconv.AppendInt(w.buf, int64(n), 10)
}

func (w *writer) ptrInt32(name string, n *int) {
	if n != nil {
		w.int32(name, *n)
	}
}

func (w *writer) enum(names []string, n int32) {
	if n < 0 || int(n) >= len(names) {
		w.fail(fmt.Sprintf("is %d, which no name stands for", n))
		n = 0
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, names[n]...)
	w.buf = append(w.buf, '"')
}

// optTime writes a timestamp in UTC with exactly three digits after the second; what is finer is cut off (A2A 1.0 §5.6.1).
// A zero time is left out.
func (w *writer) optTime(name string, t time.Time) {
	if t.Truncate(time.Millisecond).IsZero() { // what would be read as the zero time
		return
	}
	w.key(name)
	t = t.UTC()
	year, month, day := t.Date()
	if year < 1 || year > 9999 {
		w.fail("is not in the years 1 to 9999")
		return
	}
	hour, minute, second := t.Clock()
	w.buf = append(w.buf, '"')
	w.digits(year, 4, '-')
	w.digits(int(month), 2, '-')
	w.digits(day, 2, 'T')
	w.digits(hour, 2, ':')
	w.digits(minute, 2, ':')
	w.digits(second, 2, '.')
	w.digits(t.Nanosecond()/1e6, 3, 'Z')
	w.buf = append(w.buf, '"')
}

// digits writes n with width digits and a byte after it.
func (w *writer) digits(n, width int, after byte) {
	for divisor := [...]int{1, 1, 10, 100, 1000}[width]; divisor > 0; divisor /= 10 {
		w.buf = append(w.buf, '0'+byte(n/divisor%10))
	}
	w.buf = append(w.buf, after)
}

func (w *writer) base64(b []byte) {
	w.buf = append(w.buf, '"')
	w.buf = base64.StdEncoding.AppendEncode(w.buf, b)
	w.buf = append(w.buf, '"')
}

// strs writes a required list of strings, which is [] when empty; optStrs one that is left out when empty.
func (w *writer) strs(name string, list []string) { writeStrings(w, name, list) }

func (w *writer) optStrs(name string, list []string) {
	if len(list) > 0 {
		writeStrings(w, name, list)
	}
}

func writeStrings[S ~string](w *writer, name string, list []S) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for _, s := range list {
		w.elem()
		w.text(string(s))
	}
	w.buf = append(w.buf, ']')
}

// writeList writes a required list, which is [] when empty; writeOptList one that is left out when empty. write is a
// method of the writer.
func writeList[T any](w *writer, name string, list []T, write func(*writer, *T)) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for i := range list {
		w.elem()
		write(w, &list[i])
	}
	w.buf = append(w.buf, ']')
}

func writeOptList[T any](w *writer, name string, list []T, write func(*writer, *T)) {
	if len(list) > 0 {
		writeList(w, name, list, write)
	}
}

// writePointers is writeList for pointers: a nil one is an error.
func writePointers[T any](w *writer, name string, list []*T, write func(*writer, *T)) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for _, v := range list {
		w.elem()
		writePointer(w, v, write)
	}
	w.buf = append(w.buf, ']')
}

func writeOptPointers[T any](w *writer, name string, list []*T, write func(*writer, *T)) {
	if len(list) > 0 {
		writePointers(w, name, list, write)
	}
}

// writePointer writes what v points at; nil is an error.
func writePointer[T any](w *writer, v *T, write func(*writer, *T)) {
	if v == nil {
		w.fail("is missing")
		return
	}
	write(w, v)
}

// writeMember writes a required object, writeOptMember one that is left out when nil.
func writeMember[T any](w *writer, name string, v *T, write func(*writer, *T)) {
	w.key(name)
	writePointer(w, v, write)
}

func writeOptMember[T any](w *writer, name string, v *T, write func(*writer, *T)) {
	if v != nil {
		writeMember(w, name, v, write)
	}
}

// writeMap writes a map with its keys sorted, so that the same value always has the same bytes.
func writeMap[M ~map[string]V, V any](w *writer, name string, m M, write func(*writer, V)) {
	w.key(name)
	w.begin()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.freeKey(k)
		write(w, m[k])
	}
	w.end()
}

// metadata writes a Struct; nil is left out, an empty one is written.
func (w *writer) metadata(name string, m Metadata) {
	if m != nil {
		writeMap(w, name, m, (*writer).metadataValue)
	}
}

// raw writes JSON text that came from elsewhere as it is, except that line breaks between its tokens are removed: what
// we write is always one line, because lines end the data of server-sent events.
func (w *writer) raw(v jsontext.Value) { w.nested(v, MaxDepth) }

func (w *writer) metadataValue(v jsontext.Value) { w.nested(v, MaxDepth-1) }

func (w *writer) nested(v jsontext.Value, levels int) {
	switch {
	case !v.IsValid():
		w.fail("is not valid JSON")
	case depthOf(v) > levels:
		w.fail(tooDeep)
	case bytes.ContainsAny(v, "\r\n"):
		w.buf, _ = jsontext.AppendFormat(w.buf, v, jsontext.PreserveRawStrings(true)) // it is valid
	default:
		w.buf = append(w.buf, v...)
	}
}

// appendJSON is AppendJSON of every type.
func appendJSON[T any](dst []byte, v *T, write func(*writer, *T)) ([]byte, error) {
	w := newWriter(Grow(dst, v))
	writePointer(&w, v, write)
	return w.result()
}

// writeValue writes what marshal returns to a json/v2 encoder.
func writeValue(e *jsontext.Encoder, marshal func() ([]byte, error)) error {
	b, err := marshal()
	if err != nil {
		return err
	}
	return e.WriteValue(b)
}

// clip shortens text from a peer to what an error message can bear.
func clip(s string) string {
	const most = 256
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
