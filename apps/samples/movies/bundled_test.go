// SPDX-License-Identifier: Apache-2.0

package movies

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
		if m.Runtime < 60 || m.VoteAverage < 5 || m.VoteAverage > 10 || len(m.directors()) == 0 || len(m.Credits.Cast) < 2 || len(m.genreNames()) != len(m.Genres) {
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
		if _, err := time.Parse(time.DateOnly, p.Birthday); err != nil || p.Gender == 0 || p.Biography == "" || p.PlaceOfBirth == "" {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if known < 150 {
		t.Errorf("%d people with facts", known)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"amélie", "amelie", 1}} {
		if got := distance(row.a, row.b); got != row.want {
			t.Errorf("%q to %q: %d, want %d", row.a, row.b, got, row.want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	choices := []Choice{{1, "Dune (1984), directed by David Lynch"}, {2, "Dune (2021), directed by Denis Villeneuve"}, {3, "Dune: Part Two (2024), directed by Denis Villeneuve"}}
	for answer, want := range map[string]int{
		"1": 1, "2.": 2, "#3": 3, "the first one": 1, "second": 2, "number three": 3, "1984": 1, "the 2021 one": 2, "Lynch's": 1, "the one by David Lynch": 1,
		"the original": 1, "the newest": 3, "Dune (2021)": 2, "Part Two": 3, "the last": 3, "one": 1, "two": 2,
		"Villeneuve's": 0, "0": 0, "4": 0, "what?": 0, "": 0, "the": 0, "Dune": 0, "1999": 0,
	} {
		c, ok := choose(choices, answer)
		if c.ID != want || ok != (want > 0) {
			t.Errorf("%q: %+v %v, want %d", answer, c, ok, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"Who directed Dune?", "2", "and Heat?", "recommend a 90's comedy with him", "which is longer, Dune or It", "what else has she been in", "\xff 's movies", "movies by and with", "compare and"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		d := &dialogue{catalogue: Bundled()}
		var s State
		for _, text := range []string{first, second, "it", first} {
			out, next, err := d.answer(t.Context(), s, text)
			if err != nil || out.text == "" {
				t.Fatalf("%q: %q %v", text, out.text, err)
			}
			s = next
		}
	})
}
