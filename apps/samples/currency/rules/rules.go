// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model: it reads short requests such as "100 USD in GBP yesterday". Every word
// of a request must be one that it knows. It refuses the rest, because an answer that ignores a word may be a wrong
// one.
package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Refusal answers everything that the rules do not understand.
const Refusal = `Without a language model I understand only short requests such as "100 USD in GBP"; ` +
	`start me with --llm to ask for anything else.`

// MaxTargets is how many currencies one request may convert into.
const MaxTargets = 10

// The longest amount, in digits before and after the point.
const (
	maxWhole    = 15
	maxFraction = 10
)

// unknownDay is [Request.On] while the user has to name another day.
const unknownDay = "?"

// Request is what a conversation has asked for so far. The zero value is a conversation that has not begun.
type Request struct {
	Amount *decimal.Decimal `json:"amount,omitempty"` // nil: 1
	From   string           `json:"from,omitempty"`   // ISO 4217 code
	To     []string         `json:"to,omitempty"`
	On     string           `json:"on,omitempty"` // 2006-01-02; empty: the latest day
	Asked  bool             `json:"asked,omitempty"`
}

// words that lead a currency, or mean nothing to a conversion.
var (
	intoWords   = set("to in into as -> → = /")
	fromWords   = set("from between")
	joinWords   = set("and & , + or")
	followWords = set("and about instead also then")
	topicWords  = set("exchange rate rates convert converted conversion currency currencies change changed")
	latestWords = set("latest today today's now current currently")
	fillers     = set("a an the of for how much many is are was what what's whats me i my you it please pls thanks " +
		"tell show " +
		"give get need want would like can could do does know worth on at right cost costs value hello hi " +
		"needs must has have be but first amount " +
		"? ! . : ; ( ) \" ' “ ”")
)

var tokens = regexp.MustCompile(`\d{4}-\d\d-\d\d|\d[\d,.]*\d|\d|[A-Z]{0,2}\$|[€£¥₹]|->|\pL+(?:['’]\pL+)?|\S`)

// controls are characters and sequences for terminals, which nobody sees.
var controls = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]|[\p{Cc}\p{Cf}]`)

var (
	amountForm = regexp.MustCompile(`^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$`)
	codeForm   = regexp.MustCompile(`^[A-Z]{3}$`)
)

// A reading collects what one text says.
type reading struct {
	amount                 *decimal.Decimal
	sources, targets, free []string // currencies; those that are free have no word that says which side they are
	on                     string
	dated, follows, topic  bool
}

// Read takes a text into the request. today is the day that "yesterday" counts from, as 2006-01-02. It returns false,
// and the request as it was, for a text that it does not fully understand.
func (r Request) Read(text, today string) (Request, bool) {
	found, ok := read(tokens.FindAllString(controls.ReplaceAllString(text, " "), -1), today)
	if !ok || !found.concerns(r) {
		return r, false
	}
	return found.merge(r), true
}

// read finds currencies, one amount and one day; false when a token is unknown or the roles contradict each other.
func read(in []string, today string) (reading, bool) {
	var r reading
	lead, into := &r.free, &r.targets // where the next currency goes, and where it goes behind "in"
	named := -1                       // where the last currency ended
	for i := 0; i < len(in); i++ {
		word := strings.ToLower(in[i])
		code, used := currencyAt(in, i)
		switch {
		case used > 0:
			before, after := amountAt(in, i-1), amountAt(in, i+used)
			if after && named == i {
				return r, false // "CAD $100"
			}
			role := lead
			if before || after && lead == &r.free {
				role = &r.sources
			}
			if !slices.Contains(*role, code) {
				*role = append(*role, code)
			}
			if lead == &r.sources {
				lead = &r.free // "between USD and GBP"
			}
			i += used - 1
			named = i + 1
		case amountAt(in, i):
			amount, ok := readAmount(in[i])
			_, owned := currencyAt(in, i+1)
			isYear := i > 0 && intoWords[strings.ToLower(in[i-1])] && owned == 0 // "USD to EUR in 2020"
			if !ok || r.amount != nil || isYear {
				return r, false
			}
			r.amount = &amount
		case latestWords[word], word == "yesterday", dayForm(word):
			if r.dated {
				return r, false
			}
			r.on, r.dated = dayOf(word, today), true
		case word == "many":
			lead, into = &r.targets, &r.sources // "how many yen in a dollar"
		case intoWords[word]:
			lead = into
		case fromWords[word]:
			lead = &r.sources
		case !joinWords[word] && !topicWords[word] && !fillers[word] && !followWords[word]:
			return r, false
		}
		r.topic = r.topic || topicWords[word]
		r.follows = r.follows || followWords[word]
	}
	clear := len(r.sources) < 2 && (len(r.targets) == 0 || len(r.sources)+len(r.free) < 2)
	return r, clear && len(r.targets)+len(r.free) <= MaxTargets
}

// currencyAt returns the currency that is named from token i on, and how many tokens name it.
func currencyAt(in []string, i int) (code string, used int) {
	if i >= len(in) {
		return "", 0
	}
	for n := min(maxNameWords, len(in)-i); n > 0; n-- {
		if code, ok := names[nameKey(in[i:i+n])]; ok {
			return code, n
		}
	}
	word := strings.ToLower(in[i])
	if codeForm.MatchString(in[i]) && !fillers[word] && !joinWords[word] && !topicWords[word] && !latestWords[word] {
		return in[i], 1
	}
	return "", 0
}

func amountAt(in []string, i int) bool {
	return i >= 0 && i < len(in) && in[i][0] >= '0' && in[i][0] <= '9' && !dayForm(in[i])
}

// readAmount reads digits with an optional decimal point and optional commas between groups of three.
func readAmount(text string) (decimal.Decimal, bool) {
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
	if !amountForm.MatchString(text) || len(whole) > maxWhole || len(fraction) > maxFraction {
		return decimal.Decimal{}, false
	}
	amount, err := decimal.NewFromString(strings.ReplaceAll(text, ",", ""))
	return amount, err == nil
}

func dayForm(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// dayOf returns the day that a word names; "" for the latest one.
func dayOf(word, today string) string {
	switch {
	case latestWords[word]:
		return ""
	case word != "yesterday":
		return word
	}
	day, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return unknownDay
	}
	return day.AddDate(0, 0, -1).Format(time.DateOnly)
}

// concerns reports whether the text asks for a conversion or goes on with one.
func (f reading) concerns(old Request) bool {
	begun := old.From != "" || len(old.To) > 0
	return f.sides() > 0 || f.amount != nil || f.dated && begun || f.topic && !old.Asked
}

func (f reading) sides() int { return len(f.sources) + len(f.targets) + len(f.free) }

// merge fills the request with what was found. A text that names both sides begins anew, unless it answers a question,
// and so does one that names a source, or nothing, while no question is open.
func (f reading) merge(r Request) Request {
	if len(f.sources) == 0 && len(f.free) > 0 && (r.From == "" || f.sides() > 1 && !(r.Asked && len(f.targets) == 0)) {
		f.sources, f.free = f.free[:1], f.free[1:]
	}
	answers := r.Asked && f.amount == nil && (r.From == "" || len(f.sources) == 0 || f.sources[0] == r.From)
	switch {
	case len(f.sources) > 0 && f.sides() > 1 && !answers,
		len(f.sources) > 0 && !r.Asked && !f.follows && r.From != "",
		f.sides() == 0 && f.amount == nil && !f.dated:
		r = Request{}
	}
	if f.amount != nil {
		r.Amount = f.amount
	}
	if f.dated {
		r.On = f.on
	}
	if len(f.sources) > 0 {
		r.From = f.sources[0]
	}
	if to := append(f.targets, f.free...); len(to) > 0 {
		r.To = to
	}
	r.Asked = false
	return r
}

// Without removes currencies that have no rates; the next question asks for others.
func (r Request) Without(codes []string) Request {
	if slices.Contains(codes, r.From) {
		r.From = ""
	}
	r.To = slices.DeleteFunc(slices.Clone(r.To), func(code string) bool { return slices.Contains(codes, code) })
	return r
}

// WithoutDay removes a day that has no rates; the next question asks for another one.
func (r Request) WithoutDay() Request {
	r.On = unknownDay
	return r
}

// Question asks for what the request lacks; "" when it lacks nothing. latest names the rate of the latest day.
func (r Request) Question(latest string) string {
	amount := ""
	if r.Amount != nil {
		amount = " " + r.Amount.String()
	}
	switch {
	case r.From == "" && len(r.To) == 0:
		return "From which currency should I convert" + amount + ", and into which one? For example: 100 USD in GBP."
	case r.From == "":
		return fmt.Sprintf("From which currency should I convert%s into %s?", amount, strings.Join(r.To, " and "))
	case len(r.To) == 0 && r.On == "":
		return fmt.Sprintf("Into which currency should I convert%s %s? I take %s unless you name a day.", amount,
			r.From, latest)
	case len(r.To) == 0:
		return fmt.Sprintf("Into which currency should I convert%s %s?", amount, r.From)
	case r.On == unknownDay:
		return "Which other day do you want, or the latest?"
	}
	return ""
}

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

const maxNameWords = 3

// names maps the names, codes and symbols of the bundled currencies to their codes.
var names = keyed(map[string]string{
	"AUD": "aud, australian dollar, A$, AU$", "BGN": "bgn, lev, bulgarian lev", "BRL": "brl, brazilian real, R$",
	"CAD": "cad, canadian dollar, C$, CA$", "CHF": "chf, franc, swiss franc",
	"CNY": "cny, yuan, chinese yuan, renminbi",
	"CZK": "czk, koruna, czech koruna", "DKK": "dkk, danish krone, danish kroner", "EUR": "eur, euro, €",
	"GBP": "gbp, pound, british pound, pound sterling, sterling, quid, £", "HKD": "hkd, hong kong dollar, HK$",
	"HUF": "huf, forint, hungarian forint", "IDR": "idr, rupiah, indonesian rupiah",
	"ILS": "ils, shekel, israeli shekel",
	"INR": "inr, rupee, indian rupee, ₹", "ISK": "isk, icelandic krona", "JPY": "jpy, yen, japanese yen, ¥",
	"KRW": "krw, korean won, south korean won", "MXN": "mxn, mexican peso", "MYR": "myr, ringgit, malaysian ringgit",
	"NOK": "nok, norwegian krone, norwegian kroner", "NZD": "nzd, new zealand dollar, NZ$",
	"PHP": "php, philippine peso",
	"PLN": "pln, zloty, polish zloty", "RON": "ron, leu, romanian leu", "SEK": "sek, swedish krona, swedish kronor",
	"SGD": "sgd, singapore dollar, S$", "THB": "thb, baht, thai baht", "TRY": "lira, turkish lira",
	"USD": "usd, dollar, us dollar, american dollar, buck, $, US$", "ZAR": "zar, rand, south african rand",
})

func keyed(lists map[string]string) map[string]string {
	all := make(map[string]string)
	for code, list := range lists {
		for name := range strings.SplitSeq(list, ", ") {
			all[nameKey(strings.Fields(name))] = code
		}
	}
	return all
}

// nameKey is a name in lower case and in the singular, as far as an s makes the plural.
func nameKey(words []string) string {
	key := make([]string, len(words))
	for i, word := range words {
		word = strings.ToLower(word)
		if len(word) > 3 {
			word = strings.TrimSuffix(word, "s")
		}
		key[i] = word
	}
	return strings.Join(key, " ")
}
