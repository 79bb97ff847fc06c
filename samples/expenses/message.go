// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/schema"
)

// A submission is a filled form: its members by field.
type submission map[string]jsontext.Value

// readSubmission returns the filled form in a message: as data, as JSON in a text, or as lines such as "date: today".
// ok is false when the message is none. Its problem is a sentence for the one who sent it.
func readSubmission(m *a2a.Message, text string) (s submission, problem string, ok bool) {
	for _, p := range m.Parts {
		if data, isData := p.Content.(a2a.Data); isData {
			return parseSubmission(jsontext.Value(data))
		}
	}
	if doc := fenced(text); strings.HasPrefix(doc, "{") {
		return parseSubmission(jsontext.Value(doc))
	}
	s = readLines(text)
	return s, "", len(s) > 0
}

// fenced takes JSON out of the fences that chat programs put around it.
func fenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return text
}

// parseSubmission reads the fields, bare or as form_data of a document, which may be the form itself.
func parseSubmission(doc jsontext.Value) (s submission, problem string, ok bool) {
	if err := json.Unmarshal(doc, &s); err != nil {
		return nil, "That is no JSON object with the fields of the form.", true
	}
	inner, has := s["form_data"]
	if !has {
		return s, "", true
	}
	var data submission
	if err := json.Unmarshal(inner, &data); err != nil {
		return nil, "The member form_data is no object with the fields of the form.", true
	}
	if _, has := data[fieldID]; !has && s[fieldID] != nil {
		data[fieldID] = s[fieldID]
	}
	return data, "", true
}

// field is the name of a field before its value: "date: yesterday", "Request ID = ...".
var field = lazily(`(?i)(?:^|[\n,;{])[\s*"-]*(request[ _]id|date|amount|purpose)"?\s*[:=]`)

// readLines reads "field: value" in lines, or separated by commas.
func readLines(text string) submission {
	s := make(submission)
	places := field().FindAllStringSubmatchIndex(text, -1)
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		name := strings.ReplaceAll(strings.ToLower(text[at[2]:at[3]]), " ", "_")
		value := strings.Trim(text[at[1]:end], " \t\r\n,;\"*")
		quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(value, "\uFFFD"))
		if err == nil {
			s[name] = quoted
		}
	}
	return s
}

// action makes of a filled form what it wants done. Each member that is no text is a problem of its field.
func (s submission) action() (action, error) {
	a := action{kind: submit, problems: make(map[string]string)}
	checked := make(map[string]jsontext.Value, 4)
	for _, name := range []string{fieldID, fieldDate, fieldAmount, fieldPurpose} {
		value := s[name]
		switch value.Kind() {
		case 0, 'n':
			value = jsontext.Value(`""`)
		case '0':
			value = jsontext.Value(`"` + string(value) + `"`) // an amount, from those who draw number fields
		}
		checked[name] = value
	}
	doc, err := json.Marshal(checked)
	if err != nil {
		return a, fmt.Errorf("expenses: encode a submission: %w", err)
	}
	if err := checkForm(doc, a.problems); err != nil {
		return a, err
	}
	text := func(name string) string {
		var said string
		if a.problems[name] != "" || json.Unmarshal(checked[name], &said) != nil || placeholder(said) {
			return ""
		}
		return said
	}
	a.id = clean(text(fieldID))
	a.values = values{Date: text(fieldDate), Amount: text(fieldAmount), Purpose: text(fieldPurpose)}
	return a, nil
}

// checkForm checks a document against the schema of the form, and adds what is wrong, by field.
func checkForm(doc []byte, problems map[string]string) error {
	compiled, err := compiledForm()
	if err != nil {
		return err
	}
	err = compiled.Check(doc)
	if violations, ok := errors.AsType[*schema.Violations](err); ok {
		for _, v := range violations.List {
			name, _, _ := strings.Cut(strings.TrimPrefix(v.Path, "/"), "/")
			problems[name] = fmt.Sprintf("The %s must be a text: %s.", strings.ReplaceAll(name, "_", " "), v.Message)
		}
		return nil
	}
	return err
}

// placeholder reports whether a value stands for none.
func placeholder(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">")
}

// invisible reports whether a rune is a space, or does something instead of showing something.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
