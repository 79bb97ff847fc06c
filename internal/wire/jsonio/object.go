// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Reader is what values are read from. It stands before a value when a read function gets it, after it on return.
type Reader = jsontext.Decoder

// An Object says how a JSON object becomes a T. Members it does not know are skipped.
type Object[T any] struct {
	Members []Member[T]
	// Finish checks and completes what was read after the last member; nil does nothing.
	Finish func(*Reader, *T) error
}

// A Member says how one member of a JSON object gets into a T. The value null counts as absent.
type Member[T any] struct {
	Name string
	// Of is the name of the member of which Name is another; both at once are refused. Objects with such members have at
	// most 64.
	Of   string
	Read func(*Reader, *T) error
}

// Read reads one object. Its members may come in any order.
func (o *Object[T]) Read(d *Reader, v *T) error {
	if d.PeekKind() != '{' {
		return wrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var seen uint64
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := o.readMember(d, v, name, &seen); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if o.Finish == nil {
		return nil
	}
	return o.Finish(d, v)
}

// ReadNew reads one object into a new T.
func (o *Object[T]) ReadNew(d *Reader, p **T) error {
	*p = new(T)
	return o.Read(d, *p)
}

func (o *Object[T]) readMember(d *Reader, v *T, name jsontext.Value, seen *uint64) error {
	i := o.index(name)
	switch {
	case i < 0:
		_, err := Raw(d)
		return err
	case d.PeekKind() == 'n':
		_, err := d.ReadToken()
		return err
	}
	m := &o.Members[i]
	if m.Of != "" {
		i = slices.IndexFunc(o.Members, func(other Member[T]) bool { return other.Name == m.Of })
	}
	bit := uint64(1) << i
	if *seen&bit != 0 { // the decoder has refused two of the same name
		if _, err := Raw(d); err != nil {
			return err
		}
		return Invalid(d, "is there by two names: send "+o.Members[i].Name+" alone")
	}
	*seen |= bit
	return m.Read(d, v)
}

// index returns that of the member that the quoted name means, or -1.
func (o *Object[T]) index(quoted jsontext.Value) int {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	for i := range o.Members {
		if o.Members[i].Name == string(name) {
			return i
		}
	}
	return -1
}
