// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// gated is a journal whose creating commits are durable some time before they return, as a slow node sees it.
type gated struct {
	journal.Journal
	created chan journal.Key
	gate    chan struct{}
}

func newGated() *gated {
	return &gated{Journal: memory.New(nil), created: make(chan journal.Key, 8), gate: make(chan struct{})}
}

func (g *gated) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	create := c.Create != nil
	lease, err := g.Journal.Append(ctx, c)
	if err == nil && create {
		g.created <- c.Key
		<-g.gate
	}
	return lease, err
}

func asker(ctx context.Context, t *agent.Turn) error {
	if t.Text() == "end" {
		return t.Artifact("a", part("done"))
	}
	return t.Ask(part("?"))
}

// TestWhileATaskIsCreated has what others do with a task between its first commit and the moment when the node that
// creates it learns of that commit.
func TestWhileATaskIsCreated(t *testing.T) {
	t.Parallel()
	t.Run("a message starts the next turn and harms none", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			j, release := newGated(), make(chan struct{})
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				if t.Text() == "first" {
					t.Working()
					<-release
				}
				return t.Ask(part("?"))
			}), &engine.Options{Journal: j})
			done := make(chan *a2a.Task, 1)
			go func() { done <- f.send(text("first")) }()
			key := <-j.created
			second := immediately(text("second"))
			second.Message.TaskID = key.ID
			go f.svc.SendMessage(f.ctx, second)
			synctest.Wait()
			close(j.gate)
			close(release)
			wantState(t, <-done, a2a.TaskStateInputRequired)
			wantState(t, f.get(key.ID), a2a.TaskStateInputRequired)
		})
	})
	t.Run("a repeated send finds the task", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			j := newGated()
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return nil }),
				&engine.Options{Journal: j})
			req := text("hi")
			req.IdempotencyKey = "k"
			done := make(chan *a2a.Task, 2)
			go func() { done <- f.send(req) }()
			<-j.created
			go func() { done <- f.send(req) }()
			synctest.Wait()
			close(j.gate)
			if a, b := <-done, <-done; a.ID != b.ID {
				t.Errorf("two tasks: %s, %s", a.ID, b.ID)
			}
		})
	})
	t.Run("a subscriber sees what follows", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			j := newGated()
			f := start(t, fn(asker), &engine.Options{Journal: j})
			go f.svc.SendMessage(f.ctx, text("hi"))
			key := <-j.created
			fo := f.subscribe(&a2a.SubscribeRequest{ID: key.ID})
			close(j.gate)
			synctest.Wait()
			f.send(to(f.get(key.ID), "end"))
			wantWords(t, fo.rest(), "task input-required", "working", "artifact done", "completed")
		})
	})
	t.Run("two requests create the same 0.1 task", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			j := newGated()
			f := start(t, fn(asker), &engine.Options{Journal: j})
			done := make(chan *a2a.Task, 2)
			for range 2 {
				go func() {
					req := text("hi")
					req.NewTaskID = "mine"
					done <- f.send(req)
				}()
			}
			<-j.created
			synctest.Wait()
			close(j.gate)
			<-done
			<-done
			if n := len(f.get("mine").History); n != 3 { // two messages and the question between them
				t.Errorf("%d messages in history, want 3", n)
			}
		})
	})
}

// TestRenewalsThatComeTooLate shows that a node whose own lease expired goes on with its turn when nobody else took it.
func TestRenewalsThatComeTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newCrash(memory.New(nil))
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			t.Working()
			select {
			case <-time.After(time.Minute):
				return t.Artifact("a", part("late but there"))
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}), &engine.Options{Journal: j})
		done := make(chan *a2a.Task, 1)
		go func() { done <- f.send(text("hi")) }()
		synctest.Wait()
		j.fail(errors.New("the disk is slow"))
		time.Sleep(25 * time.Second)
		j.fail(nil)
		wantState(t, <-done, a2a.TaskStateCompleted)
	})
}

// torn counts commits that take an input without its message.
type torn struct {
	journal.Journal
	mu       sync.Mutex
	received map[uint64]bool
	commits  int
}

func (j *torn) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range c.Events {
		if r := c.Events[i].Received; r != nil {
			j.received[r.Input] = true
		}
	}
	for n := uint64(1); n <= c.Taken; n++ {
		if !j.received[n] {
			j.commits++
			break
		}
	}
	return j.Journal.Append(ctx, c)
}

func TestNextTakesInputAndMessageInOneCommit(t *testing.T) {
	t.Parallel()
	const messages = 200
	j := &torn{Journal: memory.New(nil), received: map[uint64]bool{}}
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		ctx, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for ctx.Err() == nil {
					t.SetMetadata("k", 1)
				}
			})
		}
		defer wg.Wait()
		defer stop()
		for range messages {
			if _, err := t.Next(ctx); err != nil {
				return err
			}
		}
		return nil
	}), &engine.Options{Journal: j, MaxWaiting: messages})
	task := f.send(immediately(text("hi")))
	for range messages {
		f.send(immediately(to(task, "more")))
	}
	for range f.follow(task.ID) {
	}
	if j.commits > 0 {
		t.Errorf("%d commits took an input without its message", j.commits)
	}
}

// follow ranges over a task's events to its end, whether it has ended or not.
func (f *fixture) follow(id a2a.TaskID) func(func(a2a.StreamEvent, error) bool) {
	s, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: id, After: "0"})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func TestWakeUpsAreNotLost(t *testing.T) {
	t.Parallel()
	t.Run("before anything was said", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tokens := make(chan string, 1)
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				if t.Message() == nil {
					return nil
				}
				tokens <- t.WakeToken()
				return t.Suspend(time.Time{})
			}), nil)
			task := f.send(immediately(text("hi")))
			synctest.Wait()
			wantState(t, f.get(task.ID), a2a.TaskStateWorking)
			if err := f.e.Wake(f.ctx, <-tokens); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			wantState(t, f.get(task.ID), a2a.TaskStateCompleted)
		})
	})
	t.Run("while the turn runs and looks for messages", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var f *fixture
			f = start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				if t.Message() == nil {
					return nil
				}
				if err := t.SaveTask(ctx, 1); err != nil {
					return err
				}
				if err := f.e.Wake(ctx, t.WakeToken()); err != nil {
					return err
				}
				soon, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				t.Next(soon)
				return t.Suspend(time.Time{})
			}), nil)
			task := f.send(immediately(text("hi")))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			wantState(t, f.get(task.ID), a2a.TaskStateCompleted)
		})
	})
}

// damaged is a journal that cannot read some tasks.
type damaged struct {
	journal.Journal
	mu     sync.Mutex
	bad    map[a2a.TaskID]bool
	claims int
}

func (d *damaged) Load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	d.mu.Lock()
	bad := d.bad[key.ID]
	d.mu.Unlock()
	if bad {
		return nil, errors.New("damaged")
	}
	return d.Journal.Load(ctx, key)
}

func (d *damaged) Claim(ctx context.Context, holder string, agents []string, ttl time.Duration,
	limit int) ([]journal.Claimed, error) {
	d.mu.Lock()
	d.claims++
	d.mu.Unlock()
	return d.Journal.Claim(ctx, holder, agents, ttl, limit)
}

func TestDamagedTasksStarveNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &damaged{Journal: memory.New(nil), bad: map[a2a.TaskID]bool{}}
		f := start(t, fn(asker), &engine.Options{Journal: j})
		var last *a2a.Task
		for range 33 {
			if last != nil {
				j.bad[last.ID] = true
			}
			last = f.send(text("hi"))
		}
		page, err := j.List(f.ctx, journal.Scope{Agent: "test"}, journal.Query{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range page.Heads { // as a process leaves them that died before it attended to them
			in := journal.Input{Kind: journal.InputMessage, Message: text("end").Message}
			if _, err := j.Enqueue(f.ctx, head.Key, in, 0); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second)
		wantState(t, f.get(last.ID), a2a.TaskStateCompleted)
		if j.claims > 60 {
			t.Errorf("%d claims in 10 s", j.claims)
		}
	})
}

// hesitant is a journal that answers the claim loop late when it has something for it.
type hesitant struct {
	journal.Journal
	claimed, goOn chan struct{}
}

func (h *hesitant) Claim(ctx context.Context, holder string, agents []string, ttl time.Duration,
	limit int) ([]journal.Claimed, error) {
	all, err := h.Journal.Claim(ctx, holder, agents, ttl, limit)
	if len(all) > 0 {
		h.claimed <- struct{}{}
		<-h.goOn
	}
	return all, err
}

// An input that comes between the claim of its task and the runner is not lost: its sender learns that the node has the
// task, and the claim does not have the input.
func TestInputsAfterTheClaimAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &hesitant{Journal: memory.New(nil), claimed: make(chan struct{}), goOn: make(chan struct{})}
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			if t.Text() == "wait" {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return t.Ask(part("?"))
		}), &engine.Options{Journal: j})
		task := f.send(text("hi"))
		page, err := j.List(f.ctx, journal.Scope{Agent: "test"}, journal.Query{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		// as a process leaves it that died before it attended to it
		if _, err := j.Enqueue(f.ctx, page.Heads[0].Key,
			journal.Input{Kind: journal.InputMessage, Message: text("wait").Message}, 0); err != nil {
			t.Fatal(err)
		}
		<-j.claimed
		go f.svc.CancelTask(f.ctx, &a2a.CancelTaskRequest{ID: task.ID})
		synctest.Wait()
		close(j.goOn)
		time.Sleep(time.Second)
		wantState(t, f.get(task.ID), a2a.TaskStateCanceled)
	})
}

// TestRepeatedSends shows that a send may be repeated with its key at any time.
func TestRepeatedSends(t *testing.T) {
	t.Parallel()
	f := start(t, fn(asker), nil)
	first := text("hi")
	first.IdempotencyKey = "first"
	task := f.send(first)
	wantState(t, f.send(first), a2a.TaskStateInputRequired)
	second := to(task, "more")
	second.IdempotencyKey = "second"
	f.send(second)
	wantState(t, f.send(second), a2a.TaskStateInputRequired)
	third := to(task, "end")
	third.IdempotencyKey = "third"
	f.send(third)
	wantState(t, f.send(third), a2a.TaskStateCompleted)
	wantWords(t, f.stream(third).rest(), "task completed")
	if n := len(f.get(task.ID).History); n != 5 {
		t.Errorf("%d messages in history, want 3 messages and 2 questions", n)
	}
	fourth := to(task, "too late")
	fourth.IdempotencyKey = "fourth"
	_, err := f.svc.SendMessage(f.ctx, fourth)
	wantKind(t, err, a2a.ErrUnsupportedOperation)
}

// TestImmediateAnswersAreNotStale shows that an answer to a question that was just answered does not say that the task
// still waits for it.
func TestImmediateAnswersAreNotStale(t *testing.T) {
	t.Parallel()
	f := start(t, fn(asker), nil)
	for range 50 {
		task := f.send(text("hi"))
		if got := f.send(immediately(to(task, "end"))); got.Status.State == a2a.TaskStateInputRequired {
			t.Fatal("the task still waits for input")
		}
	}
}

// slowRelease is a journal whose releasing commits return long after they are durable.
type slowRelease struct{ journal.Journal }

func (j slowRelease) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	lease, err := j.Journal.Append(ctx, c)
	if c.Release {
		time.Sleep(5 * time.Second)
	}
	return lease, err
}

func TestRenewalDuringTheLastCommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		causes := make(chan error, 1)
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			context.AfterFunc(ctx, func() { causes <- context.Cause(ctx) })
			return t.SaveTask(ctx, 1)
		}), &engine.Options{Journal: slowRelease{memory.New(nil)}})
		wantState(t, f.send(text("hi")), a2a.TaskStateCompleted)
		if cause := <-causes; errors.Is(cause, journal.ErrLeaseLost) {
			t.Error("the lease that was given back counts as lost")
		}
	})
}

// TestNothingSaidIsLost shows that what a turn says at its end is kept when a waiting message keeps it from being one.
func TestNothingSaidIsLost(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "one" {
			t.Working()
			<-release
			return t.Reply(part("answer to one"))
		}
		return nil
	}), nil)
	task := f.send(immediately(text("one")))
	f.send(immediately(to(task, "two")))
	close(release)
	for range f.follow(task.ID) {
	}
	var history []string
	for _, m := range f.get(task.ID).History {
		history = append(history, messageText(m))
	}
	if got, want := strings.Join(history, "|"), "one|answer to one|two"; got != want {
		t.Errorf("history = %q, want %q", got, want)
	}
}

func TestRelatedIsBounded(t *testing.T) {
	t.Parallel()
	j := &damaged{Journal: memory.New(nil)}
	loads := 0
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		tasks, err := t.Related(ctx)
		loads = len(tasks)
		return err
	}), &engine.Options{Journal: j})
	req := text("hi")
	req.Message.ContextID = "c"
	for range 60 {
		f.send(req)
	}
	if loads != 50 {
		t.Errorf("%d related tasks, want at most 50", loads)
	}
}

// TestAwaitingTasksGoOn shows that a restart ends the turn that awaits an answer, but not the task.
func TestAwaitingTasksGoOn(t *testing.T) {
	t.Parallel()
	for _, graceful := range []bool{true, false} {
		t.Run(fmt.Sprintf("graceful=%v", graceful), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := kept(t)
				dying := newCrash(j)
				a := fn(func(ctx context.Context, t *agent.Turn) error {
					if t.Text() == "yes" {
						return t.Artifact("a", part("new turn"))
					}
					_, err := t.Await(ctx, part("sure?"))
					return err
				})
				first := start(t, a, &engine.Options{Journal: dying})
				task := first.send(text("hi"))
				if graceful {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					first.e.Shutdown(ctx)
				} else {
					dying.fail(errGone)
				}
				second := start(t, a, &engine.Options{Journal: j})
				time.Sleep(15 * time.Second)
				wantState(t, second.get(task.ID), a2a.TaskStateInputRequired)
				wantState(t, second.send(to(task, "yes")), a2a.TaskStateCompleted)
			})
		})
	}
}
