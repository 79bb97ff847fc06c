// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"fmt"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An encoder shows a stream as updates of a status and of artifacts, the only events that the form has. They go without
// the ids of events: nothing in 0.1 resumes after one, and the JavaScript client of April 2025 reads only events that
// are one line of data.
type encoder struct {
	asked      subject
	subscribed bool
	started    bool
	indexes    indexes
	// shared says that the stream began with the task, so that the indexes are those that all its readers find.
	shared bool
	paused *a2a.Task                       // shown as it was before it took the message, and nothing of it since
	open   []a2a.ArtifactID                // of which no last chunk was shown
	update func(a2a.Event) ([]byte, error) // e.appendUpdate, made once
}

func newEncoder(request any) *encoder {
	e := &encoder{asked: asked(request)}
	_, e.subscribed = request.(*a2a.SubscribeRequest)
	e.update = e.appendUpdate
	return e
}

// Encode shows one event. A stream is over with a status that ends the task or waits for its caller.
func (e *encoder) Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (done bool, err error) {
	show := func(payload []byte) { emit("", payload) }
	first := !e.started
	e.started, e.paused = true, nil
	switch event := ev.Event.(type) {
	case *a2a.Task:
		return e.task(event, first, show)
	case *a2a.Message:
		return true, e.status(taskOf(e.asked, event), true, show)
	case *a2a.StatusUpdate:
		done = ends(event.Status.State)
		if done {
			if err := e.close(event.TaskID, show); err != nil {
				return false, err
			}
		}
		return done, e.shown(ev, show)
	case *a2a.ArtifactUpdate:
		if event.Artifact != nil {
			e.indexes.of(event.Artifact.ID) // the bytes may be there already
			e.note(event)
		}
		return false, e.shown(ev, show)
	}
	return false, fmt.Errorf("a stream cannot carry a %T", ev.Event)
}

// task shows a task as its status and its artifacts: the artifacts come before a status that ends the stream, as
// nothing comes after that, and after any other.
//
// A task that is the first event of a send may be what it was before it took the message: its caller has its artifacts,
// and it waits no longer, so that the stream goes on. If nothing follows it does wait, see End.
func (e *encoder) task(t *a2a.Task, first bool, show func([]byte)) (done bool, err error) {
	e.shared = e.shared || first
	done = ends(t.Status.State)
	artifacts := t.Artifacts
	if first && !e.subscribed && !t.Status.State.Terminal() {
		if done {
			e.paused = t
		}
		done, artifacts = false, nil
	}
	e.learn(t)
	e.open = nil // they are shown whole
	if done {
		if err := e.artifacts(t, artifacts, show); err != nil {
			return false, err
		}
		return true, e.status(t, true, show)
	}
	if err := e.status(t, false, show); err != nil {
		return false, err
	}
	return false, e.artifacts(t, artifacts, show)
}

// End shows for good that a task waits for its caller, when nothing else came of the message.
func (e *encoder) End(emit func(id string, payload []byte)) error {
	if e.paused == nil {
		return nil
	}
	show := func(payload []byte) { emit("", payload) }
	if err := e.artifacts(e.paused, e.paused.Artifacts, show); err != nil {
		return err
	}
	return e.status(e.paused, true, show)
}

// note notes which artifacts have had no last chunk.
func (e *encoder) note(u *a2a.ArtifactUpdate) {
	e.open = slices.DeleteFunc(e.open, func(id a2a.ArtifactID) bool { return id == u.Artifact.ID })
	if !u.LastChunk {
		e.open = append(e.open, u.Artifact.ID)
	}
}

// close shows that artifacts are complete whose agent did not say so, as in 1.0 it need not: clients of April 2025 have
// an artifact only when they have seen its last chunk.
func (e *encoder) close(task a2a.TaskID, show func([]byte)) error {
	for _, id := range e.open {
		b, err := e.appendUpdate(&a2a.ArtifactUpdate{TaskID: task, Artifact: &a2a.Artifact{ID: id}, Append: true,
			LastChunk: true})
		if err != nil {
			return err
		}
		show(b)
	}
	e.open = nil
	return nil
}

// learn gives the artifacts of a task their indexes.
func (e *encoder) learn(t *a2a.Task) {
	for _, a := range t.Artifacts {
		if a != nil {
			e.indexes.of(a.ID)
		}
	}
}

// status shows the status of a task.
func (e *encoder) status(t *a2a.Task, final bool, show func([]byte)) error {
	b, err := wire.AppendJSON(nil, &statusEvent{task: t.ID, status: &t.Status, final: final, metadata: t.Metadata},
		writeStatusEvent)
	if err != nil {
		return err
	}
	show(b)
	return nil
}

// artifacts shows artifacts as a whole.
func (e *encoder) artifacts(t *a2a.Task, artifacts []*a2a.Artifact, show func([]byte)) error {
	for _, a := range artifacts {
		b, err := e.appendUpdate(&a2a.ArtifactUpdate{TaskID: t.ID, Artifact: a, LastChunk: true})
		if err != nil {
			return err
		}
		show(b)
	}
	return nil
}

// shown shows an update.
func (e *encoder) shown(ev a2a.StreamEvent, show func([]byte)) error {
	b, err := e.bytes(ev)
	if err != nil {
		return err
	}
	show(b)
	return nil
}

// bytes returns the payload of an update, which readers share that know the same indexes.
func (e *encoder) bytes(ev a2a.StreamEvent) ([]byte, error) {
	if e.shared {
		return ev.Encoded(string(a2a.Generation01), e.update)
	}
	return e.update(ev.Event)
}

func (e *encoder) appendUpdate(event a2a.Event) ([]byte, error) {
	switch u := event.(type) {
	case *a2a.StatusUpdate:
		s := statusEvent{task: u.TaskID, status: &u.Status, final: ends(u.Status.State), metadata: u.Metadata}
		return wire.AppendJSON(nil, &s, writeStatusEvent)
	case *a2a.ArtifactUpdate:
		return wire.AppendJSON(nil, u, func(w *jsonio.Writer,
			u *a2a.ArtifactUpdate) {
			writeArtifactEvent(w, u, &e.indexes)
		})
	}
	return nil, fmt.Errorf("a %T is no update", event)
}
