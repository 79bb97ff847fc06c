// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"testing"
	"time"
)

var benchTask = &Task{
	ID: "01936f3c-0000-7000-8000-000000000001", ContextID: "01936f3c-0000-7000-8000-000000000002",
	Status: TaskStatus{State: TaskStateCompleted, Timestamp: time.Date(2025, 10, 28, 10, 30, 0, 123e6, time.UTC)},
	Artifacts: []*Artifact{{ID: "01936f3c-0000-7000-8000-000000000003", Name: "greeting",
		Parts: []Part{TextPart("Hello, world!")}}},
	History: []*Message{{ID: "01936f3c-0000-7000-8000-000000000004", Role: RoleUser,
		Parts: []Part{TextPart("world")}}},
}

func BenchmarkAppendChunk(b *testing.B) {
	event := &ArtifactUpdate{
		TaskID: benchTask.ID, ContextID: benchTask.ContextID, Append: true,
		Artifact: &Artifact{ID: benchTask.Artifacts[0].ID, Parts: []Part{TextPart("twenty bytes of text")}},
	}
	benchmarkAppend(b, event)
}

func BenchmarkAppendTask(b *testing.B) { benchmarkAppend(b, benchTask) }

func benchmarkAppend(b *testing.B, event Event) {
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		var err error
		if buf, err = AppendStreamResponse(buf[:0], event); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkUnmarshalSendMessageRequest(b *testing.B) {
	data := []byte(
		`{"message":{"messageId":"01936f3c-0000-7000-8000-000000000004","role":"ROLE_USER","parts":[{"text":"Hello,` +
			` world!"}]},"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":10}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var r SendMessageRequest
		if err := Unmarshal(data, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateSendMessageRequest(b *testing.B) {
	r := &SendMessageRequest{Message: NewMessage(RoleUser, TextPart("Hello, world!"))}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
