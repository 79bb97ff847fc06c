// SPDX-License-Identifier: Apache-2.0

package ratelimit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
)

func policy(t *testing.T, o ratelimit.Options) func(subject, operation string) error {
	t.Helper()
	p, err := ratelimit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return func(subject, operation string) error {
		return p.Decide(t.Context(), auth.Access{Operation: operation,
			Call: &a2a.Call{Identity: a2a.Identity{Subject: subject}}})
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call := policy(t, ratelimit.Options{Default: ratelimit.Rate{PerSecond: 10, Burst: 3},
			Operations: map[string]ratelimit.Rate{"SendMessage": {PerSecond: 1, Burst: 1}}})
		good := func(subject, operation string) {
			t.Helper()
			if err := call(subject, operation); err != nil {
				t.Error(err)
			}
		}
		refused := func(subject, operation string, wait time.Duration) {
			t.Helper()
			err := call(subject, operation)
			if e := a2a.AsError(err); err == nil || e.Kind != a2a.ErrRateLimited || e.RetryAfter != wait {
				t.Errorf("%v, want one to wait for %v", err, wait)
			}
		}
		good("ann", "GetTask")
		good("ann", "ListTasks") // of the same bucket
		good("ann", "GetTask")
		refused("ann", "GetTask", 100*time.Millisecond)
		refused("ann", "GetTask", 100*time.Millisecond) // a refusal costs nothing
		good("bob", "GetTask")
		good("ann", "SendMessage") // has one of its own
		refused("ann", "SendMessage", time.Second)
		time.Sleep(100 * time.Millisecond)
		good("ann", "GetTask")
		refused("ann", "SendMessage", 900*time.Millisecond)
		time.Sleep(time.Hour)
		for range 3 { // no more than the burst is saved up
			good("ann", "GetTask")
		}
		refused("ann", "GetTask", 100*time.Millisecond)
	})
}

// What callers leave behind is bounded, and one that goes on calling keeps its bucket.
func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call := policy(t, ratelimit.Options{Default: ratelimit.Rate{PerSecond: 1, Burst: 1}, Callers: 3})
		call("abuser", "GetTask")
		for i := range 100 {
			if err := call(fmt.Sprint(i), "GetTask"); err != nil {
				t.Fatal(err)
			}
			if err := call("abuser", "GetTask"); !errors.Is(err, a2a.ErrRateLimited) {
				t.Fatalf("after %d others: %v", i, err)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, r := range []ratelimit.Rate{{PerSecond: -1, Burst: 1}, {PerSecond: 1}, {Burst: 1}} {
		if _, err := ratelimit.New(ratelimit.Options{Default: r}); err == nil ||
			!strings.HasPrefix(err.Error(), "ratelimit: ") {
			t.Errorf("%+v: %v", r, err)
		}
		if _, err := ratelimit.New(ratelimit.Options{Operations: map[string]ratelimit.Rate{"GetTask": r}}); err == nil {
			t.Errorf("%+v is taken for an operation", r)
		}
	}
	if _, err := ratelimit.New(ratelimit.Options{Operations: map[string]ratelimit.Rate{
		"SendMesage": {PerSecond: 1, Burst: 1}}}); err == nil {
		t.Error("an unknown operation is taken")
	}
	if _, err := ratelimit.New(ratelimit.Options{Callers: -1}); err == nil {
		t.Error("-1 callers are taken")
	}
	if err := policy(t, ratelimit.Options{})("ann", "GetTask"); err != nil {
		t.Errorf("no limit: %v", err)
	}
}

func BenchmarkDecide(b *testing.B) {
	p, err := ratelimit.New(ratelimit.Options{Default: ratelimit.Rate{PerSecond: 1e9, Burst: 1e9}})
	if err != nil {
		b.Fatal(err)
	}
	access := auth.Access{Operation: "GetTask", Call: &a2a.Call{Identity: a2a.Identity{Subject: "ann"}}}
	for b.Loop() {
		p.Decide(b.Context(), access)
	}
}
