// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// asked asks as somebody who comes back, and returns the number of the event before.
func asked(t *testing.T, h *coord.Hub, ref string) (before int64) {
	t.Helper()
	before, err := h.Last(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	if got := do(t, h, coord.Ask{From: coord.A2ACaller("x"), External: true, To: "a", Query: "of " + ref,
		Ref: ref}); status(t, got) != "sent" {
		t.Fatal(got)
	}
	return before
}

// awaits comes back for an answer.
func awaits(ref string, limit time.Duration) coord.Await {
	return coord.Await{From: coord.A2ACaller("x"), Ref: ref, Timeout: limit}
}

// idOf returns the id of the first message for a session, which stays there.
func idOf(t *testing.T, h *coord.Hub, session string) string {
	t.Helper()
	var messages []coord.QueryMessage
	if err := json.Unmarshal([]byte(do(t, h, coord.Check{Session: session, Peek: true})), &messages); err != nil ||
		len(messages) == 0 {
		t.Fatalf("%v, %v", messages, err)
	}
	return messages[0].ID
}

// outcome returns what became of a query, as text; "null" for nothing yet.
func outcome(t *testing.T, h *coord.Hub, ref string, before int64) (text string, was bool) {
	t.Helper()
	result, was, err := h.Outcome(t.Context(), project, ref, before)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), was
}

// Whoever comes back after a restart goes on waiting for the answer, which is there also when nobody waited for it; it
// is in no inbox, and the question is there once.
func TestComingBackAfterARestart(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	h := coord.NewHub(&coord.HubOptions{Store: tables})
	register(t, h, "a")
	before := asked(t, h, "r-1")
	if got, was := outcome(t, h, "r-1", before); got != "null" || !was {
		t.Errorf("%s, %t", got, was)
	}
	if got, was := outcome(t, h, "r-2", before); got != "null" || was {
		t.Errorf("%s, %t", got, was)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Do(ctx, project, "", awaits("r-1", time.Minute)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}

	h = newHub(t, &coord.HubOptions{Store: tables})
	id := idOf(t, h, "a")
	if got := do(t, h, awaits("r-1", time.Millisecond)); status(t, got) != "timeout" {
		t.Error(got)
	}
	answer := make(chan string, 1)
	go func() { answer <- do(t, h, awaits("r-1", time.Minute)) }()
	eventually(t, func() bool { return coord.Waiting(h, project, id) })
	if got := do(t, h, coord.ListWaits{}); !contains(got, "of r-1") {
		t.Error(got)
	}
	if got := do(t, h, coord.Respond{From: "a", MessageID: id,
		Response: "yes"}); got != `{"status":"response_sent","to":"a2a:x"}` {
		t.Error(got)
	}
	const want = `{"status":"received","response":"yes"}`
	if got := <-answer; got != want {
		t.Error(got)
	}
	if got := do(t, h, awaits("r-1", time.Minute)); status(t, got) != "not_open" {
		t.Error(got)
	}
	if got, was := outcome(t, h, "r-1", before); got != want || !was {
		t.Errorf("%s, %t", got, was)
	}
	if _, unread, err := h.Note(t.Context(), project, coord.A2ACaller("x")); err != nil || unread != 0 {
		t.Errorf("%d answers are in an inbox that nobody reads, %v", unread, err)
	}
	if _, unread, err := h.Note(t.Context(), project, "a"); err != nil || unread != 1 {
		t.Errorf("%d messages, %v", unread, err)
	}
}

// A query that ends otherwise says why, to who waits and to who comes later.
func TestQueriesThatEndMeanwhile(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]coord.Command{
		"it has left the project":            coord.Unregister{Session: "a"},
		"The wait ended: it was given up":    coord.Withdraw{From: coord.A2ACaller("x"), Ref: "r"},
		`"status":"received","response":"!"`: nil,
	} {
		tables, _ := openTables(t)
		h := newHub(t, &coord.HubOptions{Store: tables})
		register(t, h, "a")
		before := asked(t, h, "r")
		id := idOf(t, h, "a")
		waiter := make(chan string, 1)
		go func() { waiter <- do(t, h, awaits("r", time.Minute)) }()
		eventually(t, func() bool { return coord.Waiting(h, project, id) })
		if end == nil {
			end = coord.Respond{From: "a", MessageID: id, Response: "!"}
		}
		do(t, h, end)
		if got := <-waiter; !contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
		if got, was := outcome(t, h, "r", before); !contains(got, want) || !was {
			t.Errorf("%s, %t, want %s", got, was, want)
		}
		if got := do(t, h, coord.Withdraw{From: coord.A2ACaller("x"), Ref: "r"}); status(t, got) != "not_open" {
			t.Error(got)
		}
	}
}

// A query for whose answer nobody comes back ends all the same.
func TestNobodyComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{SessionRetention: 5 * time.Minute})
		register(t, h, "a")
		defer h.Connect(project, "a")()
		before := asked(t, h, "r")
		time.Sleep(5*time.Minute - time.Second)
		if got, _ := outcome(t, h, "r", before); got != "null" {
			t.Error(got)
		}
		time.Sleep(3 * time.Second)
		if got, _ := outcome(t, h, "r", before); !contains(got, "it was not answered for 5m0s") {
			t.Error(got)
		}
		if got := do(t, h, coord.Check{Session: "a"}); got != "[]" {
			t.Error(got)
		}
	})
}

// What the events would tell that are not kept any more is not guessed.
func TestOutcomesThatAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a")
		before := asked(t, h, "r")
		for range 2500 { // of which those without a store has the newest
			do(t, h, coord.CompleteTask{Session: "a", TaskID: "1"})
		}
		if _, _, err := h.Outcome(t.Context(), project, "r", before); !errors.Is(err, coord.ErrDeleted) {
			t.Error(err)
		}
		if _, err := h.DeleteProject(t.Context(), project, "ann", true); err != nil {
			t.Fatal(err)
		}
		register(t, h, "a")
		if _, _, err := h.Outcome(t.Context(), project, "r", before+1); !errors.Is(err, coord.ErrDeleted) {
			t.Errorf("in another project of the name: %v", err)
		}
	})
}

// Nobody comes back for what somebody else has asked, and no session does.
func TestComingBackForOthers(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	register(t, h, "a", "b")
	asked(t, h, "r")
	for _, c := range []coord.Command{
		coord.Await{From: coord.A2ACaller("y"), Ref: "r", Timeout: time.Minute},
		coord.Withdraw{From: coord.A2ACaller("y"), Ref: "r"},
		coord.Await{From: coord.A2ACaller("x"), Timeout: time.Minute}, coord.Withdraw{From: coord.A2ACaller("x")},
	} {
		if got := do(t, h, c); status(t, got) != "not_open" {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := do(t, h, coord.Withdraw{From: "b", Ref: "r"}); !contains(got, coord.CodeInvalid) {
		t.Error(got)
	}
}

// All who come back for the same query get its answer, also when one of them has given up.
func TestManyComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a")
		defer h.Connect(project, "a")()
		asked(t, h, "r")
		limits := []time.Duration{time.Minute, time.Second, time.Minute}
		got := make([]string, len(limits))
		var all sync.WaitGroup
		for i, limit := range limits {
			all.Go(func() { got[i] = do(t, h, awaits("r", limit)) })
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		begun := time.Now()
		do(t, h, coord.Respond{From: "a", MessageID: idOf(t, h, "a"), Response: "yes"})
		all.Wait()
		if status(t, got[0]) != "received" || status(t, got[1]) != "timeout" || status(t, got[2]) != "received" ||
			!time.Now().Equal(begun) {
			t.Errorf("%q after %v", got, time.Since(begun))
		}
	})
}

// Who waits for the answer when asking comes back for it too: the query stays, and its answer is in no inbox.
func TestWaitingForWhatIsComeBackFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, end := range map[string]error{"too late": nil, "canceled": context.Canceled,
			"disconnected": coord.ErrDisconnected} {
			h := newHub(t, nil)
			register(t, h, "a")
			defer h.Connect(project, "a")()
			ctx, cancel := context.WithCancelCause(t.Context())
			over := make(chan error, 1)
			go func() {
				_, err := h.Do(ctx, project, "",
					coord.Ask{From: coord.A2ACaller("x"), External: true, To: "a", Query: "?", Wait: true,
						Timeout: time.Minute, Ref: "r"})
				over <- err
			}()
			synctest.Wait()
			if end != nil {
				cancel(end)
			}
			if err := <-over; !errors.Is(err, end) {
				t.Error(name, err)
			}
			cancel(nil)
			if got := do(t, h, awaits("r", time.Second)); status(t, got) != "timeout" {
				t.Error(name, got)
			}
			do(t, h, coord.Respond{From: "a", MessageID: idOf(t, h, "a"), Response: "yes"})
			if _, unread, err := h.Note(t.Context(), project, coord.A2ACaller("x")); err != nil || unread != 0 {
				t.Error(name, unread, err)
			}
		}
	})
}
