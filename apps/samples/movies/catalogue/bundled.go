// SPDX-License-Identifier: Apache-2.0

package catalogue

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

//go:embed data/movies.json
var moviesJSON []byte

//go:embed data/people.json
var peopleJSON []byte

// bundled is the [Catalogue] of sample data that comes with the package. Its ids are its own, and so are its plots and
// ratings.
type bundled struct {
	movies []Movie
	people []Person
	byID   map[int]int // index of a person
}

// Bundled returns the catalogue that needs no network: some 180 films, and those who made them.
func Bundled() Catalogue { return loadBundled() }

var loadBundled = sync.OnceValue(func() *bundled {
	b := &bundled{byID: make(map[int]int)}
	if err := json.Unmarshal(moviesJSON, &b.movies); err != nil {
		panic(fmt.Errorf("catalogue: bundled films: %w", err)) // a test reads them
	}
	if err := json.Unmarshal(peopleJSON, &b.people); err != nil {
		panic(fmt.Errorf("catalogue: bundled people: %w", err))
	}
	for i, p := range b.people {
		b.byID[p.ID] = i
		b.people[i].MovieCredits = &MovieCredits{}
	}
	for _, m := range b.movies {
		for _, credits := range [][]Credit{m.Credits.Cast, m.Credits.Crew} {
			for i, c := range credits {
				p := &b.people[b.byID[c.ID]]
				credits[i].Gender = p.Gender
				p.Popularity++
				film := m.brief()
				film.Character, film.Job = c.Character, c.Job
				if films := p.MovieCredits; c.Job == "" {
					films.Cast = append(films.Cast, film)
				} else {
					films.Crew = append(films.Crew, film)
				}
			}
		}
	}
	return b
})

func (*bundled) Source() string { return "bundled catalogue" }

// rank says how well a folded title or name fits a folded query: 0 is best, -1 not at all.
func rank(title, query string) int {
	switch {
	case title == query:
		return 0
	case strings.HasPrefix(title, query+" "):
		return 1
	case HasWords(title, query):
		return 2
	}
	return -1
}

// search returns what fits a query, best first.
func search[T any](all []T, name func(T) string, query string) []T {
	query = Fold(query)
	var found [3][]T
	for _, item := range all {
		if n := rank(Fold(name(item)), query); n >= 0 {
			found[n] = append(found[n], item)
		}
	}
	return slices.Concat(found[:]...)
}

func (b *bundled) SearchMovies(_ context.Context, title string) ([]Movie, error) {
	found := search(b.movies, func(m Movie) string { return m.Title }, title)
	for i := range found {
		found[i] = found[i].brief()
	}
	return found, nil
}

func (b *bundled) SearchPeople(_ context.Context, name string) ([]Person, error) {
	found := search(b.people, func(p Person) string { return p.Name }, name)
	for i, p := range found {
		found[i] = Person{ID: p.ID, Name: p.Name, Gender: p.Gender, Department: p.Department, Popularity: p.Popularity}
	}
	return found, nil
}

func (b *bundled) Movie(_ context.Context, id int) (Movie, error) {
	i := slices.IndexFunc(b.movies, func(m Movie) bool { return m.ID == id })
	if i < 0 {
		return Movie{}, fmt.Errorf("catalogue: no film %d in the bundled catalogue", id)
	}
	return b.movies[i], nil
}

func (b *bundled) Person(_ context.Context, id int) (Person, error) {
	i, ok := b.byID[id]
	if !ok {
		return Person{}, fmt.Errorf("catalogue: no person %d in the bundled catalogue", id)
	}
	return b.people[i], nil
}

func (b *bundled) Discover(_ context.Context, f Filter) ([]Movie, error) {
	var found []Movie
	for _, m := range b.movies {
		if f.takes(m) {
			found = append(found, m.brief())
		}
	}
	slices.SortStableFunc(found, func(x, y Movie) int { return cmp.Compare(y.VoteAverage, x.VoteAverage) })
	return found, nil
}

// takes reports whether a film with its credits passes the filter.
func (f Filter) takes(m Movie) bool {
	year := 0
	fmt.Sscan(m.Year(), &year) // 0 when it is not known
	if f.From > 0 && year < f.From || f.To > 0 && year > f.To {
		return false
	}
	ids := m.genreIDs()
	for _, genre := range f.Genres {
		if !slices.Contains(ids, genre) {
			return false
		}
	}
	for _, person := range f.Cast {
		if !slices.ContainsFunc(m.Credits.Cast, func(c Credit) bool { return c.ID == person }) {
			return false
		}
	}
	return f.Director == 0 || slices.ContainsFunc(m.Credits.Crew,
		func(c Credit) bool { return c.ID == f.Director && c.Job == "Director" })
}
