// SPDX-License-Identifier: Apache-2.0

// Package fold makes tasks of their events: a [Projection] of the events of a journal, an [Outcome] of what a stream
// said and GetTask adds to it.
package fold

import (
	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Projection makes a task of its events. The cost of Apply is that of the event, not of the task: parts of chunks are
// appended in place. The zero Projection expects the task's first event.
type Projection struct {
	task  *a2a.Task
	index map[a2a.ArtifactID]int
}

// NewProjection returns a Projection that goes on from a task. It copies what it will change of it, not the parts.
func NewProjection(task *a2a.Task) *Projection {
	p := &Projection{}
	p.reset(task)
	return p
}

func (p *Projection) reset(task *a2a.Task) {
	p.task = share(task)
	p.index = make(map[a2a.ArtifactID]int, len(task.Artifacts))
	for i, a := range p.task.Artifacts {
		c := *a
		c.Parts = a.Parts[:len(a.Parts):len(a.Parts)]
		p.task.Artifacts[i] = &c
		p.index[a.ID] = i
	}
}

// Apply folds one event into the task. A message is none of a task's events, see Receive.
func (p *Projection) Apply(e a2a.Event) {
	switch e := e.(type) {
	case *a2a.Task:
		p.reset(e)
	case *a2a.StatusUpdate:
		p.status(e.Status)
	case *a2a.ArtifactUpdate:
		p.artifact(e)
	}
}

// Receive adds a message to the history.
func (p *Projection) Receive(m *a2a.Message) { p.task.History = append(p.task.History, m) }

// Patch changes the task's metadata, see [Metadata].
func (p *Projection) Patch(patch a2a.Metadata) { p.task.Metadata = Metadata(p.task.Metadata, patch) }

// status replaces the status. The message of the one it replaces moves to history (A2A 1.0 §3.7).
func (p *Projection) status(s a2a.TaskStatus) {
	if old := p.task.Status.Message; old != nil {
		p.task.History = append(p.task.History, old)
	}
	p.task.Status = s
}

// artifact adds an artifact, replaces the one with its id, or appends to it. Appending to one that is not there
// adds it, so that no chunk is lost.
func (p *Projection) artifact(u *a2a.ArtifactUpdate) {
	i, found := p.index[u.Artifact.ID]
	if !found {
		c := *u.Artifact
		c.Parts = c.Parts[:len(c.Parts):len(c.Parts)]
		p.index[c.ID] = len(p.task.Artifacts)
		p.task.Artifacts = append(p.task.Artifacts, &c)
		return
	}
	if !u.Append {
		c := *u.Artifact
		c.Parts = c.Parts[:len(c.Parts):len(c.Parts)]
		p.task.Artifacts[i] = &c
		return
	}
	// Snapshots share the artifact's parts up to their own length, so appending in place is safe; all else that
	// changes does so on values that no snapshot holds.
	a := p.task.Artifacts[i]
	if u.OnlyEnds() {
		return
	}
	a.Parts = append(a.Parts, u.Artifact.Parts...)
	if len(u.Artifact.Metadata) > 0 {
		a.Metadata = Metadata(a.Metadata, u.Artifact.Metadata)
	}
}

// Task returns the task as it is now. The result does not change with later events. Its cost grows with the number of
// artifacts and messages, not with that of their parts.
func (p *Projection) Task() *a2a.Task {
	t := share(p.task)
	copies := make([]a2a.Artifact, len(t.Artifacts))
	for i, a := range t.Artifacts {
		copies[i] = *a
		copies[i].Parts = a.Parts[:len(a.Parts):len(a.Parts)]
		t.Artifacts[i] = &copies[i]
	}
	return t
}

// Counts returns how many artifacts and messages the task has.
func (p *Projection) Counts() (artifacts, history int) {
	return len(p.task.Artifacts), len(p.task.History)
}

// Begun reports whether the Projection has had the task's first event.
func (p *Projection) Begun() bool { return p.task != nil }

// Has reports whether the task has an artifact.
func (p *Projection) Has(id a2a.ArtifactID) bool {
	_, has := p.index[id]
	return has
}

// Status returns the task's current status.
func (p *Projection) Status() a2a.TaskStatus { return p.task.Status }

// Metadata returns the task's current metadata, which is not changed later.
func (p *Projection) Metadata() a2a.Metadata { return p.task.Metadata }

// share returns a copy of the task whose lists can be appended to without harm to the original's.
func share(t *a2a.Task) *a2a.Task {
	c := *t
	c.Artifacts = append([]*a2a.Artifact(nil), t.Artifacts...)
	c.History = t.History[:len(t.History):len(t.History)]
	return &c
}

// Metadata returns base with the changes of patch; a null removes its key. Neither is changed. An empty result is nil.
func Metadata(base, patch a2a.Metadata) a2a.Metadata {
	merged := make(a2a.Metadata, len(base)+len(patch))
	for k, v := range base {
		merged[k] = v
	}
	for k, v := range patch {
		if string(v) == "null" {
			delete(merged, k)
		} else {
			merged[k] = v
		}
	}
	if len(merged) == 0 {
		return nil
	}
	return merged
}
