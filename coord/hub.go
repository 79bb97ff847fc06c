// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// HubOptions tune a Hub. The zero value is ready.
type HubOptions struct {
	// Store keeps what happens. Nil keeps nothing beyond the life of the Hub.
	Store Store
	// Timeout is how long an agent may show no sign of life until it counts as dead; 0 means DefaultTimeout.
	Timeout time.Duration
	// Keep is how long what the dead leave is kept; 0 means DefaultKeep.
	Keep   time.Duration
	Logger *slog.Logger // nil means slog.Default()
}

// maxProjects is how many projects a Hub runs.
const maxProjects = 1000

// recent is how many events of a project are kept in memory, for those who watch.
const recent = 1000

// minSnapshot is how many bytes of events there are at least between two snapshots.
const minSnapshot = 64 << 10

// sweepEvery is how often it is looked for what time alone does.
const sweepEvery = time.Second

// ErrClosed is what calls of a Hub that has been closed return.
var ErrClosed = errors.New("the coordinator has ended")

// A Hub runs projects. Nothing is answered before what led to the answer is in the store. Make one with [NewHub], and
// close it.
type Hub struct {
	opts   HubOptions
	writer *writer
	done   chan struct{} // closed by Close
	loops  sync.WaitGroup

	mu       sync.Mutex
	projects map[string]*running
	closed   bool
}

// running is a project and those who wait in it.
type running struct {
	loaded chan struct{} // closed when it is there, or failed is why it is not
	failed error

	mu      sync.Mutex
	project *Project
	broken  error               // why the state here is not what is kept: it must be loaded again
	last    *commit             // the newest
	waiters map[string]chan any // by query or claim; each gets one result
	present map[string]int      // connections of a session
	tail    []Event             // the newest, at most twice recent
	news    chan struct{}       // closed when there are new ones
	size    int                 // bytes of the last snapshot
	since   int                 // bytes of the events after it
}

// NewHub returns a Hub.
func NewHub(opts *HubOptions) *Hub {
	var o HubOptions
	if opts != nil {
		o = *opts
	}
	o.Timeout, o.Keep = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.Keep, DefaultKeep)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	h := &Hub{opts: o, writer: newWriter(o.Store), done: make(chan struct{}), projects: make(map[string]*running)}
	h.loops.Go(h.sweep)
	return h
}

// Close ends the Hub: those who wait are told so, and what happened is kept.
func (h *Hub) Close() error {
	h.mu.Lock()
	already := h.closed
	h.closed = true
	h.mu.Unlock()
	if already {
		return nil
	}
	close(h.done)
	h.loops.Wait()
	return h.writer.close()
}

// Do runs a command in a project, for a principal, which is "" where callers are not told apart. It waits where the
// command waits. The error is the context's, or that the store failed; what a command refuses is a result.
func (h *Hub) Do(ctx context.Context, project, principal string, c Command) (Result, error) {
	r, err := h.running(ctx, project)
	if err != nil {
		return nil, err
	}
	result, ch, err := h.run(ctx, r, principal, c)
	w, waits := result.(waiting)
	if err != nil || !waits {
		return result, err
	}
	session, _ := c.who()
	leave := r.enter(session)
	defer leave()
	timer := time.NewTimer(w.limit)
	defer timer.Stop()
	select {
	case result = <-ch:
	case <-timer.C:
		result = h.giveUp(r, &w, ch, false)
	case <-ctx.Done():
		h.giveUp(r, &w, ch, true)
		return nil, context.Cause(ctx)
	case <-h.done:
		return Failure{Status: "error", Error: "The coordinator is shutting down; try again", Code: CodeShutdown}, nil
	}
	if lease, ok := result.(*Lease); ok {
		result = w.as.granted(lease)
	}
	return result, r.settled(ctx)
}

// run runs a command and returns after what it did is kept. With a command that waits comes where its result will be.
func (h *Hub) run(ctx context.Context, r *running, principal string, c Command) (Result, chan any, error) {
	r.mu.Lock()
	if r.broken != nil {
		r.mu.Unlock()
		return nil, nil, r.broken
	}
	result, events := r.project.Do(time.Now(), principal, c)
	var ch chan any
	if w, ok := result.(waiting); ok {
		ch = make(chan any, 1)
		r.waiters[w.id()] = ch
	}
	h.happened(r, events)
	r.mu.Unlock()
	return result, ch, r.settled(ctx)
}

// happened tells those who wait, and the store. The caller holds r.mu.
func (h *Hub) happened(r *running, events []Event) {
	if len(events) == 0 {
		return
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
	if h.opts.Store == nil {
		return
	}
	c := &commit{Commit: Commit{Project: r.project.id, Events: events}, done: make(chan struct{})}
	c.fail = func(err error) { h.discard(r, err) }
	r.last = c
	if err := r.encode(&c.Commit); err != nil { // which it does of no state that commands lead to
		c.err = err
		close(c.done)
		go c.fail(err)
		return
	}
	h.writer.add(c)
}

// encode adds to a commit what the store keeps of it. A snapshot comes when the events since the last one have grown as
// large as that, so that both reading and writing stay cheap.
func (r *running) encode(c *Commit) error {
	for i := range c.Events {
		text, err := json.Marshal(&c.Events[i])
		if err != nil {
			return err
		}
		c.Texts = append(c.Texts, text)
		r.since += len(text)
	}
	if r.since <= max(minSnapshot, r.size) {
		return nil
	}
	var err error
	c.Snapshot, err = r.project.Snapshot()
	r.size, r.since = len(c.Snapshot), 0
	return err
}

// tell hands an event to whoever waits for it.
func (r *running) tell(e *Event) {
	id, result := e.ID, any(nil)
	switch e.Kind {
	case KindAnswered:
		result = Received{Status: "received", Response: e.Message.Text}
	case KindFailed:
		result = Failure{Status: "not_found", Error: e.Text}
	case KindWithdrawn, KindUnqueued:
		result = Failure{Status: "error", Error: "The wait ended: " + cmp.Or(e.Text, "it was given up")}
	case KindLocked:
		id, result = e.Lease.ID, e.Lease
	default:
		return
	}
	if ch, ok := r.waiters[id]; ok {
		delete(r.waiters, id)
		ch <- result // there is room: it gets one
	}
}

// settled waits until all that has happened is kept.
func (r *running) settled(ctx context.Context) error {
	r.mu.Lock()
	c := r.last
	r.mu.Unlock()
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// giveUp ends a wait, because it was long enough or because it was canceled. A result that came in the last moment
// counts, unless nobody is there to take it.
func (h *Hub) giveUp(r *running, w *waiting, ch chan any, canceled bool) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case result := <-ch:
		if lease, ok := result.(*Lease); ok && canceled {
			_, events := r.project.Do(time.Now(), "", drop{lease.ID})
			h.happened(r, events)
		}
		return result
	default:
	}
	delete(r.waiters, w.id())
	if r.broken != nil {
		return Failure{Status: "error", Error: r.broken.Error()}
	}
	result, events := r.project.Do(time.Now(), "", w.end(canceled))
	h.happened(r, events)
	return result
}

// enter counts a session as present until leave is called.
func (r *running) enter(session string) (leave func()) {
	r.mu.Lock()
	r.present[session]++
	r.mu.Unlock()
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.present[session]--; r.present[session] == 0 {
			delete(r.present, session)
		}
	})
}

// Connect says that a session has a connection, which is a sign of life until leave is called.
func (h *Hub) Connect(ctx context.Context, project, session string) (leave func(), err error) {
	r, err := h.running(ctx, project)
	if err != nil {
		return nil, err
	}
	return r.enter(session), nil
}

// Note returns what an answer to a session should say beside its result: whether the session is registered, and how many
// messages wait for it.
func (h *Hub) Note(ctx context.Context, project, session string) (registered bool, unread int, err error) {
	r, err := h.running(ctx, project)
	if err != nil {
		return false, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.project.Registered(session), r.project.Unread(session), nil
}

// Last returns the number of the newest event of a project, after which [Hub.Events] yields what comes from now on.
func (h *Hub) Last(ctx context.Context, project string) (int64, error) {
	r, err := h.running(ctx, project)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.project.state.Seq, nil
}

// Events yields the events of a project after a number, and then those that come, until ctx ends or the Hub does. Of
// what is older than the newest ones there are only those that the store has.
func (h *Hub) Events(ctx context.Context, project string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			events, news, err := h.eventsAfter(ctx, project, after)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range events {
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if len(events) > 0 {
				continue
			}
			select {
			case <-news:
			case <-h.done:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// eventsAfter returns events that there are, or what is closed when there are more.
func (h *Hub) eventsAfter(ctx context.Context, project string, after int64) ([]Event, <-chan struct{}, error) {
	r, err := h.running(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	news, seq := r.news, r.project.state.Seq
	var events []Event
	for i := range r.tail {
		if r.tail[i].Seq > after {
			events = append(events, r.tail[i:]...)
			break
		}
	}
	r.mu.Unlock()
	if err := r.settled(ctx); err != nil {
		return nil, nil, err
	}
	missing := seq > after && (len(events) == 0 || events[0].Seq > after+1)
	if missing && h.opts.Store != nil {
		events, err = h.opts.Store.Events(ctx, project, after, recent)
	}
	return events, news, err
}

// Projects returns the names of all projects, in order.
func (h *Hub) Projects(ctx context.Context) ([]string, error) {
	names := map[string]bool{}
	if h.opts.Store != nil {
		kept, err := h.opts.Store.Projects(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range kept {
			names[name] = true
		}
	}
	h.mu.Lock()
	for name := range h.projects {
		names[name] = true
	}
	h.mu.Unlock()
	return sorted(names), nil
}

// running returns a project, which is loaded, or begun, at its first use.
func (h *Hub) running(ctx context.Context, id string) (*running, error) {
	if f := badName("project_id", id); f != nil {
		return nil, &BadProjectError{f.Error}
	}
	r, mine, err := h.place(id)
	if err != nil {
		return nil, err
	}
	if mine {
		if r.failed = h.load(ctx, r); r.failed != nil {
			h.forget(r)
		}
		close(r.loaded)
	}
	select {
	case <-r.loaded:
		return r, r.failed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// place returns the place of a project, and whether the caller is the first there, who has to load it.
func (h *Hub) place(id string) (r *running, first bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r := h.projects[id]; {
	case h.closed:
		return nil, false, ErrClosed
	case r != nil:
		return r, false, nil
	case len(h.projects) >= maxProjects:
		return nil, false, &BadProjectError{fmt.Sprintf("there are %d projects, which is the limit", maxProjects)}
	}
	r = &running{
		loaded: make(chan struct{}), project: NewProject(id), waiters: make(map[string]chan any), present: make(map[string]int),
		news: make(chan struct{}),
	}
	h.projects[id] = r
	return r, true, nil
}

func (h *Hub) forget(r *running) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.projects[r.project.id] == r {
		delete(h.projects, r.project.id)
	}
}

// A BadProjectError says what is wrong with the id of a project.
type BadProjectError struct{ Why string }

func (e *BadProjectError) Error() string { return e.Why }

// load brings a project back. Nobody waits in it any more, and those who were there have the usual time to show that
// they still are.
func (h *Hub) load(ctx context.Context, r *running) error {
	if h.opts.Store == nil {
		return nil
	}
	snapshot, events, err := h.opts.Store.Load(ctx, r.project.id)
	if err == nil {
		err = r.project.Restore(snapshot, events)
	}
	if err != nil {
		return fmt.Errorf("load project %q: %w", r.project.id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.size = len(snapshot)
	_, after := r.project.Do(time.Now(), "", restarted{})
	h.happened(r, after)
	return nil
}

// discard gives up a project whose events could not be kept: what is here never happened.
func (h *Hub) discard(r *running, err error) {
	h.opts.Logger.Error("a project is loaded again, as what happened in it could not be kept", slog.String("project", r.project.id), slog.String("error", err.Error()))
	h.forget(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = fmt.Errorf("what happens in project %q cannot be kept: %w", r.project.id, err)
	for id, ch := range r.waiters {
		delete(r.waiters, id)
		ch <- Failure{Status: "error", Error: "What happens cannot be kept now; try again"}
	}
	close(r.news)
	r.news = make(chan struct{})
}

// sweep looks for what time alone does, until the Hub ends.
func (h *Hub) sweep() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-h.done:
			return
		case <-ticker.C:
		}
		h.mu.Lock()
		all := make([]*running, 0, len(h.projects))
		for _, r := range h.projects {
			all = append(all, r)
		}
		h.mu.Unlock()
		for _, r := range all {
			h.sweepOne(r)
		}
	}
}

func (h *Hub) sweepOne(r *running) {
	select {
	case <-r.loaded:
	default:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return
	}
	present := func(name string) bool { return r.present[name] > 0 }
	_, events := r.project.Do(time.Now(), "", sweep{h.opts.Timeout, h.opts.Keep, present})
	h.happened(r, events)
}
