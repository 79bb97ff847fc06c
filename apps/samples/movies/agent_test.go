// SPDX-License-Identifier: Apache-2.0

package movies_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o movies.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, movies.New(o), &agenttest.Options{Card: movies.Card(), OutputModes: modes})
}

const (
	asks = a2a.TaskStateInputRequired
	done = a2a.TaskStateCompleted
)

// A line of a conversation: what is said, what a sensible model looks up for it, and what the answer says.
type line struct {
	say     string
	lookups []string // "movie Dune (2021)", "person Tom Hanks", "search Dune", "find {...}"
	state   a2a.TaskState
	want    []string
}

func lookups(all ...string) []string { return all }
func has(all ...string) []string     { return all }

// dialogues go the same way with rules and with a model.
var dialogues = map[string][]line{
	"plot":        {{"Tell me about the plot of Inception.", lookups("movie Inception"), done, has("Inception", "steals secrets out of dreams")}},
	"recommend":   {{"Recommend a good sci-fi movie.", lookups(`find {"genres":["Science Fiction"]}`), done, has("Interstellar")}},
	"director":    {{"Who directed The Matrix?", lookups("movie The Matrix (1999)"), done, has("Lana Wachowski", "Lilly Wachowski")}},
	"filmography": {{"What other movies has Scarlett Johansson been in?", lookups("person Scarlett Johansson"), done, has("Lost in Translation", "Marriage Story", "Her")}},
	"filter":      {{"Find action movies starring Keanu Reeves", lookups("person Keanu Reeves"), done, has("The Matrix", "John Wick", "Speed")}},
	"compare":     {{"Which came out first, Jurassic Park or Terminator 2?", lookups("movie Jurassic Park (1993)", "movie Terminator 2"), done, has("Jurassic Park", "Terminator 2: Judgment Day", "1991", "1993")}},
	"a title of several films": {
		{"Who directed Dune?", lookups("search Dune"), asks, has("1984", "2021")},
		{"the 2021 one", lookups("movie Dune (2021)"), done, has("Denis Villeneuve")},
		{"Who stars in it?", lookups("movie Dune (2021)"), done, has("Timothée Chalamet", "Zendaya")},
	},
	"a name of several people": {
		{"Who is Anderson?", lookups("people Anderson"), asks, has("Wes Anderson", "Paul Thomas Anderson")},
		{"Wes", lookups("person Wes Anderson"), done, has("Houston", "The Grand Budapest Hotel")},
		{"what movies did he direct?", lookups("person Wes Anderson"), done, has("The Royal Tenenbaums")},
	},
	"two pronouns": {
		{"in which year was Alien released", lookups("movie Alien (1979)"), done, has("1979")},
		{"who stars in it?", lookups("movie Alien (1979)"), done, has("Sigourney Weaver", "Ian Holm")},
		{"what else has she been in?", lookups("person Sigourney Weaver"), done, has("Ghostbusters", "Avatar")},
	},
	"nothing of films": {{"Tell me a joke", nil, done, has("Sorry, I only know about movies")}},
}

func converse(t *testing.T, h *agenttest.Harness, lines []line) {
	t.Helper()
	var last *agenttest.Result
	for _, l := range lines {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(l.say))
		if last != nil {
			m.ContextID = last.Task.ContextID
			if last.State() == asks {
				m.TaskID = last.Task.ID
			}
		}
		last = h.SendMessage(m)
		if last.State() != l.state {
			t.Fatalf("%q: %v: %s", l.say, last.State(), last.Text())
		}
		for _, want := range l.want {
			if !strings.Contains(last.Text(), want) {
				t.Errorf("%q: %s\nwant %q", l.say, last.Text(), want)
			}
		}
	}
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	for name, lines := range dialogues {
		t.Run("rules/"+name, func(t *testing.T) {
			t.Parallel()
			converse(t, newHarness(t, movies.Options{Seed: 27}), lines)
		})
		t.Run("model/"+name, func(t *testing.T) {
			t.Parallel()
			converse(t, newHarness(t, movies.Options{Model: sensible(t, lines).Model()}), lines)
		})
	}
}

// sensible plays a model that looks up what the lines say, and answers with what it was told.
func sensible(t *testing.T, lines []line) *llmtest.Server {
	t.Helper()
	return llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(lines, r) })
}

// think is what that model does.
func think(lines []line, r *llmtest.Request) llmtest.Step {
	for _, l := range lines {
		if l.say == r.LastUser() {
			return l.step(r.Results())
		}
	}
	return llmtest.Fail(http.StatusBadRequest, "nobody said "+r.LastUser())
}

// step is what the model does after the tools returned something.
func (l line) step(results []llmtest.Result) llmtest.Step {
	if len(l.lookups) == 0 {
		return llmtest.JSON(map[string]string{"reply": "Sorry, I only know about movies.", "state": "completed"})
	}
	calls := make([]llmtest.Call, 0, len(l.lookups))
	for i, lookup := range l.lookups {
		what, of, _ := strings.Cut(lookup, " ")
		title, year, _ := strings.Cut(strings.TrimSuffix(of, ")"), " (")
		query := fmt.Sprintf(`{"query":%q}`, title)
		switch {
		case what == "find" && len(results) == 0:
			calls = append(calls, llmtest.Call{Name: "find_movies", Args: of})
		case (what == "movie" || what == "search") && len(results) == 0:
			calls = append(calls, llmtest.Call{Name: "search_movies", Args: query})
		case (what == "person" || what == "people") && len(results) == 0:
			calls = append(calls, llmtest.Call{Name: "search_people", Args: query})
		case what == "movie" && len(results) == len(l.lookups):
			calls = append(calls, llmtest.Call{Name: "get_movie", Args: fmt.Sprintf(`{"id":%d}`, idIn(results[i].Text, year))})
		case what == "person" && len(results) == len(l.lookups):
			calls = append(calls, llmtest.Call{Name: "get_person", Args: fmt.Sprintf(`{"id":%d}`, idIn(results[i].Text, ""))})
		}
	}
	if len(calls) > 0 {
		return llmtest.Calls(calls...)
	}
	state := "completed"
	if l.state == asks {
		state = "input_required"
	}
	var told []string
	for _, r := range results {
		told = append(told, r.Text)
	}
	return llmtest.JSON(map[string]string{"reply": strings.Join(told, "\n"), "state": state})
}

// idIn is the id of the first record that was found, or of that of a year.
func idIn(result, year string) int {
	var found []struct {
		ID   int    `json:"id"`
		Date string `json:"release_date"`
	}
	if json.Unmarshal([]byte(result), &found) != nil {
		return 0
	}
	for _, f := range found {
		if strings.HasPrefix(f.Date, year) {
			return f.ID
		}
	}
	return 0
}

// Sentences of the rules, word for word where it matters.
func TestAnswers(t *testing.T) {
	t.Parallel()
	h := newHarness(t, movies.Options{})
	for say, want := range map[string]string{
		"Who directed Blade Runner?":                           "Blade Runner (1982) was directed by Ridley Scott.",
		"What is The Godfather about?":                         "The Godfather (1972): The youngest son",
		"who plays the main character in Gladiator":            "Russell Crowe plays Maximus in Gladiator (2000).",
		"who played the Joker in The Dark Knight?":             "Heath Ledger plays Joker",
		"Which films has Greta Gerwig directed?":               "Greta Gerwig directed Barbie (2023), Little Women (2019) and Lady Bird (2017).",
		"Which came out first, Jurassic Park or Terminator 2?": "Terminator 2: Judgment Day (1991) came out first: 3 July 1991, and Jurassic Park (1993): 11 June 1993.",
		"is Titanic longer than Avatar?":                       "Titanic (1997) is longer: 194 minutes, and Avatar (2009): 162 minutes.",
		"Which is better: Fargo or Magnolia":                   "Fargo (1996) is rated higher: 7.9 of 10",
		"how long is The Godfather Part 2":                     "The Godfather Part II (1974) is 202 minutes long.",
		"what genre is Get Out":                                "Get Out (2017): mystery, thriller and horror.",
		"is Fargo any good?":                                   "Fargo (1996) is rated 7.9 of 10.",
		"when was the movie Jaws released?":                    "Jaws (1975) was released on 20 June 1975.",
		"Dune (1984)":                                          "Dune (1984), action, science fiction and adventure, directed by David Lynch",
		"Villeneuve's Dune":                                    "Dune (2021)",
		"who directed Ocean's Eleven from 1960?":               "Ocean's Eleven (1960) was directed by Lewis Milestone.",
		"Amelie":                                               "Amélie (2001)",
		"who directed Her":                                     "Her (2013) was directed by Spike Jonze.",
		"How old is Keanu Reeves?":                             "Keanu Reeves was born on 2 September 1964 in Beirut, Lebanon.",
		"films with Brad Pitt and George Clooney":              "I found Ocean's Eleven (2001).",
		"movies from 1994":                                     "The Shawshank Redemption (1994), Pulp Fiction (1994)",
		"show romantic comedies with Meg Ryan and Tom Hanks":   "I found Sleepless in Seattle (1993) and You've Got Mail (1998).",
		"show me comedies from the 80s":                        "Back to the Future (1985)",
		"movies by Wes Anderson":                               "I found The Grand Budapest Hotel (2014) and The Royal Tenenbaums (2001).",
		"find horror movies before 1930":                       "I found no such films.",
		"did Christopher Nolan direct Memento?":                "Memento (2000) was directed by Christopher Nolan.",
		"Who directed Teminator?":                              `I found no film called "Teminator" in the bundled catalogue. Did you mean The Terminator (1984) or Terminator 2: Judgment Day (1991)?`,
		"Incepton":                                             "Did you mean Inception (2010)?",
		"who directed Qwertyuiop Asdf":                         `I found no film called "Qwertyuiop Asdf" in the bundled catalogue.`,
		"who is Qwertyuiop Asdf":                               `I found nobody called "Qwertyuiop Asdf"`,
		"what's the weather in Paris":                          "Sorry, I only know about movies",
		"":                                                     "Sorry, I only know about movies",
	} {
		r := h.Send(say)
		if r.State() != done || !strings.Contains(r.Text(), want) {
			t.Errorf("%q: %v: %s\nwant %s", say, r.State(), r.Text(), want)
		}
	}
}

func TestPronounsAndFollowUps(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]line{
		"no film yet": {
			{"who directed it?", nil, asks, has("Which film do you mean?")},
			{"Alien", nil, done, has("Ridley Scott")},
		},
		"the same of another": {
			{"Who directed Heat?", nil, done, has("Michael Mann")},
			{"and Fargo?", nil, done, has("Joel Coen and Ethan Coen")},
			{"What about The Thing?", nil, asks, has("1. The Thing (1982), directed by John Carpenter", "2. The Thing (2011)")},
			{"Carpenter's", nil, done, has("John Carpenter")},
		},
		"he and she": {
			{"Who stars in Titanic?", nil, done, has("Leonardo DiCaprio")},
			{"where was she born?", nil, done, has("Kate Winslet was born")},
			{"how old is he", nil, done, has("Leonardo DiCaprio was born")},
		},
		"the two that were compared": {
			{"Which came out first, Alien or Jaws?", nil, done, has("Jaws (1975) came out first")},
			{"which one is longer?", nil, done, has("Jaws (1975) is longer")},
		},
		"another one": {
			{"Recommend a movie by Wes Anderson", nil, done, has("directed by Wes Anderson")},
			{"another one", nil, done, has("directed by Wes Anderson")},
			{"another", nil, done, has("I know no other film like that")},
		},
		"a list is no it": {
			{"who directed Arrival", nil, done, has("Denis Villeneuve")},
			{"what else has he directed?", nil, done, has("Sicario (2015)")},
			{"when did it come out?", nil, done, has("Arrival (2016) was released")},
		},
		"a comparison with a question in between": {
			{"Which came out first, Dune or Star Wars?", nil, asks, has("2. Dune (2021)")},
			{"hm", nil, asks, has(`by "hm"`, "2. Dune (2021)")},
			{"2", nil, done, has("Star Wars (1977) came out first")},
		},
		"a question instead of an answer": {
			{"Dune", nil, asks, has("Dune (1984)")},
			{"Who directed Alien?", nil, done, has("Ridley Scott")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			converse(t, newHarness(t, movies.Options{}), lines)
		})
	}
}

// Other films than the one that was spoken of.
func TestOtherFilms(t *testing.T) {
	t.Parallel()
	h := newHarness(t, movies.Options{})
	first := h.Send("who directed Arrival")
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("what else has he directed?"))
	m.ContextID = first.Task.ContextID
	if r := h.SendMessage(m); strings.Contains(r.Text(), "Arrival") {
		t.Errorf("%s", r.Text())
	}
}

// What is recommended depends on the seed alone, and nothing is recommended twice.
func TestRecommendations(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []string {
		h := newHarness(t, movies.Options{Seed: seed}, "application/json")
		r := h.Send("Recommend a good thriller from the nineties")
		var all []string
		for range 10 {
			found := recordsOf(t, r)
			if len(found.Movies) != 1 {
				t.Fatalf("%+v", found)
			}
			movie := found.Movies[0]
			if year := movie.Year(); year < "1990" || year > "1999" || movie.VoteAverage < 7 {
				t.Errorf("%s, rated %v", movie, movie.VoteAverage)
			}
			all = append(all, movie.Title)
			m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("another one"))
			m.ContextID = r.Task.ContextID
			r = h.SendMessage(m)
		}
		return all
	}
	first := run(1)
	seen := make(map[string]bool)
	for _, title := range first {
		if seen[title] {
			t.Errorf("%s twice", title)
		}
		seen[title] = true
	}
	if again := run(1); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the same seed: %v, then %v", first, again)
	}
	if other := run(2); fmt.Sprint(other) == fmt.Sprint(first) {
		t.Errorf("another seed: %v", other)
	}
}

func TestRecommendsByLeadAndLikeness(t *testing.T) {
	t.Parallel()
	h := newHarness(t, movies.Options{}, "application/json")
	for range 3 {
		r := h.Send("any decent horror movies with a female lead?")
		full, err := movies.Bundled().Movie(t.Context(), recordsOf(t, r).Movies[0].ID)
		if err != nil || full.Credits.Cast[0].Gender != 1 {
			t.Errorf("%s: %+v, %v", full, full.Credits, err)
		}
	}
	if got := recordsOf(t, h.Send("What should I watch if I liked Interstellar?")).Movies[0]; got.Title == "Interstellar" || len(got.Genres) == 0 {
		t.Errorf("%+v", got)
	}
}

// recordsOf returns the data of an answer.
func recordsOf(t *testing.T, r *agenttest.Result) movies.Records {
	t.Helper()
	if r.State() != done || len(r.Task.Artifacts) != 1 {
		t.Fatalf("%v: %s", r.State(), r.Text())
	}
	for _, p := range r.Task.Artifacts[0].Parts {
		if data, ok := p.Content.(a2a.Data); ok {
			var records movies.Records
			if err := json.Unmarshal(data, &records); err != nil {
				t.Fatal(err)
			}
			return records
		}
	}
	t.Fatalf("no data in %+v", r.Task.Artifacts)
	return movies.Records{}
}

func TestRecordsAndOutputModes(t *testing.T) {
	t.Parallel()
	for modes, want := range map[string]int{"": 2, "text/plain": 1, "application/json": 1, "text application/json": 2} {
		r := newHarness(t, movies.Options{}, strings.Fields(modes)...).Send("Who directed Alien?")
		if got := len(r.Task.Artifacts[0].Parts); got != want || r.Task.Artifacts[0].Name != movies.ArtifactName {
			t.Errorf("%q: %d parts", modes, got)
		}
	}
	r := newHarness(t, movies.Options{}).Send("Who directed Alien?")
	got := recordsOf(t, r)
	if len(got.Movies) != 1 || got.Movies[0].Title != "Alien" || len(got.People) != 1 || got.People[0].Name != "Ridley Scott" || got.Source != "bundled catalogue" {
		t.Errorf("%+v", got)
	}
	if !strings.HasSuffix(r.Text(), "\nSource: bundled catalogue") {
		t.Errorf("the text names no source: %q", r.Text())
	}
}

func TestContextsAreApart(t *testing.T) {
	t.Parallel()
	h := newHarness(t, movies.Options{})
	h.Send("Who directed Alien?")
	if r := h.Send("how long is it?"); r.State() != asks {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := movies.Card()
	if card.Name != "Movie Agent" || len(card.Skills) != 1 || card.Skills[0].ID != "general_movie_chat" || len(card.Skills[0].Examples) != 6 {
		t.Errorf("%+v", card)
	}
	h := newHarness(t, movies.Options{})
	for _, example := range card.Skills[0].Examples {
		if r := h.Send(example); r.State() != done || len(r.Task.Artifacts) != 1 || len(recordsOf(t, r).Movies) == 0 {
			t.Errorf("example %q: %v: %s", example, r.State(), r.Text())
		}
	}
}

func TestModelsMistakes(t *testing.T) {
	t.Parallel()
	reply := func(text, state string) llmtest.Step {
		return llmtest.JSON(map[string]string{"reply": text, "state": state})
	}
	search := llmtest.Calls(llmtest.Call{Name: "search_movies", Args: `{"query":"Alien"}`})
	for name, row := range map[string]struct {
		script []llmtest.Step
		state  a2a.TaskState
		want   string
	}{
		"marked as done":       {[]llmtest.Step{search, reply("It is Alien.\nCOMPLETED", "completed")}, done, "It is Alien.\nSource"},
		"marked as a question": {[]llmtest.Step{search, reply("Which Alien?\nAWAITING_USER_INPUT", "completed")}, asks, "Which Alien?"},
		"no mark, one line":    {[]llmtest.Step{search, reply("It is Alien.", "completed")}, done, "It is Alien."},
		"broken JSON once":     {[]llmtest.Step{search, llmtest.JSON(`{"reply":`), reply("It is Alien.", "completed")}, done, "It is Alien."},
		"no such record":       {[]llmtest.Step{llmtest.Calls(llmtest.Call{Name: "get_movie", Args: `{"id":999999}`}), reply("I do not know it.", "completed")}, done, "I do not know it."},
		"no such genre":        {[]llmtest.Step{llmtest.Calls(llmtest.Call{Name: "find_movies", Args: `{"genres":["Cooking"]}`}), reply("There are none.", "completed")}, done, "There are none."},
		"a refusal":            {[]llmtest.Step{llmtest.Refuse("no")}, done, "Sorry, I only know about movies"},
		"a wrong key":          {[]llmtest.Step{llmtest.Fail(http.StatusUnauthorized, "no")}, a2a.TaskStateFailed, "could not be had"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, movies.Options{Model: llmtest.New(t, row.script...).Model()}).Send("Alien?")
			if r.State() != row.state || !strings.Contains(r.Text(), row.want) || strings.Contains(r.Text(), "COMPLETED") {
				t.Errorf("%v: %s", r.State(), r.Text())
			}
		})
	}
}
