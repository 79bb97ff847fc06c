// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An update is an event of a stream: it has a status or an artifact.
type update struct {
	id       a2a.TaskID
	session  a2a.ContextID // not in the documents
	status   *status
	artifact *artifact
	final    bool
	metadata a2a.Metadata
}

var updateObject = jsonio.Object[update]{
	Members: []jsonio.Member[update]{
		{Name: "id", Read: func(d *jsonio.Reader, v *update) error { return readID(d, &v.id) }},
		{Name: "sessionId", Read: func(d *jsonio.Reader, v *update) error { return jsonio.String(d, &v.session) }},
		{Name: "status", Read: func(d *jsonio.Reader, v *update) error { return statusObject.ReadNew(d, &v.status) }},
		jsonio.Ptr("artifact", &artifactObject, func(v *update) **artifact { return &v.artifact }),
		jsonio.OptBool("final", func(v *update) *bool { return &v.final }),
		jsonio.OptMetadata("metadata", func(v *update) *a2a.Metadata { return &v.metadata }),
	},
	Finish: func(d *jsonio.Reader, v *update) error {
		if v.status == nil && v.artifact == nil {
			return jsonio.Invalid(d, "has neither status nor artifact")
		}
		return nil
	},
}

// A decoder reads the events of a stream. The first makes the task that the stream is about.
type decoder struct {
	of      subject
	started bool
}

func newDecoder(request any) *decoder { return &decoder{of: asked(request)} }

// Decode reads one event. final is the end of the stream.
func (d *decoder) Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (done bool, err error) {
	var u update
	if err := wire.DecodeJSON(payload, &u, updateObject.Read); err != nil {
		return false, err
	}
	d.of = subject{cmp.Or(u.id, d.of.task), cmp.Or(u.session, d.of.context)}
	if d.of.task == "" {
		return false, a2a.InvalidParams("id", "is required")
	}
	m, metadata := readMarker(u.metadata)
	if u.status == nil {
		d.artifact(u.artifact, metadata, emit)
		return false, nil
	}
	d.status(u.status.of(d.of, m), metadata, emit)
	return u.final, nil
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
func (d *decoder) artifact(a *artifact, metadata a2a.Metadata, emit func(a2a.Event, bool)) {
	if !d.started {
		d.status(a2a.TaskStatus{State: a2a.TaskStateWorking}, nil, emit)
	}
	emit(&a2a.ArtifactUpdate{
		TaskID: d.of.task, ContextID: d.of.context, Artifact: &a.Artifact, Append: a.appends, LastChunk: a.last(),
		Metadata: metadata,
	}, false)
}
