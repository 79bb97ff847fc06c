// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const cardGetLong = `get shows the public card. With --extended it requests the extended card with your
credentials.`

func cardCommand(c *connect.Caller) *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use:     "card",
		Short:   "Work with agent cards",
		Example: "  dragoman card get -a http://127.0.0.1:8080",
	}, cardGet(c), cardValidate(c), cardConvert(c), cardKey(c), cardSign(c), cardVerify(c))
}

func cardGet(c *connect.Caller) *cobra.Command {
	var extended, validate bool
	get := &cobra.Command{
		Use:   "get",
		Short: "Show the card of an agent",
		Long:  cardGetLong,
		Example: "  dragoman card get -a http://127.0.0.1:8080\n  dragoman card get -a card.json -o json\n  dragoman " +
			"card get -a agent.example.com --extended",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.Within(cmd.Context(), nil, func(ctx context.Context) error {
				if validate && extended {
					return cmdline.Usagef("--validate checks the public card: it cannot be combined with --extended")
				}
				if validate {
					raw, err := rawCard(ctx, c, nil)
					if err != nil {
						return err
					}
					return showProblems(c, raw)
				}
				get := c.Card
				if extended {
					get = func(ctx context.Context) (*a2a.AgentCard, error) { return extendedCard(ctx, c) }
				}
				card, err := get(ctx)
				if err != nil {
					return err
				}
				return show.Card(c.Terminal, card)
			})
		},
	}
	get.Flags().BoolVar(&extended, "extended", false, "show the extended card, with your credentials")
	get.Flags().BoolVar(&validate, "validate", false,
		"validate the public card instead of showing it, as card validate does")
	return get
}

// extendedCard asks the agent for the card that it shows to callers it knows.
func extendedCard(ctx context.Context, c *connect.Caller) (*a2a.AgentCard, error) {
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
