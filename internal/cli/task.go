// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

func (c *command) taskCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "task",
		Short:   "Look at an agent's tasks, cancel and follow them",
		Example: "  dragoman task list -a http://127.0.0.1:8080",
	}, c.taskGetCommand(), c.taskListCommand(), c.taskCancelCommand(), c.taskSubscribeCommand())
}

func (c *command) taskGetCommand() *cobra.Command {
	var history int
	cmd := &cobra.Command{
		Use:     "get ID",
		Short:   "Show a task",
		Example: "  dragoman task get -a http://127.0.0.1:8080 ID\n  dragoman task get -a http://127.0.0.1:8080 ID --history 10 -o json",
		Args:    oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if history < 0 {
				return usagef("--history is %d; it must not be negative", history)
			}
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				task, err := agent.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(args[0]), HistoryLength: &history})
				return c.showTask(task, err, seen)
			})
		},
	}
	cmd.Flags().IntVar(&history, "history", 0, "how many messages of the task's history to show")
	return cmd
}

func (c *command) taskCancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel ID",
		Short:   "Ask the agent to end a task",
		Example: "  dragoman task cancel -a http://127.0.0.1:8080 ID",
		Args:    oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				task, err := agent.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(args[0])})
				if err != nil {
					return err
				}
				seen.note(task)
				if task.Status.State != a2a.TaskStateCanceled {
					c.warn("the task is %s", stateName(task.Status.State))
				}
				return c.show(task, func(p *printer) { p.event(task) })
			})
		},
	}
}

const subscribeLong = `subscribe shows a task and what happens to it from now on, until it has ended. When
the connection breaks it comes back by itself, without a gap where the agent can
replay. With -o json it waits and shows the task once, when it has ended or waits;
with -o json --stream it shows each event, one object a line.`

func (c *command) taskSubscribeCommand() *cobra.Command {
	var stream bool
	cmd := &cobra.Command{
		Use:     "subscribe ID",
		Short:   "Follow a task until it has ended",
		Long:    subscribeLong,
		Example: "  dragoman task subscribe -a http://127.0.0.1:8080 ID\n  dragoman task subscribe -a http://127.0.0.1:8080 ID -o json --stream",
		Args:    oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				if c.options.output == outputJSON && !stream {
					seen.task = a2a.TaskID(args[0])
					task, err := agent.Wait(ctx, seen.task)
					return c.showTask(task, err, seen)
				}
				return c.follow(ctx, agent, a2a.TaskID(args[0]), seen)
			})
		},
	}
	cmd.Flags().BoolVar(&stream, "stream", false, "with -o json: show each event, one object a line")
	return cmd
}

// follow shows the events of a task until it has ended.
func (c *command) follow(ctx context.Context, agent *client.Client, id a2a.TaskID, seen *seen) error {
	for u, err := range agent.Follow(ctx, &a2a.SubscribeRequest{ID: id}) {
		if err != nil {
			return c.explain(err, seen)
		}
		was := seen.state
		seen.note(u.Event)
		if err := c.showEvent(u.Event); err != nil {
			return err
		}
		if seen.state != was {
			c.judge(seen)
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
		Use:     "list",
		Short:   "List your tasks, those that changed last first",
		Example: "  dragoman task list -a http://127.0.0.1:8080\n  dragoman task list -a http://127.0.0.1:8080 --status input-required --since 24h -o json",
		Args:    cobra.NoArgs,
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
				return c.show(res, func(p *printer) { p.list(res) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.status, "status", "", "only tasks in this state, such as working or input-required")
	flags.StringVar(&o.contextID, "context-id", "", "only tasks of this conversation")
	flags.IntVar(&o.pageSize, "page-size", 0, "tasks on a page; 0 leaves it to the agent")
	flags.StringVar(&o.pageToken, "page-token", "", "the page to show, as the page before it named it")
	flags.IntVar(&o.history, "history", 0, "how many messages of each task's history to show")
	flags.BoolVar(&o.artifacts, "include-artifacts", false, "show what the tasks brought forth")
	flags.StringVar(&o.since, "since", "", "only tasks that changed since a time (2006-01-02T15:04:05Z) or in the last while (90m)")
	return cmd
}

func (o *listOptions) request(now time.Time) (*a2a.ListTasksRequest, error) {
	req := &a2a.ListTasksRequest{
		ContextID: a2a.ContextID(o.contextID), PageToken: o.pageToken, IncludeArtifacts: o.artifacts, HistoryLength: &o.history,
	}
	if o.history < 0 {
		return nil, usagef("--history is %d; it must not be negative", o.history)
	}
	if o.pageSize < 0 || o.pageSize > a2a.MaxPageSize {
		return nil, usagef("--page-size is %d; a page has 1 to %d tasks", o.pageSize, a2a.MaxPageSize)
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
	if text == "" {
		return a2a.TaskStateUnspecified, nil
	}
	var names []string
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		name := stateName(state)
		if strings.EqualFold(text, state.String()) || strings.EqualFold(strings.ReplaceAll(text, "_", "-"), name) {
			return state, nil
		}
		names = append(names, name)
	}
	return 0, usagef("--status is %q; use one of %s", text, strings.Join(names, ", "))
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
		return time.Time{}, usagef("--since is %q; give a time such as 2006-01-02T15:04:05Z, or a duration such as 90m", text)
	}
	return at, nil
}

// list prints a page of tasks.
func (p *printer) list(res *a2a.ListTasksResponse) {
	for _, task := range res.Tasks {
		p.event(task)
	}
	p.field(0, "Total", itoa(res.TotalSize))
	p.field(0, "Next page token", res.NextPageToken)
	p.end()
}

// withAgent runs f with a client for the agent, under --timeout.
func (c *command) withAgent(cmd *cobra.Command, f func(context.Context, *client.Client, *seen) error) error {
	var seen seen
	return c.within(cmd, &seen, func(ctx context.Context) error {
		agent, err := c.dial(ctx)
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
	if err := c.show(task, func(p *printer) { p.event(task) }); err != nil {
		return err
	}
	c.judge(seen)
	return nil
}

func oneID(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return usagef("%s takes the id of one task", cmd.CommandPath()).withHint("find it with dragoman task list")
}
