// SPDX-License-Identifier: Apache-2.0

// Package expenses is a sample agent that reimburses expenses and shows how agents use forms: "Can you reimburse me $20
// for my lunch with the clients?" is answered with a form that knows what the sentence said. The filled form may come
// as data, as JSON in a text, as lines such as "date: yesterday", or as a sentence. The agent returns a form with
// mistakes, field by field, and approves a right one; "never mind" withdraws the request.
//
//	desk.go      carries actions out on the request of the task: the only place that approves anything
//	form.go      the form document, filled forms and the receipt; check.go checks the fields
//	model.go     lets a language model read sentences, with a tool for each action
//	rules/       stands in for the language model
//
// A filled form is read by the same code with and without a model: a model never decides whether money is paid.
package expenses

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses/rules"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the [Receipt].
const ArtifactName = "receipt"

// Options configure the agent.
type Options struct {
	Model    llm.Model        // reads what people write; nil: rules do
	Now      func() time.Time // nil: time.Now
	Limit    int              // the most that can be reimbursed at once, in any currency; 0: 10,000
	Currency string           // of amounts that name none, such as "EUR"; "": "USD"
	NewID    func() string    // makes ids of requests; nil: "request_id_" and seven random digits
}

const (
	defaultLimit    = 10_000
	defaultCurrency = "USD"
)

// maxText is how much of a text is read, in bytes: an expense is told in a sentence.
const maxText = 8 << 10

// New returns the reimbursement agent. A message becomes
//
//   - an input-required task whose status message has the form, in words and as data (an [agent.Form]), as often as
//     something is missing or wrong;
//   - a completed task with one artifact, the receipt, when the filled form is right;
//   - a canceled task when the request is withdrawn in words. A cancel of the task withdraws it as well;
//   - a rejected task when it is about a request that this task does not have, or when it is not understood; or
//   - a completed task in which a model declines what is not about expenses.
//
// A task has one request, which is kept as state of the task.
func New(o Options) agent.Agent {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.NewID == nil {
		o.NewID = newRequestID
	}
	o.Currency = cmp.Or(o.Currency, defaultCurrency)
	return &clerk{options: o}
}

type clerk struct {
	options Options
}

// Run deals with one message.
func (c *clerk) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Processing the reimbursement request...")); err != nil {
		return err
	}
	o := c.options
	d := &desk{now: o.Now(), limit: decimal.NewFromInt(int64(o.Limit)), currency: o.Currency, newID: o.NewID}
	if _, err := t.LoadTask(ctx, &d.request); err != nil {
		return fmt.Errorf("load the request: %w", err)
	}
	a, err := c.understand(ctx, t, d)
	if err != nil {
		return err
	}
	out := d.do(a)
	if err := t.SaveTask(ctx, d.request); err != nil {
		return fmt.Errorf("save the request: %w", err)
	}
	return out.end(t)
}

// understand makes an action of the message: of a filled form by the rules of the form, of anything else
// by the model or without one.
func (c *clerk) understand(ctx context.Context, t *agent.Turn, d *desk) (action, error) {
	text := t.Text()
	s, problem, ok := readSubmission(t.Message())
	switch {
	case problem != "":
		return action{kind: say, text: problem}, nil
	case ok:
		return s.action(), nil
	case len(text) > maxText:
		return action{kind: pass, text: fmt.Sprintf("That text is too long: I read up to %d bytes.", maxText)}, nil
	}
	if c.options.Model != nil {
		return readByModel(ctx, c.options.Model, d, text)
	}
	return readByRules(d.request, text), nil
}

func (o outcome) end(t *agent.Turn) error {
	switch o.kind {
	case showForm:
		return o.form().Ask(t, a2a.TextPart(o.formText()))
	case approve:
		r := o.request
		return reply.Artifact(t, ArtifactName, o.text,
			Receipt{ID: r.ID, Status: "approved", Amount: r.Amount, Date: r.Date, Purpose: r.Purpose})
	case takeBack:
		return agent.Withdraw(a2a.TextPart(o.text))
	case refuse:
		return agent.Reject(a2a.TextPart(o.text))
	}
	return t.Reply(a2a.TextPart(o.text))
}

func readByRules(known Request, text string) action {
	open := known.ID != ""
	plain := clean(text)
	r := rules.Read(plain)
	v := values{Date: r.Date, Amount: r.Amount, Purpose: r.Purpose}
	if open {
		// The rest of a sentence is its purpose only if the form lacks one or the user says that it is the purpose.
		_, problem := checkPurpose(known.Purpose)
		if problem == "" && !r.Explains || strings.HasSuffix(plain, "?") {
			v.Purpose = ""
		}
	}
	switch {
	case r.Withdraws:
		return action{kind: withdraw, id: r.ID}
	case r.Agrees && (open || r.ID != ""):
		return action{kind: submit, id: r.ID}
	case r.Several, open && v == (values{}), !open && !r.Topical && r.Amount == "":
		return action{kind: pass, id: r.ID, text: rules.Refusal}
	case open:
		return action{kind: submit, id: r.ID, values: v}
	}
	if letters(v.Purpose) < minLetters {
		v.Purpose = ""
	}
	return action{kind: create, values: v}
}

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Reimbursement Agent",
		Description: "Handles the reimbursement process for employees, given the amount and the purpose of " +
			"the expense",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "process_reimbursement",
			Name:        "Process Reimbursement Tool",
			Description: "Takes a request for reimbursement with a form, and approves it",
			Tags:        []string{"reimbursement", "expenses", "form"},
			Examples: []string{
				"Can you reimburse me $20 for my lunch with the clients?",
				"I paid 45 EUR for the taxi to the airport yesterday",
			},
		}},
	}
}
