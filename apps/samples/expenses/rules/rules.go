// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model: it finds an amount, a day and a purpose in a short sentence. Mistakes
// do no harm, as the agent shows a form before it approves anything.
package rules

import (
	"regexp"
	"strings"
)

// Refusal answers everything that the rules do not understand.
const Refusal = `Without a language model I understand only the filled form and requests such as "reimburse $20 for ` +
	`lunch"; ` +
	`start me with --llm to say it in other words.`

// A Reading is what a text says. Empty values were not found.
type Reading struct {
	ID                    string // of the request that it names
	Amount, Date, Purpose string
	Withdraws, Agrees     bool // the text says nothing else
	Topical               bool // it speaks of expenses
	Explains              bool // it says that this is the purpose: "it was for ..."
	Several               bool // it names several amounts or days
}

// MoneyNames are names of currencies other than their codes, in lower case.
var MoneyNames = map[string]string{
	"$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "€": "EUR", "euro": "EUR",
	"euros": "EUR", "£": "GBP", "pound": "GBP", "pounds": "GBP", "¥": "JPY", "yen": "JPY", "₹": "INR", "rupees": "INR",
}

// Codes are the currencies that expenses may be in.
const Codes = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|TRY|ZAR|BRL|MXN|KRW|SGD|HKD|THB"

const (
	lead = `i'd|i'm|i've|file|but|hi|hello|yes|no|ok|please|kindly|also|and|now|then|so|first|before|it's|it|is|was|` +
		`that|make|change|i|we|you|me|us|my|our|the|a|an|this|can|could|would|will|want|wants|need|like|to|get|have|` +
		`had|be|been|for|of|on|in|by|from|some|money|back|date|amount|purpose|give|pay|paid|spent|bought|cost|costs|` +
		`submit|file|claim|new|another|request|form|report|reimbursed?|reimbursement|refund(?:ed)?|expenses?|as`
	tail = `please|thanks|thank you|paid|spent|bought|on|for approval|for|of|at|to|from|and|i|was|is|it|cost|me|` +
		`with|the|a|an|today|out of my (?:own )?pocket|reimbursed`
)

var (
	requestID  = regexp.MustCompile(`\brequest_id_\d{1,20}\b`)
	withdrawal = regexp.MustCompile(
		`(?i)^(?:please )?(?:rejected form entry|(?:cancel|withdraw|never ?mind|forget|stop)\b(?: (?:it|that|the ` +
			`(?:form|request)))?)[,.! ]*$`)
	agreement = regexp.MustCompile(
		`(?i)^(?:yes|ok|okay|sure|submit|confirm|approved?|correct|looks good)\b(?:[,` +
			` ]+(?:please|submit|it|thanks))*[.! ]*$`)
	topical  = regexp.MustCompile(`(?i)\b(?:re-?imburs\w*|refund\w*|expenses?|money back|pay me back|paid|spent)\b`)
	explains = regexp.MustCompile(`(?i)\b(?:for|purpose|it was|it's)\b`)

	day   = regexp.MustCompile(`(?i)(?:\b(?:on|from|dated) )?\b(\d{4}-\d\d-\d\d|today|yesterday|tomorrow)\b`)
	money = regexp.MustCompile(`(?i)(?:\b(?:for|of|at|to|is|was) )?((?:US\$|[$€£¥₹]|\b(?:` + Codes +
		`)\b) ?\d[\d.,]*\d|(?:US\$|[$€£¥₹])\d` +
		`|-?\d[\d.,]* ?(?:[$€£¥₹]|(?:` + Codes + `|dollars?|bucks|euros?|pounds?|yen|rupees)\b))`)
	bare   = regexp.MustCompile(`^(-?\d[\d.,]*)$`)
	cut    = regexp.MustCompile(`(?i)[,;]? (?:but|and then|please) \b[^,;]*\b(?:needs?|convert\w*|change)\b.*$`)
	before = regexp.MustCompile(`(?i)^(?:[\s,.;:!-]+|(?:` + lead + `)\b)+`)
	after  = regexp.MustCompile(`(?i)(?:[\s,.;:!?()-]+|\b(?:` + tail + `))+$`)
	spaces = regexp.MustCompile(`\s+`)
)

// Read reads a text of one line.
func Read(text string) Reading {
	r := Reading{ID: requestID.FindString(text), Topical: topical.MatchString(text)}
	text = strings.TrimSpace(strings.Replace(text, r.ID, "", 1))
	r.Withdraws, r.Agrees = withdrawal.MatchString(text), agreement.MatchString(text)
	if r.Withdraws || r.Agrees {
		return r
	}
	text = cut.ReplaceAllString(text, "")
	text = r.take(text, day, &r.Date)
	text = r.take(text, bare, &r.Amount)
	text = r.take(text, money, &r.Amount)
	r.Explains = explains.MatchString(text)
	text = after.ReplaceAllString(before.ReplaceAllString(text, ""), "")
	r.Purpose = spaces.ReplaceAllString(text, " ")
	return r
}

// take takes the one value that an expression finds out of the text.
func (r *Reading) take(text string, what *regexp.Regexp, value *string) string {
	for i, found := range what.FindAllStringSubmatch(text, 2) {
		r.Several = r.Several || i > 0 && !strings.EqualFold(found[1], *value)
		*value = found[1]
	}
	return what.ReplaceAllString(text, " ")
}
