// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// An update is an event of a stream: it has a status or an artifact.
type update struct {
	ID        jsontext.Value `json:"id"`
	SessionID string         `json:"sessionId"` // not in the documents
	Status    *status        `json:"status"`
	Artifact  *artifact      `json:"artifact"`
	Final     bool           `json:"final"`
	Metadata  a2a.Metadata   `json:"metadata"`
}

// A decoder reads the events of a stream. The first makes the task that the stream is about.
type decoder struct {
	of      subject
	started bool
}

func newDecoder(request any) *decoder { return &decoder{of: asked(request)} }

// Decode reads one event. final is the end of the stream.
func (d *decoder) Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (done bool, err error) {
	u, err := unmarshal[update](payload)
	if err != nil {
		return false, err
	}
	if d.of.task = readID(u.ID, d.of.task); d.of.task == "" {
		return false, a2a.InvalidParams("id", "is required")
	}
	if u.SessionID != "" {
		d.of.context = a2a.ContextID(u.SessionID)
	}
	m, metadata := readMarker(u.Metadata)
	if err := checkMetadata(metadata); err != nil {
		return false, err
	}
	switch {
	case u.Status != nil:
		s, err := u.Status.model(d.of, m)
		if err != nil {
			return false, within("status", err)
		}
		d.status(s, metadata, emit)
		return u.Final, nil
	case u.Artifact != nil:
		a, err := u.Artifact.model()
		if err != nil {
			return false, within("artifact", err)
		}
		d.artifact(u, a, metadata, emit)
		return false, nil
	}
	return false, a2a.NewError(a2a.ErrInvalidParams, "the event has neither status nor artifact")
}

func (d *decoder) status(s a2a.TaskStatus, metadata a2a.Metadata, emit func(a2a.Event, bool)) {
	if d.started {
		emit(&a2a.StatusUpdate{TaskID: d.of.task, ContextID: d.of.context, Status: s, Metadata: metadata}, false)
		return
	}
	d.started = true
	emit(&a2a.Task{ID: d.of.task, ContextID: d.of.context, Status: s, Metadata: metadata}, true)
}

// artifact shows an artifact. A task that has one works, if nothing else is known of it.
func (d *decoder) artifact(u *update, a *a2a.Artifact, metadata a2a.Metadata, emit func(a2a.Event, bool)) {
	if !d.started {
		d.status(a2a.TaskStatus{State: a2a.TaskStateWorking}, nil, emit)
	}
	emit(&a2a.ArtifactUpdate{
		TaskID: d.of.task, ContextID: d.of.context, Artifact: a, Append: u.Artifact.Append, LastChunk: u.Artifact.LastChunk, Metadata: metadata,
	}, false)
}
