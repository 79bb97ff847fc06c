// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"

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
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := o.readMember(d, v, name); err != nil {
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

func (o *Object[T]) readMember(d *Reader, v *T, name jsontext.Value) error {
	m := o.member(name)
	switch {
	case m == nil:
		_, err := Raw(d)
		return err
	case d.PeekKind() == 'n':
		_, err := d.ReadToken()
		return err
	}
	return m.Read(d, v)
}

// member returns the member that the quoted name means, or nil.
func (o *Object[T]) member(quoted jsontext.Value) *Member[T] {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	for i := range o.Members {
		if o.Members[i].Name == string(name) {
			return &o.Members[i]
		}
	}
	return nil
}
