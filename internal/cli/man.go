// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

const manLong = `man prints a manual page of all commands for man(1). Save it as man1/dragoman.1 in a folder of
MANPATH to read it with "man dragoman".`

const manExample = `  dragoman man | man -l -
  mkdir -p ~/.local/share/man/man1 && dragoman man > ~/.local/share/man/man1/dragoman.1`

func (c *command) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page",
		Long:    manLong,
		Example: manExample,
		Args:    cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.printManual(c.Out, cmd.Root())
			return nil
		},
	}
}

// printManual prints all commands in man(7).
func (c *command) printManual(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH DRAGOMAN 1 \"\" \"dragoman %s\" \"User Commands\"\n", roff(root.Version))
	fmt.Fprintf(w, ".SH NAME\ndragoman \\- %s\n", roff(root.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B dragoman\n.I COMMAND\n[options]\n.SH DESCRIPTION\n")
	manText(w, root.Long)
	manOptions(w, root.PersistentFlags(), nil)
	fmt.Fprint(w, ".SH OPTIONS FOR CALLING AGENTS\n")
	calls := c.Flags()
	manOptions(w, calls, nil)
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, group := range commandGroups {
		for _, name := range group.names {
			for _, cmd := range root.Commands() {
				if cmd.Name() == name {
					manCommands(w, cmd, calls)
				}
			}
		}
	}
}

// manCommands prints a command, and those below it.
func manCommands(w io.Writer, cmd *cobra.Command, calls *pflag.FlagSet) {
	if !cmd.IsAvailableCommand() && cmd.Name() != "help" {
		return
	}
	fmt.Fprintf(w, ".SS %s\n", roff(useLine(cmd)))
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	manText(w, text)
	manOptions(w, cmd.LocalFlags(), func(f *pflag.Flag) bool {
		shared := calls.Lookup(f.Name)
		return f.Name != "help" && (shared == nil || shared.Usage != f.Usage)
	})
	if cmd.Example != "" {
		fmt.Fprintf(w, ".PP\nExamples:\n.PP\n.nf\n%s\n.fi\n", roffLines(wrapExamples(cmd.Example, helpWidth-8)))
	}
	for _, child := range cmd.Commands() {
		manCommands(w, child, calls)
	}
}

// manText prints paragraphs; those that are indented are tables.
func manText(w io.Writer, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roffLines(paragraph))
			continue
		}
		fmt.Fprintf(w, ".PP\n%s\n", roffLines(paragraph))
	}
}

// manOptions prints options, all of them if include is nil.
func manOptions(w io.Writer, flags *pflag.FlagSet, include func(*pflag.Flag) bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || include != nil && !include(f) {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roffLines(usage))
	})
}

// roff returns a line of text that formatters show as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffLines does that line by line.
func roffLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = roff(line)
	}
	return strings.Join(lines, "\n")
}
