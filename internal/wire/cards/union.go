// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// appendUnion lays the older forms under that of 1.0. A signed card stays pure when all it would gain is a second form:
// its signatures are dropped, because they cover one form only.
func appendUnion(dst []byte, card *a2a.AgentCard) ([]byte, error) {
	c := *card
	c.Signatures = nil
	united, err := c.AppendJSON(nil)
	if err != nil {
		return dst, err
	}
	for _, write := range oldMembers(&c) {
		text, err := jsonio.Append(nil, &c, write)
		if err != nil {
			return dst, err
		}
		if united, err = appendMerged(nil, united, text); err != nil {
			return dst, fmt.Errorf("cannot encode: %w", err)
		}
	}
	return append(dst, united...), nil
}

// oldMembers returns what writes the old members of a union: those of the generations that the card has interfaces for,
// so that no reader is led to an address that does not speak its language.
func oldMembers(card *a2a.AgentCard) []func(*jsonio.Writer, *a2a.AgentCard) {
	var list []func(*jsonio.Writer, *a2a.AgentCard)
	if places := unionPlaces(card); places != nil {
		list = append(list, func(w *jsonio.Writer, c *a2a.AgentCard) { writeCard03(w, c, Form03, places) })
	}
	if place := interface01(card); place != nil && speaks(Form01, *place) {
		list = append(list, writeCard01)
	}
	return list
}

// unionPlaces returns the interfaces that the members of 0.3 in a union list, the one that is its url first; or nil.
func unionPlaces(card *a2a.AgentCard) []a2a.AgentInterface {
	for _, gen := range []a2a.Generation{a2a.Generation03, a2a.Generation02} {
		if list := ofVersion(card, gen); list != nil {
			return jsonRPCFirst(distinct(list))
		}
	}
	return nil
}

// appendMerged appends the first value with what only the second has: members of objects, also of objects within, and
// of the elements of lists that are equally long. Where both have a value the first counts.
func appendMerged(dst []byte, first, second jsontext.Value) ([]byte, error) {
	kind := first.Kind()
	if kind != second.Kind() || kind != '{' && kind != '[' {
		return append(dst, first...), nil
	}
	a, err := split(first)
	if err != nil {
		return dst, err
	}
	b, err := split(second)
	if err != nil {
		return dst, err
	}
	if kind == '[' {
		return appendMergedList(dst, first, a, b)
	}
	return appendMergedObject(dst, a, b)
}

func appendMergedList(dst []byte, first jsontext.Value, a, b []field) ([]byte, error) {
	if len(a) != len(b) {
		return append(dst, first...), nil
	}
	dst = append(dst, '[')
	for i := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendMerged(dst, a[i].value, b[i].value); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendMergedObject(dst []byte, a, b []field) ([]byte, error) {
	second := make(map[string]jsontext.Value, len(b))
	for _, f := range b {
		second[f.name] = f.value
	}
	dst = append(dst, '{')
	opened := len(dst)
	add := func(name string) {
		if len(dst) > opened {
			dst = append(dst, ',')
		}
		dst, _ = jsontext.AppendQuote(dst, name) // it was read from JSON
		dst = append(dst, ':')
	}
	for _, f := range a {
		add(f.name)
		other, both := second[f.name]
		if !both {
			dst = append(dst, f.value...)
			continue
		}
		delete(second, f.name)
		var err error
		if dst, err = appendMerged(dst, f.value, other); err != nil {
			return dst, err
		}
	}
	for _, f := range b {
		if _, only := second[f.name]; only {
			add(f.name)
			dst = append(dst, f.value...)
		}
	}
	return append(dst, '}'), nil
}

// field is a member of an object, or an element of a list, which has no name.
type field struct {
	name  string
	value jsontext.Value
}

// split takes an object or a list apart.
func split(v jsontext.Value) ([]field, error) {
	d := jsontext.NewDecoder(bytes.NewReader(v))
	open, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	object := open.Kind() == '{'
	var fields []field
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		var f field
		if object {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			f.name = name.String()
		}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		f.value = value.Clone()
		fields = append(fields, f)
	}
	return fields, nil
}
