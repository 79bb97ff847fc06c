// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Service returns svc, whose answers have signed URLs in place of references to files. base returns the URL under which
// clients reach the server that answers [Store.ServeHTTP], at each call, as a server may learn it only when it listens;
// while it returns "" references are shown.
//
// Signing is done for each reader, because a URL that was kept in the journal would have expired when it is needed.
func (s *Store) Service(svc a2a.Service, base func() string) a2a.Service {
	return &signing{Service: svc, store: s, base: base}
}

type signing struct {
	a2a.Service
	store *Store
	base  func() string
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

func (s *signing) view() view { return s.part }

// part puts a signed URL in place of a reference.
func (s *signing) part(p a2a.Part) a2a.Part {
	id, name, ok := parseReference(string(p.Content.(a2a.URL)))
	base := s.base()
	if ok && base != "" {
		p.Content = a2a.URL(s.store.URL(base, id, name, time.Now()))
	}
	return p
}

func (s *signing) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	res, err := s.Service.SendMessage(ctx, req)
	if t, ok := res.(*a2a.Task); ok && err == nil {
		return s.view().task(t), nil
	}
	return res, err
}

func (s *signing) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return s.stream(s.Service.StreamMessage(ctx, req))
}

func (s *signing) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return s.stream(s.Service.Subscribe(ctx, req))
}

func (s *signing) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	t, err := s.Service.GetTask(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.view().task(t), nil
}

func (s *signing) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	t, err := s.Service.CancelTask(ctx, req)
	if err != nil {
		return nil, err
	}
	return s.view().task(t), nil
}

func (s *signing) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	res, err := s.Service.ListTasks(ctx, req)
	if err != nil {
		return nil, err
	}
	page := *res
	page.Tasks = slices.Clone(res.Tasks)
	for i, t := range page.Tasks {
		page.Tasks[i] = s.view().task(t)
	}
	return &page, nil
}

// stream replaces the events that refer to files; all others go on as they are, with the bytes that readers share.
func (s *signing) stream(events iter.Seq2[a2a.StreamEvent, error], err error) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err != nil {
		return nil, err
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for ev, err := range events {
			if shown := s.view().event(ev.Event); shown != ev.Event {
				ev = a2a.NewStreamEvent(ev.ID, shown).WithMore(ev.More())
			}
			if !yield(ev, err) {
				return
			}
		}
	}, nil
}

// A view is what stands in place of parts with a URL, in what an agent has made: what others sent is theirs, and could
// name any file. It returns what it is given when nothing changes, and copies otherwise.
type view func(a2a.Part) a2a.Part

func (v view) event(e a2a.Event) a2a.Event {
	switch e := e.(type) {
	case *a2a.Task:
		return v.task(e)
	case *a2a.StatusUpdate:
		if m := v.message(e.Status.Message); m != e.Status.Message {
			c := *e
			c.Status.Message = m
			return &c
		}
	case *a2a.ArtifactUpdate:
		if a := v.artifact(e.Artifact); a != e.Artifact {
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
	c.Artifacts = each(t.Artifacts, v.artifact)
	c.History = each(t.History, v.message)
	c.Status.Message = v.message(t.Status.Message)
	if same(c.Artifacts, t.Artifacts) && same(c.History, t.History) && c.Status.Message == t.Status.Message {
		return t
	}
	return &c
}

func (v view) message(m *a2a.Message) *a2a.Message {
	if m == nil || m.Role != a2a.RoleAgent {
		return m
	}
	parts := v.parts(m.Parts)
	if same(parts, m.Parts) {
		return m
	}
	c := *m
	c.Parts = parts
	return &c
}

func (v view) artifact(a *a2a.Artifact) *a2a.Artifact {
	if a == nil {
		return nil
	}
	parts := v.parts(a.Parts)
	if same(parts, a.Parts) {
		return a
	}
	c := *a
	c.Parts = parts
	return &c
}

func (v view) parts(parts []a2a.Part) []a2a.Part {
	shown := parts
	for i := range parts {
		if url, ok := parts[i].Content.(a2a.URL); ok && strings.HasPrefix(string(url), reference) {
			if same(shown, parts) {
				shown = slices.Clone(parts)
			}
			shown[i] = v(parts[i])
		}
	}
	return shown
}

// each returns list with what f makes of its elements; list itself if that is the same.
func each[T any](list []*T, f func(*T) *T) []*T {
	shown := list
	for i, e := range list {
		c := f(e)
		if c == e {
			continue
		}
		if same(shown, list) {
			shown = slices.Clone(list)
		}
		shown[i] = c
	}
	return shown
}

// same reports whether two slices of one length are one.
func same[T any](a, b []T) bool { return len(a) == 0 || &a[0] == &b[0] }
