// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// said writes a status of the agent with a message, as an event of a stream.
func said(state, text string) string {
	return `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_` + state +
		`","message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"` + text + `"}]}}}}`
}

// amid writes a message amid the events of a task, which the standard does not have.
func amid(id, text string) string {
	return `{"message":{"messageId":"` + id +
		`","taskId":"t1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":"` + text + `"}]}}`
}

// The content of a stream is the answer, whatever the agent says of the task later.
func TestAskKeepsWhatTheStreamSaid(t *testing.T) {
	t.Parallel()
	begun := taskEvent("WORKING")
	for name, test := range map[string]struct {
		events []string
		get    string // result of GetTask; "" for an agent that has no such method
		want   string
	}{
		"task again without artifacts": {[]string{begun, chunk("12:00"), taskEvent("COMPLETED")}, "", "12:00"},
		"task again amid messages": {[]string{begun, amid("m3", "12"), taskEvent("WORKING"), amid("m3", ":00"),
			taskEvent("COMPLETED")}, "", "12:00"},
		"task again with the artifact": {[]string{begun, chunk("12"), taskEvent("COMPLETED", artifact("12:00"))}, "",
			"12:00"},
		"no GetTask": {[]string{begun, chunk("12"), chunk(":00"), status("COMPLETED")}, "", "12:00"},
		"GetTask without artifacts": {[]string{begun, chunk("12:00"), status("COMPLETED")}, task("COMPLETED"),
			"12:00"},
		"GetTask with other words": {[]string{begun, chunk("12:00"), status("COMPLETED")},
			`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"m9",` +
				`"role":"ROLE_AGENT","parts":[{"text":"Task completed successfully"}]}}}`, "12:00"},
		"GetTask with an artifact": {[]string{begun, chunk("12"), status("COMPLETED")},
			task("COMPLETED", artifact("12:00")), "12:00"},
		"GetTask that lags behind": {[]string{begun, chunk("12:00"), status("COMPLETED")}, task("WORKING"),
			"12:00"},
		"words while it worked": {[]string{begun, said("WORKING", "12:00"), status("COMPLETED")},
			task("COMPLETED"), "12:00"},
		"words at the end": {[]string{begun, said("COMPLETED", "12:00")}, "", "12:00"},
		"messages amid the task": {[]string{begun, amid("m3", "12"), amid("m3", ":00"), status("COMPLETED")}, "",
			"12:00"},
		"another message before it": {[]string{begun, amid("m2", "Well"), amid("m3", "12:00"), status("COMPLETED")},
			task("COMPLETED"), "12:00"},
		"no task to begin with": {[]string{chunk("12:00"), status("COMPLETED")}, "", "12:00"},
		"words in the history": {[]string{begun, status("COMPLETED")},
			task("COMPLETED",
				`,"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"?"}]},{"messageId":"m2",`+
					`"role":"ROLE_AGENT","parts":[{"text":"12:00"}]}]`), "12:00"},
		"the question is not the word": {[]string{begun, status("COMPLETED")},
			task("COMPLETED", `,"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"?"}]}]`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, a2a.BindingJSONRPC, func(x *exchange) {
				switch {
				case x.op == "SendStreamingMessage":
					for _, e := range test.events {
						x.event("", e)
					}
				case test.get == "":
					x.fail(-32601, 404, "", "Method not found")
				default:
					x.result(test.get)
				}
			})
			got, err := p.dial(t, streams, client.Options{}).Ask(t.Context(), "what time is it?")
			if got != test.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// Where the stream did not tell how the task ended, GetTask has to.
func TestOutcomeNeedsGetTask(t *testing.T) {
	t.Parallel()
	refused := a2a.NewError(a2a.ErrMethodNotFound, "Method not found")
	update := func(e a2a.Event) client.Update { return client.Update{StreamEvent: a2a.NewStreamEvent("", e)} }
	var none, begun, large client.Outcome
	begun.Add(update(&a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}))
	large.Add(update(&a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}))
	megabyte := a2a.TextPart(strings.Repeat("a", 1<<20))
	for range 40 {
		large.Add(update(&a2a.ArtifactUpdate{TaskID: "t1", Append: true,
			Artifact: &a2a.Artifact{ID: "a1", Parts: []a2a.Part{megabyte}}}))
	}
	large.Add(update(&a2a.StatusUpdate{TaskID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}))
	var tasks client.Outcome
	for i := range 40 {
		made := []*a2a.Artifact{{ID: a2a.ArtifactID(strconv.Itoa(i)), Parts: []a2a.Part{megabyte}}}
		tasks.Add(update(&a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}, Artifacts: made}))
	}
	for name, o := range map[string]*client.Outcome{
		"nothing": &none, "begun": &begun, "too large to keep": &large, "too large by many tasks": &tasks,
	} {
		if task, err := o.Final(nil, refused); task != nil || err != error(refused) {
			t.Errorf("%s: got %v, %v", name, task, err)
		}
	}
	if task := large.Task(); len(task.Artifacts) > 0 || task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("kept %d artifacts, %v", len(task.Artifacts), task.Status.State)
	}
}

// A later task replaces what came before, but for what it leaves out.
func TestOutcomeOfPolledTask(t *testing.T) {
	t.Parallel()
	var o client.Outcome
	for _, e := range []a2a.Event{
		&a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
		&a2a.ArtifactUpdate{TaskID: "t1",
			Artifact: &a2a.Artifact{ID: "a1", Parts: []a2a.Part{a2a.TextPart("streamed")}}},
	} {
		o.Add(client.Update{StreamEvent: a2a.NewStreamEvent("", e)})
	}
	o.Add(client.Update{Polled: true, StreamEvent: a2a.NewStreamEvent("", &a2a.Task{
		ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
		Artifacts: []*a2a.Artifact{{ID: "a2", Parts: []a2a.Part{a2a.TextPart("polled")}}},
	})})
	if got := show(o.Task()); got != "task:completed:polled:streamed" {
		t.Error(got)
	}
}
