// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group makes a command that only holds others.
func Group(cmd *cobra.Command, children ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(children...)
	cmd.RunE = NeedsChild(children)
	return cmd
}

// NeedsChild is what a command does that only holds others.
func NeedsChild(children []*cobra.Command) func(*cobra.Command, []string) error {
	var names []string
	for _, child := range children {
		names = append(names, child.Name())
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("%s has no command %q; it has %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
		}
		return Usagef("%s needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
}

// NoArgs refuses words for a command that takes only flags.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usagef("%s takes no arguments, but got %q", cmd.CommandPath(), args[0])
}

// OneWord takes one argument.
func OneWord(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] != "" {
			return nil
		}
		return Usagef("%s takes %s", cmd.CommandPath(), what)
	}
}

// Aliases lets flags be called by other names.
func Aliases(canonical map[string]string) func(*pflag.FlagSet, string) pflag.NormalizedName {
	return func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if known, ok := canonical[name]; ok {
			name = known
		}
		return pflag.NormalizedName(name)
	}
}
