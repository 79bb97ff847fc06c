// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is a JSON value. Numbers keep their text and objects their order.
type node struct {
	kind  jsontext.Kind // as jsontext has them: '"' '0' 't' 'f' 'n' '{' '['
	text  string        // of a string its value, of a number as it is written
	names []string      // of the members of an object
	kids  []*node       // of an object or an array
}

var errNoJSON = errors.New("no JSON")

// parse returns the one value that b holds.
func parse(b []byte) (*node, error) {
	if len(b) == 0 {
		return nil, errNoJSON
	}
	d := jsontext.NewDecoder(bytes.NewReader(b))
	n, err := parseNext(d, maxDepth)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errNoJSON
	}
	return n, nil
}

// maxDepth is how deep a value may go. A deeper one is kept as text.
const maxDepth = 1000

func parseNext(d *jsontext.Decoder, depth int) (*node, error) {
	if depth == 0 {
		return nil, errNoJSON
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: token.Kind()}
	switch n.kind {
	case '"', '0':
		n.text = token.String()
	case '{', '[':
		for d.PeekKind() != '}' && d.PeekKind() != ']' {
			if n.kind == '{' {
				name, err := d.ReadToken()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name.String())
			}
			kid, err := parseNext(d, depth-1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// encode returns the value as JSON; nil for no value.
func (n *node) encode() jsontext.Value {
	if n == nil {
		return nil
	}
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.AllowInvalidUTF8(true))
	n.write(e)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// write cannot fail: what was parsed has the form of JSON, and so has what is put in its place.
func (n *node) write(e *jsontext.Encoder) {
	switch n.kind {
	case '"':
		e.WriteToken(jsontext.String(n.text))
	case '0':
		e.WriteValue(jsontext.Value(n.text))
	case 't', 'f':
		e.WriteToken(jsontext.Bool(n.kind == 't'))
	case 'n':
		e.WriteToken(jsontext.Null)
	case '[':
		e.WriteToken(jsontext.BeginArray)
		for _, kid := range n.kids {
			kid.write(e)
		}
		e.WriteToken(jsontext.EndArray)
	case '{':
		e.WriteToken(jsontext.BeginObject)
		for i, kid := range n.kids {
			e.WriteToken(jsontext.String(n.names[i]))
			kid.write(e)
		}
		e.WriteToken(jsontext.EndObject)
	}
}

func (n *node) member(name string) *node {
	if n != nil {
		if i := slices.Index(n.names, name); i >= 0 {
			return n.kids[i]
		}
	}
	return nil
}

func (n *node) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.member(name) != nil })
}

func (n *node) drop(name string) {
	if i := slices.Index(n.names, name); i >= 0 {
		n.names, n.kids = slices.Delete(n.names, i, i+1), slices.Delete(n.kids, i, i+1)
	}
}

// compare calls differs at each place where two values differ, with nil for a value that one of them has not, until it
// returns false. same tells whether two strings or numbers are the same. Places are called as body/params/id.
func compare(where string, a, b *node, same func(a, b *node) bool, differs func(where string, a, b *node) bool) bool {
	switch {
	case a == nil || b == nil:
		return differs(where, a, b)
	case a.kind == '"' || a.kind == '0' || a.kind != b.kind:
		return same(a, b) || differs(where, a, b)
	case a.kind == '[':
		for i := range max(len(a.kids), len(b.kids)) {
			if !compare(where+"/"+strconv.Itoa(i), a.element(i), b.element(i), same, differs) {
				return false
			}
		}
	case a.kind == '{':
		for i, name := range a.names {
			if !compare(where+"/"+name, a.kids[i], b.member(name), same, differs) {
				return false
			}
		}
		for i, name := range b.names {
			if a.member(name) == nil && !differs(where+"/"+name, nil, b.kids[i]) {
				return false
			}
		}
	}
	return true
}

func (n *node) element(i int) *node {
	if i < len(n.kids) {
		return n.kids[i]
	}
	return nil
}

// strings calls change with each string of the value, in order.
func (n *node) strings(change func(*node)) {
	if n.kind == '"' {
		change(n)
	}
	for _, kid := range n.kids {
		kid.strings(change)
	}
}
