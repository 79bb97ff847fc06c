// SPDX-License-Identifier: Apache-2.0

// Package form reads the forms that agents ask to be filled, and asks a person for their fields.
package form

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Form is an [agent.Form] that an agent asks to be filled, as it is shown at a terminal.
type Form struct {
	fields       []Field // in the order of the document
	instructions string  // "" as well when a text beside the form says them
	Source       string  // the document
}

// Find returns the form in the parts, if there is one.
func Find(parts []a2a.Part) *Form {
	for i := range parts {
		if f := In(parts, i); f != nil {
			return f
		}
	}
	return nil
}

// In returns the form that one of the parts is; nil for none. Instructions that a text has already are left out.
func In(parts []a2a.Part, i int) *Form {
	data, ok := parts[i].Content.(a2a.Data)
	if !ok {
		return nil
	}
	f := Parse(jsontext.Value(data))
	if f != nil && slices.ContainsFunc(parts, func(p a2a.Part) bool {
		text, ok := p.Content.(a2a.Text)
		return ok && strings.Contains(string(text), f.instructions)
	}) {
		f.instructions = ""
	}
	return f
}

// Parse reads a form document; nil when the data is none.
func Parse(data jsontext.Value) *Form {
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
	f := &Form{instructions: doc.Instructions, Source: string(data)}
	err := EachMember(schema.Properties, func(name string, about jsontext.Value) {
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

// EachMember calls visit for each member of an object, in order.
func EachMember(object jsontext.Value, visit func(name string, value jsontext.Value)) error {
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

// carry takes over what was answered to the form before, for the fields whose value the agent did not keep.
func (f *Form) carry(before *Form) {
	for i := range f.fields {
		for _, old := range before.fields {
			if field := &f.fields[i]; field.name == old.name && field.value == nil {
				field.value = old.value
			}
		}
	}
}

// Answer returns the document of the fields that have a value.
func (f *Form) Answer() jsontext.Value { return f.document(false) }

// Skeleton returns the document to fill: all fields, those without a value empty.
func (f *Form) Skeleton() jsontext.Value { return f.document(true) }

func (f *Form) document(empty bool) jsontext.Value {
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

// Complete returns a filled document with what the form knows of the fields that it leaves out. It says, field by
// field, what is wrong with it.
func (f *Form) Complete(doc jsontext.Value) (jsontext.Value, error) {
	whole := &Form{}
	given := make(map[string]bool)
	err := EachMember(doc, func(name string, value jsontext.Value) {
		given[name] = true
		whole.fields = append(whole.fields, Field{name: name, value: value})
	})
	if err != nil {
		return nil, errors.New("the answer is not a JSON object")
	}
	for _, field := range f.fields {
		if !given[field.name] && field.value != nil {
			whole.fields = append(whole.fields, Field{name: field.name, value: field.value})
		}
	}
	if problems := f.problems(whole); len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return whole.Answer(), nil
}

// problems says what is wrong with the values of a document.
func (f *Form) problems(doc *Form) []string {
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

// Print prints the fields of the form.
func (f *Form) Print(p *terminal.Printer) {
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
