// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model that reads questions about files. It knows a few kinds of questions, and
// refuses each one that has a word it does not know: an answer to another question is worse than none.
package rules

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/apps/samples/files/table"
)

// Refusal is the answer to a question that cannot be read.
const Refusal = `Offline this agent answers only questions such as "statistics", "how many rows",` +
	` "average price by city", ` +
	`"highest price in Oslo", "top 3 rows by price" and "list rows"; start it with --llm to ask anything else.`

// operations are the words that name one.
var operations = map[string]table.Operation{
	"statistics": table.Statistics, "summary": table.Statistics, "describe": table.Statistics,
	"analyze": table.Statistics, "overview": table.Statistics, "average": table.Mean, "mean": table.Mean,
	"sum": table.Sum, "total": table.Sum, "lowest": table.Min, "minimum": table.Min, "min": table.Min,
	"highest": table.Max, "maximum": table.Max, "max": table.Max, "median": table.Median,
	"show": table.Show, "list": table.Show, "top": table.Show, "many": table.Rows,
}

var (
	fillers = strings.Fields("a an the of in for is are there what how this file please me my it its has have does " +
		"by per row rows lines where attached report generate high level and")
	counting = strings.Fields("words characters long many statistics summary describe analyze overview text")
)

func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
	})
}

// Counts reports whether a question about a text asks for its length alone. The empty question does.
func Counts(text string) bool {
	words := tokens(text)
	counts := func(w string) bool { return slices.Contains(counting, w) }
	other := func(w string) bool { return !counts(w) && !slices.Contains(fillers, w) }
	return text == "" || slices.ContainsFunc(words, counts) && !slices.ContainsFunc(words, other)
}

// Read reads a question about a table in a file of some name; the empty question asks for statistics. ok is false if it
// cannot be read, or cannot be computed.
func Read(text, file string, t *table.Table) (q table.Question, ok bool) {
	if text == "" {
		return table.Question{Operation: table.Statistics}, true
	}
	about := tokens(strings.TrimSuffix(file, path.Ext(file)))
	words := tokens(text)
	into := &q.Column
	for len(words) > 0 {
		w := words[0]
		name, length := columnAt(words, t)
		operation := operations[w]
		limit, err := strconv.Atoi(w)
		switch {
		case name != "" && *into == "":
			*into, into = name, &q.Column
		case operation == table.Show && q.Operation == table.Show: // "show me a list"
		case operation != "" && q.Operation == "":
			if q.Operation = operation; w == "top" {
				q.Order = table.Max
			}
		case w == "by" || w == "per":
			into = &q.By
		case err == nil && limit > 0 && q.Order != "" && q.Limit == 0:
			q.Limit = min(limit, 100)
		case slices.Contains(fillers, w) || slices.Contains(about, w):
		default:
			var condition table.Condition
			condition, length = valueAt(words, t)
			known := func(c table.Condition) bool { return c.Column == condition.Column }
			if length == 0 || slices.ContainsFunc(q.Where, known) {
				return q, false
			}
			q.Where = append(q.Where, condition)
		}
		words = words[max(length, 1):]
	}
	if q.Operation == table.Show {
		q.Column, q.By = q.By, q.Column // "top 3 rows by price"
	}
	odd := q.Operation == table.Rows && q.Column != "" ||
		q.Operation == table.Show && (q.By != "" || (q.Column == "") != (q.Order == ""))
	return q, !odd && t.Check(q) == nil
}

// columnAt returns the column whose name the words begin with, also in the plural, and how many words that are.
func columnAt(words []string, t *table.Table) (name string, length int) {
	for i := range t.Columns {
		parts := tokens(t.Columns[i].Name)
		if n := len(parts); n > length && n <= len(words) && slices.Equal(parts[:n-1], words[:n-1]) &&
			(words[n-1] == parts[n-1] || words[n-1] == parts[n-1]+"s") {
			name, length = t.Columns[i].Name, n
		}
	}
	return name, length
}

// valueAt returns the condition that a column of texts has the value with which the words begin.
func valueAt(words []string, t *table.Table) (table.Condition, int) {
	for n := min(len(words), 4); n > 0; n-- {
		value := strings.Join(words[:n], " ")
		for i := range t.Columns {
			is := func(cell string) bool { return strings.EqualFold(cell, value) }
			if c := &t.Columns[i]; c.Numbers == nil && slices.ContainsFunc(c.Cells, is) {
				return table.Condition{Column: c.Name, Is: "=", Value: value}, n
			}
		}
	}
	return table.Condition{}, 0
}
