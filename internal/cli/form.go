// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// A form is an [agent.Form] that an agent asks to be filled, as it is shown at a terminal.
type form struct {
	fields       []formField // in the order of the document
	instructions string      // "" as well when a text beside the form says them
	source       string      // the document
}

type formField struct {
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

// findForm returns the form in the parts, if there is one.
func findForm(parts []a2a.Part) *form {
	for i := range parts {
		if f := formIn(parts, i); f != nil {
			return f
		}
	}
	return nil
}

// formIn returns the form that one of the parts is; nil for none. Instructions that a text has already are left out.
func formIn(parts []a2a.Part, i int) *form {
	data, ok := parts[i].Content.(a2a.Data)
	if !ok {
		return nil
	}
	f := parseForm(jsontext.Value(data))
	if f != nil && slices.ContainsFunc(parts, func(p a2a.Part) bool {
		text, ok := p.Content.(a2a.Text)
		return ok && strings.Contains(string(text), f.instructions)
	}) {
		f.instructions = ""
	}
	return f
}

// parseForm reads a form document; nil when the data is none.
func parseForm(data jsontext.Value) *form {
	doc, ok := agent.FindForm(a2a.Part{Content: a2a.Data(data)})
	if !ok {
		return nil
	}
	var schema struct {
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	if json.Unmarshal([]byte(doc.Schema), &schema) != nil {
		return nil
	}
	known, _ := doc.Values.(map[string]jsontext.Value)
	f := &form{instructions: doc.Instructions, source: string(data)}
	err := eachMember(schema.Properties, func(name string, about jsontext.Value) {
		field := parseField(name, about)
		field.required = slices.Contains(schema.Required, name)
		field.problem = doc.Errors[name]
		if value, ok := known[name]; ok && !isBlank(value) {
			field.value = value
		}
		f.fields = append(f.fields, field)
	})
	if err != nil || len(f.fields) == 0 {
		return nil
	}
	return f
}

// eachMember calls visit for each member of an object, in order.
func eachMember(object jsontext.Value, visit func(name string, value jsontext.Value)) error {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return errors.Join(errors.New("not an object"), err)
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String() // the token is only good until the next one
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		visit(text, value.Clone())
	}
	_, err := d.ReadToken()
	return err
}

func parseField(name string, schema jsontext.Value) formField {
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
	field := formField{name: name, schema: schema}
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
func (f *formField) label() string {
	if f.title != "" {
		return f.title
	}
	return f.name
}

// hint returns what belongs in the field, in a few words; "" when anything does.
func (f *formField) hint() string {
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
func (f *formField) shape() string {
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
func (f *formField) read(text string) (jsontext.Value, error) {
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
func (f *formField) parse(text string) jsontext.Value {
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
func (f *formField) parseList(text string) jsontext.Value {
	whole := jsontext.Value(text)
	if whole.Kind() == '[' || f.items == "object" || f.items == "array" {
		if whole.IsValid() {
			return whole
		}
		return nil
	}
	element, list := formField{kind: f.items}, []byte{'['}
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

// check says what is wrong with a value. What the agent makes of it is the agent's business.
func (f *formField) check(value jsontext.Value) error {
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
func (f *formField) forExample() string {
	if f.example == nil {
		return ""
	}
	return "; write something like " + plain(f.example)
}

// checkSchema says what else of the field's schema a value does not fit. A schema that is none, or that refers to what
// is not in it, is for the agent to hold the value against.
func (f *formField) checkSchema(value jsontext.Value) error {
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

// carry takes over what was answered to the form before, for the fields whose value the agent did not keep.
func (f *form) carry(before *form) {
	for i := range f.fields {
		for _, old := range before.fields {
			if field := &f.fields[i]; field.name == old.name && field.value == nil {
				field.value = old.value
			}
		}
	}
}

// answer returns the document of the fields that have a value.
func (f *form) answer() jsontext.Value { return f.document(false) }

// skeleton returns the document to fill: all fields, those without a value empty.
func (f *form) skeleton() jsontext.Value { return f.document(true) }

func (f *form) document(empty bool) jsontext.Value {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b, jsontext.AllowDuplicateNames(true))
	e.WriteToken(jsontext.BeginObject)
	for _, field := range f.fields {
		value := field.value
		if value == nil && (!empty || field.readOnly) {
			continue
		}
		if value == nil {
			value = jsontext.Value(`""`)
			if field.kind != "" && field.kind != "string" {
				value = jsontext.Value("null")
			}
		}
		e.WriteToken(jsontext.String(field.name))
		e.WriteValue(value)
	}
	e.WriteToken(jsontext.EndObject)
	return bytes.TrimSpace(b.Bytes())
}

// complete returns a filled document with what the form knows of the fields that it leaves out. It says, field by
// field, what is wrong with it.
func (f *form) complete(doc jsontext.Value) (jsontext.Value, error) {
	whole := &form{}
	given := make(map[string]bool)
	err := eachMember(doc, func(name string, value jsontext.Value) {
		given[name] = true
		whole.fields = append(whole.fields, formField{name: name, value: value})
	})
	if err != nil {
		return nil, errors.New("the answer is not a JSON object")
	}
	for _, field := range f.fields {
		if !given[field.name] && field.value != nil {
			whole.fields = append(whole.fields, formField{name: field.name, value: field.value})
		}
	}
	if problems := f.problems(whole); len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return whole.answer(), nil
}

// problems says what is wrong with the values of a document.
func (f *form) problems(doc *form) []string {
	given := make(map[string]jsontext.Value)
	for _, member := range doc.fields {
		given[member.name] = member.value
	}
	var problems []string
	for _, field := range f.fields {
		value, ok := given[field.name]
		delete(given, field.name)
		if field.readOnly && !ok {
			continue // the agent's business
		}
		if field.readOnly && !(field.value != nil && equalJSON(value, field.value)) {
			problems = append(problems, field.name+": it is not for you to change; leave it out")
			continue
		}
		if err := field.check(value); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", field.name, err))
		}
	}
	for name := range given {
		problems = append(problems, fmt.Sprintf("%s: the form has no such field", name))
	}
	slices.Sort(problems)
	return problems
}

// equalJSON reports whether two values are written alike, white space aside.
func equalJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// form prints the fields of a form.
func (p printer) form(f *form) {
	if f.instructions != "" {
		p.Text(1, "Instructions", f.instructions)
	}
	for i := range f.fields {
		field := &f.fields[i]
		text := field.label()
		if hint := field.hint(); hint != "" {
			text += " (" + hint + ")"
		}
		if field.value != nil {
			text += " = " + plain(field.value)
		}
		if field.problem != "" {
			text += " - " + field.problem
		}
		p.Field(1, "Field", field.name+": "+text)
	}
}
