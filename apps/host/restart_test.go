// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// life is a host between a start and a stop, over a journal that outlives it.
type life struct {
	service a2a.Service
	stop    func()
}

func begin(t *testing.T, kept journal.Journal, urls ...string) *life {
	t.Helper()
	return beginWith(t, kept, host.Options{}, urls...)
}

func beginWith(t *testing.T, kept journal.Journal, options host.Options, urls ...string) *life {
	t.Helper()
	o := &host.DirectoryOptions{}
	for _, url := range urls {
		o.Agents = append(o.Agents, host.AgentRef{Card: url})
	}
	d, err := host.NewDirectory(o)
	if err != nil {
		t.Fatal(err)
	}
	options.Directory, options.ID = d, "the-host"
	h, err := host.New(options)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(&engine.Options{Journal: kept, Logger: quiet, LeaseTTL: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	stop := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		e.Shutdown(ctx) // whoever runs is interrupted
		d.Close()
	}
	return &life{e.Agent("host", h, nil), stop}
}

// await waits until a task is in a state.
func (l *life) await(t *testing.T, id a2a.TaskID, state a2a.TaskState) *a2a.Task {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		task, err := l.service.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if task.Status.State == state {
			return task
		}
		if time.Now().After(deadline) {
			t.Fatalf("the task is %v: %s", task.Status.State, task.Status.Message.Text())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (l *life) send(t *testing.T, m *a2a.Message) *a2a.Task {
	t.Helper()
	r, err := l.service.SendMessage(t.Context(),
		&a2a.SendMessageRequest{Message: m, Configuration: &a2a.SendConfiguration{ReturnImmediately: true}})
	if err != nil {
		t.Fatal(err)
	}
	return r.(*a2a.Task)
}

// A host that is stopped while an agent works goes on with the agent's task.
func TestRestartWhileAnAgentWorks(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	entered, goOn := make(chan struct{}, 1), make(chan struct{})
	worker := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		runs.Add(1)
		if err := t.Artifact("half", a2a.TextPart("half")); err != nil {
			return err
		}
		entered <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
			return ctx.Err()
		}
		return t.Artifact("rest", a2a.TextPart("rest"))
	})
	url := serve(t, worker, cardOf("Worker", "Digs tunnels", "tunnels"))
	kept := memory.New(nil)
	defer kept.Close()
	first := begin(t, kept, url)
	task := first.send(t, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("dig tunnels")))
	<-entered
	first.stop()
	second := begin(t, kept, url)
	defer second.stop()
	close(goOn)
	done := second.await(t, task.ID, a2a.TaskStateCompleted)
	if runs.Load() != 1 || len(done.Artifacts) != 2 || done.Artifacts[0].Text() != "half" ||
		done.Artifacts[1].Text() != "rest" {
		t.Errorf("%d runs, artifacts %+v", runs.Load(), done.Artifacts)
	}
}

// A host that is stopped after a message went out, and before it heard which task came of it, finds the task.
func TestRestartBeforeTheTaskWasKnown(t *testing.T) {
	t.Parallel()
	var runs, streams atomic.Int32
	entered, goOn := make(chan struct{}, 2), make(chan struct{})
	worker := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		runs.Add(1)
		if err := t.Working(); err != nil {
			return err
		}
		entered <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
			return ctx.Err()
		}
		return t.Artifact("tunnel", a2a.TextPart("dug"))
	})
	url := front(t, worker, cardOf("Worker", "Digs tunnels", "tunnels"), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Accept"), "event-stream") && streams.Add(1) == 1 {
				w = mute{w}
			}
			next.ServeHTTP(w, r)
		})
	})
	kept := memory.New(nil)
	defer kept.Close()
	first := begin(t, kept, url)
	task := first.send(t, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("dig tunnels")))
	<-entered
	first.stop()
	second := begin(t, kept, url)
	defer second.stop()
	close(goOn)
	if done := second.await(t, task.ID, a2a.TaskStateCompleted); runs.Load() != 1 || len(done.Artifacts) != 1 {
		t.Errorf("%d runs, artifacts %+v", runs.Load(), done.Artifacts)
	}
}

// mute is an answer that never arrives.
type mute struct{ http.ResponseWriter }

func (mute) Write(p []byte) (int, error) { return len(p), nil }
func (mute) WriteHeader(int)             {}
func (mute) FlushError() error           { return nil }

// Between a question and its answer everything may be started anew; values still flow.
func TestRestartBetweenQuestionAndAnswer(t *testing.T) {
	t.Parallel()
	urls := []string{serve(t, expenses, expensesCard()), serve(t, currency.New(currency.Options{}), currency.Card())}
	kept := memory.New(nil)
	defer kept.Close()
	first := begin(t, kept, urls...)
	task := first.send(t, a2a.NewMessage(a2a.RoleUser,
		a2a.TextPart("reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.")))
	asked := first.await(t, task.ID, a2a.TaskStateInputRequired)
	first.stop()
	second := begin(t, kept, urls...)
	defer second.stop()
	m := a2a.NewMessage(a2a.RoleUser, form(t, asked.Status.Message))
	m.TaskID = task.ID
	second.send(t, m)
	done := second.await(t, task.ID, a2a.TaskStateCompleted)
	if last := done.Artifacts[len(done.Artifacts)-1]; !strings.Contains(last.Text(), "21.58 USD approved") {
		t.Errorf("%s", last.Text())
	}
}
