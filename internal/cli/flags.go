// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/coord/coordcmd"
	"github.com/dragoman-a2a/dragoman/apps/mcpbridge/mcpbridgecmd"
	"github.com/dragoman-a2a/dragoman/apps/registry/registrycmd"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// flagChanged names the flag of config show that leaves out defaults.
const flagChanged = "changed"

// envPrefixes begin the names of variables, the one that counts first at the front. The second is that of the A2A
// command-line specification, so that what is set up for another tool works here too.
var envPrefixes = []string{"DRAGOMAN_", "A2ACLI_"}

// onlyFlags are options that no variable sets: whether the output is a stream must be visible in the command, the
// parts of a message have an order, and to wait is what happens when no variable says otherwise. A program that keeps
// nothing between runs must not find a task, a conversation or a page in its environment either: every message would go
// there unseen. Options of forms belong to one message, and --i-own-this-host to one run. Help and
// version are no options at all.
var onlyFlags = []string{"stream", "wait", "task-id", "context-id", "page-token",
	"answer", "skeleton", "fill", flagChanged, connect.FlagOwnHost, "help", "version"}

// secrets are options whose values are never shown.
var secrets = []string{"bearer", "api-key", cmdline.FlagToken, connect.FlagSvcParam, registrycmd.FlagToken,
	coordcmd.FlagToken, mcpbridgecmd.FlagToken}

func takesVariable(f *pflag.Flag) bool {
	_, part := f.Annotations[cmdline.AnnotationPart]
	return !part && !slices.Contains(onlyFlags, f.Name)
}

// setting returns the value of the variable for a flag, from the environment or else from the files that findFiles
// found, and where it stands; "" when there is none. An empty variable counts as none. Files cannot name other files.
func (c *command) setting(flag string) (value, source string) {
	if value, name := lookUp(flag, c.LookupEnv); name != "" {
		return value, name
	}
	if flag == cmdline.FlagConfig {
		return "", ""
	}
	for _, file := range c.files {
		if value, name := lookUp(flag, file.lookup); name != "" {
			return value, name + " in " + file.path
		}
	}
	return "", ""
}

// lookUp returns the value of the variable for a flag, and the variable's name; "" when there is none.
func lookUp(flag string, lookup func(string) (string, bool)) (value, name string) {
	for _, prefix := range envPrefixes {
		name := variable(prefix, flag)
		if value, ok := lookup(name); ok && value != "" {
			return value, name
		}
	}
	return "", ""
}

// variable returns the name of a flag's variable.
func variable(prefix, flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fillFlags sets the flags of cmd that the command line leaves out.
func (c *command) fillFlags(cmd *cobra.Command) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			c.Origin[f.Name] = cmdline.SourceFlag
			return
		}
		if failed != nil || !takesVariable(f) {
			return
		}
		value, source := c.setting(f.Name)
		if source == "" {
			return
		}
		if err := setFrom(f, value); err != nil {
			failed = c.refuse(cmd, f.Name, badValue(source, value, f, err))
			return
		}
		c.Origin[f.Name] = source
	})
	return failed
}

// annotationTolerant marks the command that shows wrong values instead of failing.
const annotationTolerant = "tolerant"

// refuse returns what is wrong with an option, unless the command is one that shows that.
func (c *command) refuse(cmd *cobra.Command, flag string, wrong *cmdline.Failure) error {
	if cmd.Annotations[annotationTolerant] == "" || c.FromFlag(flag) {
		return wrong
	}
	if c.wrong == nil {
		c.wrong = make(map[string]*cmdline.Failure)
	}
	c.wrong[flag] = wrong
	return nil
}

// setFrom gives a flag the value of a variable. That of a flag that may be repeated has all of its values, with commas
// between them.
func setFrom(f *pflag.Flag, value string) error {
	list, ok := f.Value.(pflag.SliceValue)
	if !ok || f.Value.Type() != typeRepeated { // the others part their values themselves
		return f.Value.Set(value)
	}
	return list.Replace(splitValues(f.Name, value))
}

// typeRepeated is the type of flags that may be repeated, and whose values stand alone.
const typeRepeated = "stringArray"

// splitValues parts the values of a variable at its commas. Those of headers may have commas themselves, so that there
// only one counts that the name of a header follows.
func splitValues(flag, text string) []string {
	var values []string
	for piece := range strings.SplitSeq(text, ",") {
		trimmed := strings.TrimSpace(piece)
		name, _, named := strings.Cut(trimmed, ":")
		switch {
		case flag == connect.FlagSvcParam && len(values) > 0 && (!named || !connect.IsToken(name)):
			values[len(values)-1] += "," + piece
		case trimmed != "":
			values = append(values, trimmed)
		}
	}
	return values
}

// flagError says in terms of the command line what is wrong with a flag.
func (c *command) flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badValue("--"+e.GetFlag().Name, e.GetValue(), e.GetFlag(), e.Unwrap())
	}
	f := cmdline.Usagef("%s", err)
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	calls, serves := cmd.Flag(connect.FlagAgentCard) != nil, cmd.Flag("agent") != nil
	switch {
	case isUnknown && serves && slices.Contains([]string{"a", connect.FlagAgentCard}, unknown.GetSpecifiedName()):
		return f.WithHint("-a is the agent to call; to serve an agent, use --agent")
	case isUnknown && calls && unknown.GetSpecifiedName() == "agent":
		return f.WithHint("-a is the agent to call; --agent belongs to dragoman serve")
	}
	return f.WithHint("see " + c.Program + " help" + afterFirst(cmd.CommandPath()))
}

// badValue says that a flag or variable has a value that its flag does not take.
func badValue(source, value string, f *pflag.Flag, err error) *cmdline.Failure {
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64":
		return cmdline.Usagef("%s is %q, which is no whole number", source, value)
	case "float64":
		return cmdline.Usagef("%s is %q, which is no number", source, value)
	case "bool":
		return cmdline.Usagef("%s is %q; use true or false", source, value)
	case "duration":
	default:
		return cmdline.Usagef("%s is %q: %v", source, value, err)
	}
	wrong := cmdline.Usagef("%s is %q, which is no duration", source, value)
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return wrong.WithHint(fmt.Sprintf("give it a unit, such as %ss or %sm", value, value))
	}
	return wrong.WithHint("give a number with a unit, such as 5s or 2m")
}

// shortenDefaults lets help name durations as people do: 1h, not 1h0m0s.
func shortenDefaults(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) { f.DefValue = shortValue(f) })
}

// shortValue returns the value of a flag as it is shown.
func shortValue(f *pflag.Flag) string {
	if d, err := time.ParseDuration(f.Value.String()); err == nil && f.Value.Type() == "duration" {
		return terminal.FormatDuration(d)
	}
	return f.Value.String()
}

func afterFirst(path string) string {
	_, rest, found := strings.Cut(path, " ")
	if !found {
		return ""
	}
	return " " + rest
}
