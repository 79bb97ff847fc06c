// SPDX-License-Identifier: Apache-2.0

package fold_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

func TestShowHistory(t *testing.T) {
	t.Parallel()
	history := []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart("?")),
		a2a.NewMessage(a2a.RoleAgent, a2a.TextPart("12:00"))}
	made := []*a2a.Artifact{{ID: "a1", Parts: []a2a.Part{a2a.TextPart("a clock")}}}
	for name, test := range map[string]struct {
		task     a2a.Task
		n        int
		says     bool
		messages int
	}{
		"the answer is in the history": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			History: history}, 0, true, 0},
		"and that is shown": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			History: history}, 1, false, 1},
		"the answer is an artifact": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			History: history, Artifacts: made}, 0, false, 0},
		"there is no answer yet": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking},
			History: history}, 0, false, 0},
		"a canceled task": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCanceled},
			History: history}, 0, false, 0},
		"the user said the last word": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			History: history[:1]}, 0, false, 0},
		"a question without its status": {a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired},
			History: history}, 0, true, 0},
	} {
		got := fold.ShowHistory(&test.task, test.n)
		if says := got.Status.Message != nil; says != test.says || len(got.History) != test.messages {
			t.Errorf("%s: says %t, %d messages", name, says, len(got.History))
		}
	}
}

// Final returns the very task where the stream told no more, and adds what the stream alone told.
func TestFinalAdds(t *testing.T) {
	t.Parallel()
	said := &a2a.Message{ID: "m2", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("12:00")}}
	asked := &a2a.Message{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("?")}}
	done := a2a.TaskStatus{State: a2a.TaskStateCompleted}
	for name, test := range map[string]struct {
		got  a2a.Task
		adds bool
	}{
		"as told":                     {a2a.Task{ID: "t1", Status: done, History: []*a2a.Message{asked, said}}, false},
		"no history":                  {a2a.Task{ID: "t1", Status: done}, true},
		"the question is the history": {a2a.Task{ID: "t1", Status: done, History: []*a2a.Message{asked}}, true},
	} {
		var o fold.Outcome
		o.Add(&a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}})
		o.Add(said)
		o.Add(&a2a.StatusUpdate{TaskID: "t1", Status: done})
		final, err := o.Final(&test.got, nil)
		if err != nil || final.Text() != "12:00" || (final != &test.got) != test.adds {
			t.Errorf("%s: %q, %v, the task itself: %t", name, final.Text(), err, final == &test.got)
		}
	}
}

// A message that comes once more, under the same id, is in the task once, and counts once against the bound.
func TestARepeatedMessageIsKeptOnce(t *testing.T) {
	t.Parallel()
	o := fold.Outcome{MaxBytes: 2000}
	for range 10 {
		o.Add(&a2a.StatusUpdate{TaskID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking,
			Message: &a2a.Message{ID: "m1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("reading")}}}})
	}
	o.Add(&a2a.ArtifactUpdate{TaskID: "t1",
		Artifact: &a2a.Artifact{ID: "a1", Parts: []a2a.Part{a2a.TextPart("a clock")}}})
	task := o.Task()
	if len(task.History) != 0 || task.Status.Message.Text() != "reading" || o.Artifact("a1").Text() != "a clock" {
		t.Errorf("%d messages in the history, status %q, %d artifacts", len(task.History), task.Status.Message.Text(),
			len(task.Artifacts))
	}
}
