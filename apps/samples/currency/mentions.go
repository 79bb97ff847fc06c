// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"slices"
	"strings"
	"unicode"
)

// A mention is what a piece of the text says about a currency.
type mention struct {
	codes   []string // what it stands for; several when the name is shared, none when it is unknown
	family  []string // all that it may stand for when a code beside it says so
	sign    bool     // a symbol such as $
	unknown bool     // stands where a currency belongs and is none that exists
}

// may tells whether the mention and a code beside it can be two ways to name one currency: $ and CAD, pesos and MXN.
func (m mention) may(code string) bool {
	return slices.Contains(m.codes, code) || slices.Contains(m.family, code)
}

var (
	intoWords    = set("to in into onto as towards")
	fromWords    = set("from selling sell")
	listWords    = set("and or plus")
	versusWords  = set("vs versus against per")
	noiseWords   = set("the a an my some our your both currency currencies code just exactly about approximately roughly around")
	closingWords = set("to in into from for on at as of and or is are please now today yesterday latest using with by rate rates exchange currency thanks currently worth be")
)

// A finder turns words into currency tokens.
type finder struct {
	in       []token
	out      []token
	shouting bool // all capitals: upper case proves nothing
	open     bool // a question is open, so a word alone may be the answer
	grounded bool // something in the text is surely a currency or a number
}

// findCurrencies replaces codes and names of currencies by currency tokens. With open set, a text that is just one
// code counts as one, whatever word it is.
func findCurrencies(in []token, open bool) []token {
	f := finder{in: in, shouting: shouting(in), open: open && len(contentWords(in)) == 1}
	f.grounded = slices.ContainsFunc(in, func(t token) bool { return t.kind == kindNumber || t.kind == kindCurrency }) ||
		f.anyStrong()
	for i := 0; i < len(in); {
		used := f.take(i)
		if used == 0 {
			f.out = append(f.out, in[i])
			used = 1
		}
		i += used
	}
	return mergeMentions(f.out)
}

// shouting tells whether the text is in capitals and has words that are no codes.
func shouting(in []token) bool {
	long := false
	for _, t := range in {
		if t.kind != kindWord {
			continue
		}
		if strings.ContainsFunc(t.text, unicode.IsLower) {
			return false
		}
		if len(t.text) != 3 && !intoWords[t.fold] && !fromWords[t.fold] && !listWords[t.fold] {
			long = true
		}
	}
	return long
}

// contentWords are the words that carry meaning.
func contentWords(in []token) []string {
	var words []string
	for _, t := range in {
		if t.kind == kindWord && !noiseWords[t.fold] && !closingWords[t.fold] {
			words = append(words, t.fold)
		}
	}
	return words
}

func (f *finder) anyStrong() bool {
	for i := range f.in {
		if _, _, weak := f.known(i); !weak {
			return true
		}
	}
	return false
}

// take tries to read a currency at token i and returns how many tokens it took.
func (f *finder) take(i int) int {
	if f.in[i].kind != kindWord {
		return 0
	}
	if first, second, ok := f.pair(f.in[i]); ok {
		f.add(i, 1, mention{codes: []string{first}})
		f.add(i, 1, mention{codes: []string{second}})
		return 1
	}
	codes, used, weak := f.known(i)
	if len(codes) > 0 && (!weak || f.belongs(i, used)) {
		f.add(i, used, mention{codes: codes, family: family(f.in[i].fold, codes)})
		return used
	}
	if f.strange(i) {
		f.add(i, 1, mention{unknown: true})
		return 1
	}
	return 0
}

// family is what a name may stand for when another one follows: "100 dollars Canadian", "100 dollars CAD".
func family(word string, codes []string) []string {
	if word != "dollar" && word != "dollars" {
		return codes
	}
	dollar, _ := signAt("$")
	return dollar.codes
}

func (f *finder) add(i, used int, m mention) {
	text := f.in[i].text
	for _, t := range f.in[i+1 : i+used] {
		text += " " + t.text
	}
	f.out = append(f.out, token{kind: kindCurrency, text: text, fold: fold(text), glued: f.in[i].glued, money: m})
}

// known looks token i up among names and codes. Weak is true when there is nothing or when it may be another word.
func (f *finder) known(i int) (codes []string, used int, weak bool) {
	if f.in[i].kind != kindWord {
		return nil, 0, true
	}
	if a, used := f.named(i); used > 0 {
		return a.codes, used, a.weak
	}
	t := f.in[i]
	code := strings.ToUpper(t.fold)
	if t.text == "R" && i+1 < len(f.in) && f.in[i+1].kind == kindNumber && f.in[i+1].glued {
		return []string{"ZAR"}, 1, false
	}
	if _, ok := names[code]; !ok {
		return nil, 0, true
	}
	strong := unmistakable[t.fold] || (t.text == code && !f.shouting)
	return []string{code}, 1, !strong
}

// named finds the longest name that begins at token i.
func (f *finder) named(i int) (alias, int) {
	phrase, found, used := "", alias{}, 0
	for n := 0; n < maxAliasWords && i+n < len(f.in) && f.in[i+n].kind == kindWord; n++ {
		if n > 0 {
			phrase += " "
		}
		phrase += f.in[i+n].fold
		if a, ok := aliases[phrase]; ok {
			found, used = a, n+1
		}
	}
	return found, used
}

// pair reads EURUSD.
func (f *finder) pair(t token) (first, second string, ok bool) {
	if len(t.fold) != 6 || len(t.text) != 6 {
		return "", "", false
	}
	a, b := t.fold[:3], t.fold[3:]
	_, knownA := names[strings.ToUpper(a)]
	_, knownB := names[strings.ToUpper(b)]
	upper := t.text == strings.ToUpper(t.text) && !f.shouting
	if !knownA || !knownB || (!upper && !(unmistakable[a] && unmistakable[b])) {
		return "", "", false
	}
	return strings.ToUpper(a), strings.ToUpper(b), true
}

// belongs tells whether the used words at i stand where a currency belongs, so that a word such as "cad" or "won" is one.
func (f *finder) belongs(i, used int) bool {
	common := everyday[f.in[i].fold]
	switch {
	case f.open:
		return true
	case f.is(i-1, kindNumber), f.word(i-1) == "dollars" && common && f.closes(i+used):
		return true
	case common && !f.grounded:
		return false
	case f.is(i+used, kindNumber) && !common:
		return f.closes(i + used + 1)
	case f.introduced(i) && f.closes(i+used):
		return true
	case f.listed() && f.closes(i+used):
		return true
	}
	if f.is(i+used, kindSlash) || f.is(i+used, kindArrow) || (f.wordIn(i+used, intoWords) && !common) {
		return true
	}
	_, _, weak := f.knownAt(i + used + 1)
	return f.word(i+used) == "to" && !weak
}

func (f *finder) knownAt(i int) ([]string, int, bool) {
	if i >= len(f.in) {
		return nil, 0, true
	}
	return f.known(i)
}

// introduced tells whether a word such as to or from, or an arrow or slash, stands before token i.
func (f *finder) introduced(i int) bool {
	for i--; i >= 0 && f.wordIn(i, noiseWords); {
		i--
	}
	return f.wordIn(i, intoWords) || f.wordIn(i, fromWords) || f.word(i) == "between" || f.is(i, kindSlash) || f.is(i, kindArrow)
}

// listed tells whether what was read so far ends with a currency and a comma or an "and".
func (f *finder) listed() bool {
	last := len(f.out) - 1
	for last >= 0 && (f.out[last].kind == kindComma || f.out[last].is(listWords) || f.out[last].is(versusWords)) {
		last--
	}
	return last >= 0 && last < len(f.out)-1 && f.out[last].kind == kindCurrency
}

// closes tells whether a phrase can end before token i.
func (f *finder) closes(i int) bool {
	return i >= len(f.in) || (f.in[i].kind != kindWord && f.in[i].kind != kindCurrency) || f.wordIn(i, closingWords)
}

// strange tells whether the word at i, which names no currency, stands where one belongs and looks like one: three
// letters like a code, or one slip away from a name.
func (f *finder) strange(i int) bool {
	t := f.in[i]
	code := len(t.text) == 3 && len(t.fold) == 3
	capitals := code && t.text == strings.ToUpper(t.text) && !f.shouting && t.text[0] < 0x80
	if noiseWords[t.fold] || closingWords[t.fold] || (t.glued && f.is(i-1, kindNumber) && !code) {
		return false
	}
	placed := f.is(i-1, kindNumber) || f.introduced(i) || f.listed()
	leads := (i == 0 || f.word(i-1) == "convert" || f.word(i-1) == "exchange") && (f.wordIn(i+1, intoWords) || f.is(i+1, kindSlash) || f.is(i+1, kindArrow))
	switch {
	case capitals:
		return f.open || leads || (placed && f.closes(i+1))
	case code && f.is(i-1, kindNumber):
		return f.wordIn(i+1, intoWords) || f.is(i+1, kindArrow)
	}
	return len(t.fold) > 3 && (f.open || (placed && f.grounded)) && f.closes(i+1) && len(nearCodes(t.fold)) > 0
}

func (f *finder) is(i int, kind tokenKind) bool {
	return i >= 0 && i < len(f.in) && f.in[i].kind == kind
}

func (f *finder) wordIn(i int, words map[string]bool) bool {
	return f.is(i, kindWord) && words[f.in[i].fold]
}

func (f *finder) word(i int) string {
	if !f.is(i, kindWord) {
		return ""
	}
	return f.in[i].fold
}

// mergeMentions makes one mention of two that name one currency side by side: "$100 CAD", "CAD $100", "US dollars
// (USD)", "pesos (MXN)".
func mergeMentions(in []token) []token {
	var out []token
	for _, t := range in {
		if at := mergeTarget(out, t); at >= 0 {
			if !t.money.sign {
				out[at].money = mention{codes: t.money.codes, family: t.money.codes, sign: out[at].money.sign}
				out[at].text = t.text
			}
			continue
		}
		out = append(out, t)
	}
	return out
}

// mergeTarget finds the mention at the end of out that t only repeats or narrows down, -1 if there is none.
func mergeTarget(out []token, t token) int {
	at := len(out) - 1
	if t.kind != kindCurrency || at < 0 {
		return -1
	}
	if out[at].kind == kindNumber && !t.money.sign && at > 0 && out[at-1].money.sign {
		at-- // the symbol in front of the number
	} else if out[at].kind == kindStop && out[at].text == "(" && at > 0 {
		at--
	}
	if out[at].kind != kindCurrency {
		return -1
	}
	narrows := len(t.money.codes) == 1 && out[at].money.may(t.money.codes[0])
	repeats := t.money.sign && len(out[at].money.codes) == 1 && t.money.may(out[at].money.codes[0])
	if narrows || repeats {
		return at
	}
	return -1
}
