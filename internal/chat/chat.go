// SPDX-License-Identifier: Apache-2.0

// Package chat is a conversation with agents at a terminal, or from a pipe.
package chat

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// Options are the flags of chat.
type Options struct {
	Agents    []string
	TaskID    string
	ContextID string
	DataDir   string
	files     []string
	accept    []string
}

const chatLong = `chat is a conversation with one agent, or with several. Each line is a message.
chat shows what the agent does as it happens. A line that begins with / is a
command; /help lists the commands. With several agents, @NAME at the start of a
line turns to one of them.

Text that you paste is one message, whatever lines it has. The key Up brings
back what you typed, also in earlier conversations. chat keeps that in the data
folder, without lines that begin with a space and without what you type while a
task waits for authorization.

When the agent asks for a form, chat asks for each field. Enter keeps the value
in brackets, /later leaves the form, and /cancel cancels the task.

Ctrl-C cancels the running task; the second Ctrl-C leaves. At the end, chat
prints the commands that continue the tasks and conversations.

Without a terminal, chat sends the words after the options as one message.
Without words, each line of standard input is a message. A line that is a JSON
object answers the form that the agent waits for; a field that it leaves out
keeps the form's value.`

const chatExample = `  dragoman chat -a http://127.0.0.1:8080
  dragoman chat -a http://127.0.0.1:8080 -a http://127.0.0.1:8081
  dragoman chat -a http://127.0.0.1:8080 --context-id ID
  printf '1 USD\nto GBP\n' | dragoman chat -a http://127.0.0.1:8080`

// Command returns the command chat.
func Command(c *connect.Caller) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:     "chat [words]",
		Short:   "Talk with agents, turn by turn",
		Long:    chatLong,
		Example: chatExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			return o.Run(cmd.Context(), c, strings.Join(words, " "))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	connect.AgentsFlag(flags, &o.Agents)
	flags.StringVar(&o.TaskID, "task-id", "", "the task to answer or to continue, at the first agent")
	flags.StringVar(&o.ContextID, "context-id", "", "the context to continue, at the first agent")
	flags.StringArrayVar(&o.files, "file", nil, "path or URL of a file for the first message; repeatable")
	flags.SetAnnotation("file", cmdline.AnnotationPart, nil)
	flags.StringSliceVar(&o.accept, "accept", nil, "accepted media types of answers, separated by commas")
	c.DataDirFlag(flags, &o.DataDir)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != connect.FlagAgentCard {
			cmd.PersistentFlags().AddFlag(f)
		}
	})
	return cmd
}

// historyName is the file of what was typed, in the folder of chat.
const historyName = "history"

// openHistory returns the history below the value of --data-dir; nil where that keeps nothing, or the user has no home.
func openHistory(c *connect.Caller, dataDir string) *terminal.History {
	folder, err := c.DataFolder(dataDir, cmdline.FolderChat)
	if err != nil || folder == cmdline.InMemory {
		return nil
	}
	return &terminal.History{File: filepath.Join(folder, historyName), Warn: func(err error) {
		c.Warn("cannot save the history of this chat: %v; to keep no history, pass --%s %s", err, cmdline.FlagDataDir,
			cmdline.InMemory)
	}}
}

// Run holds the whole conversation. words is the first message, or "".
func (o *Options) Run(ctx context.Context, c *connect.Caller, words string) error {
	if c.AsJSON {
		return cmdline.Usagef("chat is for people and has no --output json").WithHint("for programs there is " +
			terminal.CommandLine([]string{c.Program, "send", "-o", "json"}))
	}
	oneOff := !c.AtTerminal() && words != ""
	if words == "" && terminal.IsTerminal(c.Stdin) && !c.AtTerminal() {
		return cmdline.Usagef("chat needs a terminal: standard output is not one").WithHint(
			"to send one message, give it after the options")
	}
	s := &chat{Caller: c.At(c.Terminal.ForChat("/task")), accept: o.accept}
	defer s.close()
	if err := s.open(ctx, o); err != nil {
		return err
	}
	if oneOff {
		s.in = terminal.NewPipe(strings.NewReader(""))
	} else {
		s.in = c.Prompter(completeCommand, openHistory(c, o.DataDir))
	}
	defer s.in.Close()
	err := s.begin(ctx, o)
	if err == nil && words != "" {
		err = s.say(ctx, words)
	}
	if !oneOff {
		err = s.loop(ctx, err)
	}
	s.in.Close() // before anything more is printed: the terminal is as it was
	s.sum()
	if errors.Is(err, form.ErrQuit) {
		return nil
	}
	if errors.Is(err, cmdline.ErrLeft) {
		return err
	}
	return s.at.AsFailure(ctx, err)
}
