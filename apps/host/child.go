// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	outcome "github.com/dragoman-a2a/dragoman/internal/turn"
)

var errStepTimeout = errors.New("it took too long")

// work takes one step: it sends the agent its message, or comes back to a task that an earlier turn began, and shows
// what the agent does until its task ends or waits. When the turn ends meanwhile the step stays as it is.
func (x *run) work(ctx context.Context, s *step) {
	f, err := x.attempt(ctx, s)
	x.mu.Lock()
	defer x.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = x.conclude(s, f)
	}
	if err != nil {
		x.fails(s, err)
	}
	if err := errors.Join(x.showChildren(), x.save(ctx)); err != nil && ctx.Err() == nil {
		s.State, s.Error = failed, "its outcome could not be recorded"
	}
}

// fails notes why a step failed; x.mu is held. An agent that waits and could not be reached waits on: the answer to it
// surely did not arrive.
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
func (x *run) attempt(ctx context.Context, s *step) (*fold, error) {
	l, err := x.h.opts.Directory.link(s.Agent, s.Key)
	if err != nil {
		return nil, err
	}
	defer l.release()
	x.mu.Lock()
	s.Key, s.Name = l.key, l.name
	x.mu.Unlock()
	if until, ok := l.breaker.allow(); !ok {
		return nil, l.breaker.resting(until)
	}
	limited, cancel := context.WithTimeoutCause(ctx, x.h.opts.StepTimeout, errStepTimeout)
	defer cancel()
	f, err := x.exchange(limited, l, s)
	switch {
	case ctx.Err() != nil:
		l.breaker.release()
		return nil, context.Cause(ctx)
	case err == nil || answered(err):
		l.breaker.worked()
	default:
		l.breaker.failed(err)
	}
	if err == nil {
		return f, nil
	}
	switch begun := f != nil && f.begun; {
	case begun && lost(err):
		err = errors.New("the connection to it broke: " + problem(err))
	case lost(err) && x.t.Attempt() == 1:
		return nil, &unreached{problem(err)}
	}
	x.abandon(ctx, l, s)
	if limited.Err() != nil && context.Cause(limited) == errStepTimeout {
		return nil, fmt.Errorf("it did not finish within %v", x.h.opts.StepTimeout)
	}
	return nil, plainly(err)
}

// answered reports whether an error is an agent's answer, so that the agent is well.
func answered(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && e.Remote && e.Kind != a2a.ErrUnavailable && e.Kind != a2a.ErrInternal && e.Kind != a2a.ErrTimeout
}

// plainly makes of an error what users read.
func plainly(err error) error {
	if lost(err) { // in an earlier run of the turn the message may have arrived
		return errors.New("it " + cannotBeReached + problem(err))
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Remote {
		return errors.New(e.PublicMessage())
	}
	return err
}

// abandon cancels the task of a step that failed on this side, so that its agent does not work for nobody.
func (x *run) abandon(ctx context.Context, l *link, s *step) {
	x.mu.Lock()
	id := s.Child
	x.mu.Unlock()
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	// it may have ended, or not be cancelable: nobody waits for it any more
	l.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
}

// sends is how often a message is sent at most. It is sent again only when surely no task came of it.
const sends = 3

// exchange sends a step's message and follows its task.
func (x *run) exchange(ctx context.Context, l *link, s *step) (*fold, error) {
	f := &fold{x: x, s: s}
	if x.t.Attempt() > 1 {
		arrived, err := x.arrived(ctx, l, s)
		if err != nil {
			return nil, err
		}
		if arrived {
			return f, f.take(l.Follow(ctx, &a2a.SubscribeRequest{ID: s.Child}))
		}
	}
	if s.Child != "" && s.Answer == "" { // an agent that waited has gone on by itself
		return f, f.take(l.Follow(ctx, &a2a.SubscribeRequest{ID: s.Child}))
	}
	req, err := x.request(ctx, s)
	if err != nil {
		return nil, err
	}
	pauses := retry.NewPauses(200*time.Millisecond, 2*time.Second)
	for try := 1; ; try++ {
		err := f.take(l.Stream(ctx, req))
		switch {
		case err == nil || f.begun:
			return f, err
		case refusesStreams(err):
			return f, x.withoutStream(ctx, l, s, f, req)
		case s.Child != "" && isKind(err, a2a.ErrUnsupportedOperation, a2a.ErrTaskNotFound, a2a.ErrInvalidParams):
			return f, x.afterRefusal(ctx, l, s, f, err)
		case s.Child == "" && req.Message.ContextID != "" &&
			isKind(err, a2a.ErrInvalidParams, a2a.ErrInvalidRequest, a2a.ErrTaskNotFound):
			// the agent makes the ids of its conversations itself
			req.Message.ContextID, req.Message.ReferenceTaskIDs = "", nil
			continue
		case try == sends || !notSent(err):
			return nil, err
		}
		if err := retry.Sleep(ctx, pauses.Next()); err != nil {
			return nil, err
		}
	}
}

// notSent reports whether an error says that no task came of a message, and that another attempt may do better.
func notSent(err error) bool {
	if _, ok := errors.AsType[*client.CutError](err); ok {
		return false
	}
	_, unreachable := errors.AsType[*client.UnreachableError](err)
	return unreachable || isKind(err, a2a.ErrUnavailable, a2a.ErrRateLimited)
}

func isKind(err error, kinds ...a2a.Kind) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && slices.Contains(kinds, e.Kind)
}

// refusesStreams reports whether an agent refused a stream that its card promises.
func refusesStreams(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && e.Remote && (e.Kind == a2a.ErrMethodNotFound || e.Kind == a2a.ErrUnsupportedOperation)
}

// withoutStream sends a message to an agent that does not stream although its card says so.
func (x *run) withoutStream(ctx context.Context, l *link, s *step, f *fold, req *a2a.SendMessageRequest) error {
	r := *req
	r.Configuration = new(a2a.SendConfiguration)
	if req.Configuration != nil {
		*r.Configuration = *req.Configuration
	}
	r.Configuration.ReturnImmediately = s.Child == ""
	result, err := l.SendMessage(ctx, &r)
	if err != nil {
		if s.Child != "" && isKind(err, a2a.ErrUnsupportedOperation, a2a.ErrTaskNotFound, a2a.ErrInvalidParams) {
			return x.afterRefusal(ctx, l, s, f, err)
		}
		return err
	}
	if err := f.event(client.Update{StreamEvent: a2a.NewStreamEvent("", result), Polled: true}); err != nil ||
		f.over() {
		return err
	}
	return f.take(l.Follow(ctx, &a2a.SubscribeRequest{ID: f.task}))
}

// afterRefusal looks at a task that did not take an answer: it may have ended meanwhile, and that is then its outcome.
func (x *run) afterRefusal(ctx context.Context, l *link, s *step, f *fold, refusal error) error {
	task, err := l.GetTask(ctx, &a2a.GetTaskRequest{ID: s.Child})
	if err != nil || !task.Status.State.Terminal() {
		return refusal
	}
	return f.event(client.Update{StreamEvent: a2a.NewStreamEvent("", task), Polled: true})
}

// arrived reports whether the message of a step reached its agent in an earlier run of the turn, and finds its task.
func (x *run) arrived(ctx context.Context, l *link, s *step) (bool, error) {
	if s.Child == "" {
		return x.search(ctx, l, s)
	}
	task, err := l.GetTask(ctx, &a2a.GetTaskRequest{ID: s.Child})
	if err != nil {
		return false, err
	}
	return s.Answer == "" || !task.Status.State.Interrupted() || has(task, s.MessageID), nil
}

// search looks among the tasks of the conversation for the one that the step's message began. An agent that cannot list
// its tasks gets the message once more, under the same id, so that it can tell.
func (x *run) search(ctx context.Context, l *link, s *step) (bool, error) {
	history := searchHistory
	for token := ""; ; {
		page, err := l.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: x.contextOf(ctx, s), PageToken: token,
			HistoryLength: &history})
		if err != nil {
			if _, remote := errors.AsType[*a2a.Error](err); remote {
				return false, nil
			}
			return false, err
		}
		for _, task := range page.Tasks {
			if has(task, s.MessageID) {
				return true, x.begin(ctx, s, task.ID, task.ContextID)
			}
		}
		if token = page.NextPageToken; token == "" {
			return false, nil
		}
	}
}

// searchHistory is how many messages of each task are looked at; a task that has just begun has few.
const searchHistory = 20

func has(task *a2a.Task, id a2a.MessageID) bool {
	return slices.ContainsFunc(task.History, func(m *a2a.Message) bool { return m.ID == id })
}

// begin notes the task that an agent made for a step, before anything of it is shown.
func (x *run) begin(ctx context.Context, s *step, id a2a.TaskID, contextID a2a.ContextID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.Child == id {
		return nil
	}
	s.Child, s.Context = id, contextID
	if err := errors.Join(x.showChildren(), x.save(ctx)); err != nil {
		return err
	}
	if contextID == "" || contextID == x.ownContext() {
		return nil
	}
	return x.converse(ctx, func(c *conversation) { set(&c.Contexts, s.Key, contextID) })
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

// request makes the message of a step.
func (x *run) request(ctx context.Context, s *step) (*a2a.SendMessageRequest, error) {
	parts, from := x.parts(ctx, s)
	if len(parts) == 0 {
		return nil, errors.New("there is nothing to send to it")
	}
	m := &a2a.Message{ID: s.MessageID, Role: a2a.RoleUser, Parts: parts, TaskID: s.Child,
		ContextID: x.contextOf(ctx, s)}
	m.Metadata = a2a.Metadata{}
	if from != nil && (s.Whole || s.Answer != "") {
		m.Metadata = cloneMetadata(from.Metadata)
		m.Extensions = from.Extensions
	}
	delete(m.Metadata, metaHosts)
	if id := agent.SkillID(m); id != "" && !x.hasSkill(s.Agent, id) {
		delete(m.Metadata, "skillId") // it is the host's, not the agent's
	}
	if err := m.Metadata.Set(metaHosts, append(slices.Clone(x.chain), x.h.opts.ID)); err != nil {
		return nil, err
	}
	if s.Child == "" {
		if talk, err := x.conversation(ctx); err == nil && talk.Tasks[s.Key] != "" {
			m.ReferenceTaskIDs = []a2a.TaskID{talk.Tasks[s.Key]}
		}
	}
	req := &a2a.SendMessageRequest{Message: m}
	if modes := x.t.OutputModes(); len(modes) > 0 && !x.feeds(s) {
		req.Configuration = &a2a.SendConfiguration{AcceptedOutputModes: modes}
	}
	return req, nil
}

func (x *run) hasSkill(alias, id string) bool {
	for _, a := range x.agents {
		if a.Alias == alias {
			return slices.ContainsFunc(a.Card.Skills, func(k a2a.AgentSkill) bool { return k.ID == id })
		}
	}
	return false
}

// feeds reports whether another step waits for what a step brings forth.
func (x *run) feeds(s *step) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(x.state.Steps, func(o *step) bool { return slices.Contains(o.After, s.ID) })
}

// parts returns what is sent for a step, and the user's message that it comes from. What the user sent goes as it is;
// text that the planner made has the values of the steps before in it.
func (x *run) parts(ctx context.Context, s *step) ([]a2a.Part, *a2a.Message) {
	if s.Answer != "" {
		return answerParts(x.message(s.Answer), s.Say)
	}
	from := x.message(s.Request)
	if s.Whole && from != nil {
		parts := slices.Clone(from.Parts)
		for i, p := range parts {
			if text, ok := p.Content.(a2a.Text); ok {
				said, _ := newRequest(string(text)) // "new:" is for the host
				parts[i].Content = a2a.Text(said)
				break
			}
		}
		return parts, from
	}
	text, extra := s.Text, []a2a.Part(nil)
	for _, id := range s.After {
		x.mu.Lock()
		before := x.state.step(id)
		x.mu.Unlock()
		switch {
		case before == nil || before.State != done:
		case before.Value != nil:
			text = before.Value.Fill(text)
		case plan.Refers(s.Text):
			extra = append(extra, x.passOn(ctx, before, s)...)
		}
	}
	parts := append(texts(text), extra...)
	if from != nil {
		for _, p := range from.Parts {
			if _, isText := p.Content.(a2a.Text); !isText && x.wants(s, p) {
				parts = append(parts, p)
			}
		}
	}
	return parts, from
}

// answerParts are the parts of a user's answer, with other words if say has any.
func answerParts(m *a2a.Message, say string) ([]a2a.Part, *a2a.Message) {
	if m == nil {
		return nil, nil
	}
	if say == "" {
		return m.Parts, m
	}
	parts := texts(say)
	for _, p := range m.Parts {
		if _, isText := p.Content.(a2a.Text); !isText {
			parts = append(parts, p)
		}
	}
	return parts, m
}

// wants reports whether a part of the request goes along with a step: its agent takes it, or it is the only agent.
func (x *run) wants(s *step, p a2a.Part) bool {
	if len(x.state.current()) == 1 {
		return true
	}
	for _, a := range x.agents {
		if a.Alias == s.Agent {
			return a.Takes(p)
		}
	}
	return false
}

// passOn returns what a step brought forth for a later one that speaks of it: files and data that its agent takes, and
// else the text, marked as what it is.
func (x *run) passOn(ctx context.Context, before, s *step) []a2a.Part {
	output := before.output
	if output == nil {
		output = x.outputOf(ctx, before)
	}
	var parts []a2a.Part
	for _, p := range output {
		if _, isText := p.Content.(a2a.Text); !isText && x.wants(s, p) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 && before.Digest != "" {
		parts = texts(fmt.Sprintf("Answer of %s:\n%s", before.Agent, before.Digest))
	}
	return before.provenance(parts)
}

// outputOf asks an agent for what its task has brought forth, after a restart.
func (x *run) outputOf(ctx context.Context, s *step) []a2a.Part {
	l, err := x.h.opts.Directory.link(s.Agent, s.Key)
	if err != nil {
		return nil
	}
	defer l.release()
	task, err := l.GetTask(ctx, &a2a.GetTaskRequest{ID: s.Child})
	if err != nil {
		return nil
	}
	var parts []a2a.Part
	for _, a := range task.Artifacts {
		parts = append(parts, a.Parts...)
	}
	return parts
}

// hear asks the agents of waiting steps what they wait for, when this turn has not heard it, and reports whether one of
// them waits no more.
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

// cancelChildren cancels the tasks of all steps that have not ended.
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

// cancelStep cancels the task of a step that has not ended. When the agent was sent a message and has not said yet
// which task came of it, the task is looked for.
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
	if id == "" && !x.find(ctx, l, s) {
		return
	}
	// one that has ended meanwhile, or will not be cancelled, is left to its agent
	l.CancelTask(ctx, &a2a.CancelTaskRequest{ID: s.Child})
}

// find looks for the task of a message that was on its way when the turn ended.
func (x *run) find(ctx context.Context, l *link, s *step) bool {
	pauses := retry.NewPauses(50*time.Millisecond, time.Second)
	for range finds {
		x.search(ctx, l, s) // its error may be that the turn is over, and then the task was found all the same
		if s.Child != "" {
			return true
		}
		if retry.Sleep(ctx, pauses.Next()) != nil {
			return false
		}
	}
	return false
}

const finds = 4

// updates is what a stream yields.
type updates = iter.Seq2[client.Update, error]

// join puts texts of parts together.
func join(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if text, ok := p.Content.(a2a.Text); ok {
			b.WriteString(string(text))
		}
	}
	return b.String()
}
