// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries an answer.
const ArtifactName = "answer"

// Options configure the agent.
type Options struct {
	// Model reads questions about tables, and answers those about texts that are not for counting. Nil: rules do, which
	// need none.
	Model llm.Model
	// Fetch fetches files and schemas that are sent as URLs. Nil: one that fetches nothing but "data:" URLs.
	Fetch *files.Fetcher
	// MaxBytes of a file. 0: 4 MiB, because a conversation keeps its file among its state.
	MaxBytes int64
}

// New returns the agent. A message becomes
//
//   - a completed task with one artifact: a text and, when the client accepts application/json, data ([SchemaAnswer],
//     [SchemaText]); only data when the client wants JSON (agent.Wanted), in the form of its schema if it has one; a CSV
//     file when it wants that;
//   - an input-required task whose status message asks for the file, or for what the question leaves open; or
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

// reader implements [agent.Agent].
type reader struct{ options Options }

// state is what a conversation keeps.
type state struct {
	Source *source   `json:"source,omitzero"`
	Open   *Question `json:"open,omitzero"` // what was asked back about
}

// Run deals with one message.
func (a *reader) Run(ctx context.Context, t *agent.Turn) error {
	if t.Message() == nil {
		return nil
	}
	var s state
	if _, err := t.LoadContext(ctx, &s); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	question := questionOf(t.Message())
	answer, s, err := a.answer(ctx, t, question, s)
	if open, ok := errors.AsType[*unclear](err); ok {
		s.Open = open.open
		if err := t.SaveContext(ctx, s); err != nil {
			return fmt.Errorf("save the conversation: %w", err)
		}
		return t.Ask(a2a.TextPart(open.text))
	}
	if no, ok := errors.AsType[excuse](err); ok {
		return t.Ask(a2a.TextPart(no.Error()))
	}
	if err != nil {
		return err
	}
	return a.show(ctx, t, answer)
}

// answer finds the file and answers the question, and returns what the conversation is from then on. Errors: *unclear, an
// excuse, and what is nobody's fault.
func (a *reader) answer(ctx context.Context, t *agent.Turn, question string, s state) (*Answer, state, error) {
	fresh, err := a.find(ctx, t.Message())
	if err != nil {
		return nil, s, err
	}
	if fresh != nil {
		s = state{Source: fresh}
		if err := t.Working(a2a.TextPart("Reading " + fresh.Name + "...")); err != nil {
			return nil, s, err
		}
	}
	if s.Source == nil {
		return nil, s, excuse("Which file? Send a CSV, JSON or text file with your question; it is kept for the questions that follow.")
	}
	answer, err := a.ask(ctx, &s, question, fresh != nil)
	if err != nil {
		return nil, s, err
	}
	if fresh != nil || s.Open != nil {
		s.Open = nil
		if err := t.SaveContext(ctx, s); err != nil {
			return nil, s, fmt.Errorf("save the conversation: %w", err)
		}
	}
	return answer, s, nil
}

// ask answers a question about the file of a conversation. A new file without a question is described.
func (a *reader) ask(ctx context.Context, s *state, question string, fresh bool) (*Answer, error) {
	if s.Source.Format == formatText {
		return a.askText(ctx, s.Source, question, fresh)
	}
	t, err := s.Source.table()
	if err != nil {
		return nil, excuse(fmt.Sprintf("%s cannot be used: %v.", s.Source.Name, err))
	}
	q, err := a.question(ctx, s, question, fresh, t)
	if err != nil {
		return nil, err
	}
	return Compute(q, t).answer(s.Source.Name), nil
}

// askText counts what can be counted, also where there is a model: it cannot count.
func (a *reader) askText(ctx context.Context, s *source, question string, fresh bool) (*Answer, error) {
	d := ReadDocument(s.Text)
	if question == "" && !fresh {
		question = "?"
	}
	answer, err := d.AskText(question, s.Name)
	if _, other := errors.AsType[*unclear](err); other && a.options.Model != nil {
		return modelEngine{a.options.Model}.readText(ctx, question, s.Name, s.Text, d)
	}
	return answer, err
}

func (a *reader) question(ctx context.Context, s *state, text string, fresh bool, t *Table) (Question, error) {
	if text == "" && fresh {
		return Question{Operation: Statistics}, nil
	}
	if s.Open != nil {
		if q, ok := s.Open.answered(text, t); ok {
			return complete(q, t)
		}
	}
	if a.options.Model != nil {
		return modelEngine{a.options.Model}.readTable(ctx, text, t)
	}
	return ParseQuestion(text, t)
}

// table reads the file as a table. One that is said to be CSV and has no delimiter has one column.
func (s *source) table() (*Table, error) {
	if s.Format == formatJSON {
		return ParseJSON([]byte(s.Text))
	}
	t, err := ParseCSV(s.Text)
	if errors.Is(err, errNoTable) {
		records, err := readRecords(s.Text, '\t')
		if err != nil || len(records) == 0 {
			return nil, errNoTable
		}
		names, rows := header(records)
		return newTable(names, rows, false), nil
	}
	return t, err
}

// show gives the answer in the form that the client wants, or accepts.
func (a *reader) show(ctx context.Context, t *agent.Turn, answer *Answer) error {
	want := t.Wanted()
	switch {
	case want.JSON():
		return a.showData(ctx, t, answer, want)
	case agent.MatchMode("text/csv", want.MediaType), !t.Accepts("text/plain") && !t.Accepts("application/json") && t.Accepts("text/csv"):
		return t.Artifact(ArtifactName, a2a.RawPart(answer.CSV, "text/csv; charset=utf-8", "answer.csv"))
	}
	text := a2a.TextPart(answer.Text)
	if !t.Accepts("application/json") {
		return t.Artifact(ArtifactName, text)
	}
	data, err := agent.Wanted{SchemaRef: answer.schemaName()}.Part(answer.Data)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if !t.Accepts("text/plain") {
		return t.Artifact(ArtifactName, data)
	}
	return t.Artifact(ArtifactName, text, data)
}

// schemaName is that of the agent's own form.
func (a *Answer) schemaName() string {
	if _, isText := a.Data.(textData); isText {
		return SchemaText
	}
	return SchemaAnswer
}

// showData gives the answer as data alone, in the form of the schema that the client has named or sent.
func (a *reader) showData(ctx context.Context, t *agent.Turn, answer *Answer, want agent.Wanted) error {
	data := answer.Data
	schema, err := a.schema(ctx, want)
	if err != nil {
		return err
	}
	if schema == nil {
		want.SchemaRef = answer.schemaName()
	} else if data, err = fit(answer, schema); err != nil {
		return err
	}
	part, err := want.Part(data)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return t.Artifact(ArtifactName, part)
}

// schema returns the schema that the client wants its answer to fit; nil when it wants any JSON.
func (a *reader) schema(ctx context.Context, want agent.Wanted) (jsontext.Value, error) {
	if want.Schema != nil || want.SchemaRef == "" {
		return want.Schema, nil
	}
	if own, ok := Schema(want.SchemaRef); ok {
		return own, nil
	}
	got, err := a.options.Fetch.Fetch(ctx, want.SchemaRef)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, agent.Public(fmt.Sprintf("The schema %s is not one that this agent knows or may fetch. Send the schema itself, or name one of %s and %s.",
			clip(want.SchemaRef, 200), SchemaAnswer, SchemaText), err)
	}
	return got.Content, nil
}

// fit returns the answer in the form of a schema. Its error tells the client what the answer is all the same.
func fit(answer *Answer, schema jsontext.Value) (any, error) {
	data, err := answer.Fit(schema)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "schema: ")
		return nil, agent.Public(fmt.Sprintf("The answer cannot be given in the form of the schema (%s). In words: %s", clip(why, 1000), clip(answer.Text, 2000)), nil) // it is of the client, not for the log
	}
	return data, nil
}
