// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// TestStuckReadersHoldNoEndedTask has many large tasks end, each beside a reader that reads no further. The engine
// keeps 32 MB of them for those who ask again; the readers hold the newest events of each and no more.
func TestStuckReadersHoldNoEndedTask(t *testing.T) {
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j, err := sql.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	const tasks, chunks, size = 10, 160, 50_000
	f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
		if _, err := t.Await(ctx, a2a.TextPart("when?")); err != nil {
			return err
		}
		w := t.NewArtifact("a")
		for range chunks {
			if _, err := w.WriteString(strings.Repeat("x", size)); err != nil {
				return err
			}
		}
		return nil
	}), &engine.Options{Journal: j})
	before := liveHeap()
	for range tasks {
		task := f.send(text("hi"))
		events, err := f.svc.Subscribe(f.ctx, &a2a.SubscribeRequest{ID: task.ID})
		if err != nil {
			t.Fatal(err)
		}
		next, stop := iter.Pull2(events)
		defer stop()
		if _, err, ok := next(); err != nil || !ok {
			t.Fatal("the reader is not shown the task", err)
		}
		if got := f.send(to(task, "now")); got.Status.State != a2a.TaskStateCompleted {
			t.Fatalf("the task is %s", got.Status.State)
		}
	}
	const most = 32<<20 + tasks*3<<20 // what the engine keeps, and the newest events of each task with room to spare
	var held int64
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if held = liveHeap() - before; held < most {
			t.Logf("%d KiB are held of %d", held>>10, tasks*chunks*size>>10)
			return
		}
	}
	t.Errorf("%d KiB are held of %d, want less than %d", held>>10, tasks*chunks*size>>10, most>>10)
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
