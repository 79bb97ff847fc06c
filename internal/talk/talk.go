// SPDX-License-Identifier: Apache-2.0

// Package talk follows the task of a message until nothing more comes without the user, and says how to go on.
package talk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Talk is a conversation with the agent of a caller.
type Talk struct {
	*connect.Caller
	Client *client.Client // after Dial
	Seen
}

// Do runs f with a client for the agent, under --timeout. A run that is interrupted, or whose time is up, says what it
// knows of the task and how to go on with it.
func (t *Talk) Do(ctx context.Context, f func(context.Context) error) error {
	return t.Within(ctx, func(timeUp *cmdline.Failure) {
		t.sayWhere()
		if timeUp != nil && t.Task != "" {
			t.explainTimeUp(timeUp)
		}
	}, func(ctx context.Context) error {
		if err := t.Dial(ctx); err != nil {
			return err
		}
		defer t.Client.Close()
		return f(ctx)
	})
}

// Dial makes the client. Close it.
func (t *Talk) Dial(ctx context.Context) (err error) {
	t.Client, err = t.Caller.Dial(ctx)
	return err
}

// explainTimeUp adds to a failure of --timeout what becomes of the task.
func (t *Talk) explainTimeUp(f *cmdline.Failure) {
	f.Hint = ""
	switch {
	case t.isEphemeral():
		f.Message += fmt.Sprintf("; task %s ended with this host", t.Task)
	case t.State.Interrupted():
		f.Message += fmt.Sprintf("; task %s still waits", t.Task)
	default:
		f.Message += fmt.Sprintf("; task %s goes on without you", t.Task)
	}
	if t.AsJSON { // people have just read it
		f.Hint = t.comeBackTo()
	}
}

// isEphemeral reports whether the agent keeps no task beyond this run.
func (t *Talk) isEphemeral() bool { return t.Own != nil && t.Own.Ephemeral }

// GoOn returns the command that goes on with a task: that answers it when it waits, that looks at it when it has
// ended, and that follows it otherwise. Credentials are left out of it.
func (t *Talk) GoOn() []string {
	switch {
	case t.State.Interrupted():
		return append(t.CommandFor("send", "", "--task-id", string(t.Task)), "--text", terminal.Placeholder)
	case t.Own != nil || t.State.Terminal():
		return t.LookAt(t.Task)
	}
	return t.CommandFor("task", "subscribe", string(t.Task))
}

// hintKeep says to people how to keep tasks, when the host of this run does not.
const hintKeep = "keep tasks with --" + cmdline.FlagDataDir + " FOLDER"

// SayResume says how to go on with a task, or that this is impossible.
func (t *Talk) SayResume(words ...string) {
	if !t.isEphemeral() {
		t.Say("Resume", words...)
		return
	}
	const gone = "This host keeps nothing, and what it worked on ended with it; " + hintKeep + "."
	if t.Said != gone {
		t.Tell(gone)
	}
	t.Said = gone
}

// comeBackTo returns the hint for a user who stops waiting for a task.
func (t *Talk) comeBackTo() string {
	if t.isEphemeral() {
		return hintKeep
	}
	return terminal.CommandLine(t.GoOn())
}

// LookAt returns the command that shows a task.
func (t *Talk) LookAt(task a2a.TaskID) []string {
	if t.Own != nil {
		return t.CommandFor("chat", "", "--task-id", string(task))
	}
	return t.CommandFor("task", "get", string(task))
}

// sayWhere tells a user who stops waiting what there is and how to come back.
func (t *Talk) sayWhere() {
	if t.Task == "" {
		return
	}
	fmt.Fprintf(t.Err, "Task: %s\n", terminal.Inline(string(t.Task)))
	if t.Context != "" {
		fmt.Fprintf(t.Err, "Context: %s\n", terminal.Inline(string(t.Context)))
	}
	t.SayResume(t.GoOn()...)
}

// Judge warns of a task that did not end well or waits, and says how to answer.
func (t *Talk) Judge() {
	switch t.State {
	case a2a.TaskStateInputRequired:
		t.Warn("the task waits for input")
		t.SayResume(t.GoOn()...)
		switch {
		case t.isEphemeral():
		case t.AsksForm() && t.Own != nil: // its options are many
			t.Tell("Form: in that command, --skeleton instead of --text prints the form, and --answer form.json " +
				"sends it filled")
		case t.AsksForm():
			t.Say("Form", append(t.CommandFor("send", "", "--task-id", string(t.Task)), "--skeleton")...)
			t.Say("Answer", append(t.CommandFor("send", "", "--task-id", string(t.Task)), "--answer", "form.json")...)
		}
	case a2a.TaskStateAuthRequired:
		t.Warn("the task waits for authorization")
		t.SayResume(t.GoOn()...)
		if t.AuthURL != "" && t.Own == nil { // no message is needed
			t.Say("Follow", append(t.CommandFor("task", "subscribe", string(t.Task)), "--wait")...)
		}
	case a2a.TaskStateFailed, a2a.TaskStateRejected, a2a.TaskStateCanceled:
		t.Warn("the task ended as %s", show.StateName(t.State))
	}
}

// Await follows what a message causes until nothing more comes without the user, and shows it in the feed, if there is
// one. It returns what came of the message.
func (t *Talk) Await(ctx context.Context, req *a2a.SendMessageRequest, shown *show.Feed,
	types *Acceptance) (outcome *client.Outcome, err error) {
	outcome, t.Unreached = new(client.Outcome), false
	first := true
	var before a2a.Event // the task as it was, which is only shown when nothing comes of the message
	defer func() {
		if err == nil && before != nil {
			err = shown.Show(before)
		}
		err = cmp.Or(err, shown.End())
	}()
	for u, err := range t.Client.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		t.Note(u.Event)
		types.Note(u.Event)
		outcome.Add(u)
		show.Progress(t.Progress, u.Event)
		// The first event of a stream may show the task as it was before the message.
		stale := first && req.Message.TaskID != "" && !u.Polled
		switch {
		case shown.Repeats(u.Event) && first:
		case stale && t.State.Interrupted() && !t.AsJSON:
			before = u.Event
		default:
			before = nil
			if err := shown.Show(u.Event); err != nil {
				return nil, err
			}
		}
		first = false
		if t.State == a2a.TaskStateAuthRequired && !stale {
			break
		}
	}
	return outcome, t.noteFailure(ctx)
}

// noteFailure looks why a task of the own host failed: streams do not say that, as metadata is not in them.
func (t *Talk) noteFailure(ctx context.Context) error {
	if t.Own == nil || t.State != a2a.TaskStateFailed {
		return nil
	}
	task, err := t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: t.Task, HistoryLength: new(int)})
	if err != nil {
		return err
	}
	t.Note(task)
	t.Unreached = t.Own.Unreached(task)
	return nil
}

// ErrUnreached ends a run whose host reached no agent for the request. The host has said why.
var ErrUnreached = &cmdline.Failure{
	Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: "no agent for this can be reached",
	Hint: "check that the agents run, and check the values of -a, --registry and --networks",
}

// Fill asks a person for the form that the task waits for.
func (t *Talk) Fill(ctx context.Context, asker *form.Asker) (jsontext.Value, error) {
	before := t.Filled
	t.Filled = t.Form
	return asker.Fill(ctx, t.Form, before)
}

// Ended explains why a message was refused, if its task has ended.
func (t *Talk) Ended(ctx context.Context, req *a2a.SendMessageRequest, err error) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if ok && e.Kind != a2a.ErrInvalidAgentResponse && req.Message.TaskID != "" && !t.Debug {
		f := t.Failure(err)
		err = f.WithHint(strings.TrimSuffix("see what the agent said with --debug; "+f.Hint, "; "))
	}
	if !ok || e.Kind != a2a.ErrUnsupportedOperation || req.Message.TaskID == "" {
		return err
	}
	task, failed := t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: req.Message.TaskID, HistoryLength: new(int)})
	if failed != nil || !task.Status.State.Terminal() {
		return err
	}
	f := t.Failure(err)
	f.Message = fmt.Sprintf("task %s is %s and takes no further message", task.ID, show.StateName(task.Status.State))
	again := append(t.CommandFor("send", "", "--context-id", string(task.ContextID)), "--text", terminal.Placeholder)
	return f.WithHint("see the response with --debug; continue in a new task with " + terminal.CommandLine(again))
}

// ShowSent shows a message that is about to be sent, on the error stream, as it is no result. --verbose asks for it.
func (t *Talk) ShowSent(m *a2a.Message) {
	if !t.All {
		return
	}
	p := show.Printer{Printer: &terminal.Printer{All: true}}
	p.Message("Sent", m)
	p.End()
	t.Err.Write(p.Buf.Bytes())
}

// Explain adds to an error that broke a wait how to come back to the task.
func (t *Talk) Explain(err error) error {
	if t.Task == "" {
		return err
	}
	f := t.Failure(err)
	if f.Exit == cmdline.ExitUnreachable || f.Exit == cmdline.ExitTimeout {
		f.Hint = t.comeBackTo()
		return f
	}
	return err
}

// SayFollow says how to follow a task that goes on.
func (t *Talk) SayFollow() {
	if t.isEphemeral() {
		t.SayResume()
		return
	}
	t.Say("Follow", t.GoOn()...)
}

// Follow follows one stream of a task, and says when the task waits or has ended badly. It ends when the task waits,
// unless it is to go on until the task ends.
func (t *Talk) Follow(ctx context.Context, untilEnd bool, shown *show.Feed, outcome *client.Outcome) (err error) {
	defer func() { err = cmp.Or(err, shown.End()) }()
	for u, err := range t.Client.Follow(ctx, &a2a.SubscribeRequest{ID: t.Task}) {
		if err != nil {
			return err
		}
		was := t.State
		t.Note(u.Event)
		outcome.Add(u)
		if !shown.Repeats(u.Event) {
			if err := shown.Show(u.Event); err != nil {
				return err
			}
		}
		paused := t.State.Interrupted() && !untilEnd
		if t.State != was && (paused || t.State.Terminal() || untilEnd) {
			if err := shown.End(); err != nil {
				return err
			}
			t.Judge()
		}
		if paused {
			return nil
		}
	}
	return nil
}

// WaitFor follows a task in silence until it has ended or waits.
func (t *Talk) WaitFor(ctx context.Context, outcome *client.Outcome) error {
	for u, err := range t.Client.Follow(ctx, &a2a.SubscribeRequest{ID: t.Task}) {
		if err != nil {
			return err
		}
		t.Note(u.Event)
		outcome.Add(u)
		show.Progress(t.Progress, u.Event)
		if t.State.Interrupted() {
			return nil
		}
	}
	return nil
}

// ExplainRefusal says of a task that its agent did not cancel whether it goes on. hint says what to do then.
func (t *Talk) ExplainRefusal(ctx context.Context, id a2a.TaskID, err error, hint func(*Talk) string) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || e.Kind != a2a.ErrTaskNotCancelable {
		return err
	}
	now := &Talk{Caller: t.Caller, Seen: Seen{Task: id, State: a2a.TaskStateCompleted}}
	if task, err := t.Client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: new(int)}); err == nil {
		now.Note(task)
	}
	return t.Failure(err).WithHint(hint(now))
}

// HintRefused says at a command line what to do about a task that its agent did not cancel.
func HintRefused(t *Talk) string {
	if t.State.Terminal() {
		return "see how it ended with " + terminal.CommandLine(t.LookAt(t.Task))
	}
	return "the task goes on; see more of it with " + terminal.CommandLine(t.GoOn())
}
