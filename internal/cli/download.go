// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// downloadOptions are the flags of task download.
type downloadOptions struct {
	dir       string
	force     bool
	artifacts []string
	networks  string
}

const downloadLong = `download writes the artifacts of a task into a folder. Files keep their names. Texts and data
become files named after their artifacts. download creates the folders in a name, but refuses a
name that leads out of the folder. A hidden name gets an underscore in front. To overwrite files,
pass --force.

If the agent gives a file as a URL, download fetches up to 1 GiB without credentials, from the
agent's own server or the internet. To allow other networks, pass --networks.`

func (c *command) taskDownloadCommand() *cobra.Command {
	var o downloadOptions
	cmd := &cobra.Command{
		Use:   "download ID",
		Short: "Save the artifacts of a task",
		Long:  downloadLong,
		Example: "  dragoman task download -a http://127.0.0.1:8080 ID --dir pictures\n  dragoman task download -a " +
			"http://127.0.0.1:8080 ID --artifact report --force -o json",
		Args: c.oneID,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !guard.Networks(o.networks).Valid() {
				return cmdline.Usagef("--networks is %q; use public, loopback or private", o.networks)
			}
			return c.withAgent(cmd, func(ctx context.Context, agent *client.Client, seen *seen) error {
				return c.download(ctx, agent, &o, seen)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", ".", "folder to save to; created if it does not exist")
	flags.BoolVar(&o.force, "force", false, "overwrite existing files")
	flags.StringArrayVar(&o.artifacts, "artifact", nil, "id or name of an artifact to save, instead of all; repeatable")
	networksFlag(cmd, &o.networks)
	return cmd
}

func networksFlag(cmd *cobra.Command, networks *string) {
	cmd.Flags().StringVar(networks, "networks", string(guard.Public),
		"networks besides the agent's server to fetch files from: public, loopback (and public) or private (and both)")
}

// download saves the artifacts of a task and says where they are.
func (c *command) download(ctx context.Context, agent *client.Client, o *downloadOptions, seen *seen) error {
	none := 0
	task, err := agent.GetTask(ctx, &a2a.GetTaskRequest{ID: c.about, HistoryLength: &none})
	if err != nil {
		return err
	}
	seen.note(task)
	wanted, err := choose(task.Artifacts, o.artifacts)
	if err != nil {
		return err
	}
	s, err := c.newSaver(agent, o.dir, o.force, guard.Networks(o.networks))
	if err != nil {
		return err
	}
	defer s.close()
	saved, failed := s.artifacts(ctx, wanted)
	if err := c.showSaved(task, saved); err != nil {
		return err
	}
	if len(task.Artifacts) == 0 {
		c.Warn("the task has brought forth nothing")
	}
	if failed != nil && ctx.Err() == nil {
		return notSaved(failed)
	}
	return failed
}

// notSaved is the error of files that are not on the disk.
func notSaved(err error) error {
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
		Message: strings.ReplaceAll(err.Error(), "\n", "; ")}
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
func (c *command) showSaved(task *a2a.Task, saved []savedFile) error {
	if c.AsJSON {
		if saved == nil {
			saved = []savedFile{}
		}
		return c.ShowValue(map[string]any{"taskId": task.ID, "contextId": task.ContextID,
			"state": task.Status.State.String(), "files": saved})
	}
	return c.ShowText(func(p *terminal.Printer) {
		p.Field(0, "Task", string(task.ID))
		p.Field(0, "Context", string(task.ContextID))
		p.Field(0, "Status", show.StateName(task.Status.State))
		for _, file := range saved {
			p.Field(0, "Saved", file.String())
		}
		p.End()
	})
}

// String describes the file for people.
func (f savedFile) String() string {
	return describeFile(f.Path, f.MediaType, fmt.Sprintf("%d bytes", f.Size))
}

// saveResult saves what a message brought and says so on the error stream.
func (c *command) saveResult(ctx context.Context, agent *client.Client, o *sendOptions, outcome *client.Outcome,
	seen *seen) error {
	var made []*a2a.Artifact
	switch answer := outcome.Message(); {
	case answer != nil:
		made = filesOf(answer)
	case seen.task != "":
		none := 0
		task, err := outcome.Final(agent.GetTask(ctx, &a2a.GetTaskRequest{ID: seen.task, HistoryLength: &none}))
		if err != nil {
			return fmt.Errorf("the agent accepted the message, but the result cannot be saved: %w", err)
		}
		made = task.Artifacts
	}
	s, err := c.newSaver(agent, o.save, o.force, guard.Networks(o.networks))
	if err != nil {
		return err
	}
	defer s.close()
	saved, failed := s.artifacts(ctx, made)
	for _, file := range saved {
		c.Tell("Saved: %s", file)
	}
	if failed != nil && ctx.Err() == nil {
		return notSaved(failed)
	}
	return failed
}

// filesOf returns the parts of a message that are files as an artifact, if there are any.
func filesOf(m *a2a.Message) []*a2a.Artifact {
	artifact := &a2a.Artifact{ID: a2a.ArtifactID(m.ID), Name: "message"}
	for _, part := range m.Parts {
		switch part.Content.(type) {
		case a2a.Raw, a2a.URL:
			artifact.Parts = append(artifact.Parts, part)
		}
	}
	if len(artifact.Parts) == 0 {
		return nil
	}
	return []*a2a.Artifact{artifact}
}
