// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// downloadOptions are the flags of task download.
type downloadOptions struct {
	talk.SaveOptions
	artifacts []string
}

const downloadLong = `download writes the artifacts of a task into a folder. Files keep their names. Texts and data
become files named after their artifacts. download creates the folders in a name, but refuses a
name that leads out of the folder. A hidden name gets an underscore in front. To overwrite files,
pass --force.

If the agent gives a file as a URL, download fetches up to 1 GiB without credentials, from the
agent's own server or the internet. To allow other networks, pass --networks.`

func taskDownload(c *connect.Caller) *cobra.Command {
	var o downloadOptions
	cmd := aboutTask(c, &cobra.Command{
		Use:   "download ID",
		Short: "Save the artifacts of a task",
		Long:  downloadLong,
		Example: "  dragoman task download -a http://127.0.0.1:8080 ID --dir pictures\n  dragoman task download -a " +
			"http://127.0.0.1:8080 ID --artifact report --force -o json",
		PreRunE: func(*cobra.Command, []string) error { return o.Check() },
	}, o.download)
	flags := cmd.Flags()
	flags.StringVar(&o.Dir, "dir", ".", "folder to save to; created if it does not exist")
	flags.BoolVar(&o.Force, "force", false, "overwrite existing files")
	flags.StringArrayVar(&o.artifacts, "artifact", nil, "id or name of an artifact to save, instead of all; repeatable")
	o.NetworksFlag(flags)
	return cmd
}

// download saves the artifacts of a task and says where they are.
func (o *downloadOptions) download(ctx context.Context, t *talk.Talk, id a2a.TaskID) error {
	task, err := t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: new(int)})
	if err != nil {
		return err
	}
	t.Note(task)
	wanted, err := choose(task.Artifacts, o.artifacts)
	if err != nil {
		return err
	}
	saved, failed := t.Save(ctx, o.SaveOptions, wanted)
	if saved == nil && failed != nil && cmdline.FailureOf(failed).Exit == cmdline.ExitUsage {
		return failed // the folder cannot be used
	}
	if err := showSaved(t.Terminal, task, saved); err != nil {
		return err
	}
	if len(task.Artifacts) == 0 {
		t.Warn("the task has brought forth nothing")
	}
	return failed
}

// choose returns the artifacts with the ids or names, or all.
func choose(artifacts []*a2a.Artifact, names []string) ([]*a2a.Artifact, error) {
	if len(names) == 0 {
		return artifacts, nil
	}
	var chosen []*a2a.Artifact
	for _, name := range names {
		before := len(chosen)
		for _, artifact := range artifacts {
			if (string(artifact.ID) == name || artifact.Name == name) && !slices.Contains(chosen, artifact) {
				chosen = append(chosen, artifact)
			}
		}
		if len(chosen) == before {
			return nil, cmdline.Usagef("the task has no artifact %q",
				name).WithHint("it has " + strings.Join(namesOf(artifacts), ", "))
		}
	}
	return chosen, nil
}

func namesOf(artifacts []*a2a.Artifact) []string {
	var names []string
	for _, artifact := range artifacts {
		name := artifact.Name
		if name == "" {
			name = string(artifact.ID)
		}
		names = append(names, name)
	}
	if names == nil {
		names = []string{"none"}
	}
	return names
}

// showSaved prints what was saved.
func showSaved(t *terminal.Terminal, task *a2a.Task, saved []talk.SavedFile) error {
	if t.AsJSON {
		if saved == nil {
			saved = []talk.SavedFile{}
		}
		return t.ShowValue(map[string]any{"taskId": task.ID, "contextId": task.ContextID,
			"state": task.Status.State.String(), "files": saved})
	}
	return t.ShowText(func(p *terminal.Printer) {
		p.Field(0, "Task", string(task.ID))
		p.Field(0, "Context", string(task.ContextID))
		p.Field(0, "Status", show.StateName(task.Status.State))
		for _, file := range saved {
			p.Field(0, "Saved", file.String())
		}
		p.End()
	})
}
