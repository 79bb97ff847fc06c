// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// The decoder refuses a client's text with an a2a error, or returns a valid request that comes back unchanged.
func FuzzRequest(f *testing.F) {
	for _, e := range examples(f) {
		if e.sort == "request" {
			f.Add(byte(e.op), []byte(e.text))
			f.Add(byte(e.op), bytes.ReplaceAll(e.text, []byte(`"kind"`), []byte(`"type"`)))
		}
	}
	for op, text := range map[wire.Operation]string{
		wire.OpSendMessage: `{"messageId":"m","message":{"role":"user","parts":[{"data":[1e400]},` +
			`{"file":{"data":"-_8"}},{"file":{"uri":"u","name":"n"}},{"kind":"data","data":{"value":1},` +
			`"metadata":{"https://dragoman-a2a.dev/wire/v03":{"wrapped":true,"mediaType":"a/b"}}}]},` +
			`"configuration":{"blocking":false,"historyLength":1e1,"pushNotification":{"url":"http://x",` +
			`"authentication":{"schemes":["Bearer"]}}}}`,
		wire.OpGetTask: `{"id":"t","historyLength":3,"metadata":{}}`,
		wire.OpListTasks: `{"contextId":"c","status":"auth_required","pageSize":7,"pageToken":"n",` +
			`"historyLength":2,"lastUpdatedAfter":1761647400123,"includeArtifacts":true}`,
		wire.OpCancelTask:       `{"id":"t","metadata":{"a":"\ud83d\ude00"}}`,
		wire.OpCreatePushConfig: `{"taskId":"t","config":{"id":"p","url":"https://e.com/hook","token":"t"}}`,
		wire.OpDeletePushConfig: `{"id":"t","pushNotificationConfigId":"p"}`,
	} {
		f.Add(byte(op), []byte(text))
	}
	f.Fuzz(func(t *testing.T, number byte, data []byte) {
		op := wire.Operation(number%byte(wire.OpExtendedCard)) + 1
		request, err := through(data, func(b []byte) (any, error) { return Dialect.DecodeRequest(op, b) })
		if err == nil {
			err = Dialect.Validate(request)
		}
		if err != nil {
			checkError(t, err)
			return
		}
		again, err := Dialect.AppendRequest(nil, op, request)
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		second, err := Dialect.DecodeRequest(op, again)
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
	for _, e := range examples(f) {
		if e.sort != "request" {
			f.Add([]byte(e.text))
			f.Add(bytes.ReplaceAll(e.text, []byte(`"kind"`), []byte(`"was"`)))
		}
	}
	f.Add([]byte(fullTaskText))
	f.Add(
		[]byte(`{"id":"t","status":{"state":"input_required","timestamp":"2025-04-02T16:59:25.331844"},"final":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []a2a.Event
		_, err := through(data, func(b []byte) (bool, error) {
			return (&decoder{begun: true}).Decode(b, func(ev a2a.Event, _ bool) { events = append(events, ev) })
		})
		if err != nil {
			checkError(t, err)
			return
		}
		if !jsontext.Value(data).IsValid() {
			t.Fatalf("took what is not strict JSON: %q", data)
		}
		payload, _ := encodeOne(t, events[0])
		if diff := cmp.Diff(events[0], decodeSecond(t, payload), asCarried); diff != "" {
			t.Fatalf("-decoded +again\n%s\n%s", diff, payload)
		}
		fitsSchemas(t, payload, definitionOf(events[0]))
	})
}

// The other results share a target: what fits one often fits another.
func FuzzResult(f *testing.F) {
	f.Add([]byte(fullTaskText))
	f.Add([]byte(`{"tasks":[` + fullTaskText + `],"totalSize":1,"pageSize":1e0,"nextPageToken":""}`))
	f.Add([]byte(`[{"taskId":"t","config":{"url":"https://e.com","authentication":{"schemes":["a"]}}}]`))
	f.Add([]byte(`{"taskId":"t","pushNotificationConfig":{"id":"p","url":"https://e.com"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, op := range []wire.Operation{wire.OpSendMessage, wire.OpGetTask, wire.OpListTasks, wire.OpGetPushConfig,
			wire.OpListPushConfigs} {
			result, err := through(data, func(b []byte) (any, error) { return Dialect.DecodeResult(op, nil, b) })
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
