// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

// A Delegator says which agents it delegates to, by the names of its delegations. The part of a name before a slash
// stands for all names that begin so. Delegate tells the engine as well, but only when it is called: a Delegator's
// tasks cancel what they delegated also when the process has been restarted since.
type Delegator interface {
	Delegates() map[string]a2a.Service
}

// A DelegateError says that another agent did not do what it was asked to. An agent that returns it fails its task, and
// the caller reads why.
type DelegateError struct {
	Name string    // of the delegation
	Task *a2a.Task // that failed, was rejected or canceled; nil when the agent is out of reach or refused the message
	Err  error     // why, when there is no task
}

// Error says what became of the delegation, with the other agent's words.
func (e *DelegateError) Error() string {
	return fmt.Sprintf("delegation %q: %s", e.Name, e.reason(true))
}

// Refused reports whether the other agent was reached and did not take the message. Sending the same message again
// does not help then.
func (e *DelegateError) Refused() bool { return e.Task == nil && !passing(e.Err) }

// Unwrap returns the error in the form that callers may read, see [Public], which has Err as its cause.
func (e *DelegateError) Unwrap() error {
	return &turn.PublicError{Message: title(e.Name) + " " + e.reason(false), Cause: e.Err}
}

// reason says why, to those who run the agent or to its callers.
func (e *DelegateError) reason(inside bool) string {
	switch {
	case e.Task == nil && inside && e.Refused():
		return fmt.Sprintf("the other agent did not take the request: %v", e.Err)
	case e.Task == nil && inside:
		return fmt.Sprintf("the other agent cannot be reached: %v", e.Err)
	case e.Task == nil && !e.Refused():
		return "cannot be reached now. Please try again later."
	case e.Task == nil:
		return "did not take the request."
	}
	how := "failed"
	switch e.Task.Status.State {
	case a2a.TaskStateRejected:
		how = "will not do it"
	case a2a.TaskStateCanceled:
		how = "cancelled it"
	}
	if said := oneLine(e.Task.Status.Message.Text()); said != "" {
		return how + ": " + said
	}
	return how
}

// delegation is what is kept of one, with the state of the task.
type delegation struct {
	Message a2a.MessageID `json:"message,omitzero"` // that is out, or about to be sent; "" when none is
	Answer  a2a.MessageID `json:"answer,omitzero"`  // the caller's message that it passes on; "" for the request
	Task    a2a.TaskID    `json:"task,omitzero"`    // the other agent's; "" until that has named it
	Context a2a.ContextID `json:"context,omitzero"` // the other agent's
	Asks    bool          `json:"asks,omitzero"`    // its task waits for an answer
	Auth    bool          `json:"auth,omitzero"`    // for an authorization
	Asked   a2a.MessageID `json:"asked,omitzero"`   // the message in whose turn the caller was asked
	Done    bool          `json:"done,omitzero"`    // its task is completed
	Reply   *a2a.Message  `json:"reply,omitzero"`   // what an agent answered that made no task
	Told    *a2a.Task     `json:"told,omitzero"`    // its task, when only the stream told what came of it
	Caller  a2a.Identity  `json:"caller,omitzero"`  // on whose behalf it is done
	Tenant  string        `json:"tenant,omitzero"`
}

const (
	recallTimeout = 3 * time.Second // for cancelling the other's task; less than the grace of a cancelled turn
	reconnections = 5               // failures in a row after which an agent counts as out of reach, about 3 s
	firstPause    = 100 * time.Millisecond
	longestPause  = 2 * time.Second
	maxProgress   = 1000 // status messages of another agent that one call shows
	maxSaid       = 500  // runes of one
	searchPages   = 10   // of tasks, in which one is looked for that an interrupted turn began
)

// Delegate sends m to another agent, a client or a service within this process, and returns that agent's task once it
// is completed. name tells the delegations of this task apart, such as "Mechanic" or, where one agent has several,
// "Mechanic/repair"; people read what is before the slash. The task's metadata has the ids of the other tasks by name.
//
// The updates of the other agent are shown as progress of this task. If the other agent asks something, the error is
// its question, with the forms and files in it; the agent returns it. The caller's next message is the answer. It
// goes to the other agent when Delegate is called with the same name again. If the answer does not reach the other
// agent, or the other agent refuses it, the error is the question once more, with the reason before it. The other
// task is cancelled when the turn is cancelled, or when this task ends first. See [Delegator] for what a restart
// changes.
//
// An agent is run from its beginning in each turn, and Delegate remembers what happened before, also over a restart: a
// message is sent once, and a task that is completed is returned again. So an agent calls one Delegate after the other
// as if it had never stopped. It should be [Resumable], because the turns of others fail at a restart.
//
// The other agent's artifacts are the agent's to read; [Turn.PassOn] shows them to the caller. An agent that answers
// with a message has no task: the result is then completed, without an ID, with that message as its status. Error:
// [*DelegateError], when the other agent failed or is out of reach; calling Delegate again then starts anew.
//
// Services within this process see the caller of this task; a client calls as itself.
func (t *Turn) Delegate(ctx context.Context, name string, to a2a.Service, m *a2a.Message) (*a2a.Task, error) {
	if name == "" || m == nil || len(m.Parts) == 0 {
		return nil, errors.New("agent: Delegate needs a name and a message with parts")
	}
	if to == nil {
		return nil, fmt.Errorf("agent: Delegate %q: there is no service to send to: to is nil", name)
	}
	t.backend.Peer(name, to)
	c, err := t.courier(ctx, name, to)
	if err != nil {
		return nil, err
	}
	task, err := c.run(c.as(ctx), m)
	if ctx.Err() == nil {
		return task, err
	}
	switch cause := context.Cause(ctx); cause {
	case ErrCanceled, ErrTurnLimit, context.Canceled, context.DeadlineExceeded:
		_ = c.recall(ctx) // nobody waits for what comes of it
		return nil, cause
	default: // both go on elsewhere, or later
		return nil, cause
	}
}

// PassOn shows the artifacts of a delegated task as artifacts of this one. If the turn runs again, an artifact that
// is passed on again replaces the earlier one.
func (t *Turn) PassOn(task *a2a.Task) error {
	for _, a := range task.Artifacts {
		sum := sha256.Sum256([]byte(string(task.ID) + "\x00" + string(a.ID)))
		passed := *a
		passed.ID = a2a.ArtifactID(hex.EncodeToString(sum[:12]))
		if err := t.PutArtifact(&passed); err != nil {
			return err
		}
	}
	return nil
}

// courier carries one delegation within one turn.
type courier struct {
	t    *Turn // nil when the task has ended
	name string
	to   a2a.Service
	d    *delegation

	told  fold.Outcome // what the other agent said of its task
	shown int          // status messages
	last  string       // the one that was shown last
}

// title returns what people read of a delegation's name.
func title(name string) string {
	name, _, _ = strings.Cut(name, "/")
	return name
}

// courier returns that of a delegation as it is kept, or of a new one.
func (t *Turn) courier(ctx context.Context, name string, to a2a.Service) (*courier, error) {
	s, err := t.loadTaskState(ctx)
	if err != nil {
		return nil, err
	}
	d := s.Delegations[name]
	if d == nil {
		d = &delegation{Context: t.ContextID(), Caller: t.Caller(), Tenant: t.Tenant()}
	}
	c := &courier{t: t, name: name, to: to, d: d}
	c.recollect()
	return c, nil
}

// recollect begins what the other agent said with what is kept of its task, so that a message amid the events is not
// taken for the whole answer.
func (c *courier) recollect() {
	c.told = fold.Outcome{}
	switch {
	case c.d.Told != nil:
		c.told.Add(c.d.Told)
	case c.d.Task != "":
		c.told.Add(&a2a.Task{ID: c.d.Task, ContextID: c.d.Context})
	}
}

// look gets the other's task as it is now, with what only the stream told of it. It keeps that for later turns. Agents
// that have no GetTask are believed what they said.
func (c *courier) look(ctx context.Context) (*a2a.Task, error) {
	got, err := c.to.GetTask(ctx, &a2a.GetTaskRequest{ID: c.d.Task, HistoryLength: fold.AskHistory(0)})
	if err != nil && !lacks(err) {
		return nil, err
	}
	task, err := c.told.Final(got, err)
	switch {
	case err != nil:
		return nil, err
	case task != got:
		c.d.Told = task
	default:
		c.d.Told = nil
	}
	return task, nil
}

// as returns the context in which the other agent is called.
func (c *courier) as(ctx context.Context) context.Context {
	return a2a.WithCall(ctx, &a2a.Call{Identity: c.d.Caller, Tenant: c.d.Tenant})
}

// save keeps the delegation.
func (c *courier) save(ctx context.Context) error { return c.change(ctx, func(*taskState) {}) }

// change keeps the delegation and changes what else is kept. The delegation asks the caller when none other does yet,
// and leaves that to others when it does not ask.
func (c *courier) change(ctx context.Context, also func(*taskState)) error {
	return c.t.changeTaskState(ctx, func(s *taskState) {
		if s.Delegations == nil {
			s.Delegations = make(map[string]*delegation)
		}
		s.Delegations[c.name] = c.d
		switch {
		case !c.d.Asks && s.Asking == c.name:
			s.Asking = ""
		case c.d.Asks && s.Asking == "":
			s.Asking = c.name
		}
		also(s)
	})
}

// forget drops a delegation that came to nothing, so that it can start anew.
func (c *courier) forget(ctx context.Context) error {
	return c.t.changeTaskState(ctx, func(s *taskState) {
		delete(s.Delegations, c.name)
		if s.Asking == c.name {
			s.Asking = ""
		}
	})
}

// run takes the delegation as far as it comes in this turn.
func (c *courier) run(ctx context.Context, m *a2a.Message) (*a2a.Task, error) {
	d := c.d
	switch {
	case d.Reply != nil:
		return replied(d.Reply), nil
	case d.Done:
		task, err := patiently(ctx, c.look)
		return task, c.unreached(err)
	case d.Asks:
		answers, err := c.answers(ctx)
		if err != nil {
			return nil, err
		}
		task, err := patiently(ctx, c.look)
		if err != nil {
			return nil, c.failed(ctx, err)
		}
		if d.Message != "" { // an earlier answer, of which nobody knows whether it arrived
			arrived, err := patiently(ctx, c.arrived)
			if err != nil && err != errCannotTell {
				return nil, c.failed(ctx, err)
			}
			answers = answers && !arrived
			d.Message, d.Answer = "", ""
		}
		if stopped(task.Status.State) && (!answers || task.Status.State.Terminal()) {
			return c.conclude(ctx, task)
		}
		d.Asks, d.Asked = false, ""
		if !stopped(task.Status.State) { // it has gone on by itself
			return c.carry(ctx, nil)
		}
		m = c.t.Message()
		d.Answer = m.ID
		if d.Told != nil {
			goesOn := *d.Told
			goesOn.Status = a2a.TaskStatus{State: a2a.TaskStateWorking}
			d.Told = &goesOn
		}
		c.recollect()
	case d.Message != "": // an earlier run of this turn was interrupted
		arrived, err := patiently(ctx, c.arrived)
		if err != nil && err != errCannotTell {
			return nil, c.failed(ctx, err)
		}
		if arrived {
			d.Message, d.Answer = "", ""
			return c.carry(ctx, nil)
		}
		if d.Answer != "" {
			m = c.t.said(d.Answer)
		}
		return c.carry(ctx, m)
	case d.Task != "": // the turn ended while it worked
		return c.carry(ctx, nil)
	}
	d.Message = a2a.NewMessageID()
	if err := c.save(ctx); err != nil { // so that the message is sent once
		return nil, err
	}
	return c.carry(ctx, m)
}

// patiently makes a call that reads as often and as long as a message is sent.
func patiently[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	policy := retry.Policy{Tries: reconnections + 1, First: firstPause, Max: longestPause}
	return retry.Do(ctx, policy, read, func(err error) (time.Duration, bool) { return 0, passing(err) })
}

// unreached returns the DelegateError of a failed call, nil for none. A delegation without a task starts anew.
func (c *courier) unreached(err error) error {
	if err == nil {
		return nil
	}
	return &DelegateError{Name: c.name, Err: err}
}

// recall cancels the other agent's task when its result is no longer needed. A task that has ended already stays as
// it is.
func (c *courier) recall(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(c.as(ctx)), recallTimeout)
	defer stop()
	if c.d.Task == "" && c.d.Message != "" {
		if found, err := c.arrived(ctx); !found {
			return err
		}
	}
	if c.d.Task == "" {
		return nil
	}
	_, err := c.to.CancelTask(ctx, &a2a.CancelTaskRequest{ID: c.d.Task})
	if isKind(err, a2a.ErrTaskNotCancelable) {
		return nil
	}
	return err
}

// recallAll cancels what a task that has ended had delegated and that has not ended. peers are the services that are
// known, by the names of delegations.
func recallAll(ctx context.Context, state []byte, peers map[string]a2a.Service) error {
	s := parseTaskState(state)
	var errs []error
	for name, d := range s.Delegations {
		if d.Done || d.Reply != nil {
			continue
		}
		to := peers[name]
		if to == nil {
			to = peers[title(name)]
		}
		if to == nil {
			errs = append(errs, fmt.Errorf("delegation %q is not known yet; make the agent an agent.Delegator", name))
			continue
		}
		if err := (&courier{name: name, to: to, d: d}).recall(ctx); err != nil {
			errs = append(errs, fmt.Errorf("delegation %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// replied returns a message that an agent answered with as a task that is completed with it.
func replied(m *a2a.Message) *a2a.Task {
	return &a2a.Task{ContextID: m.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateCompleted, Message: m}}
}

func stopped(state a2a.TaskState) bool { return state.Terminal() || state.Interrupted() }
