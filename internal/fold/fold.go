// SPDX-License-Identifier: Apache-2.0

// Package fold makes tasks of their events: a [Folder] of the events of a journal, an [Outcome] of what a stream said and
// GetTask adds to it.
package fold

import (
	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Folder makes a task of its events. The cost of Apply is that of the event, not of the task: parts of chunks are
// appended in place. The zero Folder expects the task's first event.
type Folder struct {
	task  *a2a.Task
	index map[a2a.ArtifactID]int
}

// NewFolder returns a Folder that goes on from a task. It copies what it will change of it, not the parts.
func NewFolder(task *a2a.Task) *Folder {
	f := &Folder{}
	f.reset(task)
	return f
}

func (f *Folder) reset(task *a2a.Task) {
	f.task = share(task)
	f.index = make(map[a2a.ArtifactID]int, len(task.Artifacts))
	for i, a := range f.task.Artifacts {
		c := *a
		c.Parts = a.Parts[:len(a.Parts):len(a.Parts)]
		f.task.Artifacts[i] = &c
		f.index[a.ID] = i
	}
}

// Apply folds one event into the task. A message is none of a task's events, see Receive.
func (f *Folder) Apply(e a2a.Event) {
	switch e := e.(type) {
	case *a2a.Task:
		f.reset(e)
	case *a2a.StatusUpdate:
		f.status(e.Status)
	case *a2a.ArtifactUpdate:
		f.artifact(e)
	}
}

// Receive adds a message to the history.
func (f *Folder) Receive(m *a2a.Message) { f.task.History = append(f.task.History, m) }

// Patch changes the task's metadata, see [Metadata].
func (f *Folder) Patch(patch a2a.Metadata) { f.task.Metadata = Metadata(f.task.Metadata, patch) }

// status replaces the status. The message of the one it replaces moves to history (A2A 1.0 §3.7).
func (f *Folder) status(s a2a.TaskStatus) {
	if old := f.task.Status.Message; old != nil {
		f.task.History = append(f.task.History, old)
	}
	f.task.Status = s
}

// artifact adds an artifact, replaces the one with its id, or appends to it. Appending to one that is not there
// adds it, so that no chunk is lost.
func (f *Folder) artifact(u *a2a.ArtifactUpdate) {
	i, found := f.index[u.Artifact.ID]
	if !found {
		c := *u.Artifact
		c.Parts = c.Parts[:len(c.Parts):len(c.Parts)]
		f.index[c.ID] = len(f.task.Artifacts)
		f.task.Artifacts = append(f.task.Artifacts, &c)
		return
	}
	if !u.Append {
		c := *u.Artifact
		c.Parts = c.Parts[:len(c.Parts):len(c.Parts)]
		f.task.Artifacts[i] = &c
		return
	}
	// Snapshots share the artifact's parts up to their own length, so appending in place is safe; all else that
	// changes does so on values that no snapshot holds.
	a := f.task.Artifacts[i]
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
func (f *Folder) Task() *a2a.Task {
	t := share(f.task)
	copies := make([]a2a.Artifact, len(t.Artifacts))
	for i, a := range t.Artifacts {
		copies[i] = *a
		copies[i].Parts = a.Parts[:len(a.Parts):len(a.Parts)]
		t.Artifacts[i] = &copies[i]
	}
	return t
}

// Counts returns how many artifacts and messages the task has.
func (f *Folder) Counts() (artifacts, history int) {
	return len(f.task.Artifacts), len(f.task.History)
}

// Begun reports whether the Folder has had the task's first event.
func (f *Folder) Begun() bool { return f.task != nil }

// Has reports whether the task has an artifact.
func (f *Folder) Has(id a2a.ArtifactID) bool {
	_, has := f.index[id]
	return has
}

// Status returns the task's current status.
func (f *Folder) Status() a2a.TaskStatus { return f.task.Status }

// Metadata returns the task's current metadata, which is not changed later.
func (f *Folder) Metadata() a2a.Metadata { return f.task.Metadata }

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
