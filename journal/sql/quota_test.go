// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
)

// checkBytes compares what triggers and statements keep with what is there.
func checkBytes(t *testing.T, db *store.DB) {
	t.Helper()
	const wrongTasks = `SELECT count(*) FROM tasks t WHERE bytes <> length(head)
		+ coalesce((SELECT sum(length(body)) FROM events e WHERE e.scope = t.scope AND e.id = t.id), 0)
		+ coalesce((SELECT sum(length(body)) FROM checkpoints c WHERE c.scope = t.scope AND c.id = t.id), 0)
		+ coalesce((SELECT sum(length(body)) FROM inputs i WHERE i.scope = t.scope AND i.id = t.id), 0)`
	if n := number(t, db, wrongTasks); n != 0 {
		t.Errorf("%d tasks have a wrong number of bytes", n)
	}
	const wrongOwners = `SELECT count(*) FROM (
		SELECT s.owner, sum(n) AS bytes FROM (SELECT scope, bytes AS n FROM tasks
			UNION ALL SELECT scope, length(state) FROM task_states
			UNION ALL SELECT scope, length(state) FROM context_states
			UNION ALL SELECT scope, octet_length(name) + coalesce(length(data), 0) FROM cursors) AS x
			JOIN scopes s ON s.id = x.scope GROUP BY s.owner) AS want
		FULL JOIN owner_bytes o ON o.owner = want.owner WHERE coalesce(o.bytes, 0) <> coalesce(want.bytes, 0)`
	if n := number(t, db, wrongOwners); n != 0 {
		t.Errorf("%d owners have a wrong number of bytes", n)
	}
}

func bytesOf(t *testing.T, db *store.DB, owner string) int64 {
	t.Helper()
	return int64(number(t, db, `SELECT coalesce((SELECT bytes FROM owner_bytes WHERE owner = $1), 0)`, owner))
}

func withQuota(t *testing.T, db *store.DB, bytes int64) *sql.Journal {
	t.Helper()
	j, err := sql.New(t.Context(), db, &sql.Options{OwnerBytes: bytes})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func wantFull(t *testing.T, what string, err error, quota int64) {
	t.Helper()
	full, ok := errors.AsType[*journal.QuotaError](err)
	if !ok || full.Bytes != quota || !errors.Is(err, journal.ErrFull) {
		t.Errorf("%s: error %v, want a QuotaError of %d bytes", what, err, quota)
	}
}

// The bytes of an owner are those that the tables have, whatever is written and removed.
func TestBytesOfOwners(t *testing.T) { onEach(t, bytesOfOwners) }

func bytesOfOwners(t *testing.T, open opener) {
	db := open(t)
	j := newJournal(t, db)
	w := newWriter(j, journal.Key{Scope: scopeOf("alice"), ID: "long"})
	for i := range 40 { // past some checkpoints
		if err := w.write(40); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			in := journal.Input{Kind: journal.InputMessage,
				Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hello"))}
			if _, err := j.Enqueue(t.Context(), w.head.Key, in, 0); err != nil {
				t.Fatal(err)
			}
			checkBytes(t, db)
		}
		if i%15 == 0 { // takes some, and saves states of some length
			head := w.head
			c := &journal.Commit{Key: head.Key, Lease: w.lease, Expect: head.Seq, Head: &head, Task: w.projection.Task,
				Taken:     uint64(i/15) + 1,
				TaskState: []byte(strings.Repeat("s", 50-i)), ContextState: []byte(strings.Repeat("s", i))}
			head.Taken = c.Taken
			if _, err := j.Append(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			w.head = head
			checkBytes(t, db)
		}
	}
	if number(t, db, `SELECT count(*) FROM checkpoints`) != 1 || number(t, db, `SELECT count(*) FROM inputs`) == 0 {
		t.Error("there is no checkpoint, or no input waits")
	}
	for _, s := range []journal.Scope{scopeOf("alice"), scopeOf("bob"), {Agent: "b", Owner: "alice"}} {
		add(t, j, s, "ended")
	}
	checkBytes(t, db)
	pruneAll(t, j, 3)
	checkBytes(t, db)
	if n := bytesOf(t, db, "bob"); n != 0 {
		t.Errorf("bob has %d bytes without tasks", n)
	}
}

func TestQuotaAtItsEdge(t *testing.T) { onEach(t, quotaAtItsEdge) }

func quotaAtItsEdge(t *testing.T, open opener) {
	db := open(t)
	add(t, newJournal(t, db), scopeOf("alice"), "same")
	edge := bytesOf(t, db, "alice")

	db = open(t)
	_, err := withQuota(t, db, edge-1).Append(t.Context(),
		one(scopeOf("alice"), "same", a2a.TaskStateCompleted, "of alice"))
	wantFull(t, "a task of one byte too many", err, edge-1)
	for _, table := range []string{"tasks", "events", "scopes", "owner_bytes", "context_states", "task_counts"} {
		if n := number(t, db, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("what was refused left %d rows of %s", n, table)
		}
	}
	j := withQuota(t, db, edge)
	add(t, j, scopeOf("alice"), "same")
	_, err = j.Append(t.Context(), one(journal.Scope{Agent: "b", Tenant: "u", Owner: "alice"}, "same",
		a2a.TaskStateCompleted, "x"))
	wantFull(t, "a task for another agent and tenant", err, edge)
	_, err = j.Append(t.Context(), one(scopeOf("alice"), "same", a2a.TaskStateCompleted, "x"))
	if !errors.Is(err, journal.ErrExists) {
		t.Errorf("a task that exists: error %v", err)
	}
	add(t, j, scopeOf("bob"), "same")

	pruneAll(t, j, 2)
	add(t, j, scopeOf("alice"), "same")
	if left, err := j.DropTenants(t.Context(), "a", "t", time.Now().Add(time.Hour)); left != 0 || err != nil {
		t.Fatalf("%d left, error %v", left, err)
	}
	add(t, j, scopeOf("alice"), "same")
	checkBytes(t, db)
}

// Whether there is room can be asked before a task is made. A quota of none says that there is.
func TestRoomBeforeATaskIsMade(t *testing.T) { onEach(t, roomBeforeATaskIsMade) }

func roomBeforeATaskIsMade(t *testing.T, open opener) {
	db := open(t)
	add(t, newJournal(t, db), scopeOf("alice"), "t")
	used := bytesOf(t, db, "alice")
	j := withQuota(t, db, used+100)
	if err := j.Room(t.Context(), scopeOf("alice"), 100); err != nil {
		t.Errorf("what fits is refused: %v", err)
	}
	wantFull(t, "a byte too many", j.Room(t.Context(), scopeOf("alice"), 101), used+100)
	wantFull(t, "a byte too many, for another agent",
		j.Room(t.Context(), journal.Scope{Agent: "b", Owner: "alice"}, 101), used+100)
	if err := j.Room(t.Context(), scopeOf("bob"), int(used)); err != nil {
		t.Errorf("another owner is refused: %v", err)
	}
	if err := newJournal(t, db).Room(t.Context(), scopeOf("alice"), 1<<30); err != nil {
		t.Errorf("without a quota: %v", err)
	}
}

// A task of an owner who has no room gets no messages and no events, but it can be cancelled and it can end.
func TestQuotaLetsTasksEnd(t *testing.T) { onEach(t, quotaLetsTasksEnd) }

func quotaLetsTasksEnd(t *testing.T, open opener) {
	db := open(t)
	free := newJournal(t, db)
	w := newWriter(free, journal.Key{Scope: scopeOf("alice"), ID: "t"})
	if err := w.write(10); err != nil {
		t.Fatal(err)
	}
	quota := bytesOf(t, db, "alice") + 10
	j := withQuota(t, db, quota)
	w.j = j
	before := w.head
	wantFull(t, "events", w.write(10), quota)
	message := journal.Input{Kind: journal.InputMessage, Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hello"))}
	_, err := j.Enqueue(t.Context(), w.head.Key, message, 0)
	wantFull(t, "a message", err, quota)
	if head, err := j.Head(t.Context(), w.head.Key); err != nil || head.Seq != before.Seq {
		t.Errorf("the head is %+v, error %v", head, err)
	}

	if _, err := j.Enqueue(t.Context(), w.head.Key, journal.Input{Kind: journal.InputCancel}, 0); err != nil {
		t.Errorf("cancel: %v", err)
	}
	head := before
	head.Run = journal.Run{Open: true, Turn: []byte("the turn stays open")}
	if _, err := j.Append(t.Context(), &journal.Commit{Key: head.Key, Lease: w.lease, Expect: head.Seq, Head: &head,
		Task: w.projection.Task}); err != nil {
		t.Errorf("a commit that says only where the work stands: %v", err)
	}
	head.Status.State, head.Run = a2a.TaskStateCanceled, journal.Run{}
	end := &journal.Commit{Key: head.Key, Lease: w.lease, Expect: head.Seq, Head: &head, Task: w.projection.Task,
		Release: true}
	w.add(end, &a2a.StatusUpdate{TaskID: head.Key.ID, ContextID: "c", Status: head.Status})
	if _, err := j.Append(t.Context(), end); err != nil {
		t.Errorf("the end: %v", err)
	}
	checkBytes(t, db)
}

// Cursors count. An owner without room makes no further one, but those that are there can be moved and deleted.
func TestQuotaCountsCursors(t *testing.T) { onEach(t, quotaCountsCursors) }

func quotaCountsCursors(t *testing.T, open opener) {
	db := open(t)
	add(t, newJournal(t, db), scopeOf("alice"), "t")
	key := journal.Key{Scope: scopeOf("alice"), ID: "t"}
	quota := bytesOf(t, db, "alice") + 100
	j := withQuota(t, db, quota)
	c := journal.Cursor{Name: "c", Data: make([]byte, 99)}
	if err := j.PutCursor(t.Context(), key, c); err != nil {
		t.Fatal(err)
	}
	checkBytes(t, db)
	wantFull(t, "another cursor", j.PutCursor(t.Context(), key, journal.Cursor{Name: "d"}), quota)
	larger := journal.Cursor{Name: "c", Data: make([]byte, 100)}
	wantFull(t, "a larger cursor", j.PutCursor(t.Context(), key, larger), quota)
	moved := journal.Cursor{Name: "c", Delivered: 1, Data: make([]byte, 150)}
	if err := j.SwapCursor(t.Context(), key, c, moved); err != nil {
		t.Errorf("a cursor that moves: %v", err)
	}
	checkBytes(t, db)
	with := one(scopeOf("bob"), "t", a2a.TaskStateCompleted, "")
	with.Create.Cursors = []journal.Cursor{{Name: "c", Data: make([]byte, quota)}}
	_, err := j.Append(t.Context(), with)
	wantFull(t, "a task with a cursor", err, quota)
	if err := j.DeleteCursor(t.Context(), key, "c"); err != nil {
		t.Fatal(err)
	}
	if used := bytesOf(t, db, "alice"); used != quota-100 {
		t.Errorf("after the deletion %d bytes are used", used)
	}
	c.Delivered = journal.Parked
	if err := j.PutCursor(t.Context(), key, c); err != nil {
		t.Fatal(err)
	}
	pruneAll(t, j, 1)
	checkBytes(t, db)
}

// TestMigrationFillsBytes has a database of the version before the quota.
func TestMigrationFillsBytes(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	migrateTo(t, db, "00001_tables.sql", "00002_counts.sql", "00003_scopes.sql")
	write(t, db,
		`INSERT INTO scopes (id, agent, tenant, owner) VALUES (1, 'a', '', 'o'), (2, 'a', 't', 'o'), (3, 'a', '', 'p')`)
	write(t, db, fill, 0, 99)
	write(t, db, `UPDATE tasks SET scope = 1 + abs(random()) % 3`)
	write(t, db, `INSERT INTO events SELECT scope, id, 1, zeroblob(100) FROM tasks`)
	write(t, db, `INSERT INTO events SELECT scope, id, 2, zeroblob(50) FROM tasks WHERE id > 't00000050'`)
	write(t, db, `INSERT INTO checkpoints SELECT scope, id, 2, zeroblob(70) FROM tasks WHERE id > 't00000090'`)
	write(t, db, `UPDATE tasks SET base = 70 WHERE id > 't00000090'`)
	write(t, db, `INSERT INTO inputs SELECT scope, id, 1, 1, zeroblob(30) FROM tasks WHERE id > 't00000020'`)
	write(t, db, `INSERT INTO task_states SELECT scope, id, zeroblob(20) FROM tasks WHERE id > 't00000030'`)
	write(t, db, `INSERT INTO context_states VALUES (1, 'large', zeroblob(200)), (3, 'large', zeroblob(100))`)
	write(t, db, `INSERT INTO cursors SELECT scope, id, 'näme', 0, 0, 0, NULL, zeroblob(39) FROM tasks
		WHERE id > 't00000039'`)
	newJournal(t, db)
	checkBytes(t, db)
	if o, p := bytesOf(t, db, "o"), bytesOf(t, db, "p"); o+p != 100*112+49*50+9*70+79*30+69*20+300+60*44 {
		t.Errorf("the owners have %d and %d bytes", o, p)
	}
}
