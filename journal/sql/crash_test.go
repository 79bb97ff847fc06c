// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// crashDir names the variable by which the test binary learns that it is the process to be killed.
const crashDir = "JOURNAL_CRASH_DIR"

// crashing is the killed process: it writes to several tasks at once, as fast as it can, and says what the journal has
// acknowledged.
func crashing() bool {
	dir := os.Getenv(crashDir)
	if dir == "" {
		return false
	}
	db, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		panic(err)
	}
	j, err := sql.New(context.Background(), db, nil)
	if err != nil {
		panic(err)
	}
	for i := range crashTasks {
		go func() {
			w := newWriter(j, crashKey(i))
			for {
				if err := w.write(3); err != nil {
					panic(err)
				}
				fmt.Printf("%d %d\n", i, w.head.Seq)
			}
		}()
	}
	select {}
}

const crashTasks = 4

func crashKey(i int) journal.Key {
	return journal.Key{Scope: journal.Scope{Agent: "a"}, ID: a2a.TaskID(fmt.Sprint("task-", i))}
}

// writer appends chunks to one task.
type writer struct {
	j          journal.Journal
	lease      journal.Lease
	head       journal.Head
	projection journal.Projection
}

func newWriter(j journal.Journal, key journal.Key) *writer {
	return &writer{j: j, head: journal.Head{Key: key, ContextID: "c", Created: time.Now()}}
}

func (w *writer) write(events int) error {
	head := w.head
	c := &journal.Commit{Key: head.Key, Lease: w.lease, Expect: head.Seq, Head: &head, Task: w.projection.Task}
	if head.Seq == 0 {
		c.Create = &journal.Create{Holder: "h", TTL: time.Hour}
		head.Status = a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: time.Now()}
		w.add(c, &a2a.Task{ID: head.Key.ID, ContextID: "c", Status: head.Status})
	}
	for range events {
		w.add(c, &a2a.ArtifactUpdate{TaskID: head.Key.ID, ContextID: "c", Append: true,
			Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(fmt.Sprint(head.Seq + 1))}}})
	}
	lease, err := w.j.Append(context.Background(), c)
	if err == nil {
		w.lease, w.head = lease, head
	}
	return err
}

func (w *writer) add(c *journal.Commit, e a2a.Event) {
	c.Head.Seq++
	event := journal.Event{Seq: c.Head.Seq, Time: time.Now(), Wire: a2a.NewStreamEvent(journal.EventID(c.Head.Seq), e)}
	w.projection.Apply(&event)
	c.Events = append(c.Events, event)
}

func TestNothingAcknowledgedIsLostInACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[int]uint64{}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == 600 { // in full swing, past some checkpoints
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		var task int
		var seq uint64
		if _, err := fmt.Sscanf(lines.Text(), "%d %d", &task, &seq); err == nil {
			acknowledged[task] = seq
		}
	}
	_ = child.Wait() // it was killed
	if len(acknowledged) != crashTasks {
		t.Fatalf("acknowledged: %v", acknowledged)
	}

	j := newJournal(t, openDB(t, dir))
	for task, seq := range acknowledged {
		survived(t, j, crashKey(task), seq)
	}
}

// survived checks that a task has no gap, has what was acknowledged, and can be claimed at once.
func survived(t *testing.T, j *sql.Journal, key journal.Key, acknowledged uint64) {
	t.Helper()
	s, err := j.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if s.Head.Seq < acknowledged {
		t.Errorf("%s: %d events acknowledged, %d there", key.ID, acknowledged, s.Head.Seq)
	}
	events, err := j.Events(t.Context(), key, 0, 1<<30)
	if err != nil || uint64(len(events)) != s.Head.Seq {
		t.Fatalf("%s: %d events, head says %d, error %v", key.ID, len(events), s.Head.Seq, err)
	}
	parts := s.Task.Artifacts[0].Parts
	if uint64(len(parts)) != s.Head.Seq-1 {
		t.Fatalf("%s: %d parts of %d events", key.ID, len(parts), s.Head.Seq)
	}
	for i, p := range parts {
		if want := a2a.Text(fmt.Sprint(i + 2)); p.Content != want {
			t.Fatalf("%s: part %d is %q", key.ID, i, p.Content)
		}
	}
	if _, err := j.ClaimTask(t.Context(), key, "next", time.Minute); err != nil {
		t.Errorf("%s: the dead process's lease: %v", key.ID, err)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := crashKey(0)
	db, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := newJournal(t, db)
	w := newWriter(j, key)
	w.head.Run = journal.Run{Open: true, Attempt: 1, Turn: []byte("turn")}
	for range 300 {
		if err := w.write(2); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Enqueue(t.Context(), key, journal.Input{Kind: journal.InputCancel}, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}

	db = openDB(t, dir)
	j = newJournal(t, db)
	claimed, err := j.Claim(t.Context(), "next", []string{"a"}, time.Hour, 10)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %+v, error %v", claimed, err)
	}
	c := claimed[0]
	if !c.Head.Run.Open || string(c.Head.Run.Turn) != "turn" || len(c.Inputs) != 1 || c.Lease.Token <= w.lease.Token {
		t.Errorf("claimed %+v, head %+v", c, c.Head)
	}
	second := newJournal(t, db) // another handle does not end the leases of this process
	if _, err := second.ClaimTask(t.Context(), key, "third", time.Hour); err == nil {
		t.Error("a second handle ended the lease of the first")
	}
	w.j = j
	if err := w.write(1); !errors.Is(err, journal.ErrLeaseLost) {
		t.Errorf("the old holder writes: %v", err)
	}
	w.lease = c.Lease
	if err := w.write(1); err != nil {
		t.Error(err)
	}
	if err := j.Release(t.Context(), c.Lease); err != nil {
		t.Fatal(err)
	}
	survived(t, j, key, w.head.Seq)
}
