// SPDX-License-Identifier: Apache-2.0

package catalogue

import (
	"strings"
	"testing"
	"time"
)

func TestBundledDataIsWhole(t *testing.T) {
	t.Parallel()
	b := loadBundled()
	if len(b.movies) < 150 || len(b.people) < 150 {
		t.Fatalf("%d films, %d people", len(b.movies), len(b.people))
	}
	ids, named := make(map[int]bool), make(map[string]bool)
	for _, m := range b.movies {
		if _, err := time.Parse(time.DateOnly, m.ReleaseDate); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		if ids[m.ID] || named[m.String()] {
			t.Errorf("%s is there twice", m)
		}
		ids[m.ID], named[m.String()] = true, true
		if m.Runtime < 60 || m.VoteAverage < 5 || m.VoteAverage > 10 || len(m.Directors()) == 0 ||
			len(m.Credits.Cast) < 2 {
			t.Errorf("%s: %+v", m, m)
		}
		if !strings.HasSuffix(m.Overview, ".") || strings.Count(m.Overview, ". ") > 0 {
			t.Errorf("%s: the plot is no sentence: %s", m, m.Overview)
		}
	}
	known := 0
	people := make(map[int]bool)
	for _, p := range b.people {
		if people[p.ID] || p.Name == "" || len(p.MovieCredits.Cast)+len(p.MovieCredits.Crew) == 0 {
			t.Errorf("%+v", p)
		}
		people[p.ID] = true
		if p.Birthday == "" {
			continue
		}
		known++
		if _, err := time.Parse(time.DateOnly, p.Birthday); err != nil || p.Gender == 0 || p.Biography == "" ||
			p.PlaceOfBirth == "" {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if known < 150 {
		t.Errorf("%d people with facts", known)
	}
}
