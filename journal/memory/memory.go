// SPDX-License-Identifier: Apache-2.0

// Package memory is a journal that lives as long as its process. It is bounded, in tasks and in bytes. If it is full,
// it forgets tasks that have ended, those that ended first before others. Tasks that have not ended are never
// forgotten: the journal refuses what would make them too many or too large. One owner gets three quarters of the room
// for them.
//
// An equal part of the journal is what each owner has if all have the same. A write of an owner who has more than that
// makes the journal forget ended tasks of this owner first, then those of other owners who have more than their part,
// and is refused if that is not enough. An owner within its part loses ended tasks only to a write of another owner
// within its part.
package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// The bounds of a Journal made without options.
const (
	DefaultMaxFinished = 10_000
	DefaultMaxActive   = 100_000
	DefaultMaxBytes    = 256 << 20
)

// Options bound a Journal.
type Options struct {
	// MaxFinished is how many tasks in a terminal state are kept. 0 means DefaultMaxFinished.
	MaxFinished int
	// MaxActive is how many other tasks there may be; a further one is refused with [journal.ErrFull]. 0 means
	// DefaultMaxActive.
	MaxActive int
	// MaxBytes is about how many bytes all tasks may take, with what waits for them. 0 means DefaultMaxBytes.
	MaxBytes int64
}

// Journal is a [journal.Journal] in memory. One lock guards it: what is done under it is a few map operations, so
// that a second one would cost more than it saves.
type Journal struct {
	maxFinished, maxActive int
	maxBytes               int64

	mu     sync.Mutex
	closed bool
	scopes map[journal.Scope]*scope
	ready  map[string]*readyQueue // by agent
	due    dueQueue
	owners map[ownerKey]*owner
	heavy  heavyOwners
	active load // of tasks that have not ended
	ended  load
	token  uint64 // the last one given; never repeated, so that no lease outlives its task
}

var _ journal.Journal = (*Journal)(nil)

// scope is what belongs to one agent, tenant and owner.
type scope struct {
	journal.Scope
	tasks    map[a2a.TaskID]*task
	contexts map[a2a.ContextID]*contextTasks
	keys     map[string]a2a.TaskID // idempotency keys
	ready    *readyQueue           // of the agent
	owner    *owner
	all      order
	byState  [a2a.TaskStateAuthRequired + 1]order
}

type contextTasks struct {
	state   []byte
	active  int // how many tasks have not ended
	tasks   order
	byState map[a2a.TaskState]*order // nil until a list asks for it, which is rare, as most contexts have one task
}

func (c *contextTasks) add(t *task) {
	c.tasks.add(t)
	if c.byState != nil {
		c.ofState(t.head.Status.State).add(t)
	}
}

func (c *contextTasks) remove(t *task) {
	c.tasks.remove(t)
	if c.byState != nil {
		c.ofState(t.head.Status.State).remove(t)
	}
}

// ofState returns the tasks in one state.
func (c *contextTasks) ofState(state a2a.TaskState) *order {
	if c.byState == nil {
		c.byState = make(map[a2a.TaskState]*order)
		c.tasks.ascend(func(t *task) bool {
			c.ofState(t.head.Status.State).add(t)
			return true
		})
	}
	o := c.byState[state]
	if o == nil {
		o = new(order)
		c.byState[state] = o
	}
	return o
}

// New returns an empty journal. opts may be nil.
func New(opts *Options) *Journal {
	j := &Journal{
		maxFinished: DefaultMaxFinished,
		maxActive:   DefaultMaxActive,
		maxBytes:    DefaultMaxBytes,
		owners:      make(map[ownerKey]*owner),
		scopes:      make(map[journal.Scope]*scope),
		ready:       make(map[string]*readyQueue),
	}
	if opts != nil && opts.MaxFinished > 0 {
		j.maxFinished = opts.MaxFinished
	}
	if opts != nil && opts.MaxActive > 0 {
		j.maxActive = opts.MaxActive
	}
	if opts != nil && opts.MaxBytes > 0 {
		j.maxBytes = opts.MaxBytes
	}
	return j
}

// Close implements [journal.Journal]. It forgets everything.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.scopes, j.ready, j.due, j.owners, j.heavy = nil, nil, nil, nil, nil
	return nil
}

// lock takes the lock unless there is a reason not to go on. After nil the caller unlocks.
func (j *Journal) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return journal.ErrClosed
	}
	return nil
}

func (j *Journal) find(key journal.Key) (*task, error) {
	if s := j.scopes[key.Scope]; s != nil {
		if t := s.tasks[key.ID]; t != nil {
			return t, nil
		}
	}
	return nil, journal.ErrNotFound
}

// Append implements [journal.Journal].
func (j *Journal) Append(ctx context.Context, c *journal.Commit) (journal.Lease, error) {
	if err := c.Validate(); err != nil {
		return journal.Lease{}, err
	}
	if err := j.lock(ctx); err != nil {
		return journal.Lease{}, err
	}
	defer j.mu.Unlock()
	now := time.Now().UnixNano()
	if c.Create != nil {
		return j.create(c, now)
	}
	t, err := j.find(c.Key)
	if err != nil {
		return journal.Lease{}, err
	}
	if err := t.admits(c); err != nil {
		return journal.Lease{}, err
	}
	if !c.Head.Status.State.Terminal() {
		if err := j.room(t.scope.owner, load{bytes: t.growth(c) + t.scope.stateGrowth(c)}); err != nil {
			return journal.Lease{}, err
		}
	}
	j.commit(t, c, now)
	return t.lease(), nil
}

func (j *Journal) create(c *journal.Commit, now int64) (journal.Lease, error) {
	s := j.scopes[c.Key.Scope]
	if s != nil {
		if s.tasks[c.Key.ID] != nil {
			return journal.Lease{}, journal.ErrExists
		}
		if id, used := s.keys[c.Create.IdempotencyKey]; used {
			return journal.Lease{}, &journal.DuplicateError{TaskID: id}
		}
	}
	size := taskBytes + (*task)(nil).growth(c) + keyBytes(c.Create.IdempotencyKey)
	for i := range c.Create.Cursors {
		size += cursorBytes(&c.Create.Cursors[i])
	}
	if !c.Head.Status.State.Terminal() { // one that has ended makes room for itself
		more := load{1, size + s.stateGrowth(c)}
		if err := j.room(j.owners[ownerOf(c.Key.Scope)], more); err != nil {
			return journal.Lease{}, err
		}
	} else if size > j.maxBytes {
		return journal.Lease{}, &journal.QuotaError{Bytes: j.maxBytes}
	}
	if s == nil {
		s = j.addScope(c.Key.Scope)
	}
	j.token++
	t := &task{
		scope:   s,
		context: s.context(c.Head.ContextID),
		token:   j.token,
		holder:  c.Create.Holder,
		until:   now + int64(c.Create.TTL),
		ready:   notQueued,
	}
	s.tasks[c.Key.ID] = t
	if c.Create.IdempotencyKey != "" {
		s.keys[c.Create.IdempotencyKey] = c.Key.ID
		t.rest().createKey = c.Create.IdempotencyKey
	}
	t.context.active++
	if t.context.active == 1 { // its state counts with what has not ended again
		j.charge(s.owner, true, load{bytes: -int64(len(t.context.state))})
		j.charge(s.owner, false, load{bytes: int64(len(t.context.state))})
	}
	j.weigh(t, load{1, taskBytes + keyBytes(c.Create.IdempotencyKey)})
	j.commit(t, c, now)
	for _, cursor := range c.Create.Cursors {
		j.putCursor(t, cursor, now)
	}
	return t.lease(), nil
}

func (j *Journal) addScope(key journal.Scope) *scope {
	queue := j.ready[key.Agent]
	if queue == nil {
		queue = new(readyQueue)
		j.ready[key.Agent] = queue
	}
	s := &scope{
		Scope:    key,
		tasks:    make(map[a2a.TaskID]*task),
		contexts: make(map[a2a.ContextID]*contextTasks),
		keys:     make(map[string]a2a.TaskID),
		ready:    queue,
		owner:    j.addOwner(key),
	}
	j.scopes[key] = s
	return s
}

func (s *scope) context(id a2a.ContextID) *contextTasks {
	c := s.contexts[id]
	if c == nil {
		c = new(contextTasks)
		s.contexts[id] = c
	}
	return c
}

// commit applies what was found admissible. It cannot fail.
func (j *Journal) commit(t *task, c *journal.Commit, now int64) {
	if t.events == nil {
		t.events = slices.Clip(c.Events) // most tasks have one commit
	} else {
		t.events = append(t.events, c.Events...)
	}
	j.weigh(t, load{bytes: t.growth(c)})
	if c.Head.Status.State.Terminal() && !t.over {
		j.end(t)
	}
	t.setHead(c.Head)
	j.weigh(t, load{bytes: -t.take(c.Taken)})
	if c.TaskState != nil {
		t.rest().state = c.TaskState
	}
	if c.ContextState != nil {
		j.setState(t, c.ContextState)
	}
	if c.Release {
		t.holder, t.until = "", 0
	}
	j.queue(t, now)
	if len(c.Events) > 0 && t.more != nil {
		j.wakeCursors(t, now)
	}
	j.makeRoom(t.scope.owner)
}

// forget removes a task with all that belongs to it.
func (j *Journal) forget(t *task) {
	s := t.scope
	id, contextID := t.head.Key.ID, t.head.ContextID
	t.unlist()
	delete(s.tasks, id)
	j.unload(t)
	if c := t.context; c.tasks.len == 0 {
		j.charge(s.owner, true, load{bytes: -int64(len(c.state))})
		delete(s.contexts, contextID)
	}
	if t.more != nil {
		delete(s.keys, t.more.createKey)
		for _, c := range t.more.cursors {
			j.due.drop(c)
		}
	}
	s.ready.drop(t)
	if len(s.tasks) == 0 {
		delete(j.scopes, s.Scope)
		j.dropOwner(s)
	}
}
