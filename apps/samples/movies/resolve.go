// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Choice is one thing that a title or a name can mean.
type Choice struct {
	ID    int    `json:"id"`
	Label string `json:"label"`
}

const (
	maxChoices = 6 // that a question offers
	// Of films with one title those that hardly anybody knows are not asked about: they have less than this share of the
	// votes of the best known one.
	minShare = 0.05
)

// findMovie returns the films that a title can mean: one when that is clear, none when there is nothing.
func findMovie(ctx context.Context, c Catalogue, text string) ([]Movie, error) {
	found, err := c.SearchMovies(ctx, text)
	if err != nil {
		return nil, err
	}
	best := closest(found, fold(text))
	if len(best) == 0 {
		return hinted(ctx, c, text)
	}
	return best, nil
}

// closest are the films with that very title or, when there is none, all those that were found.
func closest(found []Movie, query string) []Movie {
	exact := slices.DeleteFunc(slices.Clone(found), func(m Movie) bool {
		return fold(m.Title) != query && fold(m.OriginalTitle) != query
	})
	if len(exact) == 0 {
		exact = slices.DeleteFunc(slices.Clone(found), func(m Movie) bool { return match(fold(m.Title), query) < 0 })
		if starts := slices.DeleteFunc(slices.Clone(exact), func(m Movie) bool { return match(fold(m.Title), query) > 1 }); len(starts) > 0 {
			exact = starts
		}
	}
	most := 0
	for _, m := range exact {
		most = max(most, m.VoteCount)
	}
	return slices.DeleteFunc(exact, func(m Movie) bool { return float64(m.VoteCount) < minShare*float64(most) })
}

var (
	yearHint   = lazily(`(?i)^(?:the )?(?:(?P<year>(?:19|20)\d\d) (?:version of )?(?P<title>.+)|(?P<title>.+?),? \(?(?:from |of |in |the )?(?:the year )?(?P<year>(?:19|20)\d\d)(?: one| version| film| movie)?\)?)$`)
	makerHint  = lazily(`(?i)^(?P<title>.+?),? (?:by|directed by|from|of) (?P<maker>.+)$`)
	ownersHint = lazily(`(?i)^(?P<maker>.+?)(?:'s|’s|s') (?P<title>.+)$`)
)

// hinted finds a title that says more than the title: "Dune (1984)", "Dune by David Lynch", "Villeneuve's Dune".
func hinted(ctx context.Context, c Catalogue, text string) ([]Movie, error) {
	for _, hint := range []*regexp.Regexp{yearHint(), ownersHint(), makerHint()} {
		m := hint.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		group := make(map[string]string)
		for i, name := range hint.SubexpNames() {
			if m[i] != "" {
				group[name] = m[i]
			}
		}
		found, err := c.SearchMovies(ctx, group["title"])
		if err != nil {
			return nil, err
		}
		kept, err := keep(ctx, c, closest(found, fold(group["title"])), group["year"], group["maker"])
		if err != nil || len(kept) > 0 {
			return kept, err
		}
	}
	return nil, nil
}

// keep keeps the films of a year, or those that somebody directed.
func keep(ctx context.Context, c Catalogue, found []Movie, year, maker string) ([]Movie, error) {
	var kept []Movie
	for _, m := range found[:min(len(found), maxChoices)] {
		if year != "" {
			if m.Year() == year {
				kept = append(kept, m)
			}
			continue
		}
		full, err := c.Movie(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(full.directors(), func(name string) bool { return hasWords(fold(name), fold(maker)) }) {
			kept = append(kept, full)
		}
	}
	return kept, nil
}

// findPerson returns the people whom a name can mean.
func findPerson(ctx context.Context, c Catalogue, text string) ([]Person, error) {
	found, err := c.SearchPeople(ctx, text)
	if err != nil {
		return nil, err
	}
	query := fold(text)
	exact := slices.DeleteFunc(slices.Clone(found), func(p Person) bool { return fold(p.Name) != query })
	if len(exact) == 0 {
		exact = slices.DeleteFunc(slices.Clone(found), func(p Person) bool { return match(fold(p.Name), query) < 0 })
	}
	return wellKnown(exact), nil
}

// wellKnown leaves out those whom hardly anybody looks for, when there are others of the name.
func wellKnown(found []Person) []Person {
	most := 0.0
	for _, p := range found {
		most = max(most, p.Popularity)
	}
	return slices.DeleteFunc(found, func(p Person) bool { return p.Popularity < most/4 })
}

// movieChoices describe films so that people can tell them apart.
func movieChoices(ctx context.Context, c Catalogue, found []Movie) ([]Choice, error) {
	var all []Choice
	for _, m := range found[:min(len(found), maxChoices)] {
		full, err := c.Movie(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		label := full.String()
		if by := full.directors(); len(by) > 0 {
			label += ", directed by " + joinAnd(by)
		}
		all = append(all, Choice{ID: m.ID, Label: label})
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return strings.Compare(yearOf(a.Label), yearOf(b.Label)) })
	return all, nil
}

func personChoices(found []Person) []Choice {
	var all []Choice
	for _, p := range found[:min(len(found), maxChoices)] {
		label := p.Name
		if p.Department != "" {
			label += " (" + strings.ToLower(p.Department) + ")"
		}
		all = append(all, Choice{ID: p.ID, Label: label})
	}
	return all
}

var labelYear = lazily(`\(((?:18|19|20)\d\d)\)`)

func yearOf(label string) string {
	if m := labelYear().FindStringSubmatch(label); m != nil {
		return m[1]
	}
	return ""
}

// list is a question with numbered choices.
func list(question string, choices []Choice) string {
	lines := []string{question}
	for i, c := range choices {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, c.Label))
	}
	return strings.Join(lines, "\n")
}

var (
	ordinals  = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6}
	emptyWord = map[string]bool{"the": true, "one": true, "movie": true, "film": true, "version": true, "by": true, "from": true, "of": true, "directed": true, "please": true,
		"i": true, "mean": true, "meant": true, "number": true, "no": true, "that": true, "with": true, "in": true, "and": true, "s": true, "a": true, "it": true, "s'": true}
)

// choose finds out which choice an answer means.
func choose(choices []Choice, answer string) (Choice, bool) {
	words := strings.Fields(strings.NewReplacer("'s", " ", "’s", " ").Replace(strings.ToLower(answer)))
	var rest []string
	for _, word := range words {
		word = strings.Trim(word, `.,!?()#"'“”:`)
		if word != "" && !emptyWord[word] {
			rest = append(rest, word)
		}
	}
	if len(rest) == 0 && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "one") }) {
		rest = []string{"1"} // "one"
	}
	if len(rest) == 1 {
		if c, ok := chooseWord(choices, rest[0]); ok {
			return c, true
		}
	}
	var fits []Choice
	for _, c := range choices {
		if len(rest) > 0 && hasWords(fold(c.Label), fold(strings.Join(rest, " "))) {
			fits = append(fits, c)
		}
	}
	if len(fits) > 1 {
		fits = slices.DeleteFunc(fits, func(c Choice) bool {
			return fold(labelYear().ReplaceAllString(beforeComma(c.Label), "")) != fold(answer)
		})
	}
	if len(fits) != 1 {
		return Choice{}, false
	}
	return fits[0], true
}

func beforeComma(s string) string {
	s, _, _ = strings.Cut(s, ", directed by")
	return s
}

// chooseWord reads a number, an ordinal, or which of the years.
func chooseWord(choices []Choice, word string) (Choice, bool) {
	n, err := strconv.Atoi(word)
	if err != nil {
		n = ordinals[word]
	}
	switch word {
	case "last", "newer", "newest", "later", "latest", "new", "recent", "remake":
		n = len(choices)
	case "older", "oldest", "earlier", "old", "original", "earliest":
		n = 1
	case "two", "three", "four", "five", "six":
		n = slices.Index([]string{"two", "three", "four", "five", "six"}, word) + 2
	}
	if n >= 1 && n <= len(choices) {
		return choices[n-1], true
	}
	return Choice{}, false
}
