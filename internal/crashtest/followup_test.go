// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// onEachJournal runs a proof on each kind of journal there is.
func onEachJournal(t *testing.T, prove func(*testing.T, journal.Journal)) {
	t.Run("memory", func(t *testing.T) { prove(t, memory.New(nil)) })
	t.Run("sqlite", func(t *testing.T) {
		db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		j, err := sql.New(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		prove(t, j)
	})
}

// asker asks again and again, and reads the task each time, as agents with a language model do.
type asker struct{}

func (asker) Run(_ context.Context, t *agent.Turn) error {
	if len(t.Task().History) == 0 {
		return agent.Reject(a2a.TextPart("there is no history"))
	}
	return t.Ask(a2a.TextPart("and then?"))
}

// cost is what one message to a task takes.
type cost struct {
	bytes, nanos uint64 // that were allocated, and that passed
}

// conversation is a task that is asked again and again.
type conversation struct {
	svc a2a.Service
	id  a2a.TaskID
}

func (c *conversation) say(t *testing.T) cost {
	t.Helper()
	none := 0
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("it was a dark and stormy night"))
	m.TaskID = c.id
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	res, err := c.svc.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m,
		Configuration: &a2a.SendConfiguration{HistoryLength: &none}})
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	c.id = res.(*a2a.Task).ID
	return cost{after.TotalAlloc - before.TotalAlloc, uint64(took)}
}

// TestFollowUpsCostTheSame has a conversation of many turns: its last messages cost what those of a new one do.
func TestFollowUpsCostTheSame(t *testing.T) {
	onEachJournal(t, func(t *testing.T, j journal.Journal) {
		turns := prove(300, 10_000)
		e, err := engine.New(&engine.Options{Journal: j, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Shutdown(context.Background())
		svc := e.Agent("asker", asker{}, nil)
		long, short := &conversation{svc: svc}, &conversation{svc: svc}
		for range turns {
			long.say(t)
		}
		for range 10 {
			short.say(t)
		}
		const compared = 51 // messages to each, in turn, as the machine may be busy with something else
		var first, last [compared]cost
		for i := range compared {
			first[i], last[i] = short.say(t), long.say(t)
		}
		bytes := func(c cost) uint64 { return c.bytes }
		nanos := func(c cost) uint64 { return c.nanos }
		t.Logf("a message costs %d bytes and %v after 10 turns, %d and %v after %d", median(first[:], bytes),
			time.Duration(median(first[:], nanos)), median(last[:], bytes), time.Duration(median(last[:], nanos)),
			turns)
		if a, z := median(first[:], bytes), median(last[:], bytes); z*2 > a*3 {
			t.Errorf("%d bytes allocated became %d", a, z)
		}
		if a, z := median(first[:], nanos), median(last[:], nanos); prove(false, true) && z*2 > a*3 {
			t.Errorf("%v became %v", time.Duration(a), time.Duration(z))
		}
	})
}

func median(costs []cost, of func(cost) uint64) uint64 {
	all := make([]uint64, len(costs))
	for i, c := range costs {
		all[i] = of(c)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
