// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

func data(text string) a2a.Part { return a2a.Part{Content: a2a.Data(text)} }

// The answer is what stands at the end, however it came.
func TestExpectationFollowsAStream(t *testing.T) {
	t.Parallel()
	done := &a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
	update := func(id a2a.ArtifactID, appended bool, parts ...a2a.Part) a2a.Event {
		return &a2a.ArtifactUpdate{Artifact: &a2a.Artifact{ID: id, Parts: parts}, Append: appended}
	}
	for name, row := range map[string]struct {
		events []a2a.Event
		want   string
	}{
		"chunks": {[]a2a.Event{update("a", false, a2a.TextPart("[1,")), update("a", true, a2a.TextPart("2]")),
			done}, "[1,2]"},
		"replaced":   {[]a2a.Event{update("a", false, data("1")), update("a", false, data("2")), done}, "2"},
		"several":    {[]a2a.Event{update("a", false, data("1")), update("b", false, data("2")), done}, "1 2"},
		"data first": {[]a2a.Event{update("a", false, a2a.TextPart("7"), data("1")), done}, "1"},
		"the task": {[]a2a.Event{update("a", false, data("1")),
			&a2a.Task{Status: done.Status, Artifacts: []*a2a.Artifact{{ID: "b", Parts: []a2a.Part{data("3")}}}}}, "3"},
		"a message": {[]a2a.Event{&a2a.Message{Parts: []a2a.Part{data("4")}}}, "4"},
		"the status": {[]a2a.Event{&a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted,
			Message: &a2a.Message{Parts: []a2a.Part{data("5")}}}}}, "5"},
		"progress": {[]a2a.Event{&a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateWorking,
			Message: &a2a.Message{Parts: []a2a.Part{data("5")}}}}, done}, ""},
		"plain words": {[]a2a.Event{update("a", false, a2a.TextPart("hello")), done}, ""},
	} {
		e := &Expectation{}
		for _, event := range row.events {
			e.note(event)
		}
		var got []string
		for _, v := range e.values() {
			got = append(got, string(v))
		}
		if strings.Join(got, " ") != row.want || e.state != a2a.TaskStateCompleted {
			t.Errorf("%s: %q, state %v; want %q", name, got, e.state, row.want)
		}
	}
}

// Without a part of text the message itself carries the hint.
func TestExpectationAsks(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]a2a.Part{"text": {data("1"), a2a.TextPart("x"), a2a.TextPart("y")},
		"no text": {data("1")}} {
		m := a2a.NewMessage(a2a.RoleUser, parts...)
		if err := (&Expectation{text: []byte("{}"), schema: s}).Ask(m); err != nil {
			t.Fatal(err)
		}
		at := m.Metadata
		if name == "text" {
			at = m.Parts[1].Metadata
		}
		if string(at["schema"]) != "{}" || string(at["mimeType"]) != `"application/json"` ||
			m.Parts[0].Metadata != nil {
			t.Errorf("%s: %v, %v", name, m.Parts, m.Metadata)
		}
	}
}
