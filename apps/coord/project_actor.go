// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	// maxProjects is how many projects a Hub runs at once. Those in which nothing has happened do not count.
	maxProjects = 1000
	// idleAfter is how long a project is kept in memory in which nobody is there.
	idleAfter = 10 * time.Minute
	// loadLimit is how long it may take to load one.
	loadLimit = time.Minute
	// sweepEvery is how often it is looked for what time alone does.
	sweepEvery = time.Second
	// recent is how many events of a project are kept in memory, for those who watch.
	recent = 1000
	// maxState is how many bytes a snapshot of a project that a Store keeps has, about.
	maxState = 32 << 20
	// minSnapshot is how many bytes of events there are at least between two snapshots.
	minSnapshot = 64 << 10
)

// projectActor is a project in memory and those who wait in it.
type projectActor struct {
	id     string
	loaded chan struct{} // closed when it is there, or failed is why it is not
	failed error
	over   chan struct{} // closed when the Hub does not know it any more
	rests  atomic.Bool   // nobody is there who could be missed, and all is kept
	lost   error         // why nothing more of it can be kept; the writer's

	// The Hub's mutex guards these. It may be taken with that of the project, but not the other way round.
	users  int       // calls and loops that need it to stay
	used   time.Time // by a call
	filled bool      // something has happened in it

	mu      sync.Mutex
	project *Project
	gone    bool                    // what is here never happened, or is going on elsewhere
	last    *commit                 // the newest
	waiters map[string]chan outcome // by query or claim; each gets one
	tail    []Event                 // the newest, at most twice recent
	news    chan struct{}           // closed when there are new ones
	size    int                     // bytes of the last snapshot
	since   int                     // bytes of the events after it
	weight  int                     // bytes of a snapshot, at most
	weighed time.Time
}

// A BadProjectError says what is wrong with the id of a project.
type BadProjectError struct{ Why string }

func (e *BadProjectError) Error() string { return e.Why }

// CheckProject refuses bad ids of projects with a [*BadProjectError]. An id has 1 to 200 bytes of visible UTF-8, is not
// only slashes and dots, and has no . or .. between slashes.
func CheckProject(id string) error {
	if f := badName("project_id", id); f != nil {
		return &BadProjectError{f.Error}
	}
	if strings.Trim(id, `/\.`) == "" {
		return &BadProjectError{"project_id must not be " + id +
			", which is the path of a folder; a project has a name of its own"}
	}
	for name := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == '/' || r == '\\' }) {
		if name == "." || name == ".." {
			return &BadProjectError{"project_id must not have " + name +
				" in it, as paths of folders have; a project has a name of its own"}
		}
	}
	return nil
}

// use returns a project, which is loaded, or begun, at its first use, and stays until leave is called.
func (h *Hub) use(ctx context.Context, id string) (r *projectActor, leave func(), err error) {
	if err := CheckProject(id); err != nil {
		return nil, nil, err
	}
	if r, err = h.place(id); err != nil {
		return nil, nil, err
	}
	select {
	case <-r.loaded:
		err = r.failed
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		h.leave(r, true)
		return nil, nil, err
	}
	return r, func() { h.leave(r, true) }, nil
}

// with calls f with a project in use, and again as long as that goes out of use.
func (h *Hub) with(ctx context.Context, project string, f func(r *projectActor) error) error {
	for {
		r, leave, err := h.use(ctx, project)
		if err != nil {
			return err
		}
		err = f(r)
		leave()
		if !errors.Is(err, errGone) {
			return err
		}
	}
}

// place returns the place of a project, with one more user. A goroutine of its own loads it, as the first caller may
// leave before the others.
func (h *Hub) place(id string) (*projectActor, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	r := h.projects[id]
	if r == nil {
		r = &projectActor{
			id: id, loaded: make(chan struct{}), over: make(chan struct{}), project: NewProject(id),
			waiters: make(map[string]chan outcome), news: make(chan struct{}), users: 1,
		}
		h.projects[id] = r
		h.loops.Go(func() { h.tend(r) })
	}
	r.users++
	return r, nil
}

// leave ends a use. A project in which nothing has happened goes with its last user, so that looking makes none.
func (h *Hub) leave(r *projectActor, call bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.users--
	if call {
		r.used = time.Now()
	}
	if r.users == 0 && (!r.filled || r.rests.Load() && time.Since(r.used) >= idleAfter) {
		h.remove(r)
	}
}

// hold keeps a project for a loop, if it is still there.
func (h *Hub) hold(r *projectActor) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.projects[r.id] != r {
		return false
	}
	r.users++
	return true
}

// remove drops a project from memory; it can be loaded again. The caller holds the Hub's lock.
func (h *Hub) remove(r *projectActor) {
	if h.projects[r.id] != r {
		return
	}
	delete(h.projects, r.id)
	close(r.over)
	if r.filled {
		h.filled--
	}
}

func (h *Hub) fill(r *projectActor) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.filled || h.projects[r.id] != r {
		return nil
	}
	if h.filled >= maxProjects {
		h.makeRoom()
	}
	if h.filled >= maxProjects {
		return &BadProjectError{fmt.Sprintf("there are %d projects in use, which is the limit", maxProjects)}
	}
	r.filled = true
	h.filled++
	return nil
}

// makeRoom deletes the project that rests longest, with the Hub's lock held.
func (h *Hub) makeRoom() {
	var oldest *projectActor
	for _, r := range h.projects {
		if r.filled && r.users == 0 && r.rests.Load() && (oldest == nil || r.used.Before(oldest.used)) {
			oldest = r
		}
	}
	if oldest != nil {
		h.remove(oldest)
	}
}

// tend loads a project and looks for what time alone does in it, until nobody needs it.
func (h *Hub) tend(r *projectActor) {
	if r.failed = h.load(r); r.failed != nil {
		h.mu.Lock()
		h.remove(r)
		h.mu.Unlock()
	}
	close(r.loaded)
	h.leave(r, false)
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-r.over:
			return
		case <-ticker.C:
		}
		if !h.hold(r) {
			return
		}
		h.sweep(r)
		h.leave(r, false)
	}
}

// load brings a project back. The end of the waits in it has to be stored before anybody sees it: else each caller
// would load it again, as long as the store keeps nothing.
func (h *Hub) load(r *projectActor) error {
	if err := h.endings.wait(h.ctx, r.id); err != nil || h.opts.Store == nil {
		return err
	}
	if why, _ := h.failures.pausing(r.id); why != nil {
		return why
	}
	last, err := h.restore(r)
	if err != nil || last == nil {
		return err
	}
	<-last.done
	if last.err != nil {
		h.failures.loading(r.id, last.err)
	}
	return last.err
}

// restore reads a project from the store, and returns the commit that ends the waits in it, nil for none. Its agents
// have the usual time to show a heartbeat.
func (h *Hub) restore(r *projectActor) (*commit, error) {
	ctx, cancel := context.WithTimeout(h.ctx, loadLimit)
	defer cancel()
	snapshot, events, err := h.opts.Store.Load(ctx, r.id)
	if h.ctx.Err() != nil {
		return nil, ErrClosed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.project.Restore(snapshot, events)
	}
	if err != nil {
		return nil, fmt.Errorf("load project %q: %w", r.id, err)
	}
	if r.project.state.Seq == 0 {
		return nil, nil
	}
	if err := h.fill(r); err != nil {
		return nil, err
	}
	r.size = len(snapshot)
	r.weight = r.size // there are not many more bytes of events than that
	_, after := r.project.Do(time.Now(), "", restarted{})
	return h.happened(r, after), nil
}

// discard gives up a project whose events could not be stored. The writer calls it before it tells anybody.
func (h *Hub) discard(r *projectActor, err error) {
	if h.failures.add(r.id) {
		h.opts.Logger.Error("what happens in a project cannot be kept, and is refused until it can be again",
			slog.String("project", r.id), slog.String("error", err.Error()))
	}
	h.mu.Lock()
	h.remove(r)
	h.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = true
	r.tellAll(Failure{Status: "error", Error: "The coordinator cannot store events now; try again"}, nil)
}

func (h *Hub) sweep(r *projectActor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, pausing := h.failures.pausing(r.id); pausing || r.gone {
		return
	}
	present := func(name string) bool { return h.presences.has(r.id, name, r.project.state.Sessions.get(name)) }
	_, events := r.project.Do(time.Now(), "", sweep{h.opts.SessionTimeout, h.opts.SessionRetention, present})
	h.happened(r, events)
	r.rests.Store(h.opts.Store != nil && r.project.quiet() && r.last.over())
}

// quiet reports whether nobody is there who could be missed, and nothing whose time will be up.
func (p *Project) quiet() bool {
	if p.state.Leases.len() > 0 || len(p.state.Queue) > 0 {
		return false
	}
	for _, s := range p.state.Sessions.all() {
		if s.Agent == nil || s.active() { // when those were seen who never registered is in no event
			return false
		}
	}
	return true
}

// happened tells those who wait, and the store. The caller holds r.mu. It returns the newest commit.
func (h *Hub) happened(r *projectActor, events []Event) *commit {
	if len(events) == 0 {
		return r.last
	}
	r.rests.Store(false)
	if h.opts.Store != nil {
		r.last = &commit{Commit: Commit{Project: r.id, Events: events}, of: r, done: make(chan struct{})}
	}
	for i := range events {
		r.tell(&events[i])
	}
	r.tail = append(r.tail, events...)
	if len(r.tail) > 2*recent {
		r.tail = append([]Event(nil), r.tail[len(r.tail)-recent:]...)
	}
	close(r.news)
	r.news = make(chan struct{})
	if h.opts.Store != nil {
		r.last.err = r.encode(&r.last.Commit) // which fails for no state that commands lead to
		h.writer.add(r.last)
	}
	return r.last
}

// encode adds to a commit what the store keeps. A snapshot follows when the events since the last one are as large as
// it.
func (r *projectActor) encode(c *Commit) error {
	for i := range c.Events {
		text, err := json.Marshal(&c.Events[i])
		if err != nil {
			return err
		}
		c.Texts = append(c.Texts, text)
		r.since += len(text)
		r.weight += len(text)
	}
	if r.since <= max(minSnapshot, r.size) {
		return nil
	}
	var err error
	c.Snapshot, err = r.project.Snapshot()
	r.size, r.since, r.weight = len(c.Snapshot), 0, len(c.Snapshot)
	return err
}

// full reports whether the state has reached its limit. Beyond it the state is measured at most once a second.
func (r *projectActor) full() bool {
	if r.weight <= maxState || time.Since(r.weighed) < time.Second {
		return r.weight > maxState
	}
	r.weighed = time.Now()
	if text, err := r.project.Snapshot(); err == nil {
		r.weight = len(text)
	}
	return r.weight > maxState
}

// grows reports whether a command adds to the state what may be large.
func grows(c Command) bool {
	switch c.(type) {
	case Register, AddTodo, Ask, Respond, Broadcast, Define, Announce:
		return true
	}
	return false
}

// tell hands an event to whoever waits for it.
func (r *projectActor) tell(e *Event) {
	id, result, undo := e.ID, e.ends(), Command(nil)
	switch {
	case result == nil:
		return
	case e.Kind == KindAnswered:
		undo = late{e.ID, e.To[0], e.Message}
	case e.Kind == KindLocked:
		id, undo = e.Lease.ID, drop{e.Lease.ID}
	}
	if later := r.waiters[id]; later != nil {
		later <- outcome{result: result, last: r.last, undo: undo} // there is room: it gets one
		delete(r.waiters, id)
	}
}

// ends returns what those get who wait for what an event ends, nil for one that ends nothing.
func (e *Event) ends() Result {
	switch e.Kind {
	case KindAnswered:
		return Received{Status: "received", Response: e.Message.Text}
	case KindFailed:
		return Failure{Status: "not_found", Error: e.Text}
	case KindLocked:
		return e.Lease
	case KindWithdrawn, KindUnqueued:
		if e.Lease != nil { // the session has it otherwise
			return e.Lease
		}
		return Failure{Status: "error", Error: "The wait ended: " + cmp.Or(e.Text, "it was given up")}
	}
	return nil
}
