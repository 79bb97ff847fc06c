// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

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
		if stopped(task) && (!answers || task.Status.State.Terminal()) {
			return c.conclude(ctx, task)
		}
		d.Asks, d.Asked = false, ""
		if !stopped(task) { // it has gone on by itself
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

// said returns a message of the caller, nil when it is not there any more.
func (t *Turn) said(id a2a.MessageID) *a2a.Message {
	if m := t.Message(); m != nil && m.ID == id {
		return m
	}
	for _, m := range t.Task().History {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// answers reports whether the turn's message is the caller's answer to the question of this delegation. Several may
// have asked at once: the question that the caller saw says whose it is. Where the agent put it into words of its own,
// it is that of the one that asked first.
func (c *courier) answers(ctx context.Context) (bool, error) {
	m := c.t.Message()
	if m == nil || m.ID == c.d.Asked {
		return false, nil
	}
	if name := asker(c.t.Task().History, m.ID); name != "" {
		return name == c.name, nil
	}
	s, err := c.t.loadTaskState(ctx)
	return s.Asking == c.name, err
}

// metaDelegation is the member of a part's metadata that says whose question it is from.
const metaDelegation = "delegation"

// asker returns the delegation that asked the question before a message; "" when no part of that says so.
func asker(history []*a2a.Message, answer a2a.MessageID) string {
	at := slices.IndexFunc(history, func(m *a2a.Message) bool { return m.ID == answer })
	for _, m := range slices.Backward(history[:max(at, 0)]) {
		if m.Role == a2a.RoleAgent {
			return askerOf(m)
		}
	}
	return ""
}

// askerOf returns the delegation that a message asks for; "" when no part of it says so.
func askerOf(m *a2a.Message) (name string) {
	for _, p := range m.Parts {
		if found, err := p.Metadata.Get(metaDelegation, &name); found && err == nil {
			return name
		}
	}
	return ""
}

// marked returns the parts of a question that say whose they are.
func (c *courier) marked(parts []a2a.Part) ([]a2a.Part, error) {
	all := slices.Clone(parts)
	for i := range all {
		all[i].Metadata = maps.Clone(all[i].Metadata)
		if err := all[i].Metadata.Set(metaDelegation, c.name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

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
		case err == nil && stopped(task):
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

// conclude makes of a task that has ended, or waits, what Delegate returns.
func (c *courier) conclude(ctx context.Context, task *a2a.Task) (*a2a.Task, error) {
	d, state := c.d, task.Status.State
	d.Message, d.Answer = "", ""
	d.Asks, d.Auth = state.Interrupted(), state == a2a.TaskStateAuthRequired
	switch {
	case state == a2a.TaskStateCompleted:
		d.Done = true
		return task, c.save(ctx)
	case state.Terminal():
		return nil, errors.Join(c.forget(ctx), &DelegateError{Name: c.name, Task: task})
	}
	if m := c.t.Message(); m != nil {
		d.Asked = m.ID
	}
	if err := c.save(ctx); err != nil {
		return nil, err
	}
	asked := []a2a.Part{a2a.TextPart(title(c.name) + " waits for an answer.")}
	if task.Status.Message != nil && len(task.Status.Message.Parts) > 0 {
		asked = task.Status.Message.Parts
	}
	return nil, c.ask(asked)
}

// ask returns the other agent's question to the caller.
func (c *courier) ask(parts []a2a.Part) error {
	asked, err := c.marked(parts)
	if err != nil {
		return err
	}
	if c.d.Auth {
		return c.t.NeedAuth(asked...)
	}
	return c.t.Ask(asked...)
}

// failed makes of a failed call what Delegate returns. When an answer of the caller is out, or the other agent still
// asks, that is the question once more: the task goes on asking, so that nothing the caller filled in ends it.
func (c *courier) failed(ctx context.Context, err error) error {
	if c.d.Answer == "" && !c.d.Asks {
		return c.unreached(err)
	}
	c.d.Asks = true
	m := c.t.Message()
	if m != nil {
		c.d.Asked = m.ID
	}
	if err := c.save(ctx); err != nil {
		return err
	}
	problem := a2a.TextPart(c.problem(err))
	if err := problem.Metadata.Set(metaProblem, true); err != nil {
		return err
	}
	return c.ask(append([]a2a.Part{problem}, c.question(m)...))
}

// metaProblem is the member of a part's metadata that says that it is no question, but why that is asked again.
const metaProblem = "delegationProblem"

// problem says to callers why they are asked again.
func (c *courier) problem(err error) string {
	if passing(err) {
		return title(c.name) + " cannot be reached now. Please answer again later."
	}
	why := ""
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Message != "" && concerns(e) {
		why = ": " + oneLine(e.Message)
	}
	return title(c.name) + " did not take the answer" + why + ". Please answer again."
}

// concerns reports whether an error is about what a message says, so that it is of use to those who wrote the message.
func concerns(e *a2a.Error) bool {
	return slices.Contains([]a2a.Kind{a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrContentTypeNotSupported},
		e.Kind)
}

// question returns what the caller was asked last for this delegation, before m; nothing when the task does not show it
// any more.
func (c *courier) question(m *a2a.Message) []a2a.Part {
	history := c.t.Task().History
	if m != nil {
		if at := slices.IndexFunc(history, func(other *a2a.Message) bool { return other.ID == m.ID }); at >= 0 {
			history = history[:at]
		}
	}
	for _, said := range slices.Backward(history) {
		if said.Role != a2a.RoleAgent || askerOf(said) != c.name {
			continue
		}
		return slices.DeleteFunc(slices.Clone(said.Parts), func(p a2a.Part) bool {
			_, problem := p.Metadata[metaProblem]
			return problem
		})
	}
	return nil
}

// unreached returns the DelegateError of a failed call, nil for none. A delegation without a task starts anew.
func (c *courier) unreached(err error) error {
	if err == nil {
		return nil
	}
	return &DelegateError{Name: c.name, Err: err}
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
				return true, c.keep(ctx)
			}
		}
		if req.PageToken = page.NextPageToken; req.PageToken == "" {
			break
		}
	}
	return false, nil
}

// keep saves the delegation while there is a turn to save it with.
func (c *courier) keep(ctx context.Context) error {
	if c.t == nil {
		return nil
	}
	return c.save(ctx)
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

func stopped(task *a2a.Task) bool {
	return task.Status.State.Terminal() || task.Status.State.Interrupted()
}

// stops reports whether an event says that its task has ended or waits.
func stops(event a2a.Event) bool {
	var state a2a.TaskState
	switch e := event.(type) {
	case *a2a.Task:
		state = e.Status.State
	case *a2a.StatusUpdate:
		state = e.Status.State
	}
	return state.Terminal() || state.Interrupted()
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
