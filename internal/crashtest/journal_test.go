// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
)

// A record is a task as the journal has it once its process is gone.
type record struct {
	agent  string
	head   *journal.Head
	task   *a2a.Task
	events []journal.Event
}

// examine opens the folder of a process that has ended, reads all of it and returns it.
func examine(t testing.TB, folder string) map[a2a.TaskID]*record {
	t.Helper()
	records := map[a2a.TaskID]*record{}
	examineEach(t, folder, func(r *record) { records[r.task.ID] = r })
	return records
}

// examineEach calls visit for each task in the folder or database of processes that have ended. It checks what must
// hold whatever happened: the file is sound, events are numbered without a gap, they fold into the task that is loaded,
// and nothing follows an end.
func examineEach(t testing.TB, place string, visit func(*record)) {
	t.Helper()
	db, err := openPlace(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Dialect().Name == "sqlite" {
		var verdict string
		err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict)
		if err != nil || verdict != "ok" {
			t.Fatalf("integrity_check: %s, %v", verdict, err)
		}
	}
	j, err := sql.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, agent := range []string{"plain", "resumable"} {
		for _, head := range heads(t, j, agent) {
			visit(read(t, j, head.Key))
		}
	}
}

func heads(t testing.TB, j journal.Journal, agent string) []*journal.Head {
	t.Helper()
	grant, err := auth.BySubject.Authorize(t.Context(), auth.Access{Agent: agent, Call: &a2a.Call{}})
	if err != nil {
		t.Fatal(err)
	}
	scope := journal.Scope{Agent: agent, Tenant: grant.Tenant, Owner: grant.Owner}
	var all []*journal.Head
	for token := ""; ; {
		page, err := j.List(t.Context(), scope, journal.Query{Limit: 100, PageToken: token})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Heads...)
		if token = page.Next; token == "" {
			return all
		}
	}
}

func read(t testing.TB, j journal.Journal, key journal.Key) *record {
	t.Helper()
	snap, err := j.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	r := &record{agent: key.Agent, head: snap.Head, task: snap.Task}
	var projection journal.Projection
	ended := false
	for {
		page, err := j.Events(t.Context(), key, uint64(len(r.events)), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for i := range page {
			ev := &page[i]
			if want := uint64(len(r.events) + 1); ev.Seq != want {
				t.Fatalf("task %s: event %d follows event %d", key.ID, ev.Seq, want-1)
			}
			if ended {
				t.Errorf("task %s: event %d comes after its end", key.ID, ev.Seq)
			}
			projection.Apply(ev)
			if u, ok := ev.Wire.Event.(*a2a.StatusUpdate); ok {
				ended = u.Status.State.Terminal()
			}
			r.events = append(r.events, *ev)
		}
	}
	if n := uint64(len(r.events)); n != snap.Head.Seq {
		t.Errorf("task %s has %d events, its head says %d", key.ID, n, snap.Head.Seq)
	}
	if folded, loaded := text(t, projection.Task()), text(t, snap.Task); folded != loaded {
		t.Errorf("task %s folds into\n%s\nand is loaded as\n%s", key.ID, folded, loaded)
	}
	return r
}

func text(t testing.TB, task *a2a.Task) string {
	t.Helper()
	b, err := task.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wire returns the events that streams of 1.0 show, as they show them: not the end of an artifact, which brings
// nothing.
func (r *record) wire(t testing.TB) []event {
	t.Helper()
	var all []event
	for _, ev := range r.events {
		if u, ok := ev.Wire.Event.(*a2a.ArtifactUpdate); ev.Wire.Event == nil || ok && u.OnlyEnds() {
			continue
		}
		data, err := a2a.AppendStreamResponse(nil, ev.Wire.Event)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, event{journal.EventID(ev.Seq), string(data)})
	}
	return all
}

// has reports whether the task has a message in its history.
func (r *record) has(id a2a.MessageID) bool {
	for _, m := range r.task.History {
		if m.ID == id {
			return true
		}
	}
	return false
}

// interrupted reports whether the task failed because its turn was cut.
func interrupted(task *a2a.Task) bool {
	m := task.Status.Message
	return task.Status.State == a2a.TaskStateFailed && m != nil && strings.Contains(m.Text(), "interrupted")
}

// A run is a call of an agent.
type run struct {
	task    a2a.TaskID
	what    string // a message id, or "woken"
	attempt int
}

// runs returns all calls of an agent, also those of processes that were killed.
func runs(t testing.TB, folder, agent string) []run {
	t.Helper()
	f, err := os.Open(runsFile(folder, agent))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []run
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r run
		if _, err := fmt.Sscan(lines.Text(), &r.task, &r.what, &r.attempt); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		all = append(all, r)
	}
	return all
}

// once checks that an agent that is not resumable was never called twice for the same thing.
func once(t testing.TB, folder string) {
	t.Helper()
	seen := map[run]bool{}
	for _, r := range runs(t, folder, "plain") {
		if r.attempt != 1 || r.what != "woken" && seen[r] {
			t.Errorf("an agent that is not resumable ran again: %+v", r)
		}
		seen[r] = true
	}
}
