// SPDX-License-Identifier: Apache-2.0

package images

import (
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// answers are the fields of the form.
type answers struct {
	Subject string `json:"subject"`
	Colour  string `json:"colour"`
	Style   string `json:"style"`
	Scenery string `json:"background"`
}

// A field is one of the form, as JSON Schema has it.
type field struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum,omitempty"`
}

// fields are those of the form, in the order in which they are asked for.
type fields struct {
	Subject field `json:"subject"`
	Colour  field `json:"colour"`
	Style   field `json:"style"`
	Scenery field `json:"background"`
}

// formSchema is the JSON Schema of the form.
var formSchema = sync.OnceValues(func() (string, error) {
	schema, err := json.Marshal(map[string]any{
		"type": "object",
		"properties": fields{
			Subject: field{Type: "string", Title: "Subject", Description: "What the picture shows, in a word or a sentence"},
			Colour:  field{Type: "string", Title: "Colour", Description: "Its colour, by a CSS name"},
			Style:   field{Type: "string", Title: "Style", Description: "How it is painted", Enum: paint.Styles},
			Scenery: field{Type: "string", Title: "Background", Description: "What lies behind it", Enum: paint.Backgrounds()},
		},
		"required": []string{"subject"},
	})
	return string(schema), err
})

// askForSubject asks what to paint, with a form for clients that show forms.
func askForSubject(t *agent.Turn) error {
	schema, err := formSchema()
	if err != nil {
		return err
	}
	form := agent.Form{Schema: schema, Values: answers{}, Instructions: askSubject}
	return form.Ask(t, a2a.TextPart(askSubject))
}

// promptOf is what a message says: its text, or the answers to the form as a text.
func promptOf(m *a2a.Message, text string) string {
	if strings.TrimSpace(text) != "" || m == nil {
		return text
	}
	values, ok := agent.Form{}.Answer(m)
	if !ok {
		return text
	}
	var a answers
	if raw, err := json.Marshal(values); err != nil || json.Unmarshal(raw, &a) != nil || a.Subject == "" {
		return text
	}
	return a.prompt()
}

// prompt says the answers as a text that [Read] understands. A subject that is a sentence stays as it is, with what else
// was answered after it.
func (a answers) prompt() string {
	text := strings.TrimRight(strings.TrimSpace(a.Subject), ".!")
	if a.Colour != "" && len(strings.Fields(text)) < 3 {
		text = "draw a " + a.Colour + " " + text
	} else if a.Colour != "" {
		text += ", " + a.Colour
	}
	if a.Scenery != "" {
		text += ", in " + a.Scenery
	}
	if a.Style != "" {
		text += ", " + a.Style + " style"
	}
	return clean(text)
}
