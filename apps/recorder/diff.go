// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// A Difference is something that two cassettes do not have in common.
type Difference struct {
	A       int    `json:"a"`       // the exchange in the first cassette; 0 for none
	B       int    `json:"b"`       // that in the second
	Request string `json:"request"` // what it asks, for people
	// as answer/body/result/status/state or event 2/body; "" for the whole exchange
	Where string         `json:"where"`
	Was   jsontext.Value `json:"was,omitzero"` // in the first cassette; nothing if it has none
	Is    jsontext.Value `json:"is,omitzero"`  // in the second
}

// Diff returns how the second cassette differs from the first. Times, credentials and the moments at which things
// happened are not compared; of ids only whether those of one stand for those of the other throughout.
func Diff(a, b *Cassette) []Difference {
	d := &differ{there: make(map[string]string), back: make(map[string]string)}
	for _, p := range align(a.Exchanges, b.Exchanges,
		func(e *Exchange) string { return numberless(e.Request.Title()) }) {
		d.exchange(p.a, p.b)
	}
	return d.found
}

// A pair are two things that stand for each other, or one that has no counterpart.
type pair[T any] struct{ a, b *T }

// maxAlign bounds the work of an alignment: beyond it what is between the same beginning and the same end is paired in
// order.
const maxAlign = 4 << 20

// align pairs what has the same key, in order and as much as possible, and in between one by one.
func align[T any](a, b []*T, key func(*T) string) []pair[T] {
	keysOf := func(all []*T) (keys []string) {
		for _, one := range all {
			keys = append(keys, key(one))
		}
		return keys
	}
	var pairs []pair[T]
	i, j := 0, 0
	between := func(toA, toB int) {
		for i < toA || j < toB {
			var p pair[T]
			if i < toA {
				p.a, i = a[i], i+1
			}
			if j < toB {
				p.b, j = b[j], j+1
			}
			pairs = append(pairs, p)
		}
	}
	for _, same := range common(keysOf(a), keysOf(b)) {
		between(same[0], same[1])
		pairs = append(pairs, pair[T]{a[i], b[j]})
		i, j = i+1, j+1
	}
	between(len(a), len(b))
	return pairs
}

// common returns the positions of a longest common subsequence.
func common(a, b []string) [][2]int {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var same [][2]int
	for i := range start {
		same = append(same, [2]int{i, i})
	}
	if n, m := endA-start, endB-start; n > 0 && m > 0 && n <= maxAlign/m {
		same = append(same, subsequence(a[start:endA], b[start:endB], start)...)
	}
	for i := range len(a) - endA {
		same = append(same, [2]int{endA + i, endB + i})
	}
	return same
}

func subsequence(a, b []string, offset int) [][2]int {
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width) // of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	var same [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			same = append(same, [2]int{offset + i, offset + j})
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return same
}

// A differ compares, and pairs placeholders as it finds them in the same place.
type differ struct {
	there, back map[string]string // placeholders of the first cassette by those of the second, and the other way
	calls       []string          // those of them that are ids of JSON-RPC, which hold for one exchange
	at          Difference        // the exchange that is compared
	found       []Difference
}

func (d *differ) report(where string, was, is jsontext.Value) {
	diff := d.at
	diff.Where, diff.Was, diff.Is = where, was, is
	d.found = append(d.found, diff)
}

func (d *differ) exchange(a, b *Exchange) {
	d.at = Difference{}
	for _, a := range d.calls {
		delete(d.back, d.there[a])
		delete(d.there, a)
	}
	d.calls = nil
	if a != nil {
		d.at.A, d.at.Request = a.Request.N, a.Request.Title()
	}
	if b != nil {
		d.at.B, d.at.Request = b.Request.N, cmp.Or(d.at.Request, b.Request.Title())
	}
	switch {
	case a == nil:
		d.report("", nil, quoted(b.Request.Title()))
	case b == nil:
		d.report("", quoted(a.Request.Title()), nil)
	default:
		d.value("request/method", a.Request.Method, b.Request.Method)
		d.value("request/path", a.Request.Path, b.Request.Path)
		d.line("request", a.Request, b.Request)
		d.answer(a, b)
	}
}

func (d *differ) answer(a, b *Exchange) {
	var none Line
	was, is := cmp.Or(a.Answer, &none), cmp.Or(b.Answer, &none)
	if was.Status != is.Status {
		d.report("answer/status", number(was.Status), number(is.Status))
	}
	d.line("answer", was, is)
	events := align(a.Events, b.Events,
		func(l *Line) string { return numberless(string(l.Body) + l.Text + string(l.Binary)) })
	for i, p := range events {
		where := "event " + strconv.Itoa(i+1)
		switch {
		case p.a == nil:
			d.report(where, nil, p.b.content())
		case p.b == nil:
			d.report(where, p.a.content(), nil)
		default:
			d.value(where+"/type", p.a.eventType(), p.b.eventType())
			d.line(where, p.a, p.b)
		}
	}
	d.value("end", a.failure(), b.failure())
}

// failure returns why there is no more of the answer. That the client left says nothing about the agent.
func (e *Exchange) failure() string {
	if e.End == nil || e.End.Error == Left {
		return ""
	}
	return e.End.Error
}

func (l *Line) eventType() string {
	if l.SSE == nil {
		return ""
	}
	return l.SSE.Event
}

// content returns the body of a line as one value.
func (l *Line) content() jsontext.Value {
	switch {
	case len(l.Body) > 0:
		return l.Body
	case len(l.Binary) > 0:
		return quoted(strconv.Itoa(len(l.Binary)) + " bytes")
	}
	return quoted(l.Text)
}

func (d *differ) line(where string, a, b *Line) {
	names := maps.Clone(a.Headers)
	if names == nil {
		names = make(map[string]string)
	}
	maps.Copy(names, b.Headers)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !redact.Name(name) {
			d.value(where+"/headers/"+name, a.Headers[name], b.Headers[name])
		}
	}
	was, errA := parse(a.Body)
	is, errB := parse(b.Body)
	switch {
	case errA == nil && errB == nil:
		d.node(where+"/body", was, is)
	case errA == nil || errB == nil, string(a.Binary) != string(b.Binary):
		d.report(where+"/body", a.content(), b.content())
	default:
		d.value(where+"/body", a.Text, b.Text)
	}
}

// quoted makes a text JSON; nothing if it is empty.
func quoted(s string) jsontext.Value {
	if s == "" {
		return nil
	}
	return jsontext.Value(quote(s))
}

func number(n int) jsontext.Value { return jsontext.Value(strconv.Itoa(n)) }

// value compares two texts; one that is empty is not there.
func (d *differ) value(where, a, b string) {
	if !d.same(a, b) {
		d.report(where, quoted(a), quoted(b))
	}
}

// same reports whether two texts say the same, and pairs the placeholders in them.
func (d *differ) same(a, b string) bool {
	pa, pb := split(a), split(b)
	if len(pa) != len(pb) {
		return false
	}
	for i := range pa {
		if pa[i].literal != pb[i].literal || kindOf(pa[i].name) != kindOf(pb[i].name) {
			return false
		}
	}
	for i := range pa {
		if !d.stands(pa[i].name, pb[i].name) {
			return false
		}
	}
	return true
}

// stands reports whether a placeholder may stand for another one.
func (d *differ) stands(a, b string) bool {
	if kind := kindOf(a); a == "" || kind == kindTime || kind == kindEvent {
		return true
	}
	known, ok := d.there[a]
	other, taken := d.back[b]
	if !ok && !taken {
		d.there[a], d.back[b] = b, a
		if isCall(a) {
			d.calls = append(d.calls, a)
		}
		return true
	}
	return known == b && other == a
}

func (d *differ) node(where string, a, b *node) {
	compare(where, a, b, func(a, b *node) bool {
		return a.kind == b.kind && (a.kind == '"' && d.same(a.text, b.text) || a.kind == '0' && a.text == b.text)
	}, func(where string, a, b *node) bool {
		d.report(where, a.encode(), b.encode())
		return true
	})
}
