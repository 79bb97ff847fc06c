// SPDX-License-Identifier: Apache-2.0

package registrycmd

import (
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// entry prints an agent of a registry in short.
func entry(p *terminal.Printer, e *registry.Entry) {
	p.Field(0, "Agent", e.Alias)
	p.Field(1, "ID", e.ID)
	p.Field(1, "URL", card.AgentURL(e.URL))
	if e.Card.Name != e.Alias {
		p.Field(1, "Name", e.Card.Name)
	}
	if e.Card.Description != "" {
		p.Text(1, "Description", e.Card.Description)
	}
	var skills []string
	for i := range e.Card.Skills {
		skills = append(skills, e.Card.Skills[i].Name)
	}
	p.Field(1, "Skills", strings.Join(skills, ", "))
	p.Field(1, "Generations", joinGenerations(e.Generations))
	p.Field(1, "Card", cmdline.Itoa(e.CardVersion)+", since "+instant(e.UpdatedAt))
	p.Field(1, "Signature", signatureText(e.Signature))
	p.Field(1, "Health", healthText(&e.Health))
	p.Field(1, "Error", e.Health.Error)
	p.End()
}

// entryLine prints an agent of a registry on one line.
func entryLine(p *terminal.Printer, e *registry.Entry) {
	words := []string{string(e.Health.State)}
	if e.URL != "" {
		words = append(words, card.AgentURL(e.URL))
	}
	if versions := joinGenerations(e.Generations); versions != "" {
		words = append(words, "versions "+versions)
	}
	if e.Signature != nil {
		words = append(words, "verified")
	}
	p.Field(0, "Agent", e.Alias+" - "+strings.Join(words, ", "))
}

// signatureText says by which key the registry has verified a card; "" if by none.
func signatureText(s *registry.Signature) string {
	if s == nil {
		return ""
	}
	text := "verified by the key " + s.KeyID
	if s.KeysURL != "" {
		text += " of " + s.KeysURL
	}
	return text
}

func joinGenerations(list []a2a.Generation) string {
	var texts []string
	for _, gen := range list {
		texts = append(texts, string(gen))
	}
	return strings.Join(texts, ", ")
}

func healthText(h *registry.Health) string {
	text := string(h.State)
	if !h.Since.IsZero() {
		text += " since " + instant(h.Since)
	}
	if !h.CheckedAt.IsZero() {
		text += ", checked " + instant(h.CheckedAt)
	}
	return text
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
