// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A clockwork stands in for the database and the agents of a prober.
type clockwork struct {
	registry *Registry // for its pauses

	mu      sync.Mutex
	agents  map[int64]*ticking
	running int
	most    int // that ever ran at a time
	claims  error
}

type ticking struct {
	due    time.Time
	health Health
	takes  time.Duration
	err    error // nil while it is up
	checks []time.Time
}

func (c *clockwork) claim(_ context.Context, now, until time.Time, limit int) ([]target, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.claims != nil {
		return nil, c.claims
	}
	var due []int64
	for number, a := range c.agents {
		if !a.due.After(now) {
			due = append(due, number)
		}
	}
	slices.SortFunc(due, func(a, b int64) int { return cmp.Or(c.agents[a].due.Compare(c.agents[b].due), int(a-b)) })
	var targets []target
	for _, number := range due[:min(limit, len(due))] {
		c.agents[number].due = until
		targets = append(targets, target{number: number})
	}
	return targets, nil
}

func (c *clockwork) nextDue(context.Context) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next time.Time
	for _, a := range c.agents {
		if next.IsZero() || a.due.Before(next) {
			next = a.due
		}
	}
	return next, nil
}

func (c *clockwork) check(ctx context.Context, t *target) error {
	c.mu.Lock()
	a := c.agents[t.number]
	a.checks = append(a.checks, time.Now())
	c.running++
	c.most = max(c.most, c.running)
	c.mu.Unlock()
	select {
	case <-time.After(a.takes):
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s := &sight{at: time.Now(), err: a.err}
	a.health = s.health(a.health, c.registry.pause)
	a.due = a.health.NextAt
	return nil
}

func run(t *testing.T, c *clockwork, d time.Duration) {
	t.Helper()
	o := c.registry.opts
	p := &prober{claim: c.claim, nextDue: c.nextDue, check: c.check, interval: o.Interval, concurrency: o.Concurrency,
		logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	p.run(ctx)
}

func newClockwork(o Options, n int) *clockwork {
	c := &clockwork{registry: &Registry{opts: o.Defaults()}, agents: make(map[int64]*ticking)}
	for i := range n {
		c.agents[int64(i+1)] = &ticking{due: time.Now()}
	}
	return c
}

func TestProbesComeOnceAnInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{}, 50)
		run(t, c, time.Hour)
		different := make(map[time.Duration]bool)
		for number, a := range c.agents {
			if n := len(a.checks); n < 48 || n > 76 {
				t.Errorf("agent %d: %d checks in an hour", number, n)
			}
			for i, at := range a.checks[1:] {
				gap := at.Sub(a.checks[i])
				different[gap] = true
				if gap < 48*time.Second || gap > 76*time.Second {
					t.Errorf("agent %d: %v between two checks", number, gap)
				}
			}
		}
		if len(different) < 100 {
			t.Errorf("only %d different gaps: without jitter all would be checked together for ever", len(different))
		}
	})
}

func TestDeadAgentsAreAskedLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{}, 2)
		c.agents[2].err = errors.New("gone")
		run(t, c, 24*time.Hour)
		if n := len(c.agents[2].checks); n < 25 || n > 40 {
			t.Errorf("%d checks of a dead agent in a day", n)
		}
		last := c.agents[2].checks
		if gap := last[len(last)-1].Sub(last[len(last)-2]); gap < 48*time.Minute || gap > 75*time.Minute {
			t.Errorf("%v between the last two", gap)
		}
		if gap := last[1].Sub(last[0]); gap > 2*time.Minute {
			t.Errorf("%v until the second look: it may be back in a moment", gap)
		}
		h := c.agents[2].health
		if h.State != HealthDown || h.Failures != len(last) || h.Error != "gone" {
			t.Errorf("health %+v", h)
		}
		c.agents[2].err = nil
		run(t, c, 2*time.Hour)
		if h := c.agents[2].health; h.State != HealthUp || h.Failures != 0 {
			t.Errorf("health %+v after it came back", h)
		}
	})
}

func TestProbesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{Concurrency: 3}, 100)
		for _, a := range c.agents {
			a.takes = 10 * time.Second
		}
		run(t, c, 10*time.Minute)
		if c.most != 3 {
			t.Errorf("%d at a time", c.most)
		}
		for number, a := range c.agents {
			if len(a.checks) == 0 {
				t.Errorf("agent %d was never checked", number)
			}
		}
	})
}

func TestSlowAgentsDoNotHoldOthersUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{Concurrency: 4}, 20)
		c.agents[1].takes, c.agents[1].err = 30*time.Second, errors.New("slow")
		run(t, c, time.Hour)
		for number := int64(2); number <= 20; number++ {
			if n := len(c.agents[number].checks); n < 45 {
				t.Errorf("agent %d: %d checks", number, n)
			}
		}
	})
}

func TestAddedAgentsAreNoticed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{}, 0)
		added := time.Now().Add(10 * time.Minute)
		time.AfterFunc(10*time.Minute, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.agents[1] = &ticking{due: added.Add(time.Minute)}
		})
		run(t, c, 15*time.Minute)
		if checks := c.agents[1].checks; len(checks) == 0 || checks[0].Sub(added) > 95*time.Second {
			t.Errorf("checked at %v, added at %v", checks, added)
		}
	})
}

func TestProberOutlivesItsDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClockwork(Options{}, 1)
		c.claims = errors.New("disk full")
		time.AfterFunc(10*time.Minute, func() { c.mu.Lock(); c.claims = nil; c.mu.Unlock() })
		run(t, c, 20*time.Minute)
		if n := len(c.agents[1].checks); n < 5 {
			t.Errorf("%d checks", n)
		}
	})
}

func TestReason(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                 "plain",
		"a\nb\r\n\tc  d":        "a b c d",
		"\x1b[31mred\x07\u202e": "[31mred",
		"bad \xff":              "bad \uFFFD",
	} {
		if got := reason(errors.New(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := reason(errors.New(string(make([]rune, 1000)) + "é")); len(got) > maxReason {
		t.Errorf("%d bytes", len(got))
	}
}
