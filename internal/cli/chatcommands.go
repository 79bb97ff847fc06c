// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// errQuit ends a chat in good order.
var errQuit = errors.New("quit")

// A chatCommand is a line of a chat that begins with /.
type chatCommand struct {
	name, args, help string
	run              func(s *chat, ctx context.Context, arg string) error
}

func chatCommands() []chatCommand {
	return []chatCommand{
		{"/file", "PATH|URL", "attach a file to the next message; without a path, list what is attached",
			(*chat).fileCommand},
		{"/detach", "", "take back what is attached", (*chat).detachCommand},
		{"/form", "", "fill the form that the agent waits for",
			func(s *chat, ctx context.Context, _ string) error { return s.formCommand(ctx) }},
		{"/cancel", "", "cancel the task", func(s *chat, ctx context.Context, _ string) error { return s.cancel(ctx) }},
		{"/resume", "TASK", "go on with another task; without an id, follow this one", (*chat).resume},
		{"/history", "[N]", "show the last messages of the task, 10 unless you say how many", (*chat).history},
		{"/task", "", "show the task as it is",
			func(s *chat, ctx context.Context, _ string) error { return s.showTask(ctx) }},
		{"/save", "[-f] [DIR]", "save what the task brought forth, here or in a folder; -f writes over files",
			(*chat).saveCommand},
		{"/new", "", "begin a new conversation", (*chat).newCommand},
		{"/agents", "[NUMBER|NAME]", "list the agents, or talk to another one", (*chat).agentCommand},
		{"/help", "", "list the commands", func(s *chat, _ context.Context, _ string) error { s.help(); return nil }},
		{"/quit", "", "leave (also Ctrl-D); tasks go on without you",
			func(*chat, context.Context, string) error { return errQuit }},
	}
}

// isChatCommand reports whether a word is the name of a command.
func isChatCommand(word string) bool {
	return slices.ContainsFunc(chatCommands(), func(cmd chatCommand) bool { return cmd.name == word })
}

// chatAliases are other names that people try.
var chatAliases = map[string]string{"/exit": "/quit", "/q": "/quit", "/attach": "/file", "/?": "/help",
	"/agent": "/agents"}

// completeChat completes the name of a command.
func completeChat(line string) []string {
	var all []string
	for _, cmd := range chatCommands() {
		if strings.HasPrefix(cmd.name, line) && strings.HasPrefix(line, "/") {
			all = append(all, cmd.name)
		}
	}
	return all
}

// completeForm completes the commands of forms.
func completeForm(line string) []string {
	var all []string
	for _, word := range []string{wordLater, wordCancel, wordClear, wordHelp, wordQuit} {
		if strings.HasPrefix(word, line) && line != "" {
			all = append(all, word)
		}
	}
	return all
}

// command runs a line that begins with /.
func (s *chat) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line, " ")
	if alias, ok := chatAliases[name]; ok {
		name = alias
	}
	for _, cmd := range chatCommands() {
		if cmd.name == name {
			return cmd.run(s, ctx, strings.TrimSpace(arg))
		}
	}
	return cmdline.Usagef("there is no command %s",
		name).WithHint("/help lists the commands; to send a message that begins with /, type // instead")
}

func (s *chat) help() {
	for _, cmd := range chatCommands() {
		s.helpOn(strings.TrimSpace(cmd.name+" "+cmd.args), cmd.help)
	}
	s.helpOn("//text", "say /text")
	if s.c.Own != nil {
		s.helpOn("new: ...", "ask something new, although an agent waits for an answer")
		s.helpOn("@NAME ...", "say it to the agent of that name")
	}
	if len(s.agents) > 1 {
		s.helpOn("@NAME text", "talk to another agent, and say this")
	}
}

// helpOn explains a command in two columns or, where that leaves no room for the second one, in lines of its own.
func (s *chat) helpOn(command, help string) {
	const first, room = 24, 30
	if columns := s.c.Columns(); columns > 0 && columns < first+room {
		s.c.Tell("%s", command)
		s.c.Tell(terminal.Indent+"%s", help)
		return
	}
	s.c.TellHanging(first, fmt.Sprintf("%-*s%s", first, command, help))
}

func (s *chat) fileCommand(_ context.Context, ref string) error {
	if ref == "" {
		if len(s.attached) == 0 {
			s.c.Tell("Nothing is attached.")
		}
		for i := range s.attached {
			s.c.Tell("%s", partName(&s.attached[i]))
		}
		return nil
	}
	return s.attach(ref, "/file")
}

// attach takes a file for the next message; by is what names it.
func (s *chat) attach(ref, by string) error {
	part, err := filePart(ref)
	if err != nil {
		return cmdline.Usagef("%s: %v", by, err)
	}
	s.attached = append(s.attached, part)
	s.c.Tell("Attached to the next message: %s", partName(&part))
	return nil
}

// partName describes a part that is a file.
func partName(part *a2a.Part) string {
	switch content := part.Content.(type) {
	case a2a.Raw:
		return describeFile(part.Filename, part.MediaType, sizeOf(len(content)))
	case a2a.URL:
		return describeFile(part.Filename, part.MediaType, string(content))
	}
	return part.Filename
}

func sizeOf(n int) string { return fmt.Sprintf("%d bytes", n) }

func (s *chat) detachCommand(context.Context, string) error {
	s.attached = nil
	return nil
}

func (s *chat) formCommand(ctx context.Context) error {
	switch {
	case !s.at.seen.asksForm():
		return cmdline.Usagef("%s waits for no form", s.at.name)
	case !s.in.Person():
		return cmdline.Usagef("/form asks a person").WithHint("to answer the form, send a line with a JSON object")
	}
	s.at.seen.left = ""
	return s.fillForms(ctx)
}

// saveOver lets /save write over files.
const saveOver = "-f"

func (s *chat) saveCommand(ctx context.Context, arg string) error {
	dir, force := arg, false
	if first, rest, _ := strings.Cut(arg, " "); first == saveOver {
		dir, force = strings.TrimSpace(rest), true
	}
	id, err := s.current()
	if err != nil {
		return err
	}
	o := &sendOptions{save: cmp.Or(dir, "."), networks: string(guard.Public), force: force}
	return s.during(ctx, func(ctx context.Context, _ *seen) error {
		return s.c.saveResult(ctx, s.at.client, o, new(client.Outcome), &seen{task: id})
	})
}

func (s *chat) newCommand(context.Context, string) error {
	s.at.seen = seen{}
	s.attached = nil
	s.c.Tell("A new conversation with %s.", s.at.name)
	return nil
}

func (s *chat) agentCommand(_ context.Context, word string) error {
	if word == "" {
		s.list()
		return nil
	}
	agent, err := s.find(word)
	if err != nil {
		return err
	}
	s.switchTo(agent)
	return nil
}

// switchTo turns to an agent and says so.
func (s *chat) switchTo(agent *chatAgent) {
	s.turnTo(agent)
	s.c.Tell("Talking to %s.", agent.name)
}

// current returns the id of the agent's task.
func (s *chat) current() (a2a.TaskID, error) {
	if s.at.seen.task == "" {
		return "", cmdline.Usagef("there is no task yet at %s", s.at.name)
	}
	return s.at.seen.task, nil
}

func (s *chat) cancel(ctx context.Context) error {
	id, err := s.current()
	if err != nil {
		return err
	}
	return s.during(ctx, func(ctx context.Context, seen *seen) error {
		task, err := s.at.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil {
			return s.c.explainRefusal(ctx, s.at.client, id, err)
		}
		return s.showNow(task)
	})
}

// resume turns to another task and follows it, unless it waits or has ended.
func (s *chat) resume(ctx context.Context, id string) error {
	if id == "" {
		now, err := s.current()
		if err != nil {
			return err
		}
		id = string(now)
	}
	err := s.during(ctx, func(ctx context.Context, seen *seen) error {
		task, err := s.at.client.GetTask(ctx,
			&a2a.GetTaskRequest{ID: a2a.TaskID(id), HistoryLength: fold.AskHistory(0)})
		if err != nil {
			return err
		}
		seen.note(task)
		if task.Status.State.Terminal() || task.Status.State.Interrupted() {
			return s.showNow(task)
		}
		return s.c.follow(ctx, s.at.client, &subscribeOptions{}, s.at.shown, new(client.Outcome), seen)
	})
	if err != nil {
		return err
	}
	return s.fillForms(ctx)
}

func (s *chat) history(ctx context.Context, arg string) error {
	id, err := s.current()
	if err != nil {
		return err
	}
	n := 10
	if arg != "" {
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			return cmdline.Usagef("/history takes a number, and %q is none", arg)
		}
	}
	return s.during(ctx, func(ctx context.Context, seen *seen) error {
		task, err := s.at.client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: &n})
		if err != nil {
			return err
		}
		seen.note(task)
		short := fold.ShowHistory(task, n)
		return s.c.ShowText(func(p *terminal.Printer) { printer{p}.story(short) })
	})
}

// showTask shows the agent's task.
func (s *chat) showTask(ctx context.Context) error {
	id, err := s.current()
	if err != nil {
		return err
	}
	return s.during(ctx, func(ctx context.Context, _ *seen) error {
		task, err := s.at.client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: fold.AskHistory(0)})
		if err != nil {
			return err
		}
		s.at.seen.note(task)
		whole := feed{c: s.c, whole: true}
		return whole.show(task)
	})
}

// showNow shows a task as a turn would, whole.
func (s *chat) showNow(task *a2a.Task) error {
	s.at.seen.note(task)
	shown := feed{c: s.c, brief: s.c.AtTerminal()}
	return shown.show(task)
}
