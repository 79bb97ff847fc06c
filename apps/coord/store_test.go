// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// openTables returns tables in a database of the test's, and that.
func openTables(t *testing.T) (*coord.Tables, *store.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	tables, err := coord.OpenTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return tables, db
}

// A faulty store asks what to do before it keeps anything.
type faulty struct {
	coord.Store
	before func(all []coord.Commit) error

	mu   sync.Mutex
	load func(ctx context.Context) error
}

func (s *faulty) Append(ctx context.Context, all []coord.Commit) error {
	if err := s.before(all); err != nil {
		return err
	}
	return s.Store.Append(ctx, all)
}

func (s *faulty) Load(ctx context.Context, project string) ([]byte, []coord.Event, error) {
	s.mu.Lock()
	load := s.load
	s.mu.Unlock()
	if load != nil {
		if err := load(ctx); err != nil {
			return nil, nil, err
		}
	}
	return s.Store.Load(ctx, project)
}

var quiet = slog.New(slog.DiscardHandler) // where failures are meant

var errDisk = errors.New("the disk is full")

// todos returns the to-do list of a session.
func todos(t *testing.T, h *coord.Hub, id, session string) map[string]bool {
	t.Helper()
	result, err := h.Do(t.Context(), id, "", coord.MyTodos{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, todo := range result.(coord.TodoList).Todos {
		if all[todo.Text] {
			t.Errorf("%s is there twice", todo.Text)
		}
		all[todo.Text] = true
	}
	return all
}

// callers add to-dos, many at once, and return which were acknowledged and which refused.
func callers(t *testing.T, h *coord.Hub, what string) (acknowledged, refused []string) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		wg.Go(func() {
			for k := range 6 {
				item := fmt.Sprint(what, " ", i, " ", k)
				_, err := h.Do(context.Background(), "p", "", coord.AddTodo{Session: "a", Item: item})
				mu.Lock()
				if err == nil {
					acknowledged = append(acknowledged, item)
				} else {
					refused = append(refused, item)
				}
				mu.Unlock()
				if err != nil && !errors.Is(err, coord.ErrNotKept) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return acknowledged, refused
}

// checkKept checks that what was acknowledged is there and what was refused is not, also for who loads the project
// again.
func checkKept(t *testing.T, h *coord.Hub, tables *coord.Tables, acknowledged, refused []string) {
	t.Helper()
	again := newHub(t, &coord.HubOptions{Store: tables})
	for _, h := range []*coord.Hub{h, again} {
		there := todos(t, h, "p", "a")
		for _, item := range acknowledged {
			if !there[item] {
				t.Errorf("%s was acknowledged and is lost", item)
			}
		}
		for _, item := range refused {
			if there[item] {
				t.Errorf("%s was refused and is there", item)
			}
		}
	}
}

// A store that fails for a while loses nothing that was acknowledged, and the project goes on, whichever commit it is
// that fails.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	for position := range 12 {
		for _, times := range []int{1, 2, 3} {
			t.Run(fmt.Sprint(position, " ", times), func(t *testing.T) {
				t.Parallel()
				tables, _ := openTables(t)
				n := 0
				s := &faulty{Store: tables, before: func([]coord.Commit) error {
					if n++; n > position+1 && n <= position+1+times {
						return errDisk
					}
					return nil
				}}
				h := newHub(t, &coord.HubOptions{Store: s, Logger: quiet})
				if _, err := h.Do(t.Context(), "p", "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
					t.Fatal(err)
				}
				acknowledged, refused := callers(t, h, "before")
				if times == 1 && len(refused) > 0 {
					t.Errorf("%d were refused, though the store could keep them the next time", len(refused))
				}
				checkKept(t, h, tables, acknowledged, refused)
			})
		}
	}
}

// The same with a database that refuses.
func TestDatabaseFails(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	h := newHub(t, &coord.HubOptions{Store: tables, Logger: quiet})
	if _, err := h.Do(t.Context(), "p", "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
		t.Fatal(err)
	}
	run := func(query string) {
		t.Helper()
		err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, query)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	run(
		`CREATE TRIGGER full BEFORE INSERT ON coord_events WHEN new.seq % 7 = 0 BEGIN SELECT RAISE(ABORT,` +
			` 'database or disk is full'); END`)
	acknowledged, refused := callers(t, h, "before")
	if len(refused) == 0 {
		t.Error("nothing was refused")
	}
	run(`DROP TRIGGER full`)
	more, none := callers(t, h, "after")
	if len(none) > 0 {
		t.Errorf("%d were refused after the database had recovered", len(none))
	}
	there := todos(t, h, "p", "a")
	for _, item := range append(acknowledged, more...) {
		if !there[item] {
			t.Errorf("%s was acknowledged and is lost", item)
		}
	}
}

// Two coordinators on one store do not fork the history of a project.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	one, two := newHub(t, &coord.HubOptions{Store: tables}), newHub(t, &coord.HubOptions{Store: tables, Logger: quiet})
	if _, err := one.Do(t.Context(), "p", "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
		t.Fatal(err)
	}
	todos(t, two, "p", "a")
	if _, err := one.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "one"}); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "two"}); !errors.Is(err,
		coord.ErrNotKept) {
		t.Errorf("%v", err)
	}
	if _, err := two.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "three"}); err != nil {
		t.Error(err)
	}
	if there := todos(t, two, "p", "a"); len(there) != 2 || !there["one"] || !there["three"] {
		t.Errorf("%v", there)
	}
	// A gap is refused as well.
	gap := coord.Commit{Project: "p", Events: []coord.Event{{Seq: 9}}, Texts: [][]byte{[]byte("{}")}}
	if err := tables.Append(t.Context(), []coord.Commit{gap}); err == nil {
		t.Error("event 9 follows event 3")
	}
}

// A project that cannot be kept fails alone.
func TestOneProjectFailsAlone(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	var mu sync.Mutex
	fails := false
	s := &faulty{Store: tables, before: func(all []coord.Commit) error {
		select {
		case held <- struct{}{}:
			<-hold
		default:
		}
		mu.Lock()
		defer mu.Unlock()
		for _, c := range all {
			if fails && c.Project == "bad" {
				return errDisk
			}
		}
		return nil
	}}
	held <- struct{}{}
	h := newHub(t, &coord.HubOptions{Store: s, Logger: quiet})
	for _, id := range []string{"good", "bad", "first"} {
		if _, err := h.Do(t.Context(), id, "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	fails = true
	mu.Unlock()
	<-held // the next one waits, and those that come meanwhile are one batch
	var wg sync.WaitGroup
	errs := make([]error, 21)
	add := func(i int, id string) {
		wg.Go(func() {
			_, errs[i] = h.Do(context.Background(), id, "", coord.AddTodo{Session: "a", Item: fmt.Sprint(i)})
		})
	}
	add(20, "first")
	eventually(t, func() bool { return len(held) == 1 })
	for i := range 20 {
		add(i, []string{"good", "bad"}[i%2])
	}
	eventually(t, func() bool {
		_, err := h.Do(shortly(t), "good", "", coord.MyTodos{Session: "a"})
		return errors.Is(err, context.DeadlineExceeded) // it waits for those before
	})
	close(hold)
	wg.Wait()
	for i, err := range errs[:20] {
		if bad := i%2 == 1; bad != errors.Is(err, coord.ErrNotKept) || !bad && err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func shortly(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls until something is so.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for ticker := time.NewTicker(time.Millisecond); !so(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatal("it never comes to that")
		}
	}
}

// An inMemory store has no goroutines, for tests with a clock of their own.
type inMemory struct {
	mu     sync.Mutex
	events map[string][]coord.Event
}

func newMemory() *inMemory { return &inMemory{events: make(map[string][]coord.Event)} }

func (s *inMemory) Append(_ context.Context, all []coord.Commit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range all {
		s.events[c.Project] = append(s.events[c.Project], c.Events...)
	}
	return nil
}

func (s *inMemory) Load(_ context.Context, project string) ([]byte, []coord.Event, error) {
	events, err := s.Events(context.Background(), project, 0, 0)
	return nil, events, err
}

func (s *inMemory) Events(_ context.Context, project string, after int64, _ int) ([]coord.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events[project][after:]), nil
}

func (s *inMemory) Prune(context.Context, time.Time) error { return nil }

func (s *inMemory) DeleteProject(_ context.Context, project string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.events, project)
	return nil
}

func (s *inMemory) Projects(context.Context) ([]string, error) { return nil, nil }

func (s *inMemory) count(kind coord.Kind) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, e := range s.events[project] {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// Commands after a failed commit are done again, and watchers see them.
func TestLaterCallsAreDoneAgain(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	asked, hold := make(chan struct{}, 1), make(chan struct{})
	s := &faulty{Store: tables, before: func(all []coord.Commit) error {
		for _, c := range all {
			for _, e := range c.Events {
				if e.Todo != nil && e.Todo.Text == "bad" {
					select {
					case asked <- struct{}{}:
					default:
					}
					<-hold
					return errDisk
				}
			}
		}
		return nil
	}}
	h := newHub(t, &coord.HubOptions{Store: s, Logger: quiet})
	register(t, h, "a")
	seen := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		for e, err := range h.Events(ctx, project, 0) {
			if err != nil {
				t.Error(err)
			}
			if e.Todo != nil {
				seen <- e.Todo.Text
			}
		}
	})
	add := func(item string) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := h.Do(context.Background(), project, "", coord.AddTodo{Session: "a", Item: item})
			done <- err
		}()
		return done
	}
	bad := add("bad")
	<-asked
	good := add("good")
	eventually(t, func() bool { return coord.Newest(h, project) == 3 })
	close(hold)
	if err := <-bad; !errors.Is(err, coord.ErrNotKept) {
		t.Error(err)
	}
	if err := <-good; err != nil {
		t.Error(err)
	}
	if got := <-seen; got != "good" {
		t.Errorf("those who watch saw %s", got)
	}
}

// A query that was waited for when the coordinator ended is answered into the inbox.
func TestAnswersAfterRestart(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	h := coord.NewHub(&coord.HubOptions{Store: tables})
	register(t, h, "a", "b")
	done := make(chan string, 1)
	go func() {
		done <- do(t, h, coord.Ask{From: "a", To: "b", Query: "what?", Wait: true, Timeout: time.Minute})
	}()
	var messages []coord.MessageInfo
	eventually(t, func() bool {
		messages = decode[[]coord.MessageInfo](t, do(t, h, coord.Check{Session: "b", Peek: true}))
		return len(messages) == 1
	})
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if got := <-done; !contains(got, coord.CodeShutdown) {
		t.Error(got)
	}
	h = newHub(t, &coord.HubOptions{Store: tables})
	do(t, h, coord.Respond{From: "b", MessageID: messages[0].ID, Response: "that"})
	if got := do(t, h, coord.Check{Session: "a"}); !contains(got, "that") {
		t.Error(got)
	}
}
