// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop"
	"github.com/dragoman-a2a/dragoman/apps/samples/slow"
)

// fixtures are agents that requests are routed among, with the cards that such agents had among the protocol's first
// samples.
func fixtures(t testing.TB) []Agent {
	t.Helper()
	agents := []Agent{{Alias: "currency", Card: currency.Card()}, {Alias: "hello", Card: hello.Card()}}
	for _, name := range []string{"images", "expenses", "movies", "coder", "files"} {
		agents = append(agents, Agent{Alias: name, Card: readCard(t, name)})
	}
	return agents
}

// ours are the same agents with the cards of our samples.
func ours(t testing.TB) []Agent {
	t.Helper()
	return []Agent{
		{Alias: "currency", Card: currency.Card()}, {Alias: "hello", Card: hello.Card()},
		{Alias: "images", Card: images.Card()},
		{Alias: "expenses", Card: expenses.Card()}, {Alias: "movies", Card: movies.Card()},
		{Alias: "coder", Card: coder.Card()},
		{Alias: "files", Card: files.Card()},
	}
}

// twelve are all samples, as "dragoman samples up" serves them.
func twelve(t testing.TB) []Agent {
	t.Helper()
	return append(ours(t),
		Agent{Alias: "slow", Card: slow.Card()}, Agent{Alias: "flaky", Card: flaky.Card()},
		Agent{Alias: repairshop.ManagerName, Card: repairshop.ManagerCard()},
		Agent{Alias: repairshop.MechanicName, Card: repairshop.MechanicCard()},
		Agent{Alias: repairshop.SupplierName, Card: repairshop.SupplierCard()})
}

func readCard(t testing.TB, name string) *a2a.AgentCard {
	t.Helper()
	raw, err := os.ReadFile("testdata/cards/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	card := new(a2a.AgentCard)
	if err := a2a.Unmarshal(raw, card); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return card
}

// An intent is something people want, the agents that do it in their order, and how people say it.
type intent struct {
	Intent    string   `json:"intent"`
	About     string   `json:"about"`
	Agents    []string `json:"agents"`
	Phrasings []string `json:"phrasings"`
}

// The marks that Rules has to reach: the share of requests that go where they belong, and the share that may go
// elsewhere. The rest has to be questions back.
const (
	leastRight = 0.95
	mostWrong  = 0.01
)

var phrasings = []string{"phrasings.json", "phrasings_second.json", "phrasings_third.json", "phrasings_fourth.json",
	"phrasings_fifth.json"}

// There are enough requests to say something, and enough for each thing that people want.
func TestThereAreEnoughPhrasings(t *testing.T) {
	t.Parallel()
	total, each := 0, map[string]int{}
	for _, file := range phrasings {
		for _, in := range readPhrasings(t, file) {
			total += len(in.Phrasings)
			each[in.Intent] += len(in.Phrasings)
		}
	}
	if total < 100 || len(each) < 10 {
		t.Errorf("%d requests of %d intents, want 100 of 10 at least", total, len(each))
	}
	for name, n := range each {
		if n < 10 {
			t.Errorf("%s: %d requests, want 10 at least", name, n)
		}
	}
}

// The phrasings came in five sets. Those of the last four were written by people who had seen neither the planner nor
// its words, and docs/host.md has what the rules made of them at first sight. The rules have been tuned on all but the
// fifth, which is there to tell what they make of phrasings that nobody has seen: it must not be tuned on.
func TestRulesRoutePhrasings(t *testing.T) {
	t.Parallel()
	for name, agents := range map[string][]Agent{"first samples": fixtures(t), "our samples": ours(t),
		"all samples": twelve(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all tally
			for _, file := range phrasings {
				n := judge(t, agents, readPhrasings(t, file))
				t.Logf("%s: %d of %d right, %d wrong", file, n.right, n.total, n.wrong)
				all.add(n)
			}
			if float64(all.right) < leastRight*float64(all.total) || float64(all.wrong) > mostWrong*float64(all.total) {
				t.Errorf("%+v; want %.0f%% right and at most %.0f%% wrong", all, 100*leastRight, 100*mostWrong)
			}
		})
	}
}

// A request whose agent is not there goes to nobody else: the rules ask, or say what the host can do.
func TestRulesDoNotGuessWhenAnAgentIsMissing(t *testing.T) {
	t.Parallel()
	for name, agents := range map[string][]Agent{"first samples": fixtures(t), "our samples": ours(t),
		"all samples": twelve(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			total, guessed := 0, 0
			for _, file := range phrasings {
				for _, in := range readPhrasings(t, file) {
					if len(in.Agents) > 1 {
						continue // the first half of it has somebody who does it
					}
					others := slices.DeleteFunc(slices.Clone(agents),
						func(a Agent) bool { return a.Alias == in.Agents[0] })
					for _, text := range in.Phrasings {
						total++
						s := in.situation(text, others)
						s.Last = ""
						if d := decide(t, s); len(d.Steps) > 0 {
							guessed++
							t.Logf("%s: GUESSED: %q goes to %s", in.Intent, text, d.Steps[0].Agent)
						}
					}
				}
			}
			t.Logf("%d of %d guessed", guessed, total)
			if float64(guessed) > mostWrong*float64(total) {
				t.Errorf("%d of %d are guessed", guessed, total)
			}
		})
	}
}

// The requests of these two sets are for all twelve samples, and their authors had seen neither the planner nor its
// words. The rules have been tuned on the first set. They must not be tuned on the second one: it tells what they make
// of phrasings that nobody has seen.
func TestRulesRouteAmongAllSamples(t *testing.T) {
	t.Parallel()
	agents := twelve(t)
	for _, set := range []struct {
		file              string
		leastRight, wrong int
		of                int
	}{
		{"phrasings_all_samples.json", 114, 0, 120},
		{"phrasings_all_samples_unseen.json", 68, 2, 80},
	} {
		raw, err := os.ReadFile("testdata/" + set.file)
		if err != nil {
			t.Fatal(err)
		}
		var requests []struct{ Agent, Text string }
		if err := json.Unmarshal(raw, &requests); err != nil {
			t.Fatal(err)
		}
		var n tally
		for _, r := range requests {
			n.total++
			switch got, asked := route(t, agents, r.Text); {
			case asked:
				t.Logf("%s: asks back: %q, choices %v", r.Agent, r.Text, got)
			case slices.Equal(got, []string{r.Agent}):
				n.right++
			default:
				n.wrong++
				t.Logf("%s: WRONG: %q goes to %v", r.Agent, r.Text, got)
				if slices.ContainsFunc(got, isOfAnotherTrade) {
					t.Errorf("%q goes to %v", r.Text, got)
				}
			}
		}
		t.Logf("%s: %d of %d right, %d wrong", set.file, n.right, n.total, n.wrong)
		if n.total != set.of || n.right < set.leastRight || n.wrong > set.wrong {
			t.Errorf("%s: %+v, want %d of %d right and at most %d wrong", set.file, n, set.leastRight, set.of,
				set.wrong)
		}
	}
}

// isOfAnotherTrade reports whether an agent has nothing to do with money, code and films.
func isOfAnotherTrade(alias string) bool {
	return alias == "slow" || alias == "flaky" || alias == repairshop.SupplierName
}

// Requests about money, code and films reach none of the agents that count, fail on command or sell car parts, although
// they say "come", "error", "list" or "order" as often as any text does.
func TestRulesKeepRequestsFromAgentsOfOtherTrades(t *testing.T) {
	t.Parallel()
	agents := twelve(t)
	for _, file := range phrasings {
		for _, in := range readPhrasings(t, file) {
			for _, text := range in.Phrasings {
				got, asked := went(decide(t, in.situation(text, agents)))
				if !asked && slices.ContainsFunc(got, isOfAnotherTrade) {
					t.Errorf("%s: %q goes to %v", in.Intent, text, got)
				}
			}
		}
	}
}

// An example of a card goes to its agent, or the agent is among the choices of a question; it never goes to another
// agent.
func TestRulesRouteTheExamplesOfCards(t *testing.T) {
	t.Parallel()
	agents, total, right := twelve(t), 0, 0
	for _, a := range agents {
		for _, skill := range a.Card.Skills {
			for _, example := range skill.Examples {
				if gist(example) == "" {
					continue // "fail" and "Ada" say too little
				}
				total++
				switch got, asked := route(t, agents, example); {
				case asked:
					t.Logf("%s: asks about %q", a.Alias, example)
				case slices.Equal(got, []string{a.Alias}):
					right++
				default:
					t.Errorf("%s: example %q goes to %v", a.Alias, example, got)
				}
			}
		}
	}
	if float64(right) < 0.9*float64(total) {
		t.Errorf("%d of %d examples go to their agent, want 90%%", right, total)
	}
}

// tally counts phrasings.
type tally struct{ total, right, wrong int }

func (n *tally) add(m tally) {
	n.total, n.right, n.wrong = n.total+m.total, n.right+m.right, n.wrong+m.wrong
}

// situation is how a request is made: a question about a file comes along with the file, tables and texts by turns, and
// a picture is changed in a conversation in which one was made just before.
func (in intent) situation(text string, agents []Agent) *Situation {
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	s := &Situation{Text: text, Agents: agents, Message: m}
	switch in.Intent {
	case "edit":
		s.Last = "images"
	case "file":
		file := a2a.RawPart([]byte("name,price\npen,2\n"), "text/csv", "prices.csv")
		if len(text)%2 > 0 {
			file = a2a.RawPart([]byte("Once upon a time."), "text/plain", "story.txt")
		}
		m.Parts = append(m.Parts, file)
	}
	return s
}

func judge(t *testing.T, agents []Agent, intents []intent) (n tally) {
	t.Helper()
	for _, in := range intents {
		for _, text := range in.Phrasings {
			n.total++
			got, asked := went(decide(t, in.situation(text, agents)))
			switch {
			case asked:
				t.Logf("%s: asks back: %q, choices %v", in.Intent, text, got)
			case slices.Equal(got, in.Agents):
				n.right++
			default:
				n.wrong++
				t.Logf("%s: WRONG: %q goes to %v", in.Intent, text, got)
			}
		}
	}
	return n
}

func readPhrasings(t *testing.T, file string) []intent {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var intents []intent
	if err := json.Unmarshal(raw, &intents); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return intents
}

var planner = Rules()

func decide(t *testing.T, s *Situation) *Decision {
	t.Helper()
	d, err := planner.Plan(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// went returns the aliases that a request goes to, or the choices of the question that is asked instead.
func went(d *Decision) (aliases []string, asked bool) {
	switch {
	case d.Question != nil:
		return d.Question.Choices, true
	case d.Answer != nil:
		return []string{"host"}, false
	}
	for _, s := range d.Steps {
		aliases = append(aliases, s.Agent)
	}
	return aliases, false
}

// route is where a text goes.
func route(t *testing.T, agents []Agent, text string) (aliases []string, asked bool) {
	t.Helper()
	return went(decide(t, &Situation{Text: text, Agents: agents,
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}))
}

func TestRulesOnTheHostItself(t *testing.T) {
	t.Parallel()
	agents := fixtures(t)
	for _, text := range []string{
		"What agents do you have?", "What remote agents do you have access to?", "what can you do?", "List your agents",
		"Which agents are available?", "who are you?", "help", "show me the available agents",
		"Which agent can draw pictures?",
	} {
		if got, _ := route(t, agents, text); strings.Join(got, " ") != "host" {
			t.Errorf("%q: goes to %v", text, got)
		}
	}
}

// A host that knows nobody for greetings answers them itself, and gives none to an agent whose card speaks of greetings
// in passing, as that of the coder does.
func TestRulesAnswerGreetingsWithoutAGreeter(t *testing.T) {
	t.Parallel()
	for name, agents := range map[string][]Agent{"first samples": fixtures(t), "our samples": ours(t),
		"all samples": twelve(t)} {
		agents = slices.DeleteFunc(agents, func(a Agent) bool { return a.Alias == "hello" })
		for _, text := range []string{"hello", "Hi!", "good morning", "hey there", "Hello, everyone!"} {
			if got, _ := route(t, agents, text); strings.Join(got, " ") != "host" {
				t.Errorf("%s: %q goes to %v", name, text, got)
			}
		}
		if got, asked := route(t, agents, "say hello to my grandma"); !asked {
			t.Errorf("%s: a greeting for somebody goes to %v", name, got)
		}
	}
}

// A request that none of the agents can serve goes to none of them.
func TestRulesAskAboutWhatNobodyDoes(t *testing.T) {
	t.Parallel()
	guessed := 0
	for _, text := range nobodys {
		if got, asked := route(t, ours(t), text); !asked {
			guessed++
			t.Logf("%q goes to %v", text, got)
		}
	}
	if guessed > 1 {
		t.Errorf("%d of %d are guessed", guessed, len(nobodys))
	}
}

var nobodys = []string{
	"What is the capital of Australia?", "will it rain in Oslo tomorrow", "book me a table for four on Friday",
	"How do I boil an egg?",
	"translate this letter into French", "What's 17 times 23?", "Who is the president of Brazil?",
	"set an alarm for six", "turn on the kitchen lights",
	"My back hurts, what should I do?", "Send an email to Tom that I'll be late", "how far is the moon",
	"find me a flight to Rome in May",
	"what time is it in Tokyo", "Remind me to water the plants", "Which shares should I buy?", "tell me a joke",
	"Is there a pharmacy near here?",
	"how many people live in Lagos", "play some jazz", "order two pizzas", "What is the meaning of life?",
	"When does the train to Leeds leave?",
	"who won the football yesterday", "give me a recipe for lasagne", "Why is the sky blue?", "call my mother",
	"what does serendipity mean",
	"My car makes a strange noise", "Can dogs eat grapes?", "write a poem for my wife", "spell necessary",
	"Any news about the election?",
	"Please cancel my subscription", "what is the best way to learn Spanish", "How tall is Mount Everest?",
	"I feel lonely today", "schedule a meeting with Ana",
	"Which bus goes to the airport?", "what should I cook tonight",
}
