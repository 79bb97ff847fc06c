// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func changed(state a2a.TaskState) *a2a.StatusUpdate {
	return &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: state}}
}

func snapshot(state a2a.TaskState, artifacts ...a2a.ArtifactID) *a2a.Task {
	task := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: state}}
	for _, id := range artifacts {
		task.Artifacts = append(task.Artifacts, &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(string(id))}})
	}
	return task
}

func chunk(id a2a.ArtifactID, appends, last bool) *a2a.ArtifactUpdate {
	a := &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(string(id))}}
	return &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: a, Append: appends, LastChunk: last}
}

func shownStatus(state string, final bool) string {
	return fmt.Sprintf(`{"id":"t","status":{"state":%q},"final":%t}`, state, final)
}

func shownHidden(state, hidden string) string {
	return fmt.Sprintf(`{"id":"t","status":{"state":%q},"final":true,"metadata":{%q:{"state":%q}}}`, state, markerKey,
		hidden)
}

func shownArtifact(text string, index int, flags string) string {
	return fmt.Sprintf(`{"id":"t","artifact":{"parts":[{"type":"text","text":%q}],"index":%d%s}}`, text, index, flags)
}

const (
	first    = `,"append":false,"lastChunk":false`
	whole    = `,"append":false,"lastChunk":true`
	appended = `,"append":true,"lastChunk":false`
	ended    = `,"append":true,"lastChunk":true`
)

// closed is what says for an agent that its artifact is complete.
func closed(index int) string {
	return fmt.Sprintf(`{"id":"t","artifact":{"parts":[],"index":%d%s}}`, index, ended)
}

var (
	sending     = &a2a.SendMessageRequest{NewTaskID: "t", Message: new(a2a.Message)}
	subscribing = &a2a.SubscribeRequest{ID: "t"}
)

// encoded is what an encoder makes of one event after the other, without ids.
// The last line says that the stream is done, or what its end adds.
func encoded(t rapid.TB, e wire.StreamEncoder, events ...a2a.StreamEvent) []string {
	t.Helper()
	var lines []string
	emit := func(id string, payload []byte) {
		fits(t, eventName(payload), payload)
		if id != "" {
			t.Fatalf("an event with the id %q, which clients of April 2025 cannot read", id)
		}
		lines = append(lines, string(payload))
	}
	for i, ev := range events {
		done, err := e.Encode(ev, emit)
		if err != nil {
			t.Fatal(err)
		}
		if done && i < len(events)-1 {
			t.Fatalf("done after event %d", i+1)
		}
		if done {
			return append(lines, "done")
		}
	}
	if err := e.(wire.StreamEnder).End(emit); err != nil {
		t.Fatal(err)
	}
	return lines
}

func numbered(events ...a2a.Event) []a2a.StreamEvent {
	list := make([]a2a.StreamEvent, len(events))
	for i, ev := range events {
		list[i] = a2a.NewStreamEvent(fmt.Sprint(i+1), ev)
	}
	return list
}

func TestStreamsAreWritten(t *testing.T) {
	t.Parallel()
	reply := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("hi")}}
	withMetadata := changed(a2a.TaskStateWorking)
	withMetadata.Metadata = a2a.Metadata{"k": []byte("1")}
	for name, test := range map[string]struct {
		request any
		events  []a2a.Event
		want    []string
	}{
		"a new task": {
			sending,
			[]a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateWorking), chunk("a", false, false),
				chunk("a", true, true), changed(a2a.TaskStateCompleted)},
			[]string{
				shownStatus("submitted", false), shownStatus("working", false),
				shownArtifact("a", 0, first), shownArtifact("a", 0, ended), shownStatus("completed", true), "done",
			},
		},
		"whole artifacts of an agent that does not say so": {
			sending, []a2a.Event{snapshot(a2a.TaskStateSubmitted), chunk("a", false, false), chunk("b", false, false),
				changed(a2a.TaskStateInputRequired)},
			[]string{
				shownStatus("submitted", false), shownArtifact("a", 0, first), shownArtifact("b", 1, first), closed(0),
				closed(1),
				shownStatus("input-required", true), "done",
			},
		},
		"failed": {sending, []a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateFailed)}, []string{
			shownStatus("submitted", false), shownStatus("failed", true), "done",
		}},
		"canceled": {sending, []a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateCanceled)}, []string{
			shownStatus("submitted", false), shownStatus("canceled", true), "done",
		}},
		"rejected is failed": {sending, []a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateRejected)},
			[]string{
				shownStatus("submitted", false), shownHidden("failed", "rejected"), "done",
			}},
		"it asks": {sending, []a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateInputRequired)},
			[]string{
				shownStatus("submitted", false), shownStatus("input-required", true), "done",
			}},
		"it needs authorization, which is asking": {sending,
			[]a2a.Event{snapshot(a2a.TaskStateSubmitted), changed(a2a.TaskStateAuthRequired)}, []string{
				shownStatus("submitted", false), shownHidden("input-required", "auth-required"), "done",
			}},
		"unknown": {sending, []a2a.Event{snapshot(a2a.TaskStateUnspecified)}, []string{shownStatus("unknown", false)}},
		"metadata of an event": {sending, []a2a.Event{withMetadata}, []string{
			`{"id":"t","status":{"state":"working"},"final":false,"metadata":{"k":1}}`,
		}},
		"the answer to a question": {
			sending,
			[]a2a.Event{snapshot(a2a.TaskStateInputRequired, "a", "b"), changed(a2a.TaskStateWorking),
				chunk("b", true, false), chunk("c", false, true), changed(a2a.TaskStateCompleted)},
			[]string{
				shownStatus("input-required", false), shownStatus("working", false),
				shownArtifact("b", 1, appended), shownArtifact("c", 2, whole), closed(1),
				shownStatus("completed", true), "done",
			},
		},
		"an answer without an end": {sending,
			[]a2a.Event{snapshot(a2a.TaskStateInputRequired), changed(a2a.TaskStateWorking)}, []string{
				shownStatus("input-required", false), shownStatus("working", false),
			}},
		"a send that ends where it began": {sending, []a2a.Event{snapshot(a2a.TaskStateInputRequired, "a")}, []string{
			shownStatus("input-required", false), shownArtifact("a", 0, whole), shownStatus("input-required", true),
		}},
		"a send that shows a task at its end": {sending, []a2a.Event{snapshot(a2a.TaskStateCompleted, "a", "b")},
			[]string{
				shownArtifact("a", 0, whole), shownArtifact("b", 1, whole), shownStatus("completed", true), "done",
			}},
		"a task later on": {sending, []a2a.Event{changed(a2a.TaskStateWorking),
			snapshot(a2a.TaskStateWorking, "a", "b"), snapshot(a2a.TaskStateInputRequired, "b", "c")}, []string{
			shownStatus("working", false), shownStatus("working", false), shownArtifact("a", 0, whole),
			shownArtifact("b", 1, whole),
			shownArtifact("b", 1, whole), shownArtifact("c", 2, whole), shownStatus("input-required", true), "done",
		}},
		"a message": {sending, []a2a.Event{reply}, []string{
			`{"id":"t","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text",` +
				`"text":"hi"}]}},"final":true}`, "done",
		}},
		"a message to a task": {&a2a.SendMessageRequest{Message: &a2a.Message{TaskID: "t"}}, []a2a.Event{reply},
			[]string{
				`{"id":"t","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text",` +
					`"text":"hi"}]}},"final":true}`, "done",
			}},
		"subscribed while it runs": {
			subscribing,
			[]a2a.Event{snapshot(a2a.TaskStateWorking, "a", "index-4"), chunk("a", true, false),
				chunk("b", false, true), changed(a2a.TaskStateCompleted)},
			[]string{
				shownStatus("working", false), shownArtifact("a", 0, whole), shownArtifact("index-4", 4, whole),
				shownArtifact("a", 0, appended), shownArtifact("b", 2, whole), closed(0),
				shownStatus("completed", true), "done",
			},
		},
		"subscribed before there is anything": {subscribing, []a2a.Event{snapshot(a2a.TaskStateSubmitted)},
			[]string{shownStatus("submitted", false)}},
		"subscribed at the end": {subscribing, []a2a.Event{snapshot(a2a.TaskStateCanceled, "a")}, []string{
			shownArtifact("a", 0, whole), shownStatus("canceled", true), "done",
		}},
		"subscribed while it waits": {subscribing, []a2a.Event{snapshot(a2a.TaskStateAuthRequired, "a")}, []string{
			shownArtifact("a", 0, whole), shownHidden("input-required", "auth-required"), "done",
		}},
		"resumed": {subscribing, []a2a.Event{chunk("index-3", true, false), changed(a2a.TaskStateCompleted)}, []string{
			shownArtifact("index-3", 3, appended), closed(3), shownStatus("completed", true), "done",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := encoded(t, Dialect.NewStreamEncoder(wire.OpSendMessage, test.request), numbered(test.events...)...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// The metadata of the task are those of the status that shows it.
func TestSnapshotKeepsMetadata(t *testing.T) {
	t.Parallel()
	task := snapshot(a2a.TaskStateRejected)
	task.Metadata = a2a.Metadata{"k": []byte("1")}
	got := encoded(t, newEncoder(subscribing), numbered(task)...)
	want := `{"id":"t","status":{"state":"failed"},"final":true,"metadata":{"` + markerKey +
		`":{"state":"rejected"},"k":1}}`
	if got[0] != want {
		t.Errorf("got  %s\nwant %s", got[0], want)
	}
}

// All readers of a task's updates share the same bytes, including a late reader of an update that is encoded already.
// Each reader also counts the artifacts in shared updates for its own indexes.
func TestReadersShareBytes(t *testing.T) {
	t.Parallel()
	updates := numbered(changed(a2a.TaskStateWorking), chunk("a", false, true), chunk("b", false, true),
		chunk("a", true, true))
	first, second, late := newEncoder(sending), newEncoder(sending), newEncoder(subscribing)
	encoded(t, first, numbered(snapshot(a2a.TaskStateSubmitted))...)
	encoded(t, second, numbered(snapshot(a2a.TaskStateSubmitted))...)
	encoded(t, late, numbered(snapshot(a2a.TaskStateWorking, "a", "b"))...)
	for i, ev := range updates {
		readers := []*encoder{first, second}
		if i == 3 {
			readers = append(readers, late)
		}
		var made [][]byte
		for _, e := range readers {
			if _, err := e.Encode(ev, func(_ string, payload []byte) { made = append(made, payload) }); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range made {
			if &b[0] != &made[0][0] {
				t.Errorf("event %d was encoded twice", i+1)
			}
		}
	}
	// c is index 2 for each reader, whichever reader encodes it.
	for _, e := range []*encoder{first, second, late} {
		got := encoded(t, e, numbered(chunk("c", false, true))...)
		if want := []string{shownArtifact("c", 2, whole)}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A reader that did not see the task from its start may have other indexes, so other readers do not share its bytes.
func TestResumedReadersShareNothing(t *testing.T) {
	t.Parallel()
	ev := a2a.NewStreamEvent("9", chunk("b", false, true))
	resumed, other := newEncoder(subscribing), newEncoder(subscribing)
	if got := encoded(t, resumed, ev); got[0] != shownArtifact("b", 0, whole) {
		t.Error(got)
	}
	encoded(t, other, numbered(snapshot(a2a.TaskStateWorking, "a"))...)
	if got := encoded(t, other, ev); got[0] != shownArtifact("b", 1, whole) {
		t.Error(got)
	}
}

func TestEventsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, ev := range []a2a.Event{
		nil, &a2a.ArtifactUpdate{TaskID: "t"}, changed(77), snapshot(77),
		&a2a.Task{ID: "t", Artifacts: []*a2a.Artifact{nil}},
		&a2a.Task{ID: "\xff", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			Artifacts: []*a2a.Artifact{{ID: "a"}}},
		&a2a.Message{Parts: []a2a.Part{{}}},
	} {
		done, err := newEncoder(subscribing).Encode(a2a.NewStreamEvent("1", ev), func(_ string, payload []byte) {
			if strings.Contains(string(payload), `"final":true`) {
				t.Errorf("%T: %s", ev, payload)
			}
		})
		if err == nil || done && ev == nil {
			t.Errorf("%T %+v: %t, %v", ev, ev, done, err)
		}
	}
	e := newEncoder(sending)
	task := snapshot(a2a.TaskStateInputRequired)
	if _, err := e.Encode(a2a.NewStreamEvent("1", task), func(string, []byte) {}); err != nil {
		t.Fatal(err)
	}
	task.Artifacts = []*a2a.Artifact{nil}
	if err := e.End(func(string, []byte) {}); err == nil {
		t.Error("the end of a task with a missing artifact is written")
	}
}

// A decodedEvent is one call of emit.
type decodedEvent struct {
	Event   a2a.Event
	Partial bool
}

func decodedEvents(t rapid.TB, d wire.StreamDecoder, payload string) (events []decodedEvent, done bool) {
	t.Helper()
	done, err := d.Decode([]byte(payload), func(ev a2a.Event, partial bool) {
		forgetMessageIDs(ev)
		events = append(events, decodedEvent{ev, partial})
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, payload)
	}
	return events, done
}

func TestStreamsAreRead(t *testing.T) {
	t.Parallel()
	asked := &a2a.SendMessageRequest{NewTaskID: "t", Message: &a2a.Message{ContextID: "c"}}
	type step struct {
		payload string
		want    []decodedEvent
		done    bool
	}
	withMetadata := snapshot(a2a.TaskStateWorking)
	withMetadata.Metadata = a2a.Metadata{"k": []byte("1")}
	ofOwnSession := changed(a2a.TaskStateWorking)
	ofOwnSession.ContextID = "own"
	said := changed(a2a.TaskStateWorking)
	said.Status.Message = &a2a.Message{ID: "m", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart("hi")}}
	said.Status.Timestamp = noon
	annotated := chunk("index-2", true, true)
	annotated.Metadata = a2a.Metadata{"k": []byte("1")}
	started := step{`{"id":"t","status":{"state":"submitted"}}`,
		[]decodedEvent{{snapshot(a2a.TaskStateSubmitted), true}}, false}
	for name, steps := range map[string][]step{
		"status, artifact, end": {
			started,
			{shownArtifact("index-0", 0, first), []decodedEvent{{chunk("index-0", false, false), false}}, false},
			{shownArtifact("index-0", 0, ended), []decodedEvent{{chunk("index-0", true, true), false}}, false},
			{shownStatus("completed", true), []decodedEvent{{changed(a2a.TaskStateCompleted), false}}, true},
		},
		"the end at once": {{shownStatus("failed", true), []decodedEvent{{snapshot(a2a.TaskStateFailed), true}}, true}},
		"an artifact first": {
			{shownArtifact("index-1", 1, ""),
				[]decodedEvent{{snapshot(a2a.TaskStateWorking), true}, {chunk("index-1", false, true), false}}, false},
			{shownStatus("working", false), []decodedEvent{{changed(a2a.TaskStateWorking), false}}, false},
		},
		"final decides": {started, {shownStatus("completed", false),
			[]decodedEvent{{changed(a2a.TaskStateCompleted), false}}, false}},
		"a pause is final": {started, {shownStatus("input-required", true),
			[]decodedEvent{{changed(a2a.TaskStateInputRequired), false}}, true}},
		"hidden states": {started, {shownHidden("failed", "rejected"),
			[]decodedEvent{{changed(a2a.TaskStateRejected), false}}, true}},
		"hidden at once": {{shownHidden("input-required", "auth-required"),
			[]decodedEvent{{snapshot(a2a.TaskStateAuthRequired), true}}, true}},
		"unknown": {{shownStatus("unknown", false),
			[]decodedEvent{{snapshot(a2a.TaskStateUnspecified), true}}, false}},
		"metadata at first": {{`{"id":"t","status":{"state":"working"},"metadata":{"k":1}}`,
			[]decodedEvent{{withMetadata, true}}, false}},
		"id is a number": {
			{`{"id":1,"status":{"state":"submitted"},"final":false}`,
				[]decodedEvent{{snapshot(a2a.TaskStateSubmitted), true}}, false},
			{`{"id":1,"artifact":{"parts":[{"text":"index-0"}],"index":null,"append":null,"lastChunk":null}}`,
				[]decodedEvent{{chunk("index-0", false, true), false}}, false},
		},
		"null everywhere": {{`{"id":null,"sessionId":null,"status":{"state":"submitted","message":null,` +
			`"timestamp":null},"artifact":null,"final":null,"metadata":null}`, started.want, false}},
		"its own session": {started, {`{"id":"t","sessionId":"own","status":{"state":"working"}}`,
			[]decodedEvent{{ofOwnSession, false}}, false}},
		"naive time, no role": {started, {
			`{"id":"t","status":{"state":"working","timestamp":"2025-04-02T12:00:00.250000",` +
				`"message":{"parts":[{"text":"hi"}]}}}`, []decodedEvent{{said, false}}, false,
		}},
		"metadata of an artifact's event": {started, {
			`{"id":"t","artifact":{"index":2,"append":true,"lastChunk":true,"parts":[{"type":"text",` +
				`"text":"index-2"}]},"metadata":{"k":1}}`, []decodedEvent{{annotated, false}}, false,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Dialect.NewStreamDecoder(wire.OpStreamMessage, asked)
			for _, s := range steps {
				got, done := decodedEvents(t, d, s.payload)
				if diff := cmp.Diff(s.want, got, canonical); diff != "" || done != s.done {
					t.Errorf("%s: done %t, -want +got\n%s", s.payload, done, diff)
				}
			}
		})
	}
}

func TestBadEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		request       any
		payload, want string
	}{
		{subscribing, `{`, "unexpected EOF"},
		{subscribing, `[]`, "an object"},
		{subscribing, `null`, "an object"},
		{subscribing, `{"id":"t"}`, "neither status nor artifact"},
		{nil, `{"status":{"state":"working"}}`, "id is required"},
		{subscribing, `{"status":{"state":"runs"}}`, "status.state"},
		{subscribing, `{"status":{"state":"working"},"final":"yes"}`, "final must be true or false"},
		{subscribing, `{"status":{"state":"working"},"metadata":{"a":` +
			strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "metadata.a nests"},
		{subscribing, `{"artifact":[{"parts":[]}]}`, "artifact must be an object"},
		{subscribing, `{"artifact":{"index":-3,"parts":[]}}`, "artifact.index must not be negative"},
		{subscribing, `{"artifact":{"index":0.5,"parts":[]}}`, "artifact.index must be a whole number"},
		{subscribing, `{"artifact":{"parts":[{"type":"text"}]}}`, "artifact.parts[0].text is required"},
		{subscribing, `{"artifact":{"metadata":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}}`,
			"artifact.metadata.a nests"},
	} {
		_, err := Dialect.NewStreamDecoder(wire.OpSubscribe, test.request).Decode([]byte(test.payload),
			func(ev a2a.Event, _ bool) {
				t.Errorf("%s: %+v", test.payload, ev)
			})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.payload, err)
		}
		if e, ok := errors.AsType[*a2a.Error](err); ok && e.Kind != a2a.ErrInvalidParams && e.Kind != a2a.ErrParse {
			t.Errorf("%s: kind %v", test.payload, e.Kind)
		}
	}
}
