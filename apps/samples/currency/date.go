// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"fmt"
	"time"
)

// Date is a day written as 2006-01-02. Dates compare as strings do. The empty Date stands for the latest day that
// has rates.
type Date string

// DateOf is the day of t, in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// ParseDate reads 2006-01-02 and refuses days that no calendar has.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return "", fmt.Errorf("currency: %q is not a date like 2006-01-02", text)
	}
	return DateOf(t), nil
}

// newDate is false for days that no calendar has, such as 30 February.
func newDate(year, month, day int) (Date, bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Year() != year || int(t.Month()) != month || t.Day() != day || year < 1 || year > 9999 {
		return "", false
	}
	return DateOf(t), true
}

func (d Date) time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

func (d Date) add(years, months, days int) Date { return DateOf(d.time().AddDate(years, months, days)) }

func (d Date) weekday() time.Weekday { return d.time().Weekday() }
