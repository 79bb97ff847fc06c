// SPDX-License-Identifier: Apache-2.0

package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// say sends a text with what is attached, and then fills the forms that come back. An object answers the form that the
// agent waits for.
func (s *chat) say(ctx context.Context, text string) error {
	part, err := talk.TextPart(text)
	if err != nil {
		return cmdline.Usagef("the line %v", err)
	}
	if doc := jsontext.Value(strings.TrimSpace(text)); s.at.AsksForm() && doc.Kind() == '{' && doc.IsValid() {
		whole, err := s.at.Form.Complete(doc)
		if err != nil {
			return cmdline.Usagef("the line does not fit the form: %v", err)
		}
		part = talk.JSONPart(whole)
	}
	attached := s.attached
	s.attached = nil
	if err := s.turn(ctx, append([]a2a.Part{part}, attached...)); err != nil {
		s.keep(attached, err)
		return err
	}
	return s.fillForms(ctx)
}

// keep takes back what was attached to a message that did not arrive, as far as one can tell: no task came of it.
func (s *chat) keep(attached []a2a.Part, err error) {
	if len(attached) == 0 || s.at.Took || errors.Is(err, cmdline.ErrLeft) {
		return
	}
	s.attached, s.kept = attached, true
}

// fillForms asks a person for the form that the agent waits for, and for the next one if it is not content with that.
// Lines of a pipe are messages, always: whoever writes them does not see what is asked.
func (s *chat) fillForms(ctx context.Context) error {
	for s.in.Person() && s.at.AsksForm() {
		if s.at.Form.Source == s.at.Left {
			s.Tell("The form still waits; /form asks for it.")
			return nil
		}
		answer, err := s.at.Fill(ctx, &form.Asker{Terminal: s.Terminal, In: s.in, Elsewhere: isCommand})
		switch {
		case errors.Is(err, form.ErrWithdraw):
			return s.cancel(ctx)
		case errors.Is(err, form.ErrLater), errors.Is(err, terminal.ErrInterrupted), errors.Is(err, io.EOF):
			s.at.Left = s.at.Form.Source
			s.Tell("The form waits; /form asks for it again. A message may answer it, too.")
			return nil
		case err != nil:
			return err
		}
		if err := s.turn(ctx, []a2a.Part{talk.JSONPart(answer)}); err != nil {
			return err
		}
	}
	return nil
}

// turn sends a message to the agent and shows what comes of it until the agent waits or is done.
func (s *chat) turn(ctx context.Context, parts []a2a.Part) (err error) {
	at, asked := s.at, s.at.Form
	message := a2a.NewMessage(a2a.RoleUser, parts...)
	message.ContextID, message.Extensions = at.Context, s.Extensions
	if at.Task != "" && !at.State.Terminal() {
		message.TaskID = at.Task
	}
	req := &a2a.SendMessageRequest{Message: message, Configuration: &a2a.SendConfiguration{
		AcceptedOutputModes: s.accept, HistoryLength: fold.AskHistory(0),
	}}
	at.ShowSent(message)
	at.Took = false
	defer func() {
		if err != nil && !at.Took {
			at.Form = asked // which waits still
		}
	}()
	return s.during(ctx, func(ctx context.Context) error {
		if message.TaskID == "" {
			at.Task, at.State, at.Filled, at.Left = "", a2a.TaskStateUnspecified, nil, ""
		}
		at.Form, at.Files = nil, false
		types := &talk.Acceptance{Modes: s.accept}
		if _, err := at.Await(ctx, req, at.shown, types); err != nil {
			return at.Ended(ctx, req, err)
		}
		types.Judge(s.Terminal)
		if at.State == a2a.TaskStateAuthRequired && at.AuthURL != "" && s.in.Person() {
			s.Tell("Open the address. Then /resume shows how the task goes on.")
		}
		if at.Files && s.in.Person() {
			s.Tell("/save keeps the files.")
		}
		if at.Unreached && s.Own != nil && !s.in.Person() {
			return talk.ErrUnreached
		}
		return nil
	})
}

// during runs a turn under --timeout. Ctrl-C cancels its task, and breaks it off when it comes again or when there is
// no task yet.
func (s *chat) during(ctx context.Context, turn func(context.Context) error) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	limited, done := s.Limit(ctx)
	defer done()

	at := s.at
	asked := &asking{chatAgent: at, ctx: ctx, leave: leave}
	at.Told = asked.learn
	s.takeInterrupts(asked.interrupt)
	err := turn(limited)
	s.takeInterrupts(nil)
	at.Told = nil
	asked.wait()

	switch cause := context.Cause(limited); {
	case err == nil || cause == nil:
		return err
	case errors.Is(cause, errNothingYet):
		s.Tell("Given up. The agent may have the message all the same.")
		return nil
	default:
		if timeUp := s.TimeUp(limited); timeUp != nil {
			return timeUp
		}
		return cause
	}
}

// errNothingYet ends a turn whose task is not known when Ctrl-C comes.
var errNothingYet = errors.New("given up before there was a task")

// asking is what Ctrl-C does during one turn.
type asking struct {
	*chatAgent
	ctx   context.Context
	leave context.CancelCauseFunc

	mu    sync.Mutex
	known a2a.TaskID // the task of the turn
	times int
	calls sync.WaitGroup
}

func (a *asking) learn(task a2a.TaskID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = task
}

func (a *asking) interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times++
	switch {
	case a.known == "":
		a.leave(errNothingYet)
	case a.times > 1:
		a.leave(cmdline.ErrLeft)
	default:
		if a.Out.MidLine() {
			fmt.Fprintln(a.Err)
		}
		a.Tell("Canceling the task; Ctrl-C again leaves it running.")
		task := a.known
		a.calls.Go(func() {
			_, err := a.Client.CancelTask(a.ctx, &a2a.CancelTaskRequest{ID: task})
			if err != nil && a.ctx.Err() == nil {
				err = a.ExplainRefusal(a.ctx, task, err, hintRefused)
				a.Failure(err).Write(a.Err, false, a.Columns())
			}
		})
	}
}

func (a *asking) wait() { a.calls.Wait() }

// hintRefused says what to do about a task that its agent did not cancel.
func hintRefused(t *talk.Talk) string {
	if t.State.Terminal() {
		return "see how it ended with /task"
	}
	return "the task goes on; /resume follows it"
}

// takeInterrupts lets Ctrl-C call f, which must return soon; nil gives it back.
func (s *chat) takeInterrupts(f func()) {
	if s.OnInterrupt != nil {
		s.OnInterrupt(f)
	}
}
