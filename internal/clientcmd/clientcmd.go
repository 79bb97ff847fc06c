// SPDX-License-Identifier: Apache-2.0

// Package clientcmd holds the commands that call one agent: card, send and task.
package clientcmd

import (
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
)

// Commands returns the commands card, send and task. They have the flags of the caller.
func Commands(c *connect.Caller) []*cobra.Command {
	all := []*cobra.Command{cardCommand(c), Send(c, nil), taskCommand(c)}
	for _, cmd := range all {
		cmd.PersistentFlags().AddFlagSet(c.Flags())
	}
	return all
}

// Positional returns the commands of the A2A project's first tool, which came with its SDK for Go: verbs first, and
// the agent's address as the first argument. They are hidden, so that old scripts work and nobody learns two ways.
func Positional(c *connect.Caller) []*cobra.Command {
	get := cmdline.Group(&cobra.Command{Use: "get", Short: "Show a card or a task"},
		positional(c, cardGet(c), "card URL"), positional(c, taskGet(c), "task URL ID"))
	list := cmdline.Group(&cobra.Command{Use: "list", Short: "List tasks"},
		positional(c, taskList(c), "tasks URL"))
	all := []*cobra.Command{
		get, list, positional(c, cardGet(c), "discover URL"),
		positional(c, taskCancel(c), "cancel URL ID"),
		positional(c, taskSubscribe(c), "subscribe URL ID"),
	}
	for _, cmd := range all {
		cmd.Hidden = true
		cmd.Example = "  dragoman " + cmd.Name() + " ..."
	}
	return all
}

// positional makes a command take the agent as its first argument.
func positional(c *connect.Caller, cmd *cobra.Command, use string) *cobra.Command {
	check, run := cmd.Args, cmd.RunE
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
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, args[1:]) }
	return cmd
}
