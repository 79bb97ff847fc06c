// SPDX-License-Identifier: Apache-2.0

// Package currency is a sample agent that converts money: "100 USD in GBP", "5 euros in yen and pounds". It needs no
// network: the rates come from a bundled table of sample data unless another [Provider] is given.
//
//	convert.go      computes and words a conversion
//	rates.go        the contract of providers; snapshot.go and frankfurter.go are the two
//	model.go        lets a language model understand the message, with the rates as its tool
//	rules/          stands in for the language model: short requests in known words, and nothing else
//
// All numbers are exact decimals ([Decimal]). Answers name the day and the source of a rate.
package currency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency/rules"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the result.
const ArtifactName = "conversion_result"

// MaxText is the longest text that the agent reads, in bytes.
const MaxText = 2000

var tooLong = fmt.Sprintf(
	"That text is too long: I read up to %d bytes. Please ask in one sentence, such as: 100 USD in GBP.", MaxText)

// Options configure the agent.
type Options struct {
	Rates Provider         // nil: [Snapshot]
	Model llm.Model        // understands and words, with the rates as its tool; nil: rules do
	Now   func() time.Time // nil: time.Now
}

// New returns the currency agent. A message becomes
//
//   - a completed task with one artifact: a text and, when the client accepts application/json, the [Conversion] as
//     data (an array of them for several targets);
//   - an input-required task whose status message asks for what is missing;
//   - a rejected task when the rules do not understand the message, or a completed one when the model declines it; or
//   - a failed task when the rates, or the model, cannot be had.
//
// The conversation so far is kept as state of the context, so that an answer may come with or without the id of the
// task that asked.
func New(o Options) agent.Agent {
	c := &converter{rates: o.Rates, model: o.Model, now: o.Now}
	if c.rates == nil {
		c.rates = Snapshot{}
	}
	if c.now == nil {
		c.now = time.Now
	}
	return c
}

type converter struct {
	rates Provider
	model llm.Model
	now   func() time.Time
}

type state struct {
	Request rules.Request `json:"request,omitzero"`
	Talk    []llm.Message `json:"talk,omitempty"` // with a language model, which needs nothing else
}

// Run deals with one message.
func (c *converter) Run(ctx context.Context, t *agent.Turn) error {
	var s state
	if _, err := t.LoadContext(ctx, &s); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	if len(t.Text()) > MaxText {
		return t.Ask(a2a.TextPart(tooLong))
	}
	if c.model != nil {
		return c.think(ctx, t, s)
	}
	return c.follow(ctx, t, s)
}

func (c *converter) follow(ctx context.Context, t *agent.Turn, s state) error {
	request, ok := s.Request.Read(t.Text(), string(c.rates.Today(c.now())))
	switch {
	case !ok && s.Request.Asked:
		return t.Ask(a2a.TextPart(rules.Refusal + " " + request.Question(c.latest())))
	case !ok:
		return agent.Reject(a2a.TextPart(rules.Refusal))
	}
	question := request.Question(c.latest())
	if question != "" {
		return c.ask(ctx, t, request, question)
	}
	amount := decimal.NewFromInt(1)
	if request.Amount != nil {
		amount = *request.Amount
	}
	query := Query{From: request.From, To: request.To, On: Date(request.On)}
	conversions, text, err := c.convert(ctx, t, amount, query)
	var unknown *UnknownCurrencyError
	var date *DateError
	switch {
	case errors.As(err, &unknown):
		request = request.Without(unknown.Codes)
		return c.ask(ctx, t, request, sentence(err)+" "+request.Question(c.latest()))
	case errors.As(err, &date):
		request = request.WithoutDay()
		return c.ask(ctx, t, request, sentence(err)+" "+request.Question(c.latest()))
	case err != nil:
		return c.fail(ctx, err)
	}
	if err := t.SaveContext(ctx, state{Request: request}); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return answer(t, conversions, text)
}

func (c *converter) ask(ctx context.Context, t *agent.Turn, r rules.Request, question string) error {
	r.Asked = true
	if err := t.SaveContext(ctx, state{Request: r}); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return t.Ask(a2a.TextPart(question))
}

func (c *converter) latest() string {
	if _, ok := c.rates.(Snapshot); ok {
		return fmt.Sprintf("the latest bundled rate, of %s,", c.rates.Today(c.now()))
	}
	return "the latest rate"
}

// fail ends the task. The user reads what could not be had; the cause is for the log.
func (*converter) fail(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*llm.Error](err); ok || ctx.Err() != nil {
		return reply.ModelError(ctx, err)
	}
	return agent.Public("The exchange rates could not be had. Please try again later.", err)
}

func answer(t *agent.Turn, conversions []Conversion, text string) error {
	if len(conversions) == 1 {
		return reply.Artifact(t, ArtifactName, text, conversions[0])
	}
	return reply.Artifact(t, ArtifactName, text, conversions)
}

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Currency Agent",
		Description:        "Helps with exchange rates for currencies",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "convert_currency",
			Name:        "Currency Exchange Rates Tool",
			Description: "Helps with exchange values between various currencies",
			Tags:        []string{"currency conversion", "currency exchange"},
			Examples: []string{
				"100 USD in GBP",
				"5 euros in yen and pounds",
				"$20 to EUR yesterday",
				"What is exchange rate between USD and GBP?",
			},
		}},
	}
}
