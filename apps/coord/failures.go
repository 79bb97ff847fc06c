// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"sync"
	"time"
)

// How long it is waited before what could not be kept is tried again by itself. It grows from the first to the last.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 10 * time.Second
)

// longer returns the pause after one that was not long enough.
func longer(pause time.Duration) time.Duration { return min(max(2*pause, firstPause), lastPause) }

// failures are the projects whose events cannot be stored now. The store is tried ever less often, and the log says it
// once for each project.
type failures struct {
	mu  sync.Mutex
	all map[string]*failure // by project, until something of it is kept
}

type failure struct {
	pause time.Duration
	until time.Time // end of the pause
	load  error     // why the project cannot be loaded; nil if it can
}

// add notes that something of a project could not be kept, and reports whether that is new.
func (f *failures) add(project string) (first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.all[project]
	if first = of == nil; first {
		if f.all == nil || len(f.all) >= maxProjects { // names cost nothing
			f.all = make(map[string]*failure)
		}
		of = &failure{}
		f.all[project] = of
	}
	of.pause = longer(of.pause)
	of.until = time.Now().Add(of.pause)
	return first
}

func (f *failures) loading(project string, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of := f.all[project]; of != nil {
		of.load = why
	}
}

func (f *failures) kept(batch []*commit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range batch {
		delete(f.all, c.Project)
	}
}

// pausing reports whether the store is not to be tried for a project now, and why the project cannot be loaded.
func (f *failures) pausing(project string) (load error, pausing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of := f.all[project]; of != nil && time.Now().Before(of.until) {
		return of.load, true
	}
	return nil, false
}
