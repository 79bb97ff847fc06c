// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A schema of a hundred lines can take longer to check than anybody lives: where each of forty definitions refers twice
// to the next, the last one is visited 2^40 times. So the work is counted before it is done. Schemas are measured as
// what they would be if each reference were replaced by what it refers to.
type size struct {
	nodes float64 // JSON values in the schema, references replaced
	loops float64 // references back to a schema that contains them: each goes one level deeper into the value
}

const (
	maxNodes = 100_000
	maxSteps = 20_000_000 // what is checked in about a second
)

// allows reports whether value can be checked in a bounded time.
func (s size) allows(value any) bool {
	return s.nodes*s.visits(value, 1) <= maxSteps
}

// visits bounds how often a schema looks at value and at what is in it, when it looks times times at value itself.
func (s size) visits(value any, times float64) float64 {
	total, inner := times, times*max(1, s.loops)
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			total += s.visits(member, inner)
		}
	case []any:
		for _, item := range v {
			total += s.visits(item, inner)
		}
	}
	return total
}

// measure walks through a schema document. Error: a reference that is not to a place in the document.
func measure(doc any) (size, error) {
	m := meter{doc: doc, known: map[string]size{}, open: map[string]bool{"": true}}
	s, err := m.value(withoutDefinitions(doc))
	if err == nil && s.nodes > maxNodes {
		err = fmt.Errorf("its references make it too large: more than %d values", maxNodes)
	}
	return s, err
}

// withoutDefinitions leaves out what counts where something refers to it.
func withoutDefinitions(doc any) any {
	object, ok := doc.(map[string]any)
	if !ok {
		return doc
	}
	rest := maps.Clone(object)
	delete(rest, "$defs")
	delete(rest, "definitions")
	delete(rest, "$id") // names the whole, which changes no reference
	return rest
}

type meter struct {
	doc   any
	known map[string]size // by the pointer of a reference
	open  map[string]bool // references being measured
}

func (m *meter) value(v any) (size, error) {
	total := size{nodes: 1}
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = v
	case map[string]any:
		inner = slices.Collect(maps.Values(v))
		referred, err := m.references(v)
		if err != nil {
			return total, err
		}
		total.add(referred)
	}
	for _, v := range inner {
		s, err := m.value(v)
		if err != nil {
			return total, err
		}
		total.add(s)
	}
	return total, nil
}

func (s *size) add(other size) {
	s.nodes += other.nodes
	s.loops += other.loops
}

// references measures what an object of the schema refers to.
func (m *meter) references(object map[string]any) (size, error) {
	for _, name := range []string{"$dynamicRef", "$recursiveRef", "$id"} { // "$id" within changes what "#" means
		if _, ok := object[name].(string); ok {
			return size{}, fmt.Errorf("it uses %s within, which is not followed here; use $ref and #", name)
		}
	}
	ref, ok := object["$ref"].(string)
	if !ok {
		return size{}, nil
	}
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return size{}, fmt.Errorf("it refers to %q; references are followed only within the schema, such as "+
			"#/$defs/item", ref)
	}
	if m.open[pointer] {
		return size{loops: 1}, nil
	}
	if s, ok := m.known[pointer]; ok {
		return s, nil
	}
	target, err := resolve(m.doc, pointer)
	if err != nil {
		return size{}, fmt.Errorf("it refers to %q: %w", ref, err)
	}
	m.open[pointer] = true
	s, err := m.value(target)
	delete(m.open, pointer)
	m.known[pointer] = s
	return s, err
}

// resolve finds what a JSON Pointer, in the form of a URL's fragment, points at.
func resolve(doc any, pointer string) (any, error) {
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = unescaper.Replace(name)
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			doc = nil
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
				doc = v[i]
			}
		default:
			doc = nil
		}
		if doc == nil {
			return nil, errors.New("nothing is there")
		}
	}
	return doc, nil
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")
