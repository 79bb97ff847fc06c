// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// within runs f under --timeout. A run that is interrupted, or whose time is up, says what it knows of the task and
// how to go on with it.
func (c *command) within(cmd *cobra.Command, seen *seen, f func(context.Context) error) error {
	return c.Within(cmd.Context(), func(timeUp *cmdline.Failure) {
		c.sayWhere(seen)
		if timeUp != nil {
			c.explainTimeUp(timeUp, seen)
		}
	}, f)
}

// explainTimeUp adds to a failure of --timeout what becomes of the task.
func (c *command) explainTimeUp(f *cmdline.Failure, seen *seen) {
	switch {
	case seen.task == "":
		f.Hint = "give it more time with --timeout"
		return
	case c.isEphemeral():
		f.Message += fmt.Sprintf("; task %s ended with this host", seen.task)
	case seen.state.Interrupted():
		f.Message += fmt.Sprintf("; task %s still waits", seen.task)
	default:
		f.Message += fmt.Sprintf("; task %s goes on without you", seen.task)
	}
	if c.AsJSON { // people have just read it
		f.Hint = c.comeBackTo(seen)
	}
}

// isEphemeral reports whether the agent keeps no task beyond this run.
func (c *command) isEphemeral() bool { return c.Own != nil && c.Own.Ephemeral }

// takeInterrupts lets Ctrl-C call f, which must return soon; nil gives it back.
func (c *command) takeInterrupts(f func()) {
	if c.OnInterrupt != nil {
		c.OnInterrupt(f)
	}
}

// seen is what a command has learnt of the task it deals with.
type seen struct {
	task    a2a.TaskID
	context a2a.ContextID
	state   a2a.TaskState
	form    *form            // what the agent last asked to be filled
	stated  bool             // with a status, which the next one replaces
	filled  *form            // the one before, as it was answered
	left    string           // the document of the form that a person left for later
	took    bool             // the agent has answered the last message somehow
	files   bool             // among what the task has brought forth
	cutOff  bool             // a host says that it reached no agent
	told    func(a2a.TaskID) // if not nil: called when the task is known
}

// note learns from an event.
func (s *seen) note(event a2a.Event) {
	s.took = true
	switch e := event.(type) {
	case *a2a.Task:
		s.task, s.context, s.state, s.cutOff = e.ID, e.ContextID, e.Status.State, reachedNobody(e)
		s.form = nil
		s.files = slices.ContainsFunc(e.Artifacts, hasFiles)
		for _, artifact := range e.Artifacts { // where agents put it that wrote no message with the status
			s.noteForm(artifact.Parts, false)
		}
		s.noteForm(words(&e.Status), true)
	case *a2a.StatusUpdate:
		s.task, s.context, s.state, s.cutOff = e.TaskID, e.ContextID, e.Status.State, false
		if s.stated {
			s.form = nil
		}
		s.noteForm(words(&e.Status), true)
	case *a2a.ArtifactUpdate:
		s.task, s.context = e.TaskID, e.ContextID
		if e.Artifact != nil {
			s.files = s.files || hasFiles(e.Artifact)
			s.noteForm(e.Artifact.Parts, false)
		}
	case *a2a.Message:
		if e.ContextID != "" {
			s.context = e.ContextID
		}
	}
	if s.told != nil && s.task != "" {
		s.told(s.task)
	}
}

// hasFiles reports whether a part of an artifact is a file.
func hasFiles(artifact *a2a.Artifact) bool {
	return slices.ContainsFunc(artifact.Parts, func(part a2a.Part) bool {
		switch part.Content.(type) {
		case a2a.Raw, a2a.URL:
			return true
		}
		return false
	})
}

func (s *seen) noteForm(parts []a2a.Part, stated bool) {
	if f := findForm(parts); f != nil {
		s.form, s.stated = f, stated
	}
}

// asksForm reports whether the task waits for a form.
func (s *seen) asksForm() bool { return s.state == a2a.TaskStateInputRequired && s.form != nil }

// goOn returns the command that goes on with a task: that answers it when it waits, that looks at it when it has
// ended, and that follows it otherwise. Credentials are left out of it.
func (c *command) goOn(s *seen) []string {
	switch {
	case s.state.Interrupted():
		return append(c.CommandFor("send", "", "--task-id", string(s.task)), "--text", terminal.Placeholder)
	case c.Own != nil || s.state.Terminal():
		return c.lookAt(s.task)
	}
	return c.CommandFor("task", "subscribe", string(s.task))
}

// hintKeep says to people how to keep tasks, when the host of this run does not.
const hintKeep = "keep tasks with --" + cmdline.FlagDataDir + " FOLDER"

// sayResume says how to go on with a task, or that nobody can.
func (c *command) sayResume(words ...string) {
	if !c.isEphemeral() {
		c.Say("Resume", words...)
		return
	}
	const gone = "This host keeps nothing, and what it worked on ended with it; " + hintKeep + "."
	if c.Said != gone {
		c.Tell(gone)
	}
	c.Said = gone
}

// comeBackTo returns the hint for who stops waiting for a task.
func (c *command) comeBackTo(s *seen) string {
	if c.isEphemeral() {
		return hintKeep
	}
	return terminal.CommandLine(c.goOn(s))
}

// lookAt returns the command that shows a task.
func (c *command) lookAt(task a2a.TaskID) []string {
	if c.Own != nil {
		return c.CommandFor("chat", "", "--task-id", string(task))
	}
	return c.CommandFor("task", "get", string(task))
}

// sayWhere tells a user who stops waiting what there is and how to come back.
func (c *command) sayWhere(s *seen) {
	if s.task == "" {
		return
	}
	fmt.Fprintf(c.Err, "Task: %s\n", terminal.Inline(string(s.task)))
	if s.context != "" {
		fmt.Fprintf(c.Err, "Context: %s\n", terminal.Inline(string(s.context)))
	}
	c.sayResume(c.goOn(s)...)
}

// judge warns of a task that did not end well or waits, and says how to answer.
func (c *command) judge(s *seen) {
	c.ending, c.cutOff = s.state, s.cutOff
	switch s.state {
	case a2a.TaskStateInputRequired:
		c.Warn("the task waits for input")
		c.sayResume(c.goOn(s)...)
		switch {
		case c.isEphemeral():
		case s.asksForm() && c.Own != nil: // its options are many
			c.Tell("Form: in that command, --skeleton instead of --text prints the form, and --answer form.json " +
				"sends it filled")
		case s.asksForm():
			c.Say("Form", append(c.CommandFor("send", "", "--task-id", string(s.task)), "--skeleton")...)
			c.Say("Answer", append(c.CommandFor("send", "", "--task-id", string(s.task)), "--answer", "form.json")...)
		}
	case a2a.TaskStateAuthRequired:
		c.Warn("the task waits for authorization")
		c.sayResume(c.goOn(s)...)
	case a2a.TaskStateFailed, a2a.TaskStateRejected, a2a.TaskStateCanceled:
		c.Warn("the task ended as %s", show.StateName(s.state))
	}
}
