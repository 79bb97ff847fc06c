// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A decoded event with what the decoder says of it.
type decoded struct {
	Event   a2a.Event
	Partial bool
}

// decodeAll decodes the payloads of one stream, and says after which one it was done.
func decodeAll(t *testing.T, payloads ...string) (got []decoded, done int) {
	t.Helper()
	s := Dialect.NewStreamDecoder(wire.OpStreamMessage, nil)
	for i, payload := range payloads {
		over, err := s.Decode([]byte(payload),
			func(ev a2a.Event, partial bool) { got = append(got, decoded{ev, partial}) })
		if err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		if over && done == 0 {
			done = i + 1
		}
	}
	return got, done
}

func TestStreamsOfPeers(t *testing.T) {
	t.Parallel()
	const (
		task    = `{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}`
		working = `{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false,` +
			`"metadata":{"a":1}}`
		draft    = `{"id":"t","contextId":"c","status":{"state":"working"},"final":false}`
		artifact = `{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a",` +
			`"parts":[{"type":"text","text":"x"}]},"append":true,"lastChunk":true}`
		asks = `{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"input-required"},` +
			`"final":true}`
		message = `{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}`
	)
	status := func(s a2a.TaskState) a2a.TaskStatus { return a2a.TaskStatus{State: s} }
	metadata := a2a.Metadata{"a": []byte("1")}
	wantTask := &a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateSubmitted)}
	wantWorking := &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking),
		Metadata: metadata}
	wantDraft := &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking)}
	wantArtifact := &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c",
		Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}, Append: true, LastChunk: true}
	wantAsks := &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: status(a2a.TaskStateInputRequired)}
	wantMessage := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}}
	for name, test := range map[string]struct {
		payloads []string
		want     []decoded
		done     int
	}{
		"a task first": {[]string{task, working, draft, artifact, asks},
			[]decoded{{wantTask, false}, {wantWorking, false}, {wantDraft, false}, {wantArtifact, false},
				{wantAsks, false}}, 5},
		"a message": {[]string{message}, []decoded{{wantMessage, false}}, 0},
		"a status first": {[]string{working, artifact},
			[]decoded{{&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking), Metadata: metadata},
				true}, {wantArtifact, false}}, 0},
		"an artifact first": {[]string{artifact, working},
			[]decoded{{&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking)}, true},
				{wantArtifact, false}, {wantWorking, false}}, 0},
		"the last status at once": {[]string{asks},
			[]decoded{{&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateInputRequired)}, true}}, 1},
		"a draft's update first": {[]string{draft, task},
			[]decoded{{&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking)}, true},
				{wantTask, false}}, 0},
	} {
		got, done := decodeAll(t, test.payloads...)
		if diff := cmp.Diff(test.want, got, asCarried); diff != "" || done != test.done {
			t.Errorf("%s: done after %d, want %d\n-want +got\n%s", name, done, test.done, diff)
		}
	}
}

func TestBadEvents(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		``, `null`, `{}`, `{"kind":"task"}`, `{"kind":"status-update","taskId":"t"}`,
		`{"kind":"artifact-update","taskId":"t","final":true}`,
		`{"kind":"statusUpdate","status":{"state":"working"}}`, `{"statusUpdate":{}}`,
		`{"kind":"task","type":"message","status":{"state":"working"}}`,
	} {
		_, err := Dialect.NewStreamDecoder(wire.OpSubscribe, nil).Decode([]byte(payload), func(ev a2a.Event, _ bool) {
			t.Errorf("%s is %v", payload, ev)
		})
		if err == nil {
			t.Errorf("%s is an event", payload)
		}
	}
}

// final ends a stream where the task is over or waits for its caller, and nowhere else. All readers share the bytes.
func TestFinal(t *testing.T) {
	t.Parallel()
	for state := range a2a.TaskState(9) {
		ev := a2a.NewStreamEvent("1", &a2a.StatusUpdate{TaskID: "t", ContextID: "c",
			Status: a2a.TaskStatus{State: state}})
		var payloads [][]byte
		want := state.Terminal() || state.Interrupted()
		for range 2 {
			done, err := Dialect.NewStreamEncoder(wire.OpSubscribe, nil).Encode(ev,
				func(_ string, b []byte) { payloads = append(payloads, b) })
			if err != nil || done != want {
				t.Errorf("%v: done is %v, %v", state, done, err)
			}
		}
		if len(payloads) != 2 || &payloads[0][0] != &payloads[1][0] {
			t.Errorf("%v: readers do not share their bytes", state)
		}
	}
	if _, done := encodeOne(t, &a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}); done {
		t.Error("a task says nothing about the stream")
	}
}

func TestEventsAsWritten(t *testing.T) {
	t.Parallel()
	artifact := &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}
	for _, test := range []struct {
		event a2a.Event
		want  string
	}{
		{fullTask(), fullTaskText},
		{&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking},
			Metadata: a2a.Metadata{}},
			`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false,` +
				`"metadata":{}}`},
		{&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateRejected}},
			`{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"rejected"},"final":true}`},
		{&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: artifact},
			`{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a",` +
				`"parts":[{"kind":"text","text":"x"}]}}`},
		{&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: artifact, Append: true, LastChunk: true},
			`{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a",` +
				`"parts":[{"kind":"text","text":"x"}]},"append":true,"lastChunk":true}`},
	} {
		got, _ := encodeOne(t, test.event)
		if string(got) != test.want {
			t.Errorf("\n got %s\nwant %s", got, test.want)
		}
		fitsSchemas(t, got, definitionOf(test.event))
	}
}

// An event that cannot be written is an error, and nothing is emitted.
func TestEventsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, event := range []a2a.Event{nil, &a2a.ArtifactUpdate{},
		&a2a.StatusUpdate{Status: a2a.TaskStatus{State: -1}}} {
		_, err := Dialect.NewStreamEncoder(wire.OpSubscribe, nil).Encode(a2a.NewStreamEvent("", event),
			func(string, []byte) { t.Errorf("emitted %v", event) })
		if err == nil {
			t.Errorf("%v was written", event)
		}
	}
}
