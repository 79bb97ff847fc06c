// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// sendOptions are the flags of send.
type sendOptions struct {
	parts     talk.PartFlags
	taskID    string
	contextID string
	stream    bool
	async     bool
	wait      bool
	history   int
	metadata  string
	accept    []string
	schema    string
	answer    string
	skeleton  bool
	fill      bool
	save      talk.SaveOptions
	failOn    statesFlag

	expect *talk.Expectation // of schema, see request
}

const sendLong = `send sends a message to an agent. It waits until the task has ended, or until the
task waits for input or authorization. At a terminal it shows on standard error
what it waits for.

The words of the command line are the first part of the message. The parts of
--text, --file and --data follow in their order. Without any of them, standard
input is the text of the message.

When the task waits for input, send prints the command that answers it. When you
interrupt send, the task goes on, and send prints the command that follows it.

When the agent asks for a form, --skeleton prints the document to fill. --answer
checks a filled document against the form's schema and sends it; a field that the
document leaves out keeps the form's value. At a terminal, --fill asks for each
field.`

const sendExample = `  dragoman send -a http://127.0.0.1:8080 --text "100 USD in GBP"
  dragoman send http://127.0.0.1:8080 "How much is 1 USD?"
  echo "100 USD in GBP" | dragoman send http://127.0.0.1:8080
  dragoman send -a agent.example.com --text "Describe this" --file photo.jpg --stream
  git diff | dragoman send -a agent.example.com "Review this" --file - --media-type text/x-diff
  echo '{"city": "Oslo"}' | dragoman send -a agent.example.com --data - -o json
  dragoman send -a agent.example.com --text "open tickets" --schema tickets.json
  dragoman send -a agent.example.com --task-id ID --text "to CAD"
  dragoman send -a agent.example.com --task-id ID --skeleton > form.json
  dragoman send -a agent.example.com --task-id ID --answer form.json`

// Send returns the command that sends one message. around, if not nil, runs the send by a caller of its own.
func Send(c *connect.Caller,
	around func(cmd *cobra.Command, send func(*connect.Caller) error) error) *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:     "send [words]",
		Short:   "Send a message to an agent",
		Long:    sendLong,
		Example: sendExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if around == nil {
				return o.run(cmd, c, words)
			}
			words, err := talk.OrInput(c.Run, cmd, words)
			if err != nil {
				return err
			}
			return around(cmd, func(c *connect.Caller) error { return o.run(cmd, c, words) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	o.parts.Add(flags)
	flags.StringVar(&o.taskID, "task-id", "", "the task to answer or to continue")
	flags.StringVar(&o.contextID, "context-id", "", "the context that the message belongs to")
	flags.BoolVar(&o.stream, "stream", false, "show events as they arrive; with -o json one object on each line")
	flags.BoolVar(&o.async, "async", false, "do not wait (also --return-immediately, --no-wait)")
	flags.BoolVar(&o.wait, "wait", false, "wait; this is the default unless a variable says --async")
	flags.IntVar(&o.history, "history", 0, "how many messages of the task's history to show")
	flags.StringVar(&o.answer, "answer", "", "file with the answer to the form that the task waits for; - for "+
		"standard input")
	flags.BoolVar(&o.skeleton, "skeleton", false,
		"send nothing; print the document to fill in for the form of the task")
	flags.BoolVar(&o.fill, "fill", false, "if the task waits for a form, ask for its fields; needs a terminal")
	flags.StringVar(&o.save.Dir, "save", "", "folder to save the task's artifacts to, as task download does")
	flags.BoolVar(&o.save.Force, "force", false, "with --save: overwrite files")
	o.save.NetworksFlag(flags)
	o.failOn.add(flags)
	flags.StringVar(&o.metadata, "metadata", "", "metadata of the message, a JSON object")
	flags.StringSliceVar(&o.accept, "accept", nil, "accepted media types of the answer, separated by commas")
	flags.StringVar(&o.schema, "schema", "", "file with a JSON Schema for the data of the answer; send passes it to "+
		"the agent and checks the answer")
	flags.SetNormalizeFunc(cmdline.Aliases(map[string]string{"return-immediately": "async", "no-wait": "async",
		"immediate": "async", "task": "task-id", "context": "context-id"}))
	return cmd
}

// run sends the message that the flags and the words make, and shows what comes of it.
func (o *sendOptions) run(cmd *cobra.Command, c *connect.Caller, words []string) error {
	if err := o.settleWait(c); err != nil {
		return err
	}
	words, err := talk.OrInput(c.Run, cmd, words)
	if err != nil {
		return err
	}
	if err := o.checkForms(c, words); err != nil {
		return err
	}
	t := &talk.Talk{Caller: c}
	if o.skeleton {
		return t.Do(cmd.Context(), func(ctx context.Context) error { return o.showSkeleton(ctx, t) })
	}
	req, err := o.request(words, c)
	if err != nil {
		return err
	}
	return t.Do(cmd.Context(), func(ctx context.Context) error { return o.talk(ctx, t, req) })
}

// settleWait decides whether to wait. The flags --wait and --stream come before a variable that says --async.
func (o *sendOptions) settleWait(c *connect.Caller) error {
	_, wait := c.Origin["wait"]
	async := c.FromFlag("async")
	switch {
	case wait && async:
		return cmdline.Usagef("--async and --wait exclude each other")
	case wait:
		o.async = !o.wait
	case o.stream && !async:
		o.async = false
	}
	if o.async && o.save.Dir != "" {
		return cmdline.Usagef("--save waits for the files: it cannot be combined with --async").WithHint(
			later(c, "save them later with ", "download"))
	}
	if err := o.save.Check(); err != nil {
		return err
	}
	if o.async && o.stream {
		return cmdline.Usagef("--async and --stream exclude each other").WithHint(
			later(c, "follow the task later with ", "subscribe"))
	}
	return nil
}

// later names a command for a task that goes on; "" when it has to be this run that waits.
func later(c *connect.Caller, what, verb string) string {
	if c.Own != nil {
		return ""
	}
	return what + terminal.CommandLine(c.CommandFor("task", verb, "ID"))
}

// request makes the request of the options.
func (o *sendOptions) request(words []string, c *connect.Caller) (*a2a.SendMessageRequest, error) {
	if err := checkHistory(o.history); err != nil {
		return nil, err
	}
	parts, err := o.content(words, c)
	if err != nil {
		return nil, err
	}
	message := a2a.NewMessage(a2a.RoleUser, parts...)
	message.TaskID, message.ContextID = a2a.TaskID(o.taskID), a2a.ContextID(o.contextID)
	message.Extensions = c.Extensions
	if o.metadata != "" {
		if jsontext.Value(o.metadata).Kind() != '{' || json.Unmarshal([]byte(o.metadata), &message.Metadata) != nil {
			return nil, cmdline.Usagef("--metadata is not a JSON object").WithHint(
				`for example --metadata '{"ticket": 7}'`)
		}
	}
	if o.schema != "" {
		if o.expect, err = talk.ReadSchema(o.schema); err != nil {
			return nil, err
		}
		if err := o.expect.Ask(message); err != nil {
			return nil, cmdline.Usagef("--schema: %v", err)
		}
	}
	if !utf8.ValidString(o.taskID + o.contextID) {
		return nil, cmdline.Usagef("--task-id and --context-id must be UTF-8")
	}
	config := &a2a.SendConfiguration{HistoryLength: fold.AskHistory(o.history), ReturnImmediately: o.async}
	for _, mode := range o.accept {
		config.AcceptedOutputModes = append(config.AcceptedOutputModes, strings.TrimSpace(mode))
	}
	return &a2a.SendMessageRequest{Message: message, Configuration: config}, nil
}

// talk sends a message to the agent and shows what comes of it.
func (o *sendOptions) talk(ctx context.Context, t *talk.Talk, req *a2a.SendMessageRequest) error {
	types := &talk.Acceptance{Modes: req.Configuration.AcceptedOutputModes, Expect: o.expect}
	if o.answer != "" {
		if err := completeAnswer(ctx, t, req); err != nil {
			return err
		}
	}
	t.ShowSent(req.Message)
	if o.async {
		return o.sendAndLeave(ctx, t, req, types)
	}
	var shown *show.Feed
	if o.stream {
		shown = &show.Feed{Terminal: t.Terminal, History: o.history}
		if !connect.Streams(t.Client.Card()) {
			t.Warn("the agent does not stream; polling its task")
		}
	}
	outcome, err := t.Await(ctx, req, shown, types)
	if err != nil {
		return t.Explain(t.Ended(ctx, req, err))
	}
	if !o.stream {
		if err := o.showFinal(ctx, t, outcome); err != nil {
			return err
		}
	}
	types.Judge(t.Terminal)
	if o.save.Dir != "" {
		if err := t.SaveResult(ctx, o.save, outcome); err != nil {
			return err
		}
	}
	if o.fill && t.AsksForm() {
		return o.fillAndSend(ctx, t, req)
	}
	t.Judge()
	if o.save.Dir == "" && t.Files && t.Task != "" && t.Own == nil && !t.AsJSON {
		t.Say("Save", t.CommandFor("task", "download", string(t.Task))...)
	}
	return o.failOn.verdict(t)
}

// sendAndLeave sends a message and shows the task as it is at once.
func (o *sendOptions) sendAndLeave(ctx context.Context, t *talk.Talk, req *a2a.SendMessageRequest,
	types *talk.Acceptance) error {
	result, err := t.Client.SendMessage(ctx, req)
	if err != nil {
		return t.Ended(ctx, req, err)
	}
	t.Note(result)
	types.Note(result)
	if task, ok := result.(*a2a.Task); ok {
		result = fold.ShowHistory(task, o.history)
	}
	if err := show.Result(t.Terminal, result); err != nil {
		return err
	}
	types.Judge(t.Terminal)
	if t.Task != "" && !t.State.Terminal() && !t.State.Interrupted() {
		t.SayFollow()
		return nil
	}
	return judge(t, o.failOn)
}

// showFinal prints the one result of a message: what came of it, and what the agent adds when it is asked for the task.
func (o *sendOptions) showFinal(ctx context.Context, t *talk.Talk, outcome *client.Outcome) error {
	if answer := outcome.Message(); answer != nil {
		return show.Result(t.Terminal, answer)
	}
	task, err := outcome.Final(t.Client.GetTask(ctx,
		&a2a.GetTaskRequest{ID: t.Task, HistoryLength: fold.AskHistory(o.history)}))
	if err != nil {
		return fmt.Errorf("the agent accepted the message, but the task cannot be shown: %w", err)
	}
	task = fold.ShowHistory(task, o.history)
	t.Note(task)
	return show.Result(t.Terminal, task)
}
