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
		call := policy(t, ratelimit.Options{Limits: []ratelimit.Limit{{PerSecond: 10, Burst: 3},
			{Operations: []string{"SendMessage", "SendStreamingMessage"}, PerSecond: 0.5}}})
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
		refused("ann", "SendMessage", 2*time.Second)
		refused("ann", "SendStreamingMessage", 2*time.Second) // of one bucket with the other one
		time.Sleep(100 * time.Millisecond)
		good("ann", "GetTask")
		refused("ann", "SendMessage", 1900*time.Millisecond)
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
		call := policy(t, ratelimit.Options{Limits: []ratelimit.Limit{{PerSecond: 1}}, Callers: 3})
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
	for name, limits := range map[string][]ratelimit.Limit{
		"below 0":              {{PerSecond: -1}},
		"no rate":              {{Burst: 1}},
		"no burst":             {{PerSecond: 1, Burst: -1}},
		"an unknown operation": {{PerSecond: 1, Operations: []string{"Send"}}},
		"the empty operation":  {{PerSecond: 1, Operations: []string{""}}},
		"two for one": {{PerSecond: 1, Operations: []string{"GetTask"}},
			{PerSecond: 1, Operations: []string{"ListTasks", "GetTask"}}},
		"two for all others": {{PerSecond: 1}, {PerSecond: 2}},
	} {
		if _, err := ratelimit.New(ratelimit.Options{Limits: limits}); err == nil ||
			!strings.HasPrefix(err.Error(), "ratelimit: Options.Limits[") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ratelimit.New(ratelimit.Options{Callers: -1}); err == nil {
		t.Error("-1 callers are taken")
	}
	if err := policy(t, ratelimit.Options{})("ann", "GetTask"); err != nil {
		t.Errorf("no limit: %v", err)
	}
}

func BenchmarkDecide(b *testing.B) {
	p, err := ratelimit.New(ratelimit.Options{Limits: []ratelimit.Limit{{PerSecond: 1e9}}})
	if err != nil {
		b.Fatal(err)
	}
	access := auth.Access{Operation: "GetTask", Call: &a2a.Call{Identity: a2a.Identity{Subject: "ann"}}}
	for b.Loop() {
		p.Decide(b.Context(), access)
	}
}
