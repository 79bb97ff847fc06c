// SPDX-License-Identifier: Apache-2.0

package pbvalue

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Converter converts messages and values of the model. It remembers its first error and goes on, so that the
// functions that convert an object read like the object.
type Converter struct {
	values Decoder
	err    error
}

// Decode reads a message and converts it. maxDepth is [Decoder.MaxDepth]. Errors are [*a2a.Error].
func Decode[M proto.Message, T any](maxDepth int, b []byte, m M, convert func(*Converter, M) T) (any, error) {
	if err := proto.Unmarshal(b, m); err != nil {
		name := m.ProtoReflect().Descriptor().FullName()
		return nil, &a2a.Error{
			Kind: a2a.ErrParse, Message: fmt.Sprintf("the message is not a valid %s", name), Cause: err,
		}
	}
	c := Converter{values: Decoder{MaxDepth: maxDepth}}
	v := convert(&c, m)
	if c.err != nil {
		return nil, c.err
	}
	return v, nil
}

// Encode converts a value of the model and returns the bytes of the message.
func Encode[T any, M proto.Message](v T, convert func(*Converter, T) M) ([]byte, error) {
	var c Converter
	m := convert(&c, v)
	if c.err != nil {
		return nil, c.err
	}
	return Marshal(m)
}

// Marshal returns the bytes of a message. They are never nil, so that an empty message is not taken for none.
func Marshal(m proto.Message) ([]byte, error) {
	b, err := proto.Marshal(m)
	if b == nil && err == nil {
		b = []byte{}
	}
	return b, err
}

// Fail records what is wrong with the value that is converted, unless an earlier one was wrong.
func (c *Converter) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Member converts the member of a message, which its errors name.
func Member[From, To any](c *Converter, name string, from From, convert func(*Converter, From) To) To {
	failed := c.err != nil
	to := convert(c, from)
	if !failed && c.err != nil {
		c.err = Within(name, c.err)
	}
	return to
}

// List converts each element of a member that is a list. An error names the element.
func List[From, To any](c *Converter, name string, from []From, convert func(*Converter, From) To) []To {
	if from == nil {
		return nil
	}
	failed := c.err != nil
	to := make([]To, len(from))
	for i, f := range from {
		to[i] = convert(c, f)
		if !failed && c.err != nil {
			c.err = Within(name, Within("["+strconv.Itoa(i)+"]", c.err))
			break
		}
	}
	return to
}

// Metadata converts the member metadata, nil for nil.
func (c *Converter) Metadata(s *structpb.Struct) a2a.Metadata {
	m, err := c.values.Metadata(s)
	if err != nil {
		c.Fail(Within("metadata", err))
	}
	return m
}

// FromMetadata returns metadata as an object, nil for nil.
func (c *Converter) FromMetadata(m a2a.Metadata) *structpb.Struct {
	s, err := FromMetadata(m)
	if err != nil {
		c.Fail(err)
	}
	return s
}

// Value returns the JSON text of the member data.
func (c *Converter) Value(v *structpb.Value) jsontext.Value {
	text, err := c.values.Value(v)
	if err != nil {
		c.Fail(Within("data", err))
	}
	return text
}

// FromValue returns the member data for its JSON text.
func (c *Converter) FromValue(text jsontext.Value) *structpb.Value {
	v, err := FromValue(text)
	if err != nil {
		c.Fail(Within("data", err))
	}
	return v
}

// Time converts a point in time, see [Time].
func (c *Converter) Time(name string, t *timestamppb.Timestamp) time.Time {
	at, err := Time(t)
	if err != nil {
		c.Fail(Within(name, err))
	}
	return at
}

// FromJSON converts a message that has the JSON of 1.0 to the model. It is for what is seldom sent: JSON takes time.
func (c *Converter) FromJSON(m proto.Message, v json.UnmarshalerFrom) {
	text, err := protojson.Marshal(m)
	if err == nil {
		err = (*jsontext.Value)(&text).Compact() // protojson puts in spaces at random
	}
	if err == nil {
		err = a2a.Unmarshal(text, v)
	}
	if err != nil {
		c.Fail(err)
	}
}

// ToJSON is FromJSON the other way round. Members that the message does not have are left out.
func (c *Converter) ToJSON(v interface{ AppendJSON([]byte) ([]byte, error) }, m proto.Message) {
	text, err := v.AppendJSON(nil)
	if err == nil {
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, m)
	}
	if err != nil {
		c.Fail(err)
	}
}

// Within puts the name of a member before the field that an error of this package or of its callers names.
func Within(name string, err error) error {
	e, ok := err.(*a2a.Error)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range e.Violations {
		switch field := &e.Violations[i].Field; {
		case *field == "":
			*field = name
		case (*field)[0] == '[':
			*field = name + *field
		default:
			*field = name + "." + *field
		}
	}
	return e
}
