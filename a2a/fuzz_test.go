// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func FuzzMessage(f *testing.F)            { fuzzDecoder[Message](f, "Message") }
func FuzzPart(f *testing.F)               { fuzzDecoder[Part](f, "Part") }
func FuzzArtifact(f *testing.F)           { fuzzDecoder[Artifact](f, "Artifact") }
func FuzzTaskStatus(f *testing.F)         { fuzzDecoder[TaskStatus](f, "TaskStatus") }
func FuzzTask(f *testing.F)               { fuzzDecoder[Task](f, "Task") }
func FuzzStreamResponse(f *testing.F)     { fuzzDecoder[StreamResponse](f, "StreamResponse") }
func FuzzSendResponse(f *testing.F)       { fuzzDecoder[SendResponse](f, "SendMessageResponse") }
func FuzzSendMessageRequest(f *testing.F) { fuzzDecoder[SendMessageRequest](f, "SendMessageRequest") }
func FuzzGetTaskRequest(f *testing.F)     { fuzzDecoder[GetTaskRequest](f, "GetTaskRequest") }
func FuzzListTasksRequest(f *testing.F)   { fuzzDecoder[ListTasksRequest](f, "ListTasksRequest") }
func FuzzListTasksResponse(f *testing.F)  { fuzzDecoder[ListTasksResponse](f, "ListTasksResponse") }
func FuzzCancelTaskRequest(f *testing.F)  { fuzzDecoder[CancelTaskRequest](f, "CancelTaskRequest") }
func FuzzPushConfig(f *testing.F)         { fuzzDecoder[PushConfig](f, "TaskPushNotificationConfig") }
func FuzzListPushConfigsResponse(f *testing.F) {
	fuzzDecoder[ListPushConfigsResponse](f, "ListTaskPushNotificationConfigsResponse")
}
func FuzzAgentCard(f *testing.F) { fuzzDecoder[AgentCard](f, "AgentCard") }

// The decoders of the small requests share one target: what fits one often fits another.
func FuzzSmallRequests(f *testing.F) {
	f.Add([]byte(`{"tenant":"a","id":"b","task_id":"c","pageSize":"3","pageToken":"d"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkDecoder(t, data, new(SubscribeRequest))
		checkDecoder(t, data, new(GetPushConfigRequest))
		checkDecoder(t, data, new(ListPushConfigsRequest))
		checkDecoder(t, data, new(DeletePushConfigRequest))
		checkDecoder(t, data, new(ExtendedCardRequest))
		checkDecoder(t, data, new(Role))
		checkDecoder(t, data, new(TaskState))
	})
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2025-10-28T10:30:00Z", "2025-10-28T10:30:00.123456789+05:30",
		"0001-01-01T00:00:00-00:01", "2025-10-28T1:30:00Z", "0001-01-01T00:00:00.0001+00:00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParseTime(text); err != nil {
			return
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatalf("%q is a timestamp", text)
		}
		checkDecoder(t, []byte(`{"timestamp":`+string(quoted)+`}`), new(TaskStatus))
	})
}

// fuzzDecoder fuzzes the decoder of T, starting from the examples that fit the schema and from odd spellings of them.
func fuzzDecoder[T any](f *testing.F, schema string) {
	for _, e := range examples() {
		if e.schema != schema {
			continue
		}
		text, err := e.value.AppendJSON(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(bytes.ReplaceAll(text, []byte("Id\""), []byte("_id\"")))
		f.Add(bytes.ReplaceAll(text, []byte(":true"), []byte(":null")))
		f.Add(text[:len(text)/2])
	}
	f.Add([]byte(`{"a":{"b":[1e400,"\ud83d\ude00",null]},"role":1,"raw":"-_8","data":null}`))
	f.Fuzz(func(t *testing.T, data []byte) { checkDecoder(t, data, any(new(T)).(decoder)) })
}

type decoder interface {
	UnmarshalJSON([]byte) error
	MarshalJSON() ([]byte, error)
}

// checkDecoder decodes data and checks what holds for any input: errors are ours; what decodes is strict JSON, does not
// share the input's memory, can be written in one line unless a required object is missing, and reads back the same.
func checkDecoder(t *testing.T, data []byte, v decoder) {
	input := bytes.Clone(data)
	err := v.UnmarshalJSON(input)
	for i := range input {
		input[i] = 0xff
	}
	if err != nil {
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != ErrParse && e.Kind != ErrInvalidParams ||
			len(e.PublicMessage()) > 2000 {
			t.Fatalf("error %v", err)
		}
		return
	}
	if !jsontext.Value(data).IsValid() {
		t.Fatalf("took what is not strict JSON: %q", data)
	}
	first, err := v.MarshalJSON()
	if err != nil {
		if validator, ok := v.(validator); ok && validator.Validate() == nil ||
			!strings.Contains(err.Error(), "is missing") && !strings.Contains(err.Error(), "holds no") {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		return
	}
	if bytes.ContainsAny(first, "\r\n") || !jsontext.Value(first).IsValid() {
		t.Fatalf("wrote %q", first)
	}
	again := reflect.New(reflect.TypeOf(v).Elem()).Interface().(decoder)
	if err := again.UnmarshalJSON(first); err != nil {
		t.Fatalf("wrote what it cannot read: %v\n%s", err, first)
	}
	second, err := again.MarshalJSON()
	if err != nil || !bytes.Equal(first, second) {
		t.Fatalf("%v\nfirst  %s\nsecond %s", err, first, second)
	}
	if validator, ok := v.(validator); ok {
		if a, b := validator.Validate(), again.(interface{ Validate() error }).Validate(); (a == nil) != (b == nil) {
			t.Fatalf("valid before, not after: %v, %v", a, b)
		}
	}
	if diff := cmp.Diff(v, again, canonical, upToMilliseconds); diff != "" {
		t.Fatalf("-decoded +again\n%s", diff)
	}
}
