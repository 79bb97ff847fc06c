// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// A Caller calls an agent, as a [*client.Client] does.
type Caller interface {
	// Stream sends a message and yields what happens because of it, as [client.Client.Stream] does.
	Stream(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[client.Update, error]
	GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error)
	CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error)
}

// Limits of calls.
const (
	maxQuestions  = 10                     // that one call asks its caller
	nameWithin    = 10 * time.Second       // for the agent to name the task of a call that was cancelled
	cancelWithin  = 5 * time.Second        // for the agent to take note of that
	fetchWithin   = 30 * time.Second       // for the result, once the wait is over
	progressEvery = 100 * time.Millisecond // what an agent says more often is left out
	maxProgress   = 1000                   // bytes of a notification's text
)

var errWaited = errors.New("the agent takes longer than a call waits")

func (b *Bridge) use(ctx context.Context, r *remote, skill string, req *sdk.CallToolRequest) (*sdk.CallToolResult,
	error) {
	in, err := readInput(req.Params.Arguments)
	if err != nil {
		return refuse(err.Error()), nil
	}
	message, err := in.message(skill)
	if err != nil {
		return refuse(err.Error()), nil
	}
	if req.Params.RequestState != "" { // the answer to what the agent asked in the round before
		answer, result := b.answered(r, skill, req)
		if answer == nil {
			return result, nil
		}
		message = answer
	}
	caller := callerOf(req)
	if !b.owners.let(caller, r.name, string(message.TaskID), string(message.ContextID)) {
		return refuse(notTheirs), nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, b.opts.Wait, errWaited)
	defer stop()
	p := &progress{session: req.Session, token: req.Params.GetProgressToken()}
	for range maxQuestions {
		o := b.exchange(ctx, r, message, p)
		b.owners.claim(caller, r.name, o.ids()...)
		if !o.asks() || !elicits(req) {
			return b.result(r, o), nil
		}
		if req.ProtocolVersion() >= sessionless {
			return b.ask(r, o), nil
		}
		answer, err := req.Session.Elicit(ctx, question(r, o.task))
		if err != nil || answer.Action != "accept" {
			return b.result(r, o), nil // the question is there for the model, and the task waits
		}
		if message, err = reply(skill, o.task, answer); err != nil {
			return b.result(r, o), nil
		}
	}
	return refuse(fmt.Sprintf("the agent asked %d questions in one call, which is the limit", maxQuestions)), nil
}

// An outcome is what came of a message. With an error there may be a task that is known by its id only.
type outcome struct {
	message *a2a.Message
	task    *a2a.Task
	err     error
}

func (o outcome) asks() bool {
	return o.err == nil && o.task != nil && o.task.Status.State == a2a.TaskStateInputRequired
}

// ids returns those of the task and the context.
func (o outcome) ids() []string {
	switch {
	case o.task != nil:
		return []string{string(o.task.ID), string(o.task.ContextID)}
	case o.message != nil:
		return []string{string(o.message.TaskID), string(o.message.ContextID)}
	}
	return nil
}

func (b *Bridge) exchange(ctx context.Context, r *remote, m *a2a.Message, p *progress) outcome {
	var came client.Outcome
	var last *a2a.Task // if it came last
	seen := &a2a.Task{ID: m.TaskID, ContextID: m.ContextID}
	hear, named, stop := untilNamed(ctx, seen.ID != "")
	defer stop()
	before := m.TaskID != "" // a task that comes first is then as it was before the message
	for u, err := range r.Stream(hear, &a2a.SendMessageRequest{Message: m}) {
		if err != nil {
			return b.broken(ctx, r, seen, err)
		}
		if _, whole := u.Event.(*a2a.Task); !whole || !before {
			came.Add(u)
		}
		last = nil
		switch e := u.Event.(type) {
		case *a2a.Task:
			seen.ID, seen.ContextID = e.ID, e.ContextID
			if !before {
				last, seen.Status = e, e.Status
			}
		case *a2a.StatusUpdate:
			seen.ID, seen.ContextID, seen.Status = e.TaskID, e.ContextID, e.Status
		case *a2a.ArtifactUpdate:
			seen.ID, seen.ContextID = e.TaskID, e.ContextID
		}
		before = false
		if seen.ID != "" {
			named()
		}
		p.tell(ctx, u.Event)
		if ctx.Err() != nil || seen.Status.State.Interrupted() {
			break // a stream may stay when the task waits for authorization
		}
	}
	switch message := came.Message(); {
	case message != nil:
		return outcome{message: message}
	case ctx.Err() != nil:
		return b.broken(ctx, r, seen, context.Cause(ctx))
	case last != nil && (last.Status.State.Terminal() || last.Status.State.Interrupted()):
		return outcome{task: fold.ShowHistory(came.Task(), 0)}
	}
	return fetch(ctx, r, seen, &came)
}

// untilNamed returns a context that ends with ctx, but not before named is called or nameWithin is over.
func untilNamed(ctx context.Context, already bool) (hear context.Context, named, stop func()) {
	hear, end := context.WithCancel(context.WithoutCancel(ctx))
	name := make(chan struct{})
	named = sync.OnceFunc(func() { close(name) })
	if already {
		named()
	}
	ignore := context.AfterFunc(ctx, func() {
		select {
		case <-name:
		case <-time.After(nameWithin):
		case <-hear.Done():
		}
		end()
	})
	return hear, named, func() {
		ignore()
		end()
	}
}

// fetch gets a task as it is now, with what a stream said of it.
func fetch(ctx context.Context, r *remote, seen *a2a.Task, came *client.Outcome) outcome {
	if seen.ID == "" {
		return outcome{err: errors.New("the agent answered nothing")}
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), fetchWithin)
	defer stop()
	task, err := came.Final(r.GetTask(ctx, &a2a.GetTaskRequest{ID: seen.ID, HistoryLength: fold.AskHistory(0)}))
	if err != nil {
		return outcome{task: seen, err: fmt.Errorf("the result cannot be had: %w", err)}
	}
	return outcome{task: fold.ShowHistory(task, 0)}
}

// broken is the outcome of an exchange that came to no end. A task whose call was cancelled is cancelled.
func (b *Bridge) broken(ctx context.Context, r *remote, seen *a2a.Task, err error) outcome {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return outcome{task: seen, err: err}
	case errors.Is(cause, errWaited) && seen.ID != "":
		return fetch(ctx, r, seen, new(client.Outcome))
	case errors.Is(cause, errWaited):
		return outcome{err: errWaited}
	case seen.ID == "":
		b.opts.Logger.Warn("the agent named no task for a call that was cancelled, which may go on",
			slog.String("agent", r.name))
		return outcome{err: cause}
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
	defer stop()
	if _, err := r.CancelTask(ctx, &a2a.CancelTaskRequest{ID: seen.ID}); err != nil &&
		!errors.Is(err, a2a.ErrTaskNotCancelable) {
		b.opts.Logger.Warn("the task of a call that was cancelled goes on", slog.String("agent", r.name),
			slog.String("task", string(seen.ID)), slog.String("error", err.Error()))
	}
	return outcome{task: seen, err: cause}
}

func (b *Bridge) getTask(ctx context.Context, r *remote, id a2a.TaskID) (*sdk.CallToolResult, error) {
	return b.result(r, fetch(ctx, r, &a2a.Task{ID: id}, new(client.Outcome))), nil
}

func (b *Bridge) cancelTask(ctx context.Context, r *remote, id a2a.TaskID) (*sdk.CallToolResult, error) {
	task, err := r.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		return b.result(r, outcome{task: &a2a.Task{ID: id}, err: err}), nil
	}
	return b.result(r, outcome{task: task}), nil
}

type progress struct {
	session *sdk.ServerSession
	token   any // nil when the caller does not want to know
	count   float64
	last    time.Time
}

func (p *progress) tell(ctx context.Context, e a2a.Event) {
	text := said(e)
	if p.token == nil || text == "" || time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	p.count++
	p.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // one that is lost is no harm
		ProgressToken: p.token, Progress: p.count, Message: text,
	})
}

func said(e a2a.Event) string {
	text := ""
	switch e := e.(type) {
	case *a2a.StatusUpdate:
		if e.Status.Message == nil {
			return e.Status.State.String()
		}
		text = e.Status.Message.Text()
	case *a2a.ArtifactUpdate:
		text = e.Artifact.Text()
	}
	return clean(cut(text, maxProgress))
}
