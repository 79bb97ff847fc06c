// SPDX-License-Identifier: Apache-2.0

package images

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/samples/images/paint"
)

// answers are the fields of the form.
type answers struct {
	Subject string `json:"subject"`
	Colour  string `json:"colour"`
	Style   string `json:"style"`
	Scenery string `json:"background"`
}

// formPart asks what to paint, for clients that show forms.
func formPart() (a2a.Part, error) {
	text := func(title, description string) map[string]any {
		return map[string]any{"type": "string", "title": title, "description": description}
	}
	choice := func(title, description string, of []string) map[string]any {
		field := text(title, description)
		field["enum"] = of
		return field
	}
	part, err := a2a.DataPart(map[string]any{
		"type": "form",
		"form": map[string]any{
			"type": "object",
			"properties": map[string]any{
				"subject":    text("Subject", "What the picture shows"),
				"colour":     text("Colour", "Its colour, by a CSS name"),
				"style":      choice("Style", "How it is painted", paint.Styles),
				"background": choice("Background", "What lies behind it", paint.Backgrounds()),
			},
			"required": []string{"subject"},
		},
		"form_data":    answers{Style: "flat"},
		"instructions": askSubject,
	})
	part.MediaType = "application/json"
	return part, err
}

// promptOf is what a message says: its text, or the answers to the form as a text.
func promptOf(m *a2a.Message, text string) string {
	if strings.TrimSpace(text) != "" || m == nil {
		return text
	}
	for _, part := range m.Parts {
		data, ok := part.Content.(a2a.Data)
		if !ok {
			continue
		}
		var wrapped struct {
			answers
			FormData *answers `json:"form_data"`
		}
		if json.Unmarshal(data, &wrapped) != nil {
			continue
		}
		a := wrapped.answers
		if wrapped.FormData != nil {
			a = *wrapped.FormData
		}
		if a.Subject != "" {
			return a.prompt()
		}
	}
	return text
}

// prompt says the answers as a sentence that [Read] understands.
func (a answers) prompt() string {
	text := "draw a " + a.Colour + " " + a.Subject
	if a.Scenery != "" {
		text += ", in " + a.Scenery
	}
	if a.Style != "" {
		text += ", " + a.Style + " style"
	}
	return clean(text)
}
