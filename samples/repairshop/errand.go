// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// An Errand is a task that another agent does for this one's task, as it is kept with the state of the latter.
type Errand struct {
	Agent     string        `json:"agent"`               // who does it, for people
	MessageID a2a.MessageID `json:"messageId,omitempty"` // of the message that is out, or about to be sent
	TaskID    a2a.TaskID    `json:"taskId,omitempty"`    // "" until the other agent has named it
	ContextID a2a.ContextID `json:"contextId,omitempty"`
	Waits     bool          `json:"waits,omitempty"` // for an answer
}

// A sender has errands done within one turn.
type sender struct {
	t    *agent.Turn
	save func(context.Context) error // keeps the state that the errands are part of
}

const (
	cancelPatience = 3 * time.Second // for cancelling the other's task; less than the grace of a cancelled turn
	reconnections  = 5               // further tries to follow a task whose stream broke
	maxWords       = 500             // runes of another agent's progress that are shown
)

// do sends parts to another agent and follows its task until that has ended or waits. What the other says meanwhile
// becomes this task's progress. The message is sent once, also when this agent is stopped in between and the turn is run
// again. When this task is cancelled the other's is, too.
func (s *sender) do(ctx context.Context, svc a2a.Service, e *Errand, parts ...a2a.Part) (*a2a.Task, error) {
	task, err := s.run(asCaller(ctx, s.t), svc, e, parts)
	if ctx.Err() == nil {
		return task, err
	}
	if !errors.Is(context.Cause(ctx), agent.ErrShutdown) { // after which both go on
		s.cancel(ctx, svc, e)
	}
	return nil, context.Cause(ctx)
}

// asCaller makes calls those of this task's caller, within this process: the other agent's task is theirs as well.
func asCaller(ctx context.Context, t *agent.Turn) context.Context {
	return a2a.WithCall(ctx, &a2a.Call{Identity: t.Caller(), Tenant: t.Tenant()})
}

func (s *sender) run(ctx context.Context, svc a2a.Service, e *Errand, parts []a2a.Part) (*a2a.Task, error) {
	sent, err := s.sent(ctx, svc, e)
	if err != nil {
		return nil, err
	}
	var events iter.Seq2[a2a.StreamEvent, error]
	if sent {
		events, err = s.rejoin(ctx, svc, e)
	} else {
		events, err = s.send(ctx, svc, e, parts)
	}
	if err != nil {
		return nil, err
	}
	pauses := retry.NewPauses(100*time.Millisecond, 2*time.Second)
	for range reconnections {
		if err := s.follow(ctx, e, events, !sent && e.Waits); err != nil {
			return nil, err
		}
		e.Waits = false
		if e.TaskID == "" {
			return nil, errors.New("it did not begin a task")
		}
		task, err := svc.GetTask(ctx, &a2a.GetTaskRequest{ID: e.TaskID})
		if err == nil && (task.Status.State.Terminal() || task.Status.State.Interrupted()) {
			e.Waits, e.MessageID = task.Status.State.Interrupted(), "" // what is sent next is another message
			return task, s.save(ctx)
		}
		if err := retry.Sleep(ctx, pauses.Next()); err != nil {
			return nil, err
		}
		sent = true
		if events, err = s.rejoin(ctx, svc, e); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the connection to it broke time and again")
}

// sent reports whether the message of the errand arrived, in an earlier run of this turn. It finds the task of one that
// arrived although nobody was there to hear so.
func (s *sender) sent(ctx context.Context, svc a2a.Service, e *Errand) (bool, error) {
	if e.MessageID == "" {
		return false, nil
	}
	all := 100
	if e.TaskID != "" {
		task, err := svc.GetTask(ctx, &a2a.GetTaskRequest{ID: e.TaskID, HistoryLength: &all})
		return err == nil && has(task, e.MessageID), err
	}
	list, err := svc.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: e.ContextID, HistoryLength: &all})
	if err != nil {
		return false, err
	}
	for _, task := range list.Tasks {
		if has(task, e.MessageID) {
			e.TaskID = task.ID
			return true, s.save(ctx)
		}
	}
	return false, nil
}

func has(task *a2a.Task, id a2a.MessageID) bool {
	return slices.ContainsFunc(task.History, func(m *a2a.Message) bool { return m.ID == id })
}

// send sends the message. Its id is kept before, so that it can be found.
func (s *sender) send(ctx context.Context, svc a2a.Service, e *Errand, parts []a2a.Part) (iter.Seq2[a2a.StreamEvent, error], error) {
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	if e.ContextID == "" {
		e.ContextID = s.t.ContextID()
	}
	if e.MessageID == "" {
		e.MessageID = m.ID
	}
	m.ID, m.TaskID, m.ContextID = e.MessageID, e.TaskID, e.ContextID
	if err := s.save(ctx); err != nil {
		return nil, err
	}
	return svc.StreamMessage(ctx, &a2a.SendMessageRequest{Message: m})
}

// rejoin follows a task that goes on already; one that has ended has no events.
func (s *sender) rejoin(ctx context.Context, svc a2a.Service, e *Errand) (iter.Seq2[a2a.StreamEvent, error], error) {
	events, err := svc.Subscribe(ctx, &a2a.SubscribeRequest{ID: e.TaskID})
	if errors.Is(err, a2a.ErrUnsupportedOperation) {
		return func(func(a2a.StreamEvent, error) bool) {}, nil
	}
	return events, err
}

// follow shows what the other agent says, until its task has ended or waits, or the stream breaks: then the task itself
// says how it stands. answering says that the first event is the task as it was before the answer.
func (s *sender) follow(ctx context.Context, e *Errand, events iter.Seq2[a2a.StreamEvent, error], answering bool) error {
	for event, err := range events {
		if err != nil {
			if e.TaskID == "" {
				return err // nothing to come back to
			}
			return nil
		}
		var status a2a.TaskStatus
		switch event := event.Event.(type) {
		case *a2a.Task:
			if err := s.begun(ctx, e, event.ID); err != nil {
				return err
			}
			if status = event.Status; answering {
				answering = false
				continue
			}
		case *a2a.StatusUpdate:
			status = event.Status
		}
		if status.State.Terminal() || status.State.Interrupted() {
			return nil
		}
		if words := clean(status.Message.Text()); words != "" {
			if err := s.t.Working(a2a.TextPart(e.Agent + ": " + words)); err != nil {
				return err
			}
		}
	}
	return nil
}

// begun keeps the id of the other's task, and shows it in this one's metadata.
func (s *sender) begun(ctx context.Context, e *Errand, id a2a.TaskID) error {
	if e.TaskID == id {
		return nil
	}
	e.TaskID = id
	if err := s.t.SetMetadata(strings.ToLower(e.Agent)+"TaskId", id); err != nil {
		return err
	}
	return s.save(ctx)
}

// cancel cancels the other's task, which nobody waits for any more. A task that has ended already stays as it is.
func (s *sender) cancel(ctx context.Context, svc a2a.Service, e *Errand) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(asCaller(ctx, s.t)), cancelPatience)
	defer stop()
	if e.TaskID == "" {
		s.sent(ctx, svc, e) // which finds the task, if there is one
	}
	if e.TaskID != "" {
		svc.CancelTask(ctx, &a2a.CancelTaskRequest{ID: e.TaskID})
	}
}

// result reads the data of the artifact with a name. An error tells what the task ended with instead.
func result(task *a2a.Task, name string, v any) error {
	if task.Status.State != a2a.TaskStateCompleted {
		return fmt.Errorf("its task ended as %s: %s", task.Status.State, clean(task.Status.Message.Text()))
	}
	for _, a := range task.Artifacts {
		if a.Name != name {
			continue
		}
		for _, p := range a.Parts {
			if data, ok := p.Content.(a2a.Data); ok {
				return json.Unmarshal(data, v)
			}
		}
	}
	return fmt.Errorf("its task has no data called %q", name)
}

// clean makes one short line of what another agent says.
func clean(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > maxWords {
		return string(r[:maxWords]) + "…"
	}
	return s
}
