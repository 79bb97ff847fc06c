// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"errors"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

func (b *bench) inputs(k journal.Key, after uint64) []journal.Input {
	b.Helper()
	in, err := b.j.Inputs(b.ctx, k, after)
	b.must(err)
	return in
}

var inboxTests = []test{
	{"keeps order and content", func(b *bench) {
		d := b.create(key())
		want := []journal.Input{input("1"), {Kind: journal.InputCancel, Time: now()}, input("3"),
			{Kind: journal.InputWake, Time: now()}}
		for i := range want {
			want[i].Number = d.enqueue(d.key, want[i])
			if want[i].Number != uint64(i+1) {
				b.Errorf("input %d has the number %d", i+1, want[i].Number)
			}
		}
		d.same("inputs", want, d.inputs(d.key, 0))
		d.same("inputs after 2", want[2:], d.inputs(d.key, 2))
		d.same("inputs after 4", want[4:], d.inputs(d.key, 4))
	}},
	{"gives a time", func(b *bench) {
		d := b.create(key())
		d.enqueue(d.key, journal.Input{Kind: journal.InputWake})
		if d.inputs(d.key, 0)[0].Time.IsZero() {
			b.Error("no time")
		}
	}},
	{"the limit counts waiting messages", func(b *bench) {
		d := b.create(key())
		for range 16 {
			_, err := d.j.Enqueue(d.ctx, d.key, input("x"), 16)
			d.must(err)
		}
		_, err := d.j.Enqueue(d.ctx, d.key, input("x"), 16)
		d.wants(journal.ErrInboxFull, err)
		_, err = d.j.Enqueue(d.ctx, d.key, journal.Input{Kind: journal.InputCancel}, 16)
		d.must(err)
		d.must(d.append(taken(1)))
		_, err = d.j.Enqueue(d.ctx, d.key, input("x"), 16)
		d.must(err)
		_, err = d.j.Enqueue(d.ctx, d.key, input("x"), 16)
		d.wants(journal.ErrInboxFull, err)
	}},
	{"repeated inputs are one", func(b *bench) {
		d := b.create(key())
		in := input("x")
		in.IdempotencyKey = "k"
		first := d.enqueue(d.key, in)
		if again := d.enqueue(d.key, in); again != first {
			b.Errorf("repeated: %d, want %d", again, first)
		}
		if n := len(d.inputs(d.key, 0)); n != 1 {
			b.Errorf("%d inputs", n)
		}
		d.must(d.append(taken(first), received(first, "x")))
		if again := d.enqueue(d.key, in); again != first {
			b.Errorf("repeated after it was taken: %d, want %d", again, first)
		}
		d.must(d.append(plain, d.status(a2a.TaskStateCompleted, nil)))
		if again := d.enqueue(d.key, in); again != first {
			b.Errorf("repeated after the end: %d, want %d", again, first)
		}
		other := d.create(key())
		if n := d.enqueue(other.key, in); n != 1 || len(d.inputs(other.key, 0)) != 1 {
			b.Errorf("another task's input: %d", n)
		}
	}},
	{"refused", func(b *bench) {
		_, err := b.j.Enqueue(b.ctx, key(), input("x"), 0)
		b.wants(journal.ErrNotFound, err)
		_, err = b.j.Inputs(b.ctx, key(), 0)
		b.wants(journal.ErrNotFound, err)
		for _, state := range []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
			a2a.TaskStateRejected} {
			_, err = b.j.Enqueue(b.ctx, b.rest(key(), state).key, input("x"), 0)
			b.wants(journal.ErrFinished, err)
		}
		_, err = b.j.Enqueue(b.ctx, b.rest(key(), a2a.TaskStateInputRequired).key, input("x"), 0)
		b.must(err)
	}},
	{"taken with the events it causes", func(b *bench) {
		d := b.create(key())
		for range 3 {
			d.enqueue(d.key, input("x"))
		}
		stale := *d
		stale.head.Seq = 5
		d.wants(journal.ErrConflict, stale.append(taken(2), received(2, "x")))
		if n := len(d.inputs(d.key, 0)); n != 3 {
			b.Errorf("%d inputs wait after a refused commit, want 3", n)
		}
		d.must(d.append(taken(2), received(1, "x"), received(2, "x")))
		if in := d.inputs(d.key, 0); len(in) != 1 || in[0].Number != 3 {
			b.Errorf("inputs after the commit: %+v", in)
		}
		d.stored()
		d.must(d.append(taken(3)))
		if n := d.enqueue(d.key, input("x")); n != 4 {
			b.Errorf("number after all were taken: %d, want 4", n)
		}
	}},
	{"a task that ends keeps none", func(b *bench) {
		d := b.create(key())
		d.enqueue(d.key, input("x"))
		d.must(d.append(release, d.status(a2a.TaskStateCanceled, nil)))
		if in := d.inputs(d.key, 0); len(in) != 0 {
			b.Errorf("inputs %+v", in)
		}
		d.claimsNone("a task that has ended", "agent")
		d.stored()
	}},
	{"UnlessInputs", func(b *bench) {
		d := b.create(key())
		d.must(d.append(unlessInputs, d.artifact("a", false, "x")))
		d.enqueue(d.key, input("x"))
		d.wants(journal.ErrInputsWaiting, d.append(unlessInputs, d.artifact("a", true, "y")))
		d.must(d.append(both(unlessInputs, taken(1)), d.artifact("a", true, "y")))
		d.must(d.append(unlessInputs, d.artifact("a", true, "y")))
		d.stored()
	}},
	{"UnlessInputs and Enqueue exclude each other", func(b *bench) {
		for range 30 {
			endAgainstEnqueue(b)
		}
	}},
}

// endAgainstEnqueue ends a task while others send to it: either all were refused, or the end was.
func endAgainstEnqueue(b *bench) {
	d := b.create(key())
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = d.j.Enqueue(d.ctx, d.key, input("x"), 0) })
	}
	end := d.append(unlessInputs, d.status(a2a.TaskStateCompleted, nil))
	wg.Wait()
	for _, err := range errs {
		if ended := end == nil; ended != errors.Is(err, journal.ErrFinished) && ended {
			b.Fatalf("the task ended, but an input was answered with %v", err)
		}
		if end != nil && err != nil {
			b.Fatalf("the end was refused (%v) and so was an input (%v)", end, err)
		}
	}
	if end != nil {
		b.wants(journal.ErrInputsWaiting, end)
	}
}
