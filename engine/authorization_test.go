// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// bank needs an authorization for each message but "thanks", and says in which way it came.
type bank struct {
	mu    sync.Mutex
	state string            // of the last question
	kept  map[string]string // what was granted, by the grant's ID
	inOne bool              // it waits within the turn
}

func (b *bank) Run(ctx context.Context, t *agent.Turn) error {
	b.mu.Lock()
	granted := b.kept[t.Grant()]
	b.mu.Unlock()
	if c, ok := t.Credentials(t.Message()); ok {
		granted = "in band: " + c.Value
	}
	if granted != "" || t.Text() == "thanks" {
		return t.Ask(part("granted: " + granted))
	}
	need := agent.Authorization{Schemes: []string{"oauth2"}, Instructions: "Let me see your account.",
		Grant: t.NewGrant()}
	need.URL = "https://bank.example/login?state=" + need.Grant
	b.mu.Lock()
	b.state = need.Grant
	b.mu.Unlock()
	if !b.inOne {
		return t.Authorize(need)
	}
	parts, err := need.Parts()
	if err != nil {
		return err
	}
	m, err := t.AwaitAuth(ctx, parts...)
	if err != nil {
		return err
	}
	c, ok := t.Credentials(m)
	return t.Complete(part(map[bool]string{false: "a grant", true: "in band: " + c.Value}[ok]))
}

// keep stores what was granted.
func (b *bank) keep(_ context.Context, g engine.Grant) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = map[string]string{}
	}
	b.kept[g.ID] = "the token of " + g.Task.Owner
	return nil
}

func (b *bank) asked() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// as makes a call that of a user over the network, with extensions.
func (f *fixture) as(user string, extensions ...string) {
	f.ctx = a2a.WithCall(context.Background(), &a2a.Call{Identity: a2a.Identity{Subject: user},
		Generation: a2a.Generation10, Extensions: extensions})
}

// settled waits until a task waits for its caller again, or has ended.
func (f *fixture) settled(id a2a.TaskID, state a2a.TaskState) *a2a.Task {
	f.t.Helper()
	events, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: id})
	if errors.Is(err, a2a.ErrUnsupportedOperation) {
		return f.get(id)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for ev, err := range events {
		if err != nil {
			f.t.Fatal(err)
		}
		switch e := ev.Event.(type) {
		case *a2a.Task:
			if e.Status.State == state {
				return f.get(id)
			}
		case *a2a.StatusUpdate:
			if e.Status.State == state {
				return f.get(id)
			}
		}
	}
	return f.get(id)
}

// A callback lets a task go on once, also after a restart, and only while the task asks for just that.
func TestGranted(t *testing.T) {
	t.Parallel()
	b, j := &bank{}, memory.New(nil)
	defer j.Close()
	f := start(t, b, &engine.Options{Journal: j})
	f.as("ann")
	task := f.send(text("pay"))
	wantState(t, task, a2a.TaskStateAuthRequired)
	need, ok := agent.FindAuthorization(task.Status.Message.Parts...)
	if !ok || need.URL != "https://bank.example/login?state="+b.asked() || need.Schemes[0] != "oauth2" {
		t.Errorf("the task shows %+v, %v", need, task.Status.Message)
	}
	first := b.asked()
	for _, secret := range []string{"", ".", "WyJ0ZXN0IiwiIiwiIiwieCJd.x", first + "x", first[:len(first)-1]} {
		wantKind(t, f.e.Granted(f.ctx, secret, b.keep), a2a.ErrInvalidParams)
	}
	failed := errors.New("the person is not ann")
	if err := f.e.Granted(f.ctx, first, func(_ context.Context, g engine.Grant) error {
		if g.Task.Owner != "ann" || g.Task.ID != task.ID {
			t.Errorf("the grant is for %+v", g.Task)
		}
		wantKind(t, f.e.Granted(f.ctx, first, b.keep), a2a.ErrInvalidParams) // another one at once
		return failed
	}); !errors.Is(err, failed) {
		t.Errorf("keep failed, and Granted returned %v", err)
	}
	if err := f.e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	f = start(t, b, &engine.Options{Journal: j}) // the next process
	f.as("ann")
	if err := f.e.Granted(t.Context(), first, b.keep); err != nil {
		t.Fatal(err)
	}
	wantKind(t, f.e.Granted(t.Context(), first, b.keep), a2a.ErrInvalidParams)
	task = f.settled(task.ID, a2a.TaskStateInputRequired)
	if got := partsText(task.Status.Message.Parts); got != "granted: the token of ann" {
		t.Errorf("the agent says %q", got)
	}

	// It does not cover later messages, and what was asked before is void.
	task = f.send(to(task, "pay again"))
	wantState(t, task, a2a.TaskStateAuthRequired)
	second := b.asked()
	wantKind(t, f.e.Granted(t.Context(), first, b.keep), a2a.ErrInvalidParams)
	task = f.send(to(task, "thanks"))
	wantState(t, task, a2a.TaskStateInputRequired)
	wantKind(t, f.e.Granted(t.Context(), second, b.keep), a2a.ErrInvalidParams)
	if got := partsText(f.get(task.ID).Status.Message.Parts); got != "granted: " {
		t.Errorf("a later message has a grant: %q", got)
	}
}

// A wake-up is no authorization.
func TestWakeIsNoGrant(t *testing.T) {
	t.Parallel()
	token := make(chan string, 2)
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		token <- t.WakeToken()
		return t.NeedAuth(part("log in"))
	}), nil)
	task := f.send(text("pay"))
	if err := f.e.Wake(f.ctx, <-token); err != nil {
		t.Fatal(err)
	}
	task = f.send(to(task, "thanks")) // the turn after the wake-up was dropped
	wantState(t, task, a2a.TaskStateAuthRequired)
	if len(token) != 1 {
		t.Errorf("%d turns began by the wake-up", len(token)-1)
	}
}

// A turn that waits for an authorization gets it from a callback, or from a message.
func TestAwaitedGrant(t *testing.T) {
	t.Parallel()
	b := &bank{inOne: true}
	f := start(t, b, nil)
	f.as("ann")
	task := f.send(text("pay"))
	wantState(t, task, a2a.TaskStateAuthRequired)
	if err := f.e.Granted(t.Context(), b.asked(), b.keep); err != nil {
		t.Fatal(err)
	}
	if got := partsText(f.settled(task.ID, a2a.TaskStateCompleted).Status.Message.Parts); got != "a grant" {
		t.Errorf("the agent says %q", got)
	}
}

// withCredentials is a message to a task that brings a secret.
func withCredentials(t *testing.T, id a2a.TaskID, value string) *a2a.SendMessageRequest {
	t.Helper()
	secret, err := a2a.Credentials{Scheme: "bearer", Value: value}.Part()
	if err != nil {
		t.Fatal(err)
	}
	req := text("here it is")
	req.Message.TaskID = id
	req.Message.Parts = append(req.Message.Parts, secret)
	return req
}

// Credentials in messages are for tasks that wait for them, of agents that take them, by clients that say so.
func TestCredentialsInMessages(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-marked"
	for _, inOne := range []bool{false, true} {
		b := &bank{inOne: inOne}
		f := start(t, b, nil)
		f.as("ann", a2a.CredentialsExtension)
		task := f.send(text("pay"))
		refused := func(why string, req *a2a.SendMessageRequest) {
			_, err := f.svc.SendMessage(f.ctx, req)
			if !errors.Is(err, a2a.ErrInvalidParams) {
				t.Errorf("%s: %v", why, err)
			}
		}
		refused("the agent takes none", withCredentials(t, task.ID, secret))

		f.svc = f.e.Agent("taking", b, &engine.AgentOptions{TakesCredentials: true,
			Card: &a2a.AgentCard{DefaultInputModes: []string{"text/plain"}}})
		task = f.send(text("pay"))
		refused("no task", withCredentials(t, "", secret))
		refused("no value", withCredentials(t, task.ID, ""))
		refused("too long", withCredentials(t, task.ID, string(make([]byte, 17<<10))))
		f.as("ann")
		refused("the extension is not active", withCredentials(t, task.ID, secret))
		f.as("ann", a2a.CredentialsExtension)
		task = f.send(withCredentials(t, task.ID, secret))
		if got := partsText(task.Status.Message.Parts); got != "granted: in band: "+secret &&
			got != "in band: "+secret {
			t.Errorf("the agent says %q", got)
		}
		for _, m := range task.History {
			for _, p := range m.Parts {
				if c, has := a2a.FindCredentials(p); has && c != (a2a.Credentials{}) {
					t.Errorf("history has %+v", c)
				}
			}
		}
		if inOne {
			continue
		}
		refused("the task waits for other things", withCredentials(t, task.ID, secret))
		wantState(t, f.send(to(task, "pay again")), a2a.TaskStateAuthRequired)
	}
}
