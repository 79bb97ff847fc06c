// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	outcome "github.com/dragoman-a2a/dragoman/internal/turn"
)

var errStepTimeout = errors.New("it took too long")

// A child is the task of a step at its agent: it passes on what is for the user, and keeps the result.
type child struct {
	x *run
	s *step
	l *link

	task     a2a.TaskID
	told     fold.Outcome
	begun    bool // an event came
	stale    bool // the state may be that before the message
	events   int
	held     int    // bytes of the artifacts as they are now, and of all messages
	passed   int    // and of the artifacts as they were before
	reported string // the last status text that was shown
}

// invoke is work with a span around it.
func (x *run) invoke(ctx context.Context, s *step) {
	ctx, span := telemetry.Start(ctx, telemetry.SpanInvokeAgent+" "+s.Agent, trace.SpanKindInternal)
	defer span.End()
	x.work(ctx, s)
	x.mu.Lock()
	defer x.mu.Unlock()
	span.Set(telemetry.KeyGenAI.String(telemetry.SpanInvokeAgent), telemetry.KeyAgent.String(s.Agent),
		telemetry.KeyStep.String(s.ID), telemetry.KeyTask.String(string(s.Child)),
		telemetry.KeyConversation.String(string(s.Context)))
	if s.State == failed {
		span.Fail(string(failed))
	}
}

// work takes one step: it sends the agent its message, or comes back to a task that an earlier turn began, and shows
// what the agent does until its task ends or waits. When the turn ends meanwhile the step stays as it is.
func (x *run) work(ctx context.Context, s *step) {
	c, err := x.attempt(ctx, s)
	x.mu.Lock()
	defer x.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = c.conclude()
	}
	if err != nil {
		x.fails(s, err)
	}
	if err := errors.Join(x.showChildren(), x.save(ctx)); err != nil && ctx.Err() == nil {
		s.State, s.Error = failed, "its outcome could not be recorded"
	}
}

// fails notes why a step failed; x.mu is held. An agent that waits, and did not get its answer, waits on.
func (x *run) fails(s *step, err error) {
	gone, ok := errors.AsType[*unreached](err)
	if ok && s.Child != "" && s.Answer != "" {
		s.State, s.Answer, s.Say = waiting, "", ""
		x.notices = append(x.notices, s.Agent+" "+cannotBeReached+gone.reason+
			". It has not got your answer; please send it again later.")
		return
	}
	s.State, s.Error, s.Lost = failed, plan.Clean(outward(err), plan.MaxShown), ok
}

// attempt carries a step through, within its time, unless its agent rests.
func (x *run) attempt(ctx context.Context, s *step) (*child, error) {
	l, err := x.h.opts.Directory.link(s.Agent, s.Key)
	if err != nil {
		return nil, err
	}
	defer l.release()
	x.mu.Lock()
	s.Key, s.Name = l.key, l.name
	x.mu.Unlock()
	if err := l.breaker.allow(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, x.h.opts.StepTimeout, errStepTimeout)
	defer cancel()
	c := &child{x: x, s: s, l: l, told: fold.Outcome{MaxBytes: (replacements + 1) * int(x.h.opts.MaxAnswer)}}
	err = c.exchange(limited)
	switch {
	case ctx.Err() != nil:
		l.breaker.release()
		return nil, context.Cause(ctx)
	case err == nil || answered(err):
		l.breaker.ended(nil)
	default:
		l.breaker.ended(err)
	}
	switch {
	case err == nil:
		return c, nil
	case c.begun && lost(err):
		err = errors.New("the connection to it broke: " + problem(err))
	case lost(err) && x.t.Attempt() == 1:
		return nil, &unreached{problem(err)}
	}
	c.abandon(ctx)
	if limited.Err() != nil && context.Cause(limited) == errStepTimeout {
		return nil, fmt.Errorf("it did not finish within %v", x.h.opts.StepTimeout)
	}
	if lost(err) { // in an earlier run of the turn the message may have arrived
		return nil, errors.New("it " + cannotBeReached + problem(err))
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Remote {
		return nil, errors.New(e.PublicMessage())
	}
	return nil, err
}

// answered reports whether an error is an agent's answer, so that the agent is well.
func answered(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && e.Remote && e.Kind != a2a.ErrUnavailable && e.Kind != a2a.ErrInternal && e.Kind != a2a.ErrTimeout
}

// abandon cancels a task that failed on this side, so that its agent does not work for nobody.
func (c *child) abandon(ctx context.Context) {
	c.x.mu.Lock()
	id := c.s.Child
	c.x.mu.Unlock()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	// it may have ended, or not be cancelable: nobody waits for it any more
	c.l.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
}

// sends is how often a message is sent at most. It is sent again only when surely no task came of it.
const sends = 3

func (c *child) exchange(ctx context.Context) error {
	s := c.s
	goesOn := s.Child != "" && s.Answer == "" // an agent that waited has gone on by itself
	if c.x.t.Attempt() > 1 {
		arrived, err := c.arrived(ctx)
		if err != nil {
			return err
		}
		goesOn = goesOn || arrived
	}
	if goesOn {
		return c.take(c.l.Follow(ctx, &a2a.SubscribeRequest{ID: s.Child}))
	}
	req, err := c.message(ctx)
	if err != nil {
		return err
	}
	pauses := retry.NewPauses(200*time.Millisecond, 2*time.Second)
	for try := 1; ; try++ {
		err := c.take(c.l.Stream(ctx, req))
		switch {
		case err == nil || c.begun:
			return err
		case isKind(err, a2a.ErrMethodNotFound, a2a.ErrUnsupportedOperation): // though its card promises streams
			return c.withoutStream(ctx, req)
		case c.refused(err):
			return c.afterRefusal(ctx, err)
		case s.Child == "" && req.Message.ContextID != "" &&
			isKind(err, a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrTaskNotFound):
			// the agent makes the ids of its conversations itself
			req.Message.ContextID, req.Message.ReferenceTaskIDs = "", nil
			continue
		case try == sends || !notSent(err):
			return err
		}
		if err := retry.Sleep(ctx, pauses.Next()); err != nil {
			return err
		}
	}
}

// notSent reports whether an error says that no task came of a message, and that another attempt may do better.
func notSent(err error) bool {
	return !as[*client.CutError](err) &&
		(as[*client.UnreachableError](err) || isKind(err, a2a.ErrUnavailable, a2a.ErrRateLimited))
}

func isKind(err error, kinds ...a2a.Kind) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && slices.Contains(kinds, e.Kind)
}

// withoutStream sends a message to an agent that does not stream although its card says so.
func (c *child) withoutStream(ctx context.Context, req *a2a.SendMessageRequest) error {
	config := *cmp.Or(req.Configuration, new(a2a.SendConfiguration))
	config.ReturnImmediately = c.s.Child == ""
	result, err := c.l.SendMessage(ctx, &a2a.SendMessageRequest{Message: req.Message, Configuration: &config})
	if c.refused(err) {
		return c.afterRefusal(ctx, err)
	}
	if err != nil {
		return err
	}
	if err := c.event(client.Update{StreamEvent: a2a.NewStreamEvent("", result), Polled: true}); err != nil ||
		c.over() {
		return err
	}
	return c.take(c.l.Follow(ctx, &a2a.SubscribeRequest{ID: c.task}))
}

func (c *child) refused(err error) bool {
	return c.s.Child != "" && isKind(err, a2a.ErrUnsupportedOperation, a2a.ErrTaskNotFound, a2a.ErrInvalidParams)
}

// afterRefusal looks at a task that did not take an answer: it may have ended meanwhile, and that is then its outcome.
func (c *child) afterRefusal(ctx context.Context, refusal error) error {
	task, err := c.l.GetTask(ctx, &a2a.GetTaskRequest{ID: c.s.Child})
	if err != nil || !task.Status.State.Terminal() {
		return refusal
	}
	return c.event(client.Update{StreamEvent: a2a.NewStreamEvent("", task), Polled: true})
}

// arrived reports whether the message of the step reached its agent in an earlier run of the turn, and finds its task.
func (c *child) arrived(ctx context.Context) (bool, error) {
	if c.s.Child == "" {
		return c.search(ctx)
	}
	task, err := c.l.GetTask(ctx, &a2a.GetTaskRequest{ID: c.s.Child})
	if err != nil {
		return false, err
	}
	return c.s.Answer == "" || !task.Status.State.Interrupted() || has(task, c.s.MessageID), nil
}

// search looks among the tasks of the conversation for the one that the step's message began. An agent that cannot list
// its tasks gets the message once more, under the same id, so that it can tell.
func (c *child) search(ctx context.Context) (bool, error) {
	history := 20 // messages of each task; one that has just begun has few
	for token := ""; ; {
		page, err := c.l.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: c.x.contextOf(ctx, c.s), PageToken: token,
			HistoryLength: &history})
		if err != nil {
			if _, remote := errors.AsType[*a2a.Error](err); remote {
				return false, nil
			}
			return false, err
		}
		for _, task := range page.Tasks {
			if has(task, c.s.MessageID) {
				return true, c.begin(ctx, task.ID, task.ContextID)
			}
		}
		if token = page.NextPageToken; token == "" {
			return false, nil
		}
	}
}

func has(task *a2a.Task, id a2a.MessageID) bool {
	return slices.ContainsFunc(task.History, func(m *a2a.Message) bool { return m.ID == id })
}

// begin notes the task that an agent made for the step, before anything of it is shown.
func (c *child) begin(ctx context.Context, id a2a.TaskID, contextID a2a.ContextID) error {
	x := c.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.s.Child == id {
		return nil
	}
	c.s.Child, c.s.Context = id, contextID
	if err := errors.Join(x.showChildren(), x.save(ctx)); err != nil {
		return err
	}
	if contextID == "" || contextID == x.ownContext() {
		return nil
	}
	return x.converse(ctx, func(talk *conversation) { set(&talk.Contexts, c.s.Key, contextID) })
}

// ownContext returns the id under which agents know the user's conversation. To an agent, all users of the host are one
// caller. So the id that a user gave the conversation does not suffice: another user's may be the same. Callers without
// an owner and a tenant are one to the host as well, and share their ids with it.
func (x *run) ownContext() a2a.ContextID {
	info, _ := outcome.Parts(x.t)
	if info.Shared() {
		return info.ContextID
	}
	return a2a.ContextID(info.Private(string(info.ContextID)))
}

// contextOf returns the id of the conversation with an agent: the host's own one, unless the agent has made another.
func (x *run) contextOf(ctx context.Context, s *step) a2a.ContextID {
	if s.Context != "" {
		return s.Context
	}
	talk, err := x.conversation(ctx)
	if err != nil {
		return x.ownContext()
	}
	return cmp.Or(talk.Contexts[s.Key], x.ownContext())
}

// hear asks the agents of waiting steps for their questions, and reports whether one of them waits no more.
func (x *run) hear(ctx context.Context, open []*step) (wentOn bool) {
	for _, s := range open {
		if s.question != nil {
			continue
		}
		task, err := x.look(ctx, s)
		switch {
		case err != nil:
			s.question = texts(cmp.Or(s.Ask, "The "+s.Agent+" waits for input, and cannot be asked for what."))
		case task.Status.State.Interrupted():
			if task.Status.Message != nil {
				s.question = task.Status.Message.Parts
			}
		default:
			s.State, s.Answer, wentOn = planned, "", true
		}
	}
	return wentOn
}

func (x *run) look(ctx context.Context, s *step) (*a2a.Task, error) {
	l, err := x.h.opts.Directory.link(s.Agent, s.Key)
	if err != nil {
		return nil, err
	}
	defer l.release()
	ctx, cancel := context.WithTimeout(ctx, x.h.opts.Directory.opts.CardTimeout)
	defer cancel()
	return l.GetTask(ctx, &a2a.GetTaskRequest{ID: s.Child})
}

func (x *run) cancelChildren(ctx context.Context) {
	x.mu.Lock()
	steps := slices.Clone(x.state.Steps)
	x.mu.Unlock()
	var group sync.WaitGroup
	for _, s := range steps {
		group.Go(func() { x.cancelStep(ctx, s) })
	}
	group.Wait()
}

// cancelStep cancels the task of a step that has not ended. One that the agent has not named yet is looked for.
func (x *run) cancelStep(ctx context.Context, s *step) {
	x.mu.Lock()
	was, id := s.State, s.Child
	if !was.ended() {
		s.State = canceled
	}
	x.mu.Unlock()
	if was.ended() || id == "" && was != running {
		return
	}
	l, err := x.h.opts.Directory.link(s.Agent, s.Key)
	if err != nil {
		return
	}
	defer l.release()
	pauses := retry.NewPauses(50*time.Millisecond, time.Second)
	c := &child{x: x, s: s, l: l}
	for try := 0; s.Child == "" && try < finds; try++ {
		if try > 0 && retry.Sleep(ctx, pauses.Next()) != nil {
			return
		}
		c.search(ctx) // its error may be that the turn is over, and then the task was found all the same
	}
	if s.Child != "" {
		// one that has ended meanwhile, or will not be cancelled, is left to its agent
		l.CancelTask(ctx, &a2a.CancelTaskRequest{ID: s.Child})
	}
}

// finds is how often the task of a message that was on its way is looked for.
const finds = 4
