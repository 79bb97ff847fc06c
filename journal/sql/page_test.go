// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// TestPagesOfLargeEventsAreShort shows that a reader of large events is given few of them at a time, and all of them.
func TestPagesOfLargeEventsAreShort(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	j := newJournal(t, openDB(t, t.TempDir()))
	key := journal.Key{Scope: journal.Scope{Agent: "a", Owner: "o"}, ID: "t"}
	now := time.Now().UTC().Truncate(time.Millisecond)
	task := &a2a.Task{ID: key.ID, ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: now}}
	events := []journal.Event{{Seq: 1, Time: now, Wire: a2a.NewStreamEvent("1", task)}}
	for seq := uint64(2); seq <= 41; seq++ {
		update := &a2a.ArtifactUpdate{TaskID: key.ID, ContextID: "c", Artifact: &a2a.Artifact{
			ID: a2a.NewArtifactID(), Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", 60<<10))},
		}}
		events = append(events, journal.Event{Seq: seq, Time: now,
			Wire: a2a.NewStreamEvent(journal.EventID(seq), update)})
	}
	_, err := j.Append(ctx, &journal.Commit{
		Key: key, Create: &journal.Create{Holder: "h", TTL: time.Minute}, Events: events,
		Head: &journal.Head{Key: key, ContextID: "c", Status: task.Status, Created: now, Seq: uint64(len(events)),
			Artifacts: 40},
		Task: func() *a2a.Task { return task },
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen uint64
	for {
		page, err := j.Events(ctx, key, seen, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		if len(page) > 4 {
			t.Errorf("%d events of 60 KiB in a page", len(page))
		}
		for _, e := range page {
			if seen++; e.Seq != seen {
				t.Fatalf("event %d, want %d", e.Seq, seen)
			}
		}
	}
	if seen != uint64(len(events)) {
		t.Errorf("%d events, want %d", seen, len(events))
	}
}
