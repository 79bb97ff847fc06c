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
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// A submission is a filled form: its members by field.
type submission map[string]jsontext.Value

const noSubmission = "That is no JSON object with the fields of the form."

// readSubmission returns the filled form in a message. ok is false when the message is none. Its problem is a sentence for
// the one who sent it.
func readSubmission(m *a2a.Message) (s submission, problem string, ok bool) {
	if values, ok := (agent.Form{Schema: formSchema}).Answer(m); ok {
		return values, "", true
	}
	for _, p := range m.Parts {
		if p.Data() != nil {
			return nil, noSubmission, true
		}
	}
	if strings.HasPrefix(strings.TrimSpace(m.Text()), "{") {
		return nil, noSubmission, true
	}
	return nil, "", false
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
