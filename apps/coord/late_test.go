// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// An asking is a query that a call of a waits for, up to the moment at which the call begins to wait.
type asking struct {
	t   *testing.T
	hub *Hub
	of  *projectActor
	w   waiting
	o   outcome
}

func ask(t *testing.T, from string) *asking {
	t.Helper()
	h := NewHub(nil)
	t.Cleanup(func() { h.Close() })
	r, leave, err := h.use(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	q := &asking{t: t, hub: h, of: r}
	q.run(Register{Session: "a", TaskID: "1"})
	q.run(Register{Session: "b", TaskID: "2"})
	q.o = q.run(Ask{From: from, To: "b", Query: "what?", Wait: true, Timeout: time.Minute, External: isExternal(from)})
	q.w = q.o.result.(waiting)
	return q
}

func (q *asking) run(c Command) outcome {
	q.t.Helper()
	o, err := q.hub.run(q.of, "", c)
	if err != nil {
		q.t.Fatal(err)
	}
	return o
}

func (q *asking) answer() {
	q.t.Helper()
	if got, ok := q.run(Respond{From: "b", MessageID: q.w.query, Response: "that"}).result.(Responded); !ok ||
		got.Matched != nil {
		q.t.Errorf("the answer was not taken: %+v", got)
	}
}

// inbox returns whose answers are in the inbox of a.
func (q *asking) inbox() (from []string) {
	q.t.Helper()
	for _, m := range q.run(Check{Session: "a"}).result.([]any) {
		if r, ok := m.(MessageInfo); ok && r.ResponseTo == q.w.query && r.Content == "that" {
			from = append(from, r.From)
		}
	}
	return from
}

var fromB = []string{"b"}

// An answer that comes as its call is canceled is in the inbox, and so it is in a project that is restored.
func TestAnswersToCallsThatEnd(t *testing.T) {
	t.Parallel()
	for i := range 20 { // which of both is seen first is left to chance
		q := ask(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		q.answer()
		cancel()
		if err := q.hub.wait(ctx, q.of, &q.w, &q.o); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d: %v", i, err)
		}
		again := NewProject("p")
		if err := again.Restore(nil, q.of.tail); err != nil {
			t.Fatal(err)
		}
		if got := q.inbox(); !slices.Equal(got, fromB) {
			t.Fatalf("%d: answers in the inbox: %q", i, got)
		}
		if got := again.Unread("a"); got != 1 {
			t.Fatalf("%d: %d messages are there after a restart", i, got)
		}
		if got := q.inbox(); got != nil {
			t.Errorf("it comes again: %q", got)
		}
	}
}

// External agents and people have no inbox that anybody reads, so they get no late answers.
func TestAnswersToOutsidersThatLeft(t *testing.T) {
	t.Parallel()
	q := ask(t, A2ACaller("ann"))
	ctx, cancel := context.WithCancel(t.Context())
	q.answer()
	cancel()
	if err := q.hub.wait(ctx, q.of, &q.w, &q.o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if n := q.of.project.Unread(A2ACaller("ann")); n != 0 {
		t.Errorf("%d messages for nobody", n)
	}
}

// A call whose connection ended has not taken its question back: the answer goes to the inbox.
func TestAnswersToCallsThatWereCutOff(t *testing.T) {
	t.Parallel()
	q := ask(t, "a")
	ctx, cut := context.WithCancelCause(t.Context())
	cut(ErrDisconnected)
	if err := q.hub.wait(ctx, q.of, &q.w, &q.o); !errors.Is(err, ErrDisconnected) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	q.answer()
	if got := q.inbox(); !slices.Equal(got, fromB) {
		t.Errorf("answers in the inbox: %q", got)
	}
}

// An answer that comes as the coordinator ends is either what the call returns or in the inbox.
func TestAnswersAtTheEnd(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		q := ask(t, "a")
		q.answer()
		q.hub.stop()
		if err := q.hub.wait(t.Context(), q.of, &q.w, &q.o); err != nil {
			t.Error(err)
		}
		if got, ok := q.o.result.(Received); !ok || got.Response != "that" {
			t.Fatalf("%d: %+v", i, q.o.result)
		}
	}
	q := ask(t, "a")
	q.hub.stop()
	if err := q.hub.wait(t.Context(), q.of, &q.w, &q.o); err != nil {
		t.Error(err)
	}
	if got, ok := q.o.result.(Failure); !ok || got.Code != CodeShutdown {
		t.Errorf("%+v", q.o.result)
	}
	q.answer()
	if got := q.inbox(); !slices.Equal(got, fromB) {
		t.Errorf("answers in the inbox: %q", got)
	}
}
