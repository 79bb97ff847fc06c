// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
)

// films asks which film is meant, until it hears a year.
var films = agent.Func(func(_ context.Context, t *agent.Turn) error {
	if strings.Contains(t.Text(), "2021") || strings.Contains(t.Text(), "Alien") {
		return t.Artifact("film", a2a.TextPart("heard: "+t.Text()))
	}
	return t.Ask(a2a.TextPart("Which one do you mean?\n1. Dune (1984)\n2. Dune (2021)"))
})

func several(t *testing.T) *world {
	return newWorld(t, nil, currencyURL(t), serve(t, films, movies.Card()), serve(t, expenses, expensesCard()),
		serve(t, images.New(images.Options{}), images.Card()), serve(t, hello.New(hello.Options{}), hello.Card()))
}

// A message that is clearly for another agent than the waiting one goes to neither without asking.
func TestMessageForAnotherAgentIsAskedAbout(t *testing.T) {
	t.Parallel()
	for open, messages := range map[string][]string{
		"who directed Dune?": {
			"how much is 1 USD", "convert 5 EUR to USD and then reimburse it for taxi", "ask the bank agent for money",
			"how much is 1 USD, and who directed Dune?", "How much is 100 USD in GBP?",
		},
		"How much is 1 USD?": {
			"how much is 1 USD, and who directed Dune?", "who directed Alien?", "please reimburse the taxi",
			"ask the bank agent for money",
		},
		"reimburse lunch for 20 USD": {"who directed Dune?", "how much is 100 USD in GBP?"},
	} {
		for _, text := range messages {
			w := several(t)
			first := w.Send(open)
			must(t, first, a2a.TaskStateInputRequired)
			r := w.Reply(first, text)
			must(t, r, a2a.TaskStateInputRequired, "Is this for the ",
				", which waits for an answer, or something new? Say 1 or 2.", "\n2. Something new: \""+text)
			if before, after := children(t, first.Task), children(t, r.Task); len(before) != len(after) {
				t.Errorf("%s: %q went on to %+v", open, text, after)
			}
		}
	}
}

// Answers are not asked about, in whatever words, and neither is what says whom it is for.
func TestAnswersAreNotAskedAbout(t *testing.T) {
	t.Parallel()
	for open, messages := range map[string][]string{
		"who directed Dune?": {"2", "the first one", "2021", "Dune (2021)", "the one of 2021, please", "Dune",
			"green", "1984 or so", "Alien"},
		"How much is 1 USD?": {"CAD", "to Canadian dollars", "in GBP please", "Euro", "convert it to CAD",
			"what about pounds?", "@currency CAD"},
		"reimburse lunch for 20 USD": {"2026-11-20", "20 USD", "it was lunch with a client", "approve it please",
			"yes"},
	} {
		for _, text := range messages {
			w := several(t)
			if r := w.Reply(w.Send(open), text); strings.Contains(r.StatusText(), "something new?") {
				t.Errorf("%s: %q is asked about: %s", open, text, r.StatusText())
			}
		}
	}
}

func TestSomethingNewOrAnAnswer(t *testing.T) {
	t.Parallel()
	asked := func(w *world) *agenttest.Result {
		return w.Reply(w.Send("who directed Dune?"), "how much is 100 USD in GBP?")
	}
	for _, word := range []string{"2", "something new", "new", "it's new"} {
		w := several(t)
		r := w.Reply(asked(w), word)
		must(t, r, a2a.TaskStateInputRequired, "Which one do you mean?")
		if !strings.Contains(r.Text(), "100 USD = 77.252 GBP") {
			t.Errorf("%s: %s", word, r.Text())
		}
		must(t, w.Reply(r, "2021"), a2a.TaskStateCompleted)
	}
	for _, word := range []string{"1", "Movie Agent", "the movie agent"} {
		w := several(t)
		must(t, w.Reply(asked(w), word), a2a.TaskStateInputRequired, "Which one do you mean?",
			"(To ask something else: new: ..., or @NAME ...)")
	}
	w := several(t)
	must(t, w.Reply(asked(w), "3"), a2a.TaskStateInputRequired, "There is no 3 in this list.",
		"or something new? Say 1 or 2.")
	w = several(t)
	must(t, w.Reply(asked(w), "2021"), a2a.TaskStateInputRequired, "There is no 2021 in this list.")
	w = several(t)
	r := w.Reply(asked(w), "new: how much is 100 USD in GBP?")
	if must(t, r, a2a.TaskStateInputRequired, "Which one do you mean?"); strings.Contains(r.StatusText(),
		"was not sent to any agent") || !strings.Contains(r.Text(), "77.252 GBP") {
		t.Errorf("%s: %s", r.StatusText(), r.Text())
	}
	w = several(t)
	must(t, w.Reply(asked(w), "never mind"), a2a.TaskStateInputRequired, "I did not send that to any agent",
		"Which one do you mean?")

	// A composite one is carried out whole.
	w = several(t)
	r = w.Reply(w.Reply(w.Send("How much is 1 USD?"), "how much is 1 USD, and who directed Alien?"), "2")
	if !strings.Contains(r.Text(), "heard: who directed Alien?") {
		t.Errorf("%v: %s\n%s", r.State(), r.StatusText(), r.Text())
	}
}

// Of several that wait all are named.
func TestSomethingNewAmongSeveralQuestions(t *testing.T) {
	t.Parallel()
	w := several(t)
	begun := w.Reply(w.Send("How much is 1 USD?"), "new: who directed Dune?")
	r := w.Reply(begun, "please reimburse the taxi")
	must(t, r, a2a.TaskStateInputRequired, "Is this for one of the agents that wait for an answer, or something new? "+
		"Say 1 to 3.", "\n3. Something new: \"please reimburse the taxi\", for Reimbursement Agent")
	must(t, w.Reply(r, "3"), a2a.TaskStateInputRequired, "Please fill the form.", "Currency Agent asks:",
		"Movie Agent asks:")
}

// How to get out is said with the second question of an agent in a row, and not with the first one.
func TestTheSecondQuestionSaysHowToAskSomethingElse(t *testing.T) {
	t.Parallel()
	w := several(t)
	first := w.Send("who directed Dune?")
	if must(t, first, a2a.TaskStateInputRequired); strings.Contains(first.StatusText(), "something else") {
		t.Errorf("%s", first.StatusText())
	}
	must(t, w.Reply(first, "make it green"), a2a.TaskStateInputRequired,
		"2. Something new: \"make it green\", for Image Generator Agent")
	w = several(t)
	must(t, w.Reply(w.Send("who directed Dune?"), "blue"), a2a.TaskStateInputRequired,
		"(To ask something else: new: ..., or @NAME ...)")
}
