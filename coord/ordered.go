// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ordered is a map that keeps the order in which its keys came. In JSON it is an object in that order.
type ordered[V any] struct {
	keys []string
	m    map[string]V
}

func newOrdered[V any]() *ordered[V] { return &ordered[V]{m: make(map[string]V)} }

func (o *ordered[V]) get(key string) V { return o.m[key] }

func (o *ordered[V]) has(key string) bool {
	_, ok := o.m[key]
	return ok
}

func (o *ordered[V]) len() int { return len(o.keys) }

// set puts a value under a key, at the end when the key is new.
func (o *ordered[V]) set(key string, v V) {
	if !o.has(key) {
		o.keys = append(o.keys, key)
	}
	o.m[key] = v
}

func (o *ordered[V]) delete(key string) {
	if i := slices.Index(o.keys, key); i >= 0 {
		o.keys = slices.Delete(o.keys, i, i+1)
		delete(o.m, key)
	}
}

// all ranges over what was there when it began, without what was deleted meanwhile.
func (o *ordered[V]) all() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Clone(o.keys) {
			if v, ok := o.m[key]; ok && !yield(key, v) {
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
	for _, key := range o.keys {
		if err := e.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, o.m[key]); err != nil {
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
