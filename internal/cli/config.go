// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord/coordcmd"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/registry/registrycmd"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
)

const configLong = `show prints the value of every option and where it comes from: a flag, a variable
of the environment or of a file, or the default. Then it prints the files that it
read, and the lines in them that set nothing. It marks values that no command
takes, and exits with 1 if there are any. It does not show secrets. Last, it
prints the limits that the server, the engine and the client keep unless an
option says otherwise.

With --changed it prints only what is not as the program comes: options that a
flag, a variable or a file sets, and those files.`

func (c *command) configCommand() *cobra.Command {
	var changed bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Show options, where they come from, and limits",
		Long:  configLong,
		Example: "  dragoman config show\n  dragoman config show --changed\n  " +
			"DRAGOMAN_AGENT_CARD=http://127.0.0.1:8080 dragoman config show -o json",
		Args: cmdline.NoArgs,

		Annotations: map[string]string{annotationTolerant: "yes"},
		RunE: func(show *cobra.Command, _ []string) error {
			options := c.allOptions(show)
			shown, bounds := options, limits()
			if changed {
				shown = slices.DeleteFunc(slices.Clone(options),
					func(o option) bool { return o.Source == cmdline.SourceDefault })
				bounds = []cmdline.Limit{}
			}
			if err := c.showConfig(show.Root(), shown, bounds); err != nil {
				return err
			}
			return wrongOptions(options)
		},
	}
	show.Flags().AddFlagSet(c.Flags())
	show.Flags().AddFlagSet(registrycmd.Flags())
	show.Flags().AddFlagSet(coordcmd.Flags(c.Run))
	show.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // they are taken, to show what would count
	show.Flags().BoolVar(&changed, flagChanged, false, "show only values that differ from the default")
	return cmdline.Group(&cobra.Command{
		Use:     "config",
		Short:   "Show the configuration",
		Example: "  dragoman config show",
	}, show)
}

// An option is a flag's value and where it comes from.
type option struct {
	Name   string `json:"name"` // with the command that it belongs to, unless it belongs to all
	Value  string `json:"value"`
	Source string `json:"source"`         // "flag", "default", or the name of the variable and the file it stands in
	Wrong  string `json:"wrong,omitzero"` // what is wrong with the value
}

func (c *command) showConfig(root *cobra.Command, options []option, limits []cmdline.Limit) error {
	files, unused := make([]string, len(c.files)), []string{}
	for i, file := range c.files {
		files[i] = file.path
		unused = append(unused, c.unusedLines(root, &file)...)
	}
	if c.AsJSON {
		return c.ShowValue(map[string]any{"options": options, "files": files, "unused": unused, "limits": limits})
	}
	if len(options)+len(files)+len(limits) == 0 {
		fmt.Fprintln(c.Err, "Nothing is changed.")
		return nil
	}
	return c.ShowText(func(p *terminal.Printer) {
		for _, o := range options {
			line := terminal.Inline(o.Value) + " (" + o.Source + ")"
			if o.Wrong != "" {
				line += " - WRONG: " + terminal.Inline(o.Wrong)
			}
			p.Text(0, o.Name, line)
		}
		p.End()
		if len(files) > 0 {
			for _, file := range files {
				p.Field(0, "File", file)
			}
			for _, line := range unused {
				p.Field(0, "Not used", line)
			}
			p.End()
		}
		for _, l := range limits {
			p.Field(0, l.Of+" "+l.Name, l.Value)
		}
		p.End()
	})
}

// allOptions returns the options of all commands as they would be, were the command run now. The
// command that shows them has those of the commands that call agents, which are the same for all of these.
func (c *command) allOptions(show *cobra.Command) []option {
	var options []option
	add := func(prefix string, flags *pflag.FlagSet) {
		flags.VisitAll(func(f *pflag.Flag) {
			own := show.Flags().Lookup(f.Name)
			if !takesVariable(f) || own != f && own != nil && own.DefValue == f.DefValue && own.Usage == f.Usage {
				return
			}
			o := c.describe(f, own)
			o.Name = prefix + o.Name
			options = append(options, o)
		})
	}
	add("", show.Root().PersistentFlags())
	add("", show.LocalNonPersistentFlags())
	for _, cmd := range descendants(show.Root()) {
		if cmd.RunE != nil && cmd.IsAvailableCommand() && !isFromCobra(cmd) && cmd != show {
			add(afterFirst(cmd.CommandPath())[1:]+" ", cmd.LocalFlags())
		}
	}
	return options
}

// wrongOptions is the error of options that no command would take.
func wrongOptions(options []option) error {
	var all []string
	for _, o := range options {
		if o.Wrong != "" && !slices.Contains(all, o.Wrong) {
			all = append(all, o.Wrong)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeUsage, Message: strings.Join(all, "; ")}
}

func descendants(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, child := range cmd.Commands() {
		all = append(append(all, child), descendants(child)...)
	}
	return all
}

// isFromCobra reports whether a command has options that are none of ours.
func isFromCobra(cmd *cobra.Command) bool {
	return slices.Contains(strings.Fields(cmd.CommandPath()), "completion")
}

// describe returns the value of a flag, and where it comes from. That of a flag of another command is still to be
// looked up; given is the flag of the command that shows it, if it has one of that name.
func (c *command) describe(f, given *pflag.Flag) option {
	o := option{Name: f.Name, Source: c.Origin[f.Name]}
	value, source := c.setting(f.Name)
	var wrong *cmdline.Failure
	switch {
	case f == given: // has its value already, unless that is wrong
		wrong = c.wrong[f.Name]
	case o.Source == cmdline.SourceFlag && given != nil:
		if err := copyValue(f, given); err != nil {
			wrong, value = badValue("--"+f.Name, given.Value.String(), f, err), given.Value.String()
		}
	case source != "":
		o.Source = source
		if err := setFrom(f, value); err != nil {
			wrong = badValue(source, value, f, err)
		}
	}
	if wrong != nil {
		return option{Name: f.Name, Value: value, Source: cmp.Or(o.Source, source), Wrong: c.nameSource(wrong.Message)}
	}
	if o.Source == "" {
		o.Source = cmdline.SourceDefault
	}
	o.Value = shortValue(f)
	if empty := f.Annotations[cmdline.AnnotationEmpty]; o.Value == "" && len(empty) == 1 {
		o.Value = empty[0]
	}
	if slices.Contains(secrets, f.Name) && o.Source != cmdline.SourceDefault {
		o.Value = "set, not shown"
	}
	return o
}

// copyValue gives a flag the value of another one, which may take one value where it takes several.
func copyValue(to, from *pflag.Flag) error {
	list, ok := to.Value.(pflag.SliceValue)
	if !ok {
		return to.Value.Set(from.Value.String())
	}
	if values, ok := from.Value.(pflag.SliceValue); ok {
		return list.Replace(values.GetSlice())
	}
	return list.Replace([]string{from.Value.String()})
}

// limits returns what the packages of the program keep to by default, in their own words.
func limits() []cmdline.Limit {
	all := limitsOf(server.Options{}.Defaults(), engine.Options{}.Defaults(), client.Options{}.Defaults(),
		card.Options{}.Defaults())
	all = append(all, registrycmd.Limits(registry.Options{}.Defaults())...)
	return append(all, coordcmd.Limits()...)
}

// numberOrNone returns a limit of which 0 is none.
func numberOrNone(n int) string {
	if n == 0 {
		return "no limit"
	}
	return cmdline.Itoa(n)
}

func limitsOf(srv server.Options, eng engine.Options, cl client.Options, cards card.Options) []cmdline.Limit {
	l := srv.Limits
	return []cmdline.Limit{
		{Name: "request body", Value: terminal.FormatBytes(l.Body), Of: "server"},
		{Name: "large requests at work", Value: terminal.FormatBytes(l.RequestBytes), Of: "server"},
		{Name: "large answers being written", Value: terminal.FormatBytes(l.AnswerBytes), Of: "server"},
		{Name: "wait for room for a large request or answer", Value: terminal.FormatDuration(l.Wait), Of: "server"},
		{Name: "parts of a message", Value: cmdline.Itoa(l.Parts), Of: "server"},
		{Name: "JSON depth", Value: cmdline.Itoa(l.Depth), Of: "server"},
		{Name: "references, extensions or output modes of a message", Value: cmdline.Itoa(a2a.MaxNames), Of: "server"},
		{Name: "length of an id", Value: terminal.FormatBytes(a2a.MaxIDLength), Of: "server"},
		{Name: "open streams of one authenticated caller", Value: cmdline.Itoa(l.StreamsPerOwner), Of: "server"},
		{Name: "open streams", Value: cmdline.Itoa(l.Streams), Of: "server"},
		{Name: "tasks on a page", Value: cmdline.Itoa(a2a.MaxPageSize), Of: "server"},
		{Name: "header read", Value: terminal.FormatDuration(l.HeaderTimeout), Of: "server"},
		{Name: "body read", Value: terminal.FormatDuration(l.BodyTimeout), Of: "server"},
		{Name: "write to a reader", Value: terminal.FormatDuration(l.WriteTimeout), Of: "server"},
		{Name: "idle connection", Value: terminal.FormatDuration(l.IdleTimeout), Of: "server"},
		{Name: "keep-alive of a stream", Value: terminal.FormatDuration(l.KeepAlive), Of: "server"},
		{Name: "age of a card", Value: terminal.FormatDuration(srv.CardMaxAge), Of: "server"},
		{Name: "drain", Value: terminal.FormatDuration(srv.DrainTimeout), Of: "server"},
		{Name: "drain delay when /readyz is asked for",
			Value: terminal.FormatDuration(cmp.Or(srv.DrainDelay, server.DefaultDrainDelay)), Of: "server"},
		{Name: "turn", Value: terminal.FormatDuration(eng.TurnLimit), Of: "engine"},
		{Name: "cancel grace", Value: terminal.FormatDuration(eng.CancelGrace), Of: "engine"},
		{Name: "lease", Value: terminal.FormatDuration(eng.LeaseTTL), Of: "engine"},
		{Name: "retention of waiting and finished tasks", Value: terminal.FormatDuration(eng.Retention), Of: "engine"},
		{Name: "turns at once", Value: numberOrNone(eng.MaxTurns), Of: "engine"},
		{Name: "waiting messages of a task", Value: cmdline.Itoa(eng.MaxWaiting), Of: "engine"},
		{Name: "large messages that turns hold", Value: terminal.FormatBytes(eng.MaxHeld), Of: "engine"},
		{Name: "a page of tasks", Value: terminal.FormatBytes(eng.MaxPage), Of: "engine"},
		{Name: "finished tasks in memory", Value: cmdline.Itoa(memory.DefaultMaxFinished), Of: "engine"},
		{Name: "other tasks in memory", Value: cmdline.Itoa(memory.DefaultMaxActive), Of: "engine"},
		{Name: "bytes of tasks in memory", Value: terminal.FormatBytes(memory.DefaultMaxBytes), Of: "engine"},
		{Name: "card", Value: terminal.FormatBytes(cards.MaxBytes), Of: "client"},
		{Name: "fetch of a card", Value: terminal.FormatDuration(cards.Timeout), Of: "client"},
		{Name: "further tries to fetch a card", Value: cmdline.Itoa(cards.Retries), Of: "client"},
		{Name: "cards in the cache", Value: cmdline.Itoa(cards.MaxCached), Of: "client"},
		{Name: "age of a card whose server names none", Value: terminal.FormatDuration(cards.Lifetime), Of: "client"},
		{Name: "call", Value: terminal.FormatDuration(cl.Timeout), Of: "client"},
		{Name: "sending of a message", Value: terminal.FormatDuration(cl.SendTimeout), Of: "client"},
		{Name: "opening of a stream", Value: terminal.FormatDuration(cl.HeaderTimeout), Of: "client"},
		{Name: "silence of a stream", Value: terminal.FormatDuration(cl.IdleTimeout), Of: "client"},
		{Name: "resumption of a broken stream", Value: terminal.FormatDuration(cl.ResumeTimeout), Of: "client"},
		{Name: "first pause between two polls", Value: terminal.FormatDuration(cl.PollInterval), Of: "client"},
		{Name: "longest pause between two polls", Value: terminal.FormatDuration(cl.MaxPollInterval), Of: "client"},
		{Name: "further tries of a call that only reads", Value: cmdline.Itoa(cl.Retries), Of: "client"},
		{Name: "answer", Value: terminal.FormatBytes(cl.MaxAnswer), Of: "client"},
		{Name: "event of a stream", Value: terminal.FormatBytes(int64(cl.MaxEvent)), Of: "client"},
		{Name: "file or standard input as a part", Value: terminal.FormatBytes(talk.MaxPart), Of: "client"},
		{Name: "file with settings", Value: terminal.FormatBytes(maxEnvFile), Of: "client"},
	}
}
