// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// carry sends a message, if there is one, and follows the other agent's task until it stops. If the connection fails,
// carry reconnects. It first checks whether the message arrived and sends it again only if it did not. A message that
// was certainly not sent needs no check.
func (c *courier) carry(ctx context.Context, m *a2a.Message) (*a2a.Task, error) {
	pauses := retry.NewPauses(firstPause, longestPause)
	var lost error // of a message that may have arrived
	for failures := 0; ; {
		task, err := c.attempt(ctx, m, lost != nil)
		switch _, own := errors.AsType[*ownError](err); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case own:
			return nil, errors.Unwrap(err)
		case err == nil && c.d.Reply != nil:
			c.d.Message = ""
			return replied(c.d.Reply), c.save(ctx)
		case err == nil && stopped(task.Status.State):
			return c.conclude(ctx, task)
		case err == nil:
			m, failures, lost = nil, 0, nil
			c.d.Message, c.d.Answer = "", ""
		case err == errCannotTell:
			return nil, c.failed(ctx, fmt.Errorf("%w; the message may have arrived, and the agent does not list its "+
				"tasks", lost))
		default:
			if failures++; failures > reconnections || !passing(err) {
				return nil, c.failed(ctx, err)
			}
			if !unsent(err) {
				lost = err
			}
		}
		if err := retry.Sleep(ctx, pauses.Next()); err != nil {
			return nil, err
		}
	}
}

// ownError is an error of this task's turn, not of the other agent.
type ownError struct{ error }

func (e *ownError) Unwrap() error { return e.error }

// attempt sends a message, unless it turns out to have arrived, or rejoins the task; follows the events as long as they
// come, and returns the task as it is then. lost says that an earlier attempt may have sent the message.
func (c *courier) attempt(ctx context.Context, m *a2a.Message, lost bool) (*a2a.Task, error) {
	if m != nil && lost {
		arrived, err := c.arrived(ctx)
		if err != nil {
			return nil, err
		}
		if arrived {
			m, c.d.Answer = nil, ""
		}
	}
	answers := c.d.Task != ""
	var err error
	if m == nil {
		err = c.rejoin(ctx)
	} else {
		err = c.send(ctx, m)
	}
	if _, own := errors.AsType[*ownError](err); own || c.d.Reply != nil {
		return nil, err
	}
	refused := err != nil && m != nil && !passing(err)
	if c.d.Task == "" && refused {
		return nil, c.refused(ctx, err)
	}
	if c.d.Task == "" {
		return nil, cmp.Or(err, error(a2a.NewError(a2a.ErrInvalidAgentResponse, "it did not begin a task")))
	}
	if err != nil && m != nil && answers && passing(err) {
		return nil, err // whether the answer arrived is for the next attempt to find out
	}
	task, lookErr := c.look(ctx)
	switch {
	case lookErr != nil && refused && answers, lookErr == nil && refused && answers && task.Status.State.Interrupted():
		return nil, c.refused(ctx, err)
	case lookErr != nil && lacks(lookErr):
		return nil, cmp.Or(err, lookErr) // the stream would have told
	case lookErr != nil:
		return nil, lookErr
	}
	if err := c.show(task.Status); err != nil { // which a polled agent tells in no other way
		return nil, err
	}
	return task, nil
}

// refused makes of a delegation whose message the other agent refused what it was before that message.
func (c *courier) refused(ctx context.Context, err error) error {
	var saveErr error
	if d := c.d; d.Task == "" {
		saveErr = c.forget(ctx)
	} else {
		d.Message, d.Answer, d.Asks, d.Asked = "", "", true, ""
		if m := c.t.Message(); m != nil {
			d.Asked = m.ID
		}
		saveErr = c.save(ctx)
	}
	if saveErr != nil {
		return &ownError{saveErr}
	}
	return err
}

// send sends a message and follows the events that it brings.
func (c *courier) send(ctx context.Context, m *a2a.Message) error {
	sent := &a2a.Message{ID: c.d.Message, Role: a2a.RoleUser, Parts: m.Parts, TaskID: c.d.Task, ContextID: c.d.Context}
	if c.d.Answer == "" && m != c.t.Message() { // those of callers are for this agent
		sent.Metadata, sent.Extensions, sent.ReferenceTaskIDs = m.Metadata, m.Extensions, m.ReferenceTaskIDs
	}
	req := &a2a.SendMessageRequest{Message: sent, IdempotencyKey: string(sent.ID)}
	err := c.exchange(ctx, req)
	refused := isKind(err, a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrTaskNotFound)
	if refused && c.d.Task == "" && sent.ContextID != "" {
		sent.ContextID, c.d.Context = "", "" // it makes the ids of conversations itself
		if err := c.save(ctx); err != nil {
			return &ownError{err}
		}
		err = c.exchange(ctx, req)
	}
	return err
}

// exchange sends a request, over a stream if the agent has those.
func (c *courier) exchange(ctx context.Context, req *a2a.SendMessageRequest) error {
	if err := req.Validate(); err != nil {
		return err
	}
	if streams(c.to) {
		events, err := c.to.StreamMessage(ctx, req)
		if err == nil {
			return c.follow(ctx, events, req.Message.TaskID != "")
		}
		if !lacks(err) {
			return err
		}
	}
	r := *req
	// Until it took an answer, a task is as it was before, so that answer is waited for.
	r.Configuration = &a2a.SendConfiguration{ReturnImmediately: req.Message.TaskID == ""}
	result, err := c.to.SendMessage(ctx, &r)
	if err != nil {
		return err
	}
	return c.event(ctx, result)
}

// rejoin follows a task that goes on already; one that has ended, or whose agent does not stream, has no events.
func (c *courier) rejoin(ctx context.Context) error {
	if !streams(c.to) {
		return nil
	}
	events, err := c.to.Subscribe(ctx, &a2a.SubscribeRequest{ID: c.d.Task})
	if err != nil {
		return nil // the task itself says how it stands
	}
	return c.follow(ctx, events, false)
}

// follow takes events until the task stops, or the stream breaks. answering says that the first event may be the task
// as it was before the answer.
func (c *courier) follow(ctx context.Context, events iter.Seq2[a2a.StreamEvent, error], answering bool) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		task, isTask := event.Event.(*a2a.Task)
		stale := answering && isTask && task.Status.State.Interrupted()
		answering = false
		if stale {
			continue
		}
		if err := c.event(ctx, event.Event); err != nil {
			return err
		}
		if c.d.Reply != nil || stops(event.Event) {
			return nil
		}
	}
	return nil
}

// event takes one event: it keeps the id of the other's task, and shows what the other says.
func (c *courier) event(ctx context.Context, event a2a.Event) error {
	c.told.Add(event)
	switch e := event.(type) {
	case *a2a.Message:
		c.d.Reply = c.told.Message()
		return nil
	case *a2a.Task:
		if err := c.begun(ctx, e.ID, e.ContextID); err != nil {
			return err
		}
		return c.show(e.Status)
	case *a2a.StatusUpdate:
		if err := c.begun(ctx, e.TaskID, e.ContextID); err != nil {
			return err
		}
		return c.show(e.Status)
	case *a2a.ArtifactUpdate:
		return c.begun(ctx, e.TaskID, e.ContextID)
	}
	return nil
}

// begun keeps the id of the other's task, which does not change any more.
func (c *courier) begun(ctx context.Context, id a2a.TaskID, of a2a.ContextID) error {
	if c.d.Task != "" || id == "" {
		return nil
	}
	c.d.Task, c.d.Context = id, of
	var metaErr error
	err := c.change(ctx, func(s *taskState) { // one at a time, so that the last map has all
		tasks := make(map[string]a2a.TaskID)
		for name, d := range s.Delegations {
			if d.Task != "" {
				tasks[name] = d.Task
			}
		}
		metaErr = c.t.SetMetadata(metaDelegations, tasks)
	})
	if err := cmp.Or(err, metaErr); err != nil {
		return &ownError{err}
	}
	return nil
}

// metaDelegations is the member of the task's metadata that has the ids of the tasks that were delegated, by name.
const metaDelegations = "delegations"

// show makes what the other agent says while it works progress of this task, as far as it is words: what an agent says
// is kept, so it is bounded.
func (c *courier) show(status a2a.TaskStatus) error {
	said := oneLine(status.Message.Text())
	if status.State != a2a.TaskStateWorking || said == "" || c.shown >= maxProgress {
		return nil
	}
	which := cmp.Or(string(status.Message.ID), said)
	if which == c.last { // seen again after a break, or at the next look
		return nil
	}
	c.shown, c.last = c.shown+1, which
	if err := c.t.Working(a2a.TextPart(title(c.name) + ": " + said)); err != nil {
		return &ownError{err}
	}
	return nil
}

// errCannotTell says that it is unknown whether a message arrived. After a crash it is sent again, under the same id.
var errCannotTell error = a2a.NewError(a2a.ErrUnsupportedOperation,
	"the connection broke before it began a task, and it does not list its tasks")

// arrived reports whether the message that is out reached the other agent in an earlier run of the turn. It finds the
// task of one that arrived although nobody was there to hear so. Error: errCannotTell, when the other agent does not
// list tasks.
func (c *courier) arrived(ctx context.Context) (bool, error) {
	history := 100
	if c.d.Task != "" && c.d.Answer == "" {
		return true, nil // the task began with it
	}
	if c.d.Task != "" {
		task, err := c.to.GetTask(ctx, &a2a.GetTaskRequest{ID: c.d.Task, HistoryLength: &history})
		if err != nil && lacks(err) {
			return false, errCannotTell
		}
		return err == nil && (has(task, c.d.Message) || !task.Status.State.Interrupted()), err
	}
	req := &a2a.ListTasksRequest{ContextID: c.d.Context, HistoryLength: &history}
	for range searchPages {
		page, err := c.to.ListTasks(ctx, req)
		if err != nil && !passing(err) {
			return false, errCannotTell
		}
		if err != nil {
			return false, err
		}
		for _, task := range page.Tasks {
			if has(task, c.d.Message) {
				c.d.Task = task.ID
				if c.t == nil { // there is no turn to keep it with
					return true, nil
				}
				return true, c.save(ctx)
			}
		}
		if req.PageToken = page.NextPageToken; req.PageToken == "" {
			break
		}
	}
	return false, nil
}

// stops reports whether an event says that its task has ended or waits.
func stops(event a2a.Event) bool {
	switch e := event.(type) {
	case *a2a.Task:
		return stopped(e.Status.State)
	case *a2a.StatusUpdate:
		return stopped(e.Status.State)
	}
	return false
}

// streams reports whether a service may stream, as far as it says so.
func streams(to a2a.Service) bool {
	can, ok := to.(interface {
		Capabilities() a2a.AgentCapabilities
	})
	if !ok {
		return true
	}
	streaming := can.Capabilities().Streaming
	return streaming == nil || *streaming
}

// passing reports whether an error may be over at the next attempt: the connection's, or that the agent is busy.
func passing(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return !ok || slices.Contains([]a2a.Kind{a2a.ErrUnavailable, a2a.ErrRateLimited, a2a.ErrTimeout}, e.Kind)
}

// unsent reports whether a call failed before anything of it was sent, which clients say of agents out of reach.
func unsent(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Unsent() bool
	}](err)
	return ok && e.Unsent()
}

// lacks reports whether an error says that an agent does not have an operation.
func lacks(err error) bool { return isKind(err, a2a.ErrMethodNotFound, a2a.ErrUnsupportedOperation) }

func isKind(err error, kinds ...a2a.Kind) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && slices.Contains(kinds, e.Kind)
}

func has(task *a2a.Task, id a2a.MessageID) bool {
	return slices.ContainsFunc(task.History, func(m *a2a.Message) bool { return m.ID == id })
}

// oneLine makes one short line of what another agent says.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ")
	if r := []rune(s); len(r) > maxSaid {
		return string(r[:maxSaid]) + "…"
	}
	return s
}
