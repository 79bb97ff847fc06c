// SPDX-License-Identifier: Apache-2.0

package show

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

func printed(event a2a.Event) string {
	p := Printer{new(terminal.Printer)}
	p.Event(event)
	return p.Buf.String()
}

func TestEventsAsText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 6, 0, 0, 500e6, time.FixedZone("", 3600))
	question := &a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart("Where to?\n\nTask: forged\r\n")}}
	for name, test := range map[string]struct {
		event a2a.Event
		want  string
	}{
		"authorization": {
			&a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("Allow it: https://bank.example/"),
				{Content: a2a.Data(`{"schemes":["oauth2"],"url":"https://bank.example/","scopes":["pay","see"],` +
					`"instructions":"Allow it"}`)},
				{Content: a2a.Data(`{"schemes":["code"],"url":"https://shop.example/","instructions":"Type it"}`)}}},
			`Message: agent
  Text: Allow it: https://bank.example/
  Authorization: oauth2
  Scopes: pay, see
  Instructions: Type it
  URL: https://shop.example/
  Authorization: code

`,
		},
		"task": {
			&a2a.Task{
				ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired, Message: question,
					Timestamp: at},
				Artifacts: []*a2a.Artifact{
					{ID: "a", Name: "report", Description: "of today",
						Parts: []a2a.Part{a2a.TextPart("one "), a2a.TextPart("two"),
							{Content: a2a.Data("{\n \"n\": 1.50 }"), MediaType: "application/json"},
							a2a.TextPart("three")}},
					{ID: "b", Parts: []a2a.Part{a2a.RawPart(make([]byte, 5), "image/png", "p.png"),
						a2a.URLPart("https://example.com/x", "", "")}},
				},
				History: []*a2a.Message{{ID: "h", Role: a2a.RoleUser, Parts: []a2a.Part{
					{Content: a2a.Text("# Hi"), MediaType: "text/markdown"}, a2a.TextPart("there")}}},
			},
			`Task: t
Context: c
Status: input-required
Time: 2026-11-21T05:00:00.500Z
Message: agent
  Text:
      Where to?
      
      Task: forged

Artifact: report
  ID: a
  Description: of today
  Text: one two
  Data: {"n":1.50}
  Text: three
Artifact: b
  ID: b
  File: p.png (image/png, 5 bytes)
  File: https://example.com/x
History: user
  Media type: text/markdown
  Text: # Hi
  Text: there

`},
		"message": {
			&a2a.Message{ID: "m", ContextID: "c", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("Hello")}},
			"Context: c\nMessage: agent\n  Text: Hello\n\n"},
		"status": {
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}},
			"Task: t\nContext: c\nStatus: working\n\n"},
		"unknown status": {
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: 42}},
			"Task: t\nContext: c\nStatus: 42\n\n"},
		"chunk": {
			&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Append: true,
				Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("more")}}},
			"Task: t\nArtifact, continued: a\n  ID: a\n  Text: more\n\n"},
	} {
		if diff := cmp.Diff(test.want, printed(test.event)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// The cost of printing a streamed artifact grows with its length, not with its square.
func BenchmarkJoined(b *testing.B) {
	parts := make([]a2a.Part, 100_000)
	for i := range parts {
		parts[i] = a2a.TextPart("twenty bytes of text")
	}
	for b.Loop() {
		Joined(parts)
	}
}

// Empty lines around a text only tell it from its neighbours, which the labels do here.
func TestTextHasNoEmptyLinesAround(t *testing.T) {
	t.Parallel()
	got := printed(&a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart("\n\nMoney asks:\n"), a2a.TextPart("Which?")}})
	if want := "Message: agent\n  Text: Money asks:\n  Text: Which?\n\n"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// Documents that hosts write for programs beside a text are for --verbose.
func TestTextLeavesOutEchoes(t *testing.T) {
	t.Parallel()
	plan, other := data((`{"type":"plan","steps":[]}`)),
		data((`{"type":"receipt"}`))
	text := a2a.TextPart("Plan:")
	for _, test := range []struct {
		all   bool
		parts []a2a.Part
		want  string // of the labels
	}{
		{false, []a2a.Part{text, plan}, "Message Text"},
		{false, []a2a.Part{plan}, "Message Data"},
		{false, []a2a.Part{text, other}, "Message Text Data"},
		{true, []a2a.Part{text, plan}, "Message Media type Text Media type Data"},
	} {
		p := Printer{&terminal.Printer{All: test.all}}
		p.Message("Message", &a2a.Message{Role: a2a.RoleAgent, Parts: test.parts})
		var labels []string
		for line := range strings.Lines(p.Buf.String()) {
			label, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			labels = append(labels, label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%s; want %s", got, test.want)
		}
	}
}

func data(text string) a2a.Part {
	return a2a.Part{Content: a2a.Data(text), MediaType: "application/json"}
}
