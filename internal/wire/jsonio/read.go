// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// String reads a string.
func String[S ~string](d *Reader, p *S) error {
	if d.PeekKind() != '"' {
		return wrongType(d, "a string")
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	*p = S(token.String())
	return nil
}

// Bool reads true or false.
func Bool(d *Reader, p *bool) error {
	if kind := d.PeekKind(); kind != 't' && kind != 'f' {
		return wrongType(d, "true or false")
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
		return wrongType(d, "a whole number")
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

// Raw reads any value of at most [a2a.MaxDepth] levels. It belongs to the decoder and lasts until the next read.
func Raw(d *Reader) (jsontext.Value, error) { return RawOf(d, a2a.MaxDepth) }

// RawOf is Raw for values of another depth.
func RawOf(d *Reader, levels int) (jsontext.Value, error) {
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	if Depth(v) > levels {
		return nil, Invalid(d, TooDeep)
	}
	return v, nil
}

// Metadata reads an object of any values, whose text is kept. An empty one is not nil.
func Metadata(d *Reader, m *a2a.Metadata) error {
	if d.PeekKind() != '{' {
		return wrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	*m = a2a.Metadata{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := RawOf(d, a2a.MaxDepth-1)
		if err != nil {
			return err
		}
		(*m)[key] = value.Clone()
	}
	_, err := d.ReadToken()
	return err
}

// List reads an array. It is refused at the first element over the limit, because many times as many would fit into a
// body; a limit of 0 is none. An empty array is a nil slice.
func List[E any](d *Reader, list *[]E, limit int, read func(*Reader, *E) error) error {
	if d.PeekKind() != '[' {
		return wrongType(d, "an array")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if limit > 0 && len(*list) >= limit {
			return &fault{a2a.ErrInvalidParams, d.StackPointer().Parent(), "must have at most " + strconv.Itoa(limit) + " elements"}
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
func Base64(d *Reader, p *[]byte) error {
	if d.PeekKind() != '"' {
		return wrongType(d, "a string")
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

// Time reads a timestamp, see [a2a.ParseTime].
func Time(d *Reader, p *time.Time) error {
	var text string
	if err := String(d, &text); err != nil {
		return err
	}
	t, err := a2a.ParseTime(text)
	if err != nil {
		return Invalid(d, a2a.AsError(err).Message)
	}
	*p = t
	return nil
}
