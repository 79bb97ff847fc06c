// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
)

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

func taskList(c *connect.Caller) *cobra.Command {
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
			t := &talk.Talk{Caller: c}
			return t.Do(cmd.Context(), func(ctx context.Context) error {
				page, err := t.Client.ListTasks(ctx, req)
				if err != nil {
					return err
				}
				if err := show.Object(c.Terminal, page, func(p show.Printer) { p.List(page, o.history) }); err != nil {
					return err
				}
				if page.NextPageToken != "" {
					c.Say("Next page", c.CommandFor("task", "list", nextPage(cmd, page.NextPageToken)...)...)
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
	state, ok := show.StateOf(o.status)
	if !ok {
		return nil, cmdline.Usagef("--status is %q; use one of %s", o.status, strings.Join(show.StateNames(), ", "))
	}
	since, err := parseSince(o.since, now)
	req.Status, req.StatusTimestampAfter = state, since
	return req, err
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
