// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/apps/samples/expenses/rules"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

const (
	minLetters = 3   // of a purpose
	maxPurpose = 500 // runes
	maxField   = 600 // runes that are kept of a field
	maxEcho    = 40  // runes of what was not understood that are said again
)

var (
	amountForm = regexp.MustCompile(`(?i)^(us\$|[$€£¥₹]|[a-z]{3})? ?(-?[\d.,]{1,20}) ?([$€£¥₹]|[a-z]+)?$`)
	numberForm = regexp.MustCompile(`^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$`)
	codeForm   = regexp.MustCompile(`^(?:` + rules.Codes + `)$`)
)

// splitAmount takes an amount apart. ok is false when the text is none; the currency is "" when it names none.
func splitAmount(text string) (amount decimal.Decimal, currency string, ok bool) {
	m := amountForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || !numberForm.MatchString(m[2]) || m[1] != "" && m[3] != "" {
		return amount, "", false
	}
	currency = strings.ToUpper(m[1] + m[3])
	if code, named := rules.MoneyNames[strings.ToLower(currency)]; named {
		currency = code
	}
	if currency != "" && !codeForm.MatchString(currency) {
		return amount, "", false
	}
	amount, err := decimal.NewFromString(strings.ReplaceAll(m[2], ",", ""))
	return amount, currency, err == nil
}

// checkAmount returns an amount as the form shows it, "21.62 USD". If the amount is wrong, it returns the text
// unchanged and a sentence that describes the problem.
func checkAmount(text, currency string, limit decimal.Decimal) (value, problem string) {
	amount, named, ok := splitAmount(text)
	switch {
	case !ok:
		return text, fmt.Sprintf("The amount %q is no number with a currency, such as 21.62 %s.", short(text), currency)
	case amount.Round(2).Sign() <= 0:
		return text, "The amount must be more than 0."
	case amount.GreaterThan(limit):
		return text, fmt.Sprintf("The amount is more than %s, which is the most that can be reimbursed at once.", limit)
	}
	return strings.TrimSuffix(amount.StringFixed(2), ".00") + " " + cmp.Or(named, currency), ""
}

// checkDate returns a day as 2006-01-02. If the date is wrong, it returns the text unchanged and a sentence that
// describes the problem.
func checkDate(text string, now time.Time) (value, problem string) {
	plain, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "t00:")
	day, err := time.Parse(time.DateOnly, plain)
	switch plain {
	case "today":
		day, err = now, nil
	case "yesterday":
		day, err = now.AddDate(0, 0, -1), nil
	case "tomorrow":
		day, err = now.AddDate(0, 0, 1), nil
	}
	switch {
	case err != nil:
		return text, fmt.Sprintf("The date %q is not understood; write it like %s.", short(text),
			now.UTC().Format(time.DateOnly))
	case day.After(now.UTC().Add(14 * time.Hour)): // it is tomorrow already in the first time zone
		return text, fmt.Sprintf("The date %s is in the future.", day.Format(time.DateOnly))
	}
	return day.UTC().Format(time.DateOnly), ""
}

// checkPurpose returns a purpose, and what is wrong with it as a sentence.
func checkPurpose(text string) (value, problem string) {
	switch {
	case letters(text) < minLetters:
		return text, fmt.Sprintf("The purpose %q is too short: it needs at least %d letters.", short(text), minLetters)
	case len([]rune(text)) > maxPurpose:
		return text, fmt.Sprintf("The purpose is too long: %d characters at most.", maxPurpose)
	}
	return text, ""
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func clean(s string) string { return reply.Line(s, maxField) }

func short(s string) string { return reply.Line(s, maxEcho) }
