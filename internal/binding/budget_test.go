// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

func aBudget() *Budget { return &Budget{Total: 100, Wait: time.Minute, What: "requests"} }

func mustTake(t *testing.T, b *Budget, owner string, bytes int64) *claim {
	t.Helper()
	c, e := b.take(t.Context(), owner, bytes, false)
	if e != nil {
		t.Fatalf("%d bytes for %s: %v", bytes, owner, e)
	}
	return c
}

// taking takes on a goroutine of its own, and tells when it has got the claim or the error.
func taking(ctx context.Context, b *Budget, owner string, bytes int64, order chan<- string) {
	c, e := b.take(ctx, owner, bytes, true)
	if e != nil {
		order <- owner + " refused"
		return
	}
	order <- owner
	c.release()
}

// At its edge a budget gives all that it has and nothing more; what does not fit waits and is refused after the wait.
func TestBudgetEdge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := aBudget()
		alice := mustTake(t, b, "alice", 75)
		mustTake(t, b, "bob", 25)
		begun := time.Now()
		_, e := b.take(t.Context(), "carol", 1, false)
		if e == nil || e.Kind != a2a.ErrUnavailable || e.RetryAfter == 0 || time.Since(begun) != b.Wait {
			t.Errorf("a byte over the budget: %v after %v", e, time.Since(begun))
		}
		alice.shrink(74)
		mustTake(t, b, "carol", 1)
		alice.release()
		alice.release()
		if b.used != 26 || len(b.owners) != 2 || b.queued != 0 || len(b.waiting) != 0 {
			t.Errorf("%d bytes of %d owners are held, %d wait", b.used, len(b.owners), b.queued)
		}
	})
}

// One owner gets three quarters, whatever it asks for at once, and its queue does not hold up others.
func TestBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := aBudget()
		alice := mustTake(t, b, "alice", 1000)
		if b.used != 75 {
			t.Fatalf("%d bytes are held", b.used)
		}
		order := make(chan string, 10)
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			go taking(ctx, b, "alice", 20, order)
		}
		synctest.Wait()
		bob := mustTake(t, b, "bob", 25)
		go taking(ctx, b, "bob", 30, order)
		synctest.Wait()
		alice.shrink(40)
		synctest.Wait()
		if len(order) != 4 || <-order != "bob" {
			t.Errorf("%d were served, and the one who held less was not the first", len(order))
		}
		bob.release()
		cancel()
	})
}

// A waiting caller may leave. The caller behind a large one gets its turn then.
func TestBudgetOfAWaiterWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := aBudget()
		mustTake(t, b, "alice", 60)
		order := make(chan string, 10)
		gone := errors.New("gone")
		ctx, leave := context.WithCancelCause(t.Context())
		go taking(ctx, b, "bob", 50, order)
		synctest.Wait()
		go taking(t.Context(), b, "carol", 40, order)
		synctest.Wait()
		if len(order) != 0 {
			t.Fatalf("%s overtook the one who waits for more", <-order)
		}
		leave(gone)
		synctest.Wait()
		if a, c := <-order, <-order; a == c || len(order) != 0 {
			t.Errorf("%s and %s", a, c)
		}
	})
}

// Of those whose bytes are in memory while they wait no more wait than may be had; the others are not counted.
func TestBudgetQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := aBudget()
		held := b.charge("alice", 500) // an answer that has to be given
		order := make(chan string, 10)
		for range 2 {
			go taking(t.Context(), b, "bob", 50, order)
		}
		synctest.Wait()
		begun := time.Now()
		if _, e := b.take(t.Context(), "carol", 1, true); e == nil || time.Since(begun) != 0 {
			t.Errorf("the queue took more than the budget: %v", e)
		}
		go taking(t.Context(), b, "dave", 50, order)
		synctest.Wait()
		held.release()
		synctest.Wait()
		if d := <-order; d != "dave refused" {
			t.Errorf("%s was served", d)
		}
		if a, c := <-order, <-order; a != "bob" || c != "bob" {
			t.Errorf("%s and %s", a, c)
		}
	})
}

// While somebody waits, a claim that moves too little is cut after Stall, and one that moves enough is not. While
// nobody waits, none is.
func TestBudgetCutsWhoStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Budget{Total: 4 * enough, Wait: time.Minute, Stall: 10 * time.Second, What: "requests"}
		stalled, brisk := mustTake(t, b, "alice", 2*enough), mustTake(t, b, "bob", 2*enough)
		begun := time.Now()
		cuts := map[string]time.Duration{}
		stalled.moving(func() { cuts["alice"] = time.Since(begun) })
		brisk.moving(func() { cuts["bob"] = time.Since(begun) })
		move := func(seconds int) {
			for range seconds {
				time.Sleep(time.Second)
				brisk.move(enough / 8)
				stalled.move(enough / 16)
			}
		}
		move(60)
		if len(cuts) > 0 {
			t.Fatalf("cut while nobody waits: %v", cuts)
		}
		order := make(chan string, 1)
		go taking(t.Context(), b, "carol", 2*enough, order)
		synctest.Wait()
		move(20)
		if len(cuts) != 1 || cuts["alice"] == 0 {
			t.Fatalf("cut: %v", cuts)
		}
		if stalled.move(1) || stalled.still() {
			t.Error("a claim that was cut does not say so")
		}
		stalled.release()
		if got := <-order; got != "carol" || !brisk.still() {
			t.Errorf("room went to %q", got)
		}
		move(20)
		if len(cuts) != 1 {
			t.Errorf("cut after it was still: %v", cuts)
		}
	})
}

// A lateCut is a ResponseWriter that has the budget cut who stalls while it takes the last piece of an answer.
type lateCut struct {
	http.ResponseWriter
	budget   *Budget
	left     int
	deadline time.Time
}

func (w *lateCut) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}

func (w *lateCut) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left == 0 {
		w.budget.cutStalled()
	}
	return len(p), nil
}

// TestCutAfterTheLastPiece cuts an answer that net/http has whole by then: the part that it has not sent yet is
// not lost.
func TestCutAfterTheLastPiece(t *testing.T) {
	b := &Budget{Total: 1 << 20, Stall: 1, What: "answers"}
	body := make([]byte, 200<<10)
	w := &lateCut{ResponseWriter: httptest.NewRecorder(), budget: b, left: len(body)}
	x := &Exchange{W: w, R: httptest.NewRequest("GET", "/", nil), control: http.NewResponseController(w),
		room: mustTake(t, b, "", int64(len(body)))}
	(&Core{WriteTimeout: time.Minute}).write(x, http.StatusOK, "text/plain", body)
	if !x.room.late || x.Cut != nil || time.Until(w.deadline) < time.Second {
		t.Errorf("cut %t, error %v, deadline in %v", x.room.late, x.Cut, time.Until(w.deadline))
	}
}
