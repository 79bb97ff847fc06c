// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model: it answers a handful of questions about films, in a few forms each, and
// refuses all others.
package rules

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/catalogue"
)

// Refusal answers everything that the rules do not understand.
const Refusal = `Without a language model I answer only plain questions such as "Who directed The Matrix?"; ` +
	`start me with --llm to ask for anything else.`

// Kind says how a message ends.
type Kind int

// The kinds of a reply.
const (
	Answered Kind = iota
	Asked         // the next message is the answer
	Refused
)

// A Reply is what is said, and the records that it speaks of. It is an error where it ends an answer early.
type Reply struct {
	Kind   Kind
	Text   string
	Movies []catalogue.Movie
	People []catalogue.Person
}

func (r *Reply) Error() string { return r.Text }

// State is what a conversation has been about. The zero value is a conversation that has not begun.
type State struct {
	Known   map[string]string `json:"known,omitempty"` // what "it", "he" and "she" mean
	Pending *Pending          `json:"pending,omitzero"`
}

// Pending is a question of the user that waits for the answer to a question of ours.
type Pending struct {
	Text    string   `json:"text"`    // of the user's question
	Name    string   `json:"name"`    // the title in it that several films have
	Choices []string `json:"choices"` // those films
}

const (
	maxQuestion    = 300 // runes of a text that is read
	maxChoices     = 6
	maxListed      = 12
	maxCast        = 6
	maxRecommended = 3
)

var (
	polite = regexp.MustCompile(
		`(?i)^(?:(?:please|and|so|hi|hello|can you|could you)\b[ ,]*)+|[ ,]*\bplease[.!?]*$|[\s.!?]+$`)
	withYear = regexp.MustCompile(`^(.+?) \(?((?:19|20)\d\d)\)?$`)
	fillers  = regexp.MustCompile(`(?i)\b(?:the|one|film|movie|version|of|from|by|i|mean)\b|['’]s\b`)
)

// Answer deals with one message. An error means that the catalogue could not be had.
func Answer(ctx context.Context, c catalogue.Catalogue, s *State, text string) (*Reply, error) {
	a := &answering{ctx: ctx, catalogue: c, state: s, text: trim(text)}
	if p := s.Pending; p != nil {
		meant, ok := p.choose(a.text)
		switch {
		case a.read() != nil: // another question
		case ok:
			name := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(p.Name) + `($|\W)`)
			a.text = name.ReplaceAllString(p.Text, "${1}"+strings.ReplaceAll(meant, "$", "$$")+"${2}")
		default:
			again := fmt.Sprintf("I do not know which one you mean by %q. Please give the number.",
				reply.Line(text, 40))
			return &Reply{Kind: Asked, Text: list(again, p.Choices)}, nil
		}
		s.Pending = nil
	}
	answer := a.read()
	if answer == nil {
		return &Reply{Kind: Refused, Text: Refusal}, nil
	}
	reply, err := answer(a)
	if early, ok := errors.AsType[*Reply](err); ok {
		return early, nil
	}
	if err == nil {
		s.remember(reply)
	}
	return reply, err
}

func trim(text string) string {
	return strings.TrimSpace(polite.ReplaceAllString(reply.Line(text, maxQuestion), ""))
}

// remember keeps what pronouns will mean. In a list of films nobody can say "it".
func (s *State) remember(r *Reply) {
	if s.Known == nil {
		s.Known = make(map[string]string)
	}
	if len(r.Movies) == 1 {
		s.Known["it"] = r.Movies[0].String()
	}
	for _, p := range slices.Backward(r.People) {
		s.Known[map[bool]string{true: "she", false: "he"}[p.Gender == 1]] = p.Name
	}
}

// choose finds out which choice an answer means: by its number, or by words that only one has.
func (p *Pending) choose(answer string) (string, bool) {
	answer = strings.TrimSpace(fillers.ReplaceAllString(answer, " "))
	fits := slices.DeleteFunc(slices.Clone(p.Choices), func(c string) bool {
		return !catalogue.HasWords(catalogue.Fold(c), catalogue.Fold(answer))
	})
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(p.Choices) {
		fits = p.Choices[n-1 : n]
	}
	if len(fits) != 1 {
		return "", false
	}
	meant, _, _ := strings.Cut(fits[0], ", ") // without who directed it
	return meant, true
}

// list is a question with numbered choices.
func list(question string, choices []string) string {
	for i, c := range choices {
		question += fmt.Sprintf("\n%d. %s", i+1, c)
	}
	return question
}

// An answering is one question with what stands in its places.
type answering struct {
	ctx       context.Context
	catalogue catalogue.Catalogue
	state     *State
	text      string
	places    map[string]string
}

func (a *answering) unknown(name string) error {
	return &Reply{Kind: Refused, Text: fmt.Sprintf(
		"I find no %q in the %s; start me with --llm if you meant something else.",
		reply.Line(name, 60), a.catalogue.Source())}
}

// film resolves the title in a place.
func (a *answering) film(place string) (m catalogue.Movie, err error) {
	title := a.places[place]
	if strings.EqualFold(title, "it") {
		if title = a.state.Known["it"]; title == "" {
			return m, &Reply{Kind: Refused, Text: Refusal}
		}
	}
	found, err := a.search(title)
	switch {
	case err != nil:
		return m, err
	case len(found) == 0:
		return m, a.unknown(title)
	case len(found) == 1:
		return a.catalogue.Movie(a.ctx, found[0].ID)
	}
	slices.SortStableFunc(found,
		func(x, y catalogue.Movie) int { return strings.Compare(x.ReleaseDate, y.ReleaseDate) })
	var choices []string
	for _, f := range found[:min(len(found), maxChoices)] {
		if f, err = a.catalogue.Movie(a.ctx, f.ID); err != nil {
			return m, err
		}
		choices = append(choices, f.String()+", directed by "+reply.And(f.Directors()))
	}
	a.state.Pending = &Pending{Text: a.text, Name: title, Choices: choices}
	question := fmt.Sprintf("There are several films called %q. Which one do you mean?", title)
	return m, &Reply{Kind: Asked, Text: list(question, choices)}
}

// search returns the films with a title or, when there is none, those whose titles begin with it. Films that hardly
// anybody voted for, beside one that is well known, are left out.
func (a *answering) search(title string) ([]catalogue.Movie, error) {
	found, err := a.catalogue.SearchMovies(a.ctx, title)
	if year := withYear.FindStringSubmatch(title); err == nil && len(found) == 0 && year != nil {
		title = year[1]
		found, err = a.catalogue.SearchMovies(a.ctx, title)
		found = slices.DeleteFunc(found, func(m catalogue.Movie) bool { return m.Year() != year[2] })
	}
	query, most := catalogue.Fold(title), 0
	exact := func(m catalogue.Movie) bool { return catalogue.Fold(m.Title) == query }
	anyExact := slices.ContainsFunc(found, exact)
	found = slices.DeleteFunc(found, func(m catalogue.Movie) bool {
		return anyExact && !exact(m) || !strings.HasPrefix(catalogue.Fold(m.Title)+" ", query+" ")
	})
	for _, m := range found {
		most = max(most, m.VoteCount)
	}
	return slices.DeleteFunc(found, func(m catalogue.Movie) bool { return m.VoteCount < most/20 }), err
}

// person resolves the name in a place: the best match counts.
func (a *answering) person(place string) (p catalogue.Person, err error) {
	name := a.places[place]
	if pronoun := strings.ToLower(name); pronoun == "he" || pronoun == "she" {
		if name = a.state.Known[pronoun]; name == "" {
			return p, &Reply{Kind: Refused, Text: Refusal}
		}
	}
	found, err := a.catalogue.SearchPeople(a.ctx, name)
	switch {
	case err != nil:
		return p, err
	case len(found) == 0:
		return p, a.unknown(name)
	}
	return a.catalogue.Person(a.ctx, found[0].ID)
}
