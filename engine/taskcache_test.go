// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// loads counts the tasks that are read as a whole.
type loads struct {
	journal.Journal
	n int
}

func (l *loads) Load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	l.n++
	return l.Journal.Load(ctx, key)
}

// large is a message of a size at which a task is worth keeping.
func large(i int) string { return fmt.Sprintf("%d %s", i, strings.Repeat("x", 5<<10)) }

// asksOf asks, and says how many messages it has seen.
var asksOf = fn(func(_ context.Context, t *agent.Turn) error {
	return t.Ask(part(fmt.Sprint(len(t.Task().History), " messages")))
})

func TestFollowUpsLoadNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &loads{Journal: memory.New(nil)}
		f := start(t, asksOf, &engine.Options{Journal: j})
		task := f.send(text(large(0)))
		for i := range 5 {
			synctest.Wait() // the runner caches the task after the sender has its answer
			task = f.send(to(task, large(i+1)))
			synctest.Wait()
			if got := f.get(task.ID); len(got.History) != len(task.History) {
				t.Errorf("the task has %d messages, the answer had %d", len(got.History), len(task.History))
			}
		}
		if want := 11; len(task.History) != want {
			t.Errorf("%d messages, want %d", len(task.History), want)
		}
		if j.n > 0 {
			t.Errorf("the task was loaded %d times", j.n)
		}
	})
}

// TestTwoNodesCacheOneTask has two nodes run a task in turn: each folds what the other one appended.
func TestTwoNodesCacheOneTask(t *testing.T) {
	j := memory.New(nil)
	waker := new(journal.LocalWaker) // a message may be taken by the other node than the one it was sent to
	nodes := []*fixture{
		start(t, asksOf, &engine.Options{Journal: j, Node: "a", Waker: waker}),
		start(t, asksOf, &engine.Options{Journal: j, Node: "b", Waker: waker}),
	}
	task := nodes[0].send(text(large(0)))
	for i := 1; i < 8; i++ {
		task = nodes[i%2].send(to(task, large(i)))
		if want := 2*i + 1; len(task.History) != want {
			t.Fatalf("%d messages in the answer to message %d, want %d", len(task.History), i, want)
		}
		for n, f := range nodes {
			got := f.get(task.ID)
			if len(got.History) != len(task.History) ||
				got.Status.Message.Parts[0].Text() != task.Status.Message.Parts[0].Text() {
				t.Fatalf("node %d has %d messages and says %v, want %d and %v", n, len(got.History), got.Status.Message,
					len(task.History), task.Status.Message)
			}
		}
	}
	for i, m := range task.History {
		if user := i%2 == 0; user != strings.HasPrefix(m.Parts[0].Text(), fmt.Sprint(i/2, " x")) {
			t.Errorf("message %d is %.20q", i, m.Parts[0].Text())
		}
	}
}

// TestCachedTaskIsReplaced has a task removed and another one made with its id: nothing of the first one shows.
func TestCachedTaskIsReplaced(t *testing.T) {
	j := memory.New(nil)
	f := start(t, asksOf, &engine.Options{Journal: j})
	first := text(large(0))
	first.NewTaskID = "mine"
	task := f.send(first)
	task = f.send(to(task, large(1)))
	if n, err := j.Prune(f.ctx, time.Now().Add(time.Hour), 10); n != 1 || err != nil {
		t.Fatalf("%d tasks removed, %v", n, err)
	}
	if _, err := f.svc.GetTask(f.ctx, &a2a.GetTaskRequest{ID: task.ID}); err == nil {
		t.Error("the removed task is there")
	}
	second := text("short")
	second.NewTaskID = "mine"
	for deadline := time.Now().Add(10 * time.Second); ; {
		_, err := f.svc.SendMessage(f.ctx, second)
		if err == nil {
			break
		}
		if !errors.Is(err, a2a.ErrTaskNotFound) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		runtime.Gosched() // the first one's runner is about to leave
	}
	f.send(to(task, "more"))
	for i, m := range f.get("mine").History {
		if strings.Contains(m.Parts[0].Text(), "xxx") {
			t.Errorf("message %d is of the removed task", i)
		}
	}
}

// slowReads is a journal in which the next call of one method waits, until the test says so.
type slowReads struct {
	journal.Journal
	slow    atomic.Pointer[string] // the method
	reached chan struct{}
	answer  chan struct{}
}

func (s *slowReads) wait(method string) {
	if slow := s.slow.Load(); slow != nil && *slow == method && s.slow.CompareAndSwap(slow, nil) {
		close(s.reached)
		<-s.answer
	}
}

func (s *slowReads) Head(ctx context.Context, key journal.Key) (*journal.Head, error) {
	s.wait("Head")
	return s.Journal.Head(ctx, key)
}

func (s *slowReads) Events(ctx context.Context, key journal.Key, after uint64, limit int) ([]journal.Event, error) {
	s.wait("Events")
	return s.Journal.Events(ctx, key, after, limit)
}

// TestSlowReadDelaysNoOtherReader has one reader of a cached task wait for the journal while another one reads it. The
// other node has the task go on meanwhile, so that there are events to read.
func TestSlowReadDelaysNoOtherReader(t *testing.T) {
	for _, method := range []string{"Head", "Events"} {
		t.Run(method, func(t *testing.T) {
			j := &slowReads{Journal: memory.New(nil), reached: make(chan struct{}), answer: make(chan struct{})}
			waker := new(journal.LocalWaker)
			f := start(t, asksOf, &engine.Options{Journal: j, Node: "a", Waker: waker})
			other := start(t, asksOf, &engine.Options{Journal: j.Journal, Node: "b", Waker: waker})
			task := f.send(text(large(0)))
			waited := make(chan error, 1)
			j.slow.Store(&method)
			for i, reached := 1, false; !reached; i++ {
				task = other.send(to(task, large(i)))
				go func() {
					_, err := f.svc.GetTask(f.ctx, &a2a.GetTaskRequest{ID: task.ID})
					waited <- err
				}()
				select {
				case <-j.reached:
					reached = true
				case err := <-waited: // the runner of the first message is about to cache the task
					if err != nil || i == 100 {
						t.Fatalf("read %d of the task does not wait for the journal, error %v", i, err)
					}
				}
			}
			if got := f.get(task.ID); len(got.History) != len(task.History) {
				t.Errorf("%d messages, want %d", len(got.History), len(task.History))
			}
			close(j.answer)
			if err := <-waited; err != nil {
				t.Error(err)
			}
		})
	}
}

// lateRelease is a journal in which the first commit that gives the lease back is durable long before the caller knows
// it.
type lateRelease struct {
	journal.Journal
	released atomic.Bool
	durable  chan struct{}
	answer   chan struct{}
}

func (l *lateRelease) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	lease, err := l.Journal.Append(ctx, c)
	if c.Release && l.released.CompareAndSwap(false, true) {
		close(l.durable)
		<-l.answer
	}
	return lease, err
}

// Claim finds nothing, so that what is sent to the other node stays there.
func (l *lateRelease) Claim(context.Context, string, []string, time.Duration, int) ([]journal.Claimed, error) {
	return nil, nil
}

// TestReleasedTaskIsReadFromTheJournal has another node go on with a task while the runner of the first one is still
// there, but has given its lease back.
func TestReleasedTaskIsReadFromTheJournal(t *testing.T) {
	j := memory.New(nil)
	late := &lateRelease{Journal: j, durable: make(chan struct{}), answer: make(chan struct{})}
	waker := new(journal.LocalWaker)
	a := start(t, asksOf, &engine.Options{Journal: late, Node: "a", Waker: waker})
	b := start(t, asksOf, &engine.Options{Journal: j, Node: "b", Waker: waker})
	first := text(large(0))
	first.NewTaskID = "mine"
	sent := make(chan error, 1)
	go func() {
		_, err := a.svc.SendMessage(a.ctx, first)
		sent <- err
	}()
	<-late.durable
	task := b.send(to(&a2a.Task{ID: "mine"}, large(1)))
	if got := a.get("mine"); len(got.History) != len(task.History) {
		t.Errorf("while its runner leaves, the first node has %d messages, want %d", len(got.History),
			len(task.History))
	}
	close(late.answer)
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if got := a.get("mine"); len(got.History) != len(task.History) {
		t.Errorf("the first node has %d messages, want %d", len(got.History), len(task.History))
	}
}

// TestListsEvictNothing has a long list of large tasks read between a task's messages.
func TestListsEvictNothing(t *testing.T) {
	j := &loads{Journal: memory.New(nil)}
	f := start(t, asksOf, &engine.Options{Journal: j})
	task := f.send(text(large(0)))
	for range 50 {
		f.send(text(strings.Repeat("x", 1<<20)))
	}
	task = f.send(to(task, large(1))) // cached anew: the large ones evicted it
	one := 1
	list := &a2a.ListTasksRequest{IncludeArtifacts: true, HistoryLength: &one}
	for more := true; more; more = list.PageToken != "" {
		page, err := f.svc.ListTasks(f.ctx, list)
		if err != nil {
			t.Fatal(err)
		}
		list.PageToken = page.NextPageToken
	}
	before := j.n
	f.send(to(task, large(2)))
	if j.n > before {
		t.Errorf("after a list the task was loaded %d times", j.n-before)
	}
}
