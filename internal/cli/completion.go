// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/modelflag"
	"github.com/dragoman-a2a/dragoman/internal/show"
)

const completionLong = `completion prints a script that makes your shell complete commands, options and option values.
The script also completes agents of the registry, as registry:NAME, and the ids of the tasks of
the agent on the command line. Save the script in the folder where your shell looks for
completions, then start a new shell.`

// shells say of each shell what it needs, and how it gets the script.
var shells = map[string]struct{ long, example string }{
	"bash": {`The script needs the package bash-completion, version 2, which all systems offer and not all
have: without it each Tab says that _get_comp_words_by_ref is not found. The second line is
for the shell that runs.`, `  mkdir -p ~/.local/share/bash-completion/completions && dragoman completion bash > ` +
		`~/.local/share/bash-completion/completions/dragoman
  source <(dragoman completion bash)`},
	"zsh": {`The script needs compinit, and a folder that zsh looks into. For that of the example, ~/.zshrc
has "fpath=(~/.zfunc $fpath)" and below it "autoload -U compinit && compinit".`,
		`  mkdir -p ~/.zfunc && dragoman completion zsh > ~/.zfunc/_dragoman`},
	"fish": {`The script needs nothing else. The second line is for the shell that runs.`, `  dragoman completion ` +
		`fish > ~/.config/fish/completions/dragoman.fish
  dragoman completion fish | source`},
	"powershell": {`The example is for the shell that runs. To have it in each, put that line into the file
that $PROFILE names.`, `  dragoman completion powershell | Out-String | Invoke-Expression`},
}

// describeCobras gives texts to the commands that cobra brings.
func describeCobras(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Example = "  dragoman help send"
		case "completion":
			cmd.Long, cmd.Example = completionLong, "  dragoman completion bash > dragoman.bash"
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, cmdline.NeedsChild(cmd.Commands())
			for _, shell := range cmd.Commands() {
				shell.Long, shell.Example = shells[shell.Name()].long, shells[shell.Name()].example
			}
		}
	}
}

// flagValues are those of flags that have only a few, in whatever command they are.
var flagValues = map[string][]string{
	"output":    {outputText, outputJSON},
	"transport": {a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
	"a2a-version": {connect.AnyVersion, string(a2a.Generation10), string(a2a.Generation03), string(a2a.Generation02),
		string(a2a.Generation01)},
	"llm":            modelflag.Values,
	"rates":          {"snapshot", "live", "auto"},
	"networks":       {string(guard.Public), string(guard.Loopback), string(guard.Private)},
	"allow-networks": {string(guard.Public), string(guard.Loopback), string(guard.Private)},
	"log-level":      {"debug", "info", "warn", "error"},
	"log-format":     {"text", "json"},
	"profile":        {conformance.Profile10, conformance.Profile03},
	"status":         show.StateNames(),
}

// completeValues lets shells complete the values of flags.
func (c *command) completeValues(root *cobra.Command) {
	for _, cmd := range append(descendants(root), root) {
		c.completeArguments(cmd)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); ok { // commands share some flags
				return
			}
			if complete := c.completionOf(cmd, f.Name); complete != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails for none that is there and has no function
			}
		})
	}
}

// completeArguments lets shells complete what a command is about: an agent, a task, or an entry of a registry.
func (c *command) completeArguments(cmd *cobra.Command) {
	parent := ""
	if cmd.HasParent() {
		parent = cmd.Parent().Name()
	}
	switch calls := cmd.Flag(connect.FlagAgentCard) != nil; {
	case parent == "registry" && slices.Contains([]string{"show", "history", "check", "remove"}, cmd.Name()):
		cmd.ValidArgsFunction = c.completeEntries
	case parent == "task" && cmd.Name() != "list":
		cmd.ValidArgsFunction = c.completeFirstAgent(c.completeTasks)
	case calls && cmd.Args != nil && parent != "config":
		cmd.ValidArgsFunction = c.completeFirstAgent(nil)
	}
}

// completionOf returns what completes the value of a flag; nil for what the shell does by itself, with names of files.
func (c *command) completionOf(cmd *cobra.Command, flag string) cobra.CompletionFunc {
	switch {
	case flag == connect.FlagAgentCard:
		return c.completeAgents
	case flag == "task-id" && cmd.Name() != "host" && cmd.Parent().Name() != "host":
		// whose tasks are those of no agent
		return c.completeFlagTask
	case flag == "fail-on":
		return completeStates
	case flagValues[flag] != nil:
		return cobra.FixedCompletions(flagValues[flag], cobra.ShellCompDirectiveNoFileComp)
	}
	return nil
}

// completeStates completes the last of several states with commas between them.
func completeStates(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var lists []cobra.Completion
	for _, state := range show.StateNames() {
		if !slices.Contains(strings.Split(before, ","), state) {
			lists = append(lists, before+state)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
