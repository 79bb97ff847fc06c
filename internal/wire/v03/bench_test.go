// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

var benchTask = &a2a.Task{
	ID: "01936f3c-0000-7000-8000-000000000001", ContextID: "01936f3c-0000-7000-8000-000000000002",
	Status: a2a.TaskStatus{State: a2a.TaskStateCompleted,
		Timestamp: time.Date(2025, 10, 28, 10, 30, 0, 123e6, time.UTC)},
	Artifacts: []*a2a.Artifact{{ID: "01936f3c-0000-7000-8000-000000000003", Name: "greeting",
		Parts: []a2a.Part{a2a.TextPart("Hello, world!")}}},
	History: []*a2a.Message{{ID: "01936f3c-0000-7000-8000-000000000004", Role: a2a.RoleUser,
		Parts: []a2a.Part{a2a.TextPart("world")}}},
}

var benchChunk = &a2a.ArtifactUpdate{
	TaskID: benchTask.ID, ContextID: benchTask.ContextID, Append: true,
	Artifact: &a2a.Artifact{ID: benchTask.Artifacts[0].ID, Parts: []a2a.Part{a2a.TextPart("twenty bytes of text")}},
}

// The same events in the form of 1.0 are the yardstick.
func BenchmarkEncodeEvent(b *testing.B) {
	for name, event := range map[string]a2a.Event{"chunk": benchChunk, "task": benchTask} {
		b.Run(name+"/0.3", func(b *testing.B) { benchmarkEncode(b, event, encodeEvent) })
		b.Run(name+"/1.0", func(b *testing.B) {
			benchmarkEncode(b, event, func(ev a2a.Event) ([]byte, error) { return a2a.AppendStreamResponse(nil, ev) })
		})
	}
}

func benchmarkEncode(b *testing.B, event a2a.Event, encode func(a2a.Event) ([]byte, error)) {
	b.ReportAllocs()
	for b.Loop() {
		text, err := encode(event)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
	}
}

func BenchmarkDecodeEvent(b *testing.B) {
	for name, event := range map[string]a2a.Event{"chunk": benchChunk, "task": benchTask} {
		old, err := encodeEvent(event)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/0.3", func(b *testing.B) {
			b.ReportAllocs()
			s := &decoder{begun: true}
			for b.Loop() {
				if _, err := s.Decode(old, func(a2a.Event, bool) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/1.0", func(b *testing.B) {
			b.ReportAllocs()
			text, err := a2a.AppendStreamResponse(nil, event)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := a2a.DecodeStreamResponse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeSend(b *testing.B) {
	data := []byte(
		`{"message":{"kind":"message","messageId":"01936f3c-0000-7000-8000-000000000004","role":"user",` +
			`"parts":[{"kind":"text","text":"Hello, world!"}]},"configuration":{"acceptedOutputModes":["text/plain"],` +
			`"historyLength":10}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Dialect.DecodeRequest(wire.OpSendMessage, data); err != nil {
			b.Fatal(err)
		}
	}
}
