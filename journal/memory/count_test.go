// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// recount computes what the sums of a journal should be from its tasks.
func recount(j *Journal) (active, ended load, owners map[ownerKey][2]int64) {
	owners = map[ownerKey][2]int64{}
	add := func(s *scope, over bool, l load) {
		sums, i := owners[ownerOf(s.Scope)], 0
		if over {
			ended.add(l)
			i = 1
		} else {
			active.add(l)
		}
		sums[i] += l.bytes
		owners[ownerOf(s.Scope)] = sums
	}
	for _, s := range j.scopes {
		open := map[*contextTasks]bool{}
		for _, t := range s.tasks {
			size := int64(taskBytes)
			for i := range t.events {
				size += int64(t.events[i].Size())
			}
			for i := range t.inputs {
				size += inputBytes(&t.inputs[i])
			}
			if t.more != nil {
				size += int64(len(t.more.state)) + keyBytes(t.more.createKey)
				for key := range t.more.inputKeys {
					size += keyBytes(key)
				}
			}
			over := t.head.Status.State.Terminal()
			add(s, over, load{1, size})
			open[t.context] = open[t.context] || !over
		}
		for _, c := range s.contexts {
			add(s, !open[c], load{bytes: int64(len(c.state))})
		}
	}
	return active, ended, owners
}

func checkSums(t *testing.T, j *Journal) {
	t.Helper()
	active, ended, owners := recount(j)
	if j.active != active || j.ended != ended {
		t.Fatalf("active %+v and ended %+v, recounted %+v and %+v", j.active, j.ended, active, ended)
	}
	if len(owners) != len(j.owners) {
		t.Fatalf("%d owners, recounted %d", len(j.owners), len(owners))
	}
	for key, want := range owners {
		if o := j.owners[key]; o.active.bytes != want[0] || o.endedBytes != want[1] {
			t.Fatalf("%v has %d and %d bytes, recounted %v", key, o.active.bytes, o.endedBytes, want)
		}
	}
}

// TestSumsEqualRecount makes tasks that share contexts, and changes, ends and removes them in random order.
func TestSumsEqualRecount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		j := New(&Options{MaxFinished: 12, MaxActive: 30, MaxBytes: 100 << 10})
		var held []journal.Lease
		heads := map[journal.Key]*journal.Head{}
		for step := range 1000 {
			c := &journal.Commit{Create: &journal.Create{Holder: "h", TTL: time.Hour}}
			head := &journal.Head{ContextID: a2a.ContextID(fmt.Sprint(rng.IntN(3))), Seq: 1}
			at := rng.IntN(len(held) + 2)
			if at < len(held) {
				c.Create, c.Lease = nil, held[at]
				*head = *heads[held[at].Key]
				c.Expect = head.Seq
				head.Seq++
			} else {
				head.Key.Scope = journal.Scope{Agent: fmt.Sprint(rng.IntN(2)), Owner: fmt.Sprint(rng.IntN(3))}
				head.Key.ID = a2a.TaskID(fmt.Sprint(step))
				c.Create.IdempotencyKey = []string{"", fmt.Sprint("key", step)}[rng.IntN(2)]
			}
			head.Status = a2a.TaskStatus{State: a2a.TaskStateInputRequired, Timestamp: time.Now()}
			if rng.IntN(4) == 0 {
				head.Status.State = a2a.TaskStateCompleted
			}
			task := &a2a.Task{ID: head.Key.ID, ContextID: head.ContextID, Status: head.Status,
				Metadata: a2a.Metadata{"x": some(rng, 2000)}}
			c.Key, c.Head, c.Taken = head.Key, head, uint64(rng.IntN(4))
			c.Events = []journal.Event{{Seq: head.Seq, Time: time.Now(), Wire: a2a.NewStreamEvent("", task)}}
			if rng.IntN(2) == 0 {
				c.TaskState = some(rng, 500)
			}
			if rng.IntN(2) == 0 {
				c.ContextState = some(rng, 5000)
			}
			lease, err := j.Append(t.Context(), c)
			switch {
			case errors.Is(err, journal.ErrFull):
			case c.Create != nil && err == nil:
				held = append(held, lease)
				heads[c.Key] = head
			case err == nil:
				heads[c.Key] = head
			case !errors.Is(err, journal.ErrNotFound) && !errors.Is(err, journal.ErrFinished):
				t.Fatal(err)
			}
			checkSums(t, j)
			if len(held) > 0 {
				in := journal.Input{Kind: journal.InputMessage,
					IdempotencyKey: []string{"", "k", fmt.Sprint(step)}[rng.IntN(3)],
					Message:        a2a.NewMessage(a2a.RoleUser, a2a.TextPart(string(some(rng, 900))))}
				j.Enqueue(t.Context(), held[rng.IntN(len(held))].Key, in, 0)
				checkSums(t, j)
			}
			if step%50 == 49 {
				for _, l := range held {
					j.Release(t.Context(), l)
				}
				if _, err := j.Prune(t.Context(), time.Now().Add(-time.Duration(rng.IntN(3))*time.Millisecond),
					5); err != nil {
					t.Fatal(err)
				}
				held = nil
				checkSums(t, j)
			}
		}
	}
}

func some(rng *rand.Rand, most int) []byte {
	b := make([]byte, 1+rng.IntN(most))
	for i := range b {
		b[i] = '1'
	}
	return b
}

// TestContextStateIsCountedOnce replaces the large state of a context by the second of its two tasks, and removes the
// first.
func TestContextStateIsCountedOnce(t *testing.T) {
	t.Parallel()
	j := New(&Options{MaxBytes: 1 << 20})
	for i, size := range []int{100 << 10, 1} {
		key := journal.Key{Scope: journal.Scope{Agent: "a", Owner: "o"}, ID: a2a.TaskID(fmt.Sprint(i))}
		head := &journal.Head{Key: key, ContextID: "c", Seq: 1, Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
		task := &a2a.Task{ID: key.ID, ContextID: "c", Status: head.Status}
		_, err := j.Append(t.Context(), &journal.Commit{
			Key: key, Create: &journal.Create{Holder: "h", TTL: time.Hour}, Head: head, Release: true,
			ContextState: make([]byte, size),
			Events:       []journal.Event{{Seq: 1, Wire: a2a.NewStreamEvent("", task)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range j.scopes[key.Scope].tasks {
			if task.bytes < taskBytes {
				t.Errorf("task %s takes %d bytes", task.head.Key.ID, task.bytes)
			}
		}
		checkSums(t, j)
	}
}
