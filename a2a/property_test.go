// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// upToMilliseconds compares times in whole milliseconds, because the wire format drops smaller fractions.
var upToMilliseconds = cmp.Comparer(func(a, b time.Time) bool {
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
})

// Any message, task or event of a stream that a program can make comes back as it went, and equals its clone.
func TestAnyEventComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		event := genEvent.Draw(t, "event")
		text, err := AppendStreamResponse(nil, event)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(text, "\r\n") {
			t.Fatalf("more than one line: %q", text)
		}
		got, err := DecodeStreamResponse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(event, got, canonical, upToMilliseconds); diff != "" {
			t.Fatalf("-sent +decoded\n%s", diff)
		}
		if diff := cmp.Diff(event, cloneEvent(event)); diff != "" {
			t.Fatalf("-event +clone\n%s", diff)
		}
	})
}

func cloneEvent(e Event) Event {
	switch e := e.(type) {
	case *Task:
		return e.Clone()
	case *Message:
		return e.Clone()
	case *StatusUpdate:
		return e.Clone()
	case *ArtifactUpdate:
		return e.Clone()
	}
	return nil
}

var (
	genText = rapid.OneOf(rapid.String(),
		rapid.SampledFrom([]string{"", "\u2028\u2029", "\U0001F600", "\x00\x1f\"\\/", "<a&b>", "\ufffd\uffff", "\r\n"}))
	genValue = rapid.OneOf(rapid.SampledFrom([]string{
		`null`, `true`, `0`, `-0.0`, `1e400`, `12345678901234567890`, `1.0`, `""`, `"\ud83d\ude00\u000a"`, `[]`, `{}`,
		`[1, {"a":[]}]`,
		"{\n \"b\" : 1,\r\n \"a\" : \"x y\" }", ` "spaces" `,
	}), rapid.Custom(func(t *rapid.T) string {
		b, _ := jsontext.AppendQuote(nil, genText.Draw(t, "string"))
		return `{"k":[` + string(b) + `]}`
	}))
	genMetadata = rapid.Custom(func(t *rapid.T) Metadata {
		if rapid.Bool().Draw(t, "unset") {
			return nil
		}
		m := Metadata{}
		for k, v := range rapid.MapOfN(genText, genValue, 0, 3).Draw(t, "metadata") {
			m[k] = jsontext.Value(v)
		}
		return m
	})
	genPart = rapid.Custom(func(t *rapid.T) Part {
		p := Part{MediaType: genText.Draw(t, "mediaType"), Filename: genText.Draw(t, "filename"),
			Metadata: genMetadata.Draw(t, "metadata")}
		switch rapid.IntRange(0, 3).Draw(t, "content") {
		case 0:
			p.Content = Text(genText.Draw(t, "text"))
		case 1:
			p.Content = Raw(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "raw"))
		case 2:
			p.Content = URL(genText.Draw(t, "url"))
		default:
			p.Content = Data(genValue.Draw(t, "data"))
		}
		return p
	})
	genParts   = rapid.SliceOfN(genPart, 0, 4)
	genStrings = rapid.SliceOfN(genText, 0, 3)
	genMessage = rapid.Custom(func(t *rapid.T) *Message {
		return &Message{
			ID: MessageID(genText.Draw(t, "id")), ContextID: ContextID(genText.Draw(t, "contextId")),
			TaskID: TaskID(genText.Draw(t, "taskId")),
			Role:   Role(rapid.Int32Range(0, 2).Draw(t, "role")), Parts: genParts.Draw(t, "parts"),
			Metadata:         genMetadata.Draw(t, "metadata"),
			Extensions:       genStrings.Draw(t, "extensions"),
			ReferenceTaskIDs: []TaskID{TaskID(genText.Draw(t, "reference"))},
		}
	})
	genArtifact = rapid.Custom(func(t *rapid.T) *Artifact {
		return &Artifact{
			ID: ArtifactID(genText.Draw(t, "id")), Name: genText.Draw(t, "name"),
			Description: genText.Draw(t, "description"),
			Parts:       genParts.Draw(t, "parts"), Metadata: genMetadata.Draw(t, "metadata"),
			Extensions: genStrings.Draw(t, "extensions"),
		}
	})
	genStatus = rapid.Custom(func(t *rapid.T) TaskStatus {
		s := TaskStatus{State: TaskState(rapid.Int32Range(0, 8).Draw(t, "state"))}
		if rapid.Bool().Draw(t, "said") {
			s.Message = genMessage.Draw(t, "message")
		}
		if rapid.Bool().Draw(t, "timed") {
			zone := time.FixedZone("", rapid.IntRange(-12*3600, 14*3600).Draw(t, "zone"))
			s.Timestamp = time.UnixMicro(rapid.Int64Range(-6e16, 2.5e17).Draw(t, "time")).In(zone)
		}
		return s
	})
	genEvent = rapid.Custom(func(t *rapid.T) Event {
		task, context := TaskID(genText.Draw(t, "taskId")), ContextID(genText.Draw(t, "contextId"))
		switch rapid.IntRange(0, 3).Draw(t, "event") {
		case 0:
			return genMessage.Draw(t, "message")
		case 1:
			return &StatusUpdate{TaskID: task, ContextID: context, Status: genStatus.Draw(t, "status"),
				Metadata: genMetadata.Draw(t, "metadata")}
		case 2:
			return &ArtifactUpdate{
				TaskID: task, ContextID: context, Artifact: genArtifact.Draw(t, "artifact"),
				Append:    rapid.Bool().Draw(t, "append"),
				LastChunk: rapid.Bool().Draw(t, "lastChunk"), Metadata: genMetadata.Draw(t, "metadata"),
			}
		}
		return &Task{
			ID: task, ContextID: context, Status: genStatus.Draw(t, "status"),
			Artifacts: rapid.SliceOfN(genArtifact, 0, 3).Draw(t, "artifacts"),
			History:   rapid.SliceOfN(genMessage, 0, 3).Draw(t, "history"), Metadata: genMetadata.Draw(t, "metadata"),
		}
	})
)

// compact removes what stands between the tokens of a value and leaves the tokens alone.
func compact(v jsontext.Value) jsontext.Value {
	b, err := jsontext.AppendFormat(nil, v, jsontext.PreserveRawStrings(true))
	if err != nil {
		return v
	}
	return b
}
