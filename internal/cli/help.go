// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// helpWidth is how many columns help has.
const helpWidth = 80

// A commandGroup is commands that help shows together, in this order.
type commandGroup struct {
	title string
	names []string
}

// commandGroups are all commands, those of every day first.
var commandGroups = []commandGroup{
	{"Talk to agents", []string{"send", "chat", "console", "task", "card", "host"}},
	{"Run agents", []string{"serve", "samples", "gateway", "audit"}},
	{"Connect agents and tools", []string{"registry", "mcp", "auth", "push", "coord"}},
	{"Test agents", []string{"conformance", "bench", "record", "replay", "diff"}},
	{"This program", []string{"config", "completion", "man", "version", "help"}},
}

// printHelp prints the help of a command. That of the whole program begins with the commands, and ends with what
// holds for all of them.
func (c *command) printHelp(w io.Writer, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	long := strings.TrimSpace(cmd.Long)
	if long == "" || !cmd.HasParent() {
		long = cmd.Short + "."
	}
	fmt.Fprintf(w, "%s\n", wrapText(long, helpWidth))
	fmt.Fprintf(w, "\nUsage:\n  %s\n", useLine(cmd))
	writeCommands(w, cmd)
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", wrapExamples(cmd.Example, helpWidth))
	}
	c.writeOptions(w, cmd)
	if !cmd.HasParent() {
		fmt.Fprintf(w, "\n%s\n", wrapText(cmd.Long, helpWidth))
	}
	if cmd.HasAvailableSubCommands() {
		path := afterFirst(cmd.CommandPath())
		fmt.Fprintf(w, "\nRun \"dragoman help%s COMMAND\" for the options of a command.\n", path)
	}
}

// useLine returns how a command is used.
func useLine(cmd *cobra.Command) string {
	switch {
	case !cmd.HasAvailableSubCommands():
		return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " [options]"
	case cmd.HasAvailableLocalFlags() && cmd.LocalNonPersistentFlags().HasAvailableFlags() && cmd.HasParent():
		return cmd.CommandPath() + " [COMMAND] [options]"
	}
	return cmd.CommandPath() + " COMMAND [options]"
}

// writeCommands lists the commands below one, in groups if it is the root.
func writeCommands(w io.Writer, cmd *cobra.Command) {
	var all []*cobra.Command
	width := 0
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() || child.Name() == "help" {
			all = append(all, child)
			width = max(width, len(child.Name()))
		}
	}
	if len(all) == 0 {
		return
	}
	list := func(title string, commands []*cobra.Command) {
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, child := range commands {
			fmt.Fprintf(w, "  %-*s  %s\n", width, child.Name(), child.Short)
		}
	}
	if cmd.HasParent() {
		list("Commands", all)
		return
	}
	for _, group := range commandGroups {
		var commands []*cobra.Command
		for _, name := range group.names {
			if i := slices.IndexFunc(all, func(child *cobra.Command) bool { return child.Name() == name }); i >= 0 {
				commands = append(commands, all[i])
			}
		}
		list(group.title, commands)
	}
}

// writeOptions lists the options of a command: its own, those for calling agents, and those of every command.
func (c *command) writeOptions(w io.Writer, cmd *cobra.Command) {
	calls := c.Flags()
	every := cmd.Root().PersistentFlags()
	own, calling, rest := pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0), pflag.NewFlagSet("", 0)
	own.SortFlags, calling.SortFlags, rest.SortFlags = false, false, false
	add := func(f *pflag.Flag) {
		shared := calls.Lookup(f.Name)
		switch {
		case f.Hidden:
		case every.Lookup(f.Name) == f || f.Name == "help" || f.Name == "version":
			rest.AddFlag(f)
		case shared != nil && f.Name != connect.FlagAgentCard && f.Usage == shared.Usage:
			calling.AddFlag(f)
		default:
			own.AddFlag(f)
		}
	}
	if f := cmd.Flag(connect.FlagAgentCard); f != nil && cmd.Annotations[annotationTolerant] == "" {
		add(f) // without which nothing goes
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != connect.FlagAgentCard {
			add(f)
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != connect.FlagAgentCard {
			add(f)
		}
	})
	for _, set := range []struct {
		title string
		flags *pflag.FlagSet
	}{{"Options", own}, {"Options for calling agents", calling}, {"Options of every command", rest}} {
		if set.flags.HasFlags() { // whose last words may stand out by 5 columns
			fmt.Fprintf(w, "\n%s:\n%s", set.title, set.flags.FlagUsagesWrapped(helpWidth-5))
		}
	}
}

// wrapText breaks the lines of paragraphs anew. Those that are indented are tables, and stay.
func wrapText(text string, width int) string {
	var all []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			all = append(all, paragraph)
			continue
		}
		all = append(all, terminal.WrapLine(strings.Join(strings.Fields(paragraph), " "), width, 0))
	}
	return strings.Join(all, "\n\n")
}

// wrapExamples breaks commands that are too long between two words, in a way that a shell takes.
func wrapExamples(examples string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(examples, "\n") {
		for utf8.RuneCountInString(line) > width {
			at := breakOf(line, width-len(` \`))
			if at < 0 {
				break
			}
			lines = append(lines, line[:at]+` \`)
			line = "      " + line[at+1:]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// breakOf returns the space at which a command line is broken: the last one before a column, or the first one behind
// it; -1 for none. Quotes stay whole, and options beside their values.
func breakOf(line string, before int) int {
	at, quote, word := -1, rune(0), ""
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' && word != "":
			if strings.HasPrefix(line[i+1:], "-") || !strings.HasPrefix(word, "-") {
				if i > before && at >= 0 {
					return at
				}
				at = i
			}
			word = ""
			continue
		}
		if r != ' ' {
			word += string(r)
		}
	}
	return at
}
