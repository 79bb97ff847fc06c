// SPDX-License-Identifier: Apache-2.0

package jsonio

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
)

// A Writer appends JSON, in one line, to a buffer. It remembers its first error and goes on, so that the functions
// that write an object read like the object; what they wrote after an error is thrown away.
type Writer struct {
	buf   []byte
	start int // where our JSON starts in buf
	err   error
}

// Append appends what write writes of v. After an error dst is as it was.
func Append[T any](dst []byte, v T, write func(*Writer, T)) ([]byte, error) {
	w := Writer{buf: dst, start: len(dst)}
	write(&w, v)
	if w.err != nil {
		return w.buf[:w.start], w.err
	}
	return w.buf, nil
}

// Fail records that the value about to be written cannot be.
func (w *Writer) Fail(why string) {
	if w.err == nil {
		w.err = fmt.Errorf("cannot encode: %s %s", w.path(), why)
	}
}

// path names the member whose value comes next. It reads back what was written: errors are rare, so the way to a
// value is not kept while all goes well.
func (w *Writer) path() string {
	d := jsontext.NewDecoder(bytes.NewReader(append(bytes.Clone(w.buf[w.start:]), "null"...)))
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

// Begin starts an object.
func (w *Writer) Begin() { w.buf = append(w.buf, '{') }

// End ends an object.
func (w *Writer) End() { w.buf = append(w.buf, '}') }

// comma goes before a member or an element unless it is the first: no value ends in an opening brace or bracket,
// and only these two are a brace with that bit set.
func (w *Writer) comma() {
	if w.buf[len(w.buf)-1]|('{'^'[') != '{' {
		w.buf = append(w.buf, ',')
	}
}

// Key starts a member whose name is plain ASCII.
func (w *Writer) Key(name string) {
	w.comma()
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

// Text writes a string as a value.
func (w *Writer) Text(s string) {
	for i := range len(s) {
		if !plain[s[i]] {
			w.quote(s)
			return
		}
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, s...)
	w.buf = append(w.buf, '"')
}

// plain has the bytes that stand in a JSON string as they are.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

func (w *Writer) quote(s string) {
	if !utf8.ValidString(s) {
		w.Fail("holds invalid UTF-8; send bytes as raw instead of text")
		s = ""
	}
	w.buf, _ = jsontext.AppendQuote(w.buf, s) // its only error is invalid UTF-8
}

// Const writes a member whose value is a plain ASCII string that needs no escapes.
func (w *Writer) Const(name, value string) {
	w.Key(name)
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, value...)
	w.buf = append(w.buf, '"')
}

// Str writes a string.
func (w *Writer) Str(name, s string) {
	w.Key(name)
	w.Text(s)
}

// OptStr writes a string that is left out when empty.
func (w *Writer) OptStr(name, s string) {
	if s != "" {
		w.Str(name, s)
	}
}

// PtrStr writes a string that is left out when nil.
func (w *Writer) PtrStr(name string, s *string) {
	if s != nil {
		w.Str(name, *s)
	}
}

// Bool writes a boolean.
func (w *Writer) Bool(name string, b bool) {
	w.Key(name)
	w.buf = strconv.AppendBool(w.buf, b)
}

// OptBool writes a boolean that is left out when false.
func (w *Writer) OptBool(name string, b bool) {
	if b {
		w.Bool(name, b)
	}
}

// PtrBool writes a boolean that is left out when nil.
func (w *Writer) PtrBool(name string, b *bool) {
	if b != nil {
		w.Bool(name, *b)
	}
}

// Int writes a whole number.
func (w *Writer) Int(name string, n int64) {
	w.Key(name)
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// OptInt writes a whole number that is left out when nil.
func (w *Writer) OptInt(name string, n *int) {
	if n != nil {
		w.Int(name, int64(*n))
	}
}

// Base64 writes bytes in standard base64 with padding.
func (w *Writer) Base64(name string, b []byte) {
	w.Key(name)
	w.buf = append(w.buf, '"')
	w.buf = base64.StdEncoding.AppendEncode(w.buf, b)
	w.buf = append(w.buf, '"')
}

// OptTime writes a timestamp in UTC with exactly three digits after the second; what is finer is cut off. A zero
// time is left out.
func (w *Writer) OptTime(name string, t time.Time) {
	if t.Truncate(time.Millisecond).IsZero() { // what would be read as the zero time
		return
	}
	w.Key(name)
	t = t.UTC()
	year, month, day := t.Date()
	if year < 1 || year > 9999 {
		w.Fail("is not in the years 1 to 9999")
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
func (w *Writer) digits(n, width int, after byte) {
	for divisor := [...]int{1, 1, 10, 100, 1000}[width]; divisor > 0; divisor /= 10 {
		w.buf = append(w.buf, '0'+byte(n/divisor%10))
	}
	w.buf = append(w.buf, after)
}

// WriteList writes an array, each element by write. It is the value of a member; without a name it is the whole
// document.
func WriteList[T any](w *Writer, name string, list []T, write func(*Writer, T)) {
	w.beginList(name)
	for _, v := range list {
		w.comma()
		write(w, v)
	}
	w.buf = append(w.buf, ']')
}

// WriteEach is WriteList for functions that take a pointer.
func WriteEach[T any](w *Writer, name string, list []T, write func(*Writer, *T)) {
	w.beginList(name)
	for i := range list {
		w.comma()
		write(w, &list[i])
	}
	w.buf = append(w.buf, ']')
}

// WritePointers is WriteList for pointers of which none may be nil.
func WritePointers[T any](w *Writer, name string, list []*T, write func(*Writer, *T)) {
	w.beginList(name)
	for _, v := range list {
		w.comma()
		if v == nil {
			w.Fail("is missing")
			return
		}
		write(w, v)
	}
	w.buf = append(w.buf, ']')
}

func (w *Writer) beginList(name string) {
	if name != "" {
		w.Key(name)
	}
	w.buf = append(w.buf, '[')
}

// WritePointer writes what v points at; nil is an error.
func WritePointer[T any](w *Writer, v *T, write func(*Writer, *T)) {
	if v == nil {
		w.Fail("is missing")
		return
	}
	write(w, v)
}

// WriteMap writes the value of a member that is a map, its keys sorted, so that the same value always has the same
// bytes.
func WriteMap[M ~map[string]V, V any](w *Writer, m M, write func(*Writer, V)) {
	w.Begin()
	writeMembers(w, m, write)
	w.End()
}

func writeMembers[M ~map[string]V, V any](w *Writer, m M, write func(*Writer, V)) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.comma()
		w.Text(k)
		w.buf = append(w.buf, ':')
		write(w, m[k])
	}
}

// WriteStrs writes a list of strings.
func WriteStrs[S ~string](w *Writer, name string, list []S) {
	w.Key(name)
	w.buf = append(w.buf, '[')
	for _, s := range list {
		w.comma()
		w.Text(string(s))
	}
	w.buf = append(w.buf, ']')
}

// WriteOptStrs writes a list of strings that is left out when empty.
func WriteOptStrs[S ~string](w *Writer, name string, list []S) {
	if len(list) > 0 {
		WriteStrs(w, name, list)
	}
}

// Raw writes JSON text that came from elsewhere as it is, except that line breaks between its tokens are removed:
// lines end the data of server-sent events.
func (w *Writer) Raw(v jsontext.Value) { w.nested(v, MaxDepth) }

func (w *Writer) nested(v jsontext.Value, levels int) {
	switch {
	case !v.IsValid():
		w.Fail("is not valid JSON")
	case Depth(v) > levels:
		w.Fail(TooDeep)
	case bytes.ContainsAny(v, "\r\n"):
		w.buf, _ = jsontext.AppendFormat(w.buf, v, jsontext.PreserveRawStrings(true)) // it is valid
	default:
		w.buf = append(w.buf, v...)
	}
}

// Members writes metadata as members of the object that is open.
func (w *Writer) Members(m map[string]jsontext.Value) { writeMembers(w, m, (*Writer).metadataValue) }

// OptMetadata writes an object of any values that is left out when nil.
func (w *Writer) OptMetadata(name string, m map[string]jsontext.Value) {
	if m != nil {
		w.metadata(name, m)
	}
}

func (w *Writer) metadata(name string, m map[string]jsontext.Value) {
	w.Key(name)
	w.Begin()
	w.Members(m)
	w.End()
}

func (w *Writer) metadataValue(v jsontext.Value) { w.nested(v, MaxDepth-1) }
