// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Form asks for data by a JSON Schema. It travels as a part of data beside the words of a question; docs/forms.md
// describes that document. Most agents need [Turn.AskForm] and [Turn.FormAnswer] only.
type Form struct {
	Schema       string            // JSON Schema of an object, whose properties are the fields; required
	Values       any               // what is known already, an object with the fields; nil means nothing
	Instructions string            // for people; "" when the words beside the form say what to do
	Errors       map[string]string // what is wrong with the values, by field
}

// formDocument is a form on the wire.
type formDocument struct {
	Type         string            `json:"type"` // formType
	Schema       jsontext.Value    `json:"form"`
	Values       jsontext.Value    `json:"form_data"`
	Instructions *string           `json:"instructions"` // null when there are none
	Errors       map[string]string `json:"errors,omitempty"`
}

const formType = "form"

// AskForm ends the turn with a question for data: return t.AskForm(schema, values). The schema is the JSON Schema of
// an object. values are the fields that are already known, as a struct or a map, or nil; leave out unknown fields,
// for example with "omitzero". The words are for people; without any, the fields are put into words. Clients that
// accept no JSON get the words alone.
//
// The answer starts the next turn, which reads it with [Turn.FormAnswer]. It is taken as JSON also by agents whose card
// names no such media type.
func (t *Turn) AskForm(schema string, values any, words ...a2a.Part) error {
	return Form{Schema: schema, Values: values}.Ask(t, words...)
}

// FormAnswer reads the filled form that the message brings into v, a pointer to a struct or a map, and reports whether
// there is one: as data, as JSON in a text, or in lines such as "date: 2026-11-20". Fields that the answer leaves out
// keep the values that the form showed; those that are readOnly always do.
//
// An answer that does not fit is asked for again: the error is the form with the problem of each field, for the agent
// to return. An answer does not fit if a required field is missing, if a value is not of the type or not in the enum
// of its field's schema, or if v cannot hold it. Other rules of the schema are not checked.
//
// Only the properties of the form's schema are read. Data that no form asked for is no answer.
func (t *Turn) FormAnswer(v any) (bool, error) {
	if t.info.Message == nil {
		return false, nil
	}
	form, asked := t.openForm()
	if !asked {
		return false, nil
	}
	given, ok := form.Answer(t.info.Message)
	if !ok {
		return false, nil
	}
	values, problems := form.fill(given)
	if len(problems) == 0 {
		field, err := decodeFields(values, v)
		if err == nil {
			return true, nil
		}
		if field == "" {
			return false, fmt.Errorf("agent: the answer to a form: %w", err)
		}
		problems = map[string]string{field: "has a value that does not fit"}
	}
	form.Values, form.Errors, form.Instructions = values, problems, ""
	return false, form.Ask(t)
}

// openForm returns the form that the agent asked last, before the message.
func (t *Turn) openForm() (Form, bool) {
	history := t.backend.Task().History
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role != a2a.RoleAgent {
			continue
		}
		if form, ok := FindForm(history[i].Parts...); ok {
			return form, true
		}
	}
	return Form{}, false
}

// decodeFields decodes fields into v, which stays as it is on an error. field is the one that does not fit, if it is
// one.
func decodeFields(values map[string]jsontext.Value, v any) (field string, err error) {
	raw, err := json.Marshal(values)
	if err != nil {
		return "", err
	}
	if to := reflect.TypeOf(v); to != nil && to.Kind() == reflect.Pointer {
		err = json.Unmarshal(raw, reflect.New(to.Elem()).Interface())
	}
	if err == nil {
		return "", json.Unmarshal(raw, v)
	}
	if misfit, ok := errors.AsType[*json.SemanticError](err); ok {
		for token := range misfit.JSONPointer.Tokens() {
			return token, err
		}
	}
	return "", err
}

// Ask ends the turn with the form, as [Turn.AskForm] does: return form.Ask(t).
func (f Form) Ask(t *Turn, words ...a2a.Part) error {
	part, err := f.Part()
	if err != nil {
		return err
	}
	if len(words) == 0 {
		words = []a2a.Part{a2a.TextPart(f.words())}
	}
	// Before 1.0 clients that draw forms say that they accept text and images, as the first ones did.
	takesJSON := t.Accepts(part.MediaType) || t.Generation() != a2a.Generation10 && t.Generation() != ""
	switch {
	case !takesJSON:
		return t.Ask(words...)
	case !t.Accepts("text/plain"):
		return t.Ask(part)
	}
	return t.Ask(append(words[:len(words):len(words)], part)...)
}

// Part returns the form as a part, for a question that has more in it. It is an error if the schema is not that of an
// object with properties, or the values are no object.
func (f Form) Part() (a2a.Part, error) {
	if len(f.fields()) == 0 {
		return a2a.Part{}, errors.New("agent: the schema of a form must be the JSON Schema of an object with " +
			"properties")
	}
	doc := formDocument{Type: formType, Schema: jsontext.Value(f.Schema), Values: jsontext.Value("{}"),
		Errors: f.Errors}
	if f.Values != nil {
		values, err := json.Marshal(f.Values, json.Deterministic(true))
		if err != nil {
			return a2a.Part{}, fmt.Errorf("agent: the values of a form: %w", err)
		}
		if doc.Values = values; doc.Values.Kind() != '{' {
			return a2a.Part{}, fmt.Errorf("agent: the values of a form are a %T, which is no object in JSON", f.Values)
		}
	}
	if f.Instructions != "" {
		doc.Instructions = &f.Instructions
	}
	part, err := a2a.DataPart(doc)
	if err != nil {
		return a2a.Part{}, fmt.Errorf("agent: form: %w", err)
	}
	part.MediaType = "application/json"
	return part, part.Metadata.Set(wantMimeType, part.MediaType) // where the documents of 2025 have it
}

// FindForm returns the first form among the parts of a question, for those who show forms or pass them on. Its Values
// are a map[string]jsontext.Value.
func FindForm(parts ...a2a.Part) (Form, bool) {
	for _, p := range parts {
		var doc struct {
			Type         jsontext.Value `json:"type"`
			Schema       jsontext.Value `json:"form"`
			Values       jsontext.Value `json:"form_data"`
			Instructions jsontext.Value `json:"instructions"`
			Errors       jsontext.Value `json:"errors"`
		}
		if p.Data().Kind() != '{' || p.Decode(&doc) != nil || text(doc.Type) != formType || doc.Schema.Kind() != '{' {
			continue
		}
		form := Form{Schema: string(doc.Schema), Instructions: text(doc.Instructions)}
		var values map[string]jsontext.Value
		_ = json.Unmarshal(doc.Values, &values) // what is of another type says nothing
		_ = json.Unmarshal(doc.Errors, &form.Errors)
		form.Values = values
		return form, true
	}
	return Form{}, false
}

// Answer returns the fields of the filled form in a message, unchanged, and reports whether the message has one. It
// reads data, JSON in a text, and lines that begin with the name or the title of a field. In JSON the fields are bare
// or the member "form_data". Without a Schema it finds no lines.
func (f Form) Answer(m *a2a.Message) (map[string]jsontext.Value, bool) {
	for _, p := range m.Parts {
		if data := p.Data(); data != nil {
			return f.readJSON(data)
		}
	}
	said := m.Text()
	if doc := unfenced(said); strings.HasPrefix(doc, "{") {
		return f.readJSON(jsontext.Value(doc))
	}
	values := f.readLines(said)
	return values, len(values) > 0
}

// readJSON reads the fields of a document, which may be the form itself. Fields beside form_data count as well.
func (f Form) readJSON(doc jsontext.Value) (values map[string]jsontext.Value, ok bool) {
	if json.Unmarshal(doc, &values) != nil || values == nil {
		return nil, false
	}
	inner, wrapped := values["form_data"]
	if !wrapped {
		return values, true
	}
	var fields map[string]jsontext.Value
	if json.Unmarshal(inner, &fields) != nil || fields == nil {
		return nil, false
	}
	for _, field := range f.fields() {
		if _, has := fields[field.name]; !has && values[field.name] != nil {
			fields[field.name] = values[field.name]
		}
	}
	return fields, true
}

// unfenced takes JSON out of the fences that chat programs put around it.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return text
}
