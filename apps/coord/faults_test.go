// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// Each test here is named after a fault that a server of this kind had, or could have.

// decode returns a result as a value.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestTodosThatAreAddedAndUpdatedAtOnce(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	var ids []string
	for i := range 30 {
		ids = append(ids, decode[coord.TodoAdded](t,
			do(t, h, coord.AddTodo{Session: "a", Item: fmt.Sprint("before ", i)})).ID)
	}
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { do(t, h, coord.AddTodo{Session: "a", Item: fmt.Sprint("added ", i)}) })
		wg.Go(func() { do(t, h, coord.UpdateTodo{Session: "a", ID: ids[i], Status: "completed"}) })
	}
	wg.Wait()
	list := decode[coord.TodoList](t, do(t, h, coord.MyTodos{Session: "a"}))
	seen, completed := map[string]bool{}, 0
	for _, todo := range list.Todos {
		seen[todo.ID] = true
		if todo.Status == "completed" {
			completed++
		}
	}
	if list.Total != 40 || len(seen) != 40 || completed != 10 {
		t.Errorf("%d todos with %d ids, %d completed", list.Total, len(seen), completed)
	}
}

// Ten thousand broadcasts while three readers empty one inbox: each is read once.
func TestBroadcastsAreReadOnce(t *testing.T) {
	t.Parallel()
	const senders, each = 10, 1000
	h := newHub(t, nil)
	register(t, h, "reader")
	var sending, reading sync.WaitGroup
	for i := range senders {
		sending.Go(func() {
			for j := range each {
				for waiting := 1000; waiting > 500; { // an inbox has its limit
					_, n, err := h.Note(t.Context(), project, "reader")
					if err != nil {
						t.Error(err)
						return
					}
					if waiting = n; waiting > 500 {
						runtime.Gosched()
					}
				}
				do(t, h, coord.Broadcast{Session: fmt.Sprint("s", i), Type: "info",
					Content: fmt.Sprintf("%d/%d", i, j)})
			}
		})
	}
	var mu sync.Mutex
	got := map[string]int{}
	read := func() int {
		messages := decode[[]coord.MessageInfo](t, do(t, h, coord.Check{Session: "reader", Limit: 100}))
		mu.Lock()
		defer mu.Unlock()
		for _, m := range messages {
			got[m.Content]++
		}
		return len(messages)
	}
	done := make(chan struct{})
	for range 3 {
		reading.Go(func() {
			for {
				read()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	sending.Wait()
	close(done)
	reading.Wait()
	for read() > 0 {
	}
	if len(got) != senders*each {
		t.Errorf("%d of %d came", len(got), senders*each)
	}
	for text, n := range got {
		if n != 1 {
			t.Errorf("%s came %d times", text, n)
		}
	}
}

func TestTwoPrincipalsWantOneName(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 100 {
		wg.Go(func() {
			result, err := h.Do(t.Context(), project, fmt.Sprint("principal ", i),
				coord.Register{Session: "a", TaskID: "1"})
			if err != nil {
				t.Error(err)
			}
			if _, ok := result.(coord.Registered); ok {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d have it", won)
	}
}

// A caller may not speak for the session of another one, nor read its messages when it dies.
func TestSessionsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		as := func(principal string, c coord.Command) string {
			result, err := h.Do(t.Context(), project, principal, c)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		as("ann", coord.Register{Session: "a", TaskID: "1"})
		as("bob", coord.Register{Session: "b", TaskID: "2"})
		as("ann", lock("a", "x"))
		as("bob", coord.Ask{From: "b", To: "a", Query: "secret?"})
		id := decode[[]coord.MessageInfo](t, as("ann", coord.Check{Session: "a", Peek: true}))[0].ID
		all := []coord.Command{
			coord.Register{Session: "a", TaskID: "1"}, coord.Heartbeat{Session: "a"}, coord.Unregister{Session: "a"},
			coord.CompleteTask{Session: "a", TaskID: "1"},
			coord.AddTodo{Session: "a", Item: "x"}, coord.UpdateTodo{Session: "a", ID: "x", Status: "blocked"},
			coord.MyTodos{Session: "a"},
			coord.Ask{From: "a", To: "b", Query: "?"}, coord.Check{Session: "a"},
			coord.Respond{From: "a", To: "b", MessageID: id, Response: "!"},
			coord.Broadcast{Session: "a", Type: "info", Content: "!"}, lock("a", "y"),
			coord.Release{Session: "a", Path: "x"},
			coord.CheckLock{Session: "a", Path: "x"}, coord.Define{Session: "a", Name: "I", Definition: "{}"},
		}
		for _, c := range all {
			if got := as("bob", c); !contains(got, `"code":"forbidden"`) {
				t.Errorf("%T: %s", c, got)
			}
		}
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		for _, c := range all[1:] {
			if got := as("bob", c); !contains(got, `"code":"forbidden"`) {
				t.Errorf("%T after its death: %s", c, got)
			}
		}
		if got := as("bob", all[0]); status(t, got) != "registered" {
			t.Errorf("the name of a dead agent is not free: %s", got)
		}
		if got := as("bob", coord.Check{Session: "a"}); got != `[]` {
			t.Errorf("messages of whoever had the name before: %s", got)
		}
	})
}

// A session that lost a lease cannot write with the old token, whether it has the lease again or not.
func TestOldTokensAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		details := lock("a", "x")
		details.Details = true
		token := func(c coord.Announce) int64 {
			got := do(t, h, c)
			if status(t, got) != "locked" {
				t.Fatal(got)
			}
			return decode[struct {
				Token int64 `json:"fencing_token"`
			}](t, got).Token
		}
		first := token(details)
		if got := do(t, h, coord.CheckLock{Session: "a", Path: "./x", Token: first}); status(t, got) != "held" {
			t.Error(got)
		}
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		register(t, h, "b")
		other := details
		other.Session = "b"
		second := token(other)
		if second <= first {
			t.Errorf("token %d after token %d", second, first)
		}
		if got := do(t, h, coord.CheckLock{Session: "a", Path: "x", Token: first}); status(t, got) != "conflict" {
			t.Errorf("a zombie may write: %s", got)
		}
		if got := do(t, h, coord.Release{Session: "a", Path: "x",
			Token: first}); got != `{"status":"error","error":"File is locked by b, not you"}` {
			t.Error(got)
		}
		do(t, h, coord.Release{Session: "b", Path: "x"})
		if got := do(t, h, coord.CheckLock{Session: "a", Path: "x", Token: first}); !contains(got, coord.CodeStale) {
			t.Errorf("a zombie may write: %s", got)
		}
		third := token(details)
		for _, c := range []coord.Command{coord.CheckLock{Session: "a", Path: "x", Token: first},
			coord.Release{Session: "a", Path: "x", Token: first}} {
			if got := do(t, h, c); !contains(got, coord.CodeStale) {
				t.Errorf("%+v: %s", c, got)
			}
		}
		if got := do(t, h, coord.Release{Session: "a", Path: "x", Token: third}); status(t, got) != "released" {
			t.Error(got)
		}
	})
}

// A lease lives no longer than its holder, whatever the holder is: one that never registered, one that has died and
// came back without registering, one that the coordinator only knows from before it was started again.
func TestNoLeaseOutlivesItsHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "zombie")
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		for _, name := range []string{"zombie", "ghost"} {
			if got := do(t, h, lock(name, name)); status(t, got) != "locked" {
				t.Fatal(got)
			}
		}
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		if got := do(t, h, coord.ListLocks{}); got != `{"leases":[],"queue":[]}` {
			t.Error(got)
		}
	})
}

// One whose name, or that of the project, looks like something else dies as others do.
func TestNamesMeanNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		names := []string{"agents", "messages:agents", "a/b", "status", "../../etc/passwd", "*", "__proto__", "лиса",
			strings.Repeat("n", 200)}
		for _, id := range []string{"a:b", "a", "agents", "..x/.y", "b:a:b", project} {
			for _, name := range names {
				for _, c := range []coord.Command{coord.Register{Session: name, TaskID: "1"},
					lock(name, fmt.Sprintf("%x", name))} {
					if result, err := h.Do(t.Context(), id, "", c); err != nil {
						t.Error(err)
					} else if f, bad := result.(coord.Failure); bad {
						t.Errorf("%+v: %+v", c, f)
					}
				}
			}
		}
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		for _, id := range []string{"a:b", "a", "agents", "..x/.y", "b:a:b", project} {
			agents, err := h.Do(t.Context(), id, "", coord.ListAgents{})
			if err != nil {
				t.Fatal(err)
			}
			locks, err := h.Do(t.Context(), id, "", coord.ListLocks{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal([]any{agents, locks})
			if err != nil || string(text) != `[{},{"leases":[],"queue":[]}]` {
				t.Errorf("%s: %s %v", id, text, err)
			}
		}
	})
}

// A waiting session stays alive, however long it waits.
func TestWaitingSessionStaysAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "asker", "asked")
		do(t, h, lock("asker", "x"))
		defer h.Connect(project, "asked")()
		if got := do(t, h, coord.Ask{From: "asker", To: "asked", Query: "?", Wait: true,
			Timeout: 5 * time.Minute}); status(t, got) != "timeout" {
			t.Error(got)
		}
		if got := do(t, h, coord.CheckLock{Session: "asker", Path: "x"}); status(t, got) != "held" {
			t.Errorf("the one who waited has lost its lease: %s", got)
		}
	})
}

// A question to one who dies fails at once.
func TestTheDeadDoNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "asker", "asked")
		begun := time.Now()
		if got := do(t, h, coord.Ask{From: "asker", To: "asked", Query: "?", Wait: true,
			Timeout: coord.MaxWait}); status(t, got) != "not_found" {
			t.Error(got)
		}
		if waited := time.Since(begun); waited > coord.DefaultSessionTimeout+2*time.Second {
			t.Errorf("after %v", waited)
		}
	})
}

// The data of a dead agent is there for the agent that goes on with its task.
func TestDataOfDeadSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		do(t, h, coord.AddTodo{Session: "a", Item: "half done"})
		do(t, h, coord.Broadcast{Session: "b", Type: "info", Content: "read me"})
		time.Sleep(23 * time.Hour)
		register(t, h, "a")
		if got := do(t, h, coord.MyTodos{Session: "a"}); !contains(got, "half done") {
			t.Error(got)
		}
		if got := do(t, h, coord.Check{Session: "a"}); !contains(got, "read me") {
			t.Error(got)
		}
	})
}

// A session that begins another task releases the leases of the first one, and the waiting sessions get them.
func TestAnotherTaskLetsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		do(t, h, lock("a", "x"))
		var wg sync.WaitGroup
		wg.Go(func() {
			c := lock("b", "x")
			c.Wait = time.Minute
			if got := do(t, h, c); status(t, got) != "locked" {
				t.Error(got)
			}
		})
		synctest.Wait()
		begun := time.Now()
		do(t, h, coord.Register{Session: "a", TaskID: "another"})
		wg.Wait()
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("after %v", waited)
		}
	})
}

func TestFourSpellingsOfOnePath(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	do(t, h, coord.Configure{Settings: coord.Settings{IgnoreCase: true,
		Roots: []string{"/repo/ann/app", "/repo/bob/app"}}})
	do(t, h, lock("a", "/repo/ann/app/src/a.ts"))
	for _, path := range []string{"src/a.ts", "./src/a.ts", "src//a.ts", "SRC/a.ts", `src\a.ts`,
		"/repo/bob/app/src/a.ts", "src/", "src/*.ts", "**"} {
		if got := do(t, h, lock("b", path)); status(t, got) != "conflict" {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{"../a.ts", "src/../../a.ts", "/etc/passwd", "/repo/ann/apple", `..\..\x`, "a\x00",
		""} {
		for _, c := range []coord.Command{lock("b", path), coord.Release{Session: "b", Path: path},
			coord.CheckLock{Session: "b", Path: path}} {
			if got := do(t, h, c); !contains(got, coord.CodeInvalid) {
				t.Errorf("%T %q: %s", c, path, got)
			}
		}
	}
	if got := do(t, h, coord.Release{Session: "a", Path: "src/A.ts"}); status(t, got) != "released" {
		t.Error(got)
	}
}

// Agents in worktrees of their own are in each other's way only if the project says so.
func TestBranches(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	for name, branch := range map[string]string{"a": "one", "b": "two", "c": "one"} {
		do(t, h, coord.Register{Session: name, TaskID: name, Branch: branch})
	}
	do(t, h, lock("a", "x"))
	if got := do(t, h, lock("b", "x")); status(t, got) != "conflict" {
		t.Error(got)
	}
	do(t, h, coord.Configure{Settings: coord.Settings{PerBranch: true}})
	if got := do(t, h, lock("b", "x")); status(t, got) != "locked" {
		t.Error(got)
	}
	if got := do(t, h, lock("c", "x")); status(t, got) != "conflict" {
		t.Error(got)
	}
}

// An inbox has messages only, and no more than it may have; questions stay longest.
func TestInboxesAreBounded(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	register(t, h, "a", "b")
	do(t, h, lock("b", "x"))
	do(t, h, coord.Define{Session: "b", Name: "User", Definition: "{}"})
	do(t, h, coord.AddTodo{Session: "b", Item: "x"})
	if got := do(t, h, coord.Check{Session: "a"}); got != `[]` {
		t.Errorf("what others do is in the inbox: %s", got)
	}
	do(t, h, coord.Ask{From: "b", To: "a", Query: "still here?"})
	for i := range 2000 {
		do(t, h, coord.Broadcast{Session: "b", Type: "info", Content: fmt.Sprint(i)})
	}
	messages := decode[[]coord.MessageInfo](t, do(t, h, coord.Check{Session: "a", Limit: 2000}))
	if n := len(messages); n != 1001 || !strings.HasPrefix(messages[0].Content, "1001 older messages were dropped") ||
		messages[1].Content != "still here?" || messages[n-1].Content != "1999" {
		t.Errorf("%d messages, the first %+v", n, messages[0])
	}
	do(t, h, coord.Broadcast{Session: "b", Content: "more"})
	if got := do(t, h, coord.Check{Session: "a"}); contains(got, "dropped") || !contains(got, "more") {
		t.Error(got)
	}
	if got := do(t, h, coord.Broadcast{Session: "b", Type: "info", Content: strings.Repeat("x", 1<<20)}); !contains(got,
		coord.CodeInvalid) {
		t.Error(got)
	}
}

// A session of the longest name can be asked by one, and answers it.
func TestLongNamesAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	a, b := strings.Repeat("a", 200), strings.Repeat("b", 200)
	do(t, h, coord.Register{Session: a, TaskID: "1"})
	do(t, h, coord.Register{Session: b, TaskID: "2"})
	id := decode[coord.Sent](t, do(t, h, coord.Ask{From: a, To: b, Query: "?"})).ID
	if got := do(t, h, coord.Respond{From: b, MessageID: id, Response: "!"}); status(t, got) != "response_sent" ||
		contains(got, "matched") {
		t.Error(got)
	}
}

// A question that nobody answers does not take the place of others for good.
func TestOldQueriesGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{SessionRetention: 10 * time.Minute})
		register(t, h, "a", "b")
		for _, name := range []string{"a", "b"} {
			defer h.Connect(project, name)()
		}
		ask := coord.Ask{From: "a", To: "b", Query: "?"}
		for range 1000 {
			do(t, h, ask)
		}
		if got := do(t, h, ask); !contains(got, coord.CodeLimit) {
			t.Error(got)
		}
		time.Sleep(10*time.Minute + 2*time.Second)
		if got := do(t, h, ask); status(t, got) != "sent" {
			t.Error(got)
		}
	})
}

// A project that serves registered sessions only does not serve those that have died, either.
func TestStrictProjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		do(t, h, coord.Configure{Settings: coord.Settings{Strict: true}})
		if got := do(t, h, lock("a", "x")); !contains(got, coord.CodeUnregistered) {
			t.Error(got)
		}
		register(t, h, "a")
		if got := do(t, h, lock("a", "x")); status(t, got) != "locked" {
			t.Error(got)
		}
		time.Sleep(coord.DefaultSessionTimeout + 2*time.Second)
		if got := do(t, h, lock("a", "x")); !contains(got, coord.CodeUnregistered) {
			t.Error(got)
		}
	})
}

// Calls that race with the end of the coordinator are answered, one way or the other, and what was answered with
// success is kept.
func TestCallsDuringClose(t *testing.T) {
	t.Parallel()
	for range 20 {
		kept := &countingStore{}
		h := coord.NewHub(&coord.HubOptions{Store: kept})
		var wg sync.WaitGroup
		var mu sync.Mutex
		done := 0
		begun := make(chan struct{}, 8)
		for i := range 8 {
			wg.Go(func() {
				for {
					_, err := h.Do(context.Background(), project, "",
						coord.Define{Session: fmt.Sprint(i), Name: "I", Definition: "x"})
					if err != nil {
						if !errors.Is(err, coord.ErrClosed) {
							t.Error(err)
						}
						return
					}
					mu.Lock()
					done++
					mu.Unlock()
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			})
		}
		<-begun
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if kept.events < done {
			t.Errorf("%d of %d definitions are kept", kept.events, done)
		}
	}
}

// countingStore counts the events that it is given.
type countingStore struct{ events int }

func (s *countingStore) Append(_ context.Context, all []coord.Commit) error {
	for _, c := range all {
		s.events += len(c.Events)
	}
	return nil
}

func (*countingStore) Load(context.Context, string) ([]byte, []coord.Event, error) {
	return nil, nil, nil
}

func (*countingStore) Events(context.Context, string, int64, int) ([]coord.Event, error) {
	return nil, nil
}

func (*countingStore) Prune(context.Context, time.Time) error { return nil }

func (*countingStore) DeleteProject(context.Context, string) error { return nil }

func (*countingStore) Projects(context.Context) ([]string, error) { return nil, nil }

// A session that waits behind one that gives up waits no longer, though nothing was released.
func TestThoseBehindOneWhoGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		do(t, h, lock("a", "x"))
		var wg sync.WaitGroup
		wg.Go(func() {
			both := coord.Announce{Session: "b", Paths: []string{"x", "y"}, ChangeType: "modify",
				Wait: 10 * time.Second}
			if got := do(t, h, both); status(t, got) != "conflict" {
				t.Error(got)
			}
		})
		synctest.Wait()
		begun := time.Now()
		behind := lock("c", "y")
		behind.Wait = time.Minute
		if got := do(t, h, behind); status(t, got) != "locked" || time.Since(begun) != 10*time.Second {
			t.Errorf("%s after %v", got, time.Since(begun))
		}
		wg.Wait()
	})
}
