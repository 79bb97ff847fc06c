// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// reference finds words that stand for something said elsewhere.
var reference = lazy(
	`(?i)\b(?:the (?:converted |resulting |exchanged |new |final )?(?:amount|sum|total|result|value|figure)|that ` +
		`(?:amount|sum|total|result|value|figure)|the (?:dollar|euro|pound|yen) (?:amount|value|sum|equivalent|` +
		`figure)|the result|the money|the price|the cost|the output|it|that|this|those|them)\b`)

// Refers reports whether a text speaks of something that another clause has named.
func Refers(text string) bool { return reference().MatchString(text) }

// amountSource returns the clause group whose amount a clause group speaks of that has a currency but no amount, as in
// "needs to be converted to USD"; less than 0 for none.
func amountSource(groups []clauseGroup, i int) int {
	text := groups[i].text
	if len(amounts(text)) > 0 {
		return -1
	}
	codes := currencies(text, tokenize(text))
	if len(codes) == 0 {
		return -1
	}
	for j, b := range groups {
		if lent := amounts(b.text); j != i && len(lent) > 0 && !slices.Contains(codes, lent[0].currency) {
			return j
		}
	}
	return -1
}

var (
	lacksSubject = lazy(
		`(?i)^\s*(?:it\s+|this\s+|that\s+)?(?:needs?|must|should|has|have|is|are|was|to be|will|shall|would|` +
			`converted|changed|exchanged)\b`)
	leadingIt = lazy(`(?i)^\s*(?:it|this|that)\s+`)
	firstVerb = lazy(
		`(?i)\b(?:convert|change|exchange|turn|translate|put|switch|converting|changing|exchanging|turning|converted|` +
			`changed|exchanged)\b`)
)

// borrow puts an amount into a text that means it: in the place of a pronoun, as the subject, or after the verb.
func borrow(text, amount string) string {
	if m := reference().FindStringIndex(text); m != nil {
		return text[:m[0]] + amount + text[m[1]:]
	}
	if lacksSubject().MatchString(text) {
		return amount + " " + leadingIt().ReplaceAllString(text, "")
	}
	if m := firstVerb().FindStringIndex(text); m != nil {
		return text[:m[1]] + " " + amount + text[m[1]:]
	}
	return amount + " " + text
}

// A Value is what a step brought forth that a later one can use.
type Value struct {
	Amount   string `json:"amount,omitzero"`   // a decimal number
	Currency string `json:"currency,omitzero"` // ISO 4217, "" for a plain number
	OfAmount string `json:"ofAmount,omitzero"` // what it was made of, if the answer says so
	Of       string `json:"of,omitzero"`
}

// String is the value as a sentence has it.
func (v Value) String() string { return strings.TrimSpace(v.Amount + " " + v.Currency) }

// ValueOf finds the value in the answer of a step: in data if there are any, else in the text.
func ValueOf(parts []a2a.Part) (Value, bool) {
	for _, p := range parts {
		if data, ok := p.Content.(a2a.Data); ok && len(data) <= maxValueData {
			if v, ok := valueOfData(data); ok {
				return v, true
			}
		}
	}
	for _, p := range parts {
		if text, ok := p.Content.(a2a.Text); ok {
			if v, ok := valueOfText(string(text[:min(len(text), maxValueText)])); ok {
				return v, true
			}
		}
	}
	return Value{}, false
}

// A value is looked for in so many bytes of an answer.
const (
	maxValueData = 64 << 10
	maxValueText = 4 << 10
)

// valueOfData reads a conversion as data: which member is which is a matter of their usual names.
func valueOfData(data a2a.Data) (Value, bool) {
	var members map[string]jsontext.Value
	if json.Unmarshal(data, &members) != nil {
		return Value{}, false
	}
	read := func(names ...string) string {
		for _, name := range names {
			switch raw := members[name]; raw.Kind() {
			case '0':
				return raw.String()
			case '"':
				var s string
				if json.Unmarshal(raw, &s) == nil && s != "" {
					return s
				}
			}
		}
		return ""
	}
	v := Value{
		Amount:   read("result", "converted", "convertedAmount", "converted_amount", "total", "value"),
		Currency: read("to", "currency", "target", "unit"),
		OfAmount: read("amount"), Of: read("from", "source_currency"),
	}
	if v.Amount == "" {
		v.Amount, v.OfAmount = v.OfAmount, ""
	}
	rounded, ok := roundMoney(v.Amount, v.Currency)
	if !ok || len(v.Currency) > 3 && !isoCodes[v.Currency] {
		return Value{}, false
	}
	v.Amount = rounded
	return v, true
}

// valueOfText reads "20 EUR = 21.62 USD": the last amount of the first line that has one.
func valueOfText(text string) (Value, bool) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "(") // what is in brackets explains
		found := amounts(line)
		if len(found) == 0 {
			continue
		}
		last := found[len(found)-1]
		amount, ok := roundMoney(plainNumber(last.amount), last.currency)
		if !ok {
			continue
		}
		v := Value{Amount: amount, Currency: last.currency}
		if len(found) > 1 {
			v.OfAmount, v.Of = plainNumber(found[0].amount), found[0].currency
		}
		return v, true
	}
	return Value{}, false
}

// plainNumber takes the separators of thousands out of a number.
func plainNumber(s string) string {
	s = strings.NewReplacer(" ", "", "'", "").Replace(s)
	comma, point := strings.LastIndex(s, ","), strings.LastIndex(s, ".")
	if comma > point && (point >= 0 || len(s)-comma != 4) { // 1.234,56 and 12,5
		return strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	}
	return strings.ReplaceAll(s, ",", "")
}

// Most currencies have two decimals, some none, some three.
var (
	noDecimals    = wordSet("JPY KRW VND CLP ISK UGX XAF XOF XPF PYG RWF")
	threeDecimals = wordSet("BHD IQD JOD KWD LYD OMR TND")
)

// roundMoney rounds an amount to what can be paid in a currency; other numbers stay as they are.
func roundMoney(amount, currency string) (string, bool) {
	if len(amount) > maxNumber || amount == "" || strings.ContainsAny(amount, "eE/xXpP_") {
		return "", false
	}
	r, ok := new(big.Rat).SetString(amount)
	if !ok {
		return "", false
	}
	if currency == "" {
		return amount, true
	}
	switch {
	case noDecimals[currency]:
		return r.FloatString(0), true
	case threeDecimals[currency]:
		return r.FloatString(3), true
	}
	return r.FloatString(2), true
}

// maxNumber is how many characters a number has at most that is taken over.
const maxNumber = 40

// Fill puts the value of a step into the text of a later one: in the place of the amount that it was made of, else in
// the place of a word that means it, else at the end when the text has no amount at all.
func (v Value) Fill(text string) string {
	found := amounts(text)
	for _, m := range found {
		if sameAmount(m, v) {
			return text[:m.from] + v.String() + text[m.to:]
		}
	}
	if len(found) > 0 {
		return text
	}
	if m := reference().FindStringIndex(text); m != nil {
		return text[:m[0]] + v.String() + text[m[1]:]
	}
	return text + ": " + v.String()
}

// sameAmount reports whether an amount in a text is the one that a value was made of. When the answer did not say of
// what it was made, any amount of another currency is.
func sameAmount(m money, v Value) bool {
	if v.Of == "" && v.OfAmount == "" {
		return v.Currency != "" && m.currency != v.Currency
	}
	a, ok := new(big.Rat).SetString(plainNumber(strings.TrimRight(m.amount, "kK")))
	b, known := new(big.Rat).SetString(v.OfAmount)
	return ok && known && a.Cmp(b) == 0 && (v.Of == "" || m.currency == v.Of)
}
