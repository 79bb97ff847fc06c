// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// A held store keeps nothing while it is held, and tells when it was asked to.
type held struct {
	coord.Store
	mu    sync.Mutex
	gate  chan struct{} // nil while it is not held
	asked chan struct{}
}

func (s *held) Append(ctx context.Context, all []coord.Commit) error {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		select {
		case s.asked <- struct{}{}:
		default:
		}
		<-gate
	}
	return s.Store.Append(ctx, all)
}

func (s *held) hold() (free func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gate := make(chan struct{})
	s.gate = gate
	return func() {
		s.mu.Lock()
		s.gate = nil
		s.mu.Unlock()
		close(gate)
	}
}

// A call that is canceled while what it did is being kept leaves nothing behind that nobody knows of.
func TestCanceledWhileKept(t *testing.T) {
	t.Parallel()
	announce := func(path string, wait time.Duration) coord.Announce {
		c := lock("b", path)
		c.Wait = wait
		return c
	}
	for name, test := range map[string]struct {
		begin coord.Command // that is being kept already
		c     coord.Command
	}{
		"a lease":            {nil, announce("y", 0)},
		"a claim":            {nil, announce("x", time.Minute)},
		"a question":         {nil, coord.Ask{From: "b", To: "a", Query: "?"}},
		"an awaited one":     {nil, coord.Ask{From: "b", To: "a", Query: "?", Wait: true, Timeout: time.Minute}},
		"a check":            {nil, coord.Check{Session: "b"}},
		"a lease one waited": {coord.Release{Session: "a", Path: "x"}, announce("x", time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tables, _ := openTables(t)
			s := &held{Store: tables, asked: make(chan struct{}, 1)}
			h := newHub(t, &coord.HubOptions{Store: s})
			register(t, h, "a", "b")
			do(t, h, lock("a", "x"))
			do(t, h, coord.Broadcast{Session: "a", Content: "hello"})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			run := func() {
				_, err := h.Do(ctx, project, "", test.c)
				done <- err
			}
			if test.begin != nil { // b waits, and gets it
				go run()
				eventually(t, func() bool { return contains(do(t, h, coord.ListLocks{}), `"queue":[{`) })
			}
			free := s.hold()
			var wg sync.WaitGroup
			switch {
			case test.begin != nil:
				wg.Go(func() { do(t, h, test.begin) })
			case name == "a check":
				wg.Go(func() { do(t, h, coord.Broadcast{Session: "a", Content: "again"}) })
			}
			if name == "a check" {
				<-s.asked
			}
			if test.begin == nil {
				go run()
			}
			if name != "a check" {
				<-s.asked
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			free()
			wg.Wait()
			if test.begin == nil {
				do(t, h, coord.Release{Session: "a", Path: "x"})
			}
			if got := do(t, h, coord.ListLocks{}); got != `{"leases":[],"queue":[]}` {
				t.Error(got)
			}
			if got := do(t, h, coord.ListWaits{}); got != `[]` {
				t.Error(got)
			}
			if got := do(t, h, coord.Check{Session: "a"}); got != `[]` {
				t.Error(got)
			}
			if got := do(t, h, coord.Check{Session: "b"}); !contains(got, "hello") {
				t.Errorf("lost: %s", got)
			}
		})
	}
}

// A question that is taken back as its call was canceled goes also when it has pushed another one out of a full inbox.
func TestCanceledQuestionToAFullInbox(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	s := &held{Store: tables, asked: make(chan struct{}, 1)}
	h := newHub(t, &coord.HubOptions{Store: s})
	register(t, h, "a", "b")
	do(t, h, coord.Ask{From: "a", To: "b", Query: "old?"})
	for i := range 999 {
		do(t, h, coord.Respond{From: "a", To: "b", MessageID: fmt.Sprint("x", i), Response: "of no query"})
	}
	free := s.hold()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.Do(ctx, project, "", coord.Ask{From: "a", To: "b", Query: "new?"})
		done <- err
	}()
	<-s.asked
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	free()
	for got := ""; got != "[]"; {
		if got = do(t, h, coord.Check{Session: "b"}); contains(got, "new?") || contains(got, "old?") {
			t.Error("the question is still there")
		}
	}
}

// A lease that the session has announced again since is not taken back with the call that was canceled.
func TestCanceledBesideAnother(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	s := &held{Store: tables, asked: make(chan struct{}, 1)}
	h := newHub(t, &coord.HubOptions{Store: s})
	register(t, h, "a")
	free := s.hold()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		if _, err := h.Do(ctx, project, "", lock("a", "x")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	<-s.asked
	again := make(chan string, 1)
	go func() { again <- do(t, h, lock("a", "x")) }()
	eventually(t, func() bool { return coord.AnnouncedAgain(h, project, "a") })
	cancel()
	free()
	if got := <-again; status(t, got) != "locked" {
		t.Error(got)
	}
	wg.Wait()
	if got := do(t, h, coord.ListLocks{}); !contains(got, `"paths":["x"]`) {
		t.Error(got)
	}
}

// A session that loads a project and leaves does not make others leave.
func TestCanceledLoad(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	loading, loaded := make(chan struct{}), make(chan struct{})
	s := &faulty{Store: tables, before: func([]coord.Commit) error { return nil },
		load: func(ctx context.Context) error {
			close(loading)
			select {
			case <-loaded:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
	h := newHub(t, &coord.HubOptions{Store: s})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := h.Do(ctx, project, "", coord.ListAgents{})
		first <- err
	}()
	<-loading
	go func() {
		_, err := h.Do(context.Background(), project, "", coord.ListAgents{})
		second <- err
	}()
	eventually(t, func() bool { return coord.Users(h, project) == 3 })
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(loaded)
	if err := <-second; err != nil {
		t.Error(err)
	}
}

// A project that is being loaded does not hold up the end of the coordinator.
func TestCloseWhileLoading(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	loading := make(chan struct{})
	s := &faulty{Store: tables, before: func([]coord.Commit) error { return nil },
		load: func(ctx context.Context) error {
			close(loading)
			<-ctx.Done()
			return ctx.Err()
		}}
	h := newHub(t, &coord.HubOptions{Store: s})
	done := make(chan error, 1)
	go func() {
		_, err := h.Do(context.Background(), project, "", coord.ListAgents{})
		done <- err
	}()
	<-loading
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, coord.ErrClosed) {
		t.Error(err)
	}
}

// Looking at projects makes none, and takes no place from those that there are.
func TestLookingMakesNothing(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	for _, store := range []coord.Store{nil, tables} {
		h := newHub(t, &coord.HubOptions{Store: store})
		for i := range 1001 {
			id := fmt.Sprint("p", i)
			for _, c := range []coord.Command{coord.ListAgents{}, coord.Heartbeat{Session: "a"},
				coord.Check{Session: "a", Peek: true}} {
				if _, err := h.Do(t.Context(), id, "", c); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := h.Last(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, func() bool { return coord.InUse(h) == 0 }) // the sweeper may be looking at the last one
		register(t, h, "a")
		if got, err := h.Projects(t.Context()); err != nil || len(got) != 1 || got[0] != project {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// There is a limit to the projects in which something happens. One that rests makes room for another.
func TestProjectLimit(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	begin := func(h *coord.Hub, i int) error {
		_, err := h.Do(t.Context(), fmt.Sprint("p", i), "", coord.Register{Session: "a", TaskID: "1"})
		return err
	}
	for i := range 1000 {
		if err := begin(h, i); err != nil {
			t.Fatal(err)
		}
	}
	if _, bad := errors.AsType[*coord.BadProjectError](begin(h, 1000)); !bad {
		t.Error("there is a project beyond the limit")
	}
	if got, err := h.Do(t.Context(), "p1000", "", coord.ListAgents{}); err != nil || mustJSON(t, got) != "{}" {
		t.Errorf("%v %v", got, err)
	}
	if err := begin(h, 999); err != nil {
		t.Error(err)
	}
}

// Projects in which nobody is do not stay in memory, and are there again when somebody comes.
func TestIdleProjectsRest(t *testing.T) {
	kept := newMemory()
	synctest.Test(t, func(t *testing.T) {
		h := coord.NewHub(&coord.HubOptions{Store: kept})
		defer h.Close()
		register(t, h, "a", "b")
		do(t, h, coord.AddTodo{Session: "a", Item: "write"})
		do(t, h, coord.Unregister{Session: "b"})
		leave := h.Connect(project, "a")
		time.Sleep(time.Hour)
		if coord.InUse(h) != 1 {
			t.Error("the project of an agent that is there is gone")
		}
		leave()
		time.Sleep(coord.DefaultSessionTimeout + 10*time.Minute + 5*time.Second)
		if n := coord.InUse(h); n != 0 {
			t.Errorf("%d projects are in memory", n)
		}
		if got := do(t, h, coord.Register{Session: "a", TaskID: "of a"}); status(t, got) != "registered" {
			t.Error(got)
		}
		if got := do(t, h, coord.MyTodos{Session: "a"}); !contains(got, "write") {
			t.Error(got)
		}
	})
}

// The data of dead sessions is kept for a day, also when the coordinator restarts again and again.
func TestStaleSessionsAreDeletedInTime(t *testing.T) {
	kept := newMemory()
	synctest.Test(t, func(t *testing.T) {
		for i := range 10 {
			h := coord.NewHub(&coord.HubOptions{Store: kept})
			do(t, h, coord.ListAgents{})
			if i == 0 {
				register(t, h, "a", "b")
				do(t, h, coord.AddTodo{Session: "a", Item: "write"})
			}
			time.Sleep(5 * time.Hour)
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if kept.count(coord.KindDeleted) > 0 {
				return
			}
		}
		t.Error("the dead are never forgotten")
	})
}

// A slow project does not stop the time of others.
func TestEachProjectHasItsTime(t *testing.T) {
	t.Parallel()
	h := newHub(t, &coord.HubOptions{SessionTimeout: time.Second})
	for _, id := range []string{"slow", "other"} {
		if _, err := h.Do(t.Context(), id, "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	free := coord.Freeze(h, "slow")
	defer free()
	eventually(t, func() bool {
		result, err := h.Do(t.Context(), "other", "", coord.ListAgents{})
		return err == nil && mustJSON(t, result) == "{}"
	})
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An answer whose call is canceled while it is being kept is in the inbox.
func TestAnswerWhileItIsKept(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	s := &held{Store: tables, asked: make(chan struct{}, 1)}
	h := newHub(t, &coord.HubOptions{Store: s})
	register(t, h, "a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.Do(ctx, project, "", coord.Ask{From: "a", To: "b", Query: "what?", Wait: true,
			Timeout: time.Minute})
		done <- err
	}()
	var messages []coord.MessageInfo
	eventually(t, func() bool {
		messages = decode[[]coord.MessageInfo](t, do(t, h, coord.Check{Session: "b", Peek: true}))
		return len(messages) == 1
	})
	free := s.hold()
	var wg sync.WaitGroup
	wg.Go(func() { do(t, h, coord.Respond{From: "b", MessageID: messages[0].ID, Response: "that"}) })
	<-s.asked
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	free()
	wg.Wait()
	if got := do(t, h, coord.Check{Session: "a"}); !contains(got, "that") {
		t.Errorf("the answer is lost: %s", got)
	}
}
