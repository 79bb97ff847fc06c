// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// Preview sets on h what it will be once events are applied, without applying them: the number of the last event, the
// status, the metadata and the counts. So a commit that is refused leaves the Projection as it was.
func (p *Projection) Preview(h *Head, events []Event) {
	if p.fold.Begun() {
		h.Status, h.Metadata = p.Status(), p.Metadata()
		h.Artifacts, h.History = p.Counts()
	}
	var few [4]a2a.ArtifactID
	added := few[:0] // a commit has few new artifacts, and never more than wait in one queue
	for i := range events {
		e := &events[i]
		h.Seq = e.Seq
		switch w := e.Wire.Event.(type) {
		case *a2a.Task:
			h.Status, h.Metadata = w.Status, w.Metadata
			h.Artifacts, h.History = len(w.Artifacts), len(w.History)
		case *a2a.StatusUpdate:
			if h.Status.Message != nil {
				h.History++
			}
			h.Status = w.Status
		case *a2a.ArtifactUpdate:
			if p.fold.Has(w.Artifact.ID) || slices.Contains(added, w.Artifact.ID) {
				continue
			}
			added = append(added, w.Artifact.ID)
			h.Artifacts++
		}
		if e.Received != nil {
			h.History++
		}
		if len(e.Metadata) > 0 {
			h.Metadata = fold.Metadata(h.Metadata, e.Metadata)
		}
	}
}
