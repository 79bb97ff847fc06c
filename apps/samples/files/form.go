// SPDX-License-Identifier: Apache-2.0

package files

import (
	"embed"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// An Answer is what the agent says, in each form it may be wanted in.
type Answer struct {
	Text string
	Data any // in the agent's own form, see the schemas
	CSV  []byte
	have *bag // the same by the names that schemas of others may have for it
}

// answerData is the agent's own form of an answer about a table; schemas/answer.json describes it.
type answerData struct {
	File      string           `json:"file"`
	Operation Operation        `json:"operation"`
	Column    string           `json:"column,omitzero"`
	By        string           `json:"by,omitzero"`
	Where     []Condition      `json:"where,omitzero"`
	Rows      int              `json:"rows"` // that the conditions let through
	Value     any              `json:"value,omitzero"`
	Of        string           `json:"of,omitzero"`
	Groups    []groupData      `json:"groups,omitzero"`
	Columns   []Summary        `json:"columns,omitzero"`
	Records   []map[string]any `json:"records,omitzero"`
}

type groupData struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Rows  int    `json:"rows"`
}

// textData is the same about a text.
type textData struct {
	File       string      `json:"file"`
	Operation  Operation   `json:"operation"`
	Word       string      `json:"word,omitzero"`
	Value      any         `json:"value,omitzero"`
	Lines      int         `json:"lines"`
	Words      int         `json:"words"`
	Characters int         `json:"characters"`
	Distinct   int         `json:"distinctWords"`
	Longest    string      `json:"longestLine"`
	Top        []WordCount `json:"topWords,omitzero"`
}

// answer writes a result in all forms.
func (r *Result) answer(file string) *Answer {
	q := r.Question
	data := answerData{
		File: file, Operation: q.Operation, Column: q.Column, By: q.By, Where: q.Where, Rows: len(r.Rows), Value: r.Value, Of: r.Of, Columns: r.Summaries,
	}
	for _, g := range r.Groups {
		data.Groups = append(data.Groups, groupData(g))
	}
	for _, row := range r.Shown {
		data.Records = append(data.Records, r.Table.record(row))
	}
	a := &Answer{Text: r.Say(), Data: data, CSV: r.CSV()}
	a.have = r.bag(file, a.Text)
	return a
}

// record returns a row with its values as JSON has them.
func (t *Table) record(row int) map[string]any {
	record := map[string]any{}
	for i := range t.Columns {
		record[t.Columns[i].Name] = t.Columns[i].value(row)
	}
	return record
}

func (c *Column) value(row int) any {
	switch cell := c.Cells[row]; {
	case isMissing(cell):
		return nil
	case c.Kind.numeric():
		return c.Numbers[row]
	case c.Kind == Boolean:
		return cell[0] == 't' || cell[0] == 'T' || cell[0] == 'y' || cell[0] == 'Y'
	default:
		return cell
	}
}

// The names of the schemas that describe the agent's own forms. A client may name one as the form it wants.
const (
	SchemaAnswer = "urn:dragoman:schema:files:answer:1"
	SchemaText   = "urn:dragoman:schema:files:text:1"
)

//go:embed schemas
var schemaFiles embed.FS

// Schema returns the text of one of the agent's own schemas by its name; false when there is none.
func Schema(name string) (jsontext.Value, bool) {
	file, ok := map[string]string{SchemaAnswer: "answer", SchemaText: "text"}[name]
	if !ok {
		return nil, false
	}
	text, err := schemaFiles.ReadFile("schemas/" + file + ".json")
	return text, err == nil
}

// Fit returns the answer as data that fits a schema. Error: *schema.Violations with what is wrong with the agent's own
// form, when no form fits; others about the schema.
func (a *Answer) Fit(text jsontext.Value) (jsontext.Value, error) {
	s, err := schema.Compile(text)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var first error
	for _, form := range a.forms(doc) {
		raw, err := json.Marshal(form, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the answer: %w", err)
		}
		err = s.Check(raw)
		if err == nil {
			return raw, nil
		}
		if _, misfit := errors.AsType[*schema.Violations](err); !misfit {
			return nil, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// forms returns what is tried, the best first: all that the schema names, then the agent's own form, then as much of
// what the schema names as there is.
func (a *Answer) forms(doc any) []any {
	m := maker{root: doc}
	shaped, whole := m.make(doc, a.have, 0)
	if whole {
		return []any{shaped, a.Data}
	}
	if shaped == nil {
		return []any{a.Data}
	}
	return []any{a.Data, shaped}
}
