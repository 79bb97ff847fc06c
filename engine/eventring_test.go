// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"runtime"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// chunks are events 1 to n, each with a text of size bytes.
func chunks(n, size int) (events []journal.Event) {
	for seq := range n {
		ev := journal.Event{Seq: uint64(seq) + 1, Wire: a2a.NewStreamEvent("", &a2a.ArtifactUpdate{
			Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", size))}},
		})}
		events = append(events, ev)
	}
	return events
}

// A reader that is stuck holds one view, so a view is small and shares no memory with the ring.
func TestAViewIsSmall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ events, size, want int }{
		"few":              {10, 20, 10},
		"as many as go":    {maxReaderEvents, 20, maxReaderEvents},
		"one more":         {maxReaderEvents + 1, 20, maxReaderEvents},
		"large ones":       {10, maxReaderBytes/4 - 512, 4},
		"too large for it": {3, 2 * maxReaderBytes, 1},
	} {
		ring := &eventRing{}
		events := chunks(c.events, c.size)
		ring.publish(events, &journal.Head{Seq: uint64(c.events)}, nil)
		v := ring.viewFrom(0)
		if len(v.events) != c.want || v.more != (c.want < c.events) || v.behind {
			t.Errorf("%s: %d events, more %v, behind %v; want %d", name, len(v.events), v.more, v.behind, c.want)
		}
		if cap(v.events) > c.want+c.want/4+8 || len(ring.events) > 0 && &v.events[0] == &ring.events[0] {
			t.Errorf("%s: the view holds on to more than its %d events", name, c.want)
		}
	}
}

// A ring keeps a bounded run of the newest events, however many there were.
func TestEventRingIsBounded(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"by count": 1, "by size": 4 << 10} {
		ring := &eventRing{}
		const total = 3 * maxRingEvents
		events := chunks(total, size)
		for i := range events {
			ring.publish(events[i:i+1], &journal.Head{Seq: uint64(i) + 1}, nil)
			if len(ring.events) > maxRingEvents || ring.bytes > maxRingBytes {
				t.Fatalf("%s: %d events of %d bytes after event %d", name, len(ring.events), ring.bytes, i+1)
			}
		}
		if last := ring.events[len(ring.events)-1].Seq; last != total {
			t.Errorf("%s: the newest event is %d, want %d", name, last, total)
		}
		if v := ring.viewFrom(0); !v.behind || len(v.events) != 0 {
			t.Errorf("%s: a reader from the start is not sent to the journal", name)
		}
		if v := ring.viewFrom(total - 1); len(v.events) != 1 || v.more {
			t.Errorf("%s: the last event does not come from the ring", name)
		}
	}
}

// The ring keeps the newest events of any size, so that readers without a backlog share them. The next events replace
// them.
func TestEventRingKeepsTheNewest(t *testing.T) {
	t.Parallel()
	ring := &eventRing{}
	events := chunks(3, 2*maxRingBytes)
	ring.publish(events[:2], &journal.Head{Seq: 2}, nil)
	if v := ring.viewFrom(0); v.behind || len(v.events) != 1 {
		t.Errorf("%d events, behind %v; want the first of the two", len(v.events), v.behind)
	}
	ring.publish(events[2:], &journal.Head{Seq: 3}, nil)
	if v := ring.viewFrom(2); v.behind || len(v.events) != 1 || len(ring.events) != 1 || ring.bytes > 3*maxRingBytes {
		t.Errorf("%d events, behind %v, %d events of %d bytes kept; want the last", len(v.events), v.behind,
			len(ring.events), ring.bytes)
	}
}

// Readers who are shown the task at the same time share it, also one that came when it had moved on a little. What
// streams do not show keeps that from being so, and what nobody is shown any more is not held.
func TestSnapshotsAreShared(t *testing.T) {
	t.Parallel()
	ring := &eventRing{}
	task := func() *a2a.Task { return &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}} }
	events := chunks(4, 10)
	ring.publish(events[:2], &journal.Head{Seq: 2}, nil)
	first := ring.shareSnapshot(2, task(), true)
	if ring.shareSnapshot(2, task(), false) != first {
		t.Error("two readers at the same event do not share")
	}
	ring.publish(events[2:3], &journal.Head{Seq: 3}, nil)
	if ring.shareSnapshot(3, task(), true) != first {
		t.Error("a reader who came later does not share")
	}
	if got := ring.shareSnapshot(3, task(), false); got == first || got.seq != 3 {
		t.Errorf("a reader who wants the task as it is is shown event %d", got.seq)
	}
	third := ring.shareSnapshot(3, task(), true)
	events[3].Wire, events[3].Metadata = a2a.StreamEvent{}, a2a.Metadata{"k": []byte("1")}
	ring.publish(events[3:], &journal.Head{Seq: 4}, nil)
	if got := ring.shareSnapshot(4, task(), true); got == third || got.seq != 4 {
		t.Errorf("a reader misses what streams do not show: it is shown event %d", got.seq)
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(third)
	runtime.GC()
	if ring.shared.Value() != nil {
		t.Error("the ring holds what nobody is shown")
	}
}
