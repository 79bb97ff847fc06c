// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// plan returns the plan of a request in one line: agent(text) after ids.
func plan(t testing.TB, text string, parts ...a2a.Part) string {
	t.Helper()
	m := a2a.NewMessage(a2a.RoleUser, append([]a2a.Part{a2a.TextPart(text)}, parts...)...)
	d, err := Rules().Plan(t.Context(), &Situation{Text: text, Message: m, Agents: fixtures(t)})
	if err != nil {
		t.Fatal(err)
	}
	if d.Question != nil {
		return "? " + strings.Join(d.Question.Choices, " ")
	}
	var steps []string
	for _, s := range d.Steps {
		line := s.ID + " " + s.Agent + ": " + s.Text
		if len(s.After) > 0 {
			line += " after " + strings.Join(s.After, ",")
		}
		steps = append(steps, line)
	}
	return strings.Join(steps, " | ")
}

func TestPlans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.": "1 currency: 20 EUR needs to " +
			"be converted to USD | 2 expenses: reimburse lunch for 20 EUR after 1",
		"Before you file my 80 CHF hotel expense, convert it to dollars": "1 currency: convert 80 CHF to " +
			"dollars | 2 expenses: you file my 80 CHF hotel expense after 1",
		"Convert 35 GBP to USD and then reimburse me that amount for the train": "1 currency: Convert 35 GBP to " +
			"USD | 2 expenses: reimburse me that amount for the train after 1",
		"Reimburse me 20 EUR for lunch and then convert it to USD": "1 expenses: Reimburse me 20 " +
			"EUR for lunch | 2 currency: convert 20 EUR to USD after 1",
		"Convert 15 EUR to USD. Also, who directed Alien?": "1 currency: Convert 15 EUR to " +
			"USD | 2 movies: who directed Alien?",
		"Recommend a sci-fi movie and then paint a poster for it": "1 movies: Recommend a sci-fi " +
			"movie | 2 images: paint a poster for it after 1",
		"movies with Tom Hanks and Meg Ryan": "1 movies: movies with Tom " +
			"Hanks and Meg Ryan",
		"5 euros in yen and pounds": "1 currency: 5 euros in yen " +
			"and pounds",
		"Reimburse my 50 euro dinner, in US dollars": "1 currency: 50 euro in US " +
			"dollars | 2 expenses: Reimburse my 50 euro dinner after 1",
		"Reimburse a taxi. It was 90 francs, but the bank only takes euros.": "1 currency: 90 francs the " +
			"bank only takes euros | 2 expenses: Reimburse a taxi. It was 90 francs after 1",
		"Can I be refunded for a lamp? It cost $60 and I kept the receipt.": "1 expenses: Can I be refunded " +
			"for a lamp? It cost $60 and I kept the receipt.",
		"Expense: bus to Ankara, 90 TRY, has to be in EUR": "1 currency: 90 TRY in EUR | 2 " +
			"expenses: Expense: bus to Ankara, 90 TRY, has to be after 1",
		"My firm is in Spain and pays me back in euros. The taxi was 40 francs.": "1 currency: 40 francs in " +
			"euros | 2 expenses: My firm is in Spain and pays me back. The taxi was 40 francs. after 1",
		"Greet Mr. and Mrs. Lee for us": "1 hello: Greet Mr. and Mrs. " +
			"Lee for us",
		"Hiya, how many yen are 70 euros? I fly soon": "1 currency: Hiya, how many " +
			"yen are 70 euros? I fly soon",
		"Every evening I copy files by hand. Write a script that does it for me.": "1 coder: Every evening I copy " +
			"files by hand. Write a script that does it for me.",
		"Who is in the cast of The Green Mile?": "1 movies: Who is in the cast " +
			"of The Green Mile?",
		"Change the colour of the door, I want it red": "1 images: Change the colour " +
			"of the door, I want it red",
		"Hey!": "1 hello: Hey!",
		"Say hello to Mr. Lee, who sits next to me": "1 hello: Say hello to Mr. Lee, who sits next to me",
		"@coder write a loop":                       "1 coder: write a loop",
		"ask the movie agent who directed Dune":     "1 movies: who directed Dune",
		"Movie Agent: Dune":                         "1 movies: Dune",
		"hi, what's 20 dollars in euros?":           "1 currency: hi, what's 20 dollars in euros?",
	} {
		if got := plan(t, text); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestNamesOfAgents(t *testing.T) {
	t.Parallel()
	agents := fixtures(t)
	for name, want := range map[string]string{
		"movies": "movies", "movie": "movies", "Movie Agent": "movies", "the movies agent": "movies", "image": "images",
		"currencies": "currency", "reimbursement": "expenses", "expense": "expenses", "41242": "", "nobody": "",
		"agent": "",
	} {
		if got := byName(name, agents); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	at := func(alias, url string) Agent {
		return Agent{Alias: alias, Card: &a2a.AgentCard{Name: alias,
			SupportedInterfaces: []a2a.AgentInterface{{URL: url}}}}
	}
	two := []Agent{at("Ada", "https://a.example/agents/weather"), at("Bob", "https://b.example/news/"),
		at("Eve", "https://c.example/news")}
	for name, want := range map[string]string{"weather": "Ada", "ada": "Ada", "news": ""} {
		if got := byName(name, two); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// A name after an @ may be the end of the URL that the user gave, or a word that only one agent's name has.
func TestShortNamesAfterAnAt(t *testing.T) {
	t.Parallel()
	agents := []Agent{
		{Alias: "Fake hang", Handle: "stuck", Given: true, Card: &a2a.AgentCard{Name: "Fake hang"}},
		{Alias: "Fake Movie Agent", Given: true, Card: &a2a.AgentCard{Name: "Fake Movie Agent"}},
		{Alias: "Stranger Movies", Card: &a2a.AgentCard{Name: "Stranger Movies"}},
		{Alias: "Other Stranger", Card: &a2a.AgentCard{Name: "Other Stranger"}},
	}
	for name, want := range map[string]string{
		"@hang x": "Fake hang", "@stuck x": "Fake hang", "@Hang: x": "Fake hang", "@fake x": "",
		"@movie x": "Fake Movie Agent",
		"@other x": "Other Stranger", "@stranger x": "", "@agent x": "", "@han x": "", "ask hang about x": "",
		"hang: x": "",
	} {
		alias, rest := Mentioned(name, agents)
		if alias != want || alias != "" && rest != "x" {
			t.Errorf("%q is for %q, %q; want %q", name, alias, rest, want)
		}
	}
	if alias := ByHandle("hang", agents); alias != "Fake hang" {
		t.Errorf("hang is %q", alias)
	}
}

// Attachments count: an agent that does not take them is not asked.
func TestPlansWithFiles(t *testing.T) {
	t.Parallel()
	table := a2a.RawPart([]byte("a,b\n1,2\n"), "text/csv", "x.csv")
	if got := plan(t, "what is in here", table); !strings.HasPrefix(got, "1 files:") {
		t.Error(got)
	}
	photo := a2a.RawPart([]byte{1}, "image/png", "x.png")
	if got := plan(t, "make it brighter", photo); !strings.HasPrefix(got, "1 images:") {
		t.Error(got)
	}
}

func TestFollowUpsGoToTheSameAgent(t *testing.T) {
	t.Parallel()
	d, err := Rules().Plan(t.Context(), &Situation{Text: "a little more to the left", Last: "images",
		Agents: fixtures(t)})
	if err != nil || len(d.Steps) != 1 || d.Steps[0].Agent != "images" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	data := a2a.Part{Content: a2a.Data(`{"amount":20,"from":"EUR","to":"USD","rate":1.0812,"result":21.624}`)}
	for name, row := range map[string]struct {
		parts []a2a.Part
		text  string
		want  string
	}{
		"data": {[]a2a.Part{data}, "lunch for 20 EUR", "lunch for 21.62 USD"},
		"text": {[]a2a.Part{a2a.TextPart("20 EUR = 21.624 USD (1 EUR = 1.0812 USD, 2025-04-01).")}, "lunch for 20 EUR",
			"lunch for 21.62 USD"},
		"symbols": {[]a2a.Part{a2a.TextPart("€20.00 is $21.62")}, "lunch for €20", "lunch for 21.62 USD"},
		"large": {[]a2a.Part{a2a.TextPart("1,500 EUR = 1,621.8 USD")}, "a hotel for 1,500 EUR",
			"a hotel for 1621.80 USD"},
		"no decimals":    {[]a2a.Part{a2a.TextPart("20 USD = 2993.4 JPY")}, "lunch for 20 USD", "lunch for 2993 JPY"},
		"by a word":      {[]a2a.Part{data}, "reimburse that amount", "reimburse 21.62 USD"},
		"at the end":     {[]a2a.Part{data}, "reimburse lunch", "reimburse lunch: 21.62 USD"},
		"another amount": {[]a2a.Part{data}, "lunch for 30 EUR", "lunch for 30 EUR"},
		"number as string": {[]a2a.Part{{Content: a2a.Data(
			`{"amount":"20","from":"EUR","to":"USD","result":"21.624"}`)}}, "20 EUR", "21.62 USD"},
	} {
		v, ok := ValueOf(row.parts)
		if got := v.Fill(row.text); !ok || got != row.want {
			t.Errorf("%s: %q (%+v, %v), want %q", name, got, v, ok, row.want)
		}
	}
	for _, text := range []string{"", "no number", "1e9 USD"} {
		if v, ok := ValueOf([]a2a.Part{a2a.TextPart(text)}); ok && text != "1e9 USD" {
			t.Errorf("%q: %+v", text, v)
		}
	}
}

func FuzzRules(f *testing.F) {
	for _, text := range []string{"reimburse 20 EUR, but convert it first", "before after then , and", "@", "@\"x",
		"$1.2.3,4 k", "once you, ", "\x1b]0;\xff", "a - b – c; d\n\ne"} {
		f.Add(text)
	}
	agents := fixtures(f)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Rules().Plan(t.Context(), &Situation{Text: text, Agents: agents, Last: "images"})
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Steps) == 0 && d.Question == nil && d.Answer == nil {
			t.Fatal("nothing is planned")
		}
		ids := map[string]bool{}
		for _, s := range d.Steps {
			for _, id := range s.After {
				if !ids[id] {
					t.Fatalf("step %s waits for %s, which is not before it", s.ID, id)
				}
			}
			ids[s.ID] = true
		}
	})
}

func FuzzValue(f *testing.F) {
	f.Add("20 EUR = 21.62 USD", `{"result":1,"to":"USD"}`, "lunch for 20 EUR")
	f.Add("$", `{"amount":"1/3"}`, "it")
	f.Fuzz(func(_ *testing.T, text, data, into string) {
		for _, p := range []a2a.Part{a2a.TextPart(text), {Content: a2a.Data(data)}} {
			if v, ok := ValueOf([]a2a.Part{p}); ok {
				v.Fill(into)
			}
		}
		borrow(into, text)
	})
}

// The cost of a request does not grow with the text that was pasted into it.
func BenchmarkRules(b *testing.B) {
	agents := fixtures(b)
	for name, text := range map[string]string{
		"short": "reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.",
		"pasted": "summarize this text file: " +
			strings.Repeat("20 EUR and 30 USD, then convert it before 5 yen. ", 20_000),
	} {
		b.Run(name, func(b *testing.B) {
			rules := Rules()
			for b.Loop() {
				if _, err := rules.Plan(b.Context(), &Situation{Text: text, Agents: agents}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Agents that fit alike are named in the directory's order, each time.
func TestTiesAreInOrder(t *testing.T) {
	t.Parallel()
	agents := fixtures(t)
	agents = append(agents, Agent{Alias: "currency#2", Card: agents[0].Card.Clone()})
	for range 50 {
		if got, asked := route(t, agents, "what is the exchange rate of 100 USD in GBP and yen today"); !asked ||
			strings.Join(got, " ") != "currency currency#2" {
			t.Fatalf("%v, %v", got, asked)
		}
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"in US dollars": "USD", "accounting only accepts amounts in sterling": "GBP",
		"finance only take sterling":             "GBP",
		"I need that refunded in Swedish kronor": "SEK", "our team wants it in USD": "USD",
		"turn it into pounds": "GBP",
		"I need 20 euros":     "", "dinner in Berlin": "", "in real life": "", "who must have won": "", "the euro": "",
	} {
		if _, got := wanted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
