// SPDX-License-Identifier: Apache-2.0

// Package files is a sample agent that reads a file and answers questions about it: "average price by city", "how many
// rows". A file is a table (CSV) or a text, and comes with the message: as bytes or as a URL that the
// agent's operator allows. Later messages of the conversation mean the same file.
//
// A client that wants its answer in a form of its own sends a JSON Schema, by the hints that agent.Wanted reads. The
// answer is then data that fits the schema, or the task fails and says why it cannot be.
//
//	source.go  the file is found: in the message, behind a URL, or in the conversation
//	form.go    an answer as data, in the agent's form or in the client's
//	model.go   a language model reads questions
//	rules/     what reads a few questions without one
//	table/     tables are read, and answers computed
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/files/rules"
	"github.com/dragoman-a2a/dragoman/apps/samples/files/table"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries an answer.
const ArtifactName = "answer"

// Options configure the agent.
type Options struct {
	// Model reads questions about tables, and answers those about texts that are not for counting. Nil: package rules
	// reads a few kinds of questions, and refuses the others.
	Model llm.Model
	// Fetch fetches files that are sent as URLs. Nil: one that fetches nothing but "data:" URLs.
	Fetch *files.Fetcher
	// MaxBytes of a file. 0: 4 MiB, because a conversation keeps its file among its state.
	MaxBytes int64
}

// New returns the agent. A message becomes
//
//   - a completed task with one artifact: a text and, when the client accepts application/json, data ([SchemaAnswer]);
//     only data when the client wants JSON (agent.Wanted), in the form of its schema if it has one;
//   - an input-required task that asks for the file, or for what a language model finds unclear;
//   - a rejected task when there is no language model, and package rules cannot read the question; or
//   - a failed task when the answer cannot have the form that the client wants.
//
// The file of a conversation is kept as state of the context.
func New(o Options) agent.Agent {
	if o.Fetch == nil {
		o.Fetch, _ = files.NewFetcher(nil) // whose zero options are never wrong
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 4<<20)
	return &reader{options: o}
}

type reader struct{ options Options }

type state struct {
	Source *source `json:"source,omitzero"`
}

// An unclear question, or file, is one to ask back about; the text does.
type unclear string

func (u unclear) Error() string { return string(u) }

// Run deals with one message.
func (a *reader) Run(ctx context.Context, t *agent.Turn) error {
	if t.Message() == nil {
		return nil
	}
	answer, err := a.answer(ctx, t)
	if why, ok := errors.AsType[unclear](err); ok {
		return t.Ask(a2a.TextPart(why.Error()))
	}
	if err != nil {
		return err
	}
	return show(t, answer)
}

// answer finds the file and answers the question about it. A new file without a question is described.
func (a *reader) answer(ctx context.Context, t *agent.Turn) (*answer, error) {
	var s state
	if _, err := t.LoadContext(ctx, &s); err != nil {
		return nil, fmt.Errorf("load the conversation: %w", err)
	}
	fresh, err := a.find(ctx, t.Message())
	if err != nil {
		return nil, err
	}
	if fresh != nil {
		if err := t.Working(a2a.TextPart("Reading " + fresh.Name + "...")); err != nil {
			return nil, err
		}
		s.Source = fresh
		if err := t.SaveContext(ctx, s); err != nil {
			return nil, fmt.Errorf("save the conversation: %w", err)
		}
	}
	if s.Source == nil {
		return nil, unclear("Which file? Send a CSV or text file with your question; it is kept for the questions " +
			"that follow.")
	}
	question := questionOf(t.Message())
	if s.Source.Format == formatText {
		return a.askText(ctx, s.Source, question)
	}
	return a.askTable(ctx, s.Source, question)
}

// askText counts what can be counted, also where there is a model: it cannot count.
func (a *reader) askText(ctx context.Context, s *source, question string) (*answer, error) {
	switch {
	case rules.Counts(question):
		return s.counts(), nil
	case a.options.Model != nil:
		return modelEngine{a.options.Model}.readText(ctx, question, s)
	}
	return nil, agent.Reject(a2a.TextPart(rules.Refusal))
}

func (a *reader) askTable(ctx context.Context, s *source, question string) (*answer, error) {
	t, err := table.ParseCSV(s.Text)
	if err != nil {
		return nil, unclear(fmt.Sprintf("%s cannot be used: %v.", s.Name, err))
	}
	q, ok := rules.Read(question, s.Name, t)
	if a.options.Model != nil && question != "" {
		if q, err = (modelEngine{a.options.Model}).readTable(ctx, question, t); err != nil {
			return nil, err
		}
	} else if !ok {
		return nil, agent.Reject(a2a.TextPart(rules.Refusal))
	}
	return newAnswer(s.Name, q.Operation, t.Compute(q)), nil
}

// show gives the answer in the form that the client wants, or accepts.
func show(t *agent.Turn, answer *answer) error {
	if want := t.Wanted(); want.JSON() {
		return showData(t, answer, want)
	}
	if !t.Accepts("application/json") {
		return t.Artifact(ArtifactName, a2a.TextPart(answer.Text))
	}
	data, err := agent.Wanted{SchemaRef: SchemaAnswer}.Part(answer)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if !t.Accepts("text/plain") {
		return t.Artifact(ArtifactName, data)
	}
	return t.Artifact(ArtifactName, a2a.TextPart(answer.Text), data)
}

// showData gives the answer as data alone, in the form of the schema that the client has named or sent.
func showData(t *agent.Turn, answer *answer, want agent.Wanted) error {
	var data any = answer
	var err error
	switch {
	case want.Schema != nil:
		if data, err = answer.fit(want.Schema); err != nil {
			why := strings.TrimPrefix(err.Error(), "schema: ") // it is of the client, not for the log
			return agent.Public(fmt.Sprintf("The answer cannot be given in the form of the schema (%s). In words: %s",
				clip(why, 1000), clip(answer.Text, 2000)), nil)
		}
	case want.SchemaRef != "" && want.SchemaRef != SchemaAnswer:
		return agent.Public(fmt.Sprintf("The schema %s is not one that this agent knows. Send the schema itself, or "+
			"name %s.",
			clip(want.SchemaRef, 200), SchemaAnswer), nil)
	default:
		want.SchemaRef = SchemaAnswer
	}
	part, err := want.Part(data)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return t.Artifact(ArtifactName, part)
}
