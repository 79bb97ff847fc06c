// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
)

// positionalCommands are the commands of the A2A project's first tool, which came with its SDK for Go: verbs first, and
// the agent's address as the first argument. They are hidden, so that old scripts work and nobody learns two ways.
func (c *command) positionalCommands() []*cobra.Command {
	get := cmdline.Group(&cobra.Command{Use: "get", Short: "Show a card or a task"},
		c.positional(c.cardGetCommand(), "card URL"), c.positional(c.taskGetCommand(), "task URL ID"))
	list := cmdline.Group(&cobra.Command{Use: "list", Short: "List tasks"},
		c.positional(c.taskListCommand(), "tasks URL"))
	all := []*cobra.Command{
		get, list, c.positional(c.cardGetCommand(), "discover URL"),
		c.positional(c.taskCancelCommand(), "cancel URL ID"),
		c.positional(c.taskSubscribeCommand(), "subscribe URL ID"),
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
	cmd.PersistentFlags().AddFlagSet(c.Flags())
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmdline.Usagef("%s takes the URL of an agent first", cmd.CommandPath())
		}
		if err := cmd.Flags().Set(connect.FlagAgentCard, args[0]); err != nil {
			return err
		}
		return check(cmd, args[1:])
	}
	return cmd
}

// takeAgents lets a command take the agent to call as its first argument, or several agents where it takes several: a
// URL, or an entry of a registry. Where -a is given all arguments are something else.
func (c *command) takeAgents(cmd *cobra.Command) {
	check, run, taken := cmd.Args, cmd.RunE, 0
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		flag := cmd.Flag(connect.FlagAgentCard)
		_, several := flag.Value.(pflag.SliceValue)
		for !flag.Changed || several && taken > 0 {
			if taken == len(args) || !connect.LooksLikeAgent(args[taken]) {
				break
			}
			if err := cmd.Flags().Set(connect.FlagAgentCard, args[taken]); err != nil {
				return err
			}
			taken++
		}
		return check(cmd, args[taken:])
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, args[taken:]) }
}

// oneAgent takes the one agent of a command from a variable that may hold several for others, and names for them.
func (c *command) oneAgent() error {
	all := splitValues(connect.FlagAgentCard, c.Agent)
	if len(all) > 1 && !slices.ContainsFunc(all, func(agent string) bool { return !connect.LooksLikeAgent(agent) }) {
		return cmdline.Usagef("--%s names %d agents, and %s calls one", connect.FlagAgentCard, len(all), c.Name).
			WithHint("name one with -a")
	}
	if name, ref := connect.NameAndRef(c.Agent); name != "" && connect.LooksLikeAgent(ref) {
		c.Agent = ref
	}
	return nil
}
