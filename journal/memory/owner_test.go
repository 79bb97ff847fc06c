// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// large returns a commit that makes a task of about size bytes, ended or not.
func large(owner, id string, size int, state a2a.TaskState) *journal.Commit {
	c := ended(journal.Key{Scope: journal.Scope{Agent: "a", Owner: owner}, ID: a2a.TaskID(id)}, time.Now())
	c.Events[0].Wire.Event.(*a2a.Task).History = []*a2a.Message{a2a.NewMessage(a2a.RoleUser,
		a2a.TextPart(strings.Repeat("x", size)))}
	c.Head.Status.State, c.Release = state, state.Terminal()
	return c
}

// A filled is a journal of a megabyte.
type filled struct {
	*testing.T
	j *memory.Journal
}

func fill(t *testing.T) filled {
	t.Parallel()
	return filled{t, memory.New(&memory.Options{MaxBytes: 1 << 20})}
}

func (f filled) append(c *journal.Commit) (journal.Lease, error) { return f.j.Append(f.Context(), c) }

func (f filled) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f filled) wantFull(what string, err error) {
	f.Helper()
	if !errors.Is(err, journal.ErrFull) {
		f.Errorf("%s: error %v, want ErrFull", what, err)
	}
}

func (f filled) there(owner, id string) bool {
	_, err := f.j.Head(f.Context(), journal.Key{Scope: journal.Scope{Agent: "a", Owner: owner}, ID: a2a.TaskID(id)})
	return err == nil
}

// An owner that floods the journal with tasks pushes out only its own.
func TestEndedTasksAreBoundedInBytes(t *testing.T) {
	f := fill(t)
	for i := range 3 {
		_, err := f.append(large("alice", fmt.Sprint(i), 64<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	for i := range 100 {
		_, err := f.append(large("bob", fmt.Sprint(i), 64<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	for i := range 3 {
		if !f.there("alice", fmt.Sprint(i)) {
			t.Errorf("task %d of alice is gone", i)
		}
	}
	kept := 0
	for i := range 100 {
		if f.there("bob", fmt.Sprint(i)) {
			if kept++; i < 100-12 {
				t.Errorf("task %d of bob is there, which ended before others that are not", i)
			}
		}
	}
	if kept < 10 || kept > 12 {
		t.Errorf("%d tasks of bob are kept", kept)
	}
	_, err := f.append(large("bob", "huge", 2<<20, a2a.TaskStateCompleted))
	f.wantFull("a task larger than the journal", err)
	if f.there("bob", "huge") || !f.there("alice", "0") {
		t.Error("a task larger than the journal pushed out another owner's")
	}
	_, err = f.append(large("alice", "next", 64<<10, a2a.TaskStateCompleted))
	f.must(err)
	if !f.there("alice", "next") {
		t.Error("there is no room for alice")
	}
}

// The same by number.
func TestEndedTasksOfOthersAreSpared(t *testing.T) {
	t.Parallel()
	f := filled{t, memory.New(&memory.Options{MaxFinished: 10})}
	for owner, n := range map[string]int{"alice": 5, "bob": 1000} {
		for i := range n {
			_, err := f.append(large(owner, fmt.Sprint(i), 1, a2a.TaskStateCompleted))
			f.must(err)
		}
	}
	for i := range 5 {
		if !f.there("alice", fmt.Sprint(i)) || !f.there("bob", fmt.Sprint(999-i)) {
			t.Errorf("task %d of alice or task %d of bob is gone", i, 999-i)
		}
	}
}

// The journal never drops tasks that have not ended, so one owner gets at most three quarters of the room for them. It
// accepts a commit that ends a task even without room.
func TestActiveTasksAreBoundedInBytes(t *testing.T) {
	f := fill(t)
	_, err := f.append(large("bob", "1", 700<<10, a2a.TaskStateWorking))
	f.must(err)
	_, err = f.append(large("bob", "2", 70<<10, a2a.TaskStateWorking))
	f.wantFull("a task over bob's share", err)
	c := large("bob", "3", 60<<10, a2a.TaskStateWorking)
	lease, err := f.append(c)
	f.must(err)

	_, err = f.append(large("alice", "1", 250<<10, a2a.TaskStateCompleted))
	f.must(err)
	_, err = f.append(large("alice", "2", 200<<10, a2a.TaskStateWorking))
	f.must(err)
	if !f.there("bob", "1") || !f.there("alice", "2") || f.there("alice", "1") {
		t.Error("what has ended did not make room for what has not")
	}
	_, err = f.append(large("carol", "1", 70<<10, a2a.TaskStateWorking))
	f.wantFull("a task over the journal's room", err)
	in := journal.Input{Kind: journal.InputMessage,
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", 20<<10)))}
	_, err = f.j.Enqueue(t.Context(), c.Key, in, 0)
	f.wantFull("a message over bob's share", err)
	_, err = f.j.Enqueue(t.Context(), c.Key, journal.Input{Kind: journal.InputCancel, Message: in.Message}, 0)
	f.must(err)

	more := grown(c, lease, 20<<10, a2a.TaskStateWorking)
	_, err = f.append(more)
	f.wantFull("a larger task", err)
	_, err = f.append(grown(c, lease, 200<<10, a2a.TaskStateFailed))
	f.must(err)
	_, err = f.append(large("bob", "4", 30<<10, a2a.TaskStateWorking))
	f.must(err)
}

// grown returns the next commit of a task, with an artifact of size bytes.
func grown(before *journal.Commit, lease journal.Lease, size int, state a2a.TaskState) *journal.Commit {
	head := *before.Head
	head.Seq++
	head.Status.State = state
	return &journal.Commit{
		Key: before.Key, Lease: lease, Expect: before.Head.Seq, Head: &head,
		Events: []journal.Event{{Seq: head.Seq, Time: time.Now(), Wire: a2a.NewStreamEvent("", &a2a.ArtifactUpdate{
			TaskID: before.Key.ID, Artifact: &a2a.Artifact{ID: "x",
				Parts: []a2a.Part{a2a.TextPart(strings.Repeat("y", size))}},
		})}},
	}
}

// The counts return to zero when all tasks are gone.
func TestCountsOfBytesEnd(t *testing.T) {
	f := fill(t)
	for range 50 { // far more than there is room for, if anything were left behind
		c := large("bob", "1", 300<<10, a2a.TaskStateInputRequired)
		lease, err := f.append(c)
		f.must(err)
		in := journal.Input{Kind: journal.InputMessage,
			Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", 100<<10)))}
		n, err := f.j.Enqueue(t.Context(), c.Key, in, 0)
		f.must(err)
		more := grown(c, lease, 10, a2a.TaskStateInputRequired)
		more.Taken, more.TaskState, more.Release = n, make([]byte, 100<<10), true
		_, err = f.append(more)
		f.must(err)
		if n, err := f.j.Prune(t.Context(), time.Now().Add(time.Hour), 10); n != 1 || err != nil {
			t.Fatalf("%d tasks were pruned: %v", n, err)
		}
	}
}

// An owner that has more than an equal part never pushes out ended tasks of one that has less: its own go first, then
// it is refused.
func TestOwnerOverItsPartMakesItsOwnRoom(t *testing.T) {
	f := fill(t)
	for i := range 4 {
		_, err := f.append(large("alice", fmt.Sprint(i), 100<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	for i := range 2 {
		_, err := f.append(large("bob", fmt.Sprint(i), 150<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	_, err := f.append(large("bob", "2", 250<<10, a2a.TaskStateWorking))
	f.must(err)
	_, err = f.append(large("bob", "3", 300<<10, a2a.TaskStateWorking)) // by then less than half is alice's
	f.must(err)
	_, err = f.append(large("bob", "4", 150<<10, a2a.TaskStateWorking))
	f.wantFull("a task of an owner over its part", err)
	for i := range 4 {
		if !f.there("alice", fmt.Sprint(i)) {
			t.Errorf("task %d of alice is gone", i)
		}
	}
	if f.there("bob", "0") || f.there("bob", "1") {
		t.Error("ended tasks of bob are there still")
	}
	_, err = f.append(large("alice", "next", 100<<10, a2a.TaskStateWorking)) // alice is within her part
	f.must(err)
	if f.there("alice", "0") || !f.there("alice", "3") {
		t.Error("alice's own task made no room, or more than one did")
	}
}

// Of ended tasks alike: bob's, which are over his part by bytes, go before those of alice, who is within hers.
func TestWriterOverItsPartGoesFirst(t *testing.T) {
	f := fill(t)
	_, err := f.append(large("bob", "work", 600<<10, a2a.TaskStateWorking))
	f.must(err)
	for i := range 4 {
		_, err := f.append(large("alice", fmt.Sprint(i), 100<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	for i := range 5 {
		_, err := f.append(large("bob", fmt.Sprint(i), 90<<10, a2a.TaskStateCompleted))
		f.must(err)
	}
	for i := range 4 {
		if !f.there("alice", fmt.Sprint(i)) {
			t.Errorf("task %d of alice is gone", i)
		}
	}
}

// TestTaskLargerThanTheJournalIsRefused makes tasks that the journal could not keep. They are refused, so that nobody
// looks for them.
func TestTaskLargerThanTheJournalIsRefused(t *testing.T) {
	f := fill(t)
	_, err := f.append(large("alice", "small", 10, a2a.TaskStateCompleted))
	f.must(err)
	_, err = f.append(large("alice", "huge", 1<<20, a2a.TaskStateCompleted))
	f.wantFull("a task that has ended", err)
	f.wantFull("a message", f.j.Room(t.Context(), journal.Scope{}, 1<<20))
	f.must(f.j.Room(t.Context(), journal.Scope{}, 1<<19))
	if !f.there("alice", "small") {
		t.Error("the task that was refused took the place of another one")
	}
}

// TestKeysOfInputsAreCounted fills a journal with idempotency keys alone: a task keeps those of its inputs.
func TestKeysOfInputsAreCounted(t *testing.T) {
	f := fill(t)
	lease, err := f.append(large("alice", "1", 10, a2a.TaskStateInputRequired))
	f.must(err)
	for i := 0; err == nil && i < 10_000; i++ {
		in := journal.Input{Kind: journal.InputMessage, Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("x")),
			IdempotencyKey: fmt.Sprintf("%01000d", i)}
		var n uint64
		if n, err = f.j.Enqueue(t.Context(), lease.Key, in, 0); err != nil {
			break
		}
		c := large("alice", "1", 10, a2a.TaskStateInputRequired)
		c.Create, c.Lease, c.Taken, c.Events = nil, lease, n, nil
		c.Expect = c.Head.Seq
		_, err = f.append(c)
	}
	f.wantFull("more keys than the journal has room for", err)
}

// Cursors count, also when they move, and go with their task.
func TestCursorsCount(t *testing.T) {
	f := fill(t)
	_, err := f.append(large("alice", "t", 1, a2a.TaskStateWorking))
	f.must(err)
	key := journal.Key{Scope: journal.Scope{Agent: "a", Owner: "alice"}, ID: "t"}
	put := func(name string, size int) error {
		return f.j.PutCursor(t.Context(), key, journal.Cursor{Name: name, Data: make([]byte, size)})
	}
	f.must(put("c", 500<<10))
	f.must(put("c", 600<<10))
	f.wantFull("a second cursor", put("d", 600<<10))
	f.wantFull("a larger cursor", put("c", 2<<20))
	f.must(f.j.DeleteCursor(t.Context(), key, "c"))
	f.must(put("d", 600<<10))
	with := large("bob", "t", 1, a2a.TaskStateWorking)
	with.Create.Cursors = []journal.Cursor{{Name: "c", Data: make([]byte, 900<<10)}}
	_, err = f.append(with)
	f.wantFull("a task with a cursor", err)
}
