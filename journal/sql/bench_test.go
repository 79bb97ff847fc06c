// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/sql"
)

// ended returns the one commit that makes a task and ends it.
func ended() *journal.Commit {
	now := time.Now()
	key := journal.Key{Scope: journal.Scope{Agent: "a"}, ID: a2a.NewTaskID()}
	w := newWriter(nil, key)
	w.head.ContextID = a2a.NewContextID()
	head := w.head
	head.Status = a2a.TaskStatus{State: a2a.TaskStateCompleted, Timestamp: now}
	c := &journal.Commit{Key: key, Create: &journal.Create{Holder: "h", TTL: time.Minute}, Release: true, Head: &head,
		Task: w.projection.Task}
	w.add(c, &a2a.Task{ID: key.ID, ContextID: head.ContextID,
		Status:  a2a.TaskStatus{State: a2a.TaskStateSubmitted, Timestamp: now},
		History: []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Good morning"))}})
	w.add(c, &a2a.StatusUpdate{TaskID: key.ID, ContextID: head.ContextID, Status: head.Status})
	return c
}

func BenchmarkCreateAndEnd(b *testing.B) {
	j := newJournal(b, openDB(b, b.TempDir()))
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := j.Append(b.Context(), ended()); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkAppendChunks(b *testing.B) {
	w := newWriter(newJournal(b, openDB(b, b.TempDir())), crashKey(0))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.write(100); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/chunk")
}

func BenchmarkLoadEnded(b *testing.B) {
	j := newJournal(b, openDB(b, b.TempDir()))
	keys := make([]journal.Key, 1000)
	for i := range keys {
		c := ended()
		keys[i] = c.Key
		if _, err := j.Append(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	loadAll(b, j, keys)
}

func loadAll(b *testing.B, j *sql.Journal, keys []journal.Key) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := j.Load(b.Context(), keys[i%len(keys)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
