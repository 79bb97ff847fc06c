// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/catalogue"
)

// A form is one way to ask. Its groups are the places of the question.
type form struct {
	expr   string
	answer func(*answering) (*Reply, error)
	re     *regexp.Regexp
}

// forms are tried in this order. They are compiled when they are first needed: programs that link this agent mostly do
// something else, and should not start later for it.
var forms = sync.OnceValue(func() []form {
	all := []form{
		{expr: `who (?:directed|is the director of) (?P<film>.+)`, answer: about(director)},
		{expr: `(?:tell me (?:about )?|what is |what's )?the plot of (?P<film>.+)`, answer: about(plot)},
		{expr: `what (?:is|was) (?P<film>.+) about`, answer: about(plot)},
		{expr: `who (?:stars|starred|plays|played|is) in (?P<film>.+)`, answer: about(cast)},
		{expr: `how long (?:is|was) (?P<film>.+)`, answer: about(length)},
		{expr: `which (?:one )?came out first,? (?P<film>.+?),? or (?P<other>.+)`, answer: first},
		{
			expr: `(?:what|which)(?P<more> other| else)?(?: movies| films)? (?:has|have|did) (?P<person>.+) ` +
				`(?P<as>direct(?:ed)?|been in|star(?:red)? in|play(?:ed)? in)`, answer: filmography,
		},
		{expr: `(?:find|show me|list)(?: (?P<genre>[\w -]+?))? (?:movies|films) (?:starring|with) (?P<person>.+)`,
			answer: find},
		{expr: `(?:recommend|suggest)(?: me)?(?: an?| some)?(?: good)?(?: (?P<genre>[\w -]+?))? (?:movie|film)s?`,
			answer: recommend},
	}
	for i := range all {
		all[i].re = regexp.MustCompile(`(?i)^` + all[i].expr + `$`)
	}
	return all
})

// read finds the form of the text and what stands in its places; nil when it has none of the forms.
func (a *answering) read() func(*answering) (*Reply, error) {
	for _, f := range forms() {
		found := f.re.FindStringSubmatch(a.text)
		if found == nil {
			continue
		}
		a.places = make(map[string]string)
		for i, place := range f.re.SubexpNames() {
			a.places[place] = strings.Trim(found[i], `"“”' `)
		}
		return f.answer
	}
	return nil
}

// about makes an answer of a fact of one film.
func about(fact func(catalogue.Movie) (string, []catalogue.Person)) func(*answering) (*Reply, error) {
	return func(a *answering) (*Reply, error) {
		m, err := a.film("film")
		if err != nil {
			return nil, err
		}
		text, people := fact(m)
		return &Reply{Text: m.String() + text, Movies: []catalogue.Movie{m}, People: people}, nil
	}
}

func director(m catalogue.Movie) (string, []catalogue.Person) {
	var people []catalogue.Person
	for _, c := range m.Credits.Crew {
		if c.Job == "Director" {
			people = append(people, catalogue.Person{ID: c.ID, Name: c.Name, Gender: c.Gender})
		}
	}
	return " was directed by " + reply.And(m.Directors()) + ".", people
}

func cast(m catalogue.Movie) (string, []catalogue.Person) {
	var names []string
	var people []catalogue.Person
	for _, c := range m.Credits.Cast[:min(len(m.Credits.Cast), maxCast)] {
		names = append(names, fmt.Sprintf("%s (%s)", c.Name, c.Character))
		people = append(people, catalogue.Person{ID: c.ID, Name: c.Name, Gender: c.Gender})
	}
	return " stars " + reply.And(names) + ".", people
}

func plot(m catalogue.Movie) (string, []catalogue.Person) { return ": " + m.Overview, nil }

func length(m catalogue.Movie) (string, []catalogue.Person) {
	return fmt.Sprintf(" is %d minutes long.", m.Runtime), nil
}

func day(m catalogue.Movie) string {
	t, err := time.Parse(time.DateOnly, m.ReleaseDate)
	if err != nil {
		return "an unknown day"
	}
	return t.Format("2 January 2006")
}

func first(a *answering) (*Reply, error) {
	one, err := a.film("film")
	if err != nil {
		return nil, err
	}
	other, err := a.film("other")
	if err != nil {
		return nil, err
	}
	if other.ReleaseDate < one.ReleaseDate {
		one, other = other, one
	}
	text := fmt.Sprintf("%s came out first: %s, and %s: %s.", one, day(one), other, day(other))
	return &Reply{Text: text, Movies: []catalogue.Movie{one, other}}, nil
}

// filmography lists what a person directed or plays in, the newest first.
func filmography(a *answering) (*Reply, error) {
	p, err := a.person("person")
	if err != nil {
		return nil, err
	}
	verb, films := "has been in", p.MovieCredits.Cast
	if strings.HasPrefix(strings.ToLower(a.places["as"]), "direct") {
		verb = "directed"
		films = slices.DeleteFunc(slices.Clone(p.MovieCredits.Crew),
			func(m catalogue.Movie) bool { return m.Job != "Director" })
	}
	films = slices.DeleteFunc(slices.Clone(films), func(m catalogue.Movie) bool {
		return a.places["more"] != "" && m.String() == a.state.Known["it"]
	})
	slices.SortStableFunc(films,
		func(x, y catalogue.Movie) int { return strings.Compare(y.ReleaseDate, x.ReleaseDate) })
	return listed(p.Name+" "+verb, films, p)
}

func find(a *answering) (*Reply, error) {
	filter, err := a.filter()
	if err != nil {
		return nil, err
	}
	p, err := a.person("person")
	if err != nil {
		return nil, err
	}
	filter.Cast = []int{p.ID}
	films, err := a.catalogue.Discover(a.ctx, filter)
	if err != nil {
		return nil, err
	}
	return listed("I found", films, p)
}

// filter is that of the genre in the question; a genre that is none refuses the question.
func (a *answering) filter() (f catalogue.Filter, err error) {
	if genre := a.places["genre"]; genre != "" {
		id, ok := catalogue.GenreID(genre)
		if !ok {
			return f, &Reply{Kind: Refused, Text: Refusal}
		}
		f.Genres = []int{id}
	}
	return f, nil
}

func listed(text string, films []catalogue.Movie, people ...catalogue.Person) (*Reply, error) {
	titles := []string{"no films"}
	if len(films) > 0 {
		titles = nil
	}
	for _, m := range films[:min(len(films), maxListed)] {
		titles = append(titles, m.String())
	}
	text += " " + reply.And(titles)
	if more := len(films) - maxListed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return &Reply{Text: text + ".", Movies: films[:min(len(films), maxListed)], People: people}, nil
}

func recommend(a *answering) (*Reply, error) {
	filter, err := a.filter()
	if err != nil {
		return nil, err
	}
	films, err := a.catalogue.Discover(a.ctx, filter)
	if err != nil {
		return nil, err
	}
	return listed("I recommend", films[:min(len(films), maxRecommended)])
}
