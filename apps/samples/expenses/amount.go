// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"fmt"
	"math/big"
	"strings"
)

// codes are the currencies that expenses may be in.
const codes = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|ILS|ZAR|BRL|MXN|KRW|SGD|HKD|THB|IDR|MYR|PHP|AED"

// moneyNames are other names of currencies, in lower case.
var moneyNames = map[string]string{
	"$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "us dollars": "USD", "€": "EUR", "euro": "EUR", "euros": "EUR",
	"£": "GBP", "pound": "GBP", "pounds": "GBP", "¥": "JPY", "yen": "JPY", "₹": "INR", "rupee": "INR", "rupees": "INR", "₩": "KRW",
	"c$": "CAD", "ca$": "CAD", "canadian dollars": "CAD", "a$": "AUD", "australian dollars": "AUD", "francs": "CHF", "swiss francs": "CHF", "yuan": "CNY",
}

const (
	number    = `[-−]?\d[\d.,']*\d|[-−]?\d`
	moneyName = `US\$|CA?\$|A\$|[$€£¥₹₩]|\b(?:` + codes + `)\b`
	moneyWord = `us dollars|canadian dollars|australian dollars|dollars?|bucks|euros?|pounds?|yen|rupees?|swiss francs|francs|yuan`
	// moneyExpr is a number with a currency on one side of it.
	moneyExpr = `(?i)(?:(` + moneyName + `)\s?(` + number + `)|(` + number + `)\s?(` + moneyName + `|\b(?:` + moneyWord + `)\b))`
)

var (
	money = lazily(moneyExpr)
	// plainNumber is all of a text.
	plainNumber = lazily(`^(?:` + number + `)$`)
)

// currencyOf returns the code of a currency; "" of none.
func currencyOf(name string) string {
	name = strings.TrimSpace(name)
	if code, ok := moneyNames[strings.ToLower(name)]; ok {
		return code
	}
	return strings.ToUpper(name)
}

// splitAmount takes an amount apart. The number is "" when the text is no amount.
func splitAmount(text string) (number, currency string) {
	text = strings.TrimSpace(text)
	if plainNumber().MatchString(text) {
		return text, ""
	}
	m := money().FindStringSubmatch(text)
	if m == nil || m[0] != text {
		return "", ""
	}
	return m[2] + m[3], currencyOf(m[1] + m[4])
}

// checkAmount returns an amount as the form shows it, "21.62 USD". What is wrong with it is a sentence, and the text is
// returned as it was.
func checkAmount(text, currency string, limit *big.Rat) (value, problem string) {
	number, named := splitAmount(text)
	amount, ok := parseNumber(number)
	switch {
	case !ok:
		return text, fmt.Sprintf("The amount %q is no number with a currency, such as 21.62 %s.", short(text), currency)
	case amount.Sign() <= 0:
		return text, "The amount must be more than 0."
	case amount.Cmp(limit) > 0:
		return text, fmt.Sprintf("The amount is more than %s, which is the most that can be reimbursed at once.", decimal(limit))
	}
	value = decimal(amount)
	if value == "0" {
		return text, "The amount must be at least 0.01."
	}
	return value + " " + or(named, currency), ""
}

// parseNumber reads 1,234.56 and 1.234,56 and 20,50. A comma before three digits groups, one before less is a decimal
// comma; a single point is always a decimal point.
func parseNumber(text string) (*big.Rat, bool) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "−", "-"), "'", "")
	if len(text) > 20 {
		return nil, false
	}
	mark := strings.LastIndexAny(text, ".,")
	if mark < 0 {
		return new(big.Rat).SetString(text)
	}
	whole, fraction := text[:mark], text[mark+1:]
	groups := strings.ContainsRune(whole, rune(text[mark])) || text[mark] == ',' && len(fraction) == 3
	if groups {
		whole, fraction = whole+text[mark:], ""
	}
	whole = strings.TrimSuffix(whole, ".")
	if !grouped().MatchString(whole) {
		return nil, false
	}
	whole = strings.NewReplacer(",", "", ".", "").Replace(whole)
	if fraction != "" {
		whole += "." + fraction
	}
	return new(big.Rat).SetString(whole)
}

// grouped is a whole number, in groups of three digits or in none.
var grouped = lazily(`^-?(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+)$`)

// decimal writes a number with two decimals at most, rounded.
func decimal(r *big.Rat) string {
	return strings.TrimSuffix(r.FloatString(2), ".00")
}
