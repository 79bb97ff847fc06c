// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

// Ended is the result of [Hub.DeleteProject].
type Ended struct {
	Status  string `json:"status"` // forgotten
	Project string `json:"project_id"`
	// Free is when the name became free for another project, in whole milliseconds. Earlier data is of this project.
	Free time.Time `json:"-"`
}

// DeleteProject deletes a project with its tokens, for a person. Calls that wait in it end, and those who follow its
// events get a last one, [KindEnded]. While agents are in it, or sessions with leases or claims, it refuses with
// [CodeInUse] unless it is forced.
func (h *Hub) DeleteProject(ctx context.Context, project, person string, force bool) (Result, error) {
	var result Result
	err := h.with(ctx, project, func(r *projectActor) (err error) {
		var o *outcome
		if result, o, err = h.end(r, person, force); err != nil {
			return err
		}
		e, ended := result.(Ended)
		if ended && h.opts.Store == nil { // else the writer does it
			o.last.free = nextMillisecond()
			h.hasEnded(o.last)
			close(o.last.done)
		}
		if err = o.settled(ctx); err == nil && ended {
			e.Free = o.last.free
			result = e
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

type ending struct {
	*commit
	event  Event
	person string
}

type ended struct {
	nth   int64 // it was the nth that was deleted
	event Event
}

// maxEnded is how many deleted projects are known, so that calls under way and followers learn of the deletion.
const maxEnded = 10_000

type endings struct {
	mu    sync.Mutex
	begun map[string]*ending
	ended map[string]ended
	count int64 // projects that were deleted
}

func newEndings() endings {
	return endings{begun: make(map[string]*ending), ended: make(map[string]ended)}
}

// end takes a project out of use and has the store delete it. Later calls of the project wait until that is done.
func (h *Hub) end(r *projectActor, person string, force bool) (Result, *outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil, nil, errGone
	}
	if f := r.project.mayEnd(force); f != nil {
		return *f, &outcome{last: r.last, reads: true}, nil
	}
	c := &commit{Commit: Commit{Project: r.id}, of: r, ends: true, done: make(chan struct{})}
	e := &ending{c, Event{Time: time.Now().UTC(), Kind: KindEnded, Text: person + " has ended the project"}, person}
	if !h.beginEnd(r, e) {
		return nil, nil, errGone
	}
	r.gone = true
	if h.opts.Store != nil {
		h.writer.add(c)
	}
	r.tellAll(Failure{Status: "error", Error: "The wait ended: " + e.event.Text}, c)
	return Ended{Status: "forgotten", Project: r.id}, &outcome{last: c}, nil
}

// beginEnd takes a project out of use, and reports whether it was in use at all.
func (h *Hub) beginEnd(r *projectActor, e *ending) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.projects[r.id] != r {
		return false
	}
	h.remove(r)
	h.endings.mu.Lock()
	defer h.endings.mu.Unlock()
	h.endings.begun[r.id] = e
	return true
}

// mayEnd says why a project is not to be deleted, nil when it is.
func (p *Project) mayEnd(force bool) *Failure {
	if p.state.Seq == 0 {
		return &Failure{Status: "not_found", Error: fmt.Sprintf("There is no project %s", p.id)}
	}
	if force {
		return nil
	}
	var there []string
	t := &tx{Project: p}
	for name, s := range p.state.Sessions.all() {
		if s.active() || t.holds(name) {
			there = append(there, name)
		}
	}
	if there == nil {
		return nil
	}
	return &Failure{Status: "error", Code: CodeInUse,
		Error: fmt.Sprintf("agents are at work in project %s: %s; end them first, or use force", p.id,
			strings.Join(there, ", "))}
}

// tellAll ends all waits with a result, which counts when a commit is kept.
func (r *projectActor) tellAll(result Failure, last *commit) {
	for _, later := range r.waiters {
		later <- outcome{result: result, last: last}
	}
	clear(r.waiters)
	close(r.news)
	r.news = make(chan struct{})
}

// hasEnded notes whether a project was deleted. The writer calls it before it tells anybody. The log names the person,
// as the events of the project are gone.
func (h *Hub) hasEnded(c *commit) {
	if e := h.endings.finish(c); e != nil {
		h.opts.Logger.Warn("a project was deleted", slog.String("project", c.Project), slog.String("by", e.person))
	}
}

// finish returns the ending of a project that was deleted, nil when it was not.
func (e *endings) finish(c *commit) *ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	done := e.begun[c.Project]
	delete(e.begun, c.Project)
	if c.err != nil {
		return nil
	}
	if len(e.ended) >= maxEnded {
		clear(e.ended)
	}
	e.count++
	e.ended[c.Project] = ended{e.count, done.event}
	return done
}

// wait waits while a project is being deleted.
func (e *endings) wait(ctx context.Context, project string) error {
	e.mu.Lock()
	begun := e.begun[project]
	e.mu.Unlock()
	if begun == nil {
		return nil
	}
	select {
	case <-begun.done:
		return nil
	case <-ctx.Done():
		return ErrClosed
	}
}

// total returns how many projects were deleted, for since.
func (e *endings) total() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count
}

// since returns how a project ended if that was after the first total deletions.
func (e *endings) since(project string, total int64) (ended, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.ended[project]
	return was, was.nth > total
}

// deletedMeanwhile is the result of a command whose project was deleted first. A new project of the name may not admit
// the caller.
func deletedMeanwhile(project string) Result {
	return Failure{Status: "error", Error: fmt.Sprintf("Project %s was deleted in the meantime; the call changed "+
		"nothing", project)}
}

// DeleteProject drops all of a project, and the tokens that are for it alone.
func (s *Tables) DeleteProject(ctx context.Context, project string) error {
	defer s.tokens.invalidate()
	return s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, table := range []string{"coord_events", "coord_projects", "coord_tokens"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE project = $1", project); err != nil {
				return fmt.Errorf("delete project %q: %w", project, err)
			}
		}
		return nil
	})
}
