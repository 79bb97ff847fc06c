// SPDX-License-Identifier: Apache-2.0

package files

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A bag has what an answer says under all names that somebody may look for it. Values are numbers, texts, and bags.
type bag struct {
	values map[string][]any
	list   []*bag // what a list of the answer has, in order
	keys   []string
}

// newBag and put take names as people write them.
func newBag() *bag { return &bag{values: map[string][]any{}} }

func (b *bag) put(v any, names ...string) {
	if v == nil {
		return
	}
	switch n := v.(type) {
	case int:
		v = float64(n)
	case *float64:
		if n == nil {
			return
		}
		v = *n
	}
	for _, name := range names {
		if key := plain(name); key != "" {
			b.values[key] = append(b.values[key], v)
		}
	}
}

// plain leaves out of a name what differs between styles: averagePrice, average_price, Average price.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

var synonyms = map[Operation][]string{
	Mean: {"mean", "average", "avg"}, Sum: {"sum", "total"}, Min: {"min", "minimum", "lowest"}, Max: {"max", "maximum", "highest"},
	Median: {"median"}, Distinct: {"distinct", "unique"}, Rows: {"rows", "count", "rowcount", "numberofrows"}, Missing: {"missing"}, Values: {"count"},
}

// resultNames are what a result is called by somebody who does not say which.
var resultNames = []string{"value", "result", "answer", "number", "amount"}

// names returns what the value of a question may be called.
func (q Question) names() []string {
	names := slices.Clone(resultNames)
	for _, o := range synonyms[q.Operation] {
		names = append(names, o, o+q.Column, q.Column+o)
	}
	return append(names, q.Column)
}

func (r *Result) bag(file, text string) *bag {
	q, b := r.Question, newBag()
	b.put(r.Value, q.names()...)
	b.put(text, "text", "answer", "summary", "message", "description", "result")
	b.put(file, "file", "filename", "name", "source")
	b.put(string(q.Operation), "operation", "kind")
	b.put(q.Column, "column", "field")
	b.put(q.By, "by", "groupby")
	b.put(len(r.Rows), "rows", "count", "rowcount", "numberofrows", "total")
	b.put(len(r.Table.Columns), "columns", "columncount", "numberofcolumns")
	if q.Of != "" {
		b.put(r.Of, q.Of, "of", "name", "key")
	}
	for _, g := range r.Groups {
		one := newBag()
		one.put(g.Key, r.keyName(), "key", "name", "group", "label", "value")
		one.put(g.Value, q.names()...)
		one.put(g.Rows, "rows", "count", "rowcount")
		b.add(g.Key, one)
	}
	for i := range r.Summaries {
		b.add(r.Summaries[i].Name, r.Summaries[i].bag())
	}
	for _, row := range r.Shown {
		one := newBag()
		for i := range r.Table.Columns {
			one.put(r.Table.Columns[i].value(row), r.Table.Columns[i].Name)
		}
		b.add("", one)
	}
	return b
}

// add appends to the list of a bag, what has a name also under this.
func (b *bag) add(key string, one *bag) {
	b.list, b.keys = append(b.list, one), append(b.keys, key)
	b.put(one, key)
}

func (s *Summary) bag() *bag {
	b := newBag()
	b.put(s.Name, "name", "column", "field", "key")
	b.put(string(s.Kind), "type", "kind", "datatype")
	b.put(s.Count, "count", "values")
	b.put(s.Missing, "missing", "nulls", "empty")
	b.put(s.Distinct, "distinct", "unique")
	b.put(s.Min, synonyms[Min]...)
	b.put(s.Max, synonyms[Max]...)
	b.put(s.Mean, synonyms[Mean]...)
	b.put(s.Median, "median")
	b.put(s.Sum, synonyms[Sum]...)
	return b
}

// A maker builds what a schema describes from a bag. It reads the plain words of schemas only; whether the result fits
// is checked afterwards.
type maker struct {
	root  any
	steps int
}

const (
	maxShape = 30 // levels, references counted
	maxSteps = 100_000
)

// make returns what a schema describes, and whether all of it was there. A nil is nothing.
func (m *maker) make(node, have any, depth int) (v any, whole bool) {
	s, ok := node.(map[string]any)
	if m.steps++; !ok || depth > maxShape || m.steps > maxSteps {
		return nil, false
	}
	if ref, ok := s["$ref"].(string); ok {
		return m.make(m.resolve(ref), have, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := s[word].([]any); ok {
			return m.first(list, have, depth)
		}
	}
	for _, kind := range kindsOf(s) {
		if v, whole := m.kind(kind, s, have, depth); v != nil {
			return v, whole
		}
	}
	return nil, false
}

// first returns the first of some schemas that can be made whole, or else the first that can be made at all.
func (m *maker) first(list []any, have any, depth int) (best any, whole bool) {
	for _, node := range list {
		v, whole := m.make(node, have, depth+1)
		if whole {
			return v, true
		}
		if best == nil {
			best = v
		}
	}
	return best, false
}

// kindsOf returns the types that a schema names, or what its words imply.
func kindsOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var kinds []string
		for _, k := range t {
			if k, ok := k.(string); ok {
				kinds = append(kinds, k)
			}
		}
		return kinds
	}
	switch {
	case s["properties"] != nil:
		return []string{"object"}
	case s["items"] != nil:
		return []string{"array"}
	}
	return nil
}

func (m *maker) kind(kind string, s map[string]any, have any, depth int) (any, bool) {
	b, isBag := have.(*bag)
	switch kind {
	case "object":
		if !isBag {
			return nil, false
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			return m.object(properties, b, depth)
		}
		return m.mapping(s["additionalProperties"], b, depth)
	case "array":
		if !isBag {
			return nil, false
		}
		return m.array(s["items"], b, depth)
	case "number", "integer", "string", "boolean":
		for _, v := range scalars(have) {
			if kindOfScalar(v, kind) {
				return v, true
			}
		}
	}
	return nil, false
}

// scalars returns the plain values that have is or, as a bag, is about.
func scalars(have any) []any {
	b, ok := have.(*bag)
	if !ok {
		return []any{have}
	}
	var all []any
	for _, name := range []string{"value", "key", "rows", "text"} {
		all = append(all, b.values[name]...)
	}
	return all
}

func kindOfScalar(v any, kind string) bool {
	switch v := v.(type) {
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	}
	return false
}

func (m *maker) object(properties map[string]any, b *bag, depth int) (any, bool) {
	made, whole := map[string]any{}, true
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		v, ok := m.property(name, properties[name], b, depth)
		if v != nil {
			made[name] = v
		}
		whole = whole && ok
	}
	if len(made) == 0 {
		return nil, false
	}
	return made, whole
}

// property looks for what is called so and, as a list goes by any name, for the list.
func (m *maker) property(name string, node any, b *bag, depth int) (best any, whole bool) {
	for _, have := range b.values[plain(name)] {
		v, whole := m.make(node, have, depth+1)
		if whole {
			return v, true
		}
		if best == nil {
			best = v
		}
	}
	if s, ok := node.(map[string]any); ok && slices.Contains(kindsOf(s), "array") && best == nil {
		return m.make(node, b, depth+1)
	}
	return best, false
}

// mapping makes an object of the names in a list and what stands under them.
func (m *maker) mapping(node any, b *bag, depth int) (any, bool) {
	if _, ok := node.(map[string]any); !ok || len(b.list) == 0 {
		return nil, false
	}
	made := map[string]any{}
	for i, one := range b.list {
		v, whole := m.make(node, one, depth+1)
		if !whole || b.keys[i] == "" {
			return nil, false
		}
		made[b.keys[i]] = v
	}
	return made, true
}

func (m *maker) array(items any, b *bag, depth int) (any, bool) {
	list := b.list
	if len(list) == 0 {
		list = []*bag{b} // a list of the one answer
	}
	made, whole := make([]any, 0, len(list)), true
	for _, one := range list {
		v, ok := m.make(items, one, depth+1)
		if v == nil {
			return nil, false
		}
		made = append(made, v)
		whole = whole && ok
	}
	return made, whole
}

// resolve follows a reference within the schema.
func (m *maker) resolve(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	node := m.root
	for _, name := range strings.Split(path, "/")[1:] {
		object, ok := node.(map[string]any)
		if !ok {
			return nil
		}
		node = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return node
}
