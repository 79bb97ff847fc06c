// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/journal"
)

// The limits of what a turn is given of the other tasks of its context: the newest.
const (
	maxRelated      = 50
	maxRelatedBytes = 16 << 20
)

// backend is what a turn is made of: the runner, and which of its turns this is.
type backend struct {
	r *runner
	t *openTurn
}

// over returns why this turn may not write any more; nil while it may. A turn whose agent has returned is over even
// when the runner goes on.
func (b *backend) over() error {
	if b.t.done != nil {
		select {
		case <-b.t.done:
			return agent.ErrOver
		default:
		}
	}
	return nil
}

func (b *backend) emit(ev journal.Event) error {
	if err := b.over(); err != nil {
		return err
	}
	return b.r.emit(b.t.ctx, ev)
}

// Status implements turn.Backend.
func (b *backend) Status(state a2a.TaskState, message *a2a.Message) error {
	if message != nil {
		if err := validUTF8(message.Parts); err != nil {
			return err
		}
	}
	return b.emit(b.r.statusEvent(state, message))
}

// Artifact implements turn.Backend.
func (b *backend) Artifact(a *a2a.Artifact, appendParts, last bool) error {
	if err := validUTF8Artifact(a); err != nil {
		return err
	}
	return b.emit(journal.Event{Time: now(), Wire: a2a.StreamEvent{Event: &a2a.ArtifactUpdate{
		TaskID: b.r.key.ID, ContextID: b.r.contextID, Artifact: a, Append: appendParts, LastChunk: last,
	}}})
}

// Metadata implements turn.Backend.
func (b *backend) Metadata(m a2a.Metadata) error {
	if err := validUTF8Metadata(m); err != nil {
		return err
	}
	return b.emit(journal.Event{Time: now(), Metadata: m})
}

// Save implements turn.Backend.
func (b *backend) Save(ctx context.Context, taskState, contextState []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := b.over(); err != nil {
		return err
	}
	return b.r.flush(change{taskState: taskState, contextState: contextState})
}

// TaskState implements turn.Backend.
func (b *backend) TaskState(ctx context.Context) ([]byte, error) {
	raw, err := b.r.e.journal.TaskState(ctx, b.r.key)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil // not created yet
	}
	return raw, err
}

// ContextState implements turn.Backend.
func (b *backend) ContextState(ctx context.Context) ([]byte, error) {
	return b.r.e.journal.ContextState(ctx, b.r.key.Scope, b.r.contextID)
}

// Pause implements turn.Backend.
func (b *backend) Pause(ctx context.Context, state a2a.TaskState, message *a2a.Message) (*a2a.Message, error) {
	if err := b.Status(state, message); err != nil {
		return nil, err
	}
	if err := b.r.flush(change{}); err != nil {
		return nil, err
	}
	m, err := b.Next(ctx)
	if err != nil && b.over() == nil && b.t.ctx.Err() == nil {
		// No answer arrived in time, but the turn goes on.
		return nil, errors.Join(err, b.Status(a2a.TaskStateWorking, nil))
	}
	return m, err
}

// Next implements turn.Backend.
func (b *backend) Next(ctx context.Context) (*a2a.Message, error) {
	if err := b.over(); err != nil {
		return nil, err
	}
	m, err := b.r.nextMessage(ctx, b.t)
	if err != nil {
		return nil, err
	}
	return m, b.r.flush(change{})
}

// Task implements turn.Backend.
func (b *backend) Task() *a2a.Task { return b.r.task() }

// WakeToken implements turn.Backend.
func (b *backend) WakeToken() string { return wakeToken(b.r.key) }

// Peer implements turn.Backend.
func (b *backend) Peer(name string, to a2a.Service) {
	if b.over() == nil { // nobody recalls what comes after that
		b.r.svc.peers.note(b.r.key, name, to)
	}
}

// Related implements turn.Backend.
func (b *backend) Related(ctx context.Context) ([]*a2a.Task, error) {
	seen := map[a2a.TaskID]bool{b.r.key.ID: true}
	var tasks []*a2a.Task
	add := func(id a2a.TaskID) error {
		if seen[id] || len(seen) > maxRelated {
			return nil
		}
		seen[id] = true
		snap, err := b.r.e.journal.Load(ctx, journal.Key{Scope: b.r.key.Scope, ID: id})
		if errors.Is(err, journal.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		tasks = append(tasks, snap.Task)
		return nil
	}
	if m := b.t.start.message; m != nil {
		for _, id := range m.ReferenceTaskIDs {
			if err := add(id); err != nil {
				return nil, err
			}
		}
	}
	page, err := b.r.e.journal.List(ctx, b.r.key.Scope, journal.Query{
		ContextID: b.r.contextID, Limit: maxRelated, MaxBytes: maxRelatedBytes, Whole: true,
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
