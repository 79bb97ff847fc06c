// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// canonical compares as the wire does: it knows no difference between an absent and an empty list or object, and values
// of free form keep their tokens, but not the space between them.
var canonical = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		switch p.Last().Type() {
		case reflect.TypeFor[jsontext.Value](), reflect.TypeFor[a2a.Raw](), reflect.TypeFor[a2a.Data]():
			return false
		}
		return true
	}, cmpopts.EquateEmpty()),
	cmp.Comparer(func(a, b a2a.Raw) bool { return bytes.Equal(a, b) }),
	cmp.Comparer(func(a, b a2a.Data) bool {
		return bytes.Equal(compact(jsontext.Value(a)),
			compact(jsontext.Value(b)))
	}),
	cmp.Comparer(func(a, b jsontext.Value) bool { return bytes.Equal(compact(a), compact(b)) }),
}

// compact removes what stands between the tokens of a value and leaves the tokens alone.
func compact(v jsontext.Value) jsontext.Value {
	b, err := jsontext.AppendFormat(nil, v, jsontext.PreserveRawStrings(true))
	if err != nil {
		return v
	}
	return b
}

// forgotten makes two values comparable: reading makes new message ids.
func forgotten[T any](v T) T {
	forgetMessageIDs(v)
	return v
}

// A task whose values the generation can carry, or has a marker for, comes back unchanged. Its text fits the schemas.
func TestAnyTaskComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := genTask.Draw(t, "task")
		text, err := Dialect.AppendResult(nil, wire.OpGetTask, nil, task)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "Task", text)
		got, err := Dialect.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{ID: "asked"}, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(forgotten(task), forgotten(got.(*a2a.Task)), canonical); diff != "" {
			t.Fatalf("-sent +decoded\n%s", diff)
		}
	})
}

func TestAnySendComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := genSend.Draw(t, "send")
		text, err := Dialect.AppendRequest(nil, wire.OpSendMessage, request)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, "TaskSendParams", text)
		got, err := Dialect.DecodeRequest(wire.OpSendMessage, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(forgotten(request), forgotten(got.(*a2a.SendMessageRequest)), canonical); diff != "" {
			t.Fatalf("-sent +decoded\n%s", diff)
		}
	})
}

// Updates that follow a task come back as they went, up to the one that ends the stream.
func TestAnyUpdateComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, d := newEncoder(sending),
			newDecoder(&a2a.SendMessageRequest{NewTaskID: "t", Message: &a2a.Message{ContextID: "c"}})
		pass := func(ev a2a.Event) (got []decodedEvent, ended bool) {
			done, err := e.Encode(a2a.NewStreamEvent("1", ev), func(_ string, payload []byte) {
				fits(t, eventName(payload), payload)
				events, done := decodedEvents(t, d, string(payload))
				got, ended = append(got, events...), done
			})
			if err != nil || done != ended {
				t.Fatalf("encoded: %t, %v; decoded: %t", done, err, ended)
			}
			return got, ended
		}
		pass(&a2a.Task{ID: "t", ContextID: "c"})
		for _, ev := range rapid.SliceOfN(genUpdate, 1, 8).Draw(t, "updates") {
			got, ended := pass(ev)
			if ended { // before which artifacts are closed
				got = got[len(got)-1:]
			}
			if diff := cmp.Diff([]decodedEvent{{forgotten(ev), false}}, got, canonical); diff != "" {
				t.Fatalf("-sent +decoded\n%s", diff)
			}
			if ended {
				return
			}
		}
	})
}

// A client that reconnects has the same artifacts as a client that stayed connected, whatever their ids, and each
// artifact under one index.
func TestSubscribersLackNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.SampledFrom(
			[]a2a.ArtifactID{"a", "b", "c", "index-0", "index-1", "index-2", "index-9"}), 1, 12).Draw(t, "ids")
		missed := rapid.IntRange(0, len(ids)).Draw(t, "missed")
		task := &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
		stayed, back := newEncoder(sending), newEncoder(subscribing)
		var whole, caughtUp folding
		whole.take(t, stayed, a2a.NewStreamEvent("", task.Clone()))
		for i, id := range ids {
			if i == missed {
				caughtUp.take(t, back, a2a.NewStreamEvent("", task.Clone()))
			}
			ev := a2a.NewStreamEvent("", grow(task, id, string(rune('A'+i))))
			whole.take(t, stayed, ev)
			if i >= missed {
				caughtUp.take(t, back, ev)
			}
		}
		if missed == len(ids) {
			caughtUp.take(t, back, a2a.NewStreamEvent("", task.Clone()))
		}
		if diff := cmp.Diff(whole.texts, caughtUp.texts); diff != "" {
			t.Fatalf("-stayed +came back\n%s", diff)
		}
		if len(whole.texts) != len(task.Artifacts) {
			t.Fatalf("%d artifacts have %d indexes", len(task.Artifacts), len(whole.texts))
		}
	})
}

// grow appends a text to an artifact of the task and returns the update that says so.
func grow(task *a2a.Task, id a2a.ArtifactID, text string) *a2a.ArtifactUpdate {
	u := &a2a.ArtifactUpdate{TaskID: task.ID, Artifact: &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(text)}}}
	for _, a := range task.Artifacts {
		if a.ID == id {
			a.Parts = append(a.Parts, a2a.TextPart(text))
			u.Append = true
			return u
		}
	}
	task.Artifacts = append(task.Artifacts, &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(text)}})
	return u
}

// A folding is what a client of the generation has of the artifacts of a stream.
type folding struct {
	decoder decoder
	texts   map[a2a.ArtifactID]string
}

func (f *folding) take(t rapid.TB, e wire.StreamEncoder, ev a2a.StreamEvent) {
	if f.texts == nil {
		f.texts = map[a2a.ArtifactID]string{}
	}
	_, err := e.Encode(ev, func(_ string, payload []byte) {
		events, _ := decodedEvents(t, &f.decoder, string(payload))
		for _, ev := range events {
			u, ok := ev.Event.(*a2a.ArtifactUpdate)
			switch {
			case ok && u.Append:
				f.texts[u.Artifact.ID] += u.Artifact.Text()
			case ok:
				f.texts[u.Artifact.ID] = u.Artifact.Text()
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The generators remember their names when they are first asked for them, without a lock: tests that share them do not
// run in parallel.
var (
	genText = rapid.OneOf(rapid.String(),
		rapid.SampledFrom([]string{"", "\u2028\u2029", "\U0001F600", "\x00\x1f\"\\/", "<a&b>", "\ufffd\uffff", "\r\n"}))
	genValue = rapid.OneOf(rapid.SampledFrom([]string{
		`null`, `true`, `0`, `-0.0`, `1e400`, `12345678901234567890`, `1.0`, `""`, `"\ud83d\ude00\u000a"`, `[]`, `{}`,
		`[1, {"a":[]}]`,
		"{\n \"b\" : 1,\r\n \"a\" : \"x y\" }", ` "spaces" `, `{"value":1}`, `{"type":"text","text":"x"}`,
	}), rapid.Custom(func(t *rapid.T) string {
		b, _ := jsontext.AppendQuote(nil, genText.Draw(t, "string"))
		return `{"k":[` + string(b) + `]}`
	}))
	// Metadata that hold a mark only come back unset, so empty ones are not made.
	genMetadata = rapid.Custom(func(t *rapid.T) a2a.Metadata {
		var m a2a.Metadata
		for k, v := range rapid.MapOfN(genText, genValue, 0, 3).Draw(t, "metadata") {
			if m == nil {
				m = a2a.Metadata{}
			}
			m[k] = jsontext.Value(v)
		}
		return m
	})
	genPart = rapid.Custom(func(t *rapid.T) a2a.Part {
		p := a2a.Part{MediaType: genText.Draw(t, "mediaType"), Filename: genText.Draw(t, "filename"),
			Metadata: genMetadata.Draw(t, "metadata")}
		switch rapid.IntRange(0, 3).Draw(t, "content") {
		case 0:
			p.Content = a2a.Text(genText.Draw(t, "text"))
		case 1:
			p.Content = a2a.Raw(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "raw"))
		case 2:
			p.Content = a2a.URL("https://a.example/" + genText.Draw(t, "url"))
		default:
			p.Content = a2a.Data(genValue.Draw(t, "data"))
		}
		return p
	})
	genStrings = rapid.SliceOfN(genText, 0, 3)
	genRole    = rapid.SampledFrom([]a2a.Role{a2a.RoleUser, a2a.RoleAgent})
	genState   = rapid.Custom(
		func(t *rapid.T) a2a.TaskState { return a2a.TaskState(rapid.Int32Range(0, 8).Draw(t, "state")) })
	genStatus = rapid.Custom(func(t *rapid.T) a2a.TaskStatus {
		s := a2a.TaskStatus{State: genState.Draw(t, "state")}
		if rapid.Bool().Draw(t, "said") {
			s.Message = genMessage("t", "c").Draw(t, "message")
		}
		if rapid.Bool().Draw(t, "timed") {
			s.Timestamp = time.UnixMilli(rapid.Int64Range(-6e13, 2.5e14).Draw(t, "time")).UTC()
		}
		return s
	})
	genTask = rapid.Custom(func(t *rapid.T) *a2a.Task {
		task := &a2a.Task{
			ID: "t", ContextID: "c", Status: genStatus.Draw(t, "status"),
			History:  rapid.SliceOfN(genMessage("t", "c"), 0, 3).Draw(t, "history"),
			Metadata: genMetadata.Draw(t, "metadata"),
		}
		for _, index := range rapid.SliceOfNDistinct(rapid.IntRange(0, maxIndex), 0, 3, rapid.ID[int]).Draw(t,
			"indexes") {
			task.Artifacts = append(task.Artifacts, genArtifact(index).Draw(t, "artifact"))
		}
		return task
	})
	genUpdate = rapid.Custom(func(t *rapid.T) a2a.Event {
		if rapid.Bool().Draw(t, "status") {
			return &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: genStatus.Draw(t, "status"),
				Metadata: genMetadata.Draw(t, "metadata")}
		}
		return &a2a.ArtifactUpdate{
			TaskID: "t", ContextID: "c", Artifact: genArtifact(rapid.IntRange(0, 9).Draw(t, "index")).Draw(t,
				"artifact"),
			Append: rapid.Bool().Draw(t, "append"), LastChunk: rapid.Bool().Draw(t, "lastChunk"),
			Metadata: genMetadata.Draw(t, "metadata"),
		}
	})
	genSend = rapid.Custom(func(t *rapid.T) *a2a.SendMessageRequest {
		r := &a2a.SendMessageRequest{
			NewTaskID: "t", Message: genMessage("", "c").Draw(t, "message"), Metadata: genMetadata.Draw(t, "metadata"),
			Configuration: &a2a.SendConfiguration{
				AcceptedOutputModes: genStrings.Draw(t, "modes"),
				HistoryLength:       new(rapid.IntRange(0, 1<<31-1).Draw(t, "historyLength")),
			},
		}
		r.Message.Parts = append(r.Message.Parts, a2a.TextPart("a message has a part"))
		if rapid.Bool().Draw(t, "push") {
			r.Configuration.PushConfig = &a2a.PushConfig{URL: "https://a.example/hook", Token: "k",
				Authentication: &a2a.PushAuthentication{Scheme: "Bearer"}}
		}
		return r
	})
)

func genMessage(task a2a.TaskID, context a2a.ContextID) *rapid.Generator[*a2a.Message] {
	return rapid.Custom(func(t *rapid.T) *a2a.Message {
		m := &a2a.Message{
			ID: "m", TaskID: task, ContextID: context, Role: genRole.Draw(t, "role"),
			Parts:    rapid.SliceOfN(genPart, 0, 4).Draw(t, "parts"),
			Metadata: genMetadata.Draw(t, "metadata"), Extensions: genStrings.Draw(t, "extensions"),
		}
		if rapid.Bool().Draw(t, "refers") {
			m.ReferenceTaskIDs = []a2a.TaskID{"r", "s"}
		}
		return m
	})
}

func genArtifact(index int) *rapid.Generator[*a2a.Artifact] {
	return rapid.Custom(func(t *rapid.T) *a2a.Artifact {
		return &a2a.Artifact{
			ID: artifactID(index), Name: genText.Draw(t, "name"), Description: genText.Draw(t, "description"),
			Parts: rapid.SliceOfN(genPart, 0, 4).Draw(t, "parts"), Metadata: genMetadata.Draw(t, "metadata"),
			Extensions: genStrings.Draw(t, "extensions"),
		}
	})
}
