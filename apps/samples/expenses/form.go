// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

// The fields of the form.
const (
	fieldID      = "request_id"
	fieldDate    = "date"
	fieldAmount  = "amount"
	fieldPurpose = "purpose"
)

// formSchema is the JSON Schema of the form. The format "number" is none that JSON Schema knows: those who draw the
// form take it for the kind of input field.
const formSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
	`"date":{"type":"string","format":"date","title":"Date","description":"Date of expense"},` +
	`"amount":{"type":"string","format":"number","title":"Amount","description":"Amount of expense",` +
	`"examples":["20 USD"]},` +
	`"purpose":{"type":"string","title":"Purpose","description":"Purpose of expense"},` +
	`"request_id":{"type":"string","title":"Request ID","description":"Request id","readOnly":true}},` +
	`"required":["request_id","date","amount","purpose"]}`

// The form shows these placeholders for unknown values.
const (
	noDate    = "<transaction date>"
	noAmount  = "<transaction dollar amount>"
	noPurpose = "<business justification/purpose of the transaction>"
)

// FormData is what is known of a request, as the form shows it. Unknown fields are placeholders in angle brackets.
type FormData struct {
	ID      string `json:"request_id"`
	Date    string `json:"date"`
	Amount  string `json:"amount"` // a number and a currency, such as "21.62 USD"
	Purpose string `json:"purpose"`
}

// A Receipt is the data of an approved request.
type Receipt struct {
	ID      string `json:"request_id"`
	Status  string `json:"status"` // "approved"
	Amount  string `json:"amount"`
	Date    string `json:"date"` // 2006-01-02
	Purpose string `json:"purpose"`
}

func (o outcome) form() agent.Form {
	return agent.Form{
		Schema: formSchema, Instructions: o.instructions(), Errors: o.problems,
		Values: FormData{
			ID: o.request.ID, Date: cmp.Or(o.request.Date, noDate),
			Amount: cmp.Or(o.request.Amount, noAmount), Purpose: cmp.Or(o.request.Purpose, noPurpose),
		},
	}
}

// instructions say what is to be done with the form, for people.
func (o outcome) instructions() string {
	sentences := []string{o.text}
	for _, field := range []string{fieldID, fieldDate, fieldAmount, fieldPurpose} {
		sentences = append(sentences, o.problems[field])
	}
	missing := o.request.missing(o.problems)
	switch {
	case len(missing) > 0:
		sentences = append(sentences, "Please fill in the "+reply.And(missing)+".")
	case len(o.problems) == 0:
		sentences = append(sentences, "Please check the form and send it back, or say yes.")
	}
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
	return strings.Join(sentences, " ")
}

// formText is the form in words, for those who see no forms.
func (o outcome) formText() string {
	return "Reimbursement request " + o.request.ID + ": " + o.instructions() +
		"\nDate: " + cmp.Or(o.request.Date, "missing") +
		"\nAmount: " + cmp.Or(o.request.Amount, "missing") +
		"\nPurpose: " + cmp.Or(o.request.Purpose, "missing")
}

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

func placeholder(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">")
}
