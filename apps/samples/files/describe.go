// SPDX-License-Identifier: Apache-2.0

package files

import (
	"math"
	"slices"
	"strconv"
)

// A Summary is what there is to say about a column. What its kind does not have is nil.
type Summary struct {
	Name     string   `json:"name"`
	Kind     Kind     `json:"type"`
	Count    int      `json:"count"` // of values
	Missing  int      `json:"missing"`
	Distinct int      `json:"distinct"`
	Min      any      `json:"min,omitzero"` // a number, or the text of a date
	Max      any      `json:"max,omitzero"`
	Mean     *float64 `json:"mean,omitzero"`
	Median   *float64 `json:"median,omitzero"`
	Sum      *float64 `json:"sum,omitzero"`
}

// summarize describes a column in the rows that are given.
func summarize(c *Column, rows []int) Summary {
	s := Summary{Name: c.Name, Kind: c.Kind}
	seen := map[string]bool{}
	var least, most string
	for _, r := range rows {
		cell := c.Cells[r]
		if isMissing(cell) {
			s.Missing++
			continue
		}
		seen[cell] = true
		if s.Count++; s.Count == 1 || cell < least {
			least = cell
		}
		most = max(most, cell)
	}
	s.Distinct = len(seen)
	switch {
	case s.Count == 0:
	case c.Kind.numeric():
		values := numbersOf(c, rows)
		sum, median := tidy(total(values)), tidy(middle(values))
		mean := tidy(total(values) / float64(len(values)))
		s.Min, s.Max, s.Mean, s.Median, s.Sum = slices.Min(values), slices.Max(values), &mean, &median, &sum
	case c.Kind == Date:
		s.Min, s.Max = least, most
	}
	return s
}

// numbersOf returns the values of a numeric column that are not missing.
func numbersOf(c *Column, rows []int) []float64 {
	values := make([]float64, 0, len(rows))
	for _, r := range rows {
		if n := c.Numbers[r]; !math.IsNaN(n) {
			values = append(values, n)
		}
	}
	return values
}

// total adds up with the error of each addition carried along (Neumaier's variant of Kahan's summation).
func total(values []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, v := range values {
		next := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += sum - next + v
		} else {
			lost += v - next + sum
		}
		sum = next
	}
	return sum + lost
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

// tidy rounds to twelve digits: what is beyond comes from adding in binary, and nobody wrote it.
func tidy(f float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 12, 64), 64)
	if err != nil {
		return f
	}
	return rounded
}
