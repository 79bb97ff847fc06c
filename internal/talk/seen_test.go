// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// expenseForm is a form of one field.
const expenseForm = `{"type":"form","form":{"type":"object","properties":{"date":{"type":"string","format":"date"}}}}`

// A form is asked for as long as the status that brought it; one of an artifact stays.
func TestSeenForgetsTheFormOfAnEarlierStatus(t *testing.T) {
	t.Parallel()
	asked := JSONPart(jsontext.Value(expenseForm))
	status := func(parts ...a2a.Part) a2a.Event {
		return &a2a.StatusUpdate{TaskID: "t",
			Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired, Message: &a2a.Message{Parts: parts}}}
	}
	var s Seen
	for _, test := range []struct {
		event a2a.Event
		asks  bool
	}{
		{&a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired,
			Message: &a2a.Message{Parts: []a2a.Part{asked}}}}, true},
		{status(a2a.TextPart("Which one is this for?")), false},
		{status(a2a.TextPart("Please fill this"), asked), true},
		{status(a2a.TextPart("Which one is this for?")), false},
		{&a2a.ArtifactUpdate{TaskID: "t", Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{asked}}}, true},
		{status(a2a.TextPart("Please fill this")), true},
	} {
		if s.Note(test.event); s.AsksForm() != test.asks {
			t.Errorf("after %+v a form is asked for: %v", test.event, s.AsksForm())
		}
	}
}
