// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
)

// streamOnly is an agent that has no GetTask, such as those of Agno: what the stream does not tell nobody does.
type streamOnly struct{ a2a.Service }

func (streamOnly) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	return nil, a2a.NewError(a2a.ErrMethodNotFound, "Method not found")
}

// amid is an agent that answers by messages amid the events of its task, which GetTask does not show.
type amid struct{ a2a.Service }

func (amid) StreamMessage(context.Context, *a2a.SendMessageRequest) (events, error) {
	piece := func(text string) a2a.Event {
		return &a2a.Message{ID: "m1", TaskID: "t1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
	}
	all := []a2a.Event{
		&a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
		piece("din"), piece("ner"),
		&a2a.StatusUpdate{TaskID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}},
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, e := range all {
			if !yield(a2a.NewStreamEvent("", e), nil) {
				return
			}
		}
	}, nil
}

func (amid) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}, nil
}

// Delegate returns an answer that only the stream contained. It still does in later turns, after the agent has asked a
// question.
func TestDelegateKeepsWhatTheStreamSaid(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	for name, test := range map[string]struct {
		to             a2a.Service
		request, want  string
		answer, tasked string
	}{
		"no GetTask":               {streamOnly{w.svc}, "this", "did this for ann", "", ""},
		"messages amid the events": {amid{w.svc}, "this", "dinner", "", ""},
		"no GetTask, and it asks":  {streamOnly{w.svc}, "ask size", "got large", "large", "Which size?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness(t, func(ctx context.Context, t *agent.Turn) error {
				task, err := t.Delegate(ctx, "worker", test.to, user(test.request))
				if err != nil {
					return err
				}
				second, err := t.Delegate(ctx, "second", w.svc, user("ask colour"))
				if err != nil {
					return err
				}
				return t.Complete(a2a.TextPart(task.Text() + ", " + second.Text()))
			})
			r := h.Send("go")
			if test.answer != "" {
				if r.StatusText() != test.tasked {
					t.Fatalf("got %v", r)
				}
				r = h.Reply(r, test.answer)
			}
			if r = h.Reply(r, "blue"); r.StatusText() != test.want+", got blue" {
				t.Errorf("got %v", r)
			}
		})
	}
}

// picky is an agent that does not take what says "bad".
type picky struct{ a2a.Service }

func (p picky) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	if req.Message.Text() == "bad" {
		return nil, a2a.NewError(a2a.ErrContentTypeNotSupported, "no such size")
	}
	return p.Service.StreamMessage(ctx, req)
}

// A request that the other agent refused is not sent again: the next one starts anew.
func TestDelegateAfterARefusal(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		task, err := t.Delegate(ctx, "worker", picky{w.svc}, t.Message())
		failed, ok := errors.AsType[*agent.DelegateError](err)
		if ok && failed.Refused() {
			return t.Ask(a2a.TextPart(failed.Error()))
		}
		if err != nil {
			return err
		}
		return t.Complete(a2a.TextPart(task.Text()))
	})
	r := h.Send("bad")
	if r.StatusText() != `delegation "worker": the other agent did not take the request: no such size` {
		t.Fatalf("the request: %v", r)
	}
	if r = h.Reply(r, "ask size"); r.StatusText() != "Which size?" {
		t.Fatalf("another request: %v", r)
	}
	if r = h.Reply(r, "large"); r.StatusText() != "got large" || w.started.Load() != 1 {
		t.Errorf("the answer: %d tasks, %v", w.started.Load(), r)
	}
}

// An answer that the other agent refuses does not end the task: the caller is asked the same once more, with the reason
// and all parts of the question, however often that happens.
func TestDelegateAsksAgainAfterARefusal(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, passOn(picky{w.svc}))
	asked := h.Send("ask size")
	for range 3 {
		again := h.Reply(asked, "bad")
		const want = "worker did not take the answer: no such size. Please answer again."
		parts := again.Task.Status.Message.Parts
		if again.Task.Status.State != a2a.TaskStateInputRequired || len(parts) != 3 ||
			parts[0].Text() != want || parts[1].Text() != "Which size?" || string(parts[2].Raw()) != "abc" {
			t.Fatalf("got %v", again)
		}
	}
	if r := h.Reply(asked, "large"); r.StatusText() != "The worker: got large" || w.started.Load() != 1 {
		t.Errorf("another answer: %d tasks, %v", w.started.Load(), r)
	}
}

// An agent that makes the ids of conversations itself has the message already when the connection breaks: it is found.
func TestDelegateFindsATaskOfAnotherContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(t)
		p := &poor{Service: w.svc, ownContexts: true}
		p.lost.Store(1)
		svc, stop := restarted(t, nil, resumable{passOn(p)})
		defer stop()
		task := sendTask(t, svc, "", "ask size")
		if task.Status.Message.Text() != "Which size?" || w.started.Load() != 1 {
			t.Errorf("%d tasks: %s %q", w.started.Load(), task.Status.State, task.Status.Message.Text())
		}
	})
}

// Delegate shows each message of the other agent once, even if the streams break often or the agent does not stream.
func TestDelegateShowsProgressOnce(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*poor){
		"streams break": func(p *poor) { p.breaks = true }, "polled": func(p *poor) { p.noStreams = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorker(t)
				p := &poor{Service: w.svc}
				make(p)
				svc, stop := restarted(t, nil, resumable{passOn(p)})
				defer stop()
				result, err := svc.SendMessage(as("ann"), &a2a.SendMessageRequest{
					Message: user("wait"), Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
				})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Second) // of the bubble's clock: it comes back many times
				close(w.release)
				time.Sleep(30 * time.Second)
				task, err := svc.GetTask(as("ann"), &a2a.GetTaskRequest{ID: result.(*a2a.Task).ID})
				if err != nil || task.Status.State != a2a.TaskStateCompleted {
					t.Fatalf("%v, %v", task, err)
				}
				shown := 0
				for _, m := range task.History {
					if m.Text() == "worker: half way" {
						shown++
					}
				}
				if shown != 1 {
					t.Errorf("shown %d times", shown)
				}
			})
		})
	}
}

// Delegations do not change the state that the agent saves, even if that state is empty.
func TestDelegateKeepsEmptyState(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	for _, value := range []any{[]any{}, map[string]any{}, ""} {
		h := harness(t, func(ctx context.Context, t *agent.Turn) error {
			if err := t.SaveTask(ctx, value); err != nil {
				return err
			}
			if _, err := t.Delegate(ctx, "worker", w.svc, t.Message()); err != nil {
				return err
			}
			var got any
			saved, err := t.LoadTask(ctx, &got)
			if err != nil {
				return err
			}
			return t.Complete(a2a.TextPart(fmt.Sprintf("%t %v", saved, got)))
		})
		if r := h.Send("this"); r.StatusText() != fmt.Sprintf("true %v", value) {
			t.Errorf("saved %#v: %v", value, r)
		}
	}
}

// gated holds the first event of a stream back, so that another delegation is saved before this one has a task.
type gated struct {
	a2a.Service
	open <-chan struct{}
}

func (g gated) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	select {
	case <-g.open:
		return g.Service.StreamMessage(ctx, req)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// The metadata has the tasks that there are, and in the end all of them.
func TestDelegationsInTheMetadata(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		open, second := make(chan struct{}), make(chan error, 1)
		go func() {
			_, err := t.Delegate(ctx, "second", gated{w.svc, open}, user("this"))
			second <- err
		}()
		if _, err := t.Delegate(ctx, "first", w.svc, user("this")); err != nil {
			return err
		}
		if err := t.SaveTask(ctx, "half"); err != nil { // which commits
			return err
		}
		var half map[string]a2a.TaskID
		if _, err := t.Task().Metadata.Get("delegations", &half); err != nil {
			return err
		}
		for name, id := range half {
			if id == "" {
				return agent.Public("no id of "+name, nil)
			}
		}
		close(open)
		return <-second
	})
	r := h.Send("go")
	var ids map[string]a2a.TaskID
	if _, err := r.Task.Metadata.Get("delegations", &ids); err != nil || len(ids) != 2 {
		t.Fatalf("%v: %v, %v", r, ids, err)
	}
	for _, task := range w.tasks() {
		if !slices.Contains([]a2a.TaskID{ids["first"], ids["second"]}, task.ID) {
			t.Errorf("%s is not among %v", task.ID, ids)
		}
	}
}

// Two tasks may give one name to delegations to different agents: a cancel goes to that of the task.
func TestDelegateIsCancelledWhereItWent(t *testing.T) {
	t.Parallel()
	first, second := newWorker(t), newWorker(t)
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		to := first.svc
		if t.Text() == "ask second" {
			to = second.svc
		}
		_, err := t.Delegate(ctx, "worker", to, t.Message())
		return err
	})
	mine := h.Send("ask first").Task.ID
	h.Send("ask second")
	if _, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: mine}); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return first.tasks()[0].Status.State == a2a.TaskStateCanceled })
	if state := second.tasks()[0].Status.State; state != a2a.TaskStateInputRequired {
		t.Errorf("that of the other task is %s", state)
	}
}

func TestDelegateToNobody(t *testing.T) {
	t.Parallel()
	h := harness(t, func(ctx context.Context, t *agent.Turn) error {
		_, err := t.Delegate(ctx, "worker", nil, t.Message())
		return t.Complete(a2a.TextPart(fmt.Sprint(err)))
	})
	if r := h.Send("this"); !strings.Contains(r.StatusText(), `Delegate "worker": there is no service`) {
		t.Errorf("got %v", r)
	}
}

// away is an agent that cannot be reached for a while, as a client tells it, and that does not list its tasks.
type away struct {
	a2a.Service
	until atomic.Pointer[time.Time]
	lost  atomic.Int32 // answers that arrive although the connection breaks
}

func (a *away) leave(d time.Duration) {
	until := time.Now().Add(d)
	a.until.Store(&until)
}

func (a *away) reach() error {
	if until := a.until.Load(); until != nil && time.Now().Before(*until) {
		return &client.UnreachableError{Agent: "worker", Err: errors.New("connection refused")}
	}
	return nil
}

func (a *away) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (events, error) {
	if err := a.reach(); err != nil {
		return nil, err
	}
	events, err := a.Service.StreamMessage(ctx, req)
	if err == nil && req.Message.TaskID != "" && a.lost.Add(-1) >= 0 {
		for range events {
		}
		a.leave(time.Hour)
		return nil, errLine
	}
	return events, err
}

func (a *away) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if err := a.reach(); err != nil {
		return nil, err
	}
	return a.Service.GetTask(ctx, req)
}

func (*away) ListTasks(context.Context, *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "version 0.3 has no ListTasks")
}

// A message that was surely not sent is sent again for about three seconds, also to an agent that does not list its
// tasks.
func TestDelegateWaitsForAnAgentThatIsAway(t *testing.T) {
	t.Parallel()
	for gone, want := range map[time.Duration]string{
		2 * time.Second:  "The worker: did this for ann",
		10 * time.Second: "worker cannot be reached now. Please try again later.",
	} {
		t.Run(gone.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				to := &away{Service: newWorker(t).svc}
				to.leave(gone)
				svc, stop := restarted(t, nil, resumable{passOn(to)})
				defer stop()
				began := time.Now()
				task := sendTask(t, svc, "", "this")
				if got := task.Status.Message.Text(); got != want {
					t.Errorf("%s %q", task.Status.State, got)
				}
				if took := time.Since(began); took < 2*time.Second || took > 5*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// An answer that does not reach the other agent does not end the task: the caller is asked once more.
func TestDelegateAsksAgainWhenTheAgentIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(t)
		to := &away{Service: w.svc}
		svc, stop := restarted(t, nil, resumable{passOn(to)})
		defer stop()
		task := sendTask(t, svc, "", "ask size")
		to.leave(time.Minute)
		for range 2 {
			task = sendTask(t, svc, task.ID, "large")
			parts := task.Status.Message.Parts
			if task.Status.State != a2a.TaskStateInputRequired || len(parts) != 3 || parts[1].Text() != "Which size?" ||
				parts[0].Text() != "worker cannot be reached now. Please answer again later." {
				t.Fatalf("%s %v", task.Status.State, task.Status.Message)
			}
		}
		time.Sleep(time.Minute) // of the bubble's clock
		if task = sendTask(t, svc, task.ID, "small"); task.Status.Message.Text() != "The worker: got small" {
			t.Errorf("%s %v", task.Status.State, task.Status.Message)
		}
	})
}

// When the connection broke the answer may have arrived: the next one is not sent then.
func TestDelegateFindsAnAnswerThatArrived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(t)
		to := &away{Service: w.svc}
		to.lost.Store(1)
		svc, stop := restarted(t, nil, resumable{passOn(to)})
		defer stop()
		task := sendTask(t, svc, "", "ask size")
		task = sendTask(t, svc, task.ID, "large")
		if task.Status.State != a2a.TaskStateInputRequired {
			t.Fatalf("%s %v", task.Status.State, task.Status.Message)
		}
		to.leave(0)
		if task = sendTask(t, svc, task.ID, "small"); task.Status.Message.Text() != "The worker: got large" {
			t.Errorf("%s %v", task.Status.State, task.Status.Message)
		}
	})
}

// An agent without GetTask may ask more than one question.
func TestDelegateToAStreamThatAsksTwice(t *testing.T) {
	t.Parallel()
	w := newWorker(t)
	h := harness(t, passOn(streamOnly{w.svc}))
	first := h.Send("asktwice")
	if first.StatusText() != "Which size?" {
		t.Fatalf("got %v", first)
	}
	second := h.Reply(first, "large")
	if second.StatusText() != "Which colour after large?" {
		t.Fatalf("got %v", second)
	}
	if r := h.Reply(second, "blue"); r.StatusText() != "The worker: large, blue" || w.started.Load() != 1 {
		t.Errorf("%d tasks: %v", w.started.Load(), r)
	}
}
