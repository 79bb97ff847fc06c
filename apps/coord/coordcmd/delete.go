// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const coordDeleteLong = `delete deletes a project for good: its agents, leases, to-do lists, messages, interfaces,
settings, events and tokens. Calls that wait in the project end with an error. You can use the
name again: that starts an empty project, which the old tokens do not open. The coordinator
logs who deleted the project.

If agents are at work in the project or hold leases, pass --force. If the project has tokens,
you need one with the role admin. At a terminal the command asks for the name of the project;
elsewhere pass --yes.`

func (c *commands) deleteCommand(o *coordOptions) *cobra.Command {
	var force, yes bool
	cmd := &cobra.Command{
		Use: "delete PROJECT", Aliases: []string{"forget"}, Short: "Delete a project with all its data",
		Long:    coordDeleteLong,
		Args:    cmdline.OneWord("the name of a project"),
		Example: "  dragoman coord delete shop\n  dragoman coord delete shop --force --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.project = args[0]
			return c.deleteProject(cmd.Context(), o, force, yes)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "delete the project even if agents are at work in it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation")
	return cmd
}

func (c *commands) deleteProject(ctx context.Context, o *coordOptions, force, yes bool) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.checkProject(); err != nil {
		return err
	}
	if !yes {
		question := fmt.Sprintf("This deletes all data of the project %s. Type its name to confirm: ", o.project)
		if err := c.confirm(ctx, question, o.project, "the name does not match: the project was not deleted",
			cmdline.Usagef("refusing to delete project %q: deletion is permanent and standard input is not a terminal",
				o.project).WithHint("pass --yes to confirm")); err != nil {
			return err
		}
	}
	path := projectPath(o.project)
	if force {
		path += "?force=true"
	}
	var ended coord.Ended
	if err := c.callAPI(ctx, o, http.MethodDelete, path, nil, &ended); err != nil {
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.code == coord.CodeInUse {
			refused.failure.Hint = "dragoman coord watch and the coordinator's page show the agents; --force deletes " +
				"the project anyway"
		}
		return err
	}
	if c.AsJSON {
		return c.ShowValue(ended)
	}
	return c.ShowText(func(p *terminal.Printer) { p.Field(0, "Deleted", ended.Project) })
}

// confirm has a person type a word, for what cannot be undone. Its error is unattended without a terminal, and has the
// message refused after another word.
func (c *commands) confirm(ctx context.Context, question, word, refused string, unattended error) error {
	if !c.AtTerminal() {
		return unattended
	}
	in := c.Prompter(nil, nil)
	defer in.Close()
	answer, err := in.Ask(ctx, question)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, terminal.ErrInterrupted), err == nil && answer != word:
		return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "NOT_CONFIRMED", Message: refused}
	}
	return err
}
