// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
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
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// fixture is an engine over a journal in memory with one agent.
type fixture struct {
	t   *testing.T
	e   *engine.Engine
	svc a2a.Service
	ctx context.Context
}

func start(t *testing.T, a agent.Agent, opts *engine.Options) *fixture {
	t.Helper()
	if opts == nil {
		opts = &engine.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	e, err := engine.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		e.Shutdown(ctx)
	})
	return &fixture{t: t, e: e, svc: e.Agent("test", a, nil), ctx: context.Background()}
}

func fn(f func(ctx context.Context, t *agent.Turn) error) agent.Agent { return agent.Func(f) }

func text(s string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(s))}
}

func to(task *a2a.Task, s string) *a2a.SendMessageRequest {
	req := text(s)
	req.Message.TaskID = task.ID
	return req
}

func immediately(req *a2a.SendMessageRequest) *a2a.SendMessageRequest {
	req.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
	return req
}

func (f *fixture) send(req *a2a.SendMessageRequest) *a2a.Task {
	f.t.Helper()
	res, err := f.svc.SendMessage(f.ctx, req)
	if err != nil {
		f.t.Fatalf("SendMessage: %v", err)
	}
	task, ok := res.(*a2a.Task)
	if !ok {
		f.t.Fatalf("SendMessage answered %T", res)
	}
	return task
}

func (f *fixture) get(id a2a.TaskID) *a2a.Task {
	f.t.Helper()
	task, err := f.svc.GetTask(f.ctx, &a2a.GetTaskRequest{ID: id})
	if err != nil {
		f.t.Fatalf("GetTask: %v", err)
	}
	return task
}

// follow reads a stream on a goroutine; next takes its events.
type follow struct {
	t    *testing.T
	next func() (a2a.StreamEvent, error, bool)
	stop func()
}

func (f *fixture) subscribe(req *a2a.SubscribeRequest) *follow {
	f.t.Helper()
	s, err := f.svc.Subscribe(f.ctx, req)
	if err != nil {
		f.t.Fatalf("Subscribe: %v", err)
	}
	return pull(f.t, s)
}

func (f *fixture) stream(req *a2a.SendMessageRequest) *follow {
	f.t.Helper()
	s, err := f.svc.StreamMessage(f.ctx, req)
	if err != nil {
		f.t.Fatalf("StreamMessage: %v", err)
	}
	return pull(f.t, s)
}

func pull(t *testing.T, s iter.Seq2[a2a.StreamEvent, error]) *follow {
	next, stop := iter.Pull2(s)
	t.Cleanup(stop)
	return &follow{t: t, next: next, stop: stop}
}

// event returns the next event; the end or an error fails the test.
func (fo *follow) event() a2a.StreamEvent {
	fo.t.Helper()
	ev, err, ok := fo.next()
	if !ok {
		fo.t.Fatal("the stream has ended")
	}
	if err != nil {
		fo.t.Fatalf("stream: %v", err)
	}
	return ev
}

// rest returns all further events in words, and checks that the stream ends normally.
func (fo *follow) rest() []string {
	fo.t.Helper()
	var all []string
	for {
		ev, err, ok := fo.next()
		if !ok {
			return all
		}
		if err != nil {
			fo.t.Fatalf("stream: %v", err)
		}
		all = append(all, word(ev.Event))
	}
}

// word says what an event is: "working", "artifact a", ...
func word(ev a2a.Event) string {
	switch e := ev.(type) {
	case *a2a.Task:
		return "task " + short(e.Status.State)
	case *a2a.StatusUpdate:
		return strings.TrimSpace(short(e.Status.State) + " " + messageText(e.Status.Message))
	case *a2a.ArtifactUpdate:
		return "artifact " + partsText(e.Artifact.Parts)
	case *a2a.Message:
		return "message " + messageText(e)
	}
	return fmt.Sprintf("%T", ev)
}

func short(s a2a.TaskState) string {
	return map[a2a.TaskState]string{
		a2a.TaskStateSubmitted: "submitted", a2a.TaskStateWorking: "working", a2a.TaskStateCompleted: "completed",
		a2a.TaskStateFailed: "failed", a2a.TaskStateCanceled: "canceled", a2a.TaskStateInputRequired: "input-required",
		a2a.TaskStateRejected: "rejected", a2a.TaskStateAuthRequired: "auth-required",
	}[s]
}

func messageText(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	return partsText(m.Parts)
}

func partsText(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if s, ok := p.Content.(a2a.Text); ok {
			b.WriteString(string(s))
		}
	}
	return b.String()
}

func wantState(t *testing.T, task *a2a.Task, want a2a.TaskState) {
	t.Helper()
	if task.Status.State != want {
		t.Fatalf("state = %s (%q), want %s", short(task.Status.State), messageText(task.Status.Message), short(want))
	}
}

func wantKind(t *testing.T, err error, kind a2a.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error = %v, want %v", err, kind)
	}
}

func wantWords(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("events:\n got %q\nwant %q", got, want)
	}
}

func part(s string) a2a.Part { return a2a.TextPart(s) }

// TestTurnTable has the rows of the table of how a turn ends that need no second step.
func TestTurnTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		agent func(ctx context.Context, t *agent.Turn) error
		state a2a.TaskState
		text  string
	}{
		{"nil completes", func(ctx context.Context, t *agent.Turn) error { return nil }, a2a.TaskStateCompleted, ""},
		{"Complete", func(ctx context.Context, t *agent.Turn) error { return t.Complete(part("all done")) },
			a2a.TaskStateCompleted, "all done"},
		{"Complete without parts", func(ctx context.Context, t *agent.Turn) error { return t.Complete() },
			a2a.TaskStateCompleted, ""},
		{"Ask", func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("which?")) },
			a2a.TaskStateInputRequired, "which?"},
		{"NeedAuth", func(ctx context.Context, t *agent.Turn) error { return t.NeedAuth(part("log in")) },
			a2a.TaskStateAuthRequired, "log in"},
		{"wrapped Ask", func(ctx context.Context,
			t *agent.Turn) error {
			return fmt.Errorf("asking: %w", t.Ask(part("which?")))
		},
			a2a.TaskStateInputRequired, "which?"},
		{"Reply after a task exists", func(ctx context.Context, t *agent.Turn) error {
			if err := t.Working(); err != nil {
				return err
			}
			return t.Reply(part("done"))
		}, a2a.TaskStateCompleted, "done"},
		{"Reply without parts", func(ctx context.Context, t *agent.Turn) error { return t.Reply() },
			a2a.TaskStateFailed,
			"The agent failed because of an internal error, which ended this task. To try again, start a new one."},
		{"Reject", func(ctx context.Context, t *agent.Turn) error { return agent.Reject(part("not my job")) },
			a2a.TaskStateRejected, "not my job"},
		{"Withdraw", func(ctx context.Context, t *agent.Turn) error { return agent.Withdraw(part("as you wish")) },
			a2a.TaskStateCanceled, "as you wish"},
		{"error", func(ctx context.Context, t *agent.Turn) error { return errors.New("password is hunter2") },
			a2a.TaskStateFailed,
			"The agent failed because of an internal error, which ended this task. To try again, start a new one."},
		{"public error", func(ctx context.Context, t *agent.Turn) error {
			return fmt.Errorf("rates: %w", agent.Public("No rates today.", errors.New("dial tcp 10.0.0.1")))
		}, a2a.TaskStateFailed, "No rates today."},
		{"panic", func(ctx context.Context, t *agent.Turn) error { panic("boom") }, a2a.TaskStateFailed,
			"The agent failed because of an internal error, which ended this task. To try again, start a new one."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, fn(tt.agent), nil)
			task := f.send(text("hi"))
			wantState(t, task, tt.state)
			if got := messageText(task.Status.Message); got != tt.text {
				t.Errorf("status says %q, want %q", got, tt.text)
			}
			if len(task.History) == 0 || task.History[0].TaskID != task.ID ||
				task.History[0].ContextID != task.ContextID {
				t.Errorf("history[0] is not the message, addressed to the task: %+v", task.History)
			}
			if m := task.Status.Message; m != nil &&
				(m.Role != a2a.RoleAgent || m.ContextID != task.ContextID || m.TaskID != task.ID) {
				t.Errorf("status message is not addressed: %+v", m)
			}
			wantState(t, f.get(task.ID), tt.state)
		})
	}
}

// The log has a panic's stack beside what it was about, not within.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { panic("boom") }),
		&engine.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	wantState(t, f.send(text("hi")), a2a.TaskStateFailed)
	if err := f.e.Shutdown(f.ctx); err != nil {
		t.Fatal(err)
	}
	var line struct{ Msg, Error, Stack string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log.Bytes())
	}
	if line.Msg != "turn failed" || line.Error != "panic: boom" || !strings.Contains(line.Stack, "TestPanicIsLogged") {
		t.Errorf("the log has %+v", line)
	}
}

// A failure that the agent declares is none of the program: nobody is woken for it, and what it tells its caller stays
// out of the log.
func TestDeclaredFailuresAreLoggedLower(t *testing.T) {
	t.Parallel()
	for level, err := range map[string]error{
		"INFO":  fmt.Errorf("about secret-1: %w", agent.Public("secret-1 is no currency.", nil)),
		"WARN":  fmt.Errorf("about secret-1: %w", agent.Public("secret-1 could not be had.", errors.New("the cause"))),
		"ERROR": errors.New("the cause"),
	} {
		var log bytes.Buffer
		f := start(t, fn(func(context.Context, *agent.Turn) error { return err }),
			&engine.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		wantState(t, f.send(text("hi")), a2a.TaskStateFailed)
		if err := f.e.Shutdown(f.ctx); err != nil {
			t.Fatal(err)
		}
		var line struct{ Level, Msg, Error, Task string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, log.Bytes())
		}
		if cause := level != "INFO"; line.Level != level || line.Msg != "turn failed" || line.Task == "" ||
			(line.Error == "the cause") != cause || strings.Contains(log.String(), "secret-1") {
			t.Errorf("%s: the log has %s", level, log.Bytes())
		}
	}
}

func TestReplyMakesNoTask(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return t.Reply(part("hello")) }), nil)
	res, err := f.svc.SendMessage(f.ctx, text("hi"))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := res.(*a2a.Message)
	if !ok || messageText(m) != "hello" || m.ContextID == "" || m.TaskID != "" || m.Role != a2a.RoleAgent {
		t.Fatalf("answer = %#v", res)
	}
	wantWords(t, f.stream(text("hi")).rest(), "message hello")
	list, err := f.svc.ListTasks(f.ctx, &a2a.ListTasksRequest{})
	if err != nil || list.TotalSize != 0 {
		t.Fatalf("ListTasks = %+v, %v, want none", list, err)
	}
}

func TestTurnLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			<-ctx.Done()
			if context.Cause(ctx) != agent.ErrTurnLimit {
				return nil
			}
			return ctx.Err()
		}), nil)
		began := time.Now()
		task := f.send(text("hi"))
		wantState(t, task, a2a.TaskStateFailed)
		if took := time.Since(began); took != time.Hour {
			t.Errorf("the turn ran for %v, want 1h", took)
		}
		if got := messageText(task.Status.Message); got != "The agent did not finish in time." {
			t.Errorf("status says %q", got)
		}
	})
}

func TestTurnLimitFencesOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		late := make(chan error, 1)
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			t.Working()
			<-release // does not heed its context
			late <- t.Artifact("late", part("x"))
			return nil
		}), nil)
		task := f.send(text("hi"))
		wantState(t, task, a2a.TaskStateFailed)
		close(release)
		if err := <-late; err == nil {
			t.Error("a fenced turn could still write")
		}
		synctest.Wait()
		if got := f.get(task.ID); len(got.Artifacts) != 0 || got.Status.State != a2a.TaskStateFailed {
			t.Errorf("the fenced turn changed the task: %+v", got)
		}
	})
}

func TestAskThenAnswer(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "100 USD" {
			return t.Ask(part("into what?"))
		}
		return t.Artifact("result", part(t.Text()))
	}), nil)
	first := f.send(text("100 USD"))
	wantState(t, first, a2a.TaskStateInputRequired)
	second := f.send(to(first, "GBP"))
	wantState(t, second, a2a.TaskStateCompleted)
	if second.ID != first.ID || second.ContextID != first.ContextID {
		t.Errorf("ids changed: %s/%s, %s/%s", first.ID, first.ContextID, second.ID, second.ContextID)
	}
	var history []string
	for _, m := range second.History {
		history = append(history, messageText(m))
	}
	if got, want := strings.Join(history, "|"), "100 USD|into what?|GBP"; got != want {
		t.Errorf("history = %q, want %q", got, want)
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		await func(*agent.Turn, context.Context, ...a2a.Part) (*a2a.Message, error)
		state a2a.TaskState
	}{
		{"Await", (*agent.Turn).Await, a2a.TaskStateInputRequired},
		{"AwaitAuth", (*agent.Turn).AwaitAuth, a2a.TaskStateAuthRequired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			turns := 0
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				turns++
				m, err := tt.await(t, ctx, part("well?"))
				if err != nil {
					return err
				}
				return t.Artifact("answer", m.Parts...)
			}), nil)
			task := f.send(text("hi"))
			wantState(t, task, tt.state)
			task = f.send(to(task, "yes"))
			wantState(t, task, a2a.TaskStateCompleted)
			if turns != 1 || partsText(task.Artifacts[0].Parts) != "yes" {
				t.Errorf("%d turns, artifact %q; want one turn that got the answer", turns,
					partsText(task.Artifacts[0].Parts))
			}
		})
	}
}

func TestSuspend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		wake func(f *fixture, task *a2a.Task, token string)
		want string
	}{
		{"timer", func(f *fixture, task *a2a.Task, token string) {}, "woken at 2000-01-01T00:01:00Z"},
		{"wake", func(f *fixture, task *a2a.Task, token string) {
			if err := f.e.Wake(f.ctx, token); err != nil {
				f.t.Error(err)
			}
		}, "woken at 2000-01-01T00:00:10Z"},
		{"message", func(f *fixture, task *a2a.Task, token string) {
			f.send(to(task, "go on"))
		}, "go on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tokens := make(chan string, 1)
				f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
					if t.Text() == "start" {
						tokens <- t.WakeToken()
						if err := t.Working(part("later")); err != nil {
							return err
						}
						return t.Suspend(time.Now().Add(time.Minute))
					}
					if t.Message() != nil {
						return t.Artifact("r", part(t.Text()))
					}
					return t.Artifact("r", part("woken at "+time.Now().UTC().Format(time.RFC3339)))
				}), nil)
				task := f.send(immediately(text("start")))
				token := <-tokens
				time.Sleep(10 * time.Second)
				wantState(t, f.get(task.ID), a2a.TaskStateWorking)
				tt.wake(f, task, token)
				stream, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: task.ID})
				if err == nil {
					for range stream {
					}
				}
				task = f.get(task.ID)
				wantState(t, task, a2a.TaskStateCompleted)
				if got := partsText(task.Artifacts[0].Parts); got != tt.want {
					t.Errorf("artifact %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestWakeTokens(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return nil }), nil)
	wantKind(t, f.e.Wake(f.ctx, "!"), a2a.ErrInvalidParams)
	wantKind(t, f.e.Wake(f.ctx, "WyJ0ZXN0IiwiIiwiIiwieCJd"), a2a.ErrTaskNotFound)
}

type canceler struct {
	agent.Func
	cancel func(ctx context.Context, t *agent.Turn) error
}

func (c *canceler) Cancel(ctx context.Context, t *agent.Turn) error { return c.cancel(ctx, t) }

func (f *fixture) cancel(id a2a.TaskID) (*a2a.Task, error) {
	return f.svc.CancelTask(f.ctx, &a2a.CancelTaskRequest{ID: id})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	block := func(ctx context.Context, t *agent.Turn) error {
		t.Working()
		<-ctx.Done()
		return context.Cause(ctx)
	}
	t.Run("running", func(t *testing.T) {
		t.Parallel()
		f := start(t, fn(block), nil)
		task := f.send(immediately(text("hi")))
		got, err := f.cancel(task.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, a2a.TaskStateCanceled)
		_, err = f.cancel(task.ID)
		wantKind(t, err, a2a.ErrTaskNotCancelable)
	})
	t.Run("waiting", func(t *testing.T) {
		t.Parallel()
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("?")) }), nil)
		got, err := f.cancel(f.send(text("hi")).ID)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, a2a.TaskStateCanceled)
	})
	t.Run("finished", func(t *testing.T) {
		t.Parallel()
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return nil }), nil)
		_, err := f.cancel(f.send(text("hi")).ID)
		wantKind(t, err, a2a.ErrTaskNotCancelable)
	})
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		f := start(t, fn(block), nil)
		_, err := f.cancel("nope")
		wantKind(t, err, a2a.ErrTaskNotFound)
	})
	t.Run("agent does not heed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
				t.Working()
				<-release
				return nil
			}), nil)
			task := f.send(immediately(text("hi")))
			began := time.Now()
			got, err := f.cancel(task.ID)
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, got, a2a.TaskStateCanceled)
			if took := time.Since(began); took != 5*time.Second {
				t.Errorf("cancel took %v, want the grace of 5s", took)
			}
			close(release)
			synctest.Wait()
			wantState(t, f.get(task.ID), a2a.TaskStateCanceled)
		})
	})
	t.Run("cleans up", func(t *testing.T) {
		t.Parallel()
		cleaned := make(chan a2a.TaskID, 1)
		f := start(t, &canceler{block, func(ctx context.Context, t *agent.Turn) error {
			cleaned <- t.TaskID()
			return t.SaveTask(ctx, "cleaned")
		}}, nil)
		task := f.send(immediately(text("hi")))
		got, err := f.cancel(task.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantState(t, got, a2a.TaskStateCanceled)
		if id := <-cleaned; id != task.ID {
			t.Errorf("Cancel saw task %s", id)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		for _, waiting := range []bool{false, true} {
			run := block
			if waiting {
				run = func(ctx context.Context, t *agent.Turn) error {
					if t.Text() == "end" {
						return nil
					}
					return t.Ask(part("?"))
				}
			}
			f := start(t, &canceler{run, func(ctx context.Context, t *agent.Turn) error { return agent.NotCancelable }},
				nil)
			req := text("hi")
			if !waiting {
				immediately(req)
			}
			task := f.send(req)
			for range 20 {
				_, err := f.cancel(task.ID)
				wantKind(t, err, a2a.ErrTaskNotCancelable)
			}
			if n := f.inbox(task.ID); n > 3 { // one for each state of the task
				t.Errorf("%d refused cancels wait in the inbox", n)
			}
			if s := f.get(task.ID).Status.State; s.Terminal() {
				t.Errorf("a refused cancel ended the task: %s", short(s))
			}
			if waiting {
				wantState(t, f.send(to(task, "end")), a2a.TaskStateCompleted)
			}
		}
	})
}

// TestTaskCreation has the rule when a task comes into being.
func TestTaskCreation(t *testing.T) {
	t.Parallel()
	t.Run("return immediately", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { <-release; return t.Reply(part("late")) }),
			nil)
		task := f.send(immediately(text("hi")))
		wantState(t, task, a2a.TaskStateSubmitted)
		fo := f.subscribe(&a2a.SubscribeRequest{ID: task.ID})
		close(release)
		wantWords(t, fo.rest(), "task submitted", "completed late")
	})
	t.Run("generation 0.1 with its own id", func(t *testing.T) {
		t.Parallel()
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			if t.Text() == "first" {
				return t.Ask(part("?"))
			}
			return t.Reply(part("done"))
		}), nil)
		f.ctx = a2a.WithCall(f.ctx, &a2a.Call{Generation: a2a.Generation01})
		req := text("first")
		req.NewTaskID = "mine"
		task := f.send(req)
		if task.ID != "mine" || task.Origin != a2a.Generation01 {
			t.Fatalf("task = %s from %s", task.ID, task.Origin)
		}
		again := text("second")
		again.NewTaskID = "mine"
		wantState(t, f.send(again), a2a.TaskStateCompleted)
	})
	t.Run("idempotency key", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		runs := 0
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			mu.Lock()
			defer mu.Unlock()
			runs++
			return nil
		}), nil)
		req := text("hi")
		req.IdempotencyKey = "k"
		first, second := f.send(req), f.send(req)
		if first.ID != second.ID || runs != 1 {
			t.Errorf("tasks %s and %s, %d runs; want the same task, run once", first.ID, second.ID, runs)
		}
	})
}

// TestWaitingMessages has the rules for messages to a task whose turn runs.
func TestWaitingMessages(t *testing.T) {
	t.Parallel()
	t.Run("wait, then start the next turn", func(t *testing.T) {
		t.Parallel()
		begun, release := make(chan string), make(chan error)
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			begun <- t.Text()
			return <-release
		}), nil)
		task := f.send(immediately(text("one")))
		<-begun
		fo := f.subscribe(&a2a.SubscribeRequest{ID: task.ID})
		done := make(chan *a2a.Task, 1)
		waiting := f.stream(to(task, "two"))
		go func() { done <- f.send(to(task, "three")) }()
		waitFor(t, func() bool { return f.inbox(task.ID) == 2 })
		release <- nil // the first turn ends, but messages wait: no end is committed
		if got := <-begun; got != "two" && got != "three" {
			t.Fatalf("the second turn began with %q", got)
		}
		if s := f.get(task.ID).Status.State; s.Terminal() {
			t.Fatalf("state = %s while a message waited", short(s))
		}
		release <- nil
		<-begun
		release <- nil
		wantState(t, <-done, a2a.TaskStateCompleted)
		wantWords(t, fo.rest(), "task submitted", "completed")
		wantWords(t, waiting.rest(), "task submitted", "completed")
		if n := len(f.get(task.ID).History); n != 3 {
			t.Errorf("%d messages in history, want 3", n)
		}
	})
	t.Run("Next takes one inside the turn", func(t *testing.T) {
		t.Parallel()
		ready := make(chan struct{})
		turns := 0
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			turns++
			close(ready)
			m, err := t.Next(ctx)
			if err != nil {
				return err
			}
			return t.Artifact("a", m.Parts...)
		}), nil)
		task := f.send(immediately(text("one")))
		<-ready
		task = f.send(to(task, "two"))
		wantState(t, task, a2a.TaskStateCompleted)
		if turns != 1 || partsText(task.Artifacts[0].Parts) != "two" {
			t.Errorf("%d turns, artifact %q", turns, partsText(task.Artifacts[0].Parts))
		}
	})
	t.Run("sixteen at most", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil
		}), nil)
		task := f.send(immediately(text("one")))
		for i := range 16 {
			if _, err := f.svc.SendMessage(f.ctx, immediately(to(task, "more"))); err != nil {
				t.Fatalf("message %d: %v", i, err)
			}
		}
		_, err := f.svc.SendMessage(f.ctx, immediately(to(task, "one too many")))
		wantKind(t, err, a2a.ErrRateLimited)
		if !strings.Contains(err.Error(), "16") {
			t.Errorf("the error does not name the limit: %v", err)
		}
		close(release)
	})
	t.Run("an error ends the task and waiting senders get it", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { <-release; return agent.Reject() }), nil)
		task := f.send(immediately(text("one")))
		done := make(chan *a2a.Task, 1)
		go func() { done <- f.send(to(task, "two")) }()
		waitFor(t, func() bool { return f.inbox(task.ID) == 1 })
		close(release)
		wantState(t, <-done, a2a.TaskStateRejected)
	})
}

// inbox returns how many messages the task has been sent beyond its first; only for tasks whose turns take none.
func (f *fixture) inbox(id a2a.TaskID) int {
	key := journal.Key{Scope: journal.Scope{Agent: "test"}, ID: id}
	inputs, err := f.e.Journal().Inputs(f.ctx, key, 0)
	if err != nil {
		f.t.Error(err)
	}
	return len(inputs)
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); {
		if time.Now().After(deadline) {
			t.Fatal("timed out")
		}
		select {
		case <-t.Context().Done():
		case <-time.After(time.Millisecond):
		}
	}
}

func TestFinishedTasksRefuseMessages(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return nil }), nil)
	task := f.send(text("hi"))
	_, err := f.svc.SendMessage(f.ctx, to(task, "more"))
	wantKind(t, err, a2a.ErrUnsupportedOperation)
	_, err = f.svc.StreamMessage(f.ctx, to(task, "more"))
	wantKind(t, err, a2a.ErrUnsupportedOperation)
	_, err = f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: task.ID})
	wantKind(t, err, a2a.ErrUnsupportedOperation)
}

func TestContexts(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("?")) }), nil)
	req := text("hi")
	req.Message.ContextID = "mine"
	task := f.send(req)
	if task.ContextID != "mine" {
		t.Errorf("context = %s, want the caller's", task.ContextID)
	}
	wrong := to(task, "more")
	wrong.Message.ContextID = "other"
	_, err := f.svc.SendMessage(f.ctx, wrong)
	wantKind(t, err, a2a.ErrInvalidParams)
	if !strings.Contains(err.Error(), "message.contextId") {
		t.Errorf("the error does not name the field: %v", err)
	}
	right := to(task, "more")
	right.Message.ContextID = "mine"
	wantState(t, f.send(right), a2a.TaskStateInputRequired)
	if got := f.send(to(task, "inferred")); got.ContextID != "mine" {
		t.Errorf("context = %s", got.ContextID)
	}
	if a, b := f.send(text("x")), f.send(text("x")); a.ContextID == "" || a.ContextID == b.ContextID {
		t.Errorf("contexts %q and %q, want two fresh ones", a.ContextID, b.ContextID)
	}
}

func TestHistoryLength(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("?")) }), nil)
	task := f.send(text("one"))
	f.send(to(task, "two"))
	all := len(f.get(task.ID).History)
	if all < 3 {
		t.Fatalf("history has %d messages", all)
	}
	for _, n := range []int{0, 1, 2, all, all + 1} {
		got, err := f.svc.GetTask(f.ctx, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: &n})
		if err != nil {
			t.Fatal(err)
		}
		if want := min(n, all); len(got.History) != want || n == 0 && got.History != nil {
			t.Errorf("historyLength %d gave %d messages, want %d", n, len(got.History), want)
		}
		if n == 1 && got.History[0] != f.get(task.ID).History[all-1] {
			t.Error("historyLength 1 is not the newest message")
		}
	}
	zero := 0
	req := to(task, "three")
	req.Configuration = &a2a.SendConfiguration{HistoryLength: &zero}
	if got := f.send(req); got.History != nil {
		t.Errorf("send with historyLength 0 answered %d messages", len(got.History))
	}
	for _, req := range []*a2a.SendMessageRequest{text("new"), to(task, "four")} {
		req.Configuration = &a2a.SendConfiguration{HistoryLength: &zero}
		if first := f.stream(req).event().Event.(*a2a.Task); first.History != nil {
			t.Errorf("a stream with historyLength 0 began with %d messages", len(first.History))
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(t.Context())
	card := &a2a.AgentCard{
		DefaultInputModes: []string{"text"},
		Skills: []a2a.AgentSkill{
			{ID: "look", InputModes: []string{"image/*"}},
			{ID: "any", InputModes: []string{"*/*"}},
			{ID: "plain"},
		},
	}
	nop := fn(func(ctx context.Context, t *agent.Turn) error { return t.Artifact("skill", part(t.Skill()+".")) })
	svc := e.Agent("modes", nop, &engine.AgentOptions{Card: card})
	free := e.Agent("free", nop, &engine.AgentOptions{Card: card, AnyInput: true})
	png := a2a.Part{Content: a2a.Raw("x"), MediaType: "image/png"}
	for _, tt := range []struct {
		skill string
		part  a2a.Part
		want  a2a.Kind
		ok    bool
	}{
		{"", part("x"), 0, true},
		{"", a2a.Part{Content: a2a.Text("x"), MediaType: "text/plain; charset=utf-8"}, 0, true},
		{"", a2a.Part{Content: a2a.Text("x"), MediaType: "text/html"}, a2a.ErrContentTypeNotSupported, false},
		{"", png, a2a.ErrContentTypeNotSupported, false},
		{"", a2a.Part{Content: a2a.Data("{}")}, a2a.ErrContentTypeNotSupported, false},
		{"", a2a.Part{Content: a2a.URL("http://x")}, a2a.ErrContentTypeNotSupported, false},
		{"look", png, 0, true},
		{"look", part("x"), a2a.ErrContentTypeNotSupported, false},
		{"any", a2a.Part{Content: a2a.Data("{}")}, 0, true},
		{"plain", part("x"), 0, true},
		{"unknown", part("x"), a2a.ErrInvalidParams, false},
	} {
		req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, tt.part)}
		if tt.skill != "" {
			req.Message.Metadata = a2a.Metadata{"skillId": []byte(`"` + tt.skill + `"`)}
		}
		_, err := svc.SendMessage(t.Context(), req)
		if tt.ok && err != nil {
			t.Errorf("skill %q, %v: %v", tt.skill, tt.part, err)
		}
		if !tt.ok {
			wantKind(t, err, tt.want)
		}
		if _, err := free.SendMessage(t.Context(), req); err != nil {
			t.Errorf("with AnyInput: %v", err)
		}
	}
	open := e.Agent("open", nop, &engine.AgentOptions{Card: &a2a.AgentCard{}}) // what a card leaves open is text
	for part, want := range map[*a2a.Part]bool{{Content: a2a.Text("x")}: true, &png: false} {
		_, err := open.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, *part)})
		if (err == nil) != want {
			t.Errorf("a card without modes, %v: %v", part, err)
		}
	}
}

func TestArtifactWriter(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		w := t.NewArtifact("story")
		for _, s := range []string{"once ", "upon ", "a time"} {
			if _, err := io.WriteString(w, s); err != nil {
				return err
			}
		}
		return w.Close()
	}), nil)
	fo := f.stream(text("tell"))
	id := fo.event().Event.(*a2a.Task).ID
	var updates []*a2a.ArtifactUpdate
	for range 4 {
		updates = append(updates, fo.event().Event.(*a2a.ArtifactUpdate))
	}
	wantWords(t, fo.rest(), "completed")
	if updates[0].Append || !updates[1].Append || !updates[2].Append || updates[2].LastChunk || !updates[3].LastChunk {
		t.Errorf("append and lastChunk are wrong: %+v", updates)
	}
	if updates[0].Artifact.Name != "story" || updates[3].Artifact.ID != updates[0].Artifact.ID {
		t.Errorf("name %q, ids %q and %q", updates[0].Artifact.Name, updates[0].Artifact.ID, updates[3].Artifact.ID)
	}
	task := f.get(id)
	if len(task.Artifacts) != 1 || len(task.Artifacts[0].Parts) != 3 ||
		partsText(task.Artifacts[0].Parts) != "once upon a time" {
		t.Errorf("artifacts = %+v", task.Artifacts)
	}
}

func TestSavedState(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		var perTask, perContext int
		t.LoadTask(ctx, &perTask)
		t.LoadContext(ctx, &perContext)
		if err := t.SaveTask(ctx, perTask+1); err != nil {
			return err
		}
		if err := t.SaveContext(ctx, perContext+1); err != nil {
			return err
		}
		return t.Ask(part(fmt.Sprint(perTask, " ", perContext)))
	}), nil)
	a := f.send(text("x"))
	if got := messageText(a.Status.Message); got != "0 0" {
		t.Errorf("first turn saw %q", got)
	}
	if got := messageText(f.send(to(a, "y")).Status.Message); got != "1 1" {
		t.Errorf("second turn saw %q", got)
	}
	req := text("z")
	req.Message.ContextID = a.ContextID
	if got := messageText(f.send(req).Status.Message); got != "0 2" {
		t.Errorf("another task of the context saw %q", got)
	}
	if got := messageText(f.send(text("q")).Status.Message); got != "0 0" {
		t.Errorf("another context saw %q", got)
	}
}

// Flush returns once the events of a turn are in the journal.
func TestFlush(t *testing.T) {
	t.Parallel()
	store := memory.New(nil)
	var flushed *journal.Head
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		if err := errors.Join(t.Working(), t.Flush(ctx)); err != nil {
			return err
		}
		page, err := store.List(ctx, journal.Scope{Agent: "test"}, journal.Query{})
		if err == nil && len(page.Heads) == 1 {
			flushed = page.Heads[0]
		}
		return err
	}), &engine.Options{Journal: store})
	f.send(text("x"))
	if flushed == nil || flushed.Status.State != a2a.TaskStateWorking {
		t.Errorf("the journal has %+v", flushed)
	}
}

func TestMetadataAndRelated(t *testing.T) {
	t.Parallel()
	related := make(chan []a2a.TaskID, 1)
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() != "last" {
			t.SetMetadata("gone", 1)
			t.SetMetadata("gone", nil)
			return t.SetMetadata("n", 12)
		}
		tasks, err := t.Related(ctx)
		var ids []a2a.TaskID
		for _, task := range tasks {
			ids = append(ids, task.ID)
		}
		related <- ids
		return err
	}), nil)
	elsewhere := f.send(text("one"))
	inContext := f.send(text("two"))
	if got := string(inContext.Metadata["n"]); got != "12" || len(inContext.Metadata) != 1 {
		t.Errorf("metadata = %v", inContext.Metadata)
	}
	req := text("last")
	req.Message.ContextID = inContext.ContextID
	req.Message.ReferenceTaskIDs = []a2a.TaskID{elsewhere.ID, "unknown"}
	f.send(req)
	if got := fmt.Sprint(<-related); got != fmt.Sprint([]a2a.TaskID{elsewhere.ID, inContext.ID}) {
		t.Errorf("related = %s", got)
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		switch t.Text() {
		case "auth":
			return t.NeedAuth(part("log in"))
		case "token":
			return t.Artifact("a", part("ok"))
		}
		return t.Ask(part("?"))
	}), nil)
	t.Run("a send stream ends at input-required", func(t *testing.T) {
		fo := f.stream(text("hi"))
		task := fo.event().Event.(*a2a.Task)
		wantWords(t, fo.rest(), "input-required ?")
		again := f.stream(to(task, "again"))
		wantWords(t, again.rest(), "task working", "input-required ?")
	})
	t.Run("a resumed stream starts with the task that has taken the message", func(t *testing.T) {
		for _, question := range []string{"hi", "auth"} {
			asked := f.send(text(question))
			fo := f.stream(to(asked, "token"))
			first := fo.event()
			task := first.Event.(*a2a.Task)
			wantState(t, task, a2a.TaskStateWorking)
			var history []string
			for _, m := range task.History {
				history = append(history, messageText(m))
			}
			want := []string{question, messageText(asked.Status.Message), "token"}
			if task.Status.Message != nil || !slices.Equal(history, want) {
				t.Errorf("the task says %v and has the history %q, want no message and %q", task.Status.Message,
					history, want)
			}
			wantWords(t, fo.rest(), "artifact ok", "completed")
			after := f.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: first.ID})
			wantWords(t, after.rest(), "artifact ok", "completed")
		}
	})
	t.Run("and stays at auth-required", func(t *testing.T) {
		fo := f.stream(text("auth"))
		task := fo.event().Event.(*a2a.Task)
		if got := word(fo.event().Event); got != "auth-required log in" {
			t.Fatal(got)
		}
		f.send(to(task, "token"))
		wantWords(t, fo.rest(), "working", "artifact ok", "completed")
	})
	t.Run("subscribe stays through input-required", func(t *testing.T) {
		task := f.send(text("hi"))
		fo := f.subscribe(&a2a.SubscribeRequest{ID: task.ID})
		if got := word(fo.event().Event); got != "task input-required" {
			t.Fatal(got)
		}
		f.send(to(task, "more"))
		f.send(to(task, "token"))
		wantWords(t, fo.rest(), "working", "input-required ?", "working", "artifact ok", "completed")
	})
	t.Run("replay gives what was missed, also of a finished task", func(t *testing.T) {
		task := f.send(text("hi"))
		fo := f.subscribe(&a2a.SubscribeRequest{ID: task.ID})
		id := fo.event().ID
		fo.stop()
		f.send(to(task, "token"))
		wantWords(t, f.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: id}).rest(), "working", "artifact ok",
			"completed")
		wantWords(t, f.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: "1"}).rest(),
			"input-required ?", "working", "artifact ok", "completed")
		for _, bad := range []string{"x", "-1", "999"} {
			_, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: task.ID, After: bad})
			wantKind(t, err, a2a.ErrInvalidParams)
		}
	})
}

// TestClosingOneStream shows that leaving a stream disturbs neither the task nor the other streams.
func TestClosingOneStream(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		t.Working()
		<-release
		return t.Artifact("a", part("x"))
	}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := f.svc.StreamMessage(ctx, text("hi"))
	if err != nil {
		t.Fatal(err)
	}
	first := pull(t, s)
	task := first.event().Event.(*a2a.Task)
	other := f.subscribe(&a2a.SubscribeRequest{ID: task.ID})
	other.event()
	cancel()
	close(release)
	wantWords(t, trimWorking(other.rest()), "artifact x", "completed")
}

// trimWorking drops "working", which a snapshot may or may not contain already.
func trimWorking(words []string) []string {
	if len(words) > 0 && words[0] == "working" {
		return words[1:]
	}
	return words
}

func TestSlowReadersDelayNoOther(t *testing.T) {
	t.Parallel()
	const chunks = 20_000
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		w := t.NewArtifact("a")
		for range chunks {
			if _, err := w.WriteString("x"); err != nil {
				return err
			}
		}
		return nil
	}), nil)
	task := f.send(immediately(text("hi")))
	slow := f.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: "1"})
	slow.event() // and then does not read on
	fast := f.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: "1"})
	if n := len(fast.rest()); n != chunks+1 {
		t.Fatalf("the fast reader got %d events, want %d", n, chunks+1)
	}
	if n := len(slow.rest()); n != chunks {
		t.Errorf("the slow reader got %d more events, want %d", n, chunks)
	}
}

func TestManySubscribersSeeTheSame(t *testing.T) {
	t.Parallel()
	const readers, events = 1000, 50
	release := make(chan struct{})
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		<-release
		for i := range events {
			if err := t.Artifact("a", part(fmt.Sprint(i))); err != nil {
				return err
			}
		}
		return nil
	}), nil)
	task := f.send(immediately(text("hi")))
	var want []string
	for i := range events {
		want = append(want, fmt.Sprint("artifact ", i))
	}
	want = append(want, "completed")
	var ready, done sync.WaitGroup
	for range readers {
		ready.Add(1)
		done.Go(func() {
			s, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: task.ID})
			ready.Done()
			if err != nil {
				t.Error(err)
				return
			}
			var got []string
			lastID := ""
			for ev, err := range s {
				if err != nil {
					t.Error(err)
					return
				}
				if lastID != "" && len(ev.ID) < len(lastID) {
					t.Errorf("ids do not rise: %s after %s", ev.ID, lastID)
				}
				lastID = ev.ID
				got = append(got, word(ev.Event))
			}
			if strings.Join(got[1:], "|") != strings.Join(want, "|") {
				t.Errorf("a reader saw %d events: %.200q", len(got), got)
			}
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
}

func TestScopes(t *testing.T) {
	t.Parallel()
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(t.Context())
	ask := fn(func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("?")) })
	one, two := e.Agent("one", ask, nil), e.Agent("two", ask, nil)
	as := func(subject, tenant string) context.Context {
		return a2a.WithCall(context.Background(), &a2a.Call{Identity: a2a.Identity{Subject: subject}, Tenant: tenant})
	}
	res, err := one.SendMessage(as("alice", "acme"), text("hi"))
	if err != nil {
		t.Fatal(err)
	}
	task := res.(*a2a.Task)
	for _, tt := range []struct {
		name string
		svc  a2a.Service
		ctx  context.Context
	}{
		{"another owner", one, as("bob", "acme")},
		{"another tenant", one, as("alice", "other")},
		{"no tenant", one, as("alice", "")},
		{"another agent", two, as("alice", "acme")},
	} {
		for op, call := range operations(tt.svc, tt.ctx) {
			foreign, unknown := call(task.ID, task.ContextID), call("unknown", "unknown-context")
			if foreign == nil || unknown == nil || foreign.Error() != unknown.Error() {
				t.Errorf("%s, %s: a foreign task gives %v, an unknown one %v", tt.name, op, foreign, unknown)
			}
			wantKind(t, foreign, a2a.ErrTaskNotFound)
		}
		list, err := tt.svc.ListTasks(tt.ctx, &a2a.ListTasksRequest{ContextID: task.ContextID})
		if err != nil || list.TotalSize != 0 {
			t.Errorf("%s lists %+v, %v", tt.name, list, err)
		}
	}
	if _, err := one.GetTask(as("alice", "acme"), &a2a.GetTaskRequest{ID: task.ID}); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

// operations returns each operation on a task.
func operations(svc a2a.Service, ctx context.Context) map[string]func(a2a.TaskID, a2a.ContextID) error {
	return map[string]func(a2a.TaskID, a2a.ContextID) error{
		"GetTask": func(id a2a.TaskID, _ a2a.ContextID) error {
			_, err := svc.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
			return err
		},
		"CancelTask": func(id a2a.TaskID, _ a2a.ContextID) error {
			_, err := svc.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
			return err
		},
		"SubscribeToTask": func(id a2a.TaskID, _ a2a.ContextID) error {
			_, err := svc.Subscribe(ctx, &a2a.SubscribeRequest{ID: id})
			return err
		},
		"SubscribeToTask with replay": func(id a2a.TaskID, _ a2a.ContextID) error {
			_, err := svc.Subscribe(ctx, &a2a.SubscribeRequest{ID: id, After: "1"})
			return err
		},
		"SendMessage": func(id a2a.TaskID, _ a2a.ContextID) error {
			req := text("x")
			req.Message.TaskID = id
			_, err := svc.SendMessage(ctx, req)
			return err
		},
		"SendMessage with the context": func(id a2a.TaskID, c a2a.ContextID) error {
			req := text("x")
			req.Message.TaskID, req.Message.ContextID = id, c
			_, err := svc.SendMessage(ctx, req)
			return err
		},
		"SendStreamingMessage": func(id a2a.TaskID, _ a2a.ContextID) error {
			req := text("x")
			req.Message.TaskID = id
			_, err := svc.StreamMessage(ctx, req)
			return err
		},
	}
}

// failing is a journal whose appends can be made to fail.
type failing struct {
	journal.Journal
	mu  sync.Mutex
	err error
}

func (j *failing) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	j.mu.Lock()
	err := j.err
	j.mu.Unlock()
	if err != nil {
		return journal.Lease{}, err
	}
	return j.Journal.Append(ctx, c)
}

func (j *failing) fail(err error) {
	j.mu.Lock()
	j.err = err
	j.mu.Unlock()
}

func TestFailedCommitStopsTheTurn(t *testing.T) {
	t.Parallel()
	diskFull := errors.New("disk full")
	j := &failing{Journal: memory.New(nil)}
	cause := make(chan error, 1)
	begun := make(chan struct{})
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		close(begun)
		t.Working()
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return t.Artifact("late", part("x"))
	}), &engine.Options{Journal: j})
	j.fail(diskFull)
	_, err := f.svc.SendMessage(f.ctx, text("hi"))
	wantKind(t, err, a2a.ErrInternal)
	if strings.Contains(a2a.AsError(err).PublicMessage(), "disk") {
		t.Errorf("the client learns the cause: %v", err)
	}
	<-begun
	if got := <-cause; !errors.Is(got, diskFull) {
		t.Errorf("the turn's context ended with %v", got)
	}
	j.fail(nil)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts  engine.Options
		field string
	}{
		{engine.Options{LeaseTTL: -1}, "LeaseTTL"},
		{engine.Options{TurnLimit: -1}, "TurnLimit"},
		{engine.Options{CancelGrace: -1}, "CancelGrace"},
		{engine.Options{Retention: -1}, "Retention"},
		{engine.Options{MaxWaiting: -1}, "MaxWaiting"},
	} {
		if _, err := engine.New(&tt.opts); err == nil || !strings.Contains(err.Error(), tt.field) {
			t.Errorf("New with a negative %s: %v", tt.field, err)
		}
	}
}

// A wrapper that embeds an agent hides that this can be cancelled and resumed: the engine says so when it starts.
func TestAgentWarnsOfHiddenAbilities(t *testing.T) {
	t.Parallel()
	type wrapper struct{ agent.Agent }
	nothing := func(context.Context, *agent.Turn) error { return nil }
	for name, test := range map[string]struct {
		agent agent.Agent
		want  string // methods that are missing
	}{
		"hides that it is resumable": {wrapper{resumable{nothing}}, "Resumable"},
		"hides nothing":              {wrapper{agent.Func(nothing)}, ""},
		"is no wrapper":              {resumable{nothing}, ""},
	} {
		var log bytes.Buffer
		f := start(t, test.agent, &engine.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err := f.e.Shutdown(f.ctx); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: the log has %q", name, got)
		}
	}
}
