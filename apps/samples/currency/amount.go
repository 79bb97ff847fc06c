// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"slices"
	"strings"
)

// An amount has at most so many digits left and right of the point: more than any money, and few enough to be cheap.
const (
	maxWholeDigits    = 15
	maxFractionDigits = 8
)

// A number is a numeral in the text.
type number struct {
	value    Decimal
	bad      bool // not readable as one number, negative or too long
	pointed  bool // like 1.234, which some readers take for 1234
	negative bool
	small    bool // up to three digits alone, or up to three digits of a group: may join "1 234" written with spaces
}

// readNumber reads digits with separators. The text begins with a digit or a point and ends with a digit.
//
// With both kinds of separators the last one is the decimal sign. A comma alone in front of three digits parts the
// thousands; any other single comma or point is the decimal sign.
func readNumber(text string) number {
	text = strings.ReplaceAll(text, "’", "'")
	plain := strings.ReplaceAll(strings.ReplaceAll(text, "'", ""), "_", "")
	decimal := decimalSign(plain)
	whole, fraction := plain, ""
	if decimal != "" {
		at := strings.LastIndex(plain, decimal)
		whole, fraction = plain[:at], plain[at+1:]
	}
	if !wellGrouped(whole) {
		return number{bad: true}
	}
	digits := strings.NewReplacer(",", "", ".", "").Replace(whole)
	n := plainDecimal(digits, fraction)
	n.pointed = decimal == "." && len(fraction) == 3 && len(whole) <= 3 && strings.Trim(whole, "0") != ""
	n.bad = n.bad || (n.pointed && fraction[2] == '0') // 5.000: nobody writes decimals so, but some write thousands so
	n.small = onlyDigits(text) && len(text) <= 3
	return n
}

// decimalSign is the separator of the fraction in text, "" if it has none.
func decimalSign(text string) string {
	commas, points := strings.Count(text, ","), strings.Count(text, ".")
	switch {
	case commas > 0 && points > 0:
		return text[strings.LastIndexAny(text, ",."):][:1]
	case points == 1:
		return "."
	case commas == 1 && !thousands(text):
		return ","
	}
	return ""
}

// thousands tells whether text, which has one comma, is a number like 12,345.
func thousands(text string) bool {
	head, tail, _ := strings.Cut(text, ",")
	return len(tail) == 3 && len(head) >= 1 && len(head) <= 3 && head[0] != '0'
}

// wellGrouped tells whether the separators in whole, all of one kind, part groups of three digits, or of two before the
// last three as in India.
func wellGrouped(whole string) bool {
	if strings.Contains(whole, ",") && strings.Contains(whole, ".") {
		return false
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == ',' || r == '.' })
	if len(groups) != strings.Count(whole, ",")+strings.Count(whole, ".")+1 {
		return whole == "" // .5 has no whole part
	}
	if len(groups) == 1 {
		return true
	}
	middle := groups[1 : len(groups)-1]
	width := 3
	if len(middle) > 0 {
		width = len(middle[0])
	}
	sameWidth := !slices.ContainsFunc(middle, func(g string) bool { return len(g) != width })
	return sameWidth && (width == 2 || width == 3) && len(groups[0]) <= width && len(groups[len(groups)-1]) == 3
}

func plainDecimal(whole, fraction string) number {
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(whole) > maxWholeDigits || len(fraction) > maxFractionDigits {
		return number{bad: true}
	}
	text := "0" + whole
	if fraction != "" {
		text += "." + fraction
	}
	value, err := ParseDecimal(text)
	return number{value: value, bad: err != nil}
}

// times multiplies, and is bad when the product is too long.
func (n number) times(factor int64) number {
	product := n.value.Mul(decimalFromInt(factor))
	whole, fraction, _ := strings.Cut(product.String(), ".")
	if n.bad || len(whole) > maxWholeDigits || len(fraction) > maxFractionDigits {
		return number{bad: true, negative: n.negative}
	}
	return number{value: product, negative: n.negative}
}

// factors that stand directly behind the digits (2k) or as a word (2 million).
var (
	gluedFactors = map[string]int64{"k": 1e3, "m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}
	wordFactors  = map[string]int64{
		"k": 1e3, "mio": 1e6, "bn": 1e9, "hundred": 100, "grand": 1e3, "thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6,
		"billion": 1e9, "billions": 1e9, "trillion": 1e12, "trillions": 1e12, "lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7,
	}
	numerals = map[string]int64{
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
		"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	// vague words make an amount that nobody should guess.
	vague = set("half quarter couple few several dozen dozens")
)

// joinNumbers makes one number of "1 234,56", of "2k" and "3 million", of "twenty five" and of a minus and a number.
func joinNumbers(in []token) []token {
	in = joinSigns(joinSpaced(spellNumbers(in)))
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		if t.kind != kindNumber {
			out = append(out, t)
			continue
		}
		for i+1 < len(in) && in[i+1].kind == kindWord {
			factor, known := wordFactors[in[i+1].fold], false
			if in[i+1].glued {
				factor, known = gluedFactors[in[i+1].fold]
			}
			if !known && factor == 0 {
				break
			}
			t.count = t.count.times(factor)
			i++
		}
		if i+1 < len(in) && in[i+1].glued && exponentOrHex(in[i+1]) {
			t.count.bad = true
		}
		out = append(out, t)
	}
	return out
}

// exponentOrHex: 1e5 and 0x10 are numbers of programmers; guessing at them could be off by orders of magnitude.
func exponentOrHex(t token) bool { return t.kind == kindWord && (t.fold == "e" || t.fold == "x") }

// joinSpaced joins groups of three digits that stand apart by a space.
func joinSpaced(in []token) []token {
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		if t.kind == kindNumber && t.count.small && t.text[0] != '0' {
			joined, used := t.text, 0
			for i+used+1 < len(in) && spacedGroup(in[i+used+1]) {
				used++
				joined += in[i+used].text
				if !in[i+used].count.small {
					break // the group with the fraction is the last
				}
			}
			if used > 0 {
				t.text = joined
				t.count = readNumber(strings.ReplaceAll(joined, ",", "."))
				t.count.pointed = false
				i += used
			}
		}
		out = append(out, t)
	}
	return out
}

// spacedGroup tells whether t is three digits, maybe with a fraction behind them, after a space.
func spacedGroup(t token) bool {
	if t.kind != kindNumber || t.glued || len(t.text) < 3 || !onlyDigits(t.text[:3]) {
		return false
	}
	return len(t.text) == 3 || (len(t.text) > 4 && (t.text[3] == ',' || t.text[3] == '.') && onlyDigits(t.text[4:]))
}

// joinSigns takes a minus that belongs to a number: "-5", "-$5" and "$-5", but not "2-5".
func joinSigns(in []token) []token {
	var out []token
	for i, t := range in {
		if t.kind == kindNumber && i > 0 && t.glued {
			j := i - 1
			if in[j].kind == kindCurrency && in[j].money.sign && in[j].glued && j > 0 {
				j--
			}
			leads := !in[j].glued || (j > 0 && in[j-1].kind == kindCurrency)
			if in[j].kind == kindMinus && leads {
				t.count.negative, t.count.bad = true, true
			}
		}
		out = append(out, t)
	}
	return out
}

// spellNumbers replaces numerals in words by numbers: "five", "twenty five", "a hundred".
func spellNumbers(in []token) []token {
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		value, ok := numerals[t.fold]
		if t.kind == kindWord && (t.fold == "a" || t.fold == "an") && i+1 < len(in) && in[i+1].kind == kindWord && wordFactors[in[i+1].fold] > 0 {
			value, ok = 1, true
		}
		if t.kind != kindWord || !ok {
			out = append(out, t)
			continue
		}
		if value >= 20 {
			if unit, used := unitAfter(in, i); used > 0 {
				value += unit
				i += used
			}
		}
		out = append(out, token{kind: kindNumber, text: t.text, glued: t.glued, count: number{value: decimalFromInt(value)}})
	}
	return out
}

// unitAfter finds the unit of a spelled number at i: the five of "twenty five" and of "twenty-five".
func unitAfter(in []token, i int) (unit int64, used int) {
	used = 1
	if i+1 < len(in) && in[i+1].kind == kindMinus && in[i+1].glued {
		used = 2
	}
	if i+used >= len(in) || in[i+used].kind != kindWord {
		return 0, 0
	}
	if unit = numerals[in[i+used].fold]; unit < 1 || unit > 9 {
		return 0, 0
	}
	return unit, used
}
