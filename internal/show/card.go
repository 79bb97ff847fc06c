// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// Card prints an agent card.
func (p Printer) Card(card *a2a.AgentCard) {
	p.Field(0, "Name", card.Name)
	p.Text(0, "Description", card.Description)
	p.Field(0, "Version", card.Version)
	if card.Provider != nil {
		p.Field(0, "Provider", DescribeFile(card.Provider.Organization, "", card.Provider.URL))
	}
	p.optional("Documentation", card.DocumentationURL)
	p.optional("Icon", card.IconURL)
	for _, iface := range card.SupportedInterfaces {
		p.Field(0, "Interface", fmt.Sprintf("%s %s %s", iface.Binding, iface.ProtocolVersion, iface.URL))
		p.Field(1, "Tenant", iface.Tenant)
	}
	p.capabilities(&card.Capabilities)
	p.Field(0, "Input modes", strings.Join(card.DefaultInputModes, ", "))
	p.Field(0, "Output modes", strings.Join(card.DefaultOutputModes, ", "))
	p.security(card)
	if n := len(card.Signatures); n > 0 {
		p.Field(0, "Signatures", cmdline.Itoa(n)+", not verified")
	}
	p.End()
	for i := range card.Skills {
		p.skill(&card.Skills[i])
	}
}

func (p Printer) optional(label string, value *string) {
	if value != nil {
		p.Field(0, label, *value)
	}
}

func (p Printer) capabilities(can *a2a.AgentCapabilities) {
	p.Field(0, "Streaming", cmdline.YesNo(can.Streaming))
	p.Field(0, "Push notifications", cmdline.YesNo(can.PushNotifications))
	p.Field(0, "Extended card", cmdline.YesNo(can.ExtendedAgentCard))
	for _, ext := range can.Extensions {
		p.Field(0, "Extension", ext.URI)
		if ext.Required {
			p.Field(1, "Required", "yes")
		}
		p.Field(1, "Description", ext.Description)
	}
}

func (p Printer) security(card *a2a.AgentCard) {
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		p.Field(0, "Security scheme", name+" ("+schemeName(card.SecuritySchemes[name])+")")
	}
	for _, need := range card.SecurityRequirements {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(need)) {
			all = append(all, strings.TrimSpace(name+" "+strings.Join(need[name], " ")))
		}
		p.Field(0, "Security requirement", strings.Join(all, " and "))
	}
}

func schemeName(scheme a2a.SecurityScheme) string {
	switch s := scheme.(type) {
	case *a2a.APIKeyScheme:
		return "API key in " + s.Location + " " + s.Name
	case *a2a.HTTPAuthScheme:
		return "HTTP " + s.Scheme
	case *a2a.OAuth2Scheme:
		return "OAuth 2.0"
	case *a2a.OpenIDConnectScheme:
		return "OpenID Connect " + s.URL
	case *a2a.MutualTLSScheme:
		return "client certificate"
	}
	return "unknown"
}

func (p Printer) skill(skill *a2a.AgentSkill) {
	p.Field(0, "Skill", skill.ID)
	p.Field(1, "Name", skill.Name)
	p.Text(1, "Description", skill.Description)
	p.Field(1, "Tags", strings.Join(skill.Tags, ", "))
	for _, example := range skill.Examples {
		p.Text(1, "Example", example)
	}
	p.Field(1, "Input modes", strings.Join(skill.InputModes, ", "))
	p.Field(1, "Output modes", strings.Join(skill.OutputModes, ", "))
	p.End()
}
