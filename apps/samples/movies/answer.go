// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	maxListed = 12 // films in an answer
	maxCast   = 6  // names in an answer
)

// answer puts the answer into words.
func (x *answering) answer(ctx context.Context) (outcome, error) {
	switch x.r.Intent {
	case askCompare:
		return x.compare(), nil
	case askFilms:
		return x.films(), nil
	case askPerson, askBorn:
		return x.aboutPerson(), nil
	case askFind:
		return x.find(ctx)
	case askRecommend:
		return x.recommend(ctx)
	}
	m := x.movies[0]
	out := outcome{movies: []Movie{m}}
	switch x.r.Intent {
	case askDirector:
		out.text = known(joinAnd(m.directors()), "%s was directed by %s.", "I do not know who directed %s.", m)
		out.people = x.credited(m.Credits.Crew, func(c Credit) bool { return c.Job == "Director" })
	case askCast:
		out.text = known(joinAnd(cast(m)), "%s stars %s.", "I do not know who plays in %s.", m)
		out.people = x.credited(m.Credits.Cast, func(Credit) bool { return true })
	case askCharacter:
		out.text, out.people = x.character(m)
	case askYear:
		out.text = known(day(m.ReleaseDate), "%s was released on %s.", "I do not know when %s was released.", m)
	case askRuntime:
		out.text = known(length(m.Runtime), "%s is %s long.", "I do not know how long %s is.", m)
	case askGenre:
		out.text = known(joinAnd(m.genreNames()), "%s: %s.", "I do not know the genre of %s.", m)
	case askRating:
		out.text = known(rating(m), "%s is rated %s.", "I know no rating of %s.", m)
	case askPlot:
		out.text = known(m.Overview, "%s: %s", "I do not know the plot of %s.", m)
	default:
		out.text = about(m)
		out.people = x.credited(m.Credits.Crew, func(c Credit) bool { return c.Job == "Director" })
	}
	return out, nil
}

// known says a fact of a film, or that it is not known.
func known(fact, say, otherwise string, m Movie) string {
	if fact == "" {
		return fmt.Sprintf(otherwise, m)
	}
	return fmt.Sprintf(say, m, fact)
}

// credited are the people of some credits, as far as they are known from the credits: the first of them is whom a
// pronoun means.
func (x *answering) credited(credits []Credit, want func(Credit) bool) []Person {
	var all []Person
	for _, c := range credits {
		if want(c) && len(all) < maxCast {
			all = append(all, Person{ID: c.ID, Name: c.Name, Gender: c.Gender})
		}
	}
	return all
}

func cast(m Movie) []string {
	var names []string
	for _, c := range m.Credits.Cast[:min(len(m.Credits.Cast), maxCast)] {
		name := c.Name
		if c.Character != "" {
			name += " (" + c.Character + ")"
		}
		names = append(names, name)
	}
	return names
}

// character says who plays somebody.
func (x *answering) character(m Movie) (string, []Person) {
	for i, c := range m.Credits.Cast {
		if x.r.Character == "lead" && i == 0 || x.r.Character != "lead" && hasWords(fold(c.Character), fold(x.r.Character)) {
			return fmt.Sprintf("%s plays %s in %s.", c.Name, or(c.Character, "the lead"), m), []Person{{ID: c.ID, Name: c.Name, Gender: c.Gender}}
		}
	}
	return fmt.Sprintf("I do not know who plays %q in %s. It stars %s.", clean(x.r.Character, maxEcho), m, joinAnd(cast(m))), nil
}

// about is a film in two sentences.
func about(m Movie) string {
	var b strings.Builder
	b.WriteString(m.String())
	if names := m.genreNames(); len(names) > 0 {
		fmt.Fprintf(&b, ", %s", joinAnd(names))
	}
	if by := m.directors(); len(by) > 0 {
		fmt.Fprintf(&b, ", directed by %s", joinAnd(by))
	}
	if l := length(m.Runtime); l != "" {
		fmt.Fprintf(&b, ", %s", l)
	}
	b.WriteString(".")
	if m.Overview != "" {
		b.WriteString(" " + m.Overview)
	}
	if m.Credits != nil && len(m.Credits.Cast) > 0 {
		fmt.Fprintf(&b, " With %s.", joinAnd(cast(m)))
	}
	return b.String()
}

func length(minutes int) string {
	if minutes <= 0 {
		return ""
	}
	return fmt.Sprintf("%d minutes", minutes)
}

func rating(m Movie) string {
	if m.VoteAverage == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f of 10", m.VoteAverage)
}

// day writes 1999-03-31 as people do; what is no day stays as it is.
func day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// compare says which of two films is the first, longest or best.
func (x *answering) compare() outcome {
	a, b := x.movies[0], x.movies[1]
	out := outcome{movies: x.movies}
	switch x.r.Criterion {
	case "first", "last":
		out.text = versus(a, b, cmp.Compare(a.ReleaseDate, b.ReleaseDate), x.r.Criterion == "first", "came out "+x.r.Criterion, "came out on the same day",
			func(m Movie) string { return day(m.ReleaseDate) })
	case "longest", "shortest":
		out.text = versus(a, b, cmp.Compare(a.Runtime, b.Runtime), x.r.Criterion == "shortest", "is "+strings.TrimSuffix(x.r.Criterion, "st")+"r", "are equally long",
			func(m Movie) string { return length(m.Runtime) })
	case "best", "worst":
		more := map[string]string{"best": "is rated higher", "worst": "is rated lower"}[x.r.Criterion]
		out.text = versus(a, b, cmp.Compare(a.VoteAverage, b.VoteAverage), x.r.Criterion == "worst", more, "are rated the same", rating)
	default:
		line := func(m Movie) string {
			return fmt.Sprintf("%s: released on %s, %s, directed by %s, rated %s.", m, day(m.ReleaseDate), length(m.Runtime), joinAnd(m.directors()), rating(m))
		}
		out.text = line(a) + "\n" + line(b)
	}
	return out
}

// versus words a comparison. The smaller one wins when small is set.
func versus(a, b Movie, order int, small bool, more, same string, value func(Movie) string) string {
	if value(a) == "" || value(b) == "" {
		return fmt.Sprintf("I do not know enough of %s and %s to say.", a, b)
	}
	if order == 0 {
		return fmt.Sprintf("%s and %s %s: %s.", a, b, same, value(a))
	}
	if (order < 0) != small {
		a, b = b, a
	}
	return fmt.Sprintf("%s %s: %s, and %s: %s.", a, more, value(a), b, value(b))
}

// films lists what a person did, the newest first.
func (x *answering) films() outcome {
	p := x.people[0]
	out := outcome{people: []Person{p}}
	directed := x.r.Directed || !x.r.Played && p.Department == "Directing"
	verb := "has been in"
	if directed {
		verb = "directed"
	}
	list := filmsOf(p, directed)
	if len(list) == 0 && !x.r.Directed {
		list, verb = filmsOf(p, !directed), "directed"
	}
	spoken := 0
	if x.r.Other && len(x.s.Movies) > 0 {
		spoken = x.s.Movies[len(x.s.Movies)-1]
		list = slices.DeleteFunc(list, func(m Movie) bool { return m.ID == spoken })
	}
	if len(list) == 0 {
		out.text = fmt.Sprintf("I know of no films that %s %s.", p.Name, verb)
		return out
	}
	out.text = fmt.Sprintf("%s %s %s.", p.Name, verb, joinAnd(titles(list)))
	if more := len(list) - maxListed; more > 0 {
		out.text = strings.TrimSuffix(out.text, ".") + fmt.Sprintf(", and %d more.", more)
	}
	out.listed = list[:min(len(list), maxListed)]
	return out
}

// filmsOf are the films that a person directed, or plays in, the newest first.
func filmsOf(p Person, directed bool) []Movie {
	if p.MovieCredits == nil {
		return nil
	}
	credits := p.MovieCredits.Cast
	if directed {
		credits = slices.DeleteFunc(slices.Clone(p.MovieCredits.Crew), func(m Movie) bool { return m.Job != "Director" })
	}
	list := slices.Clone(credits)
	slices.SortStableFunc(list, func(a, b Movie) int { return strings.Compare(b.ReleaseDate, a.ReleaseDate) })
	return slices.CompactFunc(list, func(a, b Movie) bool { return a.ID == b.ID })
}

func titles(list []Movie) []string {
	var names []string
	for _, m := range list[:min(len(list), maxListed)] {
		names = append(names, m.String())
	}
	return names
}

// aboutPerson says who somebody is.
func (x *answering) aboutPerson() outcome {
	p := x.people[0]
	out := outcome{people: []Person{p}}
	born := day(p.Birthday)
	if p.PlaceOfBirth != "" {
		born = strings.TrimSpace(born + " in " + p.PlaceOfBirth)
	}
	var sentences []string
	if p.Biography != "" && x.r.Intent == askPerson {
		sentences = append(sentences, p.Name+": "+p.Biography)
	}
	switch {
	case born != "":
		sentences = append(sentences, fmt.Sprintf("%s was born on %s.", p.Name, born))
	case x.r.Intent == askBorn:
		sentences = append(sentences, fmt.Sprintf("I do not know when and where %s was born.", p.Name))
	}
	if p.Deathday != "" {
		sentences = append(sentences, "Died on "+day(p.Deathday)+".")
	}
	if x.r.Intent == askPerson {
		best := filmsOf(p, p.Department == "Directing")
		slices.SortStableFunc(best, func(a, b Movie) int {
			return cmp.Compare(b.VoteAverage*float64(b.VoteCount+1), a.VoteAverage*float64(a.VoteCount+1))
		})
		if best = best[:min(len(best), 4)]; len(best) > 0 {
			sentences = append(sentences, "Known for "+joinAnd(titles(best))+".")
		}
		out.listed = best
	}
	out.text = strings.Join(sentences, " ")
	return out
}

// find lists films by their features.
func (x *answering) find(ctx context.Context) (outcome, error) {
	found, err := x.d.discover(ctx, x.filter())
	if err != nil {
		return outcome{}, err
	}
	out := outcome{people: x.people}
	if x.director != nil {
		out.people = append(out.people, *x.director)
	}
	if len(found) == 0 {
		out.text = "I found no such films."
		return out, nil
	}
	out.listed = found[:min(len(found), maxListed)]
	out.text = "I found " + joinAnd(titles(found)) + "."
	if more := len(found) - maxListed; more > 0 {
		out.text = strings.TrimSuffix(out.text, ".") + fmt.Sprintf(", and %d more.", more)
	}
	return out, nil
}

// filter is that of the request with the people it names.
func (x *answering) filter() Filter {
	f := x.r.Filter
	for _, p := range x.people {
		f.Cast = append(slices.Clip(f.Cast), p.ID)
	}
	if x.director != nil {
		f.Director = x.director.ID
	}
	return f
}
