// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

var readTests = []test{
	{"pages of events", func(b *bench) {
		d := b.create(key())
		for i := range 5 {
			d.must(d.append(plain, d.artifact("a", i > 0, "x"), d.artifact("a", true, "y"), received(1, "z")))
		}
		for after := range uint64(18) {
			for limit := range 18 {
				from := min(int(after), len(d.events))
				d.same(fmt.Sprintf("%d events after %d", limit, after), d.events[from:min(from+limit, len(d.events))],
					d.page(d.key, after, limit))
			}
		}
		d.same("events far behind the end", []journal.Event{}, d.page(d.key, 1<<62, 5))
	}},
	{"what was read does not change", func(b *bench) {
		d := b.create(key())
		d.must(d.append(plain, d.artifact("a", false, "1")))
		was := d.projection().Task()
		before := d.load(d.key)
		d.must(d.append(plain, d.artifact("a", true, "2"), d.status(a2a.TaskStateWorking, message("m"))))
		d.load(d.key)
		d.same("the earlier task", was, before.Task)
	}},
	{"a long task", func(b *bench) {
		short, long := chunks(b, 2_000), chunks(b, 20_000)
		// Reading is linear: ten times the parts, with room for a busy machine.
		if limit := 60*short + 200*time.Millisecond; long > limit {
			b.Errorf("20,000 chunks take %v to read, 2,000 take %v", long, short)
		}
	}},
	{"a task is what its events make of it", func(b *bench) {
		rapid.Check(b, func(rt *rapid.T) {
			d := b.create(key())
			for range rapid.IntRange(1, 12).Draw(rt, "commits") {
				events := rapid.SliceOfN(rapid.Custom(d.anyEvent), 0, 6).Draw(rt, "events")
				d.must(d.append(plain, events...))
				d.same("the task", naive(d.events), d.load(d.key).Task)
			}
			d.stored()
		})
	}},
}

// chunks writes a task of n chunks and returns how long it takes to load.
func chunks(b *bench, n int) time.Duration {
	b.Helper()
	d := b.create(key())
	projection := d.projection()
	for seq := uint64(1); seq <= uint64(n); {
		head := d.head
		c := &journal.Commit{Key: d.key, Lease: d.lease, Expect: seq, Head: &head, Task: projection.Task}
		for range min(100, uint64(n)+1-seq) {
			seq++
			e := d.artifact("a", true, fmt.Sprintf("chunk %d", seq))
			e.Seq, e.Wire = seq, a2a.NewStreamEvent(journal.EventID(seq), e.Wire.Event)
			projection.Apply(&e)
			c.Events = append(c.Events, e)
		}
		head.Seq = seq
		head.Artifacts, head.History = projection.Counts()
		_, err := b.j.Append(b.ctx, c)
		b.must(err)
		d.head = head
	}
	start := time.Now()
	s := b.load(d.key)
	took := time.Since(start)
	if got := len(s.Task.Artifacts[0].Parts); got != n {
		b.Fatalf("%d parts, want %d separate ones", got, n)
	}
	b.same("the task", projection.Task(), s.Task)
	return took
}

// anyEvent draws an event. Some are large, so that checkpoints come to be written.
func (d *driver) anyEvent(t *rapid.T) journal.Event {
	text := strings.Repeat("x", rapid.SampledFrom([]int{0, 1, 40, 3000}).Draw(t, "size"))
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return received(1, text)
	case 1:
		value := rapid.SampledFrom([]string{"1", "null", `"x"`}).Draw(t, "value")
		return metadata(a2a.Metadata{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"): []byte(value)})
	case 2:
		var m *a2a.Message
		if rapid.Bool().Draw(t, "message") {
			m = message(text)
		}
		return d.status(a2a.TaskStateWorking, m)
	}
	id := rapid.SampledFrom([]a2a.ArtifactID{"a", "b", "c"}).Draw(t, "artifact")
	e := d.artifact(id, rapid.Bool().Draw(t, "append"), text)
	if rapid.Bool().Draw(t, "metadata") {
		e.Wire.Event.(*a2a.ArtifactUpdate).Artifact.Metadata = a2a.Metadata{text[:min(1, len(text))] + "k": []byte("2")}
	}
	return e
}

// naive folds events anew, without sharing anything, as the contract says it.
func naive(events []journal.Event) *a2a.Task {
	var t a2a.Task
	for _, e := range events {
		switch w := e.Wire.Event.(type) {
		case *a2a.Task:
			t = *w
			t.History = append([]*a2a.Message{}, w.History...)
			t.Metadata = merge(nil, w.Metadata)
		case *a2a.StatusUpdate:
			if t.Status.Message != nil {
				t.History = append(t.History, t.Status.Message)
			}
			t.Status = w.Status
		case *a2a.ArtifactUpdate:
			naiveArtifact(&t, w)
		default:
			if e.Received != nil {
				t.History = append(t.History, e.Received.Message)
			}
			t.Metadata = merge(t.Metadata, e.Metadata)
		}
	}
	return &t
}

func naiveArtifact(t *a2a.Task, u *a2a.ArtifactUpdate) {
	fresh := *u.Artifact
	fresh.Parts = append([]a2a.Part{}, u.Artifact.Parts...)
	for i, a := range t.Artifacts {
		if a.ID != u.Artifact.ID {
			continue
		}
		if u.Append {
			fresh = *a
			fresh.Parts = append(append([]a2a.Part{}, a.Parts...), u.Artifact.Parts...)
			fresh.Metadata = a2a.Metadata{}
			for _, m := range []a2a.Metadata{a.Metadata, u.Artifact.Metadata} {
				for k, v := range m {
					fresh.Metadata[k] = v
				}
			}
		}
		t.Artifacts[i] = &fresh
		return
	}
	t.Artifacts = append(t.Artifacts, &fresh)
}

func merge(a, b a2a.Metadata) a2a.Metadata {
	m := a2a.Metadata{}
	for k, v := range a {
		m[k] = v
	}
	for k, v := range b {
		m[k] = v
		if string(v) == "null" {
			delete(m, k)
		}
	}
	return m
}
