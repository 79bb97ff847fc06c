// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/connect"
)

//go:generate go test -run "^(TestReferenceIsUpToDate|TestMetricsAreDocumented)$" -update .

var update = flag.Bool("update", false, "write docs/cli.md and what scripts expect again")

const referenceFile = "../../docs/cli.md"

// docs/cli.md says what the commands say of themselves; "make generate" writes it.
func TestReferenceIsUpToDate(t *testing.T) {
	want := reference()
	if *update {
		if err := os.WriteFile(referenceFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/cli.md is not what the commands say; run: go generate ./internal/cli")
	}
}

// reference returns the reference of all commands, in Markdown.
func reference() []byte {
	c := newCommand(nil)
	root := c.root()
	var b bytes.Buffer
	b.WriteString("<!-- Written by go generate ./internal/cli. Change the commands instead. -->\n\n# The command " +
		"line\n\n")
	b.WriteString("Each command with its options, as `dragoman help` prints them.\n\n")
	writeText(&b, root.Long)
	b.WriteString("Options of all commands:\n\n")
	writeFlags(&b, root.PersistentFlags(), nil)
	b.WriteString("<a id=\"calls\"></a>Options of the commands that call agents, besides these:\n\n")
	calls := c.Flags()
	writeFlags(&b, calls, nil)
	b.WriteString("## Commands\n\n")
	for _, cmd := range descendants(root) {
		if !documented(cmd) {
			continue
		}
		fmt.Fprintf(&b, "* [`%s`](#%s): %s\n", cmd.CommandPath(), strings.ReplaceAll(cmd.CommandPath(), " ", "-"),
			cmd.Short)
	}
	b.WriteString("\n")
	for _, cmd := range descendants(root) {
		if documented(cmd) {
			writeCommand(&b, cmd, calls)
		}
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// documented reports whether a command does something itself, or has something to say of those that it holds. One that
// only holds others takes no flags of its own.
func documented(cmd *cobra.Command) bool {
	return !cmd.Hidden && (!cmd.HasSubCommands() || cmd.LocalNonPersistentFlags().HasFlags() || cmd.Long != "")
}

func writeCommand(b *bytes.Buffer, cmd *cobra.Command, calls *pflag.FlagSet) {
	cmd.InitDefaultHelpFlag()
	fmt.Fprintf(b, "### %s\n\n%s.\n\n```\n%s\n```\n\n", cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."),
		cmd.UseLine())
	writeText(b, cmd.Long)
	if cmd.Example != "" {
		fmt.Fprintf(b, "Examples:\n\n```sh\n%s\n```\n\n",
			strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	sharesAll := cmd.InheritedFlags().Lookup(connect.FlagAgentCard) != nil ||
		cmd.PersistentFlags().Lookup("bearer") != nil
	own := func(f *pflag.Flag) bool {
		return f.Name != "help" && (!sharesAll || calls.Lookup(f.Name) == nil ||
			cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil)
	}
	writeFlags(b, cmd.LocalFlags(), own)
	if p := cmd.Parent(); p.HasParent() && documented(p) && p.PersistentFlags().Lookup("coord") != nil {
		fmt.Fprintf(b, "And the [options of %s](#%s).\n\n", p.CommandPath(),
			strings.ReplaceAll(p.CommandPath(), " ", "-"))
	}
	if sharesAll {
		b.WriteString("And the [options of the commands that call agents](#calls).\n\n")
	}
}

// writeText writes a help text, which has hard line breaks, with its paragraphs. Those that are indented are tables.
func writeText(b *bytes.Buffer, text string) {
	if text == "" {
		return
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			paragraph = "```\n" + strings.ReplaceAll(strings.TrimPrefix(paragraph, "  "), "\n  ", "\n") + "\n```"
		} else {
			paragraph = escapeMarkdown(paragraph)
		}
		b.WriteString(paragraph + "\n\n")
	}
}

var escapeMarkdown = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`).Replace

func writeFlags(b *bytes.Buffer, flags *pflag.FlagSet, include func(*pflag.Flag) bool) {
	var rows bytes.Buffer
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || include != nil && !include(f) {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		value = strings.TrimSuffix(value, "Array") // that it is repeatable, its meaning says
		if value != "" {
			name += " " + strings.ReplaceAll(value, "|", `\|`)
		}
		standard := f.DefValue
		if standard == "[]" || standard == "0s" || standard == "0" || standard == "false" {
			standard = ""
		}
		if standard != "" {
			standard = "`" + standard + "`"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", name, strings.ReplaceAll(escapeMarkdown(usage), "|", `\|`), standard)
	})
	if rows.Len() > 0 {
		fmt.Fprintf(b, "| option | meaning | default |\n| --- | --- | --- |\n%s\n", rows.Bytes())
	}
}
