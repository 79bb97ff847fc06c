// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"context"
	"errors"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func (b *bench) wants(want, got error) {
	b.Helper()
	if !errors.Is(got, want) {
		b.Fatalf("error %v, want %v", got, want)
	}
}

var createTests = []test{
	{"is stored and leased", func(b *bench) {
		d := b.create(key())
		if d.lease.Key != d.key || d.lease.Holder != "me" || d.lease.Token == 0 {
			b.Errorf("lease %+v", d.lease)
		}
		d.stored()
	}},
	{"released at once holds nothing", func(b *bench) {
		d := b.rest(key(), a2a.TaskStateCompleted)
		if d.lease != (journal.Lease{}) {
			b.Errorf("lease %+v", d.lease)
		}
		d.stored()
		_, err := d.j.ClaimTask(d.ctx, d.key, "other", long)
		d.must(err)
	}},
	{"several events in the first commit", func(b *bench) {
		d := b.draft(key())
		b.must(d.append(both(d.creation("me"), release), d.born(a2a.TaskStateSubmitted),
			d.artifact("a", false, "x"), d.status(a2a.TaskStateCompleted, message("done"))))
		d.stored()
	}},
	{"the id is taken", func(b *bench) {
		d := b.create(key())
		other := b.draft(d.key)
		b.wants(journal.ErrExists, other.append(other.creation("you"), other.born(a2a.TaskStateFailed)))
		d.stored()
	}},
	{"the idempotency key is taken", func(b *bench) {
		k := key()
		keyed := func(d *driver) error {
			return d.append(func(c *journal.Commit) {
				c.Create = &journal.Create{Holder: "me", TTL: long, IdempotencyKey: "same"}
			}, d.born(a2a.TaskStateWorking))
		}
		b.must(keyed(b.draft(k)))
		err := keyed(b.draft(key()))
		var duplicate *journal.DuplicateError
		if !errors.As(err, &duplicate) || duplicate.TaskID != k.ID {
			b.Fatalf("error %v, want the duplicate of %s", err, k.ID)
		}
		foreign := key()
		foreign.Owner = "other"
		b.must(keyed(b.draft(foreign)))
		b.wants(journal.ErrExists, keyed(b.draft(k)))
	}},
	{"without an idempotency key there are no duplicates", func(b *bench) {
		b.create(key())
		b.create(key())
	}},
	{"mistakes are refused", func(b *bench) {
		for name, wrong := range map[string]change{
			"no events":       func(c *journal.Commit) { c.Events, c.Head.Seq = nil, 0 },
			"wrong numbers":   func(c *journal.Commit) { c.Events[0].Seq = 2 },
			"wrong head":      func(c *journal.Commit) { c.Head.Seq = 5 },
			"head of another": func(c *journal.Commit) { c.Head.Key.ID = "x" },
			"no head":         func(c *journal.Commit) { c.Head = nil },
		} {
			d := b.draft(key())
			if _, err := b.j.Append(b.ctx,
				d.commit(both(d.creation("me"), wrong), d.born(a2a.TaskStateWorking))); err == nil {
				b.Errorf("%s: accepted", name)
			}
			_, err := b.j.Head(b.ctx, d.key)
			b.wants(journal.ErrNotFound, err)
		}
	}},
}

var appendTests = []test{
	{"events of all kinds", func(b *bench) {
		d := b.create(key())
		d.must(d.append(plain, received(1, "more"),
			metadata(a2a.Metadata{"a": []byte(`{"x":1.50}`), "born": []byte("null")})))
		d.must(d.append(plain, d.artifact("a", false, "x"), d.artifact("a", true, "y"), d.artifact("b", false, "z")))
		d.must(d.append(plain, d.status(a2a.TaskStateInputRequired, message("what?"))))
		d.must(d.append(both(taken(1),
			run(journal.Run{Open: true, Attempt: 2, WakeAt: now(), Turn: []byte{0, 1, 255}}))))
		d.must(d.append(plain, d.status(a2a.TaskStateWorking, nil), d.artifact("a", false, "again")))
		d.stored()
	}},
	{"all kinds of parts", func(b *bench) {
		d := b.create(key())
		e := d.artifact("a", false, "")
		e.Wire.Event.(*a2a.ArtifactUpdate).Artifact.Parts = []a2a.Part{
			{Content: a2a.Text("\u2028\x00<é>"), MediaType: "text/x", Filename: "f",
				Metadata: a2a.Metadata{"k": []byte(`[1]`)}},
			{Content: a2a.Raw{0, 1, 254, 255}, MediaType: "image/png"},
			{Content: a2a.URL("https://x.example/a?b#c")},
			{Content: a2a.Data(`{"n":12345678901234567890.10}`)},
			{Content: a2a.Data(`null`)},
		}
		d.must(d.append(plain, e))
		d.stored()
	}},
	{"refused: not the last event", func(b *bench) {
		d := b.create(key())
		d.must(d.append(plain, d.artifact("a", false, "x")))
		stale := *d
		stale.head.Seq = 1
		d.wants(journal.ErrConflict, stale.append(plain, d.artifact("a", true, "lost")))
		ahead := *d
		ahead.head.Seq = 3
		d.wants(journal.ErrConflict, ahead.append(plain, d.artifact("a", true, "lost")))
		d.stored()
	}},
	{"refused: no such task", func(b *bench) {
		d := b.draft(key())
		d.head.Seq = 1
		d.events = []journal.Event{d.born(a2a.TaskStateWorking)}
		b.wants(journal.ErrNotFound, d.append(plain, d.artifact("a", false, "x")))
	}},
	{"refused: a task that has ended cannot go back", func(b *bench) {
		d := b.create(key())
		d.must(d.append(plain, d.status(a2a.TaskStateFailed, nil)))
		d.wants(journal.ErrFinished, d.append(plain, d.status(a2a.TaskStateWorking, nil)))
		d.must(d.append(plain, metadata(a2a.Metadata{"late": []byte("1")})))
		d.stored()
	}},
	{"refused: leaves nothing of the commit", func(b *bench) {
		d := b.create(key())
		d.enqueue(d.key, input("waits"))
		err := d.append(func(c *journal.Commit) {
			c.UnlessInputs, c.Release = true, true
			c.TaskState, c.ContextState = []byte("x"), []byte("y")
		}, d.artifact("a", false, "x"))
		d.wants(journal.ErrInputsWaiting, err)
		d.stored()
		if s, _ := d.j.TaskState(d.ctx, d.key); s != nil {
			b.Errorf("task state %q", s)
		}
		d.must(d.append(plain, d.artifact("a", false, "y")))
		d.stored()
	}},
	{"refused: a context that has ended", func(b *bench) {
		d := b.create(key())
		cause := errors.New("the cause")
		ctx, cancel := context.WithCancelCause(d.ctx)
		cancel(cause)
		_, err := d.j.Append(ctx, d.commit(plain, d.artifact("a", false, "x")))
		d.wants(cause, err)
		_, err = d.j.Load(ctx, d.key)
		if err == nil {
			b.Error("load worked")
		}
		d.stored()
	}},
	{"the slice of events may be used again", func(b *bench) {
		d := b.create(key())
		buffer := make([]journal.Event, 1)
		for range 3 {
			c := d.commit(plain, d.artifact("a", true, "x"))
			d.events = append(d.events, c.Events...)
			buffer[0] = c.Events[0]
			c.Events = buffer
			_, err := d.j.Append(d.ctx, c)
			d.must(err)
			d.head = *c.Head
		}
		clear(buffer)
		d.stored()
	}},
}
