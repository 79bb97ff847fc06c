// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Operation is what a question asks for.
type Operation string

// The operations.
const (
	Statistics Operation = "statistics"
	Rows       Operation = "rows" // how many
	Mean       Operation = "mean"
	Sum        Operation = "sum"
	Min        Operation = "min"
	Max        Operation = "max"
	Median     Operation = "median"
	Show       Operation = "show" // rows as they are
)

// Operations are all there are.
var Operations = []Operation{Statistics, Rows, Mean, Sum, Min, Max, Median, Show}

var labels = map[Operation]string{Rows: "number of rows", Mean: "average", Sum: "sum of", Min: "lowest", Max: "highest",
	Median: "median"}

// A Question is what there is to do with a table. Columns are named.
type Question struct {
	Operation Operation   `json:"operation"`
	Column    string      `json:"column,omitzero"` // what it is about
	By        string      `json:"by,omitzero"`     // a result for each value of this column
	Order     Operation   `json:"order,omitzero"`  // of Show: Max or Min of the column first
	Where     []Condition `json:"where,omitzero"`  // all of them must hold
	Limit     int         `json:"limit,omitzero"`  // of Show
}

// A Condition is one on the rows that count.
type Condition struct {
	Column string `json:"column"`
	Is     string `json:"is"` // = != < <= > >=
	Value  string `json:"value"`
}

// Check says why a question cannot be computed.
func (t *Table) Check(q Question) error {
	if !slices.Contains(Operations, q.Operation) {
		return fmt.Errorf("there is no operation %q", q.Operation)
	}
	names := []string{q.Column, q.By}
	for _, c := range q.Where {
		names = append(names, c.Column)
	}
	for _, name := range names {
		if name != "" && t.Column(name) == nil {
			return fmt.Errorf("there is no column %q", name)
		}
	}
	calculates := slices.Contains([]Operation{Mean, Sum, Median}, q.Operation)
	switch c := t.Column(q.Column); {
	case c == nil && (calculates || q.Operation == Min || q.Operation == Max):
		return errors.New("the question names no column")
	case calculates && c.Numbers == nil:
		return fmt.Errorf("%s has no numbers", q.Column)
	}
	return nil
}

// A Result is the answer to a question, as a table of its own and in words.
type Result struct {
	Text    string
	Columns []string
	Cells   [][]any // numbers, texts, and nil where there is no value
	Rows    int     // of the table, that the conditions let through
}

// Compute answers a question that Check has nothing against.
func (t *Table) Compute(q Question) *Result {
	rows := t.filter(q.Where)
	r := &Result{Rows: len(rows)}
	where := ""
	for i, c := range q.Where {
		where += []string{" where ", " and "}[min(i, 1)] + c.Column + " " + c.Is + " " + c.Value
	}
	name, label := strings.TrimSpace(string(q.Operation)+" "+q.Column),
		strings.TrimSpace(labels[q.Operation]+" "+q.Column)
	switch {
	case q.Operation == Statistics:
		r.statistics(t, q.Column, rows)
		r.Text = fmt.Sprintf("Rows%s: %d. Columns: %d.", where, len(rows), len(t.Columns)) + r.lines()
	case q.Operation == Show:
		r.show(t, q, rows)
		r.Text = fmt.Sprintf("%d of %d rows%s:", len(r.Cells), len(rows), where) + r.lines()
	case q.By != "":
		r.group(t.Column(q.By), rows, name, func(rows []int) any { return t.value(q, rows) })
		r.Text = fmt.Sprintf("The %s by %s%s:", label, q.By, where) + r.lines()
	case q.Operation == Rows:
		r.Columns, r.Cells = []string{name}, [][]any{{float64(len(rows))}}
		r.Text = fmt.Sprintf("There are %d rows%s.", len(rows), where)
		if len(rows) == 1 {
			r.Text = "There is 1 row" + where + "."
		}
	default:
		v := t.value(q, rows)
		r.Columns, r.Cells = []string{name}, [][]any{{v}}
		r.Text = fmt.Sprintf("The %s%s is %s.", label, where, Word(v))
	}
	return r
}

// lines says the first 50 rows, each in a line; the data has all of them.
func (r *Result) lines() string {
	var b strings.Builder
	for _, row := range r.Cells[:min(len(r.Cells), 50)] {
		var cells []string
		for i, v := range row {
			if v != nil {
				cells = append(cells, r.Columns[i]+": "+Word(v))
			}
		}
		b.WriteString("\n" + strings.Join(cells, ", "))
	}
	return b.String()
}

// Word writes a value.
func Word(v any) string {
	switch v := v.(type) {
	case nil:
		return "without a value"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func (r *Result) statistics(t *Table, only string, rows []int) {
	r.Columns = []string{"name", "count", "missing", "distinct", "min", "max", "mean", "median", "sum"}
	for i := range t.Columns {
		c := &t.Columns[i]
		if only != "" && c.Name != only {
			continue
		}
		distinct := map[string]bool{}
		present := slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return c.Cells[row] == "" })
		for _, row := range present {
			distinct[c.Cells[row]] = true
		}
		line := []any{c.Name, float64(len(present)), float64(len(rows) - len(present)), float64(len(distinct))}
		for _, o := range []Operation{Min, Max, Mean, Median, Sum} {
			line = append(line, t.value(Question{Operation: o, Column: c.Name}, rows))
		}
		r.Cells = append(r.Cells, line)
	}
}

func (r *Result) show(t *Table, q Question, rows []int) {
	if c := t.Column(q.Column); c != nil && q.Order != "" {
		slices.SortStableFunc(rows, func(a, b int) int { return c.compare(a, b, q.Order) })
	}
	r.Columns = t.Names()
	for _, row := range rows[:min(len(rows), cmp.Or(q.Limit, 100))] {
		var cells []any
		for i := range t.Columns {
			cells = append(cells, t.Columns[i].value(row))
		}
		r.Cells = append(r.Cells, cells)
	}
}

// compare orders rows with the extreme first, and those without a value last.
func (c *Column) compare(a, b int, first Operation) int {
	switch {
	case c.Cells[a] == "" || c.Cells[b] == "":
		return cmp.Compare(c.Cells[b], c.Cells[a]) // one of them is empty
	case first == Max:
		a, b = b, a
	}
	if c.Numbers != nil {
		return cmp.Compare(c.Numbers[a], c.Numbers[b])
	}
	return cmp.Compare(c.Cells[a], c.Cells[b])
}

// group computes a value for the rows of each value of a column, in the order of these.
func (r *Result) group(by *Column, rows []int, name string, f func([]int) any) {
	members := map[string][]int{}
	for _, row := range rows {
		members[by.Cells[row]] = append(members[by.Cells[row]], row)
	}
	r.Columns = []string{by.Name, name}
	for _, rows := range members {
		r.Cells = append(r.Cells, []any{by.value(rows[0]), f(rows)})
	}
	slices.SortFunc(r.Cells, func(a, b []any) int {
		x, _ := a[0].(float64)
		y, _ := b[0].(float64)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(Word(a[0]), Word(b[0])))
	})
}

// value computes one value; nil where there is none.
func (t *Table) value(q Question, rows []int) any {
	if q.Operation == Rows {
		return float64(len(rows))
	}
	c := t.Column(q.Column)
	rows = slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return c.Cells[row] == "" })
	switch {
	case len(rows) == 0:
		return nil
	case q.Operation == Min || q.Operation == Max:
		return c.value(slices.MinFunc(rows, func(a, b int) int { return c.compare(a, b, q.Operation) }))
	case c.Numbers == nil:
		return nil
	}
	sum, values := 0.0, make([]float64, len(rows))
	for i, row := range rows {
		values[i] = c.Numbers[row]
		sum += values[i]
	}
	switch n := len(values); q.Operation {
	case Mean:
		return tidy(sum / float64(n))
	case Median:
		slices.Sort(values)
		return tidy(values[(n-1)/2]/2 + values[n/2]/2)
	}
	return tidy(sum)
}

// tidy rounds to twelve digits: the digits beyond come from adding in binary. An infinite sum is no value.
func tidy(f float64) any {
	if math.IsInf(f, 0) {
		return nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 12, 64), 64)
	if err != nil {
		return f
	}
	return rounded
}

func (t *Table) filter(where []Condition) []int {
	rows := make([]int, 0, t.Rows)
	for row := range t.Rows {
		if !slices.ContainsFunc(where, func(c Condition) bool { return !t.holds(c, row) }) {
			rows = append(rows, row)
		}
	}
	return rows
}

// holds compares numbers as numbers. A missing value is unequal to all others and no more than that.
func (t *Table) holds(where Condition, row int) bool {
	c := t.Column(where.Column)
	if c.Cells[row] == "" {
		return where.Is == "!="
	}
	d := cmp.Compare(strings.ToLower(c.Cells[row]), strings.ToLower(where.Value))
	if n, ok := number(where.Value, false); ok && c.Numbers != nil {
		d = cmp.Compare(c.Numbers[row], n)
	}
	return slices.Contains(comparisons[where.Is], d)
}

// comparisons are the results of cmp.Compare for which a condition holds.
var comparisons = map[string][]int{"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}
