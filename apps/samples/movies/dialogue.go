// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// kind is how a message ends.
type kind int

const (
	answered kind = iota
	asked         // the next message is the answer
	declined      // not about films
)

// An outcome is what the agent says, and the records that it speaks of.
type outcome struct {
	kind   kind
	text   string
	movies []Movie
	people []Person
	listed []Movie // as movies, when they are a list
}

// State is what a conversation has been about. The zero value is a conversation that has not begun.
type State struct {
	Movies      []int         `json:"movies,omitempty"`      // ids, the last one last; at most maxRemembered
	People      []Known       `json:"people,omitempty"`      // likewise
	Last        Request       `json:"last,omitzero"`         // what was answered last
	Recommended []int         `json:"recommended,omitempty"` // ids; at most maxRecommended
	Pending     *Pending      `json:"pending,omitzero"`      // the open question
	Talk        []llm.Message `json:"talk,omitempty"`        // with a model: what was said
}

// Known is somebody of whom a conversation has spoken.
type Known struct {
	ID     int `json:"id"`
	Gender int `json:"gender,omitzero"`
}

// Pending is a request that waits for the answer to a question.
type Pending struct {
	Request Request  `json:"request"`
	Slot    slot     `json:"slot"`
	Index   int      `json:"index,omitzero"`
	Choices []Choice `json:"choices,omitempty"` // none: the title or name itself is asked for
}

// slot is a place of a request that names something.
type slot string

const (
	slotTitle    slot = "title"
	slotPerson   slot = "person"
	slotDirector slot = "director"
)

const (
	maxRemembered  = 10
	maxRecommended = 200
)

// question is an outcome that ends resolving early: an answer that nothing was found, or a question.
type question struct{ outcome }

func (q *question) Error() string { return q.text }

// dialogue is the engine that works by rules. It keeps nothing itself.
type dialogue struct {
	catalogue Catalogue
	seed      uint64
}

const refusal = "Sorry, I only know about movies and the people who make them. You could ask me: Who directed The Matrix?"

// answer deals with one message. An error means that the catalogue could not be had; the state is the old one then.
func (d *dialogue) answer(ctx context.Context, s State, text string) (outcome, State, error) {
	r, again := d.request(&s, text)
	if again != "" {
		return outcome{kind: asked, text: again}, s, nil
	}
	if r.Intent == askNothing {
		return outcome{kind: declined, text: refusal}, s, nil
	}
	s.Pending = nil
	out, err := d.do(ctx, &s, &r)
	if q, ok := err.(*question); ok {
		return q.outcome, s, nil
	}
	if err != nil {
		return outcome{}, s, err
	}
	s.Last = r
	s.remember(out)
	return out, s, nil
}

// request reads a text in the light of what was said before. again is the open question, to be asked once more.
func (d *dialogue) request(s *State, text string) (r Request, again string) {
	r = parse(text)
	if s.Pending != nil {
		if filled, ok := s.Pending.fill(text); ok {
			return filled, ""
		}
		if len(s.Pending.Choices) > 0 && (r.Bare || r.Intent == askNothing) {
			return r, list(fmt.Sprintf("I do not know which one you mean by %q. Please give the number.", clean(text, maxEcho)), s.Pending.Choices)
		}
		if len(s.Pending.Choices) == 0 && r.Bare {
			return s.Pending.named(r.Titles[0]), ""
		}
	}
	return s.follow(r, text), ""
}

// fill puts the choice into the request.
func (p *Pending) fill(answer string) (Request, bool) {
	c, ok := choose(p.Choices, answer)
	if !ok {
		return p.Request, false
	}
	return p.put(Ref{Text: c.Label, ID: c.ID}), true
}

// named puts a title or name into the request.
func (p *Pending) named(ref Ref) Request { return p.put(ref) }

func (p *Pending) put(ref Ref) Request {
	r := p.Request
	switch p.Slot {
	case slotTitle:
		r.Titles = slices.Clone(r.Titles)
		r.Titles[p.Index] = ref
	case slotPerson:
		r.People = slices.Clone(r.People)
		r.People[p.Index] = ref
		if len(r.Titles) > 0 && r.Intent == askAbout { // "who or what": it is a person
			r.Titles = nil
		}
	case slotDirector:
		r.Director = &ref
	}
	return r
}

// follow reads "and Heat?" and "another one" as what was asked before, of something else.
func (s *State) follow(r Request, text string) Request {
	lower := strings.ToLower(text)
	continues := strings.HasPrefix(lower, "and ") || strings.HasPrefix(lower, "what about ") || strings.HasPrefix(lower, "how about ")
	switch {
	case r.Intent == askAbout && continues && len(s.Last.Titles) == 1 && s.Last.Intent != askRecommend:
		last := s.Last
		last.Titles = r.Titles
		return last
	case r.Intent == askAbout && continues && len(s.Last.People) == 1 && (s.Last.Intent == askFilms || s.Last.Intent == askBorn):
		last := s.Last
		last.People, last.Other = []Ref{{Text: r.Titles[0].Text}}, false
		return last
	case r.Intent == askRecommend && s.Last.Intent == askRecommend && r.Other && !r.specific() && len(r.Titles) == 0:
		return s.Last
	}
	return r
}

// remember keeps what pronouns will refer to: the one film, or the two, that the answer is about, and its people, of
// whom the first one is meant first. In a list of films nobody can say "it".
func (s *State) remember(o outcome) {
	if len(o.movies) <= 2 && len(o.listed) == 0 {
		for _, m := range o.movies {
			s.Movies = push(s.Movies, m.ID, func(id int) int { return id })
		}
	}
	for _, p := range slices.Backward(o.people) {
		s.People = push(s.People, Known{p.ID, p.Gender}, func(k Known) int { return k.ID })
	}
}

func push[T any](all []T, item T, id func(T) int) []T {
	all = append(slices.DeleteFunc(slices.Clone(all), func(old T) bool { return id(old) == id(item) }), item)
	return all[max(0, len(all)-maxRemembered):]
}

// lastPerson is whom a pronoun means.
func (s *State) lastPerson(gender int) (id int, ok bool) {
	for _, k := range slices.Backward(s.People) {
		if gender == 0 || k.Gender == 0 || k.Gender == gender {
			return k.ID, true
		}
	}
	return 0, false
}

// do resolves what the request names and answers it.
func (d *dialogue) do(ctx context.Context, s *State, r *Request) (outcome, error) {
	x := &answering{d: d, s: s, r: r}
	if r.Intent == askAbout {
		if err := x.sortOut(ctx); err != nil {
			return outcome{}, err
		}
	}
	if err := x.titles(ctx); err != nil {
		return outcome{}, err
	}
	if err := x.names(ctx); err != nil {
		return outcome{}, err
	}
	return x.answer(ctx)
}

// An answering is one request with what it is about.
type answering struct {
	d *dialogue
	s *State
	r *Request

	movies   []Movie  // of the titles
	people   []Person // of the names
	director *Person
}

// ask returns the question as an error, and keeps the request until it is answered.
func (x *answering) ask(sl slot, index int, text string, choices []Choice) error {
	x.s.Pending = &Pending{Request: *x.r, Slot: sl, Index: index, Choices: choices}
	if len(choices) > 0 {
		text = list(text, choices)
	}
	return &question{outcome{kind: asked, text: text}}
}

// sortOut finds out whether "Dune" or "Tom Hanks" is a film or a person.
func (x *answering) sortOut(ctx context.Context) error {
	if len(x.r.Titles) == 0 || x.r.Titles[0].ID > 0 {
		return nil
	}
	ref := x.r.Titles[0]
	switch {
	case ref.Text == "":
		return nil
	case slices.Contains(personWords, strings.ToLower(ref.Text)):
		x.r.Intent, x.r.People, x.r.Titles = askPerson, []Ref{person(ref.Text)}, nil
		return nil
	}
	films, err := findMovie(ctx, x.d.catalogue, ref.Text)
	if err != nil {
		return err
	}
	query := fold(ref.Text)
	if slices.ContainsFunc(films, func(m Movie) bool { return fold(m.Title) == query }) {
		return nil
	}
	people, err := findPerson(ctx, x.d.catalogue, ref.Text)
	switch {
	case err != nil:
		return err
	case len(people) > 0 && (len(films) == 0 || fold(people[0].Name) == query || len(people) == 1):
		x.r.Intent, x.r.People, x.r.Titles = askPerson, []Ref{ref}, nil
	case len(films) == 0 && x.r.Bare:
		return x.unknownBare(ctx, ref.Text)
	}
	return nil
}

// unknownBare answers a text that is no title: near ones are named, and anything else is not about films.
func (x *answering) unknownBare(ctx context.Context, text string) error {
	near, err := x.d.catalogue.NearTitles(ctx, text)
	if err != nil {
		return err
	}
	if len(near) == 0 {
		return &question{outcome{kind: declined, text: refusal}}
	}
	return x.notFound(ctx, text, near)
}

// notFound answers a title that nothing was found for, with near ones.
func (x *answering) notFound(ctx context.Context, text string, near []Movie) error {
	text = fmt.Sprintf("I found no film called %q in the %s.", clean(text, maxEcho), x.d.catalogue.Source())
	if len(near) == 0 {
		return &question{outcome{kind: answered, text: text}}
	}
	var names []string
	for _, m := range near {
		names = append(names, m.String())
	}
	return &question{outcome{kind: answered, text: text + " Did you mean " + joinWith(names, " or ") + "?", movies: near}}
}

// titles finds the films of the request.
func (x *answering) titles(ctx context.Context) error {
	if x.r.Intent == askCompare && len(x.r.Titles) == 0 {
		if n := len(x.s.Movies); n >= 2 {
			x.r.Titles = []Ref{{ID: x.s.Movies[n-2]}, {ID: x.s.Movies[n-1]}}
		} else {
			return &question{outcome{kind: asked, text: "Which two films should I compare? For example: which is longer, Dune (2021) or Titanic?"}}
		}
	}
	for i, ref := range x.r.Titles {
		if err := x.title(ctx, i, ref); err != nil {
			return err
		}
	}
	return nil
}

func (x *answering) title(ctx context.Context, i int, ref Ref) error {
	if ref.ID == 0 && ref.Text == "" {
		if len(x.s.Movies) == 0 {
			return x.ask(slotTitle, i, "Which film do you mean?", nil)
		}
		ref.ID = x.s.Movies[len(x.s.Movies)-1]
	}
	if ref.ID == 0 {
		found, err := findMovie(ctx, x.d.catalogue, ref.Text)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return x.missing(ctx, ref.Text)
		}
		if len(found) > 1 {
			choices, err := movieChoices(ctx, x.d.catalogue, found)
			if err != nil {
				return err
			}
			return x.ask(slotTitle, i, fmt.Sprintf("There are several films called %q. Which one do you mean?", clean(ref.Text, maxEcho)), choices)
		}
		ref.ID = found[0].ID
	}
	m, err := x.d.catalogue.Movie(ctx, ref.ID)
	if err != nil {
		return err
	}
	x.r.Titles = slices.Clone(x.r.Titles)
	x.r.Titles[i] = ref
	x.movies = append(x.movies, m)
	return nil
}

func (x *answering) missing(ctx context.Context, text string) error {
	near, err := x.d.catalogue.NearTitles(ctx, text)
	if err != nil {
		return err
	}
	return x.notFound(ctx, text, near)
}

// names finds the people of the request.
func (x *answering) names(ctx context.Context) error {
	for i, ref := range x.r.People {
		p, err := x.person(ctx, slotPerson, i, ref)
		if err != nil {
			return err
		}
		x.r.People = slices.Clone(x.r.People)
		x.r.People[i].ID = p.ID
		x.people = append(x.people, p)
	}
	if x.r.Director == nil {
		return nil
	}
	p, err := x.person(ctx, slotDirector, 0, *x.r.Director)
	if err != nil {
		return err
	}
	x.r.Director = &Ref{Text: x.r.Director.Text, ID: p.ID}
	x.director = &p
	return nil
}

func (x *answering) person(ctx context.Context, sl slot, i int, ref Ref) (Person, error) {
	if ref.ID == 0 && ref.Text == "" {
		id, ok := x.s.lastPerson(ref.Gender)
		if !ok {
			return Person{}, x.ask(sl, i, "Whom do you mean?", nil)
		}
		ref.ID = id
	}
	if ref.ID == 0 {
		found, err := findPerson(ctx, x.d.catalogue, ref.Text)
		switch {
		case err != nil:
			return Person{}, err
		case len(found) == 0:
			return Person{}, &question{outcome{text: fmt.Sprintf("I found nobody called %q in the %s.", clean(ref.Text, maxEcho), x.d.catalogue.Source())}}
		case len(found) > 1:
			return Person{}, x.ask(sl, i, fmt.Sprintf("There are several people called %q. Whom do you mean?", clean(ref.Text, maxEcho)), personChoices(found))
		}
		ref.ID = found[0].ID
	}
	return x.d.catalogue.Person(ctx, ref.ID)
}
