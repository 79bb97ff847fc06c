// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// String reads a string.
func String[S ~string](d *Reader, p *S) error {
	if d.PeekKind() != '"' {
		return WrongType(d, "a string")
	}
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		*p = S(quoted[1 : len(quoted)-1])
		return nil
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted) // the result is never longer
	*p = S(text)
	return err
}

// Strings reads a list of strings.
func Strings[S ~string](d *Reader, list *[]S) error { return List(d, list, 0, String) }

// New reads a value into a new T.
func New[T any](d *Reader, p **T, read func(*Reader, *T) error) error {
	*p = new(T)
	return read(d, *p)
}

// Bool reads true or false.
func Bool(d *Reader, p *bool) error {
	if kind := d.PeekKind(); kind != 't' && kind != 'f' {
		return WrongType(d, "true or false")
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	*p = token.Bool()
	return nil
}

// Int reads a whole number from -limit to limit, which is below 2^53; 1.0 and 1e0 are whole.
func Int(d *Reader, p *int64, limit int64) error {
	if d.PeekKind() != '0' {
		return WrongType(d, "a whole number")
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	f, _ := strconv.ParseFloat(token.String(), 64) // beyond its range it is infinite; within the limit it is exact
	switch {
	case f < -float64(limit) || f > float64(limit):
		return Invalid(d, "must be "+strconv.FormatInt(-limit, 10)+" to "+strconv.FormatInt(limit, 10))
	case f != math.Trunc(f):
		return Invalid(d, "must be a whole number")
	}
	*p = int64(f)
	return nil
}

// Int32 is [Int] for numbers of 32 bits.
func Int32(d *Reader, p *int) error {
	var n int64
	err := Int(d, &n, math.MaxInt32)
	*p = int(n)
	return err
}

// Raw reads any value of at most [MaxDepth] levels. It belongs to the decoder and lasts until the next read.
func Raw(d *Reader) (jsontext.Value, error) { return RawOf(d, MaxDepth) }

// RawOf is Raw for values of another depth.
func RawOf(d *Reader, levels int) (jsontext.Value, error) {
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	if Depth(v) > levels {
		return nil, &fault{TooNested, d.StackPointer(), TooDeep}
	}
	return v, nil
}

// Map reads an object whose names are data. An empty one leaves the map as it is.
func Map[M ~map[string]V, V any](d *Reader, m *M, read func(*Reader, *V) error) error {
	if d.PeekKind() != '{' {
		return WrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		var value V
		if err := read(d, &value); err != nil {
			return err
		}
		if *m == nil {
			*m = make(M)
		}
		(*m)[key] = value
	}
	_, err := d.ReadToken()
	return err
}

// Metadata reads an object of any values, whose text is kept. An empty one is not nil.
func Metadata[M ~map[string]jsontext.Value](d *Reader, m *M) error {
	*m = M{}
	return Map(d, m, metadataValue)
}

func metadataValue(d *Reader, v *jsontext.Value) error {
	raw, err := RawOf(d, MaxDepth-1)
	*v = raw.Clone()
	return err
}

// List reads an array. It is refused at the first element over the limit, because many times as many would fit into a
// body; a limit of 0 is none. An empty array is a nil slice.
func List[E any](d *Reader, list *[]E, limit int, read func(*Reader, *E) error) error {
	if d.PeekKind() != '[' {
		return WrongType(d, "an array")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if limit > 0 && len(*list) >= limit {
			return InvalidOuter(d, "must have at most "+strconv.Itoa(limit)+" elements")
		}
		var element E
		if err := read(d, &element); err != nil {
			return err
		}
		*list = append(*list, element)
	}
	_, err := d.ReadToken()
	return err
}

// Base64 reads bytes in base64, standard or URL-safe, padded or not.
func Base64[B ~[]byte](d *Reader, p *B) error {
	if d.PeekKind() != '"' {
		return WrongType(d, "a string")
	}
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	decoded, ok := decodeBase64(text)
	if !ok {
		return Invalid(d, "must be base64, standard or URL-safe")
	}
	*p = decoded
	return nil
}

func decodeBase64(text []byte) ([]byte, bool) {
	if bytes.ContainsAny(text, "\r\n") { // the decoder below would skip them
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(text)%4 == 0 {
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("=")), []byte("="))
	}
	decoded := make([]byte, encoding.DecodedLen(len(text)))
	n, err := encoding.Decode(decoded, text)
	return decoded[:n], err == nil
}

// Time reads a timestamp, see [ParseTime].
func Time(d *Reader, p *time.Time) error {
	var text string
	if err := String(d, &text); err != nil {
		return err
	}
	t, ok := ParseTime(text)
	if !ok {
		return Invalid(d, NoTime)
	}
	*p = t
	return nil
}

// NoTime says what is wrong with a text that [ParseTime] refuses.
const NoTime = "must be an RFC 3339 timestamp, such as 2025-10-28T10:30:00.000Z"

// ParseTime returns the time of a timestamp, in UTC: RFC 3339 with any offset, or with none for UTC, in the years 1
// to 9999.
func ParseTime(text string) (time.Time, bool) {
	if t, ok := parseRFC3339(text); ok {
		return t, true
	}
	return parseRFC3339(text + "Z")
}

func parseRFC3339(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC()
	return t, err == nil && strictRFC3339(text) && t.Year() >= 1 && t.Year() <= 9999
}

// strictRFC3339 reports whether a text that time.Parse took is as RFC 3339 has it: that function also takes an hour
// of one digit, a comma before the fraction, and offsets of 24 hours and 60 minutes (go.dev/issue/54580).
func strictRFC3339(text string) bool {
	if text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	if strings.HasSuffix(text, "Z") {
		return true
	}
	offset := text[len(text)-len("07:00"):]
	return offset[:2] < "24" && offset[3:] < "60"
}
