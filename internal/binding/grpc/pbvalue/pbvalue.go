// SPDX-License-Identifier: Apache-2.0

// Package pbvalue converts between the free-form values of the model and protobuf's well-known types, for the dialects
// of the gRPC binding.
//
// google.protobuf.Value has one kind of number, a double. So a number that goes through gRPC keeps 53 bits: larger
// integers are rounded, and what is beyond the range of a double becomes the largest one; in a card it is an error.
package pbvalue

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Decoder reads values that a peer sent. MaxDepth is how deeply one of them may nest, as [a2a.MaxDepth] counts; 0
// means as deeply as that.
type Decoder struct{ MaxDepth int }

// Metadata returns the object as metadata, nil for nil.
func (d Decoder) Metadata(s *structpb.Struct) (a2a.Metadata, error) {
	if s == nil {
		return nil, nil
	}
	m := make(a2a.Metadata, len(s.GetFields()))
	for name, v := range s.GetFields() {
		text, err := d.append(nil, v, 2)
		if err != nil {
			return nil, err
		}
		m[name] = text
	}
	return m, nil
}

// Value returns the JSON text of a value. One that is not set reads as null.
func (d Decoder) Value(v *structpb.Value) (jsontext.Value, error) { return d.append(nil, v, 1) }

// Struct returns the JSON text of an object; nil reads as an empty one.
func (d Decoder) Struct(s *structpb.Struct) (jsontext.Value, error) {
	return d.append(nil, structpb.NewStructValue(s), 1)
}

func (d Decoder) limit() int {
	if d.MaxDepth == 0 {
		return a2a.MaxDepth
	}
	return d.MaxDepth
}

// append appends the JSON text of a value that lies on a level.
func (d Decoder) append(dst []byte, v *structpb.Value, level int) ([]byte, error) {
	switch v := v.GetKind().(type) {
	case *structpb.Value_NumberValue:
		return appendNumber(dst, v.NumberValue)
	case *structpb.Value_StringValue:
		return appendString(dst, v.StringValue)
	case *structpb.Value_BoolValue:
		return strconv.AppendBool(dst, v.BoolValue), nil
	case *structpb.Value_StructValue:
		return d.appendObject(dst, v.StructValue.GetFields(), level)
	case *structpb.Value_ListValue:
		return d.appendList(dst, v.ListValue.GetValues(), level)
	}
	return append(dst, "null"...), nil
}

func (d Decoder) appendObject(dst []byte, fields map[string]*structpb.Value, level int) (_ []byte, err error) {
	if level > d.limit() {
		return nil, d.tooDeep()
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(fields)) { // one value has one text
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, name); err != nil {
			return nil, err
		}
		dst = append(dst, ':')
		if dst, err = d.append(dst, fields[name], level+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func (d Decoder) appendList(dst []byte, values []*structpb.Value, level int) (_ []byte, err error) {
	if level > d.limit() {
		return nil, d.tooDeep()
	}
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = d.append(dst, v, level+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (d Decoder) tooDeep() error {
	return a2a.NewError(a2a.ErrTooLarge, fmt.Sprintf("a value in the message is nested deeper than the limit of %d "+
		"levels", d.limit()))
}

func appendNumber(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, a2a.InvalidParams("", "holds a number that is not finite")
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(dst, int64(f), 10), nil // as most numbers are written; -0 becomes 0
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64), nil
}

func appendString(dst []byte, s string) ([]byte, error) {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return nil, a2a.InvalidParams("", "holds text that is not UTF-8")
	}
	return quoted, nil
}

// FromMetadata returns metadata as an object, nil for nil.
func FromMetadata(m a2a.Metadata) (*structpb.Struct, error) {
	if m == nil {
		return nil, nil
	}
	fields := make(map[string]*structpb.Value, len(m))
	for name, text := range m {
		v, err := FromValue(text)
		if err != nil {
			return nil, fmt.Errorf("metadata[%q]: %w", name, err)
		}
		fields[name] = v
	}
	return &structpb.Struct{Fields: fields}, nil
}

// FromValue returns a value for its JSON text.
func FromValue(text jsontext.Value) (*structpb.Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	v, err := read(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("more follows after the JSON value: %w", err)
	}
	return v, nil
}

func read(d *jsontext.Decoder) (*structpb.Value, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 't', 'f':
		return structpb.NewBoolValue(t.Bool()), nil
	case '"':
		return structpb.NewStringValue(t.String()), nil
	case '0':
		return structpb.NewNumberValue(number(t.String())), nil
	case '{':
		return readObject(d)
	case '[':
		return readList(d)
	}
	return structpb.NewNullValue(), nil
}

// number reads a JSON number, saturating what is too large.
func number(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return min(max(f, -math.MaxFloat64), math.MaxFloat64)
}

func readObject(d *jsontext.Decoder) (*structpb.Value, error) {
	fields := map[string]*structpb.Value{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // the token holds no longer than until the next one
		v, err := read(d)
		if err != nil {
			return nil, err
		}
		fields[key] = v
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: fields}), nil
}

func readList(d *jsontext.Decoder) (*structpb.Value, error) {
	var values []*structpb.Value
	for d.PeekKind() != ']' {
		v, err := read(d)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return structpb.NewListValue(&structpb.ListValue{Values: values}), nil
}

// Time returns a point in time, the zero one for nil.
func Time(t *timestamppb.Timestamp) (time.Time, error) {
	if t == nil {
		return time.Time{}, nil
	}
	if err := t.CheckValid(); err != nil {
		return time.Time{}, a2a.InvalidParams("", "is not a point in time between the years 1 and 9999")
	}
	return t.AsTime(), nil
}

// FromTime returns a timestamp, nil for the zero time.
func FromTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// Int32 returns n as the wire has it. It clamps larger and smaller numbers to the range of an int32.
func Int32(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// Strings converts between lists of names of different types.
func Strings[From, To ~string](from []From) []To {
	if from == nil {
		return nil
	}
	to := make([]To, len(from))
	for i, f := range from {
		to[i] = To(f)
	}
	return to
}
