// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	reimbursement "github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

const flagship = "reimburse lunch for 20 EUR but needs to be converted to USD ahead of time."

// reimbursementURL serves the sample, whose requests all have one number and whose day stands still.
func reimbursementURL(t *testing.T) string {
	return serve(t, reimbursement.New(reimbursement.Options{
		Now:   func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
		NewID: func() string { return "request_id_1000001" },
	}), reimbursement.Card())
}

// hosting is a host over agents, to be served.
func hosting(t *testing.T, planner plan.Planner, urls ...string) wiretest.Sample {
	t.Helper()
	o := &host.DirectoryOptions{}
	for _, url := range urls {
		o.Agents = append(o.Agents, host.AgentRef{Card: url})
	}
	d, err := host.NewDirectory(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return wiretest.Sample{Card: host.Card(), Agent: func() agent.Agent {
		h, err := host.New(host.Options{Directory: d, Planner: planner})
		if err != nil {
			panic(err) // there is a directory
		}
		return h
	}}
}

// filledForm is the form in a task's question, with the day of the lunch.
func filledForm(t *testing.T, asked *a2a.Task, amount string) a2a.Part {
	t.Helper()
	if asked.Status.Message == nil {
		t.Fatalf("%v, and nothing is asked", asked.Status.State)
	}
	found := dataOf(t, asked.Status.Message.Parts)
	if len(found) != 1 {
		t.Fatalf("%v: %s: forms %s", asked.Status.State, asked.Status.Message.Text(), found)
	}
	var form struct {
		Data reimbursement.FormData `json:"form_data"`
	}
	if err := json.Unmarshal([]byte(found[0]), &form); err != nil || form.Data.Amount != amount {
		t.Fatalf("the form is %s, %v", found[0], err)
	}
	form.Data.Date, form.Data.Purpose = "yesterday", "lunch"
	part, err := a2a.DataPart(form.Data)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// reimburses plays the sentence to the approval.
func reimburses(t *testing.T, c *wiretest.Caller) {
	t.Helper()
	asked := c.Say(t, flagship)
	c.WantProgress(t, "→ Currency Agent: Looking up the exchange rates...")
	c.WantProgress(t, "→ Reimbursement Agent: Processing the reimbursement request...")
	wiretest.Want(t, asked, a2a.TaskStateInputRequired, "20 EUR = 21.5")
	done := c.Send(t, wiretest.Answer(asked, filledForm(t, asked, "21.58 USD")))
	wiretest.Want(t, done, a2a.TaskStateCompleted,
		"request_id_1000001 has been approved: 21.58 USD for lunch on 2026-11-20")
	if asked.ID != done.ID || asked.ContextID != done.ContextID {
		t.Errorf("task %s of %s became %s of %s", asked.ID, asked.ContextID, done.ID, done.ContextID)
	}
}

// The whole way: a client, a host and the samples, each over the network.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Each(t, hosting(t, nil, currencyURL(t), reimbursementURL(t)), reimburses)
}

// Two tasks of a conversation wait at the same time. Each answer reaches the agent that asked, and what is new gets a
// task of its own.
func TestTwoOpenTasksOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Each(t, hosting(t, nil, currencyURL(t), reimbursementURL(t)), func(t *testing.T, c *wiretest.Caller) {
		rate := c.Say(t, "How much is 1 USD?")
		wiretest.Want(t, rate, a2a.TaskStateInputRequired, "Into which currency")
		lunch := c.Send(t, wiretest.InContext(rate, a2a.TextPart("new: reimburse my lunch of 30 USD")))
		wiretest.Want(t, lunch, a2a.TaskStateInputRequired, "request_id_1000001")
		if rate.ID == lunch.ID || rate.ContextID != lunch.ContextID {
			t.Fatalf("task %s of %s, then %s of %s", rate.ID, rate.ContextID, lunch.ID, lunch.ContextID)
		}
		form := wiretest.Answer(lunch, filledForm(t, lunch, "30 USD"))
		converted := c.Send(t, wiretest.Answer(rate, a2a.TextPart("CAD")))
		wiretest.Want(t, converted, a2a.TaskStateCompleted, "1 USD = 1.4328 CAD")
		wiretest.Want(t, c.Get(t, lunch.ID), a2a.TaskStateInputRequired, "request_id_1000001")
		approved := c.Send(t, form)
		wiretest.Want(t, approved, a2a.TaskStateCompleted, "approved: 30 USD")
		for _, pair := range [][2]*a2a.Task{{rate, converted}, {lunch, approved}} {
			before, after := children(t, pair[0]), children(t, pair[1])
			if len(before) != 1 || len(after) != 1 || before[0].TaskID == "" || before[0].TaskID != after[0].TaskID {
				t.Errorf("the agents' tasks are %+v, then %+v", before, after)
			}
		}
		again := c.Send(t, wiretest.InContext(rate, a2a.TextPart("100 USD in GBP")))
		wiretest.Want(t, again, a2a.TaskStateCompleted, "100 USD = 77.252 GBP")
		if again.ID == rate.ID || again.ID == lunch.ID || again.ContextID != rate.ContextID ||
			children(t, again)[0].TaskID == children(t, rate)[0].TaskID {
			t.Errorf("the new request is task %s of %s, with %+v", again.ID, again.ContextID, children(t, again))
		}
	})
}

// Of two agents of one name each can be asked, and each gets the answers to its own question.
func TestAgentsOfOneNameOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Each(t, hosting(t, nil, currencyURL(t), currencyURL(t)), func(t *testing.T, c *wiretest.Caller) {
		first := c.Say(t, `@"Currency Agent" How much is 1 USD?`)
		second := c.Send(t, wiretest.InContext(first, a2a.TextPart(`@"Currency Agent#2" How much is 2 USD?`)))
		wiretest.Want(t, second, a2a.TaskStateInputRequired, "Into which currency")
		for _, row := range []struct {
			task        *a2a.Task
			agent, want string
		}{{second, "Currency Agent#2", "2 USD = 2.8656 CAD"}, {first, "Currency Agent", "1 USD = 1.4328 CAD"}} {
			done := c.Send(t, wiretest.Answer(row.task, a2a.TextPart("CAD")))
			wiretest.Want(t, done, a2a.TaskStateCompleted, row.want)
			if got := children(t, done); got[0].Agent != row.agent || got[0].TaskID != children(t, row.task)[0].TaskID {
				t.Errorf("%s: asked %+v", row.agent, got)
			}
		}
		unclear := c.Say(t, "100 USD in GBP")
		wiretest.Want(t, unclear, a2a.TaskStateInputRequired, "2. Currency Agent#2")
		chosen := c.Send(t, wiretest.Answer(unclear, a2a.TextPart("2")))
		wiretest.Want(t, chosen, a2a.TaskStateCompleted, "100 USD = 77.252 GBP")
		if got := children(t, chosen)[0].Agent; got != "Currency Agent#2" {
			t.Errorf("%q was asked", got)
		}
	})
}

// The same sentence with a model that plans, of each provider. Where none can be had, or refuses, the rules plan.
func TestProviders(t *testing.T) {
	t.Parallel()
	urls := []string{currencyURL(t), reimbursementURL(t)}
	byRules := wiretest.Outcome{State: a2a.TaskStateCompleted, Text: "1 USD = 0.77252 GBP"}
	wiretest.Providers(t, wiretest.Engine{
		Sample:   func(m llm.Model) wiretest.Sample { return hosting(t, plan.NewLLM(m), urls...) },
		Opening:  func() *a2a.Message { return wiretest.Message("1 USD in GBP") },
		Converse: reimburses,
		Thinks: func(t *testing.T, r *llmtest.Request) llmtest.Step {
			results := r.Results()
			told := func(text string) bool {
				return len(results) > 0 && strings.Contains(results[len(results)-1].Text, text)
			}
			switch {
			case len(results) == 0 && r.LastUser() == "1 USD in GBP":
				return llmtest.Calls(send(currency.Card().Name, r.LastUser()))
			case len(results) == 0:
				return llmtest.Calls(send(currency.Card().Name, "convert 20 EUR to USD"))
			case told("20 EUR = 21.576 USD"):
				return llmtest.Calls(send(reimbursement.Card().Name, "reimburse lunch for 21.58 USD"))
			}
			return llmtest.Text("It is done.")
		},
		Names: true,
		Down:  byRules, Busy: byRules, Refused: byRules,
	})
}
