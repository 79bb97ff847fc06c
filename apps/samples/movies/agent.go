// SPDX-License-Identifier: Apache-2.0

package movies

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the answer.
const ArtifactName = "answer"

// Options configure the agent.
type Options struct {
	Catalogue Catalogue // nil: [Bundled]
	Model     llm.Model // answers with the catalogue as its tools; nil: rules do
	Seed      uint64    // decides what is recommended first; 0 is a seed like any other
}

// New returns the movie agent. A message becomes
//
//   - a completed task with one artifact: a text and, when the client accepts application/json, the [Records] that it
//     speaks of;
//   - an input-required task whose status message asks which film or person is meant;
//   - a completed task whose status message declines what is not about films; or
//   - a failed task when the catalogue, or the model, cannot be had.
//
// What a conversation was about is kept as state of the context, so that an answer may come with or without the id of the
// task that asked.
func New(o Options) agent.Agent {
	if o.Catalogue == nil {
		o.Catalogue = Bundled()
	}
	var e engine = &dialogue{catalogue: o.Catalogue, seed: o.Seed}
	if o.Model != nil {
		e = &modelEngine{catalogue: o.Catalogue, model: o.Model}
	}
	return &critic{engine: e, source: o.Catalogue.Source()}
}

// An engine deals with one message. The state it returns belongs with the outcome.
type engine interface {
	answer(ctx context.Context, s State, text string) (outcome, State, error)
}

// critic implements [agent.Agent].
type critic struct {
	engine engine
	source string
}

// Records are the data of an answer: what it speaks of, in the shape of TMDB.
type Records struct {
	Movies []Movie  `json:"movies,omitempty"` // without cast and crew
	People []Person `json:"people,omitempty"` // without films
	Source string   `json:"source"`
}

// Run deals with one message.
func (c *critic) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Looking that up...")); err != nil {
		return err
	}
	var state State
	if _, err := t.LoadContext(ctx, &state); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	out, state, err := c.engine.answer(ctx, state, t.Text())
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return agent.Public("The film data could not be had. Please try again later.", err)
	}
	if err := t.SaveContext(ctx, state); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	switch out.kind {
	case asked:
		return t.Ask(a2a.TextPart(out.text))
	case declined:
		return t.Reply(a2a.TextPart(out.text))
	}
	parts, err := c.parts(t, out)
	if err != nil {
		return err
	}
	return t.Artifact(ArtifactName, parts...)
}

// parts are the text and the records of an answer, as far as the client accepts them.
func (c *critic) parts(t *agent.Turn, out outcome) ([]a2a.Part, error) {
	text := a2a.TextPart(out.text + "\nSource: " + c.source)
	if !t.Accepts("application/json") {
		return []a2a.Part{text}, nil
	}
	records := Records{Source: c.source}
	for _, m := range append(out.movies, out.listed...) {
		m.Credits = nil
		records.Movies = append(records.Movies, m)
	}
	for _, p := range out.people {
		p.MovieCredits = nil
		records.People = append(records.People, p)
	}
	data, err := a2a.DataPart(records)
	if err != nil {
		return nil, err
	}
	data.MediaType = "application/json"
	if !t.Accepts("text/plain") {
		return []a2a.Part{data}, nil
	}
	if len(records.Movies)+len(records.People) == 0 {
		return []a2a.Part{text}, nil
	}
	return []a2a.Part{text, data}, nil
}
