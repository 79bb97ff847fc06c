// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The index finds what a look at each lease finds, in the same order, whatever was leased, changed and freed before.
func TestLeaseIndex(t *testing.T) {
	t.Parallel()
	path := rapid.StringMatching(`[aA.-]{1,2}(/([aA.-]{1,2}|\*|a\*|\*\*)){0,3}/?`)
	rapid.Check(t, func(t *rapid.T) {
		s := newState()
		s.Settings.IgnoreCase = rapid.Bool().Draw(t, "ignore case")
		s.reindex()
		clean := func(literal bool) string {
			p, err := s.Settings.clean(path.Draw(t, "path"), literal)
			if err != nil {
				return "**"
			}
			return p
		}
		pick := func() *Lease {
			ids := slices.Collect(maps.Keys(s.Leases.m))
			slices.Sort(ids)
			return s.Leases.get(rapid.SampledFrom(ids).Draw(t, "lease"))
		}
		for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 3).Draw(t, "step"); {
			case what == 0 && s.Leases.len() > 0:
				s.deleteLease(pick())
			case what == 1 && s.Leases.len() > 0:
				less := *pick()
				less.Paths = less.Paths[:rapid.IntRange(1, len(less.Paths)).Draw(t, "rest")]
				s.setLease(&less)
			default:
				lease := &Lease{Claim: Claim{ID: fmt.Sprint("lock-", n),
					Session: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session")}, Token: int64(n)}
				lease.Literal = rapid.Bool().Draw(t, "literal")
				for range rapid.IntRange(1, 3).Draw(t, "paths") {
					lease.Paths = append(lease.Paths, clean(lease.Literal))
				}
				s.setLease(lease)
			}
		}
		asked := &Claim{Literal: rapid.Bool().Draw(t, "asked literal")}
		for range rapid.IntRange(1, 3).Draw(t, "asked") {
			asked.Paths = append(asked.Paths, clean(asked.Literal))
		}
		fresh := newLeaseIndex(&s.Settings, s.Leases)
		for _, x := range []*leaseIndex{s.index, fresh} {
			checkIndex(t, s, x, asked)
		}
		for _, lease := range s.Leases.all() {
			s.deleteLease(lease)
		}
		if x := s.index; len(x.held)+len(x.root.in)+len(x.root.here)+x.paths+x.patterns > 0 {
			t.Errorf("without leases it has %+v", x)
		}
	})
}

func checkIndex(t *rapid.T, s *state, x *leaseIndex, asked *Claim) {
	var meet, own, found, listed []string
	paths, patterns := 0, 0
	for id, lease := range s.Leases.all() {
		if asked.overlap(&s.Settings, &lease.Claim, new(work)) {
			meet = append(meet, id)
		}
		if lease.Session == "a" {
			own = append(own, id)
		}
		paths, patterns = paths+len(lease.Paths), patterns+lease.patterns()
	}
	for _, lease := range x.near(asked.Paths) {
		if asked.overlap(&s.Settings, &lease.Claim, new(work)) {
			found = append(found, lease.ID)
		}
	}
	for id := range x.of("a") {
		listed = append(listed, id)
	}
	if !slices.Equal(found, meet) || !slices.Equal(listed, own) || x.paths != paths || x.patterns != patterns {
		t.Errorf("near %v it found %v, not %v; of a %v, not %v; %d paths and %d patterns, not %d and %d",
			asked.Paths, found, meet, listed, own, x.paths, x.patterns, paths, patterns)
	}
}

// Leases that are elsewhere cost a command nothing.
func TestLeasesElsewhereCostNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 100 {
		b.lease(announce(fmt.Sprint("s", i), fmt.Sprintf("src/%d/", i)))
	}
	b.lease(announce("a", "src/*.go"))
	if near := b.p.state.index.near([]string{"src/7/x.go"}); len(near) != 2 {
		t.Errorf("%d leases are near", len(near))
	}
	b.gives(announce("z", "src/7/x.go"), "conflict")
	if w := b.p.state.work; w > 200 {
		t.Errorf("compared %d times", w)
	}
}

// A lease ends in time, whatever ended or was renewed before it.
func TestLeasesEndInTurn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	lease := func(name string, ttl time.Duration) {
		c := announce(name, name)
		c.TTL = ttl
		b.lease(c)
	}
	lease("c", 3*time.Minute)
	lease("a", time.Minute)
	lease("b", 2*time.Minute)
	lease("d", 0)
	lease("b", 4*time.Minute)                // again
	for i, want := range []int{3, 3, 2, 1} { // after a minute, two, three and four
		b.now = b.now.Add(time.Minute)
		if left := b.do(ListLocks{}).(LockList).Leases; len(left) != want {
			t.Errorf("after %d minutes there are %+v", i+1, left)
		}
	}
}
