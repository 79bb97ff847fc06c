// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// One check returns no more than a caller can take, and what is left comes with the next ones.
func TestChecksAreBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sent, size, limit int
		want              []int // messages of each check
	}{
		{100, 1, 0, []int{100, 0}},
		{101, 1, 0, []int{100, 1, 0}},
		{101, 1, 101, []int{101, 0}},
		{3, 1, 2, []int{2, 1, 0}},
		{9, 32 << 10, 0, []int{8, 1, 0}},
		{9, 32<<10 + 1, 0, []int{7, 2, 0}},
		{5, 64 << 10, 1000, []int{4, 1, 0}},
	} {
		h := newHub(t, nil)
		register(t, h, "a", "b")
		for range test.sent {
			do(t, h, coord.Broadcast{Session: "b", Content: strings.Repeat("x", test.size)})
		}
		for i, want := range test.want {
			check := coord.Check{Session: "a", Limit: test.limit}
			peek := check
			peek.Peek = true
			seen := do(t, h, peek)
			if got := do(t, h, check); got != seen || len(decode[[]any](t, got)) != want {
				t.Errorf("%+v: check %d: %d messages", test, i, len(decode[[]any](t, got)))
			}
		}
	}
}

// A session whose question was dropped from a full inbox is told so.
func TestDroppedQueriesAreToldOf(t *testing.T) {
	t.Parallel()
	h := newHub(t, nil)
	register(t, h, "a", "b")
	id := decode[coord.Sent](t, do(t, h, coord.Ask{From: "b", To: "a", Query: "first?"})).ID
	waited := make(chan string, 1)
	go func() {
		waited <- do(t, h, coord.Ask{From: "b", To: "a", Query: "second?", Wait: true, Timeout: time.Minute})
	}()
	eventually(t, func() bool { return contains(do(t, h, coord.Check{Session: "a", Peek: true}), "second?") })
	for i := range 1000 {
		if i == 998 {
			if got := do(t, h, coord.Check{Session: "b", Peek: true}); got != `[]` {
				t.Errorf("too early: %s", got)
			}
		}
		do(t, h, coord.Respond{From: "b", To: "a", MessageID: fmt.Sprint("x", i), Response: "of no query"})
	}
	if got := do(t, h, coord.Check{Session: "b"}); !contains(got, `"response_to":"`+id+`"`) ||
		!contains(got, "its inbox was full") {
		t.Error(got)
	}
	if got := <-waited; status(t, got) != "not_found" || !contains(got, "its inbox was full") {
		t.Error(got)
	}
	if got := do(t, h, coord.Check{Session: "a"}); !contains(got, "2 older messages were dropped") {
		t.Error(got[:200])
	}
}
