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

// A Projection makes a task of its events. The cost of Apply is that of the event, not of the task: parts of chunks are
// appended in place. The zero Projection expects the task's first event.
type Projection struct{ fold fold.Projection }

// NewProjection returns a Projection that goes on from a task. It copies what it will change of it, not the parts.
func NewProjection(task *a2a.Task) *Projection { return &Projection{fold: *fold.NewProjection(task)} }

// Apply folds one event into the task.
func (p *Projection) Apply(e *Event) {
	switch e.Wire.Event.(type) {
	case *a2a.Task, *a2a.StatusUpdate, *a2a.ArtifactUpdate:
		p.fold.Apply(e.Wire.Event)
		return
	}
	if e.Received != nil {
		p.fold.Receive(e.Received.Message)
	}
	if len(e.Metadata) > 0 {
		p.fold.Patch(e.Metadata)
	}
}

// Task returns the task as it is now. The result does not change with later events. Its cost grows with the number of
// artifacts and messages, not with that of their parts.
func (p *Projection) Task() *a2a.Task { return p.fold.Task() }

// Counts returns how many artifacts and messages the task has.
func (p *Projection) Counts() (artifacts, history int) { return p.fold.Counts() }

// Status returns the task's current status.
func (p *Projection) Status() a2a.TaskStatus { return p.fold.Status() }

// Metadata returns the task's current metadata, which is not changed later.
func (p *Projection) Metadata() a2a.Metadata { return p.fold.Metadata() }
