// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

func taskCommand(c *connect.Caller) *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use:     "task",
		Short:   "Show, follow and cancel an agent's tasks, and save their files",
		Example: "  dragoman task list -a http://127.0.0.1:8080",
	}, taskGet(c), taskList(c), taskCancel(c), taskSubscribe(c), taskWait(c), taskDownload(c))
}

// aboutTask makes a command that is about one task, whose id is its argument.
func aboutTask(c *connect.Caller, cmd *cobra.Command,
	run func(ctx context.Context, t *talk.Talk, id a2a.TaskID) error) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] != "" && utf8.ValidString(args[0]) {
			return nil
		}
		return cmdline.Usagef("%s takes the id of one task",
			cmd.CommandPath()).WithHint("find it with " + terminal.CommandLine(c.CommandFor("task", "list")))
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t := &talk.Talk{Caller: c}
		return t.Do(cmd.Context(), func(ctx context.Context) error { return run(ctx, t, a2a.TaskID(args[0])) })
	}
	return cmd
}

// historyFlag adds --history and refuses wrong values of it before the command runs.
func historyFlag(cmd *cobra.Command, history *int) {
	cmd.Flags().IntVar(history, "history", 0, "how many messages of the task's history to show")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkHistory(*history); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

func checkHistory(history int) error {
	if history < 0 {
		return cmdline.Usagef("--history is %d; it must not be negative", history)
	}
	return nil
}

const taskGetLong = `get shows a task. With --wait it first waits until the task ends or waits for input or
authorization. It follows the agent's stream; if the agent cannot stream, get polls the task.`

func taskGet(c *connect.Caller) *cobra.Command {
	var o getOptions
	cmd := aboutTask(c, &cobra.Command{
		Use:   "get ID",
		Short: "Show a task",
		Long:  taskGetLong,
		Example: "  dragoman task get -a http://127.0.0.1:8080 ID\n  dragoman task get -a http://127.0.0.1:8080 ID " +
			"--wait --history 10 -o json",
	}, o.get)
	historyFlag(cmd, &o.history)
	o.failOn.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.wait, "wait", false,
		"wait until the task ends or needs input or authorization (also --watch)")
	cmd.Flags().SetNormalizeFunc(cmdline.Aliases(map[string]string{"watch": "wait"}))
	return cmd
}

func taskWait(c *connect.Caller) *cobra.Command {
	o := getOptions{wait: true}
	cmd := aboutTask(c, &cobra.Command{
		Use:     "wait ID",
		Short:   "Wait until a task ends or needs input, and show it",
		Long:    "wait is task get --wait.",
		Example: "  dragoman task wait -a http://127.0.0.1:8080 ID --timeout 10m",
	}, o.get)
	historyFlag(cmd, &o.history)
	o.failOn.add(cmd.Flags())
	return cmd
}

// getOptions are the flags of task get.
type getOptions struct {
	wait    bool
	history int
	failOn  statesFlag
}

// get shows a task, now or when there is nothing more to wait for.
func (o *getOptions) get(ctx context.Context, t *talk.Talk, id a2a.TaskID) error {
	var outcome client.Outcome
	if o.wait {
		t.Task = id
		if err := t.WaitFor(ctx, &outcome); err != nil {
			return t.Explain(err)
		}
	}
	task, err := outcome.Final(t.Client.GetTask(ctx,
		&a2a.GetTaskRequest{ID: id, HistoryLength: fold.AskHistory(o.history)}))
	if err != nil {
		return err
	}
	return showTask(t, fold.ShowHistory(task, o.history), o.failOn)
}

// showTask shows a task and says how it stands.
func showTask(t *talk.Talk, task *a2a.Task, failOn statesFlag) error {
	t.Note(task)
	if err := show.Task(t.Terminal, task); err != nil {
		return err
	}
	return judge(t, failOn)
}

func taskCancel(c *connect.Caller) *cobra.Command {
	var history int
	cmd := aboutTask(c, &cobra.Command{
		Use:     "cancel ID",
		Short:   "Cancel a task",
		Example: "  dragoman task cancel -a http://127.0.0.1:8080 ID",
	}, func(ctx context.Context, t *talk.Talk, id a2a.TaskID) error {
		task, err := t.Client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil {
			return t.ExplainRefusal(ctx, id, err, talk.HintRefused)
		}
		t.Note(task)
		if task.Status.State != a2a.TaskStateCanceled {
			c.Warn("the task is %s", show.StateName(task.Status.State))
		}
		return show.Task(c.Terminal, fold.ShowHistory(task, history))
	})
	historyFlag(cmd, &history)
	return cmd
}

// subscribeOptions are the flags of task subscribe.
type subscribeOptions struct {
	stream  bool
	wait    bool
	history int
	failOn  statesFlag
}

const subscribeLong = `subscribe shows a task and follows it until the task ends or waits for input or authorization. With
--wait it follows the task until the end. If the connection breaks, subscribe prints a warning and
tries to reconnect for a minute. If the agent can replay events, none is lost. With -o json
subscribe prints the task once; with -o json --stream it prints each event as one line.`

func taskSubscribe(c *connect.Caller) *cobra.Command {
	var o subscribeOptions
	cmd := aboutTask(c, &cobra.Command{
		Use:   "subscribe ID",
		Short: "Follow a task until it ends or needs input",
		Long:  subscribeLong,
		Example: "  dragoman task subscribe -a http://127.0.0.1:8080 ID\n  dragoman task subscribe -a " +
			"http://127.0.0.1:8080 ID -o json --stream",
	}, o.subscribe)
	cmd.Flags().BoolVar(&o.stream, "stream", false, "with -o json: show each event as one line")
	cmd.Flags().BoolVar(&o.wait, "wait", false,
		"continue while the task waits for input or authorization, until it ends")
	historyFlag(cmd, &o.history)
	o.failOn.add(cmd.Flags())
	return cmd
}

// subscribe shows a task, or what happens to it, until there is nothing more to wait for.
func (o *subscribeOptions) subscribe(ctx context.Context, t *talk.Talk, id a2a.TaskID) error {
	t.Task = id
	var shown *show.Feed
	if !t.AsJSON || o.stream {
		shown = &show.Feed{Terminal: t.Terminal, History: o.history}
	}
	var outcome client.Outcome
	for {
		if err := t.Follow(ctx, o.wait, shown, &outcome); err != nil {
			return t.Explain(err)
		}
		if t.State.Terminal() || !o.wait {
			break
		}
		// The agent ended the stream because the task waits, or it has none.
		if err := retry.Sleep(ctx, t.PollInterval); err != nil {
			return err
		}
	}
	if shown == nil {
		task, err := outcome.Final(t.Client.GetTask(ctx,
			&a2a.GetTaskRequest{ID: id, HistoryLength: fold.AskHistory(o.history)}))
		if err != nil {
			return t.Explain(err)
		}
		if err := show.Task(t.Terminal, fold.ShowHistory(task, o.history)); err != nil {
			return err
		}
	}
	return o.failOn.verdict(t)
}
