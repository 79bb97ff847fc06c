// SPDX-License-Identifier: Apache-2.0

package jsonio

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// An Object says how a JSON object becomes a T, and a T a JSON object. When one is read, its members may come in any
// order; those it does not know are skipped. They are written in the order of the table.
type Object[T any] struct {
	// Members has at most 64.
	Members []Member[T]
	// Snake says that members may have their names in snake_case instead, as in ProtoJSON. One that is there in
	// both spellings is refused, even when it is null.
	Snake bool
	// Unknown notes that a member was skipped; nil does nothing.
	Unknown func(*T)
	// ByHand writes an object in place of the table, where speed counts; nil writes by the table.
	ByHand func(*Writer, *T)
	// Finish checks and completes what was read after the last member; nil does nothing.
	Finish func(*Reader, *T) error
}

// Read reads one object.
func (o *Object[T]) Read(d *Reader, v *T) error {
	if d.PeekKind() != '{' {
		return WrongType(d, "an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var seen uint64
	next := 0 // most peers send members in the order of the table
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		i := o.index(name, next)
		if i < 0 {
			if _, err := Raw(d); err != nil {
				return err
			}
			if o.Unknown != nil {
				o.Unknown(v)
			}
			continue
		}
		next = i + 1
		m := &o.Members[i]
		null := d.PeekKind() == 'n' && !m.Nullable
		if !null || o.Snake {
			if m.Of != "" {
				i = slices.IndexFunc(o.Members, func(other Member[T]) bool { return other.Name == m.Of })
			}
			if seen&(1<<i) != 0 { // the decoder has refused two of the same name
				return o.twice(d, i)
			}
			seen |= 1 << i
		}
		if null {
			_, err = d.ReadToken()
		} else {
			err = m.Read(d, v)
		}
		if err != nil {
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

// twice faults a member that is there by two names.
func (o *Object[T]) twice(d *Reader, i int) error {
	if o.Snake {
		return &fault{Twice, d.StackPointer(), "appears twice, by two names: send one of them"}
	}
	if _, err := Raw(d); err != nil {
		return err
	}
	return Invalid(d, "is there by two names: send "+o.Members[i].Name+" alone")
}

// ReadNew reads one object into a new T.
func (o *Object[T]) ReadNew(d *Reader, p **T) error {
	*p = new(T)
	return o.Read(d, *p)
}

// Write writes one object.
func (o *Object[T]) Write(w *Writer, v *T) {
	if o.ByHand != nil {
		o.ByHand(w, v)
		return
	}
	w.Begin()
	for i := range o.Members {
		if m := &o.Members[i]; m.Write != nil {
			m.Write(w, m.Name, v)
		}
	}
	w.End()
}

// index returns that of the member that the quoted name means, or -1. It is looked for from next on first.
func (o *Object[T]) index(quoted jsontext.Value, next int) int {
	name := []byte(quoted[1 : len(quoted)-1])
	if i := o.indexOf(name, next); i >= 0 {
		return i
	}
	escaped := bytes.IndexByte(name, '\\') >= 0
	if escaped {
		name, _ = jsontext.AppendUnquote(nil, quoted) // the decoder has checked it
	}
	snake := o.Snake && bytes.IndexByte(name, '_') >= 0
	if snake {
		name = camelCase(name)
	}
	if !escaped && !snake {
		return -1
	}
	return o.indexOf(name, 0)
}

func (o *Object[T]) indexOf(name []byte, next int) int {
	for i := next; i < len(o.Members); i++ {
		if o.Members[i].Name == string(name) {
			return i
		}
	}
	for i := range next {
		if o.Members[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// camelCase turns snake_case, as protobuf writes it, into camelCase. A name that is not snake_case matches no member,
// so nil is returned for it.
func camelCase(snake []byte) []byte {
	camel := make([]byte, 0, len(snake))
	upper := false
	for i, c := range snake {
		switch {
		case c == '_' && i > 0 && !upper:
			upper = true
		case upper && 'a' <= c && c <= 'z':
			camel = append(camel, c-'a'+'A')
			upper = false
		case !upper && ('a' <= c && c <= 'z' || '0' <= c && c <= '9'):
			camel = append(camel, c)
		default:
			return nil
		}
	}
	if upper {
		return nil
	}
	return camel
}
