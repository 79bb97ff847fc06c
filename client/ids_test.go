// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// A client makes up neither contexts nor tasks, and hands on those it was given as they are (A2A 1.0 §3.4).
func TestIDsAreTheServers(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.result(message("hi")) })
		c := p.dial(t, nothing, client.Options{})
		fresh, next := send("hi"), send("hi")
		next.Message.ContextID, next.Message.TaskID = "c/ä %41", "T-1"
		next.Message.ReferenceTaskIDs = []a2a.TaskID{"r:1", "r:2"}
		for _, req := range []*a2a.SendMessageRequest{fresh, next} {
			if _, err := c.SendMessage(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		if body := string(p.requests()[0].body); strings.Contains(body, "contextId") ||
			strings.Contains(body, "askId") {
			t.Errorf("made up ids: %s", body)
		}
		for _, want := range []string{`"contextId":"c/ä %41"`, `"taskId":"T-1"`, `"referenceTaskIds":["r:1","r:2"]`} {
			if body := string(p.requests()[1].body); !strings.Contains(body, want) {
				t.Errorf("%s is not in %s", want, body)
			}
		}
	})
}
