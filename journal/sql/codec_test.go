// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A large event has a row of its own, so that no row is much larger than its largest event.
func TestLargeEventsHaveRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", largeEvent)
	large := func(seq uint64) journal.Event {
		return journal.Event{Seq: seq, Time: time.Now(), Wire: a2a.NewStreamEvent("", &a2a.ArtifactUpdate{
			TaskID: "t", Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(text)}},
		})}
	}
	small := func(seq uint64) journal.Event {
		return journal.Event{Seq: seq, Time: time.Now(), Metadata: a2a.Metadata{"k": []byte("1")}}
	}
	received := journal.Event{Seq: 7, Received: &journal.Received{Input: 1,
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}}
	events := []journal.Event{small(1), small(2), large(3), large(4), small(5), large(6), received}
	rows, err := encodeEvents(events)
	if err != nil {
		t.Fatal(err)
	}
	var lasts []uint64
	var read []journal.Event
	for _, r := range rows {
		lasts = append(lasts, r.last)
		err := decodeEvents(r.body, 0, a2a.Generation10, func(e journal.Event, _ int) bool {
			read = append(read, e)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []uint64{2, 3, 4, 5, 6, 7}; !slices.Equal(lasts, want) || len(read) != len(events) {
		t.Fatalf("rows end at %d, want %d; %d events are read", lasts, want, len(read))
	}
	for i, e := range read {
		if e.Seq != events[i].Seq || !reflect.DeepEqual(e.Wire.Event, events[i].Wire.Event) ||
			!reflect.DeepEqual(e.Metadata, events[i].Metadata) {
			t.Errorf("event %d is read as %d", events[i].Seq, e.Seq)
		}
	}
}

// FuzzDecode feeds damaged bytes to all decoders: they return errors, and nothing else happens.
func FuzzDecode(f *testing.F) {
	message := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("x"))
	events, err := encodeEvents([]journal.Event{
		{Seq: 1, Time: time.Now(), Wire: a2a.NewStreamEvent("1", &a2a.Task{ID: "t"})},
		{Seq: 2, Received: &journal.Received{Input: 1, Message: message}},
		{Seq: 3, Metadata: a2a.Metadata{"k": []byte("1")}},
	})
	if err != nil {
		f.Fatal(err)
	}
	head, err := encodeHead(&journal.Head{Status: a2a.TaskStatus{Message: message},
		Metadata: a2a.Metadata{"k": []byte("1")}})
	if err != nil {
		f.Fatal(err)
	}
	input, err := encodeInput(&journal.Input{Message: message, IdempotencyKey: "k"})
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range [][]byte{events[0].body, head, input} {
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		err := decodeEvents(b, 0, a2a.Generation10, func(journal.Event, int) bool {
			n++
			return true
		})
		if err == nil && n > len(b) {
			t.Errorf("%d events of %d bytes", n, len(b))
		}
		_ = decodeHead(b, new(journal.Head))
		_ = decodeInput(b, new(journal.Input))
		var fold folding
		if fold.add(b, a2a.Generation10) == nil && fold.projection != nil {
			fold.projection.Task()
		}
	})
}
