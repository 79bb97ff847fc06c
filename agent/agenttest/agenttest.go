// SPDX-License-Identifier: Apache-2.0

// Package agenttest tests an agent without a server: it runs the agent on an engine in memory, so that what a test
// sees is what a client would see.
//
//	h := agenttest.New(t, myAgent, nil)
//	first := h.Send("How much is 1 USD?")
//	if first.State() != a2a.TaskStateInputRequired {
//		t.Errorf("got %v", first) // its state, what it says, progress and artifacts
//	}
//	second := h.Reply(first, "CAD")
//
// [Harness.Fill] answers a form, [Result.Decode] and [Result.Artifact] read data.
package agenttest

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// Options configure a [Harness]. The zero value is ready.
type Options struct {
	Card        *a2a.AgentCard // its media types are checked; nil means that any are taken
	OutputModes []string       // what the caller accepts; empty means any
	Caller      a2a.Identity
	Engine      *engine.Options
}

// A Harness runs one agent for one test.
type Harness struct {
	Service a2a.Service
	Engine  *engine.Engine

	t    testing.TB
	ctx  context.Context
	opts Options
}

// New returns a Harness, which ends with the test.
func New(t testing.TB, a agent.Agent, opts *Options) *Harness {
	t.Helper()
	h := &Harness{t: t}
	if opts != nil {
		h.opts = *opts
	}
	e, err := engine.New(h.opts.Engine)
	if err != nil {
		t.Fatal(err)
	}
	h.Engine = e
	h.Service = validating{e.Agent("test", a, &engine.AgentOptions{Card: h.opts.Card})}
	h.ctx = a2a.WithCall(context.Background(), &a2a.Call{Identity: h.opts.Caller})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		e.Shutdown(ctx) // turns that a test left open are released
	})
	return h
}

// validating checks messages before an engine gets them, as a server does: engines do not validate requests.
type validating struct{ engine.Service }

func (v validating) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	return v.Service.SendMessage(ctx, req)
}

func (v validating) StreamMessage(
	ctx context.Context, req *a2a.SendMessageRequest,
) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	return v.Service.StreamMessage(ctx, req)
}

// Context returns the context that the Harness makes its calls with.
func (h *Harness) Context() context.Context { return h.ctx }

// Result is what came of a message.
type Result struct {
	Task    *a2a.Task    // nil when the agent replied with a message
	Message *a2a.Message // nil when there is a task
	Events  []a2a.Event  // what a stream showed, the first event included

	t testing.TB
}

// State returns the task's state, unspecified when there is no task.
func (r *Result) State() a2a.TaskState {
	if r.Task == nil {
		return a2a.TaskStateUnspecified
	}
	return r.Task.Status.State
}

// Text returns all text the caller reads: that of the message, or of the artifacts, or else of the status.
func (r *Result) Text() string {
	if r.Task == nil {
		return r.Message.Text()
	}
	return r.Task.Text()
}

// StatusText returns the text of the task's status message; "" when there is no task.
func (r *Result) StatusText() string {
	if r.Task == nil {
		return ""
	}
	return r.Task.Status.Message.Text()
}

// Artifact returns the artifact with a name, nil when there is none; its methods Text and Decode take that, too.
func (r *Result) Artifact(name string) *a2a.Artifact {
	if r.Task == nil {
		return nil
	}
	return r.Task.Artifact(name)
}

// Decode reads the first data part of what the agent said last into v: of the message, or of the task's status. It
// fails the test when there is none or it does not fit v.
func (r *Result) Decode(v any) {
	r.t.Helper()
	m := r.Message
	if r.Task != nil {
		m = r.Task.Status.Message
	}
	if err := m.Decode(v); err != nil {
		r.t.Fatalf("%v, in %v", err, r)
	}
}

// String says the whole result in a few lines, for the failures of tests: the state and what the agent says, then what
// happened on the way there, then the artifacts.
func (r *Result) String() string {
	if r.Task == nil {
		return "message" + said(r.Message)
	}
	var b strings.Builder
	b.WriteString(word(r.State()) + said(r.Task.Status.Message))
	for _, e := range r.Events {
		if u, ok := e.(*a2a.StatusUpdate); ok && !u.Status.State.Terminal() && !u.Status.State.Interrupted() {
			fmt.Fprintf(&b, "\n  %s%s", word(u.Status.State), said(u.Status.Message))
		}
	}
	for _, a := range r.Task.Artifacts {
		fmt.Fprintf(&b, "\n  artifact %q: %s", a.Name, show(a.Parts))
	}
	return b.String()
}

// word returns a state as people say it, such as "input-required".
func word(s a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.String(), "TASK_STATE_")), "_", "-")
}

// said returns what a message says after a colon; "" without one.
func said(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	return ": " + show(m.Parts)
}

// show returns parts in one line: text in quotes, that of chunks as one, data as JSON, and files by what they are.
func show(parts []a2a.Part) string {
	var shown []string
	for i, p := range parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			if i > 0 && parts[i-1].Text() != "" {
				continue // shown with the one before
			}
			text := string(c)
			for _, more := range parts[i+1:] {
				if more.Text() == "" {
					break
				}
				text += more.Text()
			}
			shown = append(shown, strconv.Quote(text))
		case a2a.Data:
			shown = append(shown, string(c))
		case a2a.URL:
			shown = append(shown, string(c))
		case a2a.Raw:
			shown = append(shown, strings.TrimSpace(fmt.Sprintf("%d bytes %s %s", len(c), p.MediaType, p.Filename)))
		}
	}
	return strings.Join(shown, ", ")
}

// Send sends a text that starts a task and waits until the task ends or waits.
func (h *Harness) Send(text string) *Result {
	h.t.Helper()
	return h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)))
}

// Reply sends a text to the task of an earlier result.
func (h *Harness) Reply(to *Result, text string) *Result {
	h.t.Helper()
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	return h.sendTo(to, m)
}

// Fill sends data, such as a filled form, to the task of an earlier result.
func (h *Harness) Fill(to *Result, values any) *Result {
	h.t.Helper()
	data, err := a2a.DataPart(values)
	if err != nil {
		h.t.Fatal(err)
	}
	m := a2a.NewMessage(a2a.RoleUser, data)
	return h.sendTo(to, m)
}

func (h *Harness) sendTo(to *Result, m *a2a.Message) *Result {
	h.t.Helper()
	if to == nil || to.Task == nil {
		h.t.Fatalf("there is no task to answer: the earlier result is %v", to)
	}
	m.TaskID, m.ContextID = to.Task.ID, to.Task.ContextID
	return h.SendMessage(m)
}

// SendMessage sends a message over a stream and returns all that came of it. A refusal fails the test.
func (h *Harness) SendMessage(m *a2a.Message) *Result {
	h.t.Helper()
	stream, err := h.Service.StreamMessage(h.ctx, &a2a.SendMessageRequest{
		Message: m, Configuration: &a2a.SendConfiguration{AcceptedOutputModes: h.opts.OutputModes},
	})
	if err != nil {
		h.t.Fatalf("send: %v", err)
	}
	r := &Result{t: h.t}
	var id a2a.TaskID
	for ev, err := range stream {
		if err != nil {
			h.t.Fatalf("stream: %v", err)
		}
		r.Events = append(r.Events, ev.Event)
		switch e := ev.Event.(type) {
		case *a2a.Message:
			r.Message = e
		case *a2a.Task:
			id = e.ID
		}
	}
	if r.Message == nil {
		if r.Task, err = h.Service.GetTask(h.ctx, &a2a.GetTaskRequest{ID: id}); err != nil {
			h.t.Fatalf("get: %v", err)
		}
	}
	return r
}
