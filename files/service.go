// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A Scoped service says whose tasks a call reaches, like that of an engine: a task's id alone does not tell its
// owner. If you wrap the service of an engine, wrap the result of [Store.Service].
type Scoped interface {
	a2a.Service
	// Scope is asked, with the operation as in [auth.Access], when an answer has a reference in it.
	Scope(ctx context.Context, operation, tenant string) (journal.Scope, error)
}

// Service returns svc, whose answers have signed URLs in place of references to files of the task that is shown. base
// is the URL under which clients reach the handler that calls [Store.ServeHTTP]; "" means the server that took the
// call, from [a2a.Call]. Calls within one process have no server and get references. Messages with references are
// refused with a2a.ErrInvalidParams, because clients never need to send one.
//
// Signing is done for each reader, because a URL that was kept in the journal would have expired when it is needed, and
// because readers may reach the server under different names.
func (s *Store) Service(svc Scoped, base string) a2a.Service {
	return &signing{Service: svc, scope: svc.Scope, store: s, base: base}
}

type signing struct {
	a2a.Service
	scope func(ctx context.Context, operation, tenant string) (journal.Scope, error)
	store *Store
	base  string
}

// Capabilities returns those of the service, if it says them.
func (s *signing) Capabilities() a2a.AgentCapabilities {
	if can, ok := s.Service.(interface {
		Capabilities() a2a.AgentCapabilities
	}); ok {
		return can.Capabilities()
	}
	return a2a.AgentCapabilities{}
}

// AgentCard returns that of the service, if it has one.
func (s *signing) AgentCard() *a2a.AgentCard {
	if carded, ok := s.Service.(interface{ AgentCard() *a2a.AgentCard }); ok {
		return carded.AgentCard()
	}
	return nil
}

// view returns what puts signed URLs in place of references, for the caller of an operation. It asks whose tasks the
// call reaches when it finds the first reference.
func (s *signing) view(ctx context.Context, operation, tenant string) view {
	base := cmp.Or(s.base, a2a.CallFrom(ctx).BaseURL)
	return s.store.view(base, sync.OnceValues(func() (journal.Scope, error) { return s.scope(ctx, operation, tenant) }))
}

// Shown returns an event of a task with signed URLs in place of references, for those who get it without a call, as
// webhooks do. base is as of [Store.Service].
func (s *Store) Shown(key journal.Key, base string, e a2a.Event) a2a.Event {
	return s.view(base, func() (journal.Scope, error) { return key.Scope, nil }).event(e)
}

func (s *Store) view(base string, scope func() (journal.Scope, error)) view {
	return func(task a2a.TaskID, p a2a.Part) a2a.Part {
		id, name, ok := parseReference(string(p.Content.(a2a.URL)))
		if !ok || base == "" {
			return p
		}
		if scope, err := scope(); err == nil && isOf(journal.Key{Scope: scope, ID: task}, id) {
			p.Content = a2a.URL(s.URL(base, id, name, time.Now()))
		}
		return p
	}
}

// checkMessage refuses references: what comes in with a message must not be taken for a file of the task, whatever role
// the message has.
func checkMessage(req *a2a.SendMessageRequest) error {
	if req == nil || req.Message == nil {
		return nil // refused by the service
	}
	for i, p := range req.Message.Parts {
		if url, ok := p.Content.(a2a.URL); ok && strings.HasPrefix(string(url), reference) {
			return a2a.InvalidParams(fmt.Sprintf("message.parts[%d].url", i),
				"refers to a file within this server; send the file's bytes, or the URL under which it can be had")
		}
	}
	return nil
}

func (s *signing) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if err := checkMessage(req); err != nil {
		return nil, err
	}
	res, err := s.Service.SendMessage(ctx, req)
	if t, ok := res.(*a2a.Task); ok && err == nil {
		return s.view(ctx, "SendMessage", req.Tenant).task(t), nil
	}
	return res, err
}

func (s *signing) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	if err := checkMessage(req); err != nil {
		return nil, err
	}
	events, err := s.Service.StreamMessage(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.view(ctx, "SendStreamingMessage", req.Tenant).stream(events), nil
}

func (s *signing) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	events, err := s.Service.Subscribe(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.view(ctx, "SubscribeToTask", req.Tenant).stream(events), nil
}

func (s *signing) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	t, err := s.Service.GetTask(ctx, req)
	return s.view(ctx, "GetTask", req.Tenant).task(t), err
}

func (s *signing) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	t, err := s.Service.CancelTask(ctx, req)
	return s.view(ctx, "CancelTask", req.Tenant).task(t), err
}

func (s *signing) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	res, err := s.Service.ListTasks(ctx, req)
	if err != nil {
		return nil, err
	}
	view := s.view(ctx, "ListTasks", req.Tenant)
	page := *res
	page.Tasks = slices.Clone(res.Tasks)
	for i, t := range page.Tasks {
		page.Tasks[i] = view.task(t)
	}
	return &page, nil
}

// stream replaces the events that refer to files; all others go on as they are, with the bytes that readers share.
func (v view) stream(events iter.Seq2[a2a.StreamEvent, error]) iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for ev, err := range events {
			if shown := v.event(ev.Event); shown != ev.Event {
				ev = a2a.NewStreamEvent(ev.ID, shown).WithMore(ev.More())
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// A view is what stands in place of references, in what an agent has made in a task: what others sent is theirs, and
// could name any file. It returns what it is given when nothing changes, and copies otherwise.
type view func(a2a.TaskID, a2a.Part) a2a.Part

func (v view) event(e a2a.Event) a2a.Event {
	switch e := e.(type) {
	case *a2a.Task:
		return v.task(e)
	case *a2a.StatusUpdate:
		if m := v.message(e.TaskID, e.Status.Message); m != e.Status.Message {
			c := *e
			c.Status.Message = m
			return &c
		}
	case *a2a.ArtifactUpdate:
		if a := v.artifact(e.TaskID, e.Artifact); a != e.Artifact {
			c := *e
			c.Artifact = a
			return &c
		}
	}
	return e
}

func (v view) task(t *a2a.Task) *a2a.Task {
	if t == nil {
		return nil
	}
	c := *t
	c.Artifacts = each(t.ID, t.Artifacts, v.artifact)
	c.History = each(t.ID, t.History, v.message)
	c.Status.Message = v.message(t.ID, t.Status.Message)
	if same(c.Artifacts, t.Artifacts) && same(c.History, t.History) && c.Status.Message == t.Status.Message {
		return t
	}
	return &c
}

func (v view) message(task a2a.TaskID, m *a2a.Message) *a2a.Message {
	if m == nil || m.Role != a2a.RoleAgent {
		return m
	}
	if parts := v.parts(task, m.Parts); !same(parts, m.Parts) {
		c := *m
		c.Parts = parts
		return &c
	}
	return m
}

func (v view) artifact(task a2a.TaskID, a *a2a.Artifact) *a2a.Artifact {
	if a == nil {
		return nil
	}
	if parts := v.parts(task, a.Parts); !same(parts, a.Parts) {
		c := *a
		c.Parts = parts
		return &c
	}
	return a
}

func (v view) parts(task a2a.TaskID, parts []a2a.Part) []a2a.Part {
	shown := parts
	for i := range parts {
		if url, ok := parts[i].Content.(a2a.URL); ok && strings.HasPrefix(string(url), reference) {
			if same(shown, parts) {
				shown = slices.Clone(parts)
			}
			shown[i] = v(task, parts[i])
		}
	}
	return shown
}

// each returns list with what f makes of its elements; list itself if that is the same.
func each[T any](task a2a.TaskID, list []*T, f func(a2a.TaskID, *T) *T) []*T {
	shown := list
	for i, e := range list {
		if c := f(task, e); c != e {
			if same(shown, list) {
				shown = slices.Clone(list)
			}
			shown[i] = c
		}
	}
	return shown
}

// same reports whether two slices of one length are one.
func same[T any](a, b []T) bool { return len(a) == 0 || &a[0] == &b[0] }
