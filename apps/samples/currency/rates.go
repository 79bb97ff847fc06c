// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// rateDigits is the number of significant digits of a rate. Results are computed from the rate as shown, so that a
// reader who multiplies finds the same.
const rateDigits = 5

// A Query asks a [Provider] for rates.
type Query struct {
	From string   // ISO 4217 code
	To   []string // ISO 4217 codes, none of them From
	On   Date     // empty: the latest day there is
}

// A Quote answers a [Query].
type Quote struct {
	Date   Date               // the day the rates are of: the day asked for, or the business day before it
	Rates  map[string]Decimal // one for each code in Query.To: units of it for one unit of Query.From
	Source string             // who says so, for people: "bundled snapshot"
	Note   string             // what the reader of the answer must know beyond that; "" mostly
}

// A Provider knows exchange rates. It is safe for concurrent use and stops when the context ends.
//
// Errors that the user can do something about are [*UnknownCurrencyError] and [*DateError].
type Provider interface {
	Rates(ctx context.Context, q Query) (Quote, error)

	// Today is the day that relative dates such as "yesterday" count from. For live rates it is the day of now; for a
	// fixed table it is the table's last day, because no later day has rates.
	Today(now time.Time) Date
}

// UnknownCurrencyError says that a provider has no rates for some currencies.
type UnknownCurrencyError struct {
	Codes     []string // those without rates
	Supported []string // all that the provider has; nil when it does not say
	Source    string
}

func (e *UnknownCurrencyError) Error() string {
	text := fmt.Sprintf("the %s has no rates for %s", e.Source, strings.Join(e.Codes, " and "))
	if len(e.Supported) > 0 {
		text += ", only for " + strings.Join(e.Supported, ", ")
	}
	return text
}

// DateError says that a provider has no rates for a day.
type DateError struct {
	Date        Date
	First, Last Date // the range that it has; empty when it does not say
	Source      string
	Note        string // see [Quote]
}

func (e *DateError) Error() string {
	text := fmt.Sprintf("the %s has no rates for %s", e.Source, e.Date)
	if e.First != "" {
		text += fmt.Sprintf(", only from %s to %s", e.First, e.Last)
	}
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	return text
}

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
