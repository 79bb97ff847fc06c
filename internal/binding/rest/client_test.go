// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"errors"
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

func TestClientPath(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"/tasks/t1":                                path("", "tasks", "t1"),
		"/acme/tasks/t1":                           path("acme", "tasks", "t1"),
		"/a%2Fb/tasks/x%3Fy%25":                    path("a/b", "tasks", "x?y%"),
		"/%2E%2E/tasks/%2E":                        path("..", "tasks", "."),
		"/tasks/t1/pushNotificationConfigs":        pushPath("", "t1"),
		"/acme/tasks/t1/pushNotificationConfigs/p": pushPath("acme", "t1", "p"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestClientURL(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ base, path, want string }{
		{"https://a.example", "/tasks", "https://a.example/tasks"},
		{"https://a.example/x/", "/tasks?pageSize=1", "https://a.example/x/tasks?pageSize=1"},
		{"https://a.example/x?key=1#top", "/tasks", "https://a.example/x/tasks?key=1"},
		{"https://a.example/x/?key=1", "/tasks?pageSize=1", "https://a.example/x/tasks?pageSize=1&key=1"},
	} {
		if got := NewClient(tc.base, nil, 0).url(tc.path); got != tc.want {
			t.Errorf("%s %s: %s, want %s", tc.base, tc.path, got, tc.want)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`))
	f.Add([]byte(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}`))
	f.Add([]byte(`{"error":{"code":500,"status":"INTERNAL","message":"m","details":[]}}`))
	f.Add([]byte(`{"error":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		event, err := decodeEvent(sse.Event{ID: "1", Data: raw})
		if (event.Event == nil) != (err != nil) {
			t.Errorf("event %v, error %v", event, err)
		}
		if _, ok := errors.AsType[*a2a.Error](err); err != nil && !ok {
			t.Errorf("error %v is not one of the model", err)
		}
	})
}

func FuzzFailure(f *testing.F) {
	f.Add(404,
		[]byte(
			`{"error":{"code":404,"status":"NOT_FOUND","message":"m",`+
				`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND",`+
				`"domain":"a2a-protocol.org"}]}}`))
	f.Add(500, []byte(`<html>`))
	f.Add(200, []byte(`{}`))
	f.Fuzz(func(t *testing.T, status int, raw []byte) {
		err := failure(&httpcall.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: raw})
		if _, ok := errors.AsType[*a2a.Error](err); !ok {
			t.Errorf("error %v is not one of the model", err)
		}
	})
}
