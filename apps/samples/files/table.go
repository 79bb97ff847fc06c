// SPDX-License-Identifier: Apache-2.0

package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of a table: more is for a database.
const (
	maxRows    = 200_000
	maxColumns = 500
	maxCells   = 2_000_000
)

// A Table has columns of one length.
type Table struct {
	Columns []Column
	Rows    int
	Ragged  int // rows with more or fewer cells than the first
}

// A Column has a cell for each row.
type Column struct {
	Name    string
	Kind    Kind
	Cells   []string  // as written, without space around; see isMissing
	Numbers []float64 // of numeric kinds; NaN where a cell is missing
}

var errNoTable = errors.New("it has no table in it")

// ParseCSV reads a table of lines. The delimiter is found: a comma, a semicolon, a tab or a vertical bar. Where it is a
// semicolon numbers have a decimal comma, if that reads more of them. A first row with a number or a date in it is no
// header. Errors: the text has no delimiter in it, or is over a limit.
func ParseCSV(text string) (*Table, error) {
	comma, ok := delimiter(text)
	if !ok {
		return nil, errNoTable
	}
	records, err := readRecords(text, comma)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errNoTable
	}
	names, rows := header(records)
	return newTable(names, rows, comma == ';'), nil
}

var delimiters = []rune{',', ';', '\t', '|'}

// delimiter finds what parts the cells: what the first lines have in equal numbers, and most of.
func delimiter(text string) (best rune, ok bool) {
	sample := text
	if len(sample) > 64<<10 {
		sample = sample[:64<<10]
	}
	most := 0
	for _, d := range delimiters {
		r := csvReader(sample, d)
		width, alike, lines := 0, 0, 0
		for lines < 20 {
			record, err := r.Read()
			if err != nil {
				break
			}
			if lines++; lines == 1 {
				width = len(record)
			}
			if len(record) == width {
				alike++
			}
		}
		if width > 1 && alike*4 >= lines*3 && alike*100+width > most {
			best, most = d, alike*100+width
		}
	}
	return best, most > 0
}

func csvReader(text string, delimiter rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = delimiter, true, -1, delimiter != '\t'
	return r
}

func readRecords(text string, delimiter rune) ([][]string, error) {
	r := csvReader(text, delimiter)
	var records [][]string
	cells := 0
	for {
		record, err := r.Read()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it cannot be read as a table: %w", err)
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		cells += len(record)
		switch {
		case len(records) > maxRows:
			return nil, fmt.Errorf("it has more than %d rows", maxRows)
		case len(record) > maxColumns:
			return nil, fmt.Errorf("it has more than %d columns", maxColumns)
		case cells > maxCells:
			return nil, fmt.Errorf("it has more than %d cells", maxCells)
		}
		records = append(records, record)
	}
}

// header parts the names of the columns from the rows.
func header(records [][]string) (names []string, rows [][]string) {
	first := records[0]
	for _, cell := range first {
		if _, number := parseNumber(cell, false); number || isDate(cell) {
			return make([]string, len(first)), records
		}
	}
	return first, records[1:]
}

// newTable makes columns of rows. Names that are missing, or there twice, are made up.
func newTable(names []string, rows [][]string, semicolons bool) *Table {
	t := &Table{Rows: len(rows)}
	width := len(names)
	for _, row := range rows {
		if len(row) != len(names) {
			t.Ragged++
		}
		width = max(width, len(row))
	}
	if width*max(1, len(rows)) > 2*maxCells {
		width = len(names) // one long row would make a column of each of its cells
	}
	taken := map[string]bool{}
	for i := range width {
		c := Column{Cells: make([]string, len(rows))}
		if i < len(names) {
			c.Name = clip(names[i], 100)
		}
		if c.Name == "" {
			c.Name = "column " + strconv.Itoa(i+1)
		}
		for n, base := 2, c.Name; taken[c.Name]; n++ {
			c.Name = base + " " + strconv.Itoa(n)
		}
		taken[c.Name] = true
		for r, row := range rows {
			if i < len(row) {
				c.Cells[r] = row[i]
			}
		}
		if c.Kind, c.Numbers = kindOf(c.Cells, false); semicolons && !c.Kind.numeric() {
			c.Kind, c.Numbers = kindOf(c.Cells, true)
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// clip bounds what is repeated to people.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
