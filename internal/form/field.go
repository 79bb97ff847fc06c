// SPDX-License-Identifier: Apache-2.0

package form

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/schema"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Field is one value of a form.
type Field struct {
	name, title, description string
	kind                     string // the JSON Schema type; "" for any
	items                    string // that of the elements of an array; "" for any
	format                   string
	choices                  []jsontext.Value
	example                  jsontext.Value // nil for none
	required, readOnly       bool
	schema                   jsontext.Value // of the value
	value                    jsontext.Value // what is known; nil when it is missing
	problem                  string         // what the agent says is wrong with the value
}

func parseField(name string, schema jsontext.Value) Field {
	var s struct {
		Type        jsontext.Value   `json:"type"`
		Format      jsontext.Value   `json:"format"`
		Title       jsontext.Value   `json:"title"`
		Description jsontext.Value   `json:"description"`
		Enum        []jsontext.Value `json:"enum"`
		Default     jsontext.Value   `json:"default"`
		Examples    []jsontext.Value `json:"examples"`
		ReadOnly    bool             `json:"readOnly"`
		Items       jsontext.Value   `json:"items"`
	}
	field := Field{name: name, schema: schema}
	if json.Unmarshal(schema, &s) != nil {
		return field // of a shape that nobody knows: anything will do
	}
	field.title, field.description, field.format = textOf(s.Title), textOf(s.Description), textOf(s.Format)
	field.kind, field.choices, field.readOnly = typeName(s.Type), s.Enum, s.ReadOnly
	field.items = itemType(s.Items)
	if !isBlank(s.Default) {
		field.value = s.Default
	}
	if len(s.Examples) > 0 && !isBlank(s.Examples[0]) {
		field.example = s.Examples[0]
	}
	return field
}

// itemType returns the type that a schema of elements names; "" for none.
func itemType(items jsontext.Value) string {
	var s struct {
		Type jsontext.Value `json:"type"`
	}
	if items.Kind() != '{' || json.Unmarshal(items, &s) != nil {
		return ""
	}
	return typeName(s.Type)
}

// typeName returns the first type of a schema that is not null.
func typeName(types jsontext.Value) string {
	var several []string
	if json.Unmarshal(types, &several) != nil {
		several = []string{textOf(types)}
	}
	for _, name := range several {
		if name != "null" {
			return name
		}
	}
	return ""
}

// textOf returns the text of a JSON string; "" of anything else.
func textOf(v jsontext.Value) string {
	var text string
	if v.Kind() == '"' && json.Unmarshal(v, &text) == nil {
		return text
	}
	return ""
}

// isBlank reports whether a value stands for none: agents write null, "" or a placeholder such as "<transaction date>".
func isBlank(v jsontext.Value) bool {
	if len(v) == 0 || v.Kind() == 'n' {
		return true
	}
	text := strings.TrimSpace(textOf(v))
	return v.Kind() == '"' && (text == "" || strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">"))
}

// label returns what a person calls the field.
func (f *Field) label() string {
	if f.title != "" {
		return f.title
	}
	return f.name
}

// hint returns what belongs in the field, in a few words; "" when anything does.
func (f *Field) hint() string {
	var words []string
	example := f.example
	if example == nil {
		example = f.value
	}
	switch {
	case len(f.choices) > 0:
		var all []string
		for _, choice := range f.choices {
			all = append(all, plain(choice))
		}
		words = append(words, strings.Join(all, "|"))
	case f.kind == "boolean":
		words = append(words, "yes or no")
	case f.format == "number" && isMoney(example):
		words = append(words, "number and currency, such as "+plain(example))
	case f.example != nil:
		words = append(words, "such as "+plain(f.example))
	case f.format == "date":
		words = append(words, "date, such as 2026-11-21")
	case f.format != "":
		words = append(words, f.format)
	case f.kind == "array" || f.kind == "object":
		words = append(words, f.shape())
	case f.kind != "" && f.kind != "string":
		words = append(words, f.kind)
	}
	if !f.required {
		words = append(words, "optional")
	}
	return strings.Join(words, ", ")
}

// shape says how to write a value that has several.
func (f *Field) shape() string {
	switch {
	case f.kind == "object":
		return `an object in JSON, such as {"name": "value"}`
	case f.items == "" || f.items == "string":
		return `a list, such as x, y, or in JSON ["x", "y"]`
	case f.items == "number" || f.items == "integer":
		return "a list, such as 1, 2"
	}
	return "a list in JSON, such as [...]"
}

var money = regexp.MustCompile(`^[0-9][0-9.,]* [A-Z]{3}$`)

// isMoney reports whether a value is an amount with its currency, such as "20 USD".
func isMoney(value jsontext.Value) bool { return money.MatchString(textOf(value)) }

// plain returns a value as people write it: strings without quotes.
func plain(v jsontext.Value) string {
	if v.Kind() == '"' {
		return textOf(v)
	}
	return string(v)
}

// read makes the field's value of what a person typed; nil when that was nothing.
func (f *Field) read(text string) (jsontext.Value, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		if f.required {
			return nil, errors.New("it is needed")
		}
		return nil, nil
	}
	value := f.parse(text)
	return value, f.check(value)
}

// parse makes JSON of a text; a text that does not fit the type stays a string, which check refuses.
func (f *Field) parse(text string) jsontext.Value {
	for _, choice := range f.choices {
		if strings.EqualFold(plain(choice), text) {
			return choice
		}
	}
	switch f.kind {
	case "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return jsontext.Value("true")
		case "n", "no", "false":
			return jsontext.Value("false")
		}
	case "array":
		if list := f.parseList(text); list != nil {
			return list
		}
	case "number", "integer", "object":
		if v := jsontext.Value(text); v.IsValid() {
			return v
		}
	}
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	return quoted
}

// parseList makes an array of a text: it is one in JSON, or has elements with commas between them. It returns nil for
// neither.
func (f *Field) parseList(text string) jsontext.Value {
	whole := jsontext.Value(text)
	if whole.Kind() == '[' || f.items == "object" || f.items == "array" {
		if whole.IsValid() {
			return whole
		}
		return nil
	}
	element, list := Field{kind: f.items}, []byte{'['}
	for piece := range strings.SplitSeq(text, ",") {
		if len(list) > 1 {
			list = append(list, ',')
		}
		value := element.parse(strings.TrimSpace(piece))
		if f.items != "" && element.check(value) != nil {
			return nil
		}
		list = append(list, value...)
	}
	return append(list, ']')
}

// kindNames says what the kinds of JSON are called in a schema.
var kindNames = map[jsontext.Kind]string{'"': "string", '0': "number", 't': "boolean", 'f': "boolean", '[': "array",
	'{': "object"}

// check says what is wrong with a value. The agent may still refuse it.
func (f *Field) check(value jsontext.Value) error {
	if isBlank(value) {
		if f.required {
			return errors.New("it is needed")
		}
		return nil
	}
	if len(f.choices) > 0 && !slices.ContainsFunc(f.choices,
		func(c jsontext.Value) bool { return plain(c) == plain(value) }) {
		return fmt.Errorf("it must be one of %s", f.hint())
	}
	kind := kindNames[value.Kind()]
	switch {
	case f.kind == "integer" && (kind != "number" || strings.ContainsAny(string(value), ".eE")):
		return errors.New("it must be a whole number")
	case f.kind == "number" && kind != "number":
		return errors.New("it must be a number")
	case f.kind == "boolean" && kind != "boolean":
		return errors.New("it must be yes or no (true or false in JSON)")
	case (f.kind == "array" || f.kind == "object") && kind != f.kind:
		return errors.New("it must be " + f.shape())
	case f.kind != "" && f.kind != "integer" && kind != f.kind:
		return fmt.Errorf("it must be of the type %s", f.kind)
	}
	if f.format == "date" && kind == "string" {
		if _, err := time.Parse(time.DateOnly, textOf(value)); err != nil {
			return errors.New("it must be a date such as 2026-11-21")
		}
	}
	if f.format == "number" && kind == "string" && !strings.ContainsFunc(textOf(value), unicode.IsDigit) {
		return errors.New("it has no number in it" + f.forExample())
	}
	return f.checkSchema(value)
}

// forExample says what would fit.
func (f *Field) forExample() string {
	if f.example == nil {
		return ""
	}
	return "; write something like " + plain(f.example)
}

// checkSchema says what else of the field's schema a value does not fit. A schema that is none, or that refers to what
// is not in it, is for the agent to hold the value against.
func (f *Field) checkSchema(value jsontext.Value) error {
	s, err := schema.Compile(f.schema)
	if err != nil {
		return nil
	}
	misfit, ok := errors.AsType[*schema.Violations](s.Check(value))
	if !ok {
		return nil
	}
	var problems []string
	for _, v := range misfit.List {
		problems = append(problems, strings.TrimPrefix(v.Path+": "+v.Message, ": "))
	}
	return errors.New("it does not fit: " + strings.Join(problems[:min(len(problems), 3)], "; ") + f.forExample())
}

// take makes what a person typed the field's value. Nothing keeps the value that there is.
func (f *Field) take(line string) error {
	switch {
	case line == "" && f.value != nil:
		return f.check(f.value)
	case strings.EqualFold(line, wordClear):
		line = ""
	}
	value, err := f.read(line)
	if err == nil {
		f.value = value
	}
	return err
}

// How many letters of a prompt, and of a value in it, are shown: the line has to have room for the answer.
const (
	maxPrompt = 56
	maxShown  = 40
)

// prompt returns what a field is asked for with: its name, a description, and its value. The description is in a
// line above if the field has one of its own, or if all that is too long; so is the value, on a terminal
// whose columns would not leave half a line for the answer. 0 columns are any number.
func (f *Field) prompt(columns int) (prompt, above string) {
	room := maxPrompt
	if columns > 0 {
		room = min(room, columns*7/10)
	}
	label, value := terminal.Indent+terminal.Short(terminal.Inline(f.label()), maxShown), ""
	if f.value != nil {
		value = " [" + terminal.Short(terminal.Inline(plain(f.value)), maxShown) + "]"
	}
	hint := f.hint()
	if hint != "" {
		hint = " (" + terminal.Inline(hint) + ")"
	}
	described := f.description != "" && f.description != f.label()
	if prompt = label + hint + value + ": "; !described && utf8.RuneCountInString(prompt) <= room {
		return prompt, ""
	}
	above = label + hint
	if described {
		above = label + ": " + f.description + hint
	}
	prompt = label + value + ": "
	if columns > 0 && utf8.RuneCountInString(prompt) > room {
		above += value
		prompt = terminal.Short(label, room-len(": ")) + ": "
	}
	return prompt, above
}
