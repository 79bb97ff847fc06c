// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// A submission is a filled form: its members by field.
type submission map[string]jsontext.Value

const noSubmission = "That is no JSON object with the fields of the form."

// readSubmission returns the filled form in a message. ok is false when the message is none. Its problem is a sentence
// for the one who sent it.
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
func (s submission) action() action {
	a := action{kind: submit, problems: make(map[string]string)}
	text := func(name string) (said string) {
		switch value := s[name]; value.Kind() {
		case 0, 'n':
		case '0':
			said = string(value) // an amount, from those who draw number fields
		default:
			if err := json.Unmarshal(value, &said); err != nil {
				a.problems[name] = fmt.Sprintf("The %s must be a text.", strings.ReplaceAll(name, "_", " "))
			}
		}
		if placeholder(said) {
			return ""
		}
		return said
	}
	a.id = clean(text(fieldID))
	a.values = values{Date: text(fieldDate), Amount: text(fieldAmount), Purpose: text(fieldPurpose)}
	return a
}

// placeholder reports whether a value stands for none.
func placeholder(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">")
}
