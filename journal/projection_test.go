// SPDX-License-Identifier: Apache-2.0

package journal_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func wire(e a2a.Event) *journal.Event { return &journal.Event{Wire: a2a.StreamEvent{Event: e}} }

func chunk(id a2a.ArtifactID, more bool, text string) *journal.Event {
	return wire(&a2a.ArtifactUpdate{Append: more,
		Artifact: &a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(text)}}})
}

func message(text string) *a2a.Message { return &a2a.Message{Parts: []a2a.Part{a2a.TextPart(text)}} }

func born() *journal.Event {
	return wire(&a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted},
		History: []*a2a.Message{message("first")}})
}

// deep returns the task's value, apart from all memory that anybody could change.
func deep(t *a2a.Task) string {
	type plain struct {
		Status    string
		Artifacts []string
		History   []string
		Metadata  map[string]string
	}
	p := plain{Status: fmt.Sprintf("%d", t.Status.State), Metadata: map[string]string{}}
	text := func(parts []a2a.Part) string {
		s := ""
		for _, part := range parts {
			s += fmt.Sprintf("|%v", part.Content)
		}
		return s
	}
	if t.Status.Message != nil {
		p.Status += text(t.Status.Message.Parts)
	}
	for _, a := range t.Artifacts {
		p.Artifacts = append(p.Artifacts, fmt.Sprintf("%s%s %d", a.ID, text(a.Parts), len(a.Metadata)))
	}
	for _, m := range t.History {
		p.History = append(p.History, text(m.Parts))
	}
	for k, v := range t.Metadata {
		p.Metadata[k] = string(v)
	}
	b, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestTasksTakenEarlierDoNotChange takes tasks between any events, also through projections that go on from them.
func TestTasksTakenEarlierDoNotChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		projections := []*journal.Projection{new(journal.Projection)}
		projections[0].Apply(born())
		type taken struct {
			task *a2a.Task
			was  string
		}
		var all []taken
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			f := projections[rapid.IntRange(0, len(projections)-1).Draw(t, "projection")]
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				task := f.Task()
				all = append(all, taken{task, deep(task)})
			case 1:
				if len(all) > 0 {
					projections = append(projections,
						journal.NewProjection(all[rapid.IntRange(0, len(all)-1).Draw(t, "from")].task))
				}
			default:
				f.Apply(rapid.Custom(anyEvent).Draw(t, "event"))
			}
			for _, s := range all {
				if diff := cmp.Diff(s.was, deep(s.task)); diff != "" {
					t.Fatalf("a task taken earlier has changed:\n%s", diff)
				}
			}
		}
	})
}

func anyEvent(t *rapid.T) *journal.Event {
	text := rapid.StringN(1, 3, 9).Draw(t, "text")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return wire(&a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: message(text)}})
	case 1:
		return &journal.Event{Received: &journal.Received{Message: message(text)}}
	case 2:
		v := rapid.SampledFrom([]string{"null", "1"}).Draw(t, "value")
		return &journal.Event{Metadata: a2a.Metadata{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"): []byte(v)}}
	}
	e := chunk(rapid.SampledFrom([]a2a.ArtifactID{"a", "b"}).Draw(t, "artifact"), rapid.Bool().Draw(t, "append"), text)
	if rapid.Bool().Draw(t, "metadata") {
		e.Wire.Event.(*a2a.ArtifactUpdate).Artifact.Metadata = a2a.Metadata{text: []byte("1")}
	}
	return e
}

func TestEventsAreNotChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := born()
		firstWas := deep(first.Wire.Event.(*a2a.Task))
		events := rapid.SliceOfN(rapid.Custom(anyEvent), 1, 20).Draw(t, "events")
		var f journal.Projection
		f.Apply(first)
		for _, e := range events {
			f.Apply(e)
			if u, ok := e.Wire.Event.(*a2a.ArtifactUpdate); ok && len(u.Artifact.Parts) != 1 {
				t.Fatalf("the chunk has %d parts now", len(u.Artifact.Parts))
			}
		}
		if deep(first.Wire.Event.(*a2a.Task)) != firstWas {
			t.Fatal("the first event has changed")
		}
	})
}

func TestFold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events []*journal.Event
		want   string
	}{
		"a status with a message moves it to history": {
			[]*journal.Event{
				wire(&a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: message("one")}}),
				wire(&a2a.StatusUpdate{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: message("two")}}),
			},
			`{"Status":"2|two","Artifacts":null,"History":["|first","|one"],"Metadata":{}}`,
		},
		"a received message goes to history": {
			[]*journal.Event{{Received: &journal.Received{Message: message("more")}}},
			`{"Status":"1","Artifacts":null,"History":["|first","|more"],"Metadata":{}}`,
		},
		"chunks stay separate parts": {
			[]*journal.Event{chunk("a", false, "1"), chunk("b", false, "x"), chunk("a", true, "2"),
				chunk("a", true, "3")},
			`{"Status":"1","Artifacts":["a|1|2|3 0","b|x 0"],"History":["|first"],"Metadata":{}}`,
		},
		"an artifact sent again replaces the first": {
			[]*journal.Event{chunk("a", false, "1"), chunk("a", true, "2"), chunk("a", false, "3")},
			`{"Status":"1","Artifacts":["a|3 0"],"History":["|first"],"Metadata":{}}`,
		},
		"a chunk of an unknown artifact is not lost": {
			[]*journal.Event{chunk("a", true, "1")},
			`{"Status":"1","Artifacts":["a|1 0"],"History":["|first"],"Metadata":{}}`,
		},
		"metadata merges and null removes": {
			[]*journal.Event{
				{Metadata: a2a.Metadata{"a": []byte("1"), "b": []byte("2.0")}},
				{Metadata: a2a.Metadata{"a": []byte("null")}},
			},
			`{"Status":"1","Artifacts":null,"History":["|first"],"Metadata":{"b":"2.0"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f journal.Projection
			f.Apply(born())
			for _, e := range test.events {
				f.Apply(e)
			}
			if diff := cmp.Diff(test.want, deep(f.Task())); diff != "" {
				t.Error(diff)
			}
			artifacts, history := f.Counts()
			if task := f.Task(); artifacts != len(task.Artifacts) || history != len(task.History) {
				t.Errorf("counts %d and %d", artifacts, history)
			}
		})
	}
}

// TestChunksCostTheSame holds the cost of the last of many chunks against that of the first ones.
func TestChunksCostTheSame(t *testing.T) {
	t.Parallel()
	var f journal.Projection
	f.Apply(born())
	e := chunk("a", true, "x")
	thousand := func() time.Duration {
		start := time.Now()
		for range 1000 {
			f.Apply(e)
		}
		return time.Since(start)
	}
	best := func(n int) time.Duration {
		b := time.Hour
		for range n {
			b = min(b, thousand())
		}
		return b
	}
	early := best(20)
	for range 80_000 {
		f.Apply(e)
	}
	if late := best(20); late > 20*early+time.Millisecond {
		t.Errorf("1,000 chunks cost %v after 100,000, %v at first", late, early)
	}
}

func TestCommitValidate(t *testing.T) {
	t.Parallel()
	key := journal.Key{ID: "t"}
	good := func() *journal.Commit {
		e := *born()
		e.Seq = 1
		return &journal.Commit{Key: key, Create: &journal.Create{}, Events: []journal.Event{e},
			Head: &journal.Head{Key: key, Seq: 1}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func(*journal.Commit){
		"no head":             func(c *journal.Commit) { c.Head = nil },
		"another head":        func(c *journal.Commit) { c.Head.Key.ID = "x" },
		"unknown state":       func(c *journal.Commit) { c.Head.Status.State = 99 },
		"wrong event number":  func(c *journal.Commit) { c.Events[0].Seq = 7 },
		"wrong head number":   func(c *journal.Commit) { c.Head.Seq = 7 },
		"nothing to create":   func(c *journal.Commit) { c.Events, c.Head.Seq = nil, 0 },
		"create in the midst": func(c *journal.Commit) { c.Expect, c.Events[0].Seq, c.Head.Seq = 1, 2, 2 },
		"first is no task":    func(c *journal.Commit) { c.Events[0].Wire = chunk("a", false, "x").Wire },
	} {
		c := good()
		harm(c)
		if c.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestEventID(t *testing.T) {
	t.Parallel()
	for _, seq := range []uint64{0, 1, 1 << 63} {
		if got, err := journal.ParseEventID(journal.EventID(seq)); err != nil || got != seq {
			t.Errorf("%d: %d, %v", seq, got, err)
		}
	}
	for _, bad := range []string{"", "-1", "x", "1 "} {
		if _, err := journal.ParseEventID(bad); err == nil {
			t.Errorf("%q: accepted", bad)
		}
	}
}
