// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// The limits of what a turn is given of the other tasks of its context: the newest.
const (
	maxRelated      = 50
	maxRelatedBytes = 16 << 20
)

// An openTurn is the turn.Backend of its agent.
var _ turn.Backend = (*openTurn)(nil)

// over returns why this turn may not write any more; nil while it may. A turn whose agent has returned is over even
// when the runner goes on.
func (t *openTurn) over() error {
	select {
	case <-t.done:
		return agent.ErrOver
	default:
		return nil
	}
}

func (t *openTurn) emit(ev journal.Event) error {
	if err := t.over(); err != nil {
		return err
	}
	return t.r.emit(t.ctx, ev)
}

// Status implements turn.Backend.
func (t *openTurn) Status(state a2a.TaskState, message *a2a.Message) error {
	if message != nil {
		if err := validUTF8(message.Parts); err != nil {
			return err
		}
	}
	return t.emit(t.r.statusEvent(state, message))
}

// Artifact implements turn.Backend.
func (t *openTurn) Artifact(a *a2a.Artifact, appendParts, last bool) error {
	if err := validUTF8Artifact(a); err != nil {
		return err
	}
	return t.emit(journal.Event{Time: now(), Wire: a2a.StreamEvent{Event: &a2a.ArtifactUpdate{
		TaskID: t.r.key.ID, ContextID: t.r.contextID, Artifact: a, Append: appendParts, LastChunk: last,
	}}})
}

// Metadata implements turn.Backend.
func (t *openTurn) Metadata(m a2a.Metadata) error {
	if err := validUTF8Metadata(m); err != nil {
		return err
	}
	return t.emit(journal.Event{Time: now(), Metadata: m})
}

// Save implements turn.Backend.
func (t *openTurn) Save(ctx context.Context, taskState, contextState []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := t.over(); err != nil {
		return err
	}
	return t.r.flush(change{taskState: taskState, contextState: contextState})
}

// TaskState implements turn.Backend.
func (t *openTurn) TaskState(ctx context.Context) ([]byte, error) {
	raw, err := t.r.e.journal.TaskState(ctx, t.r.key)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil // not created yet
	}
	return raw, err
}

// ContextState implements turn.Backend.
func (t *openTurn) ContextState(ctx context.Context) ([]byte, error) {
	return t.r.e.journal.ContextState(ctx, t.r.key.Scope, t.r.contextID)
}

// Pause implements turn.Backend.
func (t *openTurn) Pause(ctx context.Context, state a2a.TaskState, message *a2a.Message) (*a2a.Message, error) {
	if err := t.Status(state, message); err != nil {
		return nil, err
	}
	if err := t.r.flush(change{}); err != nil {
		return nil, err
	}
	m, err := t.Next(ctx)
	if err != nil && t.over() == nil && t.ctx.Err() == nil {
		// No answer arrived in time, but the turn goes on.
		return nil, errors.Join(err, t.Status(a2a.TaskStateWorking, nil))
	}
	return m, err
}

// Next implements turn.Backend.
func (t *openTurn) Next(ctx context.Context) (*a2a.Message, error) {
	if err := t.over(); err != nil {
		return nil, err
	}
	m, err := t.nextMessage(ctx)
	if err != nil {
		return nil, err
	}
	return m, t.r.flush(change{})
}

// Task implements turn.Backend.
func (t *openTurn) Task() *a2a.Task { return t.r.task() }

// WakeToken implements turn.Backend.
func (t *openTurn) WakeToken() string { return wakeToken(t.r.key) }

// Credentials implements turn.Backend.
func (t *openTurn) Credentials(id a2a.MessageID) (a2a.Credentials, bool) {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	c, ok := t.learned[id]
	return c, ok && t.over() == nil
}

// Peer implements turn.Backend.
func (t *openTurn) Peer(name string, to a2a.Service) {
	if t.over() == nil { // nobody recalls what comes after that
		t.r.svc.peers.note(t.r.key, name, to)
	}
}

// Related implements turn.Backend.
func (t *openTurn) Related(ctx context.Context) ([]*a2a.Task, error) {
	seen := map[a2a.TaskID]bool{t.r.key.ID: true}
	var tasks []*a2a.Task
	add := func(id a2a.TaskID) error {
		if seen[id] || len(seen) > maxRelated {
			return nil
		}
		seen[id] = true
		snap, err := t.r.e.journal.Load(ctx, journal.Key{Scope: t.r.key.Scope, ID: id})
		if errors.Is(err, journal.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		tasks = append(tasks, snap.Task)
		return nil
	}
	if m := t.start.message; m != nil {
		for _, id := range m.ReferenceTaskIDs {
			if err := add(id); err != nil {
				return nil, err
			}
		}
	}
	page, err := t.r.e.journal.List(ctx, t.r.key.Scope, journal.Query{
		ContextID: t.r.contextID, Limit: maxRelated, MaxBytes: maxRelatedBytes, Whole: true,
	})
	if err != nil {
		return nil, err
	}
	for _, head := range page.Heads {
		if err := add(head.Key.ID); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}
