// SPDX-License-Identifier: Apache-2.0

package files

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/apps/samples/files/table"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// SchemaAnswer is the name of the schema that describes the agent's own form. A client may ask for it by its name.
const SchemaAnswer = "urn:dragoman:schema:files:answer:2"

// Schema is the schema of that name.
//
//go:embed schemas/answer.json
var Schema []byte

type answer struct {
	File      string           `json:"file"`
	Operation table.Operation  `json:"operation"`
	Rows      int              `json:"rows"` // that the conditions let through
	Text      string           `json:"text"`
	Records   []map[string]any `json:"records,omitzero"`

	result *table.Result
}

func newAnswer(file string, o table.Operation, r *table.Result) *answer {
	a := &answer{File: file, Operation: o, Rows: r.Rows, Text: r.Text, result: r}
	for _, cells := range r.Cells {
		record := map[string]any{}
		for i, name := range r.Columns {
			record[name] = cells[i]
		}
		a.Records = append(a.Records, record)
	}
	return a
}

// fit returns the answer as data that fits a schema: what the schema names, or else the agent's own form.
func (a *answer) fit(text jsontext.Value) (jsontext.Value, error) {
	s, err := schema.Compile(text)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	own, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	misfit := s.Check(own)
	if shaped := a.shape(doc, nil); shaped != nil {
		raw, err := json.Marshal(shaped, json.Deterministic(true))
		if err == nil && s.Check(raw) == nil {
			return raw, nil
		}
	}
	if _, ok := errors.AsType[*schema.Violations](misfit); misfit == nil || !ok {
		return own, misfit
	}
	return nil, misfit
}

// shape makes what a schema describes, of one row of the result or, if row is nil, of all of it: lists have the rows,
// objects have what their properties name. It reads plain words of schemas only; fit checks what comes of it.
func (a *answer) shape(node any, row []any) any {
	s, _ := node.(map[string]any)
	whole := row == nil
	if whole && len(a.result.Cells) == 1 {
		row = a.result.Cells[0]
	}
	switch properties, _ := s["properties"].(map[string]any); {
	case s["type"] == "array" && whole:
		list := []any{}
		for _, cells := range a.result.Cells {
			list = append(list, a.shape(s["items"], cells))
		}
		return list
	case properties != nil:
		made := map[string]any{}
		for name, property := range properties {
			if p, _ := property.(map[string]any); whole && p["type"] == "array" {
				made[name] = a.shape(p, nil)
			} else if v := a.named(name, row); v != nil {
				made[name] = v
			}
		}
		if len(made) > 0 {
			return made
		}
	case s["type"] == "string" && whole:
		return a.Text
	case (s["type"] == "string" || s["type"] == "number" || s["type"] == "integer") && len(row) > 0:
		return row[0]
	}
	return nil
}

// named finds what goes by a name: a column of the row, or a fact about the whole answer. A computed column such as
// "mean price" is also called "mean" and "value".
func (a *answer) named(name string, row []any) any {
	name = plain(name)
	for i, v := range row {
		column := a.result.Columns[i]
		computed := strings.HasPrefix(column, string(a.Operation)) && (name == string(a.Operation) || name == "value")
		if computed || name == plain(column) {
			return v
		}
	}
	return map[string]any{"file": a.File, "rows": a.Rows, "count": a.Rows, "text": a.Text}[name]
}

// plain leaves out of a name what differs between styles: average_price, averagePrice, Average price.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}
