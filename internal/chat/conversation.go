// SPDX-License-Identifier: Apache-2.0

package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A chat is a conversation at the command line.
type chat struct {
	*connect.Caller // of the terminal, and of no agent
	in              terminal.Prompter
	agents          []*chatAgent
	at              *chatAgent // that hears what is said
	attached        []a2a.Part // to the next message
	kept            bool       // that is what the last one had, which did not arrive
	accept          []string
}

// chatAgent is one agent of a chat and where the conversation with it stands.
type chatAgent struct {
	talk.Talk
	name  string
	shown *show.Feed // of all turns, so that what is known is not shown again
}

// open finds the agents. With several, one that is not there is only warned of.
func (s *chat) open(ctx context.Context, o *Options) error {
	if len(o.Agents) == 0 {
		return connect.NoAgent()
	}
	if len(o.Agents) > 1 && s.HasCredentials() {
		return cmdline.Usagef("the credentials are for one agent, and here are %d",
			len(o.Agents)).WithHint("one agent must not see the credentials of another; start a chat with each")
	}
	var failed error
	for _, ref := range o.Agents {
		agent, err := s.dial(ctx, ref)
		switch {
		case err == nil:
			s.agents = append(s.agents, agent)
		case len(o.Agents) > 1:
			s.Warn("%s is left out: %s", connect.WithoutUser(ref), s.Failure(err).Message)
			failed = err
		default:
			return err
		}
	}
	if len(s.agents) == 0 {
		return failed
	}
	s.at = s.agents[0]
	return nil
}

func (s *chat) dial(ctx context.Context, named string) (*chatAgent, error) {
	alias, ref := connect.NameAndRef(named)
	agent := &chatAgent{Talk: talk.Talk{Caller: s.To(ref)}}
	if err := agent.Dial(ctx); err != nil {
		return nil, agent.AsFailure(ctx, err)
	}
	name := cmp.Or(terminal.Inline(cmp.Or(alias, agent.Client.Card().Name)), ref)
	agent.name = terminal.Short(name, 40)
	agent.shown = &show.Feed{Terminal: s.Terminal, Brief: s.AtTerminal()}
	return agent, nil
}

func (s *chat) close() {
	for _, agent := range s.agents {
		agent.Client.Close()
	}
}

// begin shows who is there and goes on where the flags say.
func (s *chat) begin(ctx context.Context, o *Options) error {
	if s.in.Person() {
		s.list()
		s.Tell("Type a message, or /help. Ctrl-C cancels a running task, /quit leaves.")
	}
	for _, ref := range o.files {
		if err := s.attach(ref, "--file"); err != nil {
			return err
		}
	}
	s.at.Context = a2a.ContextID(o.ContextID)
	if o.TaskID == "" {
		return nil
	}
	return s.resume(ctx, o.TaskID)
}

// loop takes lines until there are no more. first is the error of what came before them.
func (s *chat) loop(ctx context.Context, first error) error {
	err, left := first, false
	for {
		if err = s.settle(ctx, err); err != nil {
			return err
		}
		line, failed := s.in.Ask(ctx, s.prompt())
		switch {
		case errors.Is(failed, terminal.ErrInterrupted) && left:
			return cmdline.ErrLeft
		case errors.Is(failed, terminal.ErrInterrupted):
			s.Tell("Ctrl-C again, or /quit, leaves.")
			left = true
			continue
		case errors.Is(failed, io.EOF):
			return nil
		case failed != nil:
			return failed
		}
		left = false
		if strings.TrimSpace(line) != "" && !s.awaitsSecret() {
			s.in.Remember(line)
		}
		err = s.hear(ctx, line)
	}
}

// awaitsSecret reports whether a task waits in AUTH_REQUIRED: its answer may be a password, a key or a code. It asks
// every agent, as @NAME may begin the line.
func (s *chat) awaitsSecret() bool {
	return slices.ContainsFunc(s.agents, func(a *chatAgent) bool { return a.State == a2a.TaskStateAuthRequired })
}

// settle decides what an error means for the chat: a person goes on, a script does not.
func (s *chat) settle(ctx context.Context, err error) error {
	ends := errors.Is(err, cmdline.ErrLeft) || errors.Is(err, form.ErrQuit)
	if err == nil || ends || ctx.Err() != nil || !s.in.Person() {
		return err
	}
	s.at.Failure(err).Write(s.Err, false, s.Columns())
	if s.kept {
		s.Tell("What was attached (%d) stays attached to the next message; /detach takes it back.", len(s.attached))
	}
	s.kept = false
	return nil
}

// prompt names the agent, and its task's state if it waits.
func (s *chat) prompt() string {
	prompt := s.at.name
	if s.at.State.Interrupted() {
		prompt += " [" + show.StateName(s.at.State) + "]"
	}
	return prompt + "> "
}

// hear takes one line: a command, or something to say.
func (s *chat) hear(ctx context.Context, line string) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, "//"):
		return s.say(ctx, text[1:])
	case strings.HasPrefix(text, "/") && !strings.Contains(text, "\n"): // no command has several lines
		return s.command(ctx, text)
	case strings.HasPrefix(text, "@") && len(s.agents) > 1:
		return s.address(ctx, text[1:])
	}
	return s.say(ctx, line)
}

// sum prints where each conversation stands and how to come back to it.
func (s *chat) sum() {
	for _, agent := range s.agents {
		if agent.Context == "" && agent.Task == "" {
			continue
		}
		if len(s.agents) > 1 {
			fmt.Fprintf(s.Err, "Agent: %s\n", terminal.Inline(agent.name))
		}
		if task := agent.Task; task != "" {
			fmt.Fprintf(s.Err, "Task: %s\nStatus: %s\n", terminal.Inline(string(task)),
				show.StateName(agent.State))
		}
		if id := agent.Context; id != "" {
			fmt.Fprintf(s.Err, "Context: %s\n", terminal.Inline(string(id)))
		}
		agent.SayResume(agent.CommandFor("chat", "", agent.comeBack()...)...)
	}
}

// comeBack returns the flags that go on with the conversation: with its task unless that has ended.
func (a *chatAgent) comeBack() []string {
	if a.Task != "" && !a.State.Terminal() || a.Context == "" {
		return []string{"--task-id", string(a.Task)}
	}
	return []string{"--context-id", string(a.Context)}
}

// list names the agents, the one that hears what is said with a star.
func (s *chat) list() {
	for i, agent := range s.agents {
		mark := " "
		if s.Own != nil { // nobody else can call it
			s.Tell("  %s", agent.name)
			continue
		}
		if agent == s.at && len(s.agents) > 1 {
			mark = "*"
		}
		s.Tell("%s %d %s (%s)", mark, i+1, agent.name, connect.WithoutUser(agent.Agent))
	}
}

// address turns to the agent that a line begins with, and says the rest of it. Two @ begin a line that is just text.
func (s *chat) address(ctx context.Context, line string) error {
	if strings.HasPrefix(line, "@") {
		return s.say(ctx, line)
	}
	called, rest := s.calledFirst(line)
	agent, err := s.find(called)
	if err != nil {
		return err
	}
	if agent != s.at {
		s.switchTo(agent)
	}
	if rest == "" {
		return nil
	}
	return s.say(ctx, rest)
}

// calledFirst cuts off what names an agent at the beginning of a line: a whole name, which may have spaces, or a word.
func (s *chat) calledFirst(line string) (name, rest string) {
	for _, agent := range s.agents {
		if n := len(agent.name); n > len(name) && len(line) >= n && strings.EqualFold(line[:n], agent.name) &&
			(len(line) == n || strings.ContainsRune(" ,:", rune(line[n]))) {
			name = line[:n]
		}
	}
	if name == "" {
		name = strings.TrimRight(strings.SplitN(line, " ", 2)[0], ",:")
	}
	return name, strings.TrimSpace(strings.TrimLeft(line[len(name):], ",:"))
}

// find returns the agent that a word means: its number, its name, its reference, the last element of that, how one of
// the names begins, or a word that only one of them has.
func (s *chat) find(word string) (*chatAgent, error) {
	exact := slices.IndexFunc(s.agents, func(a *chatAgent) bool {
		return strings.EqualFold(a.name, word) || a.Agent == word
	})
	if exact >= 0 {
		return s.agents[exact], nil
	}
	var found []*chatAgent
	for i, agent := range s.agents {
		if word != "" && (cmdline.Itoa(i+1) == word || agent.isCalled(word)) {
			found = append(found, agent)
		}
	}
	switch len(found) {
	case 0:
		return nil, cmdline.Usagef("no agent is called %q; /agents lists them", word)
	case 1:
		return found[0], nil
	}
	return nil, cmdline.Usagef("%q matches several agents; use the number that /agents shows", word)
}

// isCalled reports whether a word may mean the agent.
func (a *chatAgent) isCalled(word string) bool {
	begins := func(name string) bool { return len(name) >= len(word) && strings.EqualFold(name[:len(word)], word) }
	last := a.Agent
	if u, err := url.Parse(a.Agent); err == nil {
		last = path.Base(u.Path)
	}
	return begins(a.name) || strings.EqualFold(last, word) ||
		slices.ContainsFunc(strings.Fields(a.name), func(w string) bool { return strings.EqualFold(w, word) })
}
