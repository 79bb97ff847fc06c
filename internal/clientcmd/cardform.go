// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const cardValidateLong = `validate checks a card of any protocol version by the rules of that version. It names the rule
for each problem; docs/cards.md lists the sources of the rules. The card is a file, a URL, - for
standard input, or the agent of -a. If there are errors, the exit code is 1. Warnings do not
change it.`

func cardValidate(c *connect.Caller) *cobra.Command {
	return &cobra.Command{
		Use:     "validate [FILE|URL]",
		Short:   "Validate a card",
		Long:    cardValidateLong,
		Example: "  dragoman card validate card.json\n  dragoman card validate https://agent.example.com -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Within(cmd.Context(), nil, func(ctx context.Context) error {
				raw, err := rawCard(ctx, c, args)
				if err != nil {
					return err
				}
				return showProblems(c, raw)
			})
		},
	}
}

// rawCard returns a card as it is, by the argument or by -a.
func rawCard(ctx context.Context, c *connect.Caller, args []string) ([]byte, error) {
	ref := c.Agent
	if len(args) > 0 && c.FromFlag("agent-card") {
		return nil, cmdline.Usagef("a card is named twice: %s and -a", args[0])
	}
	if len(args) > 0 {
		ref = args[0]
	}
	if ref == "-" {
		return cardFromInput(c)
	}
	if ref == "" {
		return nil, cmdline.Usagef("no card is named").WithHint("give the file or the URL of a card")
	}
	return c.RawCard(ctx, ref)
}

// cardNamed returns what rawCard reads.
func cardNamed(c *connect.Caller, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return c.Agent
}

// cardFromInput reads a card from standard input.
func cardFromInput(c *connect.Caller) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(c.Stdin, maxCard+1))
	if err != nil {
		return nil, fmt.Errorf("read the card from standard input: %w", err)
	}
	if len(raw) > maxCard {
		return nil, cmdline.Usagef("the card on standard input is larger than 1 MiB")
	}
	return raw, nil
}

// maxCard is the size of the largest card, in bytes, which is that of one that is fetched.
const maxCard = 1 << 20

func showProblems(c *connect.Caller, raw []byte) error {
	problems := card.Validate(raw)
	form, _ := card.FormOf(raw) // "" for what is no card, which is among the problems
	if c.AsJSON {
		report := struct {
			Form     card.Form      `json:"form,omitempty"`
			Problems []card.Problem `json:"problems"`
		}{form, problems}
		if err := c.ShowValue(report); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintf(c.Out, "%s %s %s\n", p.Severity, p.Rule,
				terminal.Inline(strings.TrimSpace(p.Path+" "+p.Message)))
		}
		if len(problems) == 0 {
			fmt.Fprintf(c.Out, "Nothing is wrong with this card. Its form is %s.\n", form)
		}
	}
	if !card.HasErrors(problems) {
		return nil
	}
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeCardInvalid, Message: "the card has errors",
		Hint: "docs/cards.md says what each rule wants"}
}

const cardConvertLong = `convert writes a card as a card of another protocol version, or as one card for all versions
(union). It prints to standard error which fields the new card cannot hold. The card is a file, a
URL, - for standard input, or the agent of -a. The agent still speaks the same version: to serve
other versions too, put dragoman gateway in front of it.`

func cardConvert(c *connect.Caller) *cobra.Command {
	var to string
	convert := &cobra.Command{
		Use:   "convert --to FORM [FILE|URL]",
		Short: "Convert a card to another protocol version",
		Long:  cardConvertLong,
		Example: "  dragoman card convert --to 0.3 card.json\n  dragoman card convert --to union " +
			"https://agent.example.com",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isForm(to) {
				return cmdline.Usagef("--to is %q", to).WithHint("give it one of " + formList())
			}
			return c.Within(cmd.Context(), nil,
				func(ctx context.Context) error { return convertCard(ctx, c, args, card.Form(to)) })
		},
	}
	convert.Flags().StringVar(&to, "to", "", "the version of the card: "+formList())
	return convert
}

func convertCard(ctx context.Context, c *connect.Caller, args []string, to card.Form) error {
	raw, err := rawCard(ctx, c, args)
	if err != nil {
		return err
	}
	converted, lost, err := card.Convert(raw, to)
	if err != nil {
		return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeCardInvalid, Message: err.Error(),
			Hint: "see what is wrong with it: " +
				terminal.CommandLine([]string{c.Program, "card", "validate", cardNamed(c, args)})}
	}
	for _, what := range lost {
		c.Warn("lost: %s", what)
	}
	if card.HasErrors(card.Validate(raw)) {
		c.Warn("the card has errors, and so has the converted card: %s",
			terminal.CommandLine([]string{c.Program, "card", "validate", cardNamed(c, args)}))
	}
	return c.ShowJSON(converted)
}

func isForm(name string) bool { return slices.Contains(card.Forms, card.Form(name)) }

func formList() string {
	var list []string
	for _, form := range card.Forms {
		list = append(list, string(form))
	}
	return strings.Join(list, ", ")
}
