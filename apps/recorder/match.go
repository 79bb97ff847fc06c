// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// A binding gives placeholders their values. It is not safe for concurrent use.
type binding struct {
	values map[string]string // by the placeholder's name
	under  *binding          // what counts where values has nothing; nil for none
	events int               // the last id of an event that was made up
}

func newBinding(baseURL string) *binding {
	return &binding{values: map[string]string{base: baseURL}}
}

// trial returns a binding with the same values, which may get more of them without harm.
func (b *binding) trial() *binding {
	return &binding{values: make(map[string]string), under: b}
}

// keep takes over what a trial has bound.
func (b *binding) keep(trial *binding) { maps.Copy(b.values, trial.values) }

// keepCall is keep but for the ids of JSON-RPC, which every client counts for itself; it returns a binding for the rest
// of the exchange, which has those too.
func (b *binding) keepCall(trial *binding) *binding {
	call := b.trial()
	for name, value := range trial.values {
		if isCall(name) {
			call.values[name] = value
		} else {
			b.values[name] = value
		}
	}
	return call
}

// isCall reports whether a placeholder is the id of a JSON-RPC request, which means nothing beyond its exchange.
func isCall(name string) bool {
	kind := kindOf(name)
	return kind == kindRPC || kind == kindRPCNumber
}

func (b *binding) known(name string) (string, bool) {
	value, ok := b.values[name]
	if !ok && b.under != nil && !isCall(name) {
		return b.under.known(name)
	}
	return value, ok
}

// value returns the value of a placeholder; one that has none gets a new one.
func (b *binding) value(name string) string {
	if value, ok := b.known(name); ok {
		return value
	}
	if b.under != nil && !isCall(name) {
		return b.under.value(name)
	}
	value := ""
	switch _, number, _ := strings.Cut(name, "."); kindOf(name) {
	case kindTime:
		value = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	case kindEvent:
		b.events++
		value = strconv.Itoa(b.events)
	case kindRPCNumber:
		value = number
	default:
		value = string(a2a.NewMessageID())
	}
	b.values[name] = value
	return value
}

// fill returns a text with values.
func (b *binding) fill(s string) string { return fill(s, b.value) }

// body returns what a body of a cassette is on the wire.
func (b *binding) body(l *Line) ([]byte, error) {
	switch {
	case len(l.Body) > 0:
		n, err := parse(l.Body)
		if err != nil {
			return nil, err
		}
		n.strings(func(s *node) {
			if name := only(s.text); kindOf(name) == kindRPCNumber && isNumber(b.value(name)) {
				s.kind = '0'
			}
			s.text = b.fill(s.text)
		})
		return n.encode(), nil
	case l.Text != "":
		return []byte(b.fill(l.Text)), nil
	}
	return l.Binary, nil
}

func isNumber(s string) bool {
	n, err := parse([]byte(s))
	return err == nil && n.kind == '0'
}

// A mismatch says where a request is another one than the cassette has.
type mismatch struct {
	where       string // as body/params/id
	want, found string
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("%s is %s instead of %s", m.where, m.found, m.want)
}

// request holds a request against a recorded one, and gives placeholders the values that it has.
func (b *binding) request(want *Line, method, path string, body []byte) *mismatch {
	if want.Method != method {
		return &mismatch{"method", want.Method, method}
	}
	path, query, hasQuery := strings.Cut(path, "?")
	if hasQuery {
		pairs := strings.Split(query, "&")
		slices.Sort(pairs)
		path += "?" + strings.Join(pairs, "&")
	}
	if !b.text(want.Path, path) {
		return &mismatch{"path", want.Path, path}
	}
	if len(want.Body) == 0 {
		expected, _ := b.body(want) // which is no JSON, so that it cannot fail
		if string(expected) != string(body) {
			return &mismatch{"body", shown(expected), shown(body)}
		}
		return nil
	}
	expected, err := parse(want.Body)
	if err != nil {
		return &mismatch{"body", "JSON", err.Error()}
	}
	got, err := parse(body)
	if err != nil {
		return &mismatch{"body", "JSON", "none"}
	}
	return b.node("body", expected, got)
}

// maxShown is how much of a value a mismatch shows, in bytes.
const maxShown = 200

func shown(b []byte) string {
	s := strings.ToValidUTF8(string(b[:min(len(b), maxShown)]), "")
	if len(b) > maxShown {
		s += "..."
	}
	return cmp.Or(s, "nothing")
}

func (b *binding) node(where string, want, got *node) (first *mismatch) {
	compare(where, want, got, b.same, func(where string, want, got *node) bool {
		first = &mismatch{where, shown(want.encode()), shown(got.encode())}
		if got == nil {
			first.found = "missing"
		}
		return false
	})
	return first
}

// same compares a string or number with one of a cassette, where the id of a call is a string.
func (b *binding) same(want, got *node) bool {
	switch {
	case want.kind == '"' && (got.kind == '"' || got.kind == '0' && kindOf(only(want.text)) == kindRPCNumber):
		return b.text(want.text, got.text)
	case want.kind == '0':
		return got.kind == '0' && want.text == got.text
	}
	return false
}

// text compares a text with one of a cassette, and binds the placeholders of that which have no value yet.
func (b *binding) text(want, got string) bool {
	if want == redact.Mark {
		return true
	}
	name := only(want)
	if name != "" {
		if known, ok := b.known(name); ok && kindOf(name) != kindTime {
			return known == got
		}
		b.values[name] = got
		return got != ""
	}
	if !strings.Contains(want, "${") && !strings.Contains(want, redact.Mark) {
		return want == got
	}
	re, names := pattern(want, b.known)
	found := re.FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range names {
		if known, ok := b.known(name); ok && known != found[i+1] && kindOf(name) != kindTime {
			return false
		}
		b.values[name] = found[i+1]
	}
	return true
}

// learn gives placeholders of a recorded value the values that they have in another one, as far as the two are alike.
func (b *binding) learn(recorded, got *node) {
	switch {
	case recorded.kind == '"' && (got.kind == '"' || got.kind == '0'):
		if trial := b.trial(); trial.text(recorded.text, got.text) {
			b.keep(trial)
		}
	case recorded.kind == '[' && got.kind == '[':
		for i := range min(len(recorded.kids), len(got.kids)) {
			b.learn(recorded.kids[i], got.kids[i])
		}
	case recorded.kind == '{':
		for i, name := range recorded.names {
			if kid := got.member(name); kid != nil {
				b.learn(recorded.kids[i], kid)
			}
		}
	}
}
