// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Result is what a question came to. What the operation does not have is zero.
type Result struct {
	Question Question
	Table    *Table
	Rows     []int // that the conditions let through

	Value     any       // of one value: a number, a text, nil when there is none
	Of        string    // of Min and Max: what the row that has it says in the column asked for
	Groups    []Group   // of By, and of Values
	Summaries []Summary // of Statistics, Columns and Missing
	Shown     []int     // of Show: the rows
}

// A Group is the result for the rows with one value of a column.
type Group struct {
	Key   string
	Value any
	Rows  int
}

const (
	shownRows   = 10
	shownValues = 20
)

// Compute answers a question that ParseQuestion made.
func Compute(q Question, t *Table) *Result {
	r := &Result{Question: q, Table: t, Rows: filter(t, q.Where)}
	c := t.column(q.Column)
	switch q.Operation {
	case Statistics, Columns, Missing:
		r.summarize(c)
	case Show:
		r.Shown = order(r.Rows, c, q.Order)
		r.Shown = r.Shown[:min(len(r.Shown), cmp.Or(q.Limit, shownRows))]
	case Values:
		r.Groups = groupBy(c, r.Rows, func(rows []int) any { return len(rows) })
		slices.SortStableFunc(r.Groups, func(a, b Group) int { return b.Rows - a.Rows })
		r.Groups = r.Groups[:min(len(r.Groups), cmp.Or(q.Limit, shownValues))]
	default:
		if by := t.column(q.By); by != nil {
			r.Groups = groupBy(by, r.Rows, func(rows []int) any { v, _ := value(q.Operation, c, rows); return v })
			return r
		}
		var at int
		if r.Value, at = value(q.Operation, c, r.Rows); at >= 0 && q.Of != "" {
			r.Of = t.column(q.Of).Cells[at]
		}
	}
	return r
}

func (r *Result) summarize(c *Column) {
	for i := range r.Table.Columns {
		if one := &r.Table.Columns[i]; c == nil || c == one {
			r.Summaries = append(r.Summaries, summarize(one, r.Rows))
		}
	}
	if r.Question.Operation == Missing {
		n := 0
		for _, s := range r.Summaries {
			n += s.Missing
		}
		r.Value = float64(n)
	}
}

// value computes one value, and tells which row has it; -1 where that means nothing.
func value(o Operation, c *Column, rows []int) (v any, at int) {
	switch o {
	case Rows:
		return float64(len(rows)), -1
	case Distinct:
		return float64(summarize(c, rows).Distinct), -1
	case Min, Max:
		return extreme(o, c, rows)
	}
	values := numbersOf(c, rows)
	if len(values) == 0 {
		return nil, -1
	}
	switch o {
	case Mean:
		return tidy(total(values) / float64(len(values))), -1
	case Sum:
		return tidy(total(values)), -1
	case Median:
		return tidy(middle(values)), -1
	}
	return nil, -1
}

// extreme finds the least or the greatest value, and the first row that has it.
func extreme(o Operation, c *Column, rows []int) (any, int) {
	at := -1
	for _, r := range rows {
		if !isMissing(c.Cells[r]) && (at < 0 || less(c, at, r, o)) {
			at = r
		}
	}
	switch {
	case at < 0:
		return nil, -1
	case c.Kind.numeric():
		return c.Numbers[at], at
	}
	return c.Cells[at], at
}

// less reports whether row b comes before row a in the order that begins with the extreme.
func less(c *Column, a, b int, o Operation) bool {
	if o == Max {
		a, b = b, a
	}
	if c.Kind.numeric() {
		return c.Numbers[b] < c.Numbers[a]
	}
	return c.Cells[b] < c.Cells[a]
}

// order sorts rows by a column, those without a value last.
func order(rows []int, c *Column, o Operation) []int {
	if c == nil || o == "" {
		return rows
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b int) int {
		if missing := isMissing(c.Cells[a]); missing != isMissing(c.Cells[b]) {
			return map[bool]int{true: 1, false: -1}[missing]
		} else if missing {
			return 0
		}
		switch {
		case less(c, b, a, o):
			return -1
		case less(c, a, b, o):
			return 1
		}
		return 0
	})
	return sorted
}

// groupBy computes a value for the rows of each value of a column, in the order of these.
func groupBy(by *Column, rows []int, f func([]int) any) []Group {
	members := map[string][]int{}
	for _, r := range rows {
		members[by.Cells[r]] = append(members[by.Cells[r]], r)
	}
	var groups []Group
	for key, rows := range members {
		groups = append(groups, Group{Key: key, Value: f(rows), Rows: len(rows)})
	}
	slices.SortFunc(groups, func(a, b Group) int {
		if by.Kind.numeric() && !isMissing(a.Key) && !isMissing(b.Key) {
			if d := cmp.Compare(by.Numbers[members[a.Key][0]], by.Numbers[members[b.Key][0]]); d != 0 {
				return d
			}
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return groups
}

// filter returns the rows that all conditions hold for. Several values that one column is to have are alternatives.
func filter(t *Table, where []Condition) []int {
	equal := map[string][]Condition{}
	var others []Condition
	for _, c := range where {
		if c.Is == "=" {
			equal[c.Column] = append(equal[c.Column], c)
		} else {
			others = append(others, c)
		}
	}
	rows := make([]int, 0, t.Rows)
next:
	for r := range t.Rows {
		if slices.ContainsFunc(others, func(c Condition) bool { return !c.holds(t, r) }) {
			continue
		}
		for _, list := range equal {
			if !slices.ContainsFunc(list, func(c Condition) bool { return c.holds(t, r) }) {
				continue next
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// holds compares as the kind of the column does. A missing value is unequal to all others and no more than that.
func (c Condition) holds(t *Table, row int) bool {
	col := t.column(c.Column)
	if col == nil {
		return false
	}
	cell := col.Cells[row]
	if isMissing(cell) {
		return c.Is == "!="
	}
	var d int
	if n, ok := parseNumber(c.Value, false); ok && col.Kind.numeric() {
		d = cmp.Compare(col.Numbers[row], n)
		if math.IsNaN(col.Numbers[row]) {
			return false
		}
	} else {
		d = cmp.Compare(strings.ToLower(cell), strings.ToLower(c.Value))
	}
	switch c.Is {
	case "=":
		return d == 0
	case "!=":
		return d != 0
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	}
	return false
}
