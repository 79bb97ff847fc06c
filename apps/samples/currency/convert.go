// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// The longest number in text form, and the largest exponent, that [Decimal] reads: without them a short text such as
// 1e999999999 would cost unbounded memory.
const (
	maxDecimalLen      = 64
	maxDecimalExponent = 40
)

// Decimal is an exact decimal number that is a number in JSON, too. The zero value is 0.
type Decimal struct{ decimal.Decimal }

// ParseDecimal reads a number such as 1234.5 or 1.5e-3, of at most 64 bytes.
func ParseDecimal(text string) (Decimal, error) {
	if len(text) > maxDecimalLen {
		return Decimal{}, fmt.Errorf("currency: number of %d bytes, at most %d are allowed", len(text), maxDecimalLen)
	}
	d, err := decimal.NewFromString(text)
	if err != nil {
		return Decimal{}, fmt.Errorf("currency: %q is not a decimal number", text)
	}
	if e := d.Exponent(); e > maxDecimalExponent || e < -maxDecimalExponent {
		return Decimal{}, fmt.Errorf("currency: exponent of %q is not within ±%d", text, maxDecimalExponent)
	}
	return Decimal{d}, nil
}

// MarshalJSON writes a JSON number, digit by digit.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a JSON number, digit by digit.
func (d *Decimal) UnmarshalJSON(text []byte) (err error) {
	*d, err = ParseDecimal(string(text))
	return err
}

// significant rounds to n significant digits, but keeps all digits before the point: 123456 stays as it is for n = 5.
func (d Decimal) significant(n, leastPlaces int) Decimal {
	beforePoint := d.NumDigits() + int(d.Exponent())
	return Decimal{d.Round(int32(max(leastPlaces, n-beforePoint)))}
}

// grouped is the number with commas between thousands.
func (d Decimal) grouped() string {
	whole, fraction, _ := strings.Cut(d.String(), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// A Conversion is one result, as clients that compute get it. The numbers are exact JSON numbers: Result is Amount
// times Rate, rounded to three decimals or to five significant digits, whichever is more.
type Conversion struct {
	Amount Decimal `json:"amount"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Rate   Decimal `json:"rate"`
	Result Decimal `json:"result"`
	Date   Date    `json:"date,omitempty"` // of the rate; none when From and To are the same
	Source string  `json:"source"`
}

// convert computes an amount in each target of a query and words the result. It shows what it does as the progress of
// the turn. Its errors are those of [Provider.Rates].
func (c *converter) convert(ctx context.Context, t *agent.Turn, amount decimal.Decimal, q Query) (
	all []Conversion, text string, err error) {
	if q.On > DateOf(c.now()) {
		return nil, "", &DateError{Date: q.On, Source: "agent", Note: "that day is in the future"}
	}
	asked := Query{From: q.From, On: q.On}
	for _, to := range q.To {
		if to != q.From {
			asked.To = append(asked.To, to)
		}
	}
	var quote Quote
	if len(asked.To) > 0 {
		if quote, err = c.look(ctx, t, asked); err != nil {
			return nil, "", err
		}
	}
	var lines []string
	for _, to := range q.To {
		conversion := Conversion{Amount: Decimal{amount}, From: q.From, To: to, Rate: Decimal{decimal.NewFromInt(1)},
			Source: "same currency"}
		if to != q.From {
			rate, ok := quote.Rates[to]
			if !ok {
				return nil, "", fmt.Errorf("currency: the %s gave no rate for %s", quote.Source, to)
			}
			conversion.Rate, conversion.Date, conversion.Source = rate, quote.Date, quote.Source
		}
		conversion.Result = Decimal{amount.Mul(conversion.Rate.Decimal)}.significant(rateDigits, 3)
		all = append(all, conversion)
		lines = append(lines, conversion.line())
	}
	if q.On != "" && quote.Date != "" && quote.Date != q.On {
		lines = append(lines, fmt.Sprintf("Note: there are no rates of %s itself; these are from the business day "+
			"before.", q.On))
	}
	if quote.Note != "" {
		lines = append(lines, "Note: "+quote.Note)
	}
	return all, strings.Join(lines, "\n"), nil
}

func (c *converter) look(ctx context.Context, t *agent.Turn, q Query) (Quote, error) {
	if err := t.Working(a2a.TextPart("Looking up the exchange rates...")); err != nil {
		return Quote{}, err
	}
	quote, err := c.rates.Rates(ctx, q)
	if err != nil {
		return Quote{}, err
	}
	return quote, t.Working(a2a.TextPart("Processing the exchange rates..."))
}

// line is the conversion in one sentence. For one unit the rate would only repeat the result.
func (c Conversion) line() string {
	text := fmt.Sprintf("%s %s = %s %s", c.Amount.grouped(), c.From, c.Result.grouped(), c.To)
	switch {
	case c.From == c.To:
		return text + ". Note: both are " + c.To + ", so the rate is 1."
	case c.Amount.Equal(decimal.NewFromInt(1)):
		return fmt.Sprintf("%s (%s, %s).", text, c.Date, c.Source)
	}
	return fmt.Sprintf("%s (1 %s = %s %s, %s, %s).", text, c.From, c.Rate.grouped(), c.To, c.Date, c.Source)
}

func sentence(err error) string {
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}
