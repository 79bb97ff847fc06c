// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
)

// chooser asks which film is meant, and says what it was answered.
var chooser = agent.Func(func(_ context.Context, t *agent.Turn) error {
	if strings.HasPrefix(t.Text(), "which") {
		return t.Ask(a2a.TextPart("Which film do you mean?\n1. Dune (1984)\n2. Dune (2021)"))
	}
	return t.Artifact("film", a2a.TextPart("film "+t.Text()))
})

// twoQuestions is a task in which a currency and a film are asked for.
func twoQuestions(t *testing.T) (*world, func() *agenttest.Result) {
	t.Helper()
	w := newWorld(t, nil, currencyURL(t), serve(t, chooser, cardOf("Movie Agent", "Knows films", "films")))
	return w, func() *agenttest.Result {
		r := w.Reply(w.Send("How much is 1 USD?"), "new: @Movie Agent which film is Dune?")
		must(t, r, a2a.TaskStateInputRequired, "Currency Agent asks:", "Movie Agent asks:")
		return r
	}
}

// The host drops no message without a word while it asks whose question an earlier message answers.
func TestNothingIsDroppedWithoutAWord(t *testing.T) {
	t.Parallel()
	w, begun := twoQuestions(t)
	which := w.Reply(begun(), "2")
	must(t, which, a2a.TaskStateInputRequired,
		`Which one is "2" for? Say 1 or 2, or write @Currency Agent and your message.`,
		"\n2. Movie Agent: Which film do you mean?")
	if strings.Contains(which.StatusText(), "1984") {
		t.Errorf("a list in a list: %s", which.StatusText())
	}
	which = w.Reply(which, "9")
	must(t, which, a2a.TaskStateInputRequired, "There is no 9 in this list.", `Which one is "2" for?`)
	which = w.Reply(which, "CAD")
	must(t, which, a2a.TaskStateInputRequired, `You said something else, so "2" was not sent to any agent.`,
		`Which one is "CAD" for?`)
	done := w.Reply(which, "1")
	must(t, done, a2a.TaskStateInputRequired, "Which film do you mean?")
	if !strings.Contains(done.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("%s", done.Text())
	}
	must(t, w.Reply(done, "2"), a2a.TaskStateCompleted)
}

// A name goes before what waits for a choice.
func TestANameInsteadOfAChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@Movie Agent 2":     "film 2", // it is said once more
		"@Movie Agent: both": "film both",
	} {
		w, begun := twoQuestions(t)
		r := w.Reply(w.Reply(begun(), "2"), text)
		must(t, r, a2a.TaskStateInputRequired, "Into which currency")
		if last := r.Task.Artifacts[len(r.Task.Artifacts)-1]; last.Text() != want {
			t.Errorf("%s: %q", text, last.Text())
		}
		if told := strings.Contains(r.StatusText(), `"2" was not sent to any agent`); told != (want == "film both") {
			t.Errorf("%s: %s", text, r.StatusText())
		}
	}
	w, begun := twoQuestions(t)
	r := w.Reply(begun(), "@nobody 2")
	must(t, r, a2a.TaskStateInputRequired,
		`There is no agent called "nobody"; there are Currency Agent,`+
			` Movie Agent. Your message was not sent to any agent.`, "Movie Agent asks:")
	must(t, w.Reply(w.Reply(r, "2"), "new: what agents do you have?"), a2a.TaskStateInputRequired,
		`"2" was not sent to any agent`, "I pass requests on to 2 agents")
	declined := w.Reply(w.Reply(begun(), "2"), "never mind")
	must(t, declined, a2a.TaskStateInputRequired, "I did not send that to any agent", "Movie Agent asks:")
}

func TestNamesThatNobodyHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	r := w.Send("@nobody 100 USD in GBP")
	must(t, r, a2a.TaskStateInputRequired, `There is no agent called "nobody"; there are Currency Agent, Hello Agent.`,
		"Which one do you mean?\n1. Currency Agent:")
	r = w.Reply(r, "3")
	must(t, r, a2a.TaskStateInputRequired, "There is no 3 in this list.\nSay 1 or 2, or a name.\n1. Currency Agent:")
	r = w.Reply(r, "1")
	if must(t, r, a2a.TaskStateCompleted); !strings.HasPrefix(r.Text(), "100 USD = 77.252 GBP") {
		t.Errorf("%s", r.Text())
	}
	asked := w.Reply(w.Send("How much is 1 USD?"), "@nobody CAD")
	must(t, asked, a2a.TaskStateInputRequired, `There is no agent called "nobody"`,
		"Your message was not sent to any agent.", "Into which currency should I convert 1 USD?")
	must(t, w.Send("@nobody"), a2a.TaskStateInputRequired, `There is no agent called "nobody"`)
	again := w.Reply(w.Send("Tralala"), "@noone hi")
	must(t, again, a2a.TaskStateInputRequired, `"Tralala" was not sent to any agent`,
		`There is no agent called "noone"`)
	must(t, w.Reply(w.Send("Tralala"), "Hopsasa"), a2a.TaskStateInputRequired,
		`You said something else, so "Tralala" was not sent to any agent.`)
}

// A missing part that the next message brings is sent along with it.
func TestWordsThatWereMissing(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	echo := agent.Func(func(_ context.Context, t *agent.Turn) error {
		got <- t.Text()
		return t.Reply(a2a.TextPart("ok"))
	})
	planner := plannerFunc(func(s *plan.Situation) *plan.Decision {
		switch {
		case len(s.Reports) > 0:
			return &plan.Decision{}
		case !strings.Contains(s.Text, "red"):
			return &plan.Decision{Question: &plan.Question{Text: "Which colour?", Choices: []string{"A", "B"}}}
		case !strings.Contains(s.Text, "duck"):
			return &plan.Decision{Question: &plan.Question{Text: "What?", Choices: []string{"A", "B"}}}
		}
		return &plan.Decision{Steps: []plan.Step{{ID: "1", Agent: "Painter", Text: s.Text, Whole: true}}}
	})
	w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) { o.Planner = planner },
		serve(t, echo, cardOf("Painter", "Paints")))
	must(t, w.Reply(w.Send("a duck"), "a red one"), a2a.TaskStateCompleted)
	if text := <-got; text != "a duck\na red one" {
		t.Errorf("the agent reads %q", text)
	}
}

type plannerFunc func(*plan.Situation) *plan.Decision

func (f plannerFunc) Plan(_ context.Context, s *plan.Situation) (*plan.Decision, error) {
	d := f(s)
	if d == nil {
		return nil, errors.New("it is out of order")
	}
	return d, nil
}

// A request that cannot be planned, or is too large, leaves the agents that wait in its task answerable.
func TestUserErrorsEndNoOtherStep(t *testing.T) {
	t.Parallel()
	planner := plannerFunc(func(s *plan.Situation) *plan.Decision {
		step := plan.Step{ID: "1", Agent: "Currency Agent", Text: s.Text, Whole: true}
		switch {
		case s.Text == "broken":
			return nil
		case s.Text == "large":
			two := step
			two.ID = "2"
			return &plan.Decision{Steps: []plan.Step{step, two}}
		case len(s.Reports) > 0:
			return &plan.Decision{}
		}
		return &plan.Decision{Steps: []plan.Step{step}}
	})
	w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) { o.Planner, o.MaxSteps = planner, 1 },
		currencyURL(t))
	for text, want := range map[string]string{"broken": "could not be planned", "large": "more than 1 steps"} {
		must(t, w.Send(text), a2a.TaskStateFailed, want)
		r := w.Reply(w.Send("How much is 1 USD?"), "new: "+text)
		must(t, r, a2a.TaskStateInputRequired, want, "Currency Agent asks:")
		if done := w.Reply(r, "CAD"); done.State() != a2a.TaskStateCompleted ||
			!strings.Contains(done.Text(), "1 USD = 1.4328 CAD") {
			t.Errorf("%v: %s", done.State(), done.Text())
		}
	}
}

// A message that ends the task at once cancels the tasks of the agents that wait in it.
func TestARefusedMessageLeavesNobodyBehind(t *testing.T) {
	t.Parallel()
	canceled := make(chan struct{})
	w := newWorld(t, nil, serve(t, &asker{canceled}, cardOf("Asker", "Asks riddles", "riddles")))
	r := w.Send("Ask riddles")
	must(t, r, a2a.TaskStateInputRequired)
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("a fish"))
	m.TaskID, m.Metadata = r.Task.ID, a2a.Metadata{"dragoman.hosts": []byte(`["the-host"]`)}
	must(t, w.SendMessage(m), a2a.TaskStateRejected)
	<-canceled
}

// An agent that is away when its answer comes waits on, and so does the host's task.
func TestAnAnswerThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) {
		o.Client.HTTPClient = &http.Client{Transport: absences{&away}}
	}, currencyURL(t))
	r := w.Send("How much is 1 USD?")
	must(t, r, a2a.TaskStateInputRequired)
	away.Store(true)
	r = w.Reply(r, "CAD")
	must(t, r, a2a.TaskStateInputRequired, "Currency Agent cannot be reached: nothing listens at its address. It has "+
		"not got your answer; please send it again later.", "Into which currency")
	away.Store(false)
	if r = w.Reply(r, "CAD"); r.State() != a2a.TaskStateCompleted || !strings.Contains(r.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

// absences refuse connections now and then.
type absences struct{ now *atomic.Bool }

func (a absences) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.now.Load() {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A task that is spoken to for a long time remembers what is open and what was last, under numbers that stay.
func TestALongTaskRemembersItsLastSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	r := w.Send("How much is 1 USD?")
	const requests = 40
	for range requests {
		r = w.Reply(r, "new: @Hello Agent Ada")
		must(t, r, a2a.TaskStateInputRequired, "Into which currency")
	}
	c := children(t, r.Task)
	if len(c) != 22 || c[0].Agent != "Currency Agent" || c[0].State != "input-required" || c[21].Step != "41" ||
		c[1].Step != "21" {
		t.Errorf("%d steps, %+v", len(c), c)
	}
	done := w.Reply(r, "CAD")
	if done.State() != a2a.TaskStateCompleted || !strings.Contains(done.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("%v: %s", done.State(), done.Text())
	}
}

// An agent's answer is kept even if the next step cannot be planned.
func TestAUserErrorKeepsTheAnswers(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]*plan.Decision{
		"nothing": nil,
		"too much": {Steps: []plan.Step{{ID: "2", Agent: "Oracle", Text: "b"},
			{ID: "3", Agent: "Oracle", Text: "c"}}},
		"a question": {Question: &plan.Question{Text: "And now?"}},
	} {
		planner := plannerFunc(func(s *plan.Situation) *plan.Decision {
			if len(s.Reports) > 0 {
				return next
			}
			return &plan.Decision{Steps: []plan.Step{{ID: "1", Agent: "Oracle", Text: s.Text, Whole: true}}}
		})
		oracle := agent.Func(func(_ context.Context, t *agent.Turn) error { return t.Reply(a2a.TextPart("It is 42.")) })
		w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) { o.Planner, o.MaxSteps = planner, 2 },
			serve(t, oracle, cardOf("Oracle", "Knows numbers")))
		r := w.Send("which number?")
		if want := map[bool]a2a.TaskState{true: a2a.TaskStateInputRequired,
			false: a2a.TaskStateFailed}[name == "a question"]; r.State() != want {
			t.Errorf("%s: %v", name, r.State())
		}
		if len(r.Task.Artifacts) != 1 || r.Task.Artifacts[0].Text() != "It is 42." {
			t.Errorf("%s: %v: %s", name, r.State(), r.Text())
		}
	}
}
