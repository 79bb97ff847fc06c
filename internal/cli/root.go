// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/conformance/conformancecmd"
	"github.com/dragoman-a2a/dragoman/apps/console/consolecmd"
	"github.com/dragoman-a2a/dragoman/apps/coord/coordcmd"
	"github.com/dragoman-a2a/dragoman/apps/gateway/gatewaycmd"
	"github.com/dragoman-a2a/dragoman/apps/host/hostcmd"
	"github.com/dragoman-a2a/dragoman/apps/mcpbridge/mcpbridgecmd"
	"github.com/dragoman-a2a/dragoman/apps/recorder/recordercmd"
	"github.com/dragoman-a2a/dragoman/apps/registry/registrycmd"
	"github.com/dragoman-a2a/dragoman/apps/samples/samplescmd"
	"github.com/dragoman-a2a/dragoman/internal/auditcmd"
	"github.com/dragoman-a2a/dragoman/internal/authcmd"
	"github.com/dragoman-a2a/dragoman/internal/benchcmd"
	"github.com/dragoman-a2a/dragoman/internal/chat"
	"github.com/dragoman-a2a/dragoman/internal/clientcmd"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/pushcmd"
)

// The output formats.
const (
	outputText = "text"
	outputJSON = "json"
)

const rootLong = `dragoman serves sample agents and talks to any agent over A2A: version 1.0, and
older versions. --a2a-version chooses one.

A command that calls an agent takes it from -a, or from the first argument if
that is a URL or registry:NAME.

Each option can also come from a variable: DRAGOMAN_ or A2ACLI_ and the option's
name in upper snake case. --agent-card comes from DRAGOMAN_AGENT_CARD, or else
from A2ACLI_AGENT_CARD. A flag counts first. Then count the environment, the
nearest .env file in this folder or above it (or the file of --config), and
a2a-cli/.env in the user's configuration folder. A variable counts for every
command that has the option; dragoman config show tells which value counts. A
variable for an option that may be repeated holds its values with commas between
them. Only flags set --stream, --wait, the ids of tasks and contexts, and the
parts of a message.

Give credentials in variables, not as flags: other users of the machine see the
flags of every program, and the shell remembers them.

If a task fails or waits for input, the exit code is still 0, with a warning;
--fail-on changes that. Exit codes:

  0    done
  1    failure
  2    wrong usage
  3    the agent or its card cannot be reached
  4    credentials are missing or refused
  5    timeout
  10   the task is in a state that --fail-on names
  130  interrupted`

const rootExample = `  dragoman serve --agent currency
  dragoman send http://127.0.0.1:8080 "100 USD in GBP"
  dragoman chat http://127.0.0.1:8080`

// root returns the tree of all commands.
func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "dragoman",
		Short:             "Serve agents, and talk to them over A2A",
		Long:              rootLong,
		Example:           rootExample,
		Version:           cmdline.Version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              c.noCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: c.start,
	}
	root.SetIn(c.Stdin)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(c.flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { c.printHelp(c.Out, cmd) })
	flags := root.PersistentFlags()
	flags.StringVarP(&c.output, "output", "o", outputText, "text or json")
	flags.StringVar(&c.Config, cmdline.FlagConfig, "", "file with variables, instead of the nearest .env")

	root.AddCommand(clientcmd.Commands(c.Caller)...)
	root.AddCommand(recordercmd.Commands(c.Caller)...)
	root.AddCommand(samplescmd.Commands(c.Run)...)
	root.AddCommand(chat.Command(c.Caller), consolecmd.Command(c.Caller), hostcmd.Command(c.Caller),
		gatewaycmd.Command(c.Caller), auditcmd.Command(c.Run),
		mcpbridgecmd.Command(c.Caller), conformancecmd.Command(c.Caller), benchcmd.Command(c.Caller),
		coordcmd.Command(c.Run), authcmd.Command(c.Caller),
		pushcmd.Command(c.Run), registrycmd.Command(c.Caller), c.configCommand(),
		c.manCommand(), c.versionCommand())
	for _, cmd := range descendants(root) {
		if cmd.Args != nil && cmd.Flag(connect.FlagAgentCard) != nil && cmd.Annotations[annotationTolerant] == "" {
			c.takeAgents(cmd)
		}
	}
	root.AddCommand(clientcmd.Positional(c.Caller)...)
	root.SetHelpCommand(c.helpCommand())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	describeCobras(root)
	c.completeValues(root)
	for _, cmd := range descendants(root) {
		shortenDefaults(cmd.LocalFlags())
	}
	return root
}

// noCommand refuses a word that is no command; cobra itself would suggest similar ones on several lines.
func (c *command) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := cmdline.Usagef("%s has no command %q", cmd.CommandPath(), args[0])
	var names []string
	for _, child := range cmd.Commands() {
		if !child.Hidden {
			names = append(names, child.Name())
		}
	}
	if near := closest(args[0], names, 2); near != "" {
		return f.WithHint("did you mean " + near + "?")
	}
	return f.WithHint("see " + c.Program + " help" + afterFirst(cmd.CommandPath()))
}

// closest returns the name that is most like a word, by cobra's rules for commands: it begins with the word, or differs
// in at most so many letters. It returns "" for none.
func closest(word string, names []string, most int) string {
	var all cobra.Command
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	for all.SuggestionsMinimumDistance = 1; all.SuggestionsMinimumDistance <= most; all.SuggestionsMinimumDistance++ {
		if similar := all.SuggestionsFor(word); len(similar) > 0 {
			return similar[0]
		}
	}
	return ""
}

// helpCommand replaces that of cobra, which takes words that are no command for a question without an answer.
func (c *command) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, name := range args {
				at := slices.IndexFunc(about.Commands(),
					func(child *cobra.Command) bool { return child.Name() == name })
				if at < 0 {
					return c.noCommand(about, []string{name})
				}
				about = about.Commands()[at]
			}
			return about.Help()
		},
	}
}

// start completes and checks the options once the command line is understood.
func (c *command) start(cmd *cobra.Command, _ []string) error {
	c.Name = cmd.CommandPath()
	files, err := c.findFiles()
	if err != nil {
		return err
	}
	c.files = files
	if err := c.fillFlags(cmd); err != nil {
		return err
	}
	c.AsJSON, c.Quiet = c.output == outputJSON, c.Debug
	c.started = true
	for _, file := range files {
		if file.warning != "" {
			c.Warn("%s", file.warning)
		}
		for _, line := range c.unusedLines(cmd.Root(), &file) {
			c.Warn("%s", line)
		}
	}
	if err := c.checkOptions(cmd); err != nil {
		return err
	}
	return c.startTelemetry(cmd)
}

// checkOptions refuses values that no command takes.
func (c *command) checkOptions(cmd *cobra.Command) error {
	if c.output != outputText && c.output != outputJSON {
		wrong := c.output
		c.output = outputText
		if err := c.refuse(cmd, "output", cmdline.Usagef("--output is %q; use %s or %s", wrong, outputText,
			outputJSON)); err != nil {
			return err
		}
	}
	if c.Timeout < 0 {
		if err := c.refuse(cmd, "timeout",
			cmdline.Usagef("--timeout is %v; it must not be negative", c.Timeout)); err != nil {
			return err
		}
	}
	for _, id := range []struct{ flag, of string }{{"task-id", "task"}, {"context-id", "context"}} {
		if f := cmd.Flag(id.flag); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return cmdline.Usagef("--%s is empty", id.flag).WithHint("give the id of a " + id.of + ", or leave --" +
				id.flag + " out")
		}
	}
	if cmd.Annotations[annotationTolerant] == "" {
		if err := c.oneAgent(); err != nil {
			return err
		}
	}
	if c.PollInterval <= 0 {
		return c.refuse(cmd, "poll-interval",
			cmdline.Usagef("--poll-interval is %v; it must be above 0", c.PollInterval))
	}
	return cmp.Or(c.CheckOrigins(), c.TLS.Check())
}
