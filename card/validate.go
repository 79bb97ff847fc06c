// SPDX-License-Identifier: Apache-2.0

package card

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// maxProblems bounds the list for a card that is wrong in each of a thousand skills.
const maxProblems = 200

// Validate looks for what is wrong with a card, of any generation: by the rules of the generation whose form it has,
// see [FormOf]. The problems are in the order of the card, at most 200; none means that the card is fine. The card is
// data as it is served: what [Decode] repairs is a problem here.
func Validate(data []byte) []Problem {
	var v validation
	form, err := cards.FormOf(data)
	if err != nil {
		v.report("CARD-JSON-001", "", "%s", a2a.AsError(err).Error())
		return v.problems
	}
	var card map[string]any
	if err := json.Unmarshal(data, &card); err != nil { // FormOf has read it, so that this does not happen
		v.report("CARD-JSON-001", "", "%v", err)
		return v.problems
	}
	v.form = form
	v.allowed, v.required = generationOf(form)
	v.card(card)
	return v.problems
}

// HasErrors reports whether a problem is an error.
func HasErrors(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == SeverityError })
}

// A validation goes through one card.
type validation struct {
	form              cards.Form
	allowed, required generations
	problems          []Problem
}

func (v *validation) report(rule, at, message string, args ...any) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, Problem{rule, severities[rule], at, fmt.Sprintf(message, args...)})
	}
}

func (v *validation) card(card map[string]any) {
	v.members("", card, cardShape)
	v.version(card)
	v.interfaces(card)
	v.skills(card)
	v.extensions(card)
	v.requirements(card)
	v.signed(card)
	if v.form == cards.Form02 && v.undecided(card) {
		v.report("CARD-FORM-001", "", "nothing says whether the agent speaks 0.1 or 0.2; add protocolVersion, or "+
			"authentication if it is 0.1")
	}
}

// members checks an object against its shape.
func (v *validation) members(at string, object map[string]any, shape []member) {
	object = v.camelCase(at, object)
	for i := range shape {
		v.member(at, object, &shape[i])
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		known := slices.ContainsFunc(shape, func(m member) bool { return m.name == name })
		if !known {
			v.report("CARD-FORM-003", join(at, name), "is not a member that any generation has here")
		}
	}
}

func (v *validation) member(at string, object map[string]any, m *member) {
	path := join(at, m.name)
	value, there := object[m.name]
	switch {
	case value == nil && m.need&v.required != 0:
		v.report("CARD-REQ-001", path, "is required in %s", v.generation())
		return
	case !there:
		return
	case m.in&v.allowed == 0:
		v.foreign(path, m)
		return
	case value == nil:
		if v.form != cards.Form01 { // whose clients send and expect it
			v.report("CARD-FORM-005", path, "is null; leave it out")
		}
		return
	}
	before := len(v.problems)
	m.check(v, path, value)
	open := path == "authentication.schemes" // an agent without authentication has to say so by an empty list
	if m.need&v.required != 0 && empty(value) && !open && len(v.problems) == before {
		v.report("CARD-REQ-002", path, "is empty")
	}
}

// foreign reports a member of another generation. That requirements are not seen is worse than all else.
func (v *validation) foreign(path string, m *member) {
	switch name := m.name; {
	case name == "security" && v.form == cards.Form10:
		v.report("CARD-AUTH-008", path, "is not read by clients of 1.0, for whom the agent needs no credentials; it "+
			"is securityRequirements there")
	case name == "securityRequirements":
		v.report("CARD-AUTH-008", path, "is not read by clients of %s, for whom the agent needs no credentials; it "+
			"is security there", v.generation())
	default:
		v.report("CARD-FORM-002", path, "is not a member in %s, whose clients ignore it", v.generation())
	}
}

func (v *validation) generation() string {
	if v.form == cards.FormUnion {
		return cards.Form10.String()
	}
	return v.form.String()
}

// camelCase returns the object with names of 1.0 as they should be, which Protobuf JSON may spell with underscores.
func (v *validation) camelCase(at string, object map[string]any) map[string]any {
	if v.allowed&in10 == 0 {
		return object
	}
	spelt := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		camel := camelCase(name)
		if camel != name {
			v.report("CARD-FORM-004", join(at, name), "is spelt %s", camel)
		}
		spelt[camel] = object[name]
	}
	return spelt
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func element(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

func empty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	}
	return false
}

// wrongType reports a value that is not what it should be.
func (v *validation) wrongType(at, want string) { v.report("CARD-JSON-002", at, "must be %s", want) }

func text(v *validation, at string, value any) {
	if _, ok := value.(string); !ok {
		v.wrongType(at, "a string")
	}
}

func flag(v *validation, at string, value any) {
	if _, ok := value.(bool); !ok {
		v.wrongType(at, "true or false")
	}
}

func anyObject(v *validation, at string, value any) {
	if _, ok := value.(map[string]any); !ok {
		v.wrongType(at, "an object")
	}
}

func listOf(check checker) checker {
	return func(v *validation, at string, value any) {
		list, ok := value.([]any)
		if !ok {
			v.wrongType(at, "a list")
		}
		for i, e := range list {
			check(v, element(at, i), e)
		}
	}
}

func mapOf(check checker) checker {
	return func(v *validation, at string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			v.wrongType(at, "an object")
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			check(v, join(at, name), object[name])
		}
	}
}

func object(shape []member) checker {
	return func(v *validation, at string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			v.wrongType(at, "an object")
			return
		}
		v.members(at, object, shape)
	}
}
