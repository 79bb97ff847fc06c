// SPDX-License-Identifier: Apache-2.0

package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A chatCommand is a line of a chat that begins with /.
type chatCommand struct {
	name, args, help string
	run              func(s *chat, ctx context.Context, arg string) error
}

func commands() []chatCommand {
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
			func(*chat, context.Context, string) error { return form.ErrQuit }},
	}
}

// isCommand reports whether a word is the name of a command.
func isCommand(word string) bool {
	return slices.ContainsFunc(commands(), func(cmd chatCommand) bool { return cmd.name == word })
}

// aliases are other names that people try.
var aliases = map[string]string{"/exit": "/quit", "/q": "/quit", "/attach": "/file", "/?": "/help",
	"/agent": "/agents"}

// completeCommand completes the name of a command.
func completeCommand(line string) []string {
	var all []string
	for _, cmd := range commands() {
		if strings.HasPrefix(cmd.name, line) && strings.HasPrefix(line, "/") {
			all = append(all, cmd.name)
		}
	}
	return all
}

// command runs a line that begins with /.
func (s *chat) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line, " ")
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd.run(s, ctx, strings.TrimSpace(arg))
		}
	}
	return cmdline.Usagef("there is no command %s",
		name).WithHint("/help lists the commands; to send a message that begins with /, type // instead")
}

func (s *chat) help() {
	for _, cmd := range commands() {
		s.helpOn(strings.TrimSpace(cmd.name+" "+cmd.args), cmd.help)
	}
	s.helpOn("//text", "say /text")
	if s.Own != nil {
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
	if columns := s.Columns(); columns > 0 && columns < first+room {
		s.Tell("%s", command)
		s.Tell(terminal.Indent+"%s", help)
		return
	}
	s.TellHanging(first, fmt.Sprintf("%-*s%s", first, command, help))
}

func (s *chat) fileCommand(_ context.Context, ref string) error {
	if ref == "" {
		if len(s.attached) == 0 {
			s.Tell("Nothing is attached.")
		}
		for i := range s.attached {
			s.Tell("%s", partName(&s.attached[i]))
		}
		return nil
	}
	return s.attach(ref, "/file")
}

// attach takes a file for the next message; by is what names it.
func (s *chat) attach(ref, by string) error {
	part, err := talk.FilePart(ref)
	if err != nil {
		return cmdline.Usagef("%s: %v", by, err)
	}
	s.attached = append(s.attached, part)
	s.Tell("Attached to the next message: %s", partName(&part))
	return nil
}

// partName describes a part that is a file.
func partName(part *a2a.Part) string {
	switch content := part.Content.(type) {
	case a2a.Raw:
		return show.DescribeFile(part.Filename, part.MediaType, show.Size(len(content)))
	case a2a.URL:
		return show.DescribeFile(part.Filename, part.MediaType, string(content))
	}
	return part.Filename
}

func (s *chat) detachCommand(context.Context, string) error {
	s.attached = nil
	return nil
}

func (s *chat) formCommand(ctx context.Context) error {
	switch {
	case !s.at.AsksForm():
		return cmdline.Usagef("%s waits for no form", s.at.name)
	case !s.in.Person():
		return cmdline.Usagef("/form asks a person").WithHint("to answer the form, send a line with a JSON object")
	}
	s.at.Left = ""
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
	o := talk.SaveOptions{Dir: cmp.Or(dir, "."), Networks: string(guard.Public), Force: force,
		Over: "/save " + saveOver, Allow: " of task download"}
	return s.during(ctx, func(ctx context.Context) error {
		saving := &talk.Talk{Caller: s.at.Caller, Client: s.at.Client, Seen: talk.Seen{Task: id}}
		return saving.SaveResult(ctx, o, new(client.Outcome))
	})
}

func (s *chat) newCommand(context.Context, string) error {
	s.at.Seen = talk.Seen{}
	s.attached = nil
	s.Tell("A new conversation with %s.", s.at.name)
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
	s.at = agent
	s.Tell("Talking to %s.", agent.name)
}

// current returns the id of the agent's task.
func (s *chat) current() (a2a.TaskID, error) {
	if s.at.Task == "" {
		return "", cmdline.Usagef("there is no task yet at %s", s.at.name)
	}
	return s.at.Task, nil
}

func (s *chat) cancel(ctx context.Context) error {
	id, err := s.current()
	if err != nil {
		return err
	}
	return s.during(ctx, func(ctx context.Context) error {
		task, err := s.at.Client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil {
			return s.at.ExplainRefusal(ctx, id, err, hintRefused)
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
	err := s.during(ctx, func(ctx context.Context) error {
		task, err := s.at.Client.GetTask(ctx,
			&a2a.GetTaskRequest{ID: a2a.TaskID(id), HistoryLength: fold.AskHistory(0)})
		if err != nil {
			return err
		}
		s.at.Note(task)
		if task.Status.State.Terminal() || task.Status.State.Interrupted() {
			return s.showNow(task)
		}
		return s.at.Follow(ctx, false, s.at.shown, new(client.Outcome))
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
	return s.during(ctx, func(ctx context.Context) error {
		task, err := s.at.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: &n})
		if err != nil {
			return err
		}
		s.at.Note(task)
		short := fold.ShowHistory(task, n)
		return s.ShowText(func(p *terminal.Printer) { show.Printer{Printer: p}.Story(short) })
	})
}

// showTask shows the agent's task.
func (s *chat) showTask(ctx context.Context) error {
	id, err := s.current()
	if err != nil {
		return err
	}
	return s.during(ctx, func(ctx context.Context) error {
		task, err := s.at.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: fold.AskHistory(0)})
		if err != nil {
			return err
		}
		s.at.Note(task)
		whole := show.Feed{Terminal: s.Terminal, Whole: true}
		return whole.Show(task)
	})
}

// showNow shows a task as a turn would, whole.
func (s *chat) showNow(task *a2a.Task) error {
	s.at.Note(task)
	shown := show.Feed{Terminal: s.Terminal, Brief: s.AtTerminal()}
	return shown.Show(task)
}
