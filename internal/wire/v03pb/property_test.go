// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// asCarried compares values up to what no JSON of ours keeps: empty or none, parts of a millisecond, spaces between
// tokens.
var asCarried = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b time.Time) bool { return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond)) }),
	cmp.Comparer(func(a, b jsontext.Value) bool { return bytes.Equal(compact(a), compact(b)) }),
	cmp.Comparer(func(a, b a2a.Data) bool {
		return bytes.Equal(compact(jsontext.Value(a)), compact(jsontext.Value(b)))
	}),
}

// compact removes what stands between the tokens of a value and leaves the tokens alone.
func compact(v jsontext.Value) jsontext.Value {
	b, err := jsontext.AppendFormat(nil, v, jsontext.PreserveRawStrings(true))
	if err != nil {
		return v
	}
	return b
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// encodeOne returns the payload of an event on a stream.
func encodeOne(t tb, form wire.Dialect, event a2a.Event) (payload []byte, done bool) {
	t.Helper()
	done, err := form.NewStreamEncoder(wire.OpStreamMessage, nil).Encode(a2a.NewStreamEvent("7", event),
		func(id string, b []byte) {
			if id != "7" || payload != nil {
				t.Fatalf("emitted %s %q", id, b)
			}
			payload = b
		})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(payload, "\r\n") || !jsontext.Value(payload).IsValid() {
		t.Fatalf("wrote %q", payload)
	}
	return payload, done
}

// decodeSecond decodes an event of a stream of Proto that has begun already.
func decodeSecond(t tb, payload []byte) (got a2a.Event) {
	t.Helper()
	_, err := (&decoder{begun: true}).Decode(payload, func(ev a2a.Event, partial bool) {
		if partial || got != nil {
			t.Fatalf("emitted %v", ev)
		}
		got = ev
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, payload)
	}
	return got
}

// unwrapText returns what an answer of Text has under a name, and the name.
func unwrapText(t tb, text []byte) (name string, value []byte) {
	t.Helper()
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil || len(members) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	for n, v := range members {
		name, value = n, v
	}
	return name, value
}

// nameOf returns the name under which an event stands.
func nameOf(event a2a.Event) string {
	switch event.(type) {
	case *a2a.Task:
		return "task"
	case *a2a.Message:
		return "message"
	case *a2a.StatusUpdate:
		return "statusUpdate"
	}
	return "artifactUpdate"
}

// Any event comes back as it went, in both forms, on a stream and as the answer of the operations that may answer with
// it.
func TestAnyEventComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		event := genEvent.Draw(t, "event")
		update, isUpdate := event.(*a2a.StatusUpdate)
		ends := isUpdate && (update.Status.State.Terminal() || update.Status.State.Interrupted())

		payload, done := encodeOne(t, Proto, event)
		if diff := cmp.Diff(event, decodeSecond(t, payload), asCarried); diff != "" {
			t.Fatalf("-sent +decoded\n%s\n%s", diff, payload)
		}
		text, doneText := encodeOne(t, Text, event)
		name, value := unwrapText(t, text)
		if name != nameOf(event) {
			t.Fatalf("%q is the name of a %T", name, event)
		}
		if diff := cmp.Diff(event, decodeText(t, value), asCarried); diff != "" {
			t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
		}
		if done != ends || doneText != ends {
			t.Fatalf("done is %v, %v after %v", done, doneText, event)
		}

		result, ok := event.(a2a.SendResult)
		if !ok {
			return
		}
		answered(t, wire.OpSendMessage, result)
		sent, err := Text.AppendResult([]byte(" "), wire.OpSendMessage, nil, result)
		if err != nil || string(sent[1:]) != string(text) {
			t.Fatalf("%v\n%s\n%s", err, sent, text)
		}
		if task, ok := event.(*a2a.Task); ok {
			answered(t, wire.OpGetTask, task)
			answered(t, wire.OpCancelTask, task)
		}
	})
}

// decodeText decodes what stands in an answer of Text, which is an event of package v03, on a stream that has begun.
func decodeText(t tb, value []byte) (got a2a.Event) {
	t.Helper()
	d := v03.Dialect.NewStreamDecoder(wire.OpStreamMessage, nil)
	if _, err := d.Decode([]byte(`{"kind":"task","id":"t","status":{"state":"working"}}`),
		func(a2a.Event, bool) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(value, func(ev a2a.Event, _ bool) { got = ev }); err != nil {
		t.Fatalf("%v\n%s", err, value)
	}
	return got
}

// answered checks that a result of Proto comes back as it went.
func answered(t tb, op wire.Operation, result any) {
	t.Helper()
	text, err := Proto.AppendResult(nil, op, nil, result)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Proto.DecodeResult(op, nil, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(result, got, asCarried); diff != "" {
		t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
	}
}

func TestAnySendComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := genSend.Draw(t, "request")
		for _, form := range []wire.Dialect{Proto, Text} {
			text, err := form.AppendRequest(nil, wire.OpSendMessage, request)
			if err != nil {
				t.Fatal(err)
			}
			if got := received(wire.OpSendMessage, text); got != form {
				t.Fatalf("taken for the other form: %s", text)
			}
			got, err := form.DecodeRequest(wire.OpSendMessage, text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			want := request
			if form == Text && request.Configuration.HistoryLength == nil { // what is not asked for is none there
				none, configuration := *request, *request.Configuration
				configuration.HistoryLength = new(0)
				none.Configuration = &configuration
				want = &none
			}
			if diff := cmp.Diff(want, got, asCarried); diff != "" {
				t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
			}
		}
	})
}

func TestAnyPushConfigComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configs := rapid.SliceOfN(genPush, 0, 3).Draw(t, "configs")
		for _, c := range configs {
			c.TaskID = a2a.TaskID(genID.Draw(t, "task"))
			if rapid.Bool().Draw(t, "slashed") {
				c.TaskID += "/and/more"
			}
			text, err := Proto.AppendRequest(nil, wire.OpCreatePushConfig, c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Proto.DecodeRequest(wire.OpCreatePushConfig, text)
			if diff := cmp.Diff(c, got, asCarried); err != nil || diff != "" {
				t.Fatalf("%v\n%s\n%s", err, diff, text)
			}
			answered(t, wire.OpCreatePushConfig, c)
			answered(t, wire.OpGetPushConfig, c)
		}
		answered(t, wire.OpListPushConfigs,
			&a2a.ListPushConfigsResponse{Configs: configs, NextPageToken: genText.Draw(t, "next")})
	})
}

func TestAnyListComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.SliceOfN(genTask, 0, 2).Draw(t, "tasks")
		answered(t, wire.OpListTasks, &a2a.ListTasksResponse{
			Tasks: tasks, NextPageToken: genText.Draw(t, "next"), PageSize: len(tasks),
			TotalSize: rapid.IntRange(0, 1<<31-1).Draw(t, "total"),
		})
	})
}

// The generators remember their names when they are first asked for them, without a lock: tests that share them do not
// run in parallel.
var (
	genText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\u2028\u2029", "\U0001F600", "\x00\x1f\"\\/", "<a&b>", "\ufffd\uffff", "\r\n", "value", "content",
	}))
	genID    = rapid.StringMatching(`[a-z0-9-]{1,12}`)
	genValue = rapid.OneOf(rapid.SampledFrom([]string{
		`null`, `true`, `0`, `12345`, `1.5`, `""`, `"\ud83d\ude00\u000a"`, `[]`, `{}`, `[1, {"a":[]}]`, `{"value":1}`,
		`{"value":null}`, `{"value":1,"more":2}`, `{"kind":"text","text":"x"}`, "{\n \"b\" : 1,\r\n \"a\" : \"x y\" }",
		` "spaces" `,
	}), rapid.Custom(func(t *rapid.T) string {
		b, _ := jsontext.AppendQuote(nil, genText.Draw(t, "string"))
		return `{"k":[` + string(b) + `]}`
	}))
	genMetadata = rapid.Custom(func(t *rapid.T) a2a.Metadata {
		if rapid.Bool().Draw(t, "unset") {
			return nil
		}
		m := a2a.Metadata{}
		for k, v := range rapid.MapOfN(genText, genValue, 0, 3).Draw(t, "metadata") {
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
			p.Content = a2a.URL("x" + genText.Draw(t, "url"))
		default:
			p.Content = a2a.Data(genValue.Draw(t, "data"))
		}
		return p
	})
	genParts   = rapid.SliceOfN(genPart, 1, 4)
	genStrings = rapid.SliceOfN(genText, 0, 3)
	genMessage = rapid.Custom(func(t *rapid.T) *a2a.Message {
		m := &a2a.Message{
			ID: a2a.MessageID(genID.Draw(t, "id")), ContextID: a2a.ContextID(genID.Draw(t, "contextId")),
			TaskID: a2a.TaskID(genID.Draw(t, "taskId")),
			Role:   a2a.Role(rapid.Int32Range(1, 2).Draw(t, "role")), Parts: genParts.Draw(t, "parts"),
			Metadata:   genMetadata.Draw(t, "metadata"),
			Extensions: genStrings.Draw(t, "extensions"),
		}
		for _, id := range rapid.SliceOfN(genID, 0, 2).Draw(t, "references") {
			m.ReferenceTaskIDs = append(m.ReferenceTaskIDs, a2a.TaskID(id))
		}
		return m
	})
	genArtifact = rapid.Custom(func(t *rapid.T) *a2a.Artifact {
		return &a2a.Artifact{
			ID: a2a.ArtifactID(genText.Draw(t, "id")), Name: genText.Draw(t, "name"),
			Description: genText.Draw(t, "description"),
			Parts:       genParts.Draw(t, "parts"), Metadata: genMetadata.Draw(t, "metadata"),
			Extensions: genStrings.Draw(t, "extensions"),
		}
	})
	genStatus = rapid.Custom(func(t *rapid.T) a2a.TaskStatus {
		s := a2a.TaskStatus{State: a2a.TaskState(rapid.Int32Range(0, 8).Draw(t, "state"))}
		if rapid.Bool().Draw(t, "said") {
			s.Message = genMessage.Draw(t, "message")
		}
		if rapid.Bool().Draw(t, "timed") {
			s.Timestamp = time.UnixMicro(rapid.Int64Range(-6e16, 2.5e17).Draw(t, "time")).In(time.FixedZone("", 3600))
		}
		return s
	})
	genTask = rapid.Custom(func(t *rapid.T) *a2a.Task {
		return &a2a.Task{
			ID: a2a.TaskID(genID.Draw(t, "id")), ContextID: a2a.ContextID(genID.Draw(t, "contextId")),
			Status:    genStatus.Draw(t, "status"),
			Artifacts: rapid.SliceOfN(genArtifact, 0, 2).Draw(t, "artifacts"),
			History:   rapid.SliceOfN(genMessage, 0, 2).Draw(t, "history"),
			Metadata:  genMetadata.Draw(t, "metadata"),
		}
	})
	genEvent = rapid.Custom(func(t *rapid.T) a2a.Event {
		task, context := a2a.TaskID(genID.Draw(t, "task")), a2a.ContextID(genID.Draw(t, "context"))
		switch rapid.IntRange(0, 3).Draw(t, "event") {
		case 0:
			return genTask.Draw(t, "a task")
		case 1:
			return genMessage.Draw(t, "a message")
		case 2:
			return &a2a.StatusUpdate{TaskID: task, ContextID: context, Status: genStatus.Draw(t, "status"),
				Metadata: genMetadata.Draw(t, "metadata")}
		}
		return &a2a.ArtifactUpdate{
			TaskID: task, ContextID: context, Artifact: genArtifact.Draw(t, "artifact"),
			Append:    rapid.Bool().Draw(t, "append"),
			LastChunk: rapid.Bool().Draw(t, "last"), Metadata: genMetadata.Draw(t, "metadata"),
		}
	})
	genPush = rapid.Custom(func(t *rapid.T) *a2a.PushConfig {
		c := &a2a.PushConfig{ID: genID.Draw(t, "id"), URL: "https://e.com/" + genID.Draw(t, "url"),
			Token: rapid.StringMatching(`[ -~]*`).Draw(t, "token")}
		if rapid.Bool().Draw(t, "authenticated") {
			c.Authentication = &a2a.PushAuthentication{Scheme: genID.Draw(t, "scheme"),
				Credentials: rapid.StringMatching(`[ -~]*`).Draw(t, "credentials")}
		}
		return c
	})
	genSend = rapid.Custom(func(t *rapid.T) *a2a.SendMessageRequest {
		c := &a2a.SendConfiguration{AcceptedOutputModes: genStrings.Draw(t, "modes"),
			ReturnImmediately: rapid.Bool().Draw(t, "immediately")}
		if rapid.Bool().Draw(t, "history") {
			c.HistoryLength = new(rapid.IntRange(1, 1<<31-1).Draw(t, "length"))
		}
		if rapid.Bool().Draw(t, "push") {
			c.PushConfig = genPush.Draw(t, "config")
		}
		m := genMessage.Draw(t, "message")
		for i := range m.Parts { // which a request is checked for in Text
			if _, ok := m.Parts[i].Content.(a2a.URL); ok {
				m.Parts[i].Content = a2a.URL("https://e.com/" + genID.Draw(t, "path"))
			}
		}
		return &a2a.SendMessageRequest{Message: m, Configuration: c, Metadata: genMetadata.Draw(t, "metadata")}
	})
)
