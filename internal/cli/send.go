// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// sendOptions are the flags of send.
type sendOptions struct {
	parts     partFlags
	taskID    string
	contextID string
	stream    bool
	async     bool
	wait      bool
	history   int
	metadata  string
	accept    []string
	schema    string
	expect    *expectation // of schema, see request
	answer    string
	skeleton  bool
	fill      bool
	save      string
	force     bool
	networks  string
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

func (c *command) sendCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:     "send [words]",
		Short:   "Send a message to an agent",
		Long:    sendLong,
		Example: sendExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := o.settleWait(c); err != nil {
				return err
			}
			words, err := c.orInput(cmd, words)
			if err != nil {
				return err
			}
			if err := o.checkForms(c, words); err != nil {
				return err
			}
			if o.skeleton {
				return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
					return c.showSkeleton(ctx, agent, &o, seen)
				})
			}
			req, err := o.request(words, c)
			if err != nil {
				return err
			}
			var seen seen
			return c.within(cmd, &seen, func(ctx context.Context) error { return c.sendMessage(ctx, &o, req, &seen) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	o.parts.add(flags)
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
	flags.StringVar(&o.save, "save", "", "folder to save the task's artifacts to, as task download does")
	flags.BoolVar(&o.force, "force", false, "with --save: overwrite files")
	networksFlag(cmd, &o.networks)
	c.failOnFlag(flags)
	flags.StringVar(&o.metadata, "metadata", "", "metadata of the message, a JSON object")
	flags.StringSliceVar(&o.accept, "accept", nil, "accepted media types of the answer, separated by commas")
	flags.StringVar(&o.schema, "schema", "", "file with a JSON Schema for the data of the answer; send passes it to "+
		"the agent and checks the answer")
	flags.SetNormalizeFunc(cmdline.Aliases(map[string]string{"return-immediately": "async", "no-wait": "async",
		"immediate": "async", "task": "task-id", "context": "context-id"}))
	return cmd
}

// settleWait decides whether to wait. The flags --wait and --stream come before a variable that says --async.
func (o *sendOptions) settleWait(c *command) error {
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
	if o.async && o.save != "" {
		return cmdline.Usagef("--save waits for the files: it cannot be combined with --async").WithHint(
			c.later("save them later with ", "download"))
	}
	if !guard.Networks(o.networks).Valid() {
		return cmdline.Usagef("--networks is %q; use public, loopback or private", o.networks)
	}
	if o.async && o.stream {
		return cmdline.Usagef("--async and --stream exclude each other").WithHint(
			c.later("follow the task later with ", "subscribe"))
	}
	return nil
}

// later names a command for a task that goes on; "" when it has to be this run that waits.
func (c *command) later(what, verb string) string {
	if c.Own != nil {
		return ""
	}
	return what + terminal.CommandLine(c.CommandFor("task", verb, "ID"))
}

// request makes the request of the options.
func (o *sendOptions) request(words []string, c *command) (*a2a.SendMessageRequest, error) {
	if o.history < 0 {
		return nil, cmdline.Usagef("--history is %d; it must not be negative", o.history)
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
		if o.expect, err = readSchema(o.schema); err != nil {
			return nil, err
		}
		if err := o.expect.ask(message); err != nil {
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

// sendMessage sends a message and shows what comes of it.
func (c *command) sendMessage(ctx context.Context, o *sendOptions, req *a2a.SendMessageRequest, seen *seen) error {
	agent, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer agent.Close()
	return c.talk(ctx, agent, o, req, seen)
}

// talk sends a message to an agent that is dialled.
func (c *command) talk(ctx context.Context, agent *client.Client, o *sendOptions, req *a2a.SendMessageRequest,
	seen *seen) error {
	types := &acceptance{modes: req.Configuration.AcceptedOutputModes, expect: o.expect}
	if o.answer != "" {
		if err := c.completeAnswer(ctx, agent, req); err != nil {
			return err
		}
	}
	c.showSent(req.Message)
	if o.async {
		return c.sendAndLeave(ctx, agent, o, req, types, seen)
	}
	if o.stream && !streams(agent.Card()) {
		c.Warn("the agent does not stream; polling its task")
	}
	var shown *feed
	if o.stream {
		shown = &feed{c: c, history: o.history}
	}
	outcome, err := c.await(ctx, agent, req, shown, types, seen)
	if err != nil {
		return c.explain(c.ended(ctx, agent, req, err), seen)
	}
	if !o.stream {
		if err := c.showFinal(ctx, agent, outcome, o.history, seen); err != nil {
			return err
		}
	}
	types.judge(c)
	if o.save != "" {
		if err := c.saveResult(ctx, agent, o, outcome, seen); err != nil {
			return err
		}
	}
	if o.fill && seen.asksForm() {
		return c.fillAndSend(ctx, agent, o, req, seen)
	}
	c.judge(seen)
	if o.save == "" {
		c.saySave(seen)
	}
	return nil
}

// ended explains why a message was refused, if its task has ended.
func (c *command) ended(ctx context.Context, agent *client.Client, req *a2a.SendMessageRequest, err error) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if ok && e.Kind != a2a.ErrInvalidAgentResponse && req.Message.TaskID != "" && !c.Debug {
		f := c.Failure(err)
		err = f.WithHint(strings.TrimSuffix("see what the agent said with --debug; "+f.Hint, "; "))
	}
	if !ok || e.Kind != a2a.ErrUnsupportedOperation || req.Message.TaskID == "" {
		return err
	}
	task, failed := agent.GetTask(ctx, &a2a.GetTaskRequest{ID: req.Message.TaskID, HistoryLength: new(int)})
	if failed != nil || !task.Status.State.Terminal() {
		return err
	}
	f := c.Failure(err)
	f.Message = fmt.Sprintf("task %s is %s and takes no further message", task.ID, show.StateName(task.Status.State))
	again := append(c.CommandFor("send", "", "--context-id", string(task.ContextID)), "--text", terminal.Placeholder)
	return f.WithHint("see the response with --debug; continue in a new task with " + terminal.CommandLine(again))
}

// showSent shows a message that is about to be sent, on the error stream, as it is no result. --verbose asks for it.
func (c *command) showSent(m *a2a.Message) {
	if !c.All {
		return
	}
	p := printer{&terminal.Printer{All: true}}
	p.message("Sent", m)
	p.End()
	c.Err.Write(p.Buf.Bytes())
}

// sendAndLeave sends a message and shows the task as it is at once.
func (c *command) sendAndLeave(ctx context.Context, agent *client.Client, o *sendOptions, req *a2a.SendMessageRequest,
	types *acceptance, seen *seen) error {
	result, err := agent.SendMessage(ctx, req)
	if err != nil {
		return c.ended(ctx, agent, req, err)
	}
	seen.note(result)
	types.note(result)
	if task, ok := result.(*a2a.Task); ok {
		result = fold.ShowHistory(task, o.history)
	}
	if err := c.showResult(result); err != nil {
		return err
	}
	types.judge(c)
	if seen.task != "" && !seen.state.Terminal() && !seen.state.Interrupted() {
		c.sayFollow(seen)
		return nil
	}
	c.judge(seen)
	return nil
}

// saySave says to people how to get the files of a task. A host of this run may only be asked at its prompt.
func (c *command) saySave(seen *seen) {
	if seen.files && seen.task != "" && c.Own == nil && !c.AsJSON {
		c.Say("Save", c.CommandFor("task", "download", string(seen.task))...)
	}
}

// sayFollow says how to follow a task that goes on.
func (c *command) sayFollow(seen *seen) {
	if c.isEphemeral() {
		c.sayResume()
		return
	}
	c.Say("Follow", c.goOn(seen)...)
}

// await follows what a message causes until nothing more comes without the user, and shows it in the feed, if there is
// one. It returns what came of the message.
func (c *command) await(ctx context.Context, agent *client.Client, req *a2a.SendMessageRequest, shown *feed,
	types *acceptance, seen *seen) (outcome *client.Outcome, err error) {
	outcome = new(client.Outcome)
	first := true
	var before a2a.Event // the task as it was, which is only shown when nothing comes of the message
	if shown != nil {
		defer func() {
			if err == nil && before != nil {
				err = shown.show(before)
			}
			err = cmp.Or(err, shown.end())
		}()
	}
	for u, err := range agent.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		seen.note(u.Event)
		types.note(u.Event)
		outcome.Add(u)
		noteOn(c.Progress, u.Event)
		// The first event of a stream may show the task as it was before the message.
		stale := first && req.Message.TaskID != "" && !u.Polled
		switch {
		case shown == nil || shown.repeats(u.Event) && first:
		case stale && seen.state.Interrupted() && !c.AsJSON:
			before = u.Event
		default:
			before = nil
			if err := shown.show(u.Event); err != nil {
				return nil, err
			}
		}
		first = false
		if seen.state == a2a.TaskStateAuthRequired && !stale {
			break
		}
	}
	return outcome, c.whyFailed(ctx, agent, seen)
}

// showFinal prints the one result of a message: what came of it, and what the agent adds when it is asked for the task.
func (c *command) showFinal(ctx context.Context, agent *client.Client, outcome *client.Outcome, history int,
	seen *seen) error {
	if answer := outcome.Message(); answer != nil {
		return c.showResult(answer)
	}
	task, err := outcome.Final(agent.GetTask(ctx,
		&a2a.GetTaskRequest{ID: seen.task, HistoryLength: fold.AskHistory(history)}))
	if err != nil {
		return fmt.Errorf("the agent accepted the message, but the task cannot be shown: %w", err)
	}
	task = fold.ShowHistory(task, history)
	seen.note(task)
	return c.showResult(task)
}

// explain adds to an error that broke a wait how to come back to the task.
func (c *command) explain(err error, seen *seen) error {
	if seen.task == "" {
		return err
	}
	f := c.Failure(err)
	if f.Exit == cmdline.ExitUnreachable || f.Exit == cmdline.ExitTimeout {
		f.Hint = c.comeBackTo(seen)
		return f
	}
	return err
}

func streams(card *a2a.AgentCard) bool {
	return card.Capabilities.Streaming != nil && *card.Capabilities.Streaming
}
