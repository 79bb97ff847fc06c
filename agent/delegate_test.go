// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// resumable is a function whose interrupted turns are run again.
type resumable struct{ agent.Func }

func (resumable) Resumable() bool { return true }

// worker is an agent that others delegate to: it does what the first word of a message says. It counts how often it
// starts a task.
type worker struct {
	started atomic.Int32
	release chan struct{} // "wait" waits for it
	t       testing.TB
	e       *engine.Engine
	svc     a2a.Service
}

func newWorker(t testing.TB) *worker {
	w := &worker{t: t, release: make(chan struct{})}
	e, err := engine.New(&engine.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		e.Shutdown(ctx)
	})
	w.e, w.svc = e, e.Agent("worker", agent.Func(w.run), nil)
	return w
}

func (w *worker) run(ctx context.Context, t *agent.Turn) error {
	if len(t.Task().History) < 2 {
		w.started.Add(1)
	}
	switch what, rest, _ := strings.Cut(t.Task().History[0].Text(), " "); what {
	case "ask":
		if len(t.Task().History) < 2 {
			return t.Ask(a2a.TextPart("Which "+rest+"?"), a2a.RawPart([]byte("abc"), "image/png", "a.png"))
		}
		return t.Artifact("answer", append([]a2a.Part{a2a.TextPart("got ")}, t.Message().Parts...)...)
	case "asktwice":
		switch users := slices.DeleteFunc(slices.Clone(t.Task().History), func(m *a2a.Message) bool {
			return m.Role != a2a.RoleUser
		}); len(users) {
		case 1:
			return t.Ask(a2a.TextPart("Which size?"))
		case 2:
			return t.Ask(a2a.TextPart("Which colour after " + users[1].Text() + "?"))
		default:
			return t.Artifact("answer", a2a.TextPart(users[1].Text()+", "+users[2].Text()))
		}
	case "wait":
		if err := t.Working(a2a.TextPart("half\nway")); err != nil {
			return err
		}
		select {
		case <-w.release:
			return t.Artifact("answer", a2a.TextPart("waited"))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case "fail":
		return agent.Public("there is no "+rest, nil)
	case "reject":
		return agent.Reject(a2a.TextPart("not " + rest))
	case "reply":
		return t.Reply(a2a.TextPart(rest))
	}
	if err := t.Working(a2a.TextPart("doing")); err != nil {
		return err
	}
	return t.Artifact("answer", a2a.TextPart("did "+t.Text()+" for "+t.Caller().Subject))
}

// tasks are the worker's, for one caller.
func (w *worker) tasks() []*a2a.Task {
	w.t.Helper()
	list, err := w.svc.ListTasks(as("ann"), &a2a.ListTasksRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	return list.Tasks
}

func as(subject string) context.Context {
	return a2a.WithCall(context.Background(), &a2a.Call{Identity: a2a.Identity{Subject: subject}})
}

func user(text string) *a2a.Message { return a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)) }

func harness(t *testing.T, f agent.Func) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, resumable{f}, &agenttest.Options{
		Caller: a2a.Identity{Subject: "ann"}, Engine: &engine.Options{Logger: slog.New(slog.DiscardHandler)},
	})
}

// passOn delegates what the message says and passes on what comes of it.
func passOn(to a2a.Service) agent.Func {
	return func(ctx context.Context, t *agent.Turn) error {
		task, err := t.Delegate(ctx, "worker", to, t.Message())
		if err != nil {
			return err
		}
		if err := t.PassOn(task); err != nil {
			return err
		}
		return t.Complete(a2a.TextPart("The worker: " + task.Text()))
	}
}

func TestDelegate(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	for text, want := range map[string]string{
		"this": "completed: \"The worker: did this for ann\"\n" +
			"  working: \"worker: doing\"\n" +
			"  artifact \"answer\": \"did this for ann\"",
		"reply hi":   `completed: "The worker: hi"`,
		"fail bread": `failed: "worker failed: there is no bread"`,
		"reject it":  `failed: "worker will not do it: not it"`,
		"ask size":   `input-required: "Which size?", 3 bytes image/png a.png`,
	} {
		if got := harness(t, passOn(w.svc)).Send(text).String(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// The delegating agent passes the other agent's question to the caller, and the caller's answer to the other agent,
// with its files. The agent runs again from its beginning but does not repeat delegations that are done.
func TestDelegateAsks(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		var runs int
		if _, err := t.LoadTask(ctx, &runs); err != nil {
			return err
		}
		if err := t.SaveTask(ctx, runs+1); err != nil {
			return err
		}
		first, err := t.Delegate(ctx, "first", w.svc, user("that"))
		if err != nil {
			return err
		}
		second, err := t.Delegate(ctx, "second", w.svc, user("ask size"))
		if err != nil {
			return err
		}
		third, err := t.Delegate(ctx, "third", w.svc, user("ask colour"))
		if err != nil {
			return err
		}
		return t.Complete(a2a.TextPart(fmt.Sprintf("%s; %s; %s; %d runs", first.Text(), second.Text(), third.Text(),
			runs+1)))
	})
	asked := h.Send("go")
	if asked.StatusText() != "Which size?" {
		t.Fatalf("got %v", asked)
	}
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("large"), a2a.RawPart([]byte("photo"), "image/jpeg", ""))
	m.TaskID = asked.Task.ID
	if asked = h.SendMessage(m); asked.StatusText() != "Which colour?" {
		t.Fatalf("got %v", asked)
	}
	if got := h.Reply(asked, "blue"); got.StatusText() != "did that for ann; got large; got blue; 3 runs" {
		t.Errorf("got %v", got)
	}
	if n := w.started.Load(); n != 3 {
		t.Errorf("the worker began %d tasks", n)
	}
	for _, task := range w.tasks() {
		full, err := w.svc.GetTask(as("ann"), &a2a.GetTaskRequest{ID: task.ID})
		if err != nil {
			t.Fatal(err)
		}
		if full.History[0].Text() == "ask size" && string(full.Artifacts[0].Parts[2].Raw()) != "photo" {
			t.Errorf("the answer's file did not come: %v", full.Artifacts[0].Parts)
		}
	}
}

// Two agents that work at once may both ask: the caller is asked one after the other.
func TestDelegatesAskAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		var wg sync.WaitGroup
		var tasks [2]*a2a.Task
		var errs [2]error
		for i, what := range []string{"size", "colour"} {
			wg.Go(func() { tasks[i], errs[i] = t.Delegate(ctx, what, w.svc, user("ask "+what)) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return t.Complete(a2a.TextPart(tasks[0].Text() + ", " + tasks[1].Text()))
	})
	answers := map[string]string{"Which size?": "large", "Which colour?": "blue"}
	r := h.Send("go")
	for range 6 {
		if r.State() != a2a.TaskStateInputRequired {
			break
		}
		r = h.Reply(r, answers[r.StatusText()])
	}
	if r.StatusText() != "got large, got blue" || w.started.Load() != 2 {
		t.Errorf("%d tasks: %v", w.started.Load(), r)
	}
}

// A cancel reaches the other agent, whether that works or waits for the caller.
func TestDelegateIsCancelled(t *testing.T) {
	t.Parallel()
	for what, state := range map[string]a2a.TaskState{
		"wait": a2a.TaskStateWorking, "ask size": a2a.TaskStateInputRequired,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorker(t)
			h := harness(t, passOn(w.svc))
			result, err := h.Service.SendMessage(h.Context(), &a2a.SendMessageRequest{
				Message: user(what), Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			mine := result.(*a2a.Task)
			await(t, func() bool { return len(w.tasks()) == 1 && w.tasks()[0].Status.State == state })
			if state.Interrupted() {
				await(t, func() bool {
					now, err := h.Service.GetTask(h.Context(), &a2a.GetTaskRequest{ID: mine.ID})
					return err == nil && now.Status.State == state
				})
			}
			if _, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: mine.ID}); err != nil {
				t.Fatal(err)
			}
			await(t, func() bool { return w.tasks()[0].Status.State == a2a.TaskStateCanceled })
		})
	}
}

// A delegated task ends when the delegating task ends in any state, or when the context that was passed to Delegate
// ends.
func TestDelegateIsRecalled(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "never mind" {
			return agent.Withdraw(a2a.TextPart("All right."))
		}
		limited, cancel := context.WithCancel(ctx)
		if t.Text() == "wait" {
			cancel()
		}
		defer cancel()
		_, err := t.Delegate(limited, "worker", w.svc, t.Message())
		if errors.Is(err, context.Canceled) {
			return t.Complete(a2a.TextPart("Without it, then."))
		}
		return err
	})
	h.Reply(h.Send("ask size"), "never mind")
	if r := h.Send("wait"); r.StatusText() != "Without it, then." {
		t.Errorf("got %v", r)
	}
	await(t, func() bool {
		goesOn := func(task *a2a.Task) bool { return task.Status.State != a2a.TaskStateCanceled }
		return !slices.ContainsFunc(w.tasks(), goesOn)
	})
}

// await returns once something holds.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it does not come to that")
		}
	}
}

// restarted runs an agent on an engine over a journal that outlives it.
func restarted(t *testing.T, j journal.Journal, a agent.Agent) (a2a.Service, func()) {
	t.Helper()
	e, err := engine.New(&engine.Options{Journal: j, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return e.Agent("manager", a, nil), func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Shutdown(ctx)
	}
}

// delegator knows its worker from the start.
type delegator struct {
	agent.Func
	worker a2a.Service
}

func (delegator) Resumable() bool { return true }

func (d delegator) Delegates() map[string]a2a.Service {
	return map[string]a2a.Service{"worker": d.worker}
}

// A restart in the middle of the other agent's work, and while that waits for the caller: nothing is sent twice.
func TestDelegateOverRestarts(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]string{"wait": "waited", "ask size": "got large"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorker(t)
				j := memory.New(nil)
				defer j.Close()
				svc, stop := restarted(t, j, delegator{passOn(w.svc), w.svc})
				result, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{
					Message: user(what), Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
				})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				stop()
				svc, stop = restarted(t, j, delegator{passOn(w.svc), w.svc})
				defer stop()
				time.Sleep(time.Minute) // of the bubble's clock: leases expire, and the new engine looks
				close(w.release)
				id := result.(*a2a.Task).ID
				if what != "wait" {
					m := user("large")
					m.TaskID = id
					if _, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{Message: m}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				task, err := svc.GetTask(as("ann"), &a2a.GetTaskRequest{ID: id})
				if err != nil || task.Text() != answer || w.started.Load() != 1 {
					t.Errorf("%d tasks: %v, %v", w.started.Load(), task, err)
				}
			})
		})
	}
}

// A restart between the other agent's question and this one's hearing of it: the question is asked, and not answered
// with the request, although the other agent keeps no history.
func TestDelegateHearsOfAQuestionAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(t)
		p := &poor{Service: w.svc}
		p.hold.Store(true)
		j := memory.New(nil)
		defer j.Close()
		svc, stop := restarted(t, j, resumable{passOn(p)})
		result, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{
			Message: user("ask size"), Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		p.hold.Store(false)
		svc, stop = restarted(t, j, resumable{passOn(p)})
		defer stop()
		time.Sleep(time.Minute) // of the bubble's clock
		id := result.(*a2a.Task).ID
		task, err := svc.GetTask(as("ann"), &a2a.GetTaskRequest{ID: id})
		if err != nil || task.Status.State != a2a.TaskStateInputRequired ||
			task.Status.Message.Text() != "Which size?" {
			t.Fatalf("%v, %v", task, err)
		}
		if task = sendTask(t, svc, id, "large"); task.Text() != "got large" || w.started.Load() != 1 {
			t.Errorf("%d tasks: %v", w.started.Load(), task)
		}
	})
}

// A Delegator's task that is cancelled after a restart cancels what it delegated before. A name stands for its parts.
func TestDelegatorCancelsAfterARestart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"worker", "worker/outward"} {
		w := newWorker(t)
		j := memory.New(nil)
		defer j.Close()
		a := delegator{func(ctx context.Context, t *agent.Turn) error {
			_, err := t.Delegate(ctx, name, w.svc, t.Message())
			return err
		}, w.svc}
		svc, stop := restarted(t, j, a)
		result, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{Message: user("ask size")})
		if err != nil {
			t.Fatal(err)
		}
		stop()
		svc, stop = restarted(t, j, a)
		defer stop()
		if _, err := svc.CancelTask(as("ann"), &a2a.CancelTaskRequest{ID: result.(*a2a.Task).ID}); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return w.tasks()[0].Status.State == a2a.TaskStateCanceled })
	}
}

// poor is a service with faults: it may not stream, break each stream after its first event, not take the ids of other
// agents' conversations, or be out of reach.
type poor struct {
	a2a.Service
	noStreams, breaks, ownContexts bool
	lost                           atomic.Int32 // sends that arrive and are not answered
	out                            error
	hold                           atomic.Bool // GetTask does not return before its context ends
}

// GetTask tells nothing of what was said before.
func (p *poor) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if p.hold.Load() {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	none := *req
	none.HistoryLength = new(int)
	return p.Service.GetTask(ctx, &none)
}

func (p *poor) Capabilities() a2a.AgentCapabilities {
	streams := !p.noStreams
	return a2a.AgentCapabilities{Streaming: &streams}
}

var (
	errLine      = errors.New("the line is down")
	errForbidden = a2a.NewError(a2a.ErrPermissionDenied, "")
)

func (p *poor) refuses(req *a2a.SendMessageRequest) error {
	if p.out != nil {
		return p.out
	}
	if p.ownContexts && req.Message.ContextID != "" && req.Message.TaskID == "" {
		return a2a.InvalidParams("message.contextId", "is not one of ours")
	}
	return nil
}

func (p *poor) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if err := p.refuses(req); err != nil {
		return nil, err
	}
	r := *req
	r.IdempotencyKey = "" // which is not on the wire
	return p.Service.SendMessage(ctx, &r)
}

type events = iter.Seq2[a2a.StreamEvent, error]

func (p *poor) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	if err := p.refuses(req); err != nil {
		return nil, err
	}
	r := *req
	r.IdempotencyKey = ""
	events, err := p.Service.StreamMessage(ctx, &r)
	if err != nil {
		return nil, err
	}
	if p.lost.Add(-1) >= 0 {
		for range events {
			break // the task is there
		}
		return nil, errLine
	}
	return p.broken(events), nil
}

func (p *poor) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	events, err := p.Service.Subscribe(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.broken(events), nil
}

func (p *poor) broken(events iter.Seq2[a2a.StreamEvent, error]) iter.Seq2[a2a.StreamEvent, error] {
	if !p.breaks {
		return events
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for e, err := range events {
			if !yield(e, err) {
				return
			}
			break
		}
		yield(a2a.StreamEvent{}, errLine)
	}
}

func TestDelegateToPoorAgents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(p *poor)
		want string // of "ask size" that is answered with "large"
	}{
		"without streams":     {func(p *poor) { p.noStreams = true }, "The worker: got large"},
		"streams break":       {func(p *poor) { p.breaks = true }, "The worker: got large"},
		"contexts of its own": {func(p *poor) { p.ownContexts = true }, "The worker: got large"},
		"an answer is lost":   {func(p *poor) { p.lost.Store(1) }, "The worker: got large"},
		"out of reach": {func(p *poor) { p.out = errLine },
			"worker cannot be reached now. Please try again later."},
		"refuses": {func(p *poor) { p.out = errForbidden }, "worker did not take the request."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorker(t)
				p := &poor{Service: w.svc}
				test.make(p)
				svc, stop := restarted(t, nil, resumable{passOn(p)})
				defer stop()
				task := sendTask(t, svc, "", "ask size")
				if task.Status.State == a2a.TaskStateInputRequired {
					task = sendTask(t, svc, task.ID, "large")
				}
				if got := task.Status.Message.Text(); got != test.want || w.started.Load() > 1 {
					t.Errorf("%d tasks: %s %q", w.started.Load(), task.Status.State, got)
				}
			})
		})
	}
}

func sendTask(t *testing.T, svc a2a.Service, to a2a.TaskID, text string) *a2a.Task {
	t.Helper()
	m := user(text)
	m.TaskID = to
	result, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	return result.(*a2a.Task)
}

func TestDelegateError(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		_, err := t.Delegate(ctx, "worker", w.svc, t.Message())
		failed, ok := errors.AsType[*agent.DelegateError](err)
		if !ok || failed.Error() != `delegation "worker": failed: there is no bread` {
			return fmt.Errorf("got %v", err)
		}
		again, err := t.Delegate(ctx, "worker", w.svc, user("reply Rolls, then.")) // which starts anew
		if err != nil {
			return err
		}
		return t.Complete(a2a.TextPart(again.Text()))
	})
	if r := h.Send("fail bread"); r.StatusText() != "Rolls, then." {
		t.Errorf("got %v", r)
	}
}
