// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

func (c *command) taskCommand() *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use:     "task",
		Short:   "Show, follow and cancel an agent's tasks, and save their files",
		Example: "  dragoman task list -a http://127.0.0.1:8080",
	}, c.taskGetCommand(), c.taskListCommand(), c.taskCancelCommand(), c.taskSubscribeCommand(), c.taskWaitCommand(),
		c.taskDownloadCommand())
}

const taskGetLong = `get shows a task. With --wait it first waits until the task ends or waits for input or
authorization. It follows the agent's stream; if the agent cannot stream, get polls the task.`

func (c *command) taskGetCommand() *cobra.Command {
	var history int
	var wait bool
	cmd := &cobra.Command{
		Use:   "get ID",
		Short: "Show a task",
		Long:  taskGetLong,
		Example: "  dragoman task get -a http://127.0.0.1:8080 ID\n  dragoman task get -a http://127.0.0.1:8080 ID " +
			"--wait --history 10 -o json",
		Args: c.oneID,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.getTask(cmd, wait, history) },
	}
	historyFlag(cmd, &history)
	c.failOnFlag(cmd.Flags())
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the task ends or needs input or authorization (also --watch)")
	cmd.Flags().SetNormalizeFunc(cmdline.Aliases(map[string]string{"watch": "wait"}))
	return cmd
}

func (c *command) taskWaitCommand() *cobra.Command {
	var history int
	cmd := &cobra.Command{
		Use:     "wait ID",
		Short:   "Wait until a task ends or needs input, and show it",
		Long:    "wait is task get --wait.",
		Example: "  dragoman task wait -a http://127.0.0.1:8080 ID --timeout 10m",
		Args:    c.oneID,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.getTask(cmd, true, history) },
	}
	historyFlag(cmd, &history)
	c.failOnFlag(cmd.Flags())
	return cmd
}

// getTask shows a task, now or when there is nothing more to wait for.
func (c *command) getTask(cmd *cobra.Command, wait bool, history int) error {
	if err := checkHistory(history); err != nil {
		return err
	}
	return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
		var outcome client.Outcome
		if wait {
			seen.task = c.about
			if err := c.waitFor(ctx, agent, &outcome, seen); err != nil {
				return c.explain(err, seen)
			}
		}
		task, err := outcome.Final(agent.GetTask(ctx,
			&a2a.GetTaskRequest{ID: c.about, HistoryLength: fold.AskHistory(history)}))
		if err != nil {
			return err
		}
		return c.showTask(fold.ShowHistory(task, history), nil, seen)
	})
}

// waitFor follows a task in silence until it has ended or waits.
func (c *command) waitFor(ctx context.Context, agent *client.Client, outcome *client.Outcome, seen *seen) error {
	for u, err := range agent.Follow(ctx, &a2a.SubscribeRequest{ID: seen.task}) {
		if err != nil {
			return err
		}
		seen.note(u.Event)
		outcome.Add(u)
		noteOn(c.Progress, u.Event)
		if seen.state.Interrupted() {
			return nil
		}
	}
	return nil
}

func historyFlag(cmd *cobra.Command, history *int) {
	cmd.Flags().IntVar(history, "history", 0, "how many messages of the task's history to show")
}

func checkHistory(history int) error {
	if history < 0 {
		return cmdline.Usagef("--history is %d; it must not be negative", history)
	}
	return nil
}

// explainRefusal says of a task that its agent did not cancel whether it goes on, and how to see that.
func (c *command) explainRefusal(ctx context.Context, agent *client.Client, id a2a.TaskID, err error) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || e.Kind != a2a.ErrTaskNotCancelable {
		return err
	}
	f := c.Failure(err)
	task, failed := agent.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: new(int)})
	switch goesOn := failed == nil && !task.Status.State.Terminal(); {
	case goesOn && c.inChat:
		f.Hint = "the task goes on; /resume follows it"
	case goesOn:
		f.Hint = "the task goes on; see more of it with " +
			terminal.CommandLine(c.goOn(&seen{task: id, state: task.Status.State}))
	case c.inChat:
		f.Hint = "see how it ended with /task"
	default:
		f.Hint = "see how it ended with " + terminal.CommandLine(c.lookAt(id))
	}
	return f
}

func (c *command) taskCancelCommand() *cobra.Command {
	var history int
	cmd := &cobra.Command{
		Use:     "cancel ID",
		Short:   "Cancel a task",
		Example: "  dragoman task cancel -a http://127.0.0.1:8080 ID",
		Args:    c.oneID,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkHistory(history); err != nil {
				return err
			}
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				task, err := agent.CancelTask(ctx, &a2a.CancelTaskRequest{ID: c.about})
				if err != nil {
					return c.explainRefusal(ctx, agent, c.about, err)
				}
				seen.note(task)
				if task.Status.State != a2a.TaskStateCanceled {
					c.Warn("the task is %s", show.StateName(task.Status.State))
				}
				short := fold.ShowHistory(task, history)
				return c.show(short, func(p printer) { p.event(short) })
			})
		},
	}
	historyFlag(cmd, &history)
	return cmd
}

// subscribeOptions are the flags of task subscribe.
type subscribeOptions struct {
	stream  bool
	wait    bool
	history int
}

const subscribeLong = `subscribe shows a task and follows it until the task ends or waits for input or authorization. With
--wait it follows the task until the end. If the connection breaks, subscribe prints a warning and
tries to reconnect for a minute. If the agent can replay events, none is lost. With -o json
subscribe prints the task once; with -o json --stream it prints each event as one line.`

func (c *command) taskSubscribeCommand() *cobra.Command {
	var o subscribeOptions
	cmd := &cobra.Command{
		Use:   "subscribe ID",
		Short: "Follow a task until it ends or needs input",
		Long:  subscribeLong,
		Example: "  dragoman task subscribe -a http://127.0.0.1:8080 ID\n  dragoman task subscribe -a " +
			"http://127.0.0.1:8080 ID -o json --stream",
		Args: c.oneID,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkHistory(o.history); err != nil {
				return err
			}
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				seen.task = c.about
				return c.subscribe(ctx, agent, &o, seen)
			})
		},
	}
	cmd.Flags().BoolVar(&o.stream, "stream", false, "with -o json: show each event as one line")
	cmd.Flags().BoolVar(&o.wait, "wait", false,
		"continue while the task waits for input or authorization, until it ends")
	historyFlag(cmd, &o.history)
	c.failOnFlag(cmd.Flags())
	return cmd
}

// subscribe shows a task, or what happens to it, until there is nothing more to wait for.
func (c *command) subscribe(ctx context.Context, agent *client.Client, o *subscribeOptions, seen *seen) error {
	shown := feed{c: c, history: o.history}
	var outcome client.Outcome
	for {
		if err := c.follow(ctx, agent, o, &shown, &outcome, seen); err != nil {
			return c.explain(err, seen)
		}
		if seen.state.Terminal() || !o.wait {
			break
		}
		// The agent ended the stream because the task waits, or it has none.
		if err := retry.Sleep(ctx, c.PollInterval); err != nil {
			return err
		}
	}
	if !c.AsJSON || o.stream {
		return nil
	}
	task, err := outcome.Final(agent.GetTask(ctx,
		&a2a.GetTaskRequest{ID: seen.task, HistoryLength: fold.AskHistory(o.history)}))
	if err != nil {
		return c.explain(err, seen)
	}
	return c.show(fold.ShowHistory(task, o.history), nil)
}

// follow follows one stream of a task, and says when the task waits or has ended badly.
func (c *command) follow(ctx context.Context, agent *client.Client, o *subscribeOptions, shown *feed,
	outcome *client.Outcome, seen *seen) (err error) {
	defer func() { err = cmp.Or(err, shown.end()) }()
	for u, err := range agent.Follow(ctx, &a2a.SubscribeRequest{ID: seen.task}) {
		if err != nil {
			return err
		}
		was := seen.state
		seen.note(u.Event)
		outcome.Add(u)
		changed := seen.state != was
		if !shown.repeats(u.Event) && (!c.AsJSON || o.stream) {
			if err := shown.show(u.Event); err != nil {
				return err
			}
		}
		paused := seen.state.Interrupted() && !o.wait
		if changed && (paused || seen.state.Terminal() || o.wait) {
			if err := shown.end(); err != nil {
				return err
			}
			c.judge(seen)
		}
		if paused {
			return nil
		}
	}
	return nil
}

// listOptions are the flags of task list.
type listOptions struct {
	status    string
	contextID string
	pageSize  int
	pageToken string
	history   int
	artifacts bool
	since     string
}

func (c *command) taskListCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your tasks, last changed first",
		Example: "  dragoman task list -a http://127.0.0.1:8080\n  dragoman task list -a http://127.0.0.1:8080 " +
			"--status input-required --since 24h -o json",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req, err := o.request(time.Now())
			if err != nil {
				return err
			}
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, _ *seen) error {
				res, err := agent.ListTasks(ctx, req)
				if err != nil {
					return err
				}
				if err := c.show(res, func(p printer) { p.list(res, o.history) }); err != nil {
					return err
				}
				if res.NextPageToken != "" {
					c.Say("Next page", c.CommandFor("task", "list", nextPage(cmd, res.NextPageToken)...)...)
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.status, "status", "", "only tasks in this state, such as working or input-required")
	flags.StringVar(&o.contextID, "context-id", "", "only tasks of this conversation")
	flags.IntVar(&o.pageSize, "page-size", 0, "most tasks on a page, up to 100; 0 means the agent's default")
	flags.StringVar(&o.pageToken, "page-token", "", "token of the page, from the end of the page before")
	flags.IntVar(&o.history, "history", 0, "how many messages of each task's history to show")
	flags.BoolVar(&o.artifacts, "include-artifacts", false, "show the artifacts of the tasks")
	flags.StringVar(&o.since, "since", "", "only tasks that changed since a time (2006-01-02T15:04:05Z) or within a "+
		"duration (90m)")
	return cmd
}

func (o *listOptions) request(now time.Time) (*a2a.ListTasksRequest, error) {
	req := &a2a.ListTasksRequest{
		ContextID: a2a.ContextID(o.contextID), PageToken: o.pageToken, IncludeArtifacts: o.artifacts,
		HistoryLength: &o.history,
	}
	if err := checkHistory(o.history); err != nil {
		return nil, err
	}
	if o.pageSize < 0 || o.pageSize > a2a.MaxPageSize {
		return nil, cmdline.Usagef("--page-size is %d; give 1 to %d, or 0 for the agent's default", o.pageSize,
			a2a.MaxPageSize)
	}
	if o.pageSize > 0 {
		req.PageSize = &o.pageSize
	}
	var err error
	if req.Status, err = parseState(o.status); err != nil {
		return nil, err
	}
	req.StatusTimestampAfter, err = parseSince(o.since, now)
	return req, err
}

// parseState reads a state as people write it, or as the protocol does.
func parseState(text string) (a2a.TaskState, error) {
	state, ok := show.StateOf(text)
	if !ok {
		return 0, cmdline.Usagef("--status is %q; use one of %s", text, strings.Join(show.StateNames(), ", "))
	}
	return state, nil
}

// parseSince reads a time, or a duration back from now.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, cmdline.Usagef("--since is %q; give a time such as 2006-01-02T15:04:05Z, or a duration "+
			"such as 90m", text)
	}
	return at, nil
}

// nextPage returns the arguments of a list again, for the page after it.
func nextPage(cmd *cobra.Command, token string) []string {
	var args []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "page-token" {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(args, "--page-token="+token)
}

// list prints a page of tasks, each with no more of its history than is asked for.
func (p printer) list(res *a2a.ListTasksResponse, history int) {
	if len(res.Tasks) == 0 {
		p.Field(0, "Tasks", "none")
	}
	for _, task := range res.Tasks {
		p.task(fold.ShowHistory(task, history))
		p.End()
	}
	p.Field(0, "Total", cmdline.Itoa(res.TotalSize))
	p.Field(0, "Next page token", res.NextPageToken)
	p.End()
}

// withAgent runs f with a client for the agent, under --timeout.
func (c *command) withAgent(cmd *cobra.Command, f func(context.Context, *client.Client, *seen) error) error {
	var seen seen
	return c.within(cmd, &seen, func(ctx context.Context) error {
		agent, err := c.Dial(ctx)
		if err != nil {
			return err
		}
		defer agent.Close()
		return f(ctx, agent, &seen)
	})
}

// showTask prints a task and says what it waits for.
func (c *command) showTask(task *a2a.Task, err error, seen *seen) error {
	if err != nil {
		return err
	}
	seen.note(task)
	if err := c.show(task, func(p printer) { p.event(task) }); err != nil {
		return err
	}
	c.judge(seen)
	return nil
}

// oneID takes the id that a command is about.
func (c *command) oneID(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" && utf8.ValidString(args[0]) {
		c.about = a2a.TaskID(args[0])
		return nil
	}
	return cmdline.Usagef("%s takes the id of one task",
		cmd.CommandPath()).WithHint("find it with " + terminal.CommandLine(c.CommandFor("task", "list")))
}
