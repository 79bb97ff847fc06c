// SPDX-License-Identifier: Apache-2.0

package journaltest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// listed makes a task with a status of a certain time.
func (b *bench) listed(k journal.Key, c a2a.ContextID, state a2a.TaskState, at time.Time) *driver {
	b.Helper()
	d := b.draft(k)
	d.head.ContextID = c
	e := d.born(state)
	e.Wire.Event.(*a2a.Task).Status.Timestamp = at
	b.must(d.append(both(d.creation("me"), release), e))
	return d
}

func (b *bench) list(s journal.Scope, q journal.Query) *journal.Page {
	b.Helper()
	p, err := b.j.List(b.ctx, s, q)
	b.must(err)
	return p
}

func ids(heads []*journal.Head) []a2a.TaskID {
	var all []a2a.TaskID
	for _, h := range heads {
		all = append(all, h.Key.ID)
	}
	return all
}

var listTests = []test{
	{"order, filters, pages and totals", func(b *bench) {
		start := now()
		var heads []*journal.Head
		for i := range 40 {
			k := key()
			k.ID = a2a.TaskID(fmt.Sprintf("%02d", i*7%40))
			state := []a2a.TaskState{a2a.TaskStateWorking, a2a.TaskStateCompleted, a2a.TaskStateInputRequired}[i%3]
			// Some have the same time, and they do not come in its order.
			d := b.listed(k, a2a.ContextID(fmt.Sprint("c", i%2)), state, start.Add(time.Duration(i*13%20)*time.Second))
			heads = append(heads, &d.head)
		}
		slices.SortFunc(heads, func(a, b *journal.Head) int {
			if c := b.Status.Timestamp.Compare(a.Status.Timestamp); c != 0 {
				return c
			}
			if a.Key.ID > b.Key.ID {
				return -1
			}
			return 1
		})
		for _, c := range []a2a.ContextID{"", "c0", "c1", "none"} {
			for _, state := range []a2a.TaskState{0, a2a.TaskStateWorking, a2a.TaskStateCompleted,
				a2a.TaskStateFailed} {
				for _, since := range []time.Time{{}, start.Add(7 * time.Second), start.Add(time.Hour)} {
					var want []*journal.Head
					for _, h := range heads {
						if (c == "" || h.ContextID == c) && (state == 0 || h.Status.State == state) &&
							!h.Status.Timestamp.Before(since) {
							want = append(want, h)
						}
					}
					b.pages(heads[0].Key.Scope, journal.Query{ContextID: c, State: state, Since: since, Limit: 3}, want)
				}
			}
		}
	}},
	{"50 without a limit", func(b *bench) {
		for i := range 51 {
			b.listed(key(), "c", a2a.TaskStateWorking, now().Add(time.Duration(i)*time.Second))
		}
		p := b.list(key().Scope, journal.Query{})
		if len(p.Heads) != 50 || p.Next == "" || p.Total != 51 {
			b.Errorf("%d heads, next %q, total %d", len(p.Heads), p.Next, p.Total)
		}
		p = b.list(key().Scope, journal.Query{PageToken: p.Next})
		if len(p.Heads) != 1 || p.Next != "" || p.Total != 51 {
			b.Errorf("%d heads, next %q, total %d", len(p.Heads), p.Next, p.Total)
		}
		p = b.list(key().Scope, journal.Query{Limit: 51})
		if len(p.Heads) != 51 || p.Next != "" {
			b.Errorf("%d heads, next %q on the only page", len(p.Heads), p.Next)
		}
	}},
	{"a status change moves the task, other commits do not", func(b *bench) {
		start := now().Add(-time.Hour)
		a := b.listed(key(), "c", a2a.TaskStateWorking, start)
		z := b.listed(key(), "c", a2a.TaskStateWorking, start.Add(time.Second))
		a.take("me", long)
		b.must(a.append(plain, a.artifact("a", false, "x")))
		b.same("list", []a2a.TaskID{z.key.ID, a.key.ID}, ids(b.list(a.key.Scope, journal.Query{}).Heads))
		b.must(a.append(plain, a.status(a2a.TaskStateCompleted, nil)))
		b.same("list", []a2a.TaskID{a.key.ID, z.key.ID}, ids(b.list(a.key.Scope, journal.Query{}).Heads))
		b.same("working", []a2a.TaskID{z.key.ID},
			ids(b.list(a.key.Scope, journal.Query{State: a2a.TaskStateWorking}).Heads))
		b.same("completed", []*journal.Head{&a.head},
			b.list(a.key.Scope, journal.Query{State: a2a.TaskStateCompleted}).Heads)
	}},
	{"pages stay steady while tasks change", func(b *bench) {
		start := now().Add(-time.Hour)
		var all []*driver
		for i := range 12 {
			all = append(all, b.listed(key(), "c", a2a.TaskStateWorking, start.Add(time.Duration(i)*time.Second)))
		}
		first := b.list(key().Scope, journal.Query{Limit: 4})
		moved := all[3] // not seen yet: it moves before the first page
		moved.take("me", long)
		b.must(moved.append(plain, moved.status(a2a.TaskStateWorking, nil)))
		shown := all[8] // the last one shown: its place is gone
		shown.take("me", long)
		b.must(shown.append(plain, shown.status(a2a.TaskStateCompleted, nil)))
		rest := b.list(key().Scope, journal.Query{Limit: 20, PageToken: first.Next})
		var want []a2a.TaskID
		for _, i := range []int{7, 6, 5, 4, 2, 1, 0} {
			want = append(want, all[i].key.ID)
		}
		b.same("the second page", want, ids(rest.Heads))
	}},
	{"pages end by bytes", func(b *bench) {
		start := now().Add(-time.Hour)
		const large = 10 << 10
		var want []*journal.Head
		for i := range 7 {
			d := b.listed(key(), "c", a2a.TaskStateWorking, start.Add(time.Duration(i)*time.Second))
			d.take("me", long)
			size := large
			if i == 3 {
				size = 10 * large
			}
			b.must(d.append(plain, d.artifact("a", false, strings.Repeat("x", size))))
			want = append([]*journal.Head{&d.head}, want...)
		}
		for name, c := range map[string]struct {
			q    journal.Query
			want []int // heads on the pages
		}{
			"two to a page, one larger than that": {journal.Query{MaxBytes: 5 * large / 2, Whole: true},
				[]int{2, 1, 1, 2, 1}},
			"each larger than a page": {journal.Query{MaxBytes: 1, Whole: true},
				[]int{1, 1, 1, 1, 1, 1, 1}},
			"with tasks": {journal.Query{MaxBytes: 5 * large / 2, Tasks: true},
				[]int{2, 1, 1, 2, 1}},
			"heads are small": {journal.Query{MaxBytes: 5 * large / 2}, []int{7}},
			"the limit is reached first": {journal.Query{MaxBytes: 1 << 30, Whole: true, Limit: 4},
				[]int{4, 3}},
		} {
			var got []int
			var heads []*journal.Head
			for next := ""; ; {
				c.q.PageToken = next
				p := b.list(key().Scope, c.q)
				if c.q.Tasks {
					b.sameTasks(name, p)
				}
				got, heads, next = append(got, len(p.Heads)), append(heads, p.Heads...), p.Next
				if p.Total != len(want) {
					b.Errorf("%s: total %d", name, p.Total)
				}
				if next == "" || len(p.Heads) == 0 {
					break
				}
			}
			b.same(name, c.want, got)
			b.same(name, ids(want), ids(heads))
		}
	}},
	{"page tokens", func(b *bench) {
		for range 3 {
			b.listed(key(), "c", a2a.TaskStateWorking, now())
		}
		s := key().Scope
		next := b.list(s, journal.Query{Limit: 1}).Next
		other := s
		other.Owner = "other"
		for name, try := range map[string]struct {
			scope journal.Scope
			q     journal.Query
		}{
			"not a token":   {s, journal.Query{PageToken: "?"}},
			"short":         {s, journal.Query{PageToken: "AAAA"}},
			"cut":           {s, journal.Query{PageToken: next[4:]}},
			"another state": {s, journal.Query{PageToken: next, State: a2a.TaskStateWorking}},
			"another scope": {other, journal.Query{PageToken: next}},
		} {
			if _, err := b.j.List(b.ctx, try.scope, try.q); err == nil {
				b.Errorf("%s: accepted", name)
			} else {
				b.wants(journal.ErrBadPageToken, err)
			}
		}
		b.list(s, journal.Query{PageToken: next, Limit: 2})
	}},
}

// sameTasks compares the tasks of a page with those that Load returns.
func (b *bench) sameTasks(name string, p *journal.Page) {
	b.Helper()
	if len(p.Tasks) != len(p.Heads) {
		b.Fatalf("%s: %d tasks of %d heads", name, len(p.Tasks), len(p.Heads))
	}
	for i, h := range p.Heads {
		b.same(name, b.load(h.Key).Task, p.Tasks[i])
	}
}

func (b *bench) pages(s journal.Scope, q journal.Query, want []*journal.Head) {
	b.Helper()
	var got []*journal.Head
	for {
		p := b.list(s, q)
		if p.Total != len(want) || len(p.Heads) > q.Limit {
			b.Fatalf("%+v: total %d, want %d; %d heads on a page", q, p.Total, len(want), len(p.Heads))
		}
		got = append(got, p.Heads...)
		if q.PageToken = p.Next; p.Next == "" {
			break
		}
		if len(p.Heads) == 0 {
			b.Fatal("an empty page that is not the last")
		}
	}
	b.same(fmt.Sprintf("%+v", q), want, got)
}
