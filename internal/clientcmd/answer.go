// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// checkForms refuses flags of forms that contradict each other.
func (o *sendOptions) checkForms(c *connect.Caller, words []string) error {
	switch {
	case o.skeleton && (len(words) > 0 || o.parts.Given() || o.answer != "" || o.fill):
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
func (o *sendOptions) content(words []string, c *connect.Caller) ([]a2a.Part, error) {
	if o.answer == "" {
		return o.parts.Build(words, c.Stdin)
	}
	var parts []a2a.Part
	if len(words) > 0 || o.parts.Given() {
		var err error
		if parts, err = o.parts.Build(words, c.Stdin); err != nil {
			return nil, err
		}
	}
	answer, err := talk.DataPart(o.answer, c.Stdin)
	if err != nil {
		return nil, talk.ExplainPart("answer", err)
	}
	return append(parts, answer), nil
}

// formOf returns the form that a task waits for.
func formOf(ctx context.Context, t *talk.Talk, id a2a.TaskID) (*form.Form, error) {
	task, err := t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: new(int)})
	if err != nil {
		return nil, err
	}
	t.Note(task)
	if t.AsksForm() {
		return t.Form, nil
	}
	return nil, cmdline.Usagef("task %s is %s and asks for no form", id, show.StateName(task.Status.State)).
		WithHint("see what it says with " + terminal.CommandLine(t.LookAt(id)))
}

// showSkeleton prints the form that the task waits for as a document to fill.
func (o *sendOptions) showSkeleton(ctx context.Context, t *talk.Talk) error {
	asked, err := formOf(ctx, t, a2a.TaskID(o.taskID))
	if err != nil {
		return err
	}
	return t.ShowJSON(asked.Skeleton())
}

// completeAnswer adds to an answer what the form knows, and refuses one that does not fit before it is sent.
func completeAnswer(ctx context.Context, t *talk.Talk, req *a2a.SendMessageRequest) error {
	asked, err := formOf(ctx, &talk.Talk{Caller: t.Caller, Client: t.Client}, req.Message.TaskID)
	if err != nil {
		return err
	}
	last := &req.Message.Parts[len(req.Message.Parts)-1]
	whole, err := asked.Complete(jsontext.Value(last.Content.(a2a.Data)))
	if err != nil {
		see := append(t.CommandFor("send", "", "--task-id", string(req.Message.TaskID)), "--skeleton")
		return cmdline.Usagef("--answer does not fit the form: %v", err).
			WithHint("see the form with " + terminal.CommandLine(see))
	}
	last.Content = a2a.Data(whole)
	return nil
}

// fillAndSend asks for the fields of the form that the task waits for and sends the answer, until the agent asks for no
// more. If the person leaves the form, it says how to answer later.
func (o *sendOptions) fillAndSend(ctx context.Context, t *talk.Talk, req *a2a.SendMessageRequest) error {
	asker := &form.Asker{Terminal: t.Terminal, In: t.Prompter(form.Complete, nil)}
	answer, err := t.Fill(ctx, asker)
	asker.In.Close()
	switch {
	case errors.Is(err, form.ErrWithdraw):
		task, err := t.Client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: t.Task})
		if err != nil {
			return t.ExplainRefusal(ctx, t.Task, err, talk.HintRefused)
		}
		return showTask(t, task, o.failOn)
	case errors.Is(err, form.ErrLater), errors.Is(err, form.ErrQuit), errors.Is(err, terminal.ErrInterrupted),
		errors.Is(err, io.EOF):
		return judge(t, o.failOn)
	case err != nil:
		return err
	}
	message := a2a.NewMessage(a2a.RoleUser, talk.JSONPart(answer))
	message.TaskID, message.ContextID, message.Extensions = t.Task, t.Context, req.Message.Extensions
	next := *o
	next.answer = ""
	t.Form = nil
	return next.talk(ctx, t, &a2a.SendMessageRequest{Message: message, Configuration: req.Configuration})
}
