// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
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

// Any event comes back as it went, on a stream and as the answer of the operations that may answer with it, and fits
// the schemas of all versions.
func TestAnyEventComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		event := genEvent.Draw(t, "event")
		payload, done := encodeOne(t, event)
		if update, ok := event.(*a2a.StatusUpdate); done != (ok &&
			(update.Status.State.Terminal() || update.Status.State.Interrupted())) {
			t.Fatalf("done is %v after %v", done, event)
		}
		got := decodeSecond(t, payload)
		if diff := cmp.Diff(event, got, asCarried); diff != "" {
			t.Fatalf("-sent +decoded\n%s\n%s", diff, payload)
		}
		fitsSchemas(t, payload, definitionOf(event))
		switch event.(type) {
		case *a2a.Task:
			answered(t, wire.OpGetTask, event)
			answered(t, wire.OpSendMessage, event)
		case *a2a.Message:
			answered(t, wire.OpSendMessage, event)
		}
	})
}

// answered checks that a result comes back as it went.
func answered(t tb, op wire.Operation, result any) {
	t.Helper()
	text, err := Dialect.AppendResult(nil, op, nil, result)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Dialect.DecodeResult(op, nil, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(result, got, asCarried); diff != "" {
		t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
	}
}

func TestAnyRequestComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRequest.Draw(t, "request")
		text, err := Dialect.AppendRequest(nil, r.op, r.request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Dialect.DecodeRequest(r.op, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(r.request, got, asCarried); diff != "" {
			t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
		}
		fitsSchemas(t, text, r.schema)
	})
}

func TestAnyPushConfigComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configs := rapid.SliceOfN(genPush, 0, 3).Draw(t, "configs")
		for _, c := range configs {
			c.TaskID = a2a.TaskID(genID.Draw(t, "task"))
			answered(t, wire.OpCreatePushConfig, c)
			answered(t, wire.OpGetPushConfig, c)
		}
		answered(t, wire.OpListPushConfigs, &a2a.ListPushConfigsResponse{Configs: configs})
	})
}

func TestAnyListComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := &a2a.ListTasksResponse{
			Tasks: rapid.SliceOfN(genTask, 0, 2).Draw(t, "tasks"), NextPageToken: genText.Draw(t, "next"),
			PageSize: rapid.IntRange(0, 100).Draw(t, "size"), TotalSize: rapid.IntRange(0, 1<<31-1).Draw(t, "total"),
		}
		answered(t, wire.OpListTasks, list)
		text, err := Dialect.AppendResult(nil, wire.OpListTasks, nil, list)
		if err != nil {
			t.Fatal(err)
		}
		fitsSchemas(t, text, "ListTasksResult")
	})
}

// tb is what testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func encodeOne(t tb, event a2a.Event) (payload []byte, done bool) {
	t.Helper()
	done, err := Dialect.NewStreamEncoder(wire.OpStreamMessage, nil).Encode(
		a2a.NewStreamEvent("7", event), func(id string, b []byte) {
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

// decodeSecond decodes an event of a stream that has begun already.
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

// The generators remember their names when they are first asked for them, without a lock: tests that share them do not
// run in parallel.
var (
	genText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\u2028\u2029", "\U0001F600", "\x00\x1f\"\\/", "<a&b>", "\ufffd\uffff", "\r\n", "value", "kind",
	}))
	genID    = rapid.StringMatching(`[a-z0-9-]{1,12}`)
	genValue = rapid.OneOf(rapid.SampledFrom([]string{
		`null`, `true`, `0`, `-0.0`, `1e400`, `12345678901234567890`, `1.0`, `""`, `"\ud83d\ude00\u000a"`, `[]`, `{}`,
		`[1, {"a":[]}]`,
		`{"value":1}`, `{"value":1,"more":2}`, `{"kind":"text","text":"x"}`, "{\n \"b\" : 1,\r\n \"a\" : \"x y\" }",
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
		return &a2a.Message{
			ID: a2a.MessageID(genID.Draw(t, "id")), ContextID: a2a.ContextID(genID.Draw(t, "contextId")),
			TaskID: a2a.TaskID(genID.Draw(t, "taskId")),
			Role:   a2a.Role(rapid.Int32Range(1, 2).Draw(t, "role")), Parts: genParts.Draw(t, "parts"),
			Metadata:         genMetadata.Draw(t, "metadata"),
			Extensions:       genStrings.Draw(t, "extensions"),
			ReferenceTaskIDs: []a2a.TaskID{a2a.TaskID(genID.Draw(t, "reference"))},
		}
	})
	genArtifact = rapid.Custom(func(t *rapid.T) *a2a.Artifact {
		return &a2a.Artifact{
			ID: a2a.ArtifactID(genText.Draw(t, "id")), Name: genText.Draw(t, "name"),
			Description: genText.Draw(t, "description"),
			Parts:       genParts.Draw(t, "parts"), Metadata: genMetadata.Draw(t, "metadata"),
			Extensions: genStrings.Draw(t, "extensions"),
		}
	})
	genState = rapid.Custom(
		func(t *rapid.T) a2a.TaskState { return a2a.TaskState(rapid.Int32Range(0, 8).Draw(t, "state")) })
	genStatus = rapid.Custom(func(t *rapid.T) a2a.TaskStatus {
		s := a2a.TaskStatus{State: genState.Draw(t, "state")}
		if rapid.Bool().Draw(t, "said") {
			s.Message = genMessage.Draw(t, "message")
		}
		if rapid.Bool().Draw(t, "timed") {
			zone := time.FixedZone("", rapid.IntRange(-12*3600, 14*3600).Draw(t, "zone"))
			s.Timestamp = time.UnixMicro(rapid.Int64Range(-6e16, 2.5e17).Draw(t, "time")).In(zone)
		}
		return s
	})
	genTask = rapid.Custom(func(t *rapid.T) *a2a.Task {
		return &a2a.Task{
			ID: a2a.TaskID(genText.Draw(t, "id")), ContextID: a2a.ContextID(genText.Draw(t, "contextId")),
			Status:    genStatus.Draw(t, "status"),
			Artifacts: rapid.SliceOfN(genArtifact, 0, 3).Draw(t, "artifacts"),
			History:   rapid.SliceOfN(genMessage, 0, 3).Draw(t, "history"), Metadata: genMetadata.Draw(t, "metadata"),
		}
	})
	genEvent = rapid.Custom(func(t *rapid.T) a2a.Event {
		task, context := a2a.TaskID(genText.Draw(t, "taskId")), a2a.ContextID(genText.Draw(t, "contextId"))
		switch rapid.IntRange(0, 3).Draw(t, "event") {
		case 0:
			return genMessage.Draw(t, "message")
		case 1:
			return &a2a.StatusUpdate{TaskID: task, ContextID: context, Status: genStatus.Draw(t, "status"),
				Metadata: genMetadata.Draw(t, "metadata")}
		case 2:
			return &a2a.ArtifactUpdate{
				TaskID: task, ContextID: context, Artifact: genArtifact.Draw(t, "artifact"),
				Append:    rapid.Bool().Draw(t, "append"),
				LastChunk: rapid.Bool().Draw(t, "lastChunk"), Metadata: genMetadata.Draw(t, "metadata"),
			}
		}
		return genTask.Draw(t, "task")
	})
	genPush = rapid.Custom(func(t *rapid.T) *a2a.PushConfig {
		c := &a2a.PushConfig{ID: rapid.StringMatching(`[a-z]*`).Draw(t, "id"),
			URL: "https://example.com/" + genID.Draw(t, "path"), Token: rapid.StringMatching(`[ -~]*`).Draw(t, "token")}
		if rapid.Bool().Draw(t, "authenticated") {
			c.Authentication = &a2a.PushAuthentication{Scheme: genID.Draw(t, "scheme"),
				Credentials: rapid.StringMatching(`[ -~]*`).Draw(t, "credentials")}
		}
		return c
	})
	genHistory = rapid.Custom(func(t *rapid.T) *int { return new(rapid.IntRange(0, 1<<31-1).Draw(t, "historyLength")) })
	genSend    = rapid.Custom(func(t *rapid.T) *a2a.SendMessageRequest {
		c := &a2a.SendConfiguration{
			AcceptedOutputModes: genStrings.Draw(t, "modes"), HistoryLength: genHistory.Draw(t, "history"),
			ReturnImmediately: rapid.Bool().Draw(t, "immediately"),
		}
		if rapid.Bool().Draw(t, "push") {
			c.PushConfig = genPush.Draw(t, "config")
		}
		return &a2a.SendMessageRequest{Message: genMessage.Draw(t, "message"), Configuration: c,
			Metadata: genMetadata.Draw(t, "metadata")}
	})
	genList = rapid.Custom(func(t *rapid.T) *a2a.ListTasksRequest {
		r := &a2a.ListTasksRequest{
			ContextID: a2a.ContextID(genID.Draw(t, "context")), Status: genState.Draw(t, "status"),
			PageToken:     genText.Draw(t, "token"),
			HistoryLength: genHistory.Draw(t, "history"), IncludeArtifacts: rapid.Bool().Draw(t, "artifacts"),
		}
		if rapid.Bool().Draw(t, "sized") {
			r.PageSize = new(rapid.IntRange(1, 100).Draw(t, "size"))
		}
		if rapid.Bool().Draw(t, "timed") {
			r.StatusTimestampAfter = time.UnixMilli(rapid.Int64Range(-6e13, 2.5e14).Draw(t, "after")).UTC()
		}
		return r
	})
)

// An anyRequest is a request of an operation, with the name that its parameters have in the schemas.
type anyRequest struct {
	op      wire.Operation
	schema  string
	request any
}

var genRequest = rapid.Custom(func(t *rapid.T) anyRequest {
	task, config := a2a.TaskID(genID.Draw(t, "task")), genID.Draw(t, "config")
	switch rapid.IntRange(0, 10).Draw(t, "operation") {
	case 0:
		return anyRequest{wire.OpGetTask, "TaskQueryParams",
			&a2a.GetTaskRequest{ID: task, HistoryLength: genHistory.Draw(t, "history")}}
	case 1:
		return anyRequest{wire.OpCancelTask, "TaskIdParams",
			&a2a.CancelTaskRequest{ID: task, Metadata: genMetadata.Draw(t, "metadata")}}
	case 2:
		return anyRequest{wire.OpSubscribe, "TaskIdParams", &a2a.SubscribeRequest{ID: task}}
	case 3:
		return anyRequest{wire.OpListTasks, "ListTasksParams", genList.Draw(t, "list")}
	case 4:
		c := genPush.Draw(t, "push")
		c.TaskID = task
		return anyRequest{wire.OpCreatePushConfig, "TaskPushNotificationConfig", c}
	case 5:
		if rapid.Bool().Draw(t, "any") {
			config = ""
		}
		return anyRequest{wire.OpGetPushConfig, "GetTaskPushNotificationConfigParams",
			&a2a.GetPushConfigRequest{TaskID: task, ID: config}}
	case 6:
		return anyRequest{wire.OpListPushConfigs, "ListTaskPushNotificationConfigParams",
			&a2a.ListPushConfigsRequest{TaskID: task}}
	case 7:
		return anyRequest{wire.OpDeletePushConfig, "DeleteTaskPushNotificationConfigParams",
			&a2a.DeletePushConfigRequest{TaskID: task, ID: config}}
	case 8:
		return anyRequest{wire.OpExtendedCard, "", &a2a.ExtendedCardRequest{}}
	case 9:
		return anyRequest{wire.OpStreamMessage, "MessageSendParams", genSend.Draw(t, "stream")}
	}
	return anyRequest{wire.OpSendMessage, "MessageSendParams", genSend.Draw(t, "send")}
})
