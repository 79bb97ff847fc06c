// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// An update is one line, whatever the agent says.
func TestUpdatesAsText(t *testing.T) {
	t.Parallel()
	says := func(text string) *a2a.Message {
		return &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
	}
	working := a2a.TaskStatus{State: a2a.TaskStateWorking, Message: says("one\ntwo\x1b[31m")}
	completed := a2a.TaskStatus{State: a2a.TaskStateCompleted}
	artifact := &a2a.Artifact{Name: "n", Parts: says("hello").Parts}
	event := func(ev a2a.Event) a2a.StreamEvent { return a2a.StreamEvent{Event: ev} }
	for want, u := range map[string]client.Update{
		"task t, TASK_STATE_WORKING, 1 artifacts: one two [31m": {
			StreamEvent: event(&a2a.Task{ID: "t", Status: working, Artifacts: []*a2a.Artifact{{}}}),
		},
		"after a cut, task t, TASK_STATE_COMPLETED, 0 artifacts": {
			StreamEvent: event(&a2a.Task{ID: "t", Status: completed}), Resync: true,
		},
		"polled, task t, TASK_STATE_COMPLETED, 0 artifacts": {
			StreamEvent: event(&a2a.Task{ID: "t", Status: completed}), Polled: true,
		},
		"task t, TASK_STATE_WORKING: one two [31m": {
			StreamEvent: event(&a2a.StatusUpdate{TaskID: "t", Status: working}),
		},
		`task t, artifact "n", 1 parts: hello`: {
			StreamEvent: event(&a2a.ArtifactUpdate{TaskID: "t", Artifact: artifact}),
		},
		"message: " + strings.Repeat("x", 300) + "...": {StreamEvent: event(says(strings.Repeat("x", 301)))},
		"no event": {},
	} {
		if got := fmt.Sprintf("%+v", u); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
