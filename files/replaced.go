// SPDX-License-Identifier: Apache-2.0

package files

import (
	"slices"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// maxReplaced is how many files that nobody is shown any more a turn keeps until it ends.
const maxReplaced = 16

// replaced knows which files the artifacts of a turn have, and which they had.
type replaced struct {
	mu  sync.Mutex
	has map[a2a.ArtifactID][]string // ids of the files of each artifact that the turn writes
	had []string
}

// seen makes known an artifact that is about to be written, as an earlier turn may have left it.
func (r *replaced) seen(id a2a.ArtifactID, task func() *a2a.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.has[id]; known {
		return
	}
	if r.has == nil {
		r.has = make(map[a2a.ArtifactID][]string)
	}
	var ids []string
	for _, a := range task().Artifacts {
		if a.ID == id {
			ids = filesOf(a.Parts)
		}
	}
	r.has[id] = ids
}

// note notes what an artifact has from now on, and returns how many files have been replaced and not been taken.
func (r *replaced) note(id a2a.ArtifactID, parts []a2a.Part, appended bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := filesOf(parts)
	if appended {
		r.has[id] = append(r.has[id], now...)
		return len(r.had)
	}
	for _, old := range r.has[id] {
		if !slices.Contains(now, old) {
			r.had = append(r.had, old)
		}
	}
	r.has[id] = now
	return len(r.had)
}

// take returns the files that have been replaced, once.
func (r *replaced) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	had := r.had
	r.had = nil
	return had
}

func filesOf(parts []a2a.Part) []string {
	var ids []string
	for _, p := range parts {
		url, ok := p.Content.(a2a.URL)
		if !ok {
			continue
		}
		if id, _, ok := parseReference(string(url)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}
