// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// eventsService streams the same events to everybody.
type eventsService struct {
	*fake
	events []a2a.Event
}

func (s *eventsService) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, ev := range s.events {
			if !yield(a2a.NewStreamEvent("", ev), nil) {
				return
			}
		}
	}, nil
}

// A client of 0.1 waits for final. A stream that begins with a task that waits for its caller goes on, if the caller
// has just answered; if nothing follows the task waits, and the client must not.
func TestPauseIsFinalWhenNothingFollows(t *testing.T) {
	t.Parallel()
	paused := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired}}
	ended := &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
	for name, test := range map[string]struct {
		events []a2a.Event
		want   []string
	}{
		"it goes on": {[]a2a.Event{paused, ended},
			[]string{`"input-required"},"final":false`, `"completed"},"final":true`}},
		"it is over": {[]a2a.Event{paused},
			[]string{`"input-required"},"final":false`, `"input-required"},"final":true`}},
		"it was over": {[]a2a.Event{ended, paused}, []string{`"completed"},"final":true`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, err := server.New(&eventsService{fake: &fake{}, events: test.events}, &server.Options{Card: aCard()})
			if err != nil {
				t.Fatal(err)
			}
			ts := httptest.NewServer(srv)
			defer ts.Close()
			body := `{"jsonrpc":"2.0","id":1,"method":"tasks/sendSubscribe","params":{"id":"t",` +
				`"message":{"role":"user","parts":[{"text":"hi"}]}}}`
			resp, err := ts.Client().Post(ts.URL, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%d, %v: %s", resp.StatusCode, err, text)
			}
			events := strings.Split(strings.TrimSpace(string(text)), "\n\n")
			for i, want := range test.want {
				if len(events) != len(test.want) || !strings.Contains(events[i], want) {
					t.Fatalf("%d events, want %q:\n%s", len(events), test.want, text)
				}
			}
		})
	}
}
