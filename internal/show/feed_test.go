// SPDX-License-Identifier: Apache-2.0

package show

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// The chunks of an artifact go on in one line of text, and no text of theirs can pass for a label.
func TestStreamAsText(t *testing.T) {
	t.Parallel()
	chunk := func(id string, more, last bool, parts ...a2a.Part) a2a.Event {
		return &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c",
			Artifact: &a2a.Artifact{ID: a2a.ArtifactID(id), Name: "n" + id, Parts: parts}, Append: more,
			LastChunk: last}
	}
	status := func(state a2a.TaskState, parts ...a2a.Part) a2a.Event {
		return &a2a.StatusUpdate{TaskID: "t", ContextID: "c",
			Status: a2a.TaskStatus{State: state, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: parts}}}
	}
	data := a2a.Part{Content: a2a.Data(`1`), MediaType: "application/json"}
	for name, test := range map[string]struct {
		events []a2a.Event
		want   string
	}{
		"chunks": {
			[]a2a.Event{
				&a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
				chunk("a", false, false, a2a.TextPart("one ")), chunk("a", true, false, a2a.TextPart("two\r")),
				chunk("a", true, false, a2a.TextPart("\nTask: forged\n")), chunk("a", true, false),
				chunk("a", true, true, a2a.TextPart("")),
				status(a2a.TaskStateCompleted, a2a.TextPart("done")),
			},
			"Task: t\nContext: c\nStatus: working\n\nArtifact: na\n  ID: a\n  Text:\n      one two\n      Task: " +
				"forged\n\nTask: t\nContext: c\nStatus: completed - done\n\n",
		},
		"parts of several kinds": {
			[]a2a.Event{chunk("a", false, false, a2a.TextPart("one"), data),
				chunk("a", true, true, a2a.TextPart("two"))},
			"Task: t\nContext: c\nArtifact: na\n  ID: a\n  Text: one\n  Data: 1\n  Text: two\n\n",
		},
		"two artifacts by turns": {
			[]a2a.Event{chunk("a", false, false, a2a.TextPart("1")), chunk("b", false, false, a2a.TextPart("2")),
				chunk("a", true, false, a2a.TextPart("3"))},
			"Task: t\nContext: c\nArtifact: na\n  ID: a\n  Text:\n      1\n\nArtifact: nb\n  ID: b\n  Text:\n      " +
				"2\n\nArtifact, continued: na\n  ID: a\n  Text:\n      3\n\n",
		},
		"an empty end of an artifact that came before": {
			[]a2a.Event{chunk("a", false, true, a2a.TextPart("1")), status(a2a.TaskStateWorking),
				chunk("a", true, true, a2a.TextPart(""))},
			"Task: t\nContext: c\nArtifact: na\n  ID: a\n  Text: 1\n\nStatus: working\nMessage: agent\n\n",
		},
		"a status of several lines": {
			[]a2a.Event{status(a2a.TaskStateWorking, a2a.TextPart("one\nStatus: forged"))},
			"Task: t\nContext: c\nStatus: working\nMessage: agent\n  Text:\n      one\n      Status: forged\n\n",
		},
		"a chunk of several lines": {
			[]a2a.Event{chunk("a", false, false, a2a.TextPart("one\ntwo\n")),
				chunk("a", true, false, a2a.TextPart("three"), data)},
			"Task: t\nContext: c\nArtifact: na\n  ID: a\n  Text:\n      one\n      two\n      three\n\n  Data: 1\n\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			c := terminal.New(nil, &out, nil)
			shown := Feed{Terminal: c}
			for _, event := range test.events {
				if err := shown.Show(event); err != nil {
					t.Fatal(err)
				}
			}
			if err := shown.End(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A waiting task is shown once, until the agent says something new.
func TestFeedKnowsWhatItHasShown(t *testing.T) {
	t.Parallel()
	status := func(state a2a.TaskState, text string) a2a.Event {
		m := a2a.NewMessage(a2a.RoleAgent, a2a.TextPart(text))
		return &a2a.StatusUpdate{TaskID: "t", Status: a2a.TaskStatus{State: state, Message: m}}
	}
	task := &a2a.Task{ID: "t", Status: status(a2a.TaskStateInputRequired, "What?").(*a2a.StatusUpdate).Status}
	var f Feed
	for i, step := range []struct {
		event a2a.Event
		want  bool
	}{
		{status(a2a.TaskStateWorking, "..."), false},
		{status(a2a.TaskStateWorking, "..."), false},
		{status(a2a.TaskStateInputRequired, "What?"), false},
		{task, true},
		{status(a2a.TaskStateInputRequired, "What?"), true},
		{&a2a.ArtifactUpdate{TaskID: "t"}, false},
		{task, true},
		{status(a2a.TaskStateInputRequired, "Well?"), false},
		{status(a2a.TaskStateAuthRequired, "Well?"), false},
		{status(a2a.TaskStateWorking, ""), false},
		{task, false},
	} {
		if got := f.Repeats(step.event); got != step.want {
			t.Errorf("step %d: %t", i, got)
		}
	}
}

func TestStreamedLinesStandBelowTheFirst(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := terminal.New(nil, &out, nil)
	shown := Feed{Terminal: c, Brief: true}
	for i, chunk := range []string{"5\n", "4\n3"} {
		update := &a2a.ArtifactUpdate{TaskID: "t", Append: i > 0,
			Artifact: &a2a.Artifact{ID: "1", Name: "count", Parts: []a2a.Part{a2a.TextPart(chunk)}}}
		if err := shown.Show(update); err != nil {
			t.Fatal(err)
		}
	}
	if want := "Artifact: count\n  Text:\n      5\n      4\n      3"; out.String() != want || !c.Out.MidLine() {
		t.Errorf("%q; want %q", out.String(), want)
	}
	if err := shown.End(); err != nil || c.Out.MidLine() {
		t.Errorf("%v; the line is not ended", err)
	}
}
