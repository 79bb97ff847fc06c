// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

const coordForgetLong = `forget ends a project for ever: its agents, locks, to-do lists, messages, definitions, settings
and events are gone, as if it had never been, and those who wait in it are told so. Its tokens go
with it, so that they do not open another project that is called the same later: that begins as
any new one does. The log of the coordinator says who has ended which project.

While agents are at work in the project, or anybody holds locks, it takes --force. In a project
with tokens it takes one of the role admin. Somebody at a terminal is asked for the name once
more; elsewhere it takes --yes.`

func (c *command) coordForgetCommand(o *coordOptions) *cobra.Command {
	var force, yes bool
	cmd := &cobra.Command{
		Use: "forget PROJECT", Short: "End a project, with all that is kept of it", Long: coordForgetLong, Args: oneWord("the name of a project"),
		Example: "  dragoman coord forget shop\n  dragoman coord forget shop --force --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.project = args[0]
			return c.coordForget(cmd.Context(), o, force, yes)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also while agents are at work in it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (c *command) coordForget(ctx context.Context, o *coordOptions, force, yes bool) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.checkProject(); err != nil {
		return err
	}
	if !yes {
		if err := c.confirmForget(ctx, o.project); err != nil {
			return err
		}
	}
	path := projectPath(o.project)
	if force {
		path += "?force=true"
	}
	var ended coord.Ended
	if err := c.coordAPI(ctx, o, http.MethodDelete, path, nil, &ended); err != nil {
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.code == coord.CodeInUse {
			refused.failure.hint = "see who they are with dragoman coord watch or on the page; --force ends the project all the same"
		}
		return err
	}
	if c.options.output == outputJSON {
		return c.showValue(ended)
	}
	return c.showText(func(p *printer) { p.field(0, "Forgotten", ended.Project) })
}

// confirmForget has a person type the name of the project that is to be forgotten.
func (c *command) confirmForget(ctx context.Context, project string) error {
	if !c.atTerminal() {
		return usagef("what is forgotten cannot be had back, and nobody is here to be asked").withHint("say --yes")
	}
	in := c.prompter(nil, nil)
	defer in.close()
	name, err := in.ask(ctx, fmt.Sprintf("All that is kept of %s will be gone. Type its name to go on: ", project))
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errCtrlC), err == nil && name != project:
		return &failure{exit: exitFailure, code: codeOther + "NOT_CONFIRMED", message: "that is not the name of the project; nothing was done"}
	}
	return err
}
