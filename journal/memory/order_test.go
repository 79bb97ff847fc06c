// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// TestOrder adds and removes thousands of tasks, so that blocks split and vanish, and compares with a sorted slice.
func TestOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var o order
	var want []*task
	compare := func(a, b *task) int {
		if a.place.Time != b.place.Time {
			return int(a.place.Time - b.place.Time)
		}
		return slices.Compare([]byte(a.place.ID), []byte(b.place.ID))
	}
	for step := range 12_000 {
		if len(want) > 0 && random.IntN(100) < 10+step/160 {
			i := random.IntN(len(want))
			o.remove(want[i])
			want = slices.Delete(want, i, i+1)
		} else {
			id := a2a.TaskID(fmt.Sprint(step))
			place := keyset.Place{Time: int64(random.IntN(3000)), ID: id}
			if step%2 == 0 {
				place.Time = int64(step) // the usual case: newer than all
			}
			added := &task{place: place, head: &journal.Head{Key: journal.Key{ID: id}}}
			o.add(added)
			i, _ := slices.BinarySearchFunc(want, added, compare)
			want = slices.Insert(want, i, added)
		}
		if step%100 == 0 || step > 11_900 {
			checkOrder(t, &o, want, random)
		}
	}
}

func checkOrder(t *testing.T, o *order, want []*task, random *rand.Rand) {
	t.Helper()
	var up, down []*task
	o.ascend(func(t *task) bool { up = append(up, t); return true })
	o.descend(nil, func(t *task) bool { down = append(down, t); return true })
	slices.Reverse(down)
	if o.len != len(want) || !slices.Equal(up, want) || !slices.Equal(down, want) {
		t.Fatalf("%d tasks, %d upwards, %d downwards, want %d", o.len, len(up), len(down), len(want))
	}
	for _, b := range o.blocks {
		if len(b) == 0 || len(b) > blockSize {
			t.Fatalf("a block of %d", len(b))
		}
	}
	if len(want) == 0 {
		return
	}
	i := random.IntN(len(want))
	p := want[i].place
	if n := o.before(p); n != i {
		t.Fatalf("%d before the task at %d", n, i)
	}
	var next *task
	o.descend(&p, func(t *task) bool { next = t; return false })
	if i > 0 && next != want[i-1] || i == 0 && next != nil {
		t.Fatalf("wrong task before the one at %d", i)
	}
}
