// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/store"
)

// Events that are old go, but for those that the state is made of, and the project goes on.
func TestOldEventsGo(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	opts := coord.HubOptions{Store: tables, EventRetention: -1}
	h := coord.NewHub(&opts)
	register(t, h, "a", "b")
	for i := range 1500 {
		do(t, h, coord.Broadcast{Session: "a", Content: fmt.Sprintf("%d %0200d", i, 0)})
	}
	count := func() (n, oldest int64) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), "SELECT count(*), min(seq) FROM coord_events").Scan(&n,
			&oldest); err != nil {
			t.Fatal(err)
		}
		return n, oldest
	}
	all, _ := count()
	if err := tables.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n, _ := count(); n != all {
		t.Errorf("%d events of today are gone", all-n)
	}
	before := do(t, h, coord.Check{Session: "b", Peek: true})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE coord_events SET at = $1", time.Now().Add(-31*24*time.Hour).UnixMilli())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	opts.EventRetention = 0 // the default
	h = newHub(t, &opts)
	var snapshot int64
	if err := db.QueryRowContext(t.Context(), "SELECT seq FROM coord_projects").Scan(&snapshot); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { _, oldest := count(); return oldest == snapshot })
	dated := regexp.MustCompile(`"timestamp":"[^"]*"`) // what is told of dropped messages has the time of the look
	if got := do(t, h, coord.Check{Session: "b", Peek: true}); dated.ReplaceAllString(got,
		"") != dated.ReplaceAllString(before, "") {
		t.Errorf("the state is another one: %s", got)
	}
	do(t, h, coord.AddTodo{Session: "a", Item: "go on"})
	for e, err := range h.Events(t.Context(), project, 0) { // from the first one that there is
		if err != nil || e.Seq != snapshot {
			t.Errorf("%+v, %v", e, err)
		}
		break
	}
}

// A project whose events have all been made part of a snapshot keeps its place in the order of numbers.
func TestNewestEventStays(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	whole := coord.Commit{Project: "p", Events: []coord.Event{{Seq: 1}, {Seq: 2}},
		Texts: [][]byte{[]byte(`{"seq":1}`), []byte(`{"seq":2}`)}, Snapshot: []byte(`{}`)}
	if err := tables.Append(t.Context(), []coord.Commit{whole}); err != nil {
		t.Fatal(err)
	}
	if err := tables.Prune(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	next := coord.Commit{Project: "p", Events: []coord.Event{{Seq: 3}}, Texts: [][]byte{[]byte(`{"seq":3}`)}}
	if err := tables.Append(t.Context(), []coord.Commit{next}); err != nil {
		t.Error(err)
	}
	if names, err := tables.Projects(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}

// A broadcast to many is in a snapshot once, and in each inbox after a restart.
func TestBroadcastsAreKeptOnce(t *testing.T) {
	t.Parallel()
	p := coord.NewProject("p")
	now := time.Now()
	for i := range 100 {
		p.Do(now, "", coord.Register{Session: fmt.Sprint("s", i), TaskID: "1"})
	}
	for range 10 {
		p.Do(now, "", coord.Broadcast{Session: "s0", Content: strings.Repeat("x", 60<<10)})
	}
	snapshot, err := p.Snapshot()
	if err != nil || len(snapshot) > 1<<20 {
		t.Fatalf("%d bytes, %v", len(snapshot), err)
	}
	again := coord.NewProject("p")
	if err := again.Restore(snapshot, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*coord.Project{p, again} {
		result, _ := p.Do(now, "", coord.Check{Session: "s99"})
		if got := result.([]any); len(got) != 4 || len(got[0].(coord.MessageInfo).Content) != 60<<10 {
			t.Errorf("%d messages", len(got))
		}
	}
	if err := again.Restore([]byte(`{"sessions":[["a",{"name":"a","inbox":[{"n":7}]}]]}`), nil); err == nil {
		t.Error("a message that is not there is read")
	}
}

// A project can be full, and is not any more when what is in it has gone, without a restart.
func TestFullProjects(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	h := newHub(t, &coord.HubOptions{Store: tables})
	several := []string{"a", "c", "d", "e", "f"} // as one alone cannot fill it
	register(t, h, append(several, "b")...)
	item, n := strings.Repeat("x", 60<<10), 0
	for _, name := range several {
		for range 1000 {
			if got := do(t, h, coord.AddTodo{Session: name, Item: item}); status(t, got) != "added" {
				if !contains(got, coord.CodeLimit) {
					t.Error(got)
				}
				break
			}
			n++
		}
	}
	if size := n * len(item); size < 31<<20 || size > 33<<20 {
		t.Errorf("full with %d bytes", size)
	}
	for _, c := range []coord.Command{coord.Heartbeat{Session: "b"}, coord.MyTodos{Session: "b"},
		coord.Check{Session: "b"}, coord.Release{Session: "b", Path: "x"}} {
		if got := do(t, h, c); contains(got, coord.CodeLimit) {
			t.Errorf("%T: %s", c, got)
		}
	}
	do(t, h, coord.Unregister{Session: "a"})
	eventually(t, func() bool {
		return status(t, do(t, h, coord.AddTodo{Session: "b", Item: item})) == "added"
	})
}
