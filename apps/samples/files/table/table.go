// SPDX-License-Identifier: Apache-2.0

// Package table reads tables from CSV, and computes answers to questions about them.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The limits of a table.
const (
	maxRows    = 200_000
	maxColumns = 500
	maxCells   = 2_000_000
)

var errTooLarge = fmt.Errorf("it has more than %d rows, %d columns or %d cells", maxRows, maxColumns, maxCells)

// A Table has columns of one length.
type Table struct {
	Columns []Column
	Rows    int
}

// A Column has a cell for each row.
type Column struct {
	Name    string
	Cells   []string  // without space around; "" where a value is missing
	Numbers []float64 // of a column of numbers, NaN where a value is missing; nil for other columns
}

// Column returns a column by its name; nil if there is none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Names returns the names of the columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// value returns a cell as JSON has it; nil where it is missing.
func (c *Column) value(row int) any {
	switch cell := c.Cells[row]; {
	case cell == "":
		return nil
	case c.Numbers != nil:
		return c.Numbers[row]
	default:
		return cell
	}
}

// ParseCSV reads a table whose first line has the names. The delimiter is the comma, semicolon, tab or vertical bar
// that the first line has most of. With semicolons, numbers may have a decimal comma.
func ParseCSV(text string) (*Table, error) {
	first, _, _ := strings.Cut(text, "\n")
	comma := ','
	for _, d := range ";\t|" {
		if strings.Count(first, string(d)) > strings.Count(first, string(comma)) {
			comma = d
		}
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = comma, true, -1, comma != '\t'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("it cannot be read as a table: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("it has no line with names of columns")
	}
	return newTable(rows[0], rows[1:], comma == ';')
}

// newTable makes columns of rows. Names that are missing, or there twice, are made up.
func newTable(names []string, rows [][]string, decimalComma bool) (*Table, error) {
	width := len(names)
	for _, row := range rows {
		width = max(width, len(row))
	}
	if len(rows) > maxRows || width > maxColumns || width*len(rows) > maxCells {
		return nil, errTooLarge
	}
	t := &Table{Rows: len(rows), Columns: make([]Column, 0, width)}
	for i := range width {
		c := Column{Name: "column " + strconv.Itoa(i+1), Cells: make([]string, len(rows))}
		if i < len(names) && strings.TrimSpace(names[i]) != "" {
			c.Name = strings.TrimSpace(names[i])
		}
		for n, base := 2, c.Name; t.Column(c.Name) != nil; n++ {
			c.Name = base + " " + strconv.Itoa(n)
		}
		for r, row := range rows {
			if i < len(row) {
				c.Cells[r] = strings.TrimSpace(row[i])
			}
		}
		c.Numbers = numbers(c.Cells, decimalComma)
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// numbers returns the numbers of a column; nil if it has a cell that is none, or no value at all.
func numbers(cells []string, decimalComma bool) []float64 {
	all, some := make([]float64, len(cells)), false
	for i, cell := range cells {
		n, ok := number(cell, decimalComma)
		if !ok && cell != "" {
			return nil
		}
		all[i], some = n, some || ok
	}
	if !some {
		return nil
	}
	return all
}

// number reads 12, -1.5e3 or, with a decimal comma, 12,5. It returns NaN for all other cells, and for infinite and
// hexadecimal numbers.
func number(cell string, decimalComma bool) (float64, bool) {
	if decimalComma {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1e300 || strings.ContainsAny(cell, "xX_") {
		return math.NaN(), false
	}
	return n, true
}
