// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ordered is a map that keeps the order in which its keys came, also as a JSON object. A list makes ranging fast.
type ordered[V any] struct {
	m           map[string]*entry[V]
	first, last *entry[V]
	count       int // of entries that ever were
}

// An entry that was deleted still leads to what came after it, for those who are about to go there.
type entry[V any] struct {
	key        string
	v          V
	n          int // it is the nth that ever was
	gone       bool
	prev, next *entry[V]
}

func newOrdered[V any]() *ordered[V] { return &ordered[V]{m: make(map[string]*entry[V])} }

func (o *ordered[V]) get(key string) V {
	if e := o.m[key]; e != nil {
		return e.v
	}
	var none V
	return none
}

func (o *ordered[V]) len() int { return len(o.m) }

// set puts a value under a key, at the end when the key is new.
func (o *ordered[V]) set(key string, v V) {
	if e := o.m[key]; e != nil {
		e.v = v
		return
	}
	o.count++
	e := &entry[V]{key: key, v: v, n: o.count, prev: o.last}
	if o.last == nil {
		o.first = e
	} else {
		o.last.next = e
	}
	o.last, o.m[key] = e, e
}

func (o *ordered[V]) delete(key string) {
	e := o.m[key]
	if e == nil {
		return
	}
	delete(o.m, key)
	e.gone = true
	if e.prev == nil {
		o.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		o.last = e.prev
	} else {
		e.next.prev = e.prev
	}
}

// all ranges over what was there when it began, without what was deleted meanwhile.
func (o *ordered[V]) all() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		upto := o.count
		for e := o.first; e != nil && e.n <= upto; e = e.next {
			if !e.gone && !yield(e.key, e.v) {
				return
			}
		}
	}
}

// MarshalJSONTo writes an object whose members are in order.
func (o *ordered[V]) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for key, v := range o.all() {
		if err := e.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, v); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads what MarshalJSONTo wrote.
func (o *ordered[V]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*o = *newOrdered[V]()
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		var v V
		if err := json.UnmarshalDecode(d, &v); err != nil {
			return err
		}
		o.set(name, v)
	}
	_, err := d.ReadToken()
	return err
}
