// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// langgraph-api 0.16.7 streams these events in 1.0: the first event has a wrapper, the others have a kind instead.
func TestDecodeStreamResponseWithoutWrapper(t *testing.T) {
	t.Parallel()
	said := &Message{ID: "m1", TaskID: "t1", ContextID: "c1", Role: RoleAgent, Parts: []Part{TextPart("echo: hello")}}
	for name, test := range map[string]struct {
		payload string
		want    Event
	}{
		"task": {`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`,
			&Task{ID: "t1", ContextID: "c1", Status: TaskStatus{State: TaskStateCompleted}}},
		"message": {`{"kind":"message","role":"ROLE_AGENT","parts":[{"kind":"text","text":"echo: hello"}],` +
			`"messageId":"m1","taskId":"t1","contextId":"c1"}`,
			said},
		"status": {`{"taskId":"t1","contextId":"c1","kind":"status-update","status":{"state":"TASK_STATE_WORKING",` +
			`"message":` +
			`{"kind":"message","role":"ROLE_AGENT","parts":[{"kind":"text","text":"echo: hello"}],"messageId":"m1",` +
			`"taskId":"t1","contextId":"c1"}},"final":false}`,
			&StatusUpdate{TaskID: "t1", ContextID: "c1", Status: TaskStatus{State: TaskStateWorking, Message: said}}},
		"artifact": {`{"taskId":"t1","contextId":"c1","kind":"artifact-update","artifact":{"artifactId":"a1",` +
			`"name":"Assistant Response",` +
			`"parts":[{"kind":"data","data":{"question":"Where?"}}]},"append":false,"lastChunk":true}`,
			&ArtifactUpdate{TaskID: "t1", ContextID: "c1", LastChunk: true, Artifact: &Artifact{
				ID: "a1", Name: "Assistant Response", Parts: []Part{{Content: Data(`{"question":"Where?"}`)}},
			}}},
	} {
		got, err := DecodeStreamResponse([]byte(test.payload))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	result, err := DecodeSendResponse([]byte(`{"kind":"task","id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}`))
	if task, ok := result.(*Task); err != nil || !ok || task.ID != "t1" {
		t.Errorf("a send's answer: %v, %v", result, err)
	}
}

func TestDecodeStreamResponseStillRefuses(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`{"kind":"news","id":"t1"}`, `{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}`, `{"kind":"task","id":7}`,
		`{"kind":7}`, `{"kind":"task"`,
		`{"kind":"message","parts":[{"kind":"file","file":{"uri":"a"}}]}`,
	} {
		if got, err := DecodeStreamResponse([]byte(payload)); !errors.Is(err, ErrInvalidParams) &&
			!errors.Is(err, ErrParse) {
			t.Errorf("%s: got %v, %v", payload, got, err)
		}
	}
	if got, err := DecodeSendResponse(
		[]byte(`{"kind":"status-update","taskId":"t1","status":{"state":"TASK_STATE_WORKING"}}`)); err == nil {
		t.Errorf("an update as a send's answer: %v", got)
	}
}
