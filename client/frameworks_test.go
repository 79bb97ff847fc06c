// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// These are recorded streams in 1.0 from agents of real frameworks. They lack much of what the standard requires, but
// the client can still understand them.
func TestStreamsOfFrameworks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events []string
		want   string
	}{
		"langgraph-api 0.16.7": { // a wrapper for the first event only
			[]string{
				`{"task":{"kind":"task","id":"t1","contextId":"c1","history":[{"kind":"message","messageId":"m1",` +
					`"role":"ROLE_USER","parts":[{"text":"hi"}],"taskId":"t1","contextId":"c1"}],` +
					`"status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-11-22T19:45:51.316928+00:00"}}}`,
				`{"taskId":"t1","contextId":"c1","kind":"status-update","status":{"state":"TASK_STATE_WORKING",` +
					`"message":{"kind":"message","role":"ROLE_AGENT","parts":[{"kind":"text","text":"echo: hi"}],` +
					`"messageId":"m2","taskId":"t1","contextId":"c1"},` +
					`"timestamp":"2026-11-22T19:45:51.318347+00:00"},"final":false}`,
				`{"taskId":"t1","contextId":"c1","kind":"artifact-update","artifact":{"artifactId":"a1",` +
					`"name":"Assistant Response","description":"Response from assistant x","parts":[{"kind":"text",` +
					`"text":"echo: hi"}]},"append":false,"lastChunk":true}`,
				`{"taskId":"t1","contextId":"c1","kind":"status-update","status":{"state":"TASK_STATE_COMPLETED",` +
					`"timestamp":"2026-11-22T19:45:51.321754+00:00"},"final":true}`,
			},
			"task:submitted working +echo: hi completed",
		},
		"fasta2a 2.1.1": { // no zone in times
			[]string{
				`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_SUBMITTED",` +
					`"timestamp":"2026-11-22T19:45:52.561672"},"history":[{"role":"ROLE_USER",` +
					`"parts":[{"text":"hi"}],"messageId":"m1","taskId":"t1","contextId":"c1"}]}}`,
				`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`,
				`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1",` +
					`"parts":[{"text":"echo: hi"}]},"append":true,"lastChunk":false}}`,
				`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`,
			},
			"task:submitted working +echo: hi completed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothBindings(t, func(t *testing.T, binding string) {
				p := newPeer(t, binding, func(x *exchange) {
					for _, e := range test.events {
						x.event("", e)
					}
				})
				got, err := updates(p.dial(t, streams, client.Options{}).Stream(t.Context(), send("hi")))
				if got != test.want || err != nil {
					t.Errorf("the run was %q and ended with %v; want %q", got, err, test.want)
				}
			})
		})
	}
}

// An agent that refuses the version that its card names first is called in the next one that it names, from then on.
func TestTheNextVersionThatTheCardNames(t *testing.T) {
	t.Parallel()
	p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) {
		switch x.op {
		case "message/send", "tasks/get":
			x.result(`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}`)
		default:
			x.fail(-32009, 400, "VERSION_NOT_SUPPORTED", "1.0 is not spoken here")
		}
	})
	old := strings.Replace(iface(p.URL, a2a.BindingJSONRPC, ""), "1.0", "0.3", 1)
	c := dial(t, cardText(nothing, iface(p.URL, a2a.BindingJSONRPC, ""), old), client.Options{})
	if result, err := c.SendMessage(t.Context(), send("hi")); err != nil ||
		show(result.(a2a.Event)) != "task:completed" {
		t.Errorf("got %v, %v", result, err)
	}
	if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"}); err != nil {
		t.Error(err)
	}
	if got := p.ops(); got != "SendMessage message/send tasks/get" {
		t.Errorf("it was asked for %s", got)
	}
	_, err := dial(t, cardText(nothing, iface(p.URL, a2a.BindingJSONRPC, "")),
		client.Options{}).SendMessage(t.Context(), send("hi"))
	if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Kind != a2a.ErrVersionNotSupported {
		t.Errorf("with nothing else to speak: %v", err)
	}
}
