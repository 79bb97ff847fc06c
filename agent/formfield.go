// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// formField is what a form's schema says of one field.
type formField struct {
	name     string
	title    string // the name, when the schema has none
	about    string // the description
	kind     string // the type; "" when there are several, or none
	choices  []jsontext.Value
	example  jsontext.Value // nil for none
	readOnly bool
	required bool
}

// fields returns the fields of the form in the order of the schema, nil when that is none of an object.
func (f Form) fields() []formField {
	var schema struct {
		Properties jsontext.Value   `json:"properties"`
		Required   []jsontext.Value `json:"required"`
	}
	if json.Unmarshal([]byte(f.Schema), &schema) != nil || schema.Properties.Kind() != '{' {
		return nil
	}
	var fields []formField
	d := jsontext.NewDecoder(bytes.NewReader(schema.Properties))
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		var name jsontext.Token
		var about jsontext.Value
		if name, err = d.ReadToken(); err != nil {
			break
		}
		field := formField{name: name.String()} // before the token is gone
		if about, err = d.ReadValue(); err != nil {
			break
		}
		field.read(about)
		field.required = slices.ContainsFunc(schema.Required,
			func(r jsontext.Value) bool { return text(r) == field.name })
		fields = append(fields, field)
	}
	return fields
}

// read fills the field from its schema. It ignores values of another type than JSON Schema prescribes.
func (f *formField) read(schema jsontext.Value) {
	var s struct {
		Title       jsontext.Value   `json:"title"`
		Description jsontext.Value   `json:"description"`
		Type        jsontext.Value   `json:"type"`
		Enum        []jsontext.Value `json:"enum"`
		Examples    []jsontext.Value `json:"examples"`
		ReadOnly    bool             `json:"readOnly"`
	}
	_ = json.Unmarshal(schema, &s)
	f.title, f.about, f.kind = cmp.Or(text(s.Title), f.name), text(s.Description), text(s.Type)
	f.choices, f.readOnly = s.Enum, s.ReadOnly
	if len(s.Examples) > 0 {
		f.example = s.Examples[0]
	}
}

// fill returns the fields of the schema as they are with an answer, and what is wrong with them.
func (f Form) fill(given map[string]jsontext.Value) (values map[string]jsontext.Value, problems map[string]string) {
	values = make(map[string]jsontext.Value)
	known, _ := f.Values.(map[string]jsontext.Value) // as FindForm has it
	problems = map[string]string{}
	for _, field := range f.fields() {
		value, has := given[field.name]
		if !has || field.readOnly {
			if value, has = known[field.name]; has && isBlank(value) {
				has = false // a placeholder, which asks for the value
			}
		}
		if !has || isBlank(value) {
			if field.required {
				problems[field.name] = "is missing"
			}
			continue
		}
		var problem string
		if values[field.name], problem = field.take(value); problem != "" {
			problems[field.name] = problem
		}
	}
	return values, problems
}

// take returns a value as the field's type has it, and what is wrong with it. People and their programs write numbers
// and yes or no as text.
func (f *formField) take(value jsontext.Value) (taken jsontext.Value, problem string) {
	switch said := strings.TrimSpace(text(value)); {
	case f.kind == "string" && value.Kind() == '0':
		value = jsontext.Value(strconv.Quote(string(value)))
	case f.kind == "boolean" && slices.Contains([]string{"yes", "y", "true"}, strings.ToLower(said)):
		value = jsontext.Value("true")
	case f.kind == "boolean" && slices.Contains([]string{"no", "n", "false"}, strings.ToLower(said)):
		value = jsontext.Value("false")
	case f.kind == "number" || f.kind == "integer":
		if number := jsontext.Value(said); number.Kind() == '0' && number.IsValid() {
			value = number
		}
	}
	if f.kind == "integer" && value.Kind() == '0' {
		value = whole(value)
	}
	if !f.fits(value) {
		article := "a"
		if strings.ContainsRune("aeio", rune(f.kind[0])) {
			article = "an"
		}
		return value, fmt.Sprintf("must be %s %s", article, f.kind)
	}
	chosen := func(c jsontext.Value) bool { return plain(c) == plain(value) }
	if len(f.choices) > 0 && !slices.ContainsFunc(f.choices, chosen) {
		return value, "must be one of " + f.listed()
	}
	return value, ""
}

// whole returns a number such as 1.0 or 1e2 as Go reads integers, and others as they are.
func whole(number jsontext.Value) jsontext.Value {
	if !strings.ContainsAny(string(number), ".eE") {
		return number
	}
	f, _, err := big.ParseFloat(string(number), 10, 256, big.ToNearestEven)
	if err != nil {
		return number
	}
	if n, exactly := f.Int64(); exactly == big.Exact {
		return jsontext.Value(strconv.FormatInt(n, 10))
	}
	return number
}

// fits reports whether a value is of the field's type.
func (f *formField) fits(value jsontext.Value) bool {
	switch kind := value.Kind(); f.kind {
	case "string":
		return kind == '"'
	case "number":
		return kind == '0'
	case "integer":
		return kind == '0' && !strings.ContainsAny(string(value), ".eE")
	case "boolean":
		return kind == 't' || kind == 'f'
	case "array":
		return kind == '['
	case "object":
		return kind == '{'
	}
	return true
}

// isBlank reports whether a value stands for none: null, "", or a placeholder such as "<transaction date>".
func isBlank(v jsontext.Value) bool {
	if v.Kind() == 'n' || len(v) == 0 {
		return true
	}
	said := strings.TrimSpace(text(v))
	return v.Kind() == '"' && (said == "" || strings.HasPrefix(said, "<") && strings.HasSuffix(said, ">"))
}

// plain returns a value as people write it.
func plain(v jsontext.Value) string {
	if v.Kind() == '"' {
		return text(v)
	}
	return string(v)
}

func (f *formField) listed() string {
	all := make([]string, len(f.choices))
	for i, choice := range f.choices {
		all[i] = plain(choice)
	}
	return strings.Join(all, ", ")
}

// words says the form to people who see no forms, in the lines that they may answer with.
func (f Form) words() string {
	lines := []string{cmp.Or(f.Instructions, "Please answer with these lines, filled in:")}
	known := map[string]jsontext.Value{}
	if raw, err := json.Marshal(f.Values); err == nil {
		_ = json.Unmarshal(raw, &known)
	}
	for _, field := range f.fields() {
		line := field.title + ":"
		if value := known[field.name]; !isBlank(value) {
			line += " " + plain(value)
		}
		var notes []string
		if problem := f.Errors[field.name]; problem != "" {
			notes = append(notes, problem)
		}
		switch {
		case field.about != "" && field.about != field.title:
			notes = append(notes, field.about)
		case len(field.choices) > 0 && !strings.Contains(f.Errors[field.name], field.listed()):
			notes = append(notes, field.listed())
		}
		if field.example != nil {
			notes = append(notes, "such as "+plain(field.example))
		}
		if !field.required {
			notes = append(notes, "optional")
		}
		if len(notes) > 0 {
			line += " (" + strings.Join(notes, "; ") + ")"
		}
		if !field.readOnly {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// readLines reads "field: value" in lines, or one after the other with commas between.
func (f Form) readLines(said string) map[string]jsontext.Value {
	fields := f.fields()
	if len(fields) == 0 {
		return nil
	}
	names, byName := []string{}, map[string]string{}
	for _, field := range fields {
		for _, name := range []string{field.name, field.title} {
			name = spaced(name)
			names, byName[name] = append(names, strings.ReplaceAll(regexp.QuoteMeta(name), " ", "[ _]+")), field.name
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest one that fits
	labels, err := regexp.Compile(`(?i)(?:^|[\n,;{])[\s*"-]*(` + strings.Join(names, "|") + `)"?\s*[:=]`)
	if err != nil {
		return nil
	}
	values := map[string]jsontext.Value{}
	places := labels.FindAllStringSubmatchIndex(said, -1)
	for i, at := range places {
		end := len(said)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		value := strings.Trim(said[at[1]:end], " \t\r\n,;\"*")
		if quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(value, "\uFFFD")); err == nil {
			values[byName[spaced(said[at[2]:at[3]])]] = quoted
		}
	}
	return values
}

// spaced returns a name in lower case, with one space where it has others or underscores.
func spaced(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '_' }),
		" ")
}
