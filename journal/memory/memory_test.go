// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// ended returns the one commit that makes a task and ends it.
func ended(key journal.Key, now time.Time) *journal.Commit {
	done := a2a.TaskStatus{State: a2a.TaskStateCompleted, Timestamp: now}
	task := &a2a.Task{ID: key.ID, ContextID: "c-" + a2a.ContextID(key.ID),
		Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted, Timestamp: now}}
	update := &a2a.StatusUpdate{TaskID: key.ID, ContextID: task.ContextID, Status: done}
	return &journal.Commit{
		Key:     key,
		Create:  &journal.Create{Holder: "h", TTL: time.Minute},
		Release: true,
		Events: []journal.Event{
			{Seq: 1, Time: now, Wire: a2a.NewStreamEvent("1", task)},
			{Seq: 2, Time: now, Wire: a2a.NewStreamEvent("2", update)},
		},
		Head: &journal.Head{Key: key, ContextID: task.ContextID, Status: done, Created: now, Seq: 2},
	}
}

var scope = journal.Scope{Agent: "a", Owner: "o"}

func TestOldestEndedTasksAreForgotten(t *testing.T) {
	t.Parallel()
	j := memory.New(&memory.Options{MaxFinished: 3})
	for i := range 10 {
		key := journal.Key{Scope: scope, ID: a2a.TaskID(fmt.Sprint("t", i))}
		if _, err := j.Append(t.Context(), ended(key, time.Now())); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		_, err := j.Load(t.Context(), journal.Key{Scope: scope, ID: a2a.TaskID(fmt.Sprint("t", i))})
		if kept := i >= 7; kept != (err == nil) || !kept && !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("task %d: error %v", i, err)
		}
	}
	page, err := j.List(t.Context(), scope, journal.Query{})
	if err != nil || page.Total != 3 || len(page.Heads) != 3 {
		t.Errorf("list: %d of %d, error %v", len(page.Heads), page.Total, err)
	}
}

func TestTasksThatHaveNotEndedAreBounded(t *testing.T) {
	t.Parallel()
	j := memory.New(&memory.Options{MaxActive: 2})
	create := func(id a2a.TaskID, state a2a.TaskState) error {
		c := ended(journal.Key{Scope: scope, ID: id}, time.Now())
		c.Head.Status.State = state
		_, err := j.Append(t.Context(), c)
		return err
	}
	for _, id := range []a2a.TaskID{"1", "2"} {
		if err := create(id, a2a.TaskStateInputRequired); err != nil {
			t.Fatal(err)
		}
	}
	if err := create("3", a2a.TaskStateWorking); !errors.Is(err, journal.ErrFull) {
		t.Errorf("third waiting task: error %v, want ErrFull", err)
	}
	if err := create("4", a2a.TaskStateCompleted); err != nil {
		t.Errorf("a task that has ended needs no room: %v", err)
	}
	if n, err := j.Prune(t.Context(), time.Now().Add(time.Hour), 2); n != 2 || err != nil {
		t.Fatalf("pruned %d, error %v", n, err)
	}
	if err := create("5", a2a.TaskStateWorking); err != nil {
		t.Errorf("there is room again: %v", err)
	}
}

func BenchmarkCreateAndEnd(b *testing.B) {
	j := memory.New(nil)
	keys := make([]journal.Key, 50_000)
	for i := range keys {
		keys[i] = journal.Key{Scope: scope, ID: a2a.NewTaskID()}
	}
	now := time.Now()
	commits := make([]*journal.Commit, len(keys))
	for i, k := range keys {
		now = now.Add(time.Microsecond)
		commits[i] = ended(k, now)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Append(b.Context(), commits[i%len(commits)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkCreateAndEndParallel(b *testing.B) {
	j := memory.New(nil)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := j.Append(b.Context(),
				ended(journal.Key{Scope: scope, ID: a2a.NewTaskID()}, time.Now())); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkLoadEnded(b *testing.B) {
	j := memory.New(nil)
	key := journal.Key{Scope: scope, ID: "t"}
	if _, err := j.Append(b.Context(), ended(key, time.Now())); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Load(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHeapPerTask(b *testing.B) {
	for b.Loop() {
		j := memory.New(nil)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 10_000 {
			if _, err := j.Append(b.Context(),
				ended(journal.Key{Scope: scope, ID: a2a.NewTaskID()}, time.Now())); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/10_000, "B/task")
		runtime.KeepAlive(j)
	}
}

// TestTime holds leases and timers against a clock that moves when told.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := memory.New(nil)
		key := journal.Key{Scope: scope, ID: "t"}
		c := ended(key, time.Now())
		c.Head.Status.State = a2a.TaskStateWorking
		c.Head.Run.WakeAt = time.Now().Add(time.Hour)
		if _, err := j.Append(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		claims := func(holder string) int {
			claimed, err := j.Claim(t.Context(), holder, []string{"a"}, time.Minute, 10)
			if err != nil {
				t.Fatal(err)
			}
			return len(claimed)
		}
		for _, step := range []struct {
			wait time.Duration
			want int
		}{{time.Hour - 1, 0}, {1, 1}, {time.Minute - 1, 0}, {1, 1}, {0, 0}} {
			time.Sleep(step.wait)
			if n := claims("h"); n != step.want {
				t.Errorf("%v later: %d claimed, want %d", step.wait, n, step.want)
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	j := memory.New(nil)
	for range 10_000 {
		if _, err := j.Append(b.Context(),
			ended(journal.Key{Scope: scope, ID: a2a.NewTaskID()}, time.Now())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.List(b.Context(), scope, journal.Query{State: a2a.TaskStateCompleted}); err != nil {
			b.Fatal(err)
		}
	}
}
