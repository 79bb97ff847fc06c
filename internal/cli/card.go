// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const cardGetLong = `get shows the public card. With --extended it requests the extended card with your
credentials.`

func (c *command) cardCommand() *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use:     "card",
		Short:   "Work with agent cards",
		Example: "  dragoman card get -a http://127.0.0.1:8080",
	}, c.cardGetCommand(), c.cardValidateCommand(), c.cardConvertCommand())
}

func (c *command) cardGetCommand() *cobra.Command {
	var extended, validate bool
	get := &cobra.Command{
		Use:   "get",
		Short: "Show the card of an agent",
		Long:  cardGetLong,
		Example: "  dragoman card get -a http://127.0.0.1:8080\n  dragoman card get -a card.json -o json\n  dragoman " +
			"card get -a agent.example.com --extended",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.within(cmd, &seen{}, func(ctx context.Context) error {
				if validate && extended {
					return cmdline.Usagef("--validate checks the public card: it cannot be combined with --extended")
				}
				if validate {
					raw, err := c.rawCard(ctx, nil)
					if err != nil {
						return err
					}
					return c.showProblems(raw)
				}
				get := c.Card
				if extended {
					get = c.extendedCard
				}
				card, err := get(ctx)
				if err != nil {
					return err
				}
				return c.show(card, func(p printer) { p.card(card) })
			})
		},
	}
	get.Flags().BoolVar(&extended, "extended", false, "show the extended card, with your credentials")
	get.Flags().BoolVar(&validate, "validate", false,
		"validate the public card instead of showing it, as card validate does")
	return get
}

// extendedCard asks the agent for the card that it shows to callers it knows.
func (c *command) extendedCard(ctx context.Context) (*a2a.AgentCard, error) {
	agent, err := c.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer agent.Close()
	if c.Bearer != "" && !connect.TakesToken(agent.Card()) { // the key of --api-key goes only where a scheme wants it
		return nil, cmdline.Usagef("--bearer is not sent for the extended card: the agent's card declares no bearer " +
			"scheme").
			WithHint("see what the agent takes with " + terminal.CommandLine(c.CommandFor("card", "get")))
	}
	return agent.ExtendedCard(ctx, &a2a.ExtendedCardRequest{})
}

func (p printer) card(card *a2a.AgentCard) {
	p.Field(0, "Name", card.Name)
	p.Text(0, "Description", card.Description)
	p.Field(0, "Version", card.Version)
	if card.Provider != nil {
		p.Field(0, "Provider", describeFile(card.Provider.Organization, "", card.Provider.URL))
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

func (p printer) optional(label string, value *string) {
	if value != nil {
		p.Field(0, label, *value)
	}
}

func (p printer) capabilities(can *a2a.AgentCapabilities) {
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

func (p printer) security(card *a2a.AgentCard) {
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

func (p printer) skill(skill *a2a.AgentSkill) {
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
