// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const project = "ecommerce-v2"

// newHub returns a Hub that ends with the test.
func newHub(t *testing.T, opts *coord.HubOptions) *coord.Hub {
	t.Helper()
	h := coord.NewHub(opts)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// do runs a command and returns its result as text.
func do(t *testing.T, h *coord.Hub, c coord.Command) string {
	t.Helper()
	result, err := h.Do(t.Context(), project, "", c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// status returns the status of a result.
func status(t *testing.T, text string) string {
	t.Helper()
	var v struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.Status
}

func register(t *testing.T, h *coord.Hub, names ...string) {
	t.Helper()
	for _, name := range names {
		do(t, h, coord.Register{Session: name, TaskID: "of " + name, Branch: "main"})
	}
}

func lock(name, path string) coord.Announce {
	return coord.Announce{Session: name, Paths: []string{path}, ChangeType: "modify"}
}

func TestOneOfAThousandGetsTheLock(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 1000 {
		wg.Go(func() {
			result, err := h.Do(t.Context(), project, "", lock(fmt.Sprint("s", i), "src/app.ts"))
			if err != nil {
				t.Error(err)
			}
			if _, ok := result.(coord.Locked); ok {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d got it", won)
	}
}

func TestAnswersAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		go func() {
			for {
				var messages []coord.MessageInfo
				if err := json.Unmarshal([]byte(do(t, h, coord.Check{Session: "b"})), &messages); err != nil {
					t.Error(err)
				}
				if len(messages) > 0 {
					do(t, h, coord.Respond{From: "b", To: "a", MessageID: messages[0].ID,
						Response: "it has four fields"})
					return
				}
				time.Sleep(time.Second)
			}
		}()
		if got := do(t, h, coord.Ask{From: "a", To: "b", Type: "interface", Query: "what?", Wait: true,
			Timeout: time.Minute}); got != `{"status":"received","response":"it has four fields"}` {
			t.Error(got)
		}
		if got := do(t, h, coord.Check{Session: "a"}); got != `[]` {
			t.Errorf("the answer is in the inbox, too: %s", got)
		}
	})
}

func TestLateAnswersGoToTheInbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		begun := time.Now()
		var late struct {
			Status string `json:"status"`
			Error  string `json:"error"`
			ID     string `json:"message_id"`
		}
		if err := json.Unmarshal(
			[]byte(do(t, h, coord.Ask{From: "a", To: "b", Query: "what?", Wait: true, Timeout: 30 * time.Second})),
			&late); err != nil {
			t.Fatal(err)
		}
		if late.Status != "timeout" || late.Error != "No response received within 30 seconds" ||
			time.Since(begun) != 30*time.Second {
			t.Errorf("%+v after %v", late, time.Since(begun))
		}
		do(t, h, coord.Respond{From: "b", MessageID: late.ID, Response: "sorry"})
		var messages []coord.MessageInfo
		if err := json.Unmarshal([]byte(do(t, h, coord.Check{Session: "a"})), &messages); err != nil ||
			len(messages) != 1 || messages[0].ResponseTo != late.ID || messages[0].Content != "sorry" {
			t.Errorf("%+v %v", messages, err)
		}
	})
}

// A call that is canceled leaves nothing behind: neither a question that nobody wants answered nor a place in the
// queue.
func TestCanceledWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		do(t, h, lock("b", "x"))
		for _, c := range []coord.Command{
			coord.Ask{From: "a", To: "b", Query: "what?", Wait: true, Timeout: time.Minute},
			coord.Announce{Session: "a", Paths: []string{"x"}, ChangeType: "modify", Wait: time.Minute},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := h.Do(ctx, project, "", c); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if got := do(t, h, coord.Check{Session: "b"}); got != `[]` {
			t.Error(got)
		}
		do(t, h, coord.Release{Session: "b", Path: "x"})
		if got := do(t, h, coord.ListLocks{}); got != `{"leases":[],"queue":[]}` {
			t.Error(got)
		}
	})
}

// The queue is fair: those who came first get it first, and nobody overtakes them.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		do(t, h, lock("holder", "src/"))
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				name := fmt.Sprint("s", i)
				if got := do(t, h, coord.Announce{Session: name, Paths: []string{fmt.Sprintf("src/%d/../a.ts", i)},
					ChangeType: "modify", Wait: time.Minute}); status(t, got) != "locked" {
					t.Errorf("%s: %s", name, got)
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				do(t, h, coord.Release{Session: name, Path: "src/a.ts"})
			})
		}
		time.Sleep(10 * time.Second)
		if got := do(t, h, lock("late", "src/a.ts")); status(t, got) != "conflict" {
			t.Error(got)
		}
		do(t, h, coord.Release{Session: "holder", Path: "src/"})
		wg.Wait()
		if got := fmt.Sprint(order); got != "[s0 s1 s2 s3 s4]" {
			t.Error(got)
		}
	})
}

func TestDeadlocksAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a", "b", "c")
		do(t, h, lock("a", "1"))
		do(t, h, lock("b", "2"))
		var wg sync.WaitGroup
		wait := func(c coord.Command) { wg.Go(func() { do(t, h, c) }) }
		wait(coord.Announce{Session: "a", Paths: []string{"2"}, ChangeType: "modify", Wait: time.Minute})
		synctest.Wait()
		wait(coord.Ask{From: "b", To: "c", Query: "?", Wait: true, Timeout: time.Minute})
		synctest.Wait()
		if got := do(t, h, coord.Ask{From: "c", To: "a", Query: "?", Wait: true, Timeout: time.Minute}); status(t,
			got) != "deadlock" || !contains(got, `"cycle":["c","a","b"]`) {
			t.Error(got)
		}
		if got := do(t, h, coord.Ask{From: "c", To: "a", Query: "?"}); status(t, got) != "sent" {
			t.Errorf("what does not wait is no deadlock: %s", got)
		}
		wg.Wait()
	})
}

func contains(text, part string) bool {
	for i := range len(text) - len(part) + 1 {
		if text[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

// An agent that shows a heartbeat only now and then may ask for patience, which stays when it registers again, and has
// an end.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		me := coord.Register{Session: "slow", TaskID: "1", Resume: true, LeaseTTL: 15 * time.Minute}
		do(t, h, me)
		do(t, h, coord.Register{Session: "slow", TaskID: "2"})
		do(t, h, coord.Register{Session: "ever", TaskID: "1", LeaseTTL: 24 * time.Hour})
		there := func(after time.Duration, want string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			for _, name := range []string{"slow", "ever"} {
				if got := contains(do(t, h, coord.ListAgents{}), `"`+name+`"`); got != strings.Contains(want, name) {
					t.Errorf("%s is there: %v", name, got)
				}
			}
		}
		there(14*time.Minute, "slow ever")
		there(2*time.Minute, "ever")
		there(45*time.Minute, "")
	})
}

// A session without heartbeats releases all leases that others wait for; todos and messages are kept for a day.
func TestTheDeadLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "dead", "alive")
		do(t, h, lock("dead", "x"))
		do(t, h, coord.AddTodo{Session: "dead", Item: "finish x"})
		defer h.Connect(project, "alive")()
		begun := time.Now()
		if got := do(t, h, coord.Announce{Session: "alive", Paths: []string{"x"}, ChangeType: "modify",
			Wait: 5 * time.Minute}); status(t, got) != "locked" {
			t.Error(got)
		}
		if waited := time.Since(begun); waited < coord.DefaultSessionTimeout ||
			waited > coord.DefaultSessionTimeout+2*time.Second {
			t.Errorf("after %v", waited)
		}
		if got := do(t, h, coord.Heartbeat{Session: "dead"}); status(t, got) != "not_found" {
			t.Error(got)
		}
		if got := do(t, h, coord.Release{Session: "dead",
			Path: "x"}); got != `{"status":"error","error":"File is locked by alive, not you"}` {
			t.Error(got)
		}
		if got := do(t, h, coord.AllTodos{}); contains(got, "finish x") { // they are no agents that one could ask
			t.Error(got)
		}
	})
}

// Events survive a restart, and tokens go on rising.
func TestRestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var before string
	for round := range 3 {
		db, err := sqlite.Open(t.Context(), folder, sqlite.Options{Program: "test"})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := coord.OpenTables(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		h := coord.NewHub(&coord.HubOptions{Store: tables})
		if round == 0 {
			register(t, h, "a", "b")
			do(t, h, lock("a", "x"))
			do(t, h, coord.Define{Session: "a", Name: "User", Definition: "interface User {}"})
			for range 150 { // enough for snapshots
				do(t, h, coord.AddTodo{Session: "a", Item: fmt.Sprintf("%0600d", 7)})
			}
			do(t, h, coord.Ask{From: "b", To: "a", Query: "ready?"})
		}
		after := do(t, h, coord.ListAgents{}) + do(t, h, coord.AllTodos{}) + do(t, h, coord.ListLocks{}) + do(t, h,
			coord.ListInterfaces{}) + do(t, h, coord.Check{Session: "a", Peek: true})
		if round > 0 && after != before {
			t.Errorf("round %d: the state is another one", round)
		}
		before = after
		n := 0
		ctx, cancel := context.WithCancel(t.Context())
		for e, err := range h.Events(ctx, project, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; e.Seq != int64(n) {
				t.Fatalf("event %d comes as number %d", e.Seq, n)
			}
			if e.Kind == coord.KindAsked {
				cancel()
			}
		}
		cancel()
		if err := errors.Join(h.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Listening for a session is a heartbeat of it as long as it belongs to who listens.
func TestListeners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{SessionTimeout: time.Minute})
		as := func(principal string, c coord.Command) coord.Result {
			t.Helper()
			result, err := h.Do(t.Context(), project, principal, c)
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		holders := func() (names []string) {
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			for _, l := range as("ann", coord.ListLocks{}).(coord.LockList).Leases {
				names = append(names, l.Session)
			}
			return names
		}
		leaves := []func(){h.Listen(project, "his", "bob"), h.Listen(project, "his", "bob"),
			h.Listen(project, "hers", "bob")}
		for name, principal := range map[string]string{"his": "bob", "hers": "ann"} {
			as(principal, coord.Register{Session: name, TaskID: "1"})
			as(principal, lock(name, name))
		}
		if got := holders(); !slices.Equal(got, []string{"his"}) {
			t.Errorf("%v are alive", got)
		}
		as("ann", coord.Register{Session: "hers", TaskID: "1"})
		as("ann", lock("hers", "hers"))
		leaves = append(leaves, h.Listen(project, "hers", "ann"))
		leaves[0]()
		leaves[0]()
		if got := holders(); !slices.Equal(got, []string{"his", "hers"}) {
			t.Errorf("%v are alive", got)
		}
		for _, leave := range leaves {
			leave()
		}
		if got := holders(); len(got) > 0 {
			t.Errorf("%v are alive", got)
		}
	})
}
