// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

//go:embed data/rates.csv
var ratesCSV string

const snapshotSource = "bundled snapshot"

// A table has the units of each currency for one euro, day by day.
type table struct {
	codes []string // in order, without EUR
	days  []Date   // ascending
	rates map[Date]map[string]Decimal
}

var bundled = mustReadTable(ratesCSV)

// mustReadTable reads a line of codes, and then a line per day in ascending order. The file is part of the program, and
// a test reads it.
func mustReadTable(text string) *table {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	t := &table{codes: rows[0][1:], rates: make(map[Date]map[string]Decimal)}
	for _, row := range rows[1:] {
		day, rates := Date(row[0]), map[string]Decimal{"EUR": {decimal.NewFromInt(1)}}
		for i, code := range t.codes {
			rates[code] = Decimal{decimal.RequireFromString(row[i+1])}
		}
		t.days, t.rates[day] = append(t.days, day), rates
	}
	return t
}

// on finds the last day with rates that is not after d; false when d is outside of the table.
func (t *table) on(d Date) (Date, bool) {
	first, last := t.days[0], t.days[len(t.days)-1]
	if d == "" {
		return last, true
	}
	if d < first || d > last {
		return "", false
	}
	i, found := slices.BinarySearch(t.days, d)
	if !found {
		i-- // a weekend: the business day before
	}
	return t.days[i], true
}

// Snapshot is the [Provider] of the bundled sample rates: 31 currencies on the business days of four weeks. It needs
// no network and always answers the same.
type Snapshot struct{}

// Today is the last day of the table.
func (Snapshot) Today(time.Time) Date { return bundled.days[len(bundled.days)-1] }

// Rates computes cross rates over the euro. A day without rates, such as a Sunday, has those of the business day
// before it.
func (Snapshot) Rates(ctx context.Context, q Query) (Quote, error) {
	if err := ctx.Err(); err != nil {
		return Quote{}, err
	}
	if unknown := bundled.without(append([]string{q.From}, q.To...)); len(unknown) > 0 {
		supported := slices.Sorted(slices.Values(append([]string{"EUR"}, bundled.codes...)))
		return Quote{}, &UnknownCurrencyError{Codes: unknown, Supported: supported, Source: snapshotSource}
	}
	day, ok := bundled.on(q.On)
	if !ok {
		days := bundled.days
		return Quote{}, &DateError{Date: q.On, First: days[0], Last: days[len(days)-1], Source: snapshotSource}
	}
	perEuro, rates := bundled.rates[day], make(map[string]Decimal, len(q.To))
	for _, to := range q.To {
		rates[to] = Decimal{perEuro[to].DivRound(perEuro[q.From].Decimal, maxDecimalExponent)}.significant(rateDigits,
			0)
	}
	return Quote{Date: day, Rates: rates, Source: snapshotSource}, nil
}

func (t *table) without(codes []string) []string {
	var missing []string
	for _, code := range codes {
		if code != "EUR" && !slices.Contains(t.codes, code) {
			missing = append(missing, code)
		}
	}
	return missing
}
