// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// chatOptions are the flags of chat.
type chatOptions struct {
	agents    []string
	taskID    string
	contextID string
	files     []string
	accept    []string
	dataDir   string
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

func (c *command) chatCommand() *cobra.Command {
	var o chatOptions
	cmd := &cobra.Command{
		Use:     "chat [words]",
		Short:   "Talk with agents, turn by turn",
		Long:    chatLong,
		Example: chatExample,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, words []string) error { return c.chat(cmd, &o, strings.Join(words, " ")) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	connect.AgentsFlag(flags, &o.agents)
	flags.StringVar(&o.taskID, "task-id", "", "the task to answer or to continue, at the first agent")
	flags.StringVar(&o.contextID, "context-id", "", "the context to continue, at the first agent")
	flags.StringArrayVar(&o.files, "file", nil, "path or URL of a file for the first message; repeatable")
	flags.SetAnnotation("file", cmdline.AnnotationPart, nil)
	flags.StringSliceVar(&o.accept, "accept", nil, "accepted media types of answers, separated by commas")
	c.DataDirFlag(flags, &o.dataDir)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != connect.FlagAgentCard {
			cmd.PersistentFlags().AddFlag(f)
		}
	})
	return cmd
}

// errLeft ends a turn, and the chat, when Ctrl-C comes a second time.
var errLeft = errors.New("left")

// historyName is the file of what was typed, in the folder of chat.
const historyName = "history"

// openHistory returns the history below the value of --data-dir; nil where that keeps nothing, or the user has no home.
func (c *command) openHistory(dataDir string) *terminal.History {
	folder, err := c.DataFolder(dataDir, cmdline.FolderChat)
	if err != nil || folder == cmdline.InMemory {
		return nil
	}
	return &terminal.History{File: filepath.Join(folder, historyName), Warn: func(err error) {
		c.Warn("cannot save the history of this chat: %v; to keep no history, pass --%s %s", err, cmdline.FlagDataDir,
			cmdline.InMemory)
	}}
}

// chat runs the whole conversation.
func (c *command) chat(cmd *cobra.Command, o *chatOptions, words string) error {
	ctx := cmd.Context()
	if c.AsJSON {
		return cmdline.Usagef("chat is for people and has no --output json").WithHint("for programs there is " +
			terminal.CommandLine([]string{c.Program, "send", "-o", "json"}))
	}
	oneOff := !c.AtTerminal() && words != ""
	if words == "" && terminal.IsTerminal(c.Stdin) && !c.AtTerminal() {
		return cmdline.Usagef("chat needs a terminal: standard output is not one").WithHint(
			"to send one message, give it after the options")
	}
	c.inChat, c.Quiet, c.Wraps, c.Shortens = true, true, true, "/task"
	s := &chat{c: c, accept: o.accept}
	defer s.close()
	if err := s.open(ctx, o); err != nil {
		return err
	}
	if oneOff {
		s.in = terminal.NewPipe(strings.NewReader(""))
	} else {
		s.in = c.Prompter(completeChat, c.openHistory(o.dataDir))
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
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// A chat is a conversation at the command line.
type chat struct {
	c        *command
	in       terminal.Prompter
	agents   []*chatAgent
	at       *chatAgent // who hears what is said
	attached []a2a.Part // to the next message
	kept     bool       // that is what the last one had, which did not arrive
	accept   []string
}

// chatAgent is one agent of a chat and where the conversation with it stands.
type chatAgent struct {
	ref, name string
	client    *client.Client
	seen      seen
	shown     *feed // of all turns, so that what is known is not shown again
}

// open finds the agents. With several, one that is not there is only warned of.
func (s *chat) open(ctx context.Context, o *chatOptions) error {
	if len(o.agents) == 0 {
		return connect.NoAgent()
	}
	if len(o.agents) > 1 && s.c.HasCredentials() {
		return cmdline.Usagef("the credentials are for one agent, and here are %d",
			len(o.agents)).WithHint("one agent must not see the credentials of another; start a chat with each")
	}
	var failed error
	for _, ref := range o.agents {
		agent, err := s.dial(ctx, ref)
		switch {
		case err == nil:
			s.agents = append(s.agents, agent)
		case len(o.agents) > 1:
			s.c.Warn("%s is left out: %s", connect.WithoutUser(ref), s.c.Failure(err).Message)
			failed = err
		default:
			return err
		}
	}
	if len(s.agents) == 0 {
		return failed
	}
	s.turnTo(s.agents[0])
	return nil
}

func (s *chat) dial(ctx context.Context, named string) (*chatAgent, error) {
	alias, ref := connect.NameAndRef(named)
	s.c.Agent = ref
	agent, err := s.c.Dial(ctx)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(terminal.Inline(cmp.Or(alias, agent.Card().Name)), ref)
	return &chatAgent{ref: ref, name: terminal.Short(name, 40), client: agent,
		shown: &feed{c: s.c, brief: s.c.AtTerminal()}}, nil
}

func (s *chat) close() {
	for _, agent := range s.agents {
		agent.client.Close()
	}
}

// turnTo makes an agent the one that hears what is said, also for the commands that are printed.
func (s *chat) turnTo(agent *chatAgent) {
	s.at = agent
	s.c.Agent = agent.ref
}

// begin shows who is there and goes on where the flags say.
func (s *chat) begin(ctx context.Context, o *chatOptions) error {
	if s.in.Person() {
		s.list()
		s.c.Tell("Type a message, or /help. Ctrl-C cancels a running task, /quit leaves.")
	}
	for _, ref := range o.files {
		if err := s.attach(ref, "--file"); err != nil {
			return err
		}
	}
	s.at.seen.context = a2a.ContextID(o.contextID)
	if o.taskID == "" {
		return nil
	}
	return s.resume(ctx, o.taskID)
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
			return errLeft
		case errors.Is(failed, terminal.ErrInterrupted):
			s.c.Tell("Ctrl-C again, or /quit, leaves.")
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
	return slices.ContainsFunc(s.agents, func(a *chatAgent) bool { return a.seen.state == a2a.TaskStateAuthRequired })
}

// settle decides what an error means for the chat: a person goes on, a script does not.
func (s *chat) settle(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !s.in.Person() || errors.Is(err, errLeft) || errors.Is(err, errQuit) {
		return err
	}
	s.c.Failure(err).Write(s.c.Err, false, s.c.Columns())
	if s.kept {
		s.c.Tell("What was attached (%d) stays attached to the next message; /detach takes it back.", len(s.attached))
	}
	s.kept = false
	return nil
}

// prompt names the agent, and its task's state if it waits.
func (s *chat) prompt() string {
	prompt := s.at.name
	if s.at.seen.state.Interrupted() {
		prompt += " [" + show.StateName(s.at.seen.state) + "]"
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

// say sends a text with what is attached, and then fills the forms that come back. An object answers the form that the
// agent waits for.
func (s *chat) say(ctx context.Context, text string) error {
	part, err := textPart(text)
	if err != nil {
		return cmdline.Usagef("the line %v", err)
	}
	if doc := jsontext.Value(strings.TrimSpace(text)); s.at.seen.asksForm() && doc.Kind() == '{' && doc.IsValid() {
		whole, err := s.at.seen.form.complete(doc)
		if err != nil {
			return cmdline.Usagef("the line does not fit the form: %v", err)
		}
		part = jsonPart(whole)
	}
	attached := s.attached
	s.attached = nil
	if err := s.turn(ctx, append([]a2a.Part{part}, attached...)); err != nil {
		s.keep(attached, err)
		return err
	}
	return s.fillForms(ctx)
}

// keep takes back what was attached to a message that did not arrive, as far as one can tell: no task came of it.
func (s *chat) keep(attached []a2a.Part, err error) {
	if len(attached) == 0 || s.at.seen.took || errors.Is(err, errLeft) {
		return
	}
	s.attached, s.kept = attached, true
}

// fillForms asks a person for the form that the agent waits for, and for the next one if it is not content with that.
// Lines of a pipe are messages, always: whoever writes them does not see what is asked.
func (s *chat) fillForms(ctx context.Context) error {
	for s.in.Person() && s.at.seen.asksForm() {
		if s.at.seen.form.source == s.at.seen.left {
			s.c.Tell("The form still waits; /form asks for it.")
			return nil
		}
		answer, err := s.c.fill(ctx, s.in, &s.at.seen)
		switch {
		case errors.Is(err, errWithdraw):
			return s.cancel(ctx)
		case errors.Is(err, errLater), errors.Is(err, terminal.ErrInterrupted), errors.Is(err, io.EOF):
			s.at.seen.left = s.at.seen.form.source
			s.c.Tell("The form waits; /form asks for it again. A message may answer it, too.")
			return nil
		case err != nil:
			return err
		}
		if err := s.turn(ctx, []a2a.Part{jsonPart(answer)}); err != nil {
			return err
		}
	}
	return nil
}

// turn sends a message to the agent and shows what comes of it until the agent waits or is done.
func (s *chat) turn(ctx context.Context, parts []a2a.Part) (err error) {
	at, form := s.at, s.at.seen.form
	message := a2a.NewMessage(a2a.RoleUser, parts...)
	message.ContextID, message.Extensions = at.seen.context, s.c.Extensions
	if at.seen.task != "" && !at.seen.state.Terminal() {
		message.TaskID = at.seen.task
	}
	req := &a2a.SendMessageRequest{Message: message, Configuration: &a2a.SendConfiguration{
		AcceptedOutputModes: s.accept, HistoryLength: fold.AskHistory(0),
	}}
	s.c.showSent(message)
	at.seen.took = false
	defer func() {
		if err != nil && !at.seen.took {
			at.seen.form = form // which waits still
		}
	}()
	return s.during(ctx, func(ctx context.Context, seen *seen) error {
		if message.TaskID == "" {
			seen.task, seen.state, seen.filled, seen.left = "", a2a.TaskStateUnspecified, nil, ""
		}
		seen.form, seen.files = nil, false
		types := &acceptance{modes: s.accept}
		if _, err := s.c.await(ctx, at.client, req, at.shown, types, seen); err != nil {
			return s.c.ended(ctx, at.client, req, err)
		}
		types.judge(s.c)
		if seen.files && s.in.Person() {
			s.c.Tell("/save keeps the files.")
		}
		if seen.cutOff && s.c.Own != nil && !s.in.Person() {
			return errNobodyThere
		}
		return nil
	})
}

// during runs a turn under --timeout. Ctrl-C cancels its task, and breaks it off when it comes again or when there is
// no task yet.
func (s *chat) during(ctx context.Context, turn func(context.Context, *seen) error) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	limited, done := s.c.Limit(ctx)
	defer done()

	at := s.at
	asked := &asking{s: s, client: at.client, ctx: ctx, leave: leave}
	at.seen.told = asked.learn
	s.c.takeInterrupts(asked.interrupt)
	err := turn(limited, &at.seen)
	s.c.takeInterrupts(nil)
	at.seen.told = nil
	asked.wait()

	switch cause := context.Cause(limited); {
	case err == nil || cause == nil:
		return err
	case errors.Is(cause, errNothingYet):
		s.c.Tell("Given up. The agent may have the message all the same.")
		return nil
	default:
		if timeUp := s.c.TimeUp(limited); timeUp != nil {
			return timeUp
		}
		return cause
	}
}

// errNothingYet ends a turn whose task is not known when Ctrl-C comes.
var errNothingYet = errors.New("given up before there was a task")

// asking is what Ctrl-C does during one turn.
type asking struct {
	s      *chat
	client *client.Client
	ctx    context.Context
	leave  context.CancelCauseFunc

	mu    sync.Mutex
	task  a2a.TaskID
	times int
	calls sync.WaitGroup
}

func (a *asking) learn(task a2a.TaskID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.task = task
}

func (a *asking) interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times++
	switch {
	case a.task == "":
		a.leave(errNothingYet)
	case a.times > 1:
		a.leave(errLeft)
	default:
		if a.s.c.Out.MidLine() {
			fmt.Fprintln(a.s.c.Err)
		}
		a.s.c.Tell("Canceling the task; Ctrl-C again leaves it running.")
		task := a.task
		a.calls.Go(func() {
			_, err := a.client.CancelTask(a.ctx, &a2a.CancelTaskRequest{ID: task})
			if err != nil && a.ctx.Err() == nil {
				err = a.s.c.explainRefusal(a.ctx, a.client, task, err)
				a.s.c.Failure(err).Write(a.s.c.Err, false, a.s.c.Columns())
			}
		})
	}
}

func (a *asking) wait() { a.calls.Wait() }

// sum prints where each conversation stands and how to come back to it.
func (s *chat) sum() {
	for _, agent := range s.agents {
		if agent.seen.context == "" && agent.seen.task == "" {
			continue
		}
		s.turnTo(agent)
		if len(s.agents) > 1 {
			fmt.Fprintf(s.c.Err, "Agent: %s\n", terminal.Inline(agent.name))
		}
		if task := agent.seen.task; task != "" {
			fmt.Fprintf(s.c.Err, "Task: %s\nStatus: %s\n", terminal.Inline(string(task)),
				show.StateName(agent.seen.state))
		}
		if id := agent.seen.context; id != "" {
			fmt.Fprintf(s.c.Err, "Context: %s\n", terminal.Inline(string(id)))
		}
		s.c.sayResume(s.c.CommandFor("chat", "", agent.comeBack()...)...)
	}
}

// comeBack returns the flags that go on with the conversation: with its task unless that has ended.
func (a *chatAgent) comeBack() []string {
	if a.seen.task != "" && !a.seen.state.Terminal() || a.seen.context == "" {
		return []string{"--task-id", string(a.seen.task)}
	}
	return []string{"--context-id", string(a.seen.context)}
}

// list names the agents, the one that hears what is said with a star.
func (s *chat) list() {
	for i, agent := range s.agents {
		mark := " "
		if s.c.Own != nil { // nobody else can call it
			s.c.Tell("  %s", agent.name)
			continue
		}
		if agent == s.at && len(s.agents) > 1 {
			mark = "*"
		}
		s.c.Tell("%s %d %s (%s)", mark, i+1, agent.name, connect.WithoutUser(agent.ref))
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
		return strings.EqualFold(a.name, word) || a.ref == word
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
	last := a.ref
	if u, err := url.Parse(a.ref); err == nil {
		last = path.Base(u.Path)
	}
	return begins(a.name) || strings.EqualFold(last, word) ||
		slices.ContainsFunc(strings.Fields(a.name), func(w string) bool { return strings.EqualFold(w, word) })
}
