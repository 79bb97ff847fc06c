// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

var labels = map[Operation]string{Mean: "average", Sum: "sum of", Min: "lowest", Max: "highest", Median: "median", Distinct: "number of different values of"}

// maxSaid bounds a list in a text; the data has all of it.
const maxSaid = 50

// Say answers in words.
func (r *Result) Say() string {
	q := r.Question
	switch {
	case q.Operation == Statistics || q.Operation == Columns || q.Operation == Missing:
		return r.sayColumns()
	case q.Operation == Show:
		return r.sayRows()
	case q.Operation == Values:
		return fmt.Sprintf("The values of %s%s, and how often each is there:", q.Column, r.whereText()) + r.sayGroups()
	case q.By != "" && q.Operation == Rows:
		return fmt.Sprintf("The number of rows by %s%s:", q.By, r.whereText()) + r.sayGroups()
	case q.By != "":
		return fmt.Sprintf("The %s %s by %s%s:", labels[q.Operation], q.Column, q.By, r.whereText()) + r.sayGroups()
	case q.Operation == Rows:
		return fmt.Sprintf("There %s%s.", countOf(len(r.Rows), "row"), r.whereText())
	case r.Value == nil:
		return fmt.Sprintf("No row has a value of %s%s.", q.Column, r.whereText())
	}
	text := fmt.Sprintf("The %s %s%s is %s", labels[q.Operation], q.Column, r.whereText(), said(r.Value))
	if q.Of != "" {
		text += fmt.Sprintf(" (%s: %s)", q.Of, r.Of)
	}
	return text + "."
}

func countOf(n int, what string) string {
	if n == 1 {
		return "is 1 " + what
	}
	return fmt.Sprintf("are %d %ss", n, what)
}

func said(v any) string {
	switch v := v.(type) {
	case float64:
		return figure(v)
	case int:
		return strconv.Itoa(v)
	case nil:
		return "without a value"
	}
	return fmt.Sprint(v)
}

// whereText says the conditions, with a space before them.
func (r *Result) whereText() string {
	var all []string
	at := map[string]int{} // of what is said of a column with =
	for _, c := range r.Question.Where {
		i, known := at[c.Column]
		if c.Is == "=" && known {
			all[i] += " or " + c.Value
			continue
		}
		if c.Is == "=" {
			at[c.Column] = len(all)
		}
		all = append(all, c.Column+" "+c.Is+" "+c.Value)
	}
	if all == nil {
		return ""
	}
	return " where " + strings.Join(all, " and ")
}

func (r *Result) sayGroups() string {
	var b strings.Builder
	for _, g := range r.Groups[:min(len(r.Groups), maxSaid)] {
		fmt.Fprintf(&b, "\n%s: %s", label(g.Key), said(g.Value))
	}
	if more := len(r.Groups) - maxSaid; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	if len(r.Groups) == 0 {
		b.WriteString("\nno row is left")
	}
	return b.String()
}

func label(key string) string {
	if isMissing(key) {
		return "(missing)"
	}
	return key
}

func (r *Result) sayColumns() string {
	q := r.Question
	if q.Operation == Missing && q.Column != "" {
		return fmt.Sprintf("Missing values of %s%s: %d.", q.Column, r.whereText(), r.Summaries[0].Missing)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Rows%s: %d. Columns: %d.", r.whereText(), len(r.Rows), len(r.Table.Columns))
	for _, s := range r.Summaries[:min(len(r.Summaries), maxSaid)] {
		b.WriteString("\n" + s.say(q.Operation))
	}
	if more := len(r.Summaries) - maxSaid; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	if r.Table.Ragged > 0 && q.Operation == Statistics {
		fmt.Fprintf(&b, "\nRows with more or fewer cells than the first: %d.", r.Table.Ragged)
	}
	return b.String()
}

// say writes a line about a column, as far as the operation is about it.
func (s *Summary) say(o Operation) string {
	switch o {
	case Columns:
		return s.Name + ": " + string(s.Kind)
	case Missing:
		return fmt.Sprintf("%s: %d missing", s.Name, s.Missing)
	}
	text := fmt.Sprintf("%s (%s): ", s.Name, s.Kind)
	switch {
	case s.Mean != nil:
		text += fmt.Sprintf("min %s, max %s, mean %s, median %s, sum %s", said(s.Min), said(s.Max), figure(*s.Mean), figure(*s.Median), figure(*s.Sum))
	case s.Min != nil:
		text += fmt.Sprintf("from %s to %s", said(s.Min), said(s.Max))
	default:
		text += fmt.Sprintf("%d different", s.Distinct)
	}
	if s.Missing > 0 {
		text += fmt.Sprintf(", %d missing", s.Missing)
	}
	return text
}

func (r *Result) sayRows() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d rows%s:", len(r.Shown), len(r.Rows), r.whereText())
	for _, row := range r.Shown[:min(len(r.Shown), maxSaid)] {
		var cells []string
		for i := range r.Table.Columns {
			c := &r.Table.Columns[i]
			if cell := c.Cells[row]; !isMissing(cell) && i < maxSaid {
				cells = append(cells, c.Name+": "+clip(cell, 200))
			}
		}
		b.WriteString("\n" + strings.Join(cells, ", "))
	}
	return b.String()
}

// CSV writes the result as a table.
func (r *Result) CSV() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, record := range r.records() {
		w.Write(record) // to memory, which does not fail
	}
	w.Flush()
	return out.Bytes()
}

// records are the lines of the result, the first of them with the names.
func (r *Result) records() [][]string {
	q := r.Question
	var records [][]string
	switch {
	case r.Summaries != nil:
		records = append(records, []string{"name", "type", "count", "missing", "distinct", "min", "max", "mean", "median", "sum"})
		for _, s := range r.Summaries {
			records = append(records, []string{safe(s.Name), string(s.Kind), strconv.Itoa(s.Count), strconv.Itoa(s.Missing), strconv.Itoa(s.Distinct),
				orEmpty(s.Min), orEmpty(s.Max), orEmpty(s.Mean), orEmpty(s.Median), orEmpty(s.Sum)})
		}
	case q.Operation == Show:
		records = append(records, allNames(r.Table))
		for _, row := range r.Shown {
			var cells []string
			for i := range r.Table.Columns {
				cells = append(cells, safe(r.Table.Columns[i].Cells[row]))
			}
			records = append(records, cells)
		}
	case r.Groups != nil:
		records = append(records, []string{safe(r.keyName()), safe(r.valueName()), "rows"})
		for _, g := range r.Groups {
			records = append(records, []string{safe(g.Key), orEmpty(g.Value), strconv.Itoa(g.Rows)})
		}
	default:
		records = append(records, []string{safe(r.valueName())}, []string{orEmpty(r.Value)})
	}
	return records
}

// keyName and valueName name the columns of groups.
func (r *Result) keyName() string {
	if r.Question.By != "" {
		return r.Question.By
	}
	return r.Question.Column
}

func (r *Result) valueName() string {
	if r.Question.Column == "" || r.Question.Operation == Values {
		return string(r.Question.Operation)
	}
	return string(r.Question.Operation) + " " + r.Question.Column
}

func orEmpty(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *float64:
		if v == nil {
			return ""
		}
		return figure(*v)
	case string:
		return safe(v)
	}
	return said(v)
}

// safe keeps spreadsheets from taking what somebody wrote for a formula.
func safe(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		if _, number := parseNumber(cell, false); !number {
			return "'" + cell
		}
	}
	return cell
}
