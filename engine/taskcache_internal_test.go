// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// cacheable is a task of about so many bytes.
func cacheable(id a2a.TaskID, size int) *cachedTask {
	key := journal.Key{ID: id}
	task := &a2a.Task{ID: id,
		History: []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", size)))}}
	return newCachedTask(key, journal.NewProjection(task), &journal.Head{Key: key, Seq: 1}, size)
}

// resize restores no entry that a runner took or that another one replaced meanwhile.
func TestResizeRestoresNoEntry(t *testing.T) {
	t.Parallel()
	var c taskCache
	old := cacheable("t", 2*minCached)
	c.put(old, old.size)
	if c.take(old.key) == nil {
		t.Fatal("the task is not there")
	}
	c.resize(old, 3*minCached)
	if c.get(old.key) != nil || c.size != 0 {
		t.Errorf("a task that a runner took is back, %d bytes", c.size)
	}
	later := cacheable("t", 2*minCached)
	c.put(later, later.size)
	c.resize(old, 3*minCached)
	if c.get(old.key) != later || c.size != later.size {
		t.Errorf("an older entry is back, %d bytes", c.size)
	}
	c.resize(later, maxCached+1)
	if c.get(later.key) != nil || c.size != 0 || c.recent.Len() != 0 {
		t.Errorf("a task above the bound stays, %d bytes", c.size)
	}
}

// newest is a journal that only says what a task's head is by now.
type newest struct {
	journal.Journal
	head *journal.Head
}

func (n newest) Head(context.Context, journal.Key) (*journal.Head, error) { return n.head, nil }

// A reader whose head is older than what others have folded meanwhile gets the head of the task that it is given. With
// its own head, a stream that begins with the task would repeat the events in between.
func TestCachedTaskAndHeadAreOfOneEvent(t *testing.T) {
	t.Parallel()
	head := func(seq uint64) *journal.Head { return &journal.Head{Key: journal.Key{ID: "t"}, Seq: seq} }
	for name, target := range map[string]uint64{"folded to the end": 4, "folded in part": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cached := cacheable("t", minCached)
			var events []journal.Event
			for seq := uint64(2); seq <= 4; seq++ {
				events = append(events, journal.Event{Seq: seq, Wire: a2a.StreamEvent{Event: &a2a.ArtifactUpdate{
					Artifact: &a2a.Artifact{ID: a2a.ArtifactID(fmt.Sprint(seq)), Parts: []a2a.Part{a2a.TextPart("x")}},
				}}})
			}
			cached.fold(1, events, head(target))
			task, as, err := cached.task(t.Context(), newest{head: head(4)}, head(2))
			if err != nil {
				t.Fatal(err)
			}
			if len(task.Artifacts) != 3 || as.Seq != 4 {
				t.Errorf("a task with %d of 3 artifacts, and the head of event %d instead of 4", len(task.Artifacts),
					as.Seq)
			}
		})
	}
}
