// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// HubOptions tune a Hub. The zero value is ready.
type HubOptions struct {
	// Store keeps what happens. Nil keeps nothing beyond the life of the Hub.
	Store Store
	// SessionTimeout is how long an agent may show no heartbeat until it counts as dead; 0 means DefaultSessionTimeout.
	SessionTimeout time.Duration
	// SessionRetention is how long what the dead leave is kept; 0 means DefaultSessionRetention.
	SessionRetention time.Duration
	// EventRetention is how long the Store keeps events that the state no longer needs; 0 means DefaultEventRetention,
	// and less than 0 for ever.
	EventRetention time.Duration
	Logger         *slog.Logger // nil means slog.Default()
}

// DefaultEventRetention is how long events are kept unless HubOptions say otherwise.
const DefaultEventRetention = 30 * 24 * time.Hour

// pruneEvery is how often old events are dropped.
const pruneEvery = time.Hour

var (
	// ErrClosed is returned by calls of a Hub that was closed.
	ErrClosed = errors.New("the coordinator has ended")
	// ErrNotKept is returned by a call whose events the store could not keep: the call changed nothing.
	ErrNotKept = errors.New("the events could not be stored")
	// ErrDisconnected is the cause of a context that ends with the caller's connection. The caller may still want the
	// answer that it waited for, so the answer goes to its inbox.
	ErrDisconnected = fmt.Errorf("the connection of the caller has ended: %w", context.Canceled)
	// errGone tells a call, of which nothing has happened, to look its project up again.
	errGone = errors.New("the project is not in use any more")
)

// A Hub runs projects. It answers a call only when the events that led to the answer are in the store. Make one with
// [NewHub], and close it.
type Hub struct {
	opts   HubOptions
	writer *writer
	ctx    context.Context // ends with the Hub
	stop   context.CancelFunc
	loops  sync.WaitGroup

	mu       sync.Mutex
	projects map[string]*projectActor
	filled   int // projects in which something has happened
	closed   bool

	endings   endings
	presences presences
	failures  failures
}

// NewHub returns a Hub. Nil options are the default ones.
func NewHub(opts *HubOptions) *Hub {
	var o HubOptions
	if opts != nil {
		o = *opts
	}
	o.SessionTimeout, o.SessionRetention, o.EventRetention = cmp.Or(o.SessionTimeout, DefaultSessionTimeout),
		cmp.Or(o.SessionRetention, DefaultSessionRetention), cmp.Or(o.EventRetention, DefaultEventRetention)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	h := &Hub{opts: o, projects: make(map[string]*projectActor), endings: newEndings(), presences: newPresences()}
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.writer = newWriter(h)
	if o.Store != nil && o.EventRetention > 0 {
		h.loops.Go(h.prune)
	}
	return h
}

// Close ends the Hub: calls that wait return, and all events are stored.
func (h *Hub) Close() error {
	h.mu.Lock()
	already := h.closed
	h.closed = true
	h.mu.Unlock()
	if already {
		return nil
	}
	h.stop()
	h.loops.Wait()
	return h.writer.close()
}

// Do runs a command in a project, for a principal, which is "" where callers are not told apart. It waits where the
// command waits. The error is the cause of the context's end, or that the store failed; a refusal is a result. A call
// whose context ends leaves no query, claim or lease behind; with [ErrDisconnected] its query stays. It takes no
// message that it does not return. If the project is deleted meanwhile, the command is refused.
func (h *Hub) Do(ctx context.Context, project, principal string, c Command) (Result, error) {
	ends := h.endings.total()
	var result Result
	err := h.with(ctx, project, func(r *projectActor) (err error) {
		if _, ended := h.endings.since(project, ends); ended {
			result = deletedMeanwhile(project)
			return nil
		}
		result, err = h.doIn(ctx, r, principal, c)
		return err
	})
	return result, err
}

func (h *Hub) doIn(ctx context.Context, r *projectActor, principal string, c Command) (Result, error) {
	if check, ok := c.(Check); ok && !check.Peek {
		return h.take(ctx, r, principal, check)
	}
	o, err := h.run(r, principal, c)
	if err != nil {
		return nil, err
	}
	if w, ok := o.result.(waiting); ok {
		defer h.Connect(r.id, c.(sessionCommand).session())()
		if err := h.wait(ctx, r, &w, &o); err != nil {
			return nil, err
		}
	}
	err = o.settled(ctx)
	switch {
	case err == nil:
		return o.result, nil
	case ctx.Err() != nil:
		h.undo(r, &o)
	case o.later != nil && errors.Is(err, errGone): // a call does not wait a second time
		err = ErrNotKept
	}
	return nil, err
}

// take takes messages out of an inbox. It waits until they are stored, but not until their removal is: a call that ends
// before has taken none, and if the store fails then they come a second time.
func (h *Hub) take(ctx context.Context, r *projectActor, principal string, c Check) (Result, error) {
	r.mu.Lock()
	before := outcome{last: r.last, reads: true}
	c.upto = r.project.state.Seq
	r.mu.Unlock()
	if err := before.settled(ctx); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	o, err := h.run(r, principal, c)
	return o.result, err
}

// An outcome is what a command led to.
type outcome struct {
	result Result
	last   *commit      // the newest of those that led to the result; nil for none
	reads  bool         // the command itself did nothing
	later  chan outcome // where the outcome of a command that waits will be; it gets one
	undo   Command      // what becomes of it when the caller is gone; nil for nothing
}

func (o *outcome) settled(ctx context.Context) error {
	if o.last == nil {
		return nil
	}
	select {
	case <-o.last.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := o.last.err; err == nil || !o.reads || errors.Is(err, ErrClosed) {
		return err
	}
	return errGone // what it has read never happened
}

func (h *Hub) run(r *projectActor, principal string, c Command) (outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return outcome{}, errGone
	}
	if grows(c) && r.full() {
		return outcome{result: Failure{Status: "error",
			Error: fmt.Sprintf("the project holds %d MiB, which is the limit: read messages, and unregister agents "+
				"that are done", maxState>>20), Code: CodeLimit}}, nil
	}
	result, events := r.project.Do(time.Now(), principal, c)
	if len(events) > 0 {
		if err := h.fill(r); err != nil {
			r.project = NewProject(r.id) // it was empty until now
			return outcome{}, err
		}
	}
	o := outcome{result: result, reads: len(events) == 0, undo: r.undoing(c, events)}
	if w, ok := result.(waiting); ok {
		o.later = make(chan outcome, 1)
		r.waiters[w.id()] = o.later
	}
	o.last = h.happened(r, events)
	return o, nil
}

// undoing returns the command that takes back a lease that nobody knows to have, or a question that nobody wants
// answered. A lease that another call waits for stays.
func (r *projectActor) undoing(c Command, events []Event) Command {
	for i := range slices.Backward(events) { // others may follow from it
		e := &events[i]
		switch c := c.(type) {
		case Announce:
			if e.Kind == KindLocked && e.Session == c.Session && r.waiters[e.Lease.ID] == nil {
				return drop{e.Lease.ID}
			}
		case Ask:
			if e.Kind == KindAsked {
				return withdraw{e.Query.ID}
			}
		}
	}
	return nil
}

// undo takes back the effects of a call that ended before it was answered, and keeps an answer that had come for it.
func (h *Hub) undo(r *projectActor, o *outcome) {
	if o.undo == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, events := r.project.Do(time.Now(), "", o.undo)
	h.happened(r, events)
}

func (h *Hub) wait(ctx context.Context, r *projectActor, w *waiting, o *outcome) error {
	timer := time.NewTimer(w.limit)
	defer timer.Stop()
	var got outcome
	select {
	case got = <-o.later:
	case <-timer.C:
		got = h.giveUp(r, w, o.later, false)
	case <-ctx.Done():
		got = h.giveUp(r, w, o.later, !errors.Is(context.Cause(ctx), ErrDisconnected))
	case <-h.ctx.Done():
		got = h.giveUp(r, w, o.later, false)
		switch got.result.(type) {
		case Received, *Lease: // came in the last moment
		default:
			got = outcome{result: Failure{Status: "error", Error: "The coordinator is shutting down; try again",
				Code: CodeShutdown}}
		}
	}
	o.result, o.last, o.undo = got.result, got.last, got.undo
	if lease, ok := got.result.(*Lease); ok {
		o.result = w.as.granted(lease)
	}
	if ctx.Err() == nil {
		return nil
	}
	h.undo(r, o)
	return context.Cause(ctx)
}

// giveUp ends a wait unless its result came in the last moment.
func (h *Hub) giveUp(r *projectActor, w *waiting, later chan outcome, canceled bool) outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case got := <-later:
		return got
	default:
	}
	delete(r.waiters, w.id())
	result, events := r.project.Do(time.Now(), "", w.end(canceled))
	return outcome{result: result, last: h.happened(r, events)}
}

// Connect says that a session has a connection, which is a heartbeat until leave is called.
func (h *Hub) Connect(project, session string) (leave func()) {
	return count(&h.presences.mu, h.presences.connections, [2]string{project, session})
}

// Listen says that a principal listens for a session, now or later its own: that is a heartbeat until leave is called.
func (h *Hub) Listen(project, session, principal string) (leave func()) {
	return count(&h.presences.mu, h.presences.listeners, [3]string{project, session, principal})
}

// Note returns whether a session is registered, and how many messages wait for it.
func (h *Hub) Note(ctx context.Context, project, session string) (registered bool, unread int, err error) {
	err = h.with(ctx, project, func(r *projectActor) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		registered, unread = r.project.Registered(session), r.project.Unread(session)
		return nil
	})
	return registered, unread, err
}

// Alive returns the names of the projects in which an agent is, in order.
func (h *Hub) Alive() []string {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.projects))
	h.mu.Unlock()
	var names []string
	for _, r := range all {
		if r.alive() {
			names = append(names, r.id)
		}
	}
	slices.Sort(names)
	return names
}

func (r *projectActor) alive() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return false
	}
	for _, s := range r.project.state.Sessions.all() {
		if s.active() {
			return true
		}
	}
	return false
}

// Projects returns the names of all projects in which something has happened, in order.
func (h *Hub) Projects(ctx context.Context) ([]string, error) {
	var names []string
	if h.opts.Store != nil {
		var err error
		if names, err = h.opts.Store.Projects(ctx); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	for name, r := range h.projects {
		if r.filled {
			names = append(names, name)
		}
	}
	h.mu.Unlock()
	slices.Sort(names)
	return slices.Compact(names), nil
}

// prune has the Store drop what is old, until the Hub ends.
func (h *Hub) prune() {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		if err := h.opts.Store.Prune(h.ctx, time.Now().Add(-h.opts.EventRetention)); err != nil && h.ctx.Err() == nil {
			h.opts.Logger.Warn("old events cannot be dropped", slog.String("error", err.Error()))
		}
		select {
		case <-ticker.C:
		case <-h.ctx.Done():
			return
		}
	}
}
