// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"strconv"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// EventID returns the resume token of the event with this number.
func EventID(seq uint64) string { return strconv.FormatUint(seq, 10) }

// ParseEventID is the inverse of [EventID].
func ParseEventID(id string) (uint64, error) { return strconv.ParseUint(id, 10, 64) }

// A Folder makes a task of its events. The cost of Apply is that of the event, not of the task: parts of chunks are
// appended in place. The zero Folder expects the task's first event.
type Folder struct{ fold fold.Folder }

// NewFolder returns a Folder that goes on from a task. It copies what it will change of it, not the parts.
func NewFolder(task *a2a.Task) *Folder { return &Folder{fold: *fold.NewFolder(task)} }

// Apply folds one event into the task.
func (f *Folder) Apply(e *Event) {
	switch e.Wire.Event.(type) {
	case *a2a.Task, *a2a.StatusUpdate, *a2a.ArtifactUpdate:
		f.fold.Apply(e.Wire.Event)
		return
	}
	if e.Received != nil {
		f.fold.Receive(e.Received.Message)
	}
	if len(e.Metadata) > 0 {
		f.fold.Patch(e.Metadata)
	}
}

// Task returns the task as it is now. The result does not change with later events. Its cost grows with the number of
// artifacts and messages, not with that of their parts.
func (f *Folder) Task() *a2a.Task { return f.fold.Task() }

// Counts returns how many artifacts and messages the task has.
func (f *Folder) Counts() (artifacts, history int) { return f.fold.Counts() }

// Status returns the task's current status.
func (f *Folder) Status() a2a.TaskStatus { return f.fold.Status() }

// Metadata returns the task's current metadata, which is not changed later.
func (f *Folder) Metadata() a2a.Metadata { return f.fold.Metadata() }
