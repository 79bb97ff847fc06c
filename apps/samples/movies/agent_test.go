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
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/rules"
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
	"plot": {{"Tell me about the plot of Inception.", lookups("movie Inception"), done,
		has("Inception", "steals secrets out of dreams")}},
	"recommend": {{"Recommend a good sci-fi movie.", lookups(`find {"genres":["Science Fiction"]}`), done,
		has("Interstellar")}},
	"director": {{"Who directed The Matrix?", lookups("movie The Matrix (1999)"), done,
		has("Lana Wachowski", "Lilly Wachowski")}},
	"filmography": {{"What other movies has Scarlett Johansson been in?", lookups("person Scarlett Johansson"), done,
		has("Lost in Translation", "Marriage Story", "Her")}},
	"filter": {{"Find action movies starring Keanu Reeves", lookups("person Keanu Reeves"), done,
		has("The Matrix", "John Wick", "Speed")}},
	"compare": {{"Which came out first, Jurassic Park or Terminator 2?",
		lookups("movie Jurassic Park (1993)", "movie Terminator 2"), done,
		has("Jurassic Park", "Terminator 2: Judgment Day", "1991", "1993")}},
	"a title of several films": {
		{"Who directed Dune?", lookups("search Dune"), asks, has("1984", "2021")},
		{"the 2021 one", lookups("movie Dune (2021)"), done, has("Denis Villeneuve")},
		{"Who stars in it?", lookups("movie Dune (2021)"), done, has("Timothée Chalamet", "Zendaya")},
	},
	"two pronouns": {
		{"what is Alien about", lookups("movie Alien (1979)"), done, has("1979")},
		{"who stars in it?", lookups("movie Alien (1979)"), done, has("Sigourney Weaver", "Ian Holm")},
		{"what else has she been in?", lookups("person Sigourney Weaver"), done, has("Ghostbusters", "Avatar")},
	},
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
			converse(t, newHarness(t, movies.Options{}), lines)
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
			calls = append(calls, llmtest.Call{Name: "get_movie",
				Args: fmt.Sprintf(`{"id":%d}`, idIn(results[i].Text, year))})
		case what == "person" && len(results) == len(l.lookups):
			calls = append(calls, llmtest.Call{Name: "get_person",
				Args: fmt.Sprintf(`{"id":%d}`, idIn(results[i].Text, ""))})
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
		"Who directed Blade Runner?":   "Blade Runner (1982) was directed by Ridley Scott.",
		"What is The Godfather about?": "The Godfather (1972): The youngest son",
		"Which films has Greta Gerwig directed?": "Greta Gerwig directed Barbie (2023), Little Women " +
			"(2019) and Lady Bird (2017).",
		"Which came out first, Jurassic Park or Terminator 2?": "Terminator 2: Judgment Day (1991) came out first: 3 " +
			"July 1991, and Jurassic Park (1993): 11 June 1993.",
		"who directed Ocean's Eleven 1960?": "Ocean's Eleven (1960) was directed by Lewis " +
			"Milestone.",
		"how long is The Godfather Part II": "The Godfather Part II (1974) is 202 minutes long.",
		"what is Amelie about?":             "Amélie (2001): ",
		"find movies with Audrey Tautou":    "I found Amélie (2001).",
	} {
		if r := h.Send(say); r.State() != done || !strings.Contains(r.Text(), want) {
			t.Errorf("%q: %v: %s\nwant %s", say, r.State(), r.Text(), want)
		}
	}
}

// If the rules do not understand a message, the agent refuses it in one sentence that names --llm and makes no
// artifact.
func TestRefuses(t *testing.T) {
	t.Parallel()
	h := newHarness(t, movies.Options{})
	for say, want := range map[string]string{
		"Tell me a joke":              rules.Refusal,
		"":                            rules.Refusal,
		"what's the weather in Paris": rules.Refusal,
		"who plays the Joker in The Dark Knight?":     rules.Refusal,
		"is Titanic longer than Avatar?":              rules.Refusal,
		"Recommend a good French movie":               rules.Refusal,
		"Recommend a good thriller from the nineties": rules.Refusal,
		"show me comedies from the 80s":               rules.Refusal,
		"Who directed Teminator?": `I find no "Teminator" in the bundled catalogue; start me ` +
			`with --llm if you meant something else.`,
		"when was Alien released?":          rules.Refusal,
		"who directed it?":                  rules.Refusal,
		"what other movies has he been in?": rules.Refusal,
		"find movies with Qwertyuiop Asdf": `I find no "Qwertyuiop Asdf" in the bundled catalogue; start ` +
			`me with --llm if you meant something else.`,
	} {
		r := h.Send(say)
		if r.State() != a2a.TaskStateRejected || r.StatusText() != want || len(r.Task.Artifacts) > 0 {
			t.Errorf("%q: %v: %s\nwant %s", say, r.State(), r.Text(), want)
		}
	}
}

func TestPronounsAndFollowUps(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]line{
		"he and she": {
			{"Who stars in Titanic?", nil, done, has("Leonardo DiCaprio")},
			{"what else has she been in?", nil, done, has("Kate Winslet has been in")},
			{"what else has he been in?", nil, done, has("Leonardo DiCaprio has been in")},
		},
		"a list is no it": {
			{"who directed Arrival", nil, done, has("Denis Villeneuve")},
			{"what else has he directed?", nil, done, has("Sicario (2015)")},
			{"what is it about?", nil, done, has("Arrival (2016): ")},
		},
		"a comparison with a question in between": {
			{"Which came out first, Dune or Star Wars?", nil, asks, has("2. Dune (2021)")},
			{"hm", nil, asks, has(`by "hm"`, "2. Dune (2021)")},
			{"2", nil, done, has("Star Wars (1977) came out first")},
		},
		"a question instead of an answer": {
			{"Who directed Dune?", nil, asks, has("Dune (1984)")},
			{"Who directed Alien?", nil, done, has("Ridley Scott")},
		},
		"by name": {
			{"Who directed Dune?", nil, asks, has("1. Dune (1984), directed by David Lynch")},
			{"the one by Villeneuve", nil, done, has("Dune (2021)")},
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
	if len(got.Movies) != 1 || got.Movies[0].Title != "Alien" || len(got.People) != 1 ||
		got.People[0].Name != "Ridley Scott" || got.Source != "bundled catalogue" {
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
	if r := h.Send("who stars in it?"); r.State() != a2a.TaskStateRejected {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := movies.Card()
	if card.Name != "Movie Agent" || len(card.Skills) != 1 || card.Skills[0].ID != "general_movie_chat" ||
		len(card.Skills[0].Examples) != 6 {
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
		"a question": {[]llmtest.Step{search, reply("Which Alien?", "input_required")}, asks, "Which Alien?"},
		"an answer":  {[]llmtest.Step{search, reply("It is Alien.", "completed")}, done, "It is Alien."},
		"broken JSON once": {[]llmtest.Step{search, llmtest.JSON(`{"reply":`), reply("It is Alien.", "completed")},
			done, "It is Alien."},
		"no such record": {[]llmtest.Step{llmtest.Calls(llmtest.Call{Name: "get_movie", Args: `{"id":999999}`}),
			reply("I do not know it.", "completed")}, done, "I do not know it."},
		"no such genre": {[]llmtest.Step{llmtest.Calls(
			llmtest.Call{Name: "find_movies", Args: `{"genres":["Cooking"]}`}), reply("There are none.", "completed")},
			done, "There are none."},
		"a refusal": {[]llmtest.Step{llmtest.Refuse("no")}, done, "Sorry, I only know about movies"},
		"a wrong key": {[]llmtest.Step{llmtest.Fail(http.StatusUnauthorized, "no")}, a2a.TaskStateFailed,
			"The language model could not be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, movies.Options{Model: llmtest.New(t, row.script...).Model()}).Send("Alien?")
			if r.State() != row.state || !strings.Contains(r.Text(), row.want) {
				t.Errorf("%v: %s", r.State(), r.Text())
			}
		})
	}
}
