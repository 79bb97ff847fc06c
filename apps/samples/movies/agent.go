// SPDX-License-Identifier: Apache-2.0

// Package movies is a sample agent that answers questions about films and those who make them: "Who directed The
// Matrix?", "What other movies has Scarlett Johansson been in?", "Recommend a good sci-fi movie." It asks back when a
// title or a name means several, and knows what "it" and "she" refer to.
//
//	model.go      lets a language model answer, with the catalogue as its tools
//	catalogue/    films and people: some 180 bundled films, or The Movie Database
//	rules/        stands in for the language model: a handful of questions in a few forms
package movies

import (
	"context"
	"errors"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/catalogue"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/rules"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the answer.
const ArtifactName = "answer"

// Options configure the agent.
type Options struct {
	Catalogue catalogue.Catalogue // nil: [catalogue.Bundled]
	Model     llm.Model           // answers with the catalogue as its tools; nil: rules do
}

// New returns the movie agent. A message becomes
//
//   - a completed task with one artifact: a text and, when the client accepts application/json, the [Records] that it
//     speaks of;
//   - an input-required task whose status message asks which film or person is meant;
//   - a rejected task when the rules do not understand the message, or a message in which the model declines it; or
//   - a failed task when the catalogue, or the model, cannot be had.
//
// The agent keeps the topic of a conversation as context state, so that an answer may come with or without the id of
// the task that asked.
func New(o Options) agent.Agent {
	if o.Catalogue == nil {
		o.Catalogue = catalogue.Bundled()
	}
	return &critic{catalogue: o.Catalogue, model: o.Model}
}

type critic struct {
	catalogue catalogue.Catalogue
	model     llm.Model
}

type state struct {
	Rules rules.State   `json:"rules,omitzero"`
	Talk  []llm.Message `json:"talk,omitempty"` // with a language model
}

// Records are the data of an answer: what it speaks of, in the shape of TMDB.
type Records struct {
	Movies []catalogue.Movie  `json:"movies,omitempty"` // without cast and crew
	People []catalogue.Person `json:"people,omitempty"` // without films
	Source string             `json:"source"`
}

// Run deals with one message.
func (c *critic) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Looking that up...")); err != nil {
		return err
	}
	var s state
	if _, err := t.LoadContext(ctx, &s); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	var answer *rules.Reply
	var err error
	if c.model != nil {
		answer, err = c.think(ctx, &s, t.Text())
	} else {
		answer, err = rules.Answer(ctx, c.catalogue, &s.Rules, t.Text())
	}
	_, ofModel := errors.AsType[*llm.Error](err)
	switch {
	case err != nil && (ofModel || ctx.Err() != nil):
		return reply.ModelError(ctx, err)
	case err != nil:
		return agent.Public("The film data could not be had. Please try again later.", err)
	}
	if err := t.SaveContext(ctx, s); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	switch {
	case answer.Kind == rules.Asked:
		return t.Ask(a2a.TextPart(answer.Text))
	case answer.Kind == rules.Refused && c.model != nil:
		return t.Reply(a2a.TextPart(answer.Text))
	case answer.Kind == rules.Refused:
		return agent.Reject(a2a.TextPart(answer.Text))
	}
	return c.finish(t, answer)
}

// finish completes the task with text and records, as far as the client accepts them.
func (c *critic) finish(t *agent.Turn, answer *rules.Reply) error {
	records := Records{Source: c.catalogue.Source()}
	for _, m := range answer.Movies {
		m.Credits = nil
		records.Movies = append(records.Movies, m)
	}
	for _, p := range answer.People {
		p.MovieCredits = nil
		records.People = append(records.People, p)
	}
	text := answer.Text + "\nSource: " + c.catalogue.Source()
	if t.Accepts("text/plain") && len(records.Movies)+len(records.People) == 0 {
		return t.Artifact(ArtifactName, a2a.TextPart(text))
	}
	return reply.Artifact(t, ArtifactName, text, records)
}

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Movie Agent",
		Description:        "An agent that can answer questions about movies and actors",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "general_movie_chat",
			Name:        "General Movie Chat",
			Description: "Answers questions about movies, actors and directors, and recommends what to watch",
			Tags:        []string{"movies", "actors", "directors"},
			Examples: []string{
				"Tell me about the plot of Inception.",
				"Recommend a good sci-fi movie.",
				"Who directed The Matrix?",
				"What other movies has Scarlett Johansson been in?",
				"Find action movies starring Keanu Reeves",
				"Which came out first, Jurassic Park or Terminator 2?",
			},
		}},
	}
}
