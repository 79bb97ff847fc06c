// SPDX-License-Identifier: Apache-2.0

package recordercmd

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/recorder"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const diffLong = `diff compares two cassettes of record or replay, exchange by exchange. It prints lines of the
first one after - and lines of the second one after +. It ignores times, credentials and speed.
Ids may differ if each one is replaced consistently.

The exit code is 0 if there is no difference, and 1 otherwise.`

func (c *recordings) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "diff FILE FILE",
		Short:   "Show how two recordings differ",
		Long:    diffLong,
		Example: "  dragoman diff talk.jsonl now.jsonl",
		Args:    cassettes(2),
		RunE:    func(_ *cobra.Command, args []string) error { return c.diff(args[0], args[1]) },
	}
}

// ErrDiffers makes the exit code of a diff that found something; it has been shown.
var ErrDiffers = errors.New("the cassettes differ")

func (c *recordings) diff(first, second string) error {
	a, err := c.openCassette(first)
	if err != nil {
		return err
	}
	b, err := c.openCassette(second)
	if err != nil {
		return err
	}
	found := recorder.Diff(a, b)
	if c.AsJSON {
		err = c.ShowValue(append([]recorder.Difference{}, found...))
	} else {
		err = c.ShowText(func(p *terminal.Printer) { showDifferences(p, found) })
	}
	if err == nil && len(found) > 0 {
		return ErrDiffers
	}
	return err
}

func showDifferences(p *terminal.Printer, found []recorder.Difference) {
	title := ""
	for _, d := range found {
		if this := fmt.Sprintf("Exchange %d", max(d.A, d.B)); this+d.Request != title {
			p.Field(0, this, d.Request)
			title = this + d.Request
		}
		fmt.Fprintf(&p.Buf, "  %s\n", terminal.Inline(cmp.Or(d.Where, "all of it")))
		if d.Was != nil {
			fmt.Fprintf(&p.Buf, "  - %s\n", terminal.Inline(d.Was.String()))
		}
		if d.Is != nil {
			fmt.Fprintf(&p.Buf, "  + %s\n", terminal.Inline(d.Is.String()))
		}
	}
}
