// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

const (
	fullSendText = `{"message":{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_USER",` +
		`"content":[{"text":"x","metadata":{"https://dragoman-a2a.dev/wire/v03":{"mediaType":"text/markdown",` +
		`"filename":"f"}}},` +
		`{"file":{"fileWithUri":"https://e.com/a","mimeType":"image/png","name":"a.png"}},` +
		`{"file":{"fileWithBytes":"-_8"}},{"data":{"data":{"a":1}}},` +
		`{"data":{"data":{"value":[1e400]}},"metadata":{"data_part_compat":true}}],"metadata":{"k":"v",` +
		`"https://dragoman-a2a.dev/wire/v03":{"referenceTaskIds":["r"]}},"extensions":["https://e.com/x"]},` +
		`"configuration":{"acceptedOutputModes":["text/plain"],"pushNotification":{"id":"p",` +
		`"url":"https://e.com/hook","token":"t","authentication":{"schemes":["Bearer"],"credentials":"c"}},` +
		`"historyLength":3,"blocking":true},"metadata":{"a":null}}`
	fullTaskText = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED","message":{"messageId":"m",` +
		`"role":2,"content":[{"text":"x"}]},"timestamp":"2025-10-28T10:30:00.123Z"},` +
		`"artifacts":[{"artifactId":"a","name":"n","description":"d","parts":[{"data":{"data":{}}}],` +
		`"extensions":["x"]}],"history":[{"messageId":"h","role":"ROLE_USER","parts":[{"text":""}]}],"metadata":{}}`
)

// The decoder refuses a client's text with an a2a error, or returns a request. If the request is valid, it comes back
// unchanged.
func FuzzRequest(f *testing.F) {
	f.Add(byte(0), []byte(fullSendText))
	f.Add(byte(1),
		[]byte(
			`{"request":{"message_id":"m","role":1,"content":[{"file":{"file_with_uri":"u","mime_type":"a/b"}}]},`+
				`"configuration":{"history_length":"3","push_notification":{"url":"u"}}}`))
	f.Add(byte(0),
		[]byte(`{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}}`))
	f.Add(byte(0),
		[]byte(
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"",`+
				`"metadata":{"https://dragoman-a2a.dev/wire/v03":true}}]}}`))
	f.Add(byte(2),
		[]byte(
			`{"parent":"tasks/t","configId":"p","config":{"name":"tasks/t/pushNotificationConfigs/p",`+
				`"pushNotificationConfig":{"id":"p","url":"https://e.com"}}}`))
	f.Add(byte(2),
		[]byte(`{"name":"tasks/t/pushNotificationConfigs/","pushNotificationConfig":{"url":"https://e.com"}}`))
	f.Add(byte(3), []byte(`{"name":"tasks/t"}`))
	f.Add(byte(4), []byte(``))
	f.Fuzz(func(t *testing.T, number byte, data []byte) {
		op := []wire.Operation{wire.OpSendMessage, wire.OpStreamMessage, wire.OpCreatePushConfig, wire.OpCancelTask,
			wire.OpSubscribe}[number%5]
		form := received(op, data)
		request, err := through(data, func(b []byte) (any, error) { return form.DecodeRequest(op, b) })
		if err != nil {
			checkError(t, err)
			return
		}
		if form != Proto || request.(interface{ Validate() error }).Validate() != nil {
			return // checked in package v03, or by those who know the path too
		}
		if push, ok := request.(*a2a.PushConfig); ok &&
			(push.TaskID == "" || strings.Contains(string(push.TaskID)+push.ID, "/pushNotification")) {
			return // the path has the task; a name in a name is not told from one
		}
		again, err := form.AppendRequest(nil, op, request)
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		second, err := form.DecodeRequest(op, again)
		if err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, again)
		}
		if diff := cmp.Diff(request, second, asCarried); diff != "" {
			t.Fatalf("-decoded +again\n%s\n%s", diff, again)
		}
	})
}

// The decoder refuses an agent's text on a stream with an a2a error, or returns an event that comes back unchanged.
func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"task":` + fullTaskText + `}`))
	f.Add([]byte(`{"message":{"content":[{"text":"x"}]}}`))
	f.Add([]byte(`{"msg":{"message_id":"m","role":"ROLE_AGENT"}}`))
	f.Add([]byte(`{"status_update":{"task_id":"t","status":{"state":3,"update":{}},"final":true}}`))
	f.Add(
		[]byte(
			`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a",` +
				`"parts":[{"file":{"fileWithBytes":"AAEC"}}]},"append":true,"lastChunk":true}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []a2a.Event
		_, err := through(data, func(b []byte) (bool, error) {
			return (&decoder{begun: true}).Decode(b, func(ev a2a.Event, _ bool) { events = append(events, ev) })
		})
		if err != nil {
			checkError(t, err)
			return
		}
		if len(events) != 1 || !jsontext.Value(data).IsValid() {
			t.Fatalf("%d events of %q", len(events), data)
		}
		payload, _ := encodeOne(t, Proto, events[0])
		if diff := cmp.Diff(events[0], decodeSecond(t, payload), asCarried); diff != "" {
			t.Fatalf("-decoded +again\n%s\n%s", diff, payload)
		}
	})
}

// The other results share a target: what fits one often fits another.
func FuzzResult(f *testing.F) {
	f.Add([]byte(fullTaskText))
	f.Add([]byte(`{"task":` + fullTaskText + `}`))
	f.Add([]byte(`[` + fullTaskText + `]`))
	f.Add([]byte(`{"tasks":[` + fullTaskText + `],"totalSize":"1","nextPageToken":"n"}`))
	f.Add(
		[]byte(
			`{"configs":[{"name":"tasks/t/pushNotificationConfigs/p",` +
				`"pushNotificationConfig":{"url":"https://e.com"}}]}`))
	f.Add(
		[]byte(
			`[{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":{"url":"https://e.com",` +
				`"authentication":{"schemes":["a"]}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, op := range []wire.Operation{wire.OpSendMessage, wire.OpGetTask, wire.OpListTasks, wire.OpGetPushConfig,
			wire.OpListPushConfigs} {
			result, err := through(data, func(b []byte) (any, error) { return Proto.DecodeResult(op, nil, b) })
			if err != nil {
				checkError(t, err)
				continue
			}
			answered(t, op, result)
		}
	})
}

// through calls do with a copy of data and overwrites it, so that what is kept of it is found out.
func through[T any](data []byte, do func([]byte) (T, error)) (T, error) {
	input := bytes.Clone(data)
	defer func() {
		for i := range input {
			input[i] = 0xff
		}
	}()
	return do(input)
}

func checkError(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok || e.Kind != a2a.ErrParse && e.Kind != a2a.ErrInvalidParams ||
		len(e.Violations) < 2 && len(e.PublicMessage()) > 2000 {
		t.Fatalf("error %v", err)
	}
}
