// SPDX-License-Identifier: Apache-2.0

package pushcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/storage"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/push"
)

// A managed command does something with the push configs of all callers of an agent.
type managed struct {
	use, short, long, example string

	do    push.Action
	args  int // at most, with the name of the agent
	least int
	done  string // what it says of each config
}

const agentArgument = `

AGENT is the agent's name, as in serve --agent. For samples up it is samples, for
host --serve it is host.
The server may run meanwhile, on this machine and with --push.`

var managing = []managed{
	{use: "list AGENT", short: "List the push configs whose deliveries fail", do: push.List, args: 1, least: 1,
		long: `list shows the push notification configs whose last delivery failed: those that are tried again and those
that are parked. Of a webhook it shows the host only, because its path may hold a secret.` + agentArgument,
		example: "  dragoman push list hello\n  dragoman push list hello --all -o json"},
	{use: "retry AGENT TASK [CONFIG]", short: "Deliver again to webhooks that failed", do: push.Retry, args: 3,
		least: 2,
		done:  "retried",
		long: `retry delivers to the failing webhooks of a task at once, from the event that failed. They get all
events that followed, too, in order.` + agentArgument,
		example: "  dragoman push retry hello 7c9e6679"},
	{use: "drop AGENT TASK [CONFIG]", short: "Delete push configs of a task", do: push.Drop, args: 3, least: 2,
		done: "dropped",
		long: `drop deletes the push notification configs of a task, or one of them. Their webhooks get nothing
more.` + agentArgument,
		example: "  dragoman push drop hello 7c9e6679 my-config"},
	{use: "recover AGENT", short: "Deliver again to all webhooks that began to fail since a time", do: push.Retry,
		args: 1, least: 1, done: "retried",
		long: `recover retries all webhooks that began to fail since a time, for example after a webhook's host was
down for days.` + agentArgument,
		example: "  dragoman push recover hello --since 100h"},
}

func manageCommand(run *cmdline.Run, m *managed) *cobra.Command {
	var dataDir string
	var all bool
	var since time.Duration
	sel := push.Selection{Failing: m.do != push.Drop}
	cmd := &cobra.Command{
		Use: m.use, Short: m.short, Long: m.long, Example: m.example,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < m.least || len(args) > m.args {
				return cmdline.Usagef("%s got %d arguments", cmd.CommandPath(), len(args)).WithHint(
					"give them in this way: dragoman push " + m.use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				sel.Task = a2a.TaskID(args[1])
			}
			if len(args) > 2 {
				sel.Config = args[2]
			}
			if cmd.Flags().Lookup("since") != nil {
				if since <= 0 {
					return cmdline.Usagef("push recover needs --since with a time that has passed").WithHint(
						"for example --since 100h")
				}
				sel.Since = time.Now().Add(-since)
			}
			sel.Failing = sel.Failing && !all
			return m.run(cmd.Context(), run, dataDir, args[0], sel)
		},
	}
	run.DataDirFlag(cmd.Flags(), &dataDir)
	switch cmd.Name() {
	case "list":
		cmd.Flags().BoolVar(&all, "all", false, "list the push configs that work, too")
	case "recover":
		cmd.Flags().DurationVar(&since, "since", 0, "how long ago the first of the failures may be, such as 100h")
	}
	return cmd
}

func (m *managed) run(ctx context.Context, run *cmdline.Run, dataDir, agent string, sel push.Selection) (err error) {
	configs, err := storage.OpenPushConfigs(ctx, run, dataDir, agent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, configs.Close()) }()
	n := 0
	for page, first := "", true; first || page != ""; first = false {
		var found []push.Status
		if found, page, err = configs.Manage(ctx, m.do, sel, page); err != nil {
			return err
		}
		n += len(found)
		for i := range found {
			if err := m.show(run.Terminal, &found[i]); err != nil {
				return err
			}
		}
	}
	switch {
	case n > 0:
	case sel.Task != "":
		return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
			Message: fmt.Sprintf("the task %s has no such push config", sel.Task)}).WithHint(
			"see the configs with: dragoman push list " + agent + " --all")
	default:
		run.Tell("there are no such push configs")
	}
	return nil
}

// show prints a config on one line. What callers named is escaped.
func (m *managed) show(t *terminal.Terminal, st *push.Status) error {
	if t.AsJSON {
		return t.ShowValue(st)
	}
	state := "works"
	switch {
	case !st.Parked.IsZero():
		state = "parked since " + clock(st.Parked)
	case !st.Next.IsZero():
		state = fmt.Sprintf("%d failed, next try %s", st.Attempts, clock(st.Next))
	case !st.Failing.IsZero():
		state = "is tried now"
	}
	_, err := fmt.Fprintln(t.Out,
		terminal.Inline(fmt.Sprintf("%s %s of the task %s at %s: %s", cmp.Or(m.done, "config"),
			st.Config, st.Task, st.Host, m.state(state, st.Failure))))
	return err
}

// state leaves out what is no longer so.
func (m *managed) state(now, failure string) string {
	switch {
	case m.done != "":
		return cmp.Or(failure, "it worked")
	case failure != "":
		return now + "; " + failure
	}
	return now
}

func clock(t time.Time) string { return t.Local().Format(time.DateTime) }
