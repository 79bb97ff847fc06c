// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// Head implements [journal.Journal].
func (j *Journal) Head(ctx context.Context, key journal.Key) (*journal.Head, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	return t.head, nil
}

// Load implements [journal.Journal]. The task is folded outside the journal's lock, because that can take long.
func (j *Journal) Load(ctx context.Context, key journal.Key) (*journal.Snapshot, error) {
	f, err := j.folding(ctx, key)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	t, err := j.find(key)
	if err != nil || t.fold != f { // gone, or gone and made again, since a moment ago
		j.mu.Unlock()
		return nil, journal.ErrNotFound
	}
	head, events := t.head, t.events
	j.mu.Unlock()
	return f.snapshot(head, events), nil
}

func (j *Journal) folding(ctx context.Context, key journal.Key) (*fold, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	if t.fold == nil {
		t.fold = new(fold)
	}
	return t.fold, nil
}

// Events implements [journal.Journal].
func (j *Journal) Events(ctx context.Context, key journal.Key, after uint64, limit int) ([]journal.Event, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	last := uint64(len(t.events))
	if after >= last || limit <= 0 {
		return nil, nil
	}
	end := min(last, after+uint64(limit))
	return t.events[after:end:end], nil
}

// TaskState implements [journal.Journal].
func (j *Journal) TaskState(ctx context.Context, key journal.Key) ([]byte, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	if t.more == nil {
		return nil, nil
	}
	return t.more.state, nil
}

// ContextState implements [journal.Journal].
func (j *Journal) ContextState(ctx context.Context, scope journal.Scope, id a2a.ContextID) ([]byte, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	s := j.scopes[scope]
	if s == nil || s.contexts[id] == nil {
		return nil, nil
	}
	return s.contexts[id].state, nil
}

// List implements [journal.Journal]. It costs the page. Only the first query of a context for a state costs the
// context. Tasks are folded outside the journal's lock. A task that was changed meanwhile is shown as it is by then,
// and one that was removed is left out.
func (j *Journal) List(ctx context.Context, scope journal.Scope, q journal.Query) (*journal.Page, error) {
	q.Whole = q.Whole || q.Tasks
	page, err := j.list(ctx, scope, q)
	if err != nil || !q.Tasks {
		return page, err
	}
	heads := page.Heads
	page.Heads, page.Tasks = make([]*journal.Head, 0, len(heads)), make([]*a2a.Task, 0, len(heads))
	for _, h := range heads {
		s, err := j.Load(ctx, h.Key)
		if errors.Is(err, journal.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		page.Heads, page.Tasks = append(page.Heads, s.Head), append(page.Tasks, s.Task)
	}
	return page, nil
}

// list returns a page of heads.
func (j *Journal) list(ctx context.Context, scope journal.Scope, q journal.Query) (*journal.Page, error) {
	var from *keyset.Place
	if q.PageToken != "" {
		p, err := keyset.Decode(scope, q)
		if err != nil {
			return nil, err
		}
		from = &p
	}
	if q.Limit <= 0 {
		q.Limit = journal.DefaultPage
	}
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	s := j.scopes[scope]
	if s == nil {
		return &journal.Page{}, nil
	}
	o := s.order(q)
	if o == nil {
		return &journal.Page{}, nil
	}
	oldest := keyset.Nanos(q.Since)
	page := &journal.Page{Total: o.len - o.before(keyset.Place{Time: oldest}),
		Heads: make([]*journal.Head, 0, min(q.Limit, o.len))}
	var bytes int64
	o.descend(from, func(t *task) bool {
		if t.place.Time < oldest {
			return false
		}
		bytes += t.shownBytes(q)
		if n := len(page.Heads); n == q.Limit || q.MaxBytes > 0 && bytes > q.MaxBytes && n > 0 {
			page.Next = keyset.Encode(scope, q, placeOf(page.Heads[n-1]))
			return false
		}
		page.Heads = append(page.Heads, t.head)
		return true
	})
	return page, nil
}

// shownBytes returns what a task adds to a page.
func (t *task) shownBytes(q journal.Query) int64 {
	switch {
	case q.Whole:
		return t.bytes
	case q.MaxBytes > 0:
		return int64(a2a.SizeOf(t.head.Status.Message) + metadataBytes(t.head.Metadata))
	}
	return 0
}

func placeOf(h *journal.Head) keyset.Place {
	return keyset.Place{Time: keyset.Nanos(h.Status.Timestamp), ID: h.Key.ID}
}

// order returns the order of all the matches, however old; nil when there are none.
func (s *scope) order(q journal.Query) *order {
	if q.State < 0 || int(q.State) >= len(s.byState) {
		return nil
	}
	switch {
	case q.ContextID != "":
		c := s.contexts[q.ContextID]
		if c == nil {
			return nil
		}
		if q.State != 0 {
			return c.ofState(q.State)
		}
		return &c.tasks
	case q.State != 0:
		return &s.byState[q.State]
	}
	return &s.all
}
