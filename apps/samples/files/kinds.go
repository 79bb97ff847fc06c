// SPDX-License-Identifier: Apache-2.0

package files

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a column's values.
type Kind string

// The kinds. A column has the first that all its values fit, in this order, and text otherwise.
const (
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Date    Kind = "date"
	Text    Kind = "text"
)

// numeric reports whether there is something to calculate with.
func (k Kind) numeric() bool { return k == Integer || k == Number }

var missingWords = map[string]bool{"": true, "na": true, "n/a": true, "nan": true, "null": true, "none": true, "-": true, "?": true, "#n/a": true}

// isMissing reports whether a cell stands for no value.
func isMissing(cell string) bool { return len(cell) <= 4 && missingWords[strings.ToLower(cell)] }

// parseNumber reads a cell such as 12, -1.5e3, 1,234.50, $5, 20% or, with a decimal comma, 1.234,50.
func parseNumber(cell string, comma bool) (float64, bool) {
	if len(cell) > 40 {
		return 0, false
	}
	s := strings.TrimSpace(strings.TrimSuffix(cell, "%"))
	sign := 1.0
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, sign = rest, -1
	}
	for _, symbol := range []string{"$", "€", "£", "¥"} {
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, symbol), symbol))
	}
	if comma {
		s = strings.Map(func(r rune) rune {
			switch r {
			case ',':
				return '.'
			case '.':
				return ','
			}
			return r
		}, s)
	}
	if strings.Contains(s, ",") {
		if !grouped(s) {
			return 0, false
		}
		s = strings.ReplaceAll(s, ",", "")
	}
	if s == "" || s[0] != '.' && (s[0] < '0' || s[0] > '9') || strings.ContainsAny(s, "xX_pPnN") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) > 1e300 { // so that no sum is infinite
		return 0, false
	}
	return sign * f, true
}

// grouped reports whether the commas in s part groups of three digits.
func grouped(s string) bool {
	whole, _, _ := strings.Cut(s, ".")
	groups := strings.Split(whole, ",")
	if n := len(groups[0]); n == 0 || n > 3 {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return !strings.Contains(s[len(whole):], ",")
}

var booleans = map[string]bool{"true": true, "false": true, "yes": true, "no": true}

func isBoolean(cell string) bool { return len(cell) <= 5 && booleans[strings.ToLower(cell)] }

// isDate reports whether a cell is a day, or a time of a day, as ISO 8601 writes it: those sort as they stand.
func isDate(cell string) bool {
	if len(cell) < len(time.DateOnly) || len(cell) > 40 {
		return false
	}
	for _, layout := range []string{time.DateOnly, time.DateTime, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if _, err := time.Parse(layout, cell); err == nil {
			return true
		}
	}
	return false
}

// kindOf finds the kind of a column, and its numbers where it has such: NaN stands for a missing one.
func kindOf(cells []string, comma bool) (Kind, []float64) {
	numbers, integers := make([]float64, len(cells)), true
	if every(cells, func(i int, cell string) bool {
		n, ok := parseNumber(cell, comma)
		integers = integers && n == math.Trunc(n) && math.Abs(n) < 1<<53
		numbers[i] = n
		return ok
	}) {
		for i, cell := range cells {
			if isMissing(cell) {
				numbers[i] = math.NaN()
			}
		}
		if integers {
			return Integer, numbers
		}
		return Number, numbers
	}
	switch {
	case every(cells, func(_ int, cell string) bool { return isBoolean(cell) }):
		return Boolean, nil
	case every(cells, func(_ int, cell string) bool { return isDate(cell) }):
		return Date, nil
	}
	return Text, nil
}

// every reports whether f holds for all values, of which there is one at least.
func every(cells []string, f func(int, string) bool) bool {
	any := false
	for i, cell := range cells {
		if isMissing(cell) {
			continue
		}
		if !f(i, cell) {
			return false
		}
		any = true
	}
	return any
}
