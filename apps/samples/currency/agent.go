// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the result.
const ArtifactName = "conversion_result"

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
//   - a completed task whose status message declines what is not about currencies; or
//   - a failed task when the rates, or the model, cannot be had.
//
// What a conversation has said is kept as state of the context, so that an answer may come with or without the id of
// the task that asked.
func New(o Options) agent.Agent {
	if o.Rates == nil {
		o.Rates = Snapshot{}
	}
	dialogue := &Dialogue{Rates: o.Rates, Now: o.Now}
	if o.Model != nil {
		return &converter{&modelEngine{dialogue: dialogue, model: o.Model}}
	}
	return &converter{dialogue}
}

// An engine deals with one message, as [Dialogue.Answer] does.
type engine interface {
	Answer(ctx context.Context, s State, text string, progress func(string) error) (Outcome, State, error)
}

// converter implements [agent.Agent].
type converter struct{ engine engine }

// Run deals with one message.
func (c *converter) Run(ctx context.Context, t *agent.Turn) error {
	var state State
	if _, err := t.LoadContext(ctx, &state); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	progress := func(text string) error { return t.Working(a2a.TextPart(text)) }
	outcome, state, err := c.engine.Answer(ctx, state, t.Text(), progress)
	var fault *llm.Error
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &fault):
		return agent.Public("The language model could not be had. Please try again later.", err)
	case err != nil:
		return agent.Public("The exchange rates could not be had. Please try again later.", err)
	case outcome.Kind == KindRefuse:
		return t.Complete(a2a.TextPart(outcome.Text)) // a task: clients that asked one would miss an answer without
	case outcome.Kind == KindFail:
		return agent.Public(outcome.Text, nil)
	}
	if err := t.SaveContext(ctx, state); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	if outcome.Kind == KindAsk {
		return t.Ask(a2a.TextPart(outcome.Text))
	}
	parts, err := resultParts(t, outcome)
	if err != nil {
		return err
	}
	return t.Artifact(ArtifactName, parts...)
}

// resultParts are the text and the data of a result, as far as the client accepts them.
func resultParts(t *agent.Turn, outcome Outcome) ([]a2a.Part, error) {
	if !t.Accepts("application/json") {
		return []a2a.Part{a2a.TextPart(outcome.Text)}, nil
	}
	var value any = outcome.Conversions
	if len(outcome.Conversions) == 1 {
		value = outcome.Conversions[0]
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	data := a2a.Part{Content: a2a.Data(raw), MediaType: "application/json"}
	if !t.Accepts("text/plain") {
		return []a2a.Part{data}, nil
	}
	return []a2a.Part{a2a.TextPart(outcome.Text), data}, nil
}
