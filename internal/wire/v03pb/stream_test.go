// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// All readers of a form get the same bytes, and not those of the other.
func TestBytesOfAnEventAreShared(t *testing.T) {
	t.Parallel()
	ev := a2a.NewStreamEvent("1", &a2a.StatusUpdate{TaskID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}})
	first := map[wire.Dialect]*byte{}
	for range 2 {
		for _, form := range []wire.Dialect{Proto, Text} {
			done, err := form.NewStreamEncoder(wire.OpSubscribe, nil).Encode(ev, func(id string, b []byte) {
				if first[form] == nil {
					first[form] = &b[0]
				} else if first[form] != &b[0] {
					t.Error("an event was encoded twice")
				}
			})
			if done || err != nil {
				t.Errorf("done %v, %v", done, err)
			}
		}
	}
	if first[Proto] == first[Text] {
		t.Error("the forms share bytes")
	}
}

func TestFormsOfEvents(t *testing.T) {
	t.Parallel()
	message := a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}}
	for _, test := range []struct {
		event       a2a.Event
		proto, text string
		done        bool
	}{
		{
			&a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}},
			`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}}`,
			`{"task":{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled"}}}`, false,
		},
		{
			&message, `{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"}]}}`,
			`{"message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}}`, false,
		},
		{
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c",
				Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: &message}},
			`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING",` +
				`"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"}]}}}}`,
			`{"statusUpdate":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working",` +
				`"message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}},` +
				`"final":false}}`, false,
		},
		{
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired}},
			`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED"},` +
				`"final":true}}`,
			`{"statusUpdate":{"kind":"status-update","taskId":"t","contextId":"c",` +
				`"status":{"state":"input-required"},"final":true}}`, true,
		},
		{
			&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Append: true,
				Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{
					a2a.RawPart([]byte{1}, "image/png", "n"), a2a.URLPart("https://e.com", "", ""),
					{Content: a2a.Data(`{"a":1}`)}, {Content: a2a.Data(`[1]`)},
				}}},
			`{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a",` +
				`"parts":[{"file":{"fileWithBytes":"QVE9PQ==","mimeType":"image/png","name":"n"}},` +
				`{"file":{"fileWithUri":"https://e.com"}},{"data":{"data":{"a":1}}},{"data":{"data":{"value":[1]}},` +
				`"metadata":{"https://dragoman-a2a.dev/wire/v03":{"wrapped":true}}}]},"append":true}}`,
			`{"artifactUpdate":{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a",` +
				`"parts":[{"kind":"file","file":{"mimeType":"image/png","name":"n","bytes":"AQ=="}},` +
				`{"kind":"file","file":{"uri":"https://e.com"}},{"kind":"data","data":{"a":1}},{"kind":"data",` +
				`"data":{"value":[1]},"metadata":{"https://dragoman-a2a.dev/wire/v03":{"wrapped":true}}}]},` +
				`"append":true}}`, false,
		},
	} {
		for form, want := range map[wire.Dialect]string{Proto: test.proto, Text: test.text} {
			if got, done := encodeOne(t, form, test.event); string(got) != want || done != test.done {
				t.Errorf("done %v\n got %s\nwant %s", done, got, want)
			}
		}
	}
}

// decoded is what a payload stands for.
type decoded struct {
	Events  []a2a.Event
	Partial []bool
	Done    bool
}

func TestStreamsBeginWithATask(t *testing.T) {
	t.Parallel()
	const (
		task    = `{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}`
		working = `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},` +
			`"metadata":{"k":1}}}`
		last     = `{"status_update":{"task_id":"t","status":{"state":"TASK_STATE_COMPLETED"},"final":true}}`
		artifact = `{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[]}}}`
		message  = `{"msg":{"messageId":"m","content":[{"text":"x"}]}}`
	)
	chunk := &a2a.ArtifactUpdate{TaskID: "t", Artifact: &a2a.Artifact{ID: "a"}}
	status := func(s a2a.TaskState) a2a.TaskStatus { return a2a.TaskStatus{State: s} }
	for name, test := range map[string]struct {
		payloads []string
		want     []decoded
	}{
		"task": {[]string{task, working, last}, []decoded{
			{Events: []a2a.Event{&a2a.Task{ID: "t", Status: status(a2a.TaskStateSubmitted)}}, Partial: []bool{false}},
			{Events: []a2a.Event{&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking),
				Metadata: a2a.Metadata{"k": []byte("1")}}}, Partial: []bool{false}},
			{Events: []a2a.Event{&a2a.StatusUpdate{TaskID: "t", Status: status(a2a.TaskStateCompleted)}},
				Partial: []bool{false}, Done: true},
		}},
		"status": {[]string{working, artifact}, []decoded{
			{Events: []a2a.Event{&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateWorking),
				Metadata: a2a.Metadata{"k": []byte("1")}}}, Partial: []bool{true}},
			{Events: []a2a.Event{chunk}, Partial: []bool{false}},
		}},
		"last status": {[]string{last}, []decoded{
			{Events: []a2a.Event{&a2a.Task{ID: "t", Status: status(a2a.TaskStateCompleted)}}, Partial: []bool{true},
				Done: true},
		}},
		"artifact": {[]string{artifact, artifact}, []decoded{
			{Events: []a2a.Event{&a2a.Task{ID: "t", Status: status(a2a.TaskStateWorking)}, chunk},
				Partial: []bool{true, false}},
			{Events: []a2a.Event{chunk}, Partial: []bool{false}},
		}},
		"message": {[]string{message}, []decoded{
			{Events: []a2a.Event{&a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}}},
				Partial: []bool{false}},
		}},
	} {
		d := Proto.NewStreamDecoder(wire.OpStreamMessage, nil)
		for i, payload := range test.payloads {
			var got decoded
			var err error
			got.Done, err = d.Decode([]byte(payload), func(ev a2a.Event, partial bool) {
				got.Events, got.Partial = append(got.Events, ev), append(got.Partial, partial)
			})
			if diff := cmp.Diff(test.want[i], got, asCarried); err != nil || diff != "" {
				t.Errorf("%s, %d: %v\n%s", name, i, err, diff)
			}
		}
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for text, op := range map[string]wire.Operation{
		`{}`:                              wire.OpSendMessage,
		`{"statusUpdate":{"taskId":"t"}}`: wire.OpSendMessage,
		`{"task":{},"message":{"messageId":"m"}}`: wire.OpSendMessage,
		`{"tasks":{}}`: wire.OpListTasks,
		`[]`:           wire.OpGetTask,
		`{"name":"p"}`: wire.OpGetPushConfig,
		`{"name":"p","pushNotificationConfig":{}}`: wire.OpGetPushConfig,
		`{"configs":[{}]}`:                         wire.OpListPushConfigs,
		`"card"`:                                   wire.OpExtendedCard,
	} {
		if got, err := Proto.DecodeResult(op, nil, []byte(text)); err == nil {
			t.Errorf("%v: %s is %+v", op, text, got)
		}
	}
	for _, text := range []string{``, `{}`, `null`, `{"task":null}`, `{"artifactUpdate":{"taskId":"t"}}`,
		`{"message":"text"}`, `{"statusUpdate":{"status":{"state":"working"}}}`, `{"task":{},"statusUpdate":{}}`} {
		d := Proto.NewStreamDecoder(wire.OpStreamMessage, nil)
		if _, err := d.Decode([]byte(text),
			func(ev a2a.Event, _ bool) { t.Errorf("%s is %+v", text, ev) }); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// An empty history cannot be asked for, so it is made.
func TestNoHistory(t *testing.T) {
	t.Parallel()
	const task = `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":[{"messageId":"m","content":[]}]}`
	for length, want := range map[int]int{0: 0, 1: 1} {
		got, err := Proto.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{ID: "t", HistoryLength: &length},
			[]byte(task))
		if err != nil || len(got.(*a2a.Task).History) != want {
			t.Errorf("%d: %+v, %v", length, got, err)
		}
		request := &a2a.SendMessageRequest{Configuration: &a2a.SendConfiguration{HistoryLength: &length}}
		got, err = Proto.DecodeResult(wire.OpSendMessage, request, fmt.Appendf(nil, `{"task":%s}`, task))
		if err != nil || len(got.(*a2a.Task).History) != want {
			t.Errorf("%d: %+v, %v", length, got, err)
		}
	}
}
