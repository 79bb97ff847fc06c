// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// checkForms refuses flags of forms that contradict each other.
func (o *sendOptions) checkForms(c *command, words []string) error {
	switch {
	case o.skeleton && (len(words) > 0 || len(o.parts.specs) > 0 || o.answer != "" || o.fill):
		return cmdline.Usagef("--skeleton sends nothing: leave out the parts of a message")
	case (o.skeleton || o.answer != "") && o.taskID == "":
		return cmdline.Usagef("no task is named").WithHint("name the task that waits for the form with --task-id")
	case o.fill && !c.AtTerminal():
		return cmdline.Usagef("--fill needs a terminal, to ask at").WithHint(
			"print the form with --skeleton and send it with --answer")
	case o.fill && c.AsJSON:
		return cmdline.Usagef("--fill asks at the terminal: it cannot be combined with --output json").WithHint(
			"print the form with --skeleton and send it with --answer")
	case o.fill && o.async:
		return cmdline.Usagef("--fill waits for the form: it cannot be combined with --async")
	}
	return nil
}

// content returns the parts of the message: those of the flags, and the filled form after them.
func (o *sendOptions) content(words []string, c *command) ([]a2a.Part, error) {
	if o.answer == "" {
		return o.parts.build(words, c.Stdin)
	}
	var parts []a2a.Part
	if len(words) > 0 || len(o.parts.specs) > 0 {
		var err error
		if parts, err = o.parts.build(words, c.Stdin); err != nil {
			return nil, err
		}
	}
	answer, err := dataPart(o.answer, c.Stdin)
	if err != nil {
		return nil, explainPart("answer", err)
	}
	return append(parts, answer), nil
}

// formOf returns the form that a task waits for.
func (c *command) formOf(ctx context.Context, agent *client.Client, id a2a.TaskID, seen *seen) (*form, error) {
	none := 0
	task, err := agent.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: &none})
	if err != nil {
		return nil, err
	}
	seen.note(task)
	if seen.asksForm() {
		return seen.form, nil
	}
	look := terminal.CommandLine(c.lookAt(id))
	return nil, cmdline.Usagef("task %s is %s and asks for no form", id,
		show.StateName(task.Status.State)).WithHint("see what it says with " + look)
}

// showSkeleton prints the form that the task waits for as a document to fill.
func (c *command) showSkeleton(ctx context.Context, agent *client.Client, o *sendOptions, seen *seen) error {
	form, err := c.formOf(ctx, agent, a2a.TaskID(o.taskID), seen)
	if err != nil {
		return err
	}
	return c.ShowJSON(form.skeleton())
}

// completeAnswer adds to an answer what the form knows, and refuses one that does not fit before it is sent.
func (c *command) completeAnswer(ctx context.Context, agent *client.Client, req *a2a.SendMessageRequest) error {
	form, err := c.formOf(ctx, agent, req.Message.TaskID, &seen{})
	if err != nil {
		return err
	}
	last := &req.Message.Parts[len(req.Message.Parts)-1]
	whole, err := form.complete(jsontext.Value(last.Content.(a2a.Data)))
	if err != nil {
		see := terminal.CommandLine(append(c.CommandFor("send", "", "--task-id", string(req.Message.TaskID)),
			"--skeleton"))
		return cmdline.Usagef("--answer does not fit the form: %v", err).WithHint("see the form with " + see)
	}
	last.Content = a2a.Data(whole)
	return nil
}

// fillAndSend asks for the fields of the form that the task waits for and sends the answer, until the agent asks for no
// more. Who leaves the form reads how to answer later.
func (c *command) fillAndSend(ctx context.Context, agent *client.Client, o *sendOptions, req *a2a.SendMessageRequest,
	seen *seen) error {
	in := c.Prompter(completeForm, nil)
	answer, err := c.fill(ctx, in, seen)
	in.Close()
	switch {
	case errors.Is(err, errWithdraw):
		task, err := agent.CancelTask(ctx, &a2a.CancelTaskRequest{ID: seen.task})
		if err != nil {
			err = c.explainRefusal(ctx, agent, seen.task, err)
		}
		return c.showTask(task, err, seen)
	case errors.Is(err, errLater), errors.Is(err, errQuit), errors.Is(err, terminal.ErrInterrupted),
		errors.Is(err, io.EOF):
		c.judge(seen)
		return nil
	case err != nil:
		return err
	}
	message := a2a.NewMessage(a2a.RoleUser, jsonPart(answer))
	message.TaskID, message.ContextID, message.Extensions = seen.task, seen.context, req.Message.Extensions
	next := *o
	next.answer = ""
	seen.form = nil
	return c.talk(ctx, agent, &next, &a2a.SendMessageRequest{Message: message, Configuration: req.Configuration}, seen)
}
