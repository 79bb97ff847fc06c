// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// positionalCommands are the commands of the A2A project's first tool, which came with its SDK for Go: verbs first, and
// the agent's address as the first argument. They are hidden, so that old scripts work and nobody learns two ways.
func (c *command) positionalCommands() []*cobra.Command {
	get := group(&cobra.Command{Use: "get", Short: "Show a card or a task"},
		c.positional(c.cardGetCommand(), "card URL"), c.positional(c.taskGetCommand(), "task URL ID"))
	list := group(&cobra.Command{Use: "list", Short: "List tasks"}, c.positional(c.taskListCommand(), "tasks URL"))
	all := []*cobra.Command{
		get, list, c.positional(c.cardGetCommand(), "discover URL"),
		c.positional(c.taskCancelCommand(), "cancel URL ID"), c.positional(c.taskSubscribeCommand(), "subscribe URL ID"),
	}
	for _, cmd := range all {
		cmd.Hidden = true
		cmd.Example = "  dragoman " + cmd.Name() + " ..."
	}
	return all
}

// positional makes a command take the agent as its first argument.
func (c *command) positional(cmd *cobra.Command, use string) *cobra.Command {
	check := cmd.Args
	cmd.Use, cmd.Hidden = use, true
	cmd.PersistentFlags().AddFlagSet(c.clientFlags())
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s takes the URL of an agent first", cmd.CommandPath())
		}
		if err := cmd.Flags().Set(flagAgentCard, args[0]); err != nil {
			return err
		}
		return check(cmd, args[1:])
	}
	return cmd
}

// firstIsAgent takes the first word for the agent, if no other one is named and it is a URL.
func (c *command) firstIsAgent(words []string) []string {
	if c.options.agentCard != "" || len(words) == 0 {
		return words
	}
	if !strings.HasPrefix(words[0], "http://") && !strings.HasPrefix(words[0], "https://") {
		return words
	}
	c.options.agentCard = words[0]
	return words[1:]
}
