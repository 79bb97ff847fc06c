// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// dialOld returns a client for an agent of 0.3 that streams the results given, or answers with them one after another
// and with the last one ever after.
func dialOld(t *testing.T, streaming bool, results ...string) *client.Client {
	t.Helper()
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
		}
		if err := json.UnmarshalRead(r.Body, &call); err != nil {
			t.Error(err)
		}
		if call.Method != "message/stream" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, results[min(calls, len(results)-1)])
			calls++
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, result := range results {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", call.ID, result)
		}
	}))
	t.Cleanup(srv.Close)
	return dial(t, fmt.Sprintf(`{"protocolVersion":"0.3.0","name":"Clock","description":"Tells the time.",
		"version":"1","url":%q,
		"preferredTransport":"JSONRPC","capabilities":{"streaming":%t},"defaultInputModes":["text/plain"],
		"defaultOutputModes":["text/plain"],
		"skills":[{"id":"now","name":"Now","description":"The time.","tags":["time"]}]}`, srv.URL, streaming),
		client.Options{Generations: []a2a.Generation{a2a.Generation03}})
}

// An agent before 1.0 that does not know the state of a task has nothing more to say about it: the state is an end to
// those who wait, with streams and without.
func TestUnknownStateEndsBefore10(t *testing.T) {
	t.Parallel()
	const (
		working = `{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}`
		unknown = `{"kind":"task","id":"t","contextId":"c","status":{"state":"unknown"}}`
		update  = `{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"unknown"},"final":true}`
	)
	for _, c := range []struct {
		name      string
		streaming bool
		results   []string
		want      string
	}{
		{"stream", true, []string{working, update}, "task:working "},
		{"polling", false, []string{working, unknown}, "task:working(polled) task:(polled)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := updates(dialOld(t, c.streaming, c.results...).Stream(t.Context(), send("hi")))
			if got != c.want || err != nil {
				t.Errorf("the run was %q and ended with %v; want %q", got, err, c.want)
			}
		})
	}
}

// An agent of 0.3 refuses a stream by an error that is its only event, or in JSON as those before it; either way the
// stream does not open. Agents in Go send their answers as text/plain.
func TestRefusalsAndAnswersOfOldAgents(t *testing.T) {
	t.Parallel()
	const refusal = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32004,"message":"not for you"}}`
	for name, write := range map[string]func(w http.ResponseWriter, id jsontext.Value){
		"event": func(w http.ResponseWriter, id jsontext.Value) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: "+refusal+"\n\n", id)
		},
		"JSON": func(w http.ResponseWriter, id jsontext.Value) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, refusal, id)
		},
		"text": func(w http.ResponseWriter, id jsontext.Value) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprintf(w, refusal, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var call struct {
					ID     jsontext.Value `json:"id"`
					Method string         `json:"method"`
				}
				if err := json.UnmarshalRead(r.Body, &call); err != nil {
					t.Error(err)
				}
				if call.Method == "message/stream" {
					write(w, call.ID)
					return
				}
				w.Header().Set("Content-Type", "text/plain; charset=utf-8")
				fmt.Fprintf(w,
					`{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t","contextId":"c",`+
						`"status":{"state":"working"}}}`, call.ID)
			}))
			t.Cleanup(srv.Close)
			c := dial(t, fmt.Sprintf(`{"protocolVersion":"0.3.0","name":"Clock","description":"Tells the time.",
				"version":"1","url":%q,
				"preferredTransport":"JSONRPC","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],
				"defaultOutputModes":["text/plain"],
				"skills":[{"id":"now","name":"Now","description":"The time.",
				"tags":["time"]}]}`, srv.URL), client.Options{Generations: []a2a.Generation{a2a.Generation03}})
			if _, err := c.StreamMessage(t.Context(), send("hi")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
				t.Errorf("a refused stream: %v", err)
			}
			if task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t"}); err != nil || task.ContextID != "c" {
				t.Errorf("an answer as text/plain: %v, %v", task, err)
			}
		})
	}
}
