// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
)

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
