// SPDX-License-Identifier: Apache-2.0

// Package journaltest is the executable form of the contract in package journal: a suite that every implementation
// passes, with a subtest for each promise.
package journaltest

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// An Opener returns an empty journal, which the test closes. again opens another handle on the same journal beside the
// first one, as a second node would; it is nil where that cannot be.
type Opener func(t *testing.T) (j journal.Journal, again func() (journal.Journal, error))

// A test is one promise of the contract, shown on a journal of its own.
type test struct {
	name string
	run  func(*bench)
}

// Run tests a journal.
func Run(t *testing.T, open Opener) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Create", createTests},
		{"Append", appendTests},
		{"Scope", scopeTests},
		{"Inbox", inboxTests},
		{"Lease", leaseTests},
		{"Claim", claimTests},
		{"Read", readTests},
		{"List", listTests},
		{"State", stateTests},
		{"Cursor", cursorTests},
		{"Prune", pruneTests},
		{"Concurrent", concurrentTests},
		{"Close", closeTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) { test.run(setup(t, open)) })
			}
		})
	}
}

// long is a lease that does not expire during a test.
const long = time.Hour

// bench is a journal and what a test needs around it. Its methods fail the test on an error.
type bench struct {
	*testing.T
	j     journal.Journal
	again func() (journal.Journal, error)
	ctx   context.Context
}

func setup(t *testing.T, open Opener) *bench {
	t.Helper()
	t.Parallel()
	j, again := open(t)
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &bench{T: t, j: j, again: again, ctx: t.Context()}
}

var numbers atomic.Int64

// key returns a key that no other test has.
func key() journal.Key {
	return journal.Key{
		Scope: journal.Scope{Agent: "agent", Tenant: "tenant", Owner: "owner"},
		ID:    a2a.TaskID("task-" + strconv.FormatInt(numbers.Add(1), 10)),
	}
}

// now is the time as all journals keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// driver writes one task as an engine does, and keeps what should be in the journal.
type driver struct {
	*bench
	key    journal.Key
	lease  journal.Lease
	head   journal.Head
	events []journal.Event // that the journal took
}

// draft returns a driver for a task that does not exist yet.
func (b *bench) draft(k journal.Key) *driver {
	return &driver{bench: b, key: k, head: journal.Head{
		Key: k, ContextID: "context", Origin: a2a.Generation10, Created: now(),
		Metadata: a2a.Metadata{"born": []byte(`1.00`)},
	}}
}

// create makes a task in state working and keeps its lease.
func (b *bench) create(k journal.Key) *driver {
	b.Helper()
	d := b.draft(k)
	d.must(d.append(d.creation("me"), d.born(a2a.TaskStateWorking)))
	return d
}

// rest makes a task that nobody holds, in a state.
func (b *bench) rest(k journal.Key, state a2a.TaskState) *driver {
	b.Helper()
	d := b.draft(k)
	d.must(d.append(both(d.creation("me"), release), d.born(state)))
	return d
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// change is what a test adds to a commit.
type change func(*journal.Commit)

func both(a, b change) change { return func(c *journal.Commit) { a(c); b(c) } }

func plain(*journal.Commit)          {}
func release(c *journal.Commit)      { c.Release = true }
func unlessInputs(c *journal.Commit) { c.UnlessInputs = true }
func taken(n uint64) change          { return func(c *journal.Commit) { c.Taken = n; c.Head.Taken = n } }
func run(r journal.Run) change       { return func(c *journal.Commit) { c.Head.Run = r } }
func (d *driver) creation(holder string) change {
	return func(c *journal.Commit) { c.Create = &journal.Create{Holder: holder, TTL: long} }
}

// append commits events, and remembers them when the journal took them.
func (d *driver) append(change change, events ...journal.Event) error {
	c := d.commit(change, events...)
	lease, err := d.j.Append(d.ctx, c)
	if err == nil {
		d.took(c, lease)
	}
	return err
}

func (d *driver) took(c *journal.Commit, lease journal.Lease) {
	d.lease, d.head = lease, *c.Head
	d.events = append(d.events, c.Events...)
}

// commit numbers the events and makes the head that goes with them.
func (d *driver) commit(change change, events ...journal.Event) *journal.Commit {
	head := d.head
	c := &journal.Commit{Key: d.key, Lease: d.lease, Expect: head.Seq, Taken: head.Taken, Head: &head}
	f := d.projection()
	for _, e := range events {
		head.Seq++
		e.Seq = head.Seq
		if e.Wire.Event != nil {
			e.Wire = a2a.NewStreamEvent(journal.EventID(e.Seq), e.Wire.Event)
		}
		f.Apply(&e)
		c.Events = append(c.Events, e)
	}
	if head.Seq > 0 {
		head.Artifacts, head.History = f.Counts()
		head.Status, head.Metadata = f.Status(), f.Metadata()
	}
	c.Task = f.Task
	change(c)
	return c
}

func (d *driver) projection() *journal.Projection {
	f := new(journal.Projection)
	for i := range d.events {
		f.Apply(&d.events[i])
	}
	return f
}

// born is the first event of a task.
func (d *driver) born(state a2a.TaskState) journal.Event {
	return wire(&a2a.Task{
		ID: d.key.ID, ContextID: d.head.ContextID, Origin: d.head.Origin,
		Status:   a2a.TaskStatus{State: state, Timestamp: now()},
		History:  []*a2a.Message{message("hello")},
		Metadata: d.head.Metadata,
	})
}

func wire(e a2a.Event) journal.Event {
	return journal.Event{Time: now(), Wire: a2a.StreamEvent{Event: e}}
}

func (d *driver) status(state a2a.TaskState, m *a2a.Message) journal.Event {
	return wire(&a2a.StatusUpdate{
		TaskID: d.key.ID, ContextID: d.head.ContextID,
		Status: a2a.TaskStatus{State: state, Message: m, Timestamp: now()},
	})
}

func (d *driver) artifact(id a2a.ArtifactID, more bool, text string) journal.Event {
	return wire(&a2a.ArtifactUpdate{
		TaskID: d.key.ID, ContextID: d.head.ContextID, Append: more,
		Artifact: &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(text)}},
	})
}

func received(number uint64, text string) journal.Event {
	return journal.Event{Time: now(), Received: &journal.Received{Input: number, Message: message(text)}}
}

func metadata(m a2a.Metadata) journal.Event { return journal.Event{Time: now(), Metadata: m} }

func message(text string) *a2a.Message {
	return &a2a.Message{ID: a2a.MessageID("m-" + text), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}
}

func input(text string) journal.Input {
	return journal.Input{
		Kind: journal.InputMessage, Message: message(text), Time: now(),
		Call: journal.InputCall{
			Identity: a2a.Identity{Subject: "who", Client: "with", Scopes: []string{"may"},
				Actors: []string{"by"}},
			Generation: a2a.Generation03, Binding: a2a.BindingGRPC, Extensions: []string{"https://x.example"},
			OutputModes: []string{"text/plain"}, Metadata: a2a.Metadata{"n": []byte(`1e400`)},
			TraceParent: "00-1-2-03", RequestID: "r",
		},
	}
}

func (b *bench) load(k journal.Key) *journal.Snapshot {
	b.Helper()
	s, err := b.j.Load(b.ctx, k)
	b.must(err)
	return s
}

func (b *bench) page(k journal.Key, after uint64, limit int) []journal.Event {
	b.Helper()
	events, err := b.j.Events(b.ctx, k, after, limit)
	b.must(err)
	return events
}

func (b *bench) enqueue(k journal.Key, in journal.Input) uint64 {
	b.Helper()
	n, err := b.j.Enqueue(b.ctx, k, in, 0)
	b.must(err)
	return n
}

// stored compares what the journal returns for the task with what was written.
func (d *driver) stored() {
	d.Helper()
	got := d.load(d.key)
	d.same("the loaded task", d.projection().Task(), got.Task)
	d.same("the loaded head", &d.head, got.Head)
	head, err := d.j.Head(d.ctx, d.key)
	d.must(err)
	d.same("the head", &d.head, head)
	d.same("the events", d.events, d.all())
}

// all reads the task's events in pages.
func (d *driver) all() []journal.Event {
	d.Helper()
	var all []journal.Event
	for {
		page := d.page(d.key, uint64(len(all)), 7)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// same compares values as far as the contract has them kept: nil and empty are one.
func (b *bench) same(what string, want, got any) {
	b.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(sameStreamEvent)); diff != "" {
		b.Fatalf("%s differs (-want +got):\n%s", what, diff)
	}
}

func sameStreamEvent(a, b a2a.StreamEvent) bool {
	return a.ID == b.ID && cmp.Equal(a.Event, b.Event, cmpopts.EquateEmpty())
}

// eventually polls until f is true.
func (b *bench) eventually(what string, f func() bool) {
	b.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !f() {
		if time.Now().After(deadline) {
			b.Fatalf("did not come about: %s", what)
		}
		timer := time.NewTimer(2 * time.Millisecond)
		<-timer.C
	}
}
