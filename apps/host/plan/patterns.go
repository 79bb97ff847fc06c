// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"strings"
)

// Patterns are what a text holds beside words: source code, the name of a file.
const (
	patternSource   = "#source-code"
	patternTable    = "#file-table"
	patternDocument = "#file-document"
	patternImage    = "#file-image"
	patternProgram  = "#file-program"
	patternSent     = "#file-sent" // words for something that came along, and is no picture
)

// Money is an amount of a currency as a text has it.
type money struct {
	text     string // as it stands there
	amount   string // as it stands there
	currency string // ISO 4217
	from, to int    // its place, in bytes
}

const amountPattern = `\d[\d,.' ]*\d|\d`

var (
	moneyBefore = lazy(`(A\$|C\$|R\$|US\$|NZ\$|HK\$|S\$|\bR|[$€£¥₹₩₪₺₽₫฿])\s?(` + amountPattern + `)(k\b)?`)
	moneyAfter  = lazy(`(?i)(` + amountPattern +
		`)\s?(k\b|million\b)?\s?([$€£¥₹₩₪₺₽₫฿]|\b[a-z]{2,9}\b)(\s+[a-z]{3,8}\b)?`)
	moneyCode = lazy(`\b([A-Z]{3})\s?(` + amountPattern + `)`)

	filePattern = lazy(`(?i)\b[\w-]+\.([a-z][a-z0-9]{0,5})\b|(?:^|\s)\.([a-z][a-z0-9]{1,5})\b`)
	sentPattern = lazy(
		`(?i)\b(?:attached|uploaded|enclosed|attachment|upload)\b|\bi(?:'ve| have)?\s+(?:just\s+)?(?:sent|send|` +
			`upload|attach|enclose|shared)\b`)
	picture       = lazy(`(?i)\b(?:photo|picture|image|pic|drawing|painting|logo)s?\b`)
	sourcePattern = lazy(
		"```|(?m)^\\s*(func|def|class|import|package|public|SELECT|#include)\\b.*[({;:]|\\b(func|def) " +
			"\\w+\\(|=>|\\w+\\([^)]*\\)\\s*\\{|" +
			`\b(?:for \w+ in|while|if)\b[^.?!\n]{1,30}:\s+\w+[(\s=]|\b[a-z]\w*\([\w,` +
			` ]*\)|</?[a-z]\w*>|\b(?:const|let|var|int)\s+\w+\s*=|\b[a-z]+_[a-z]+_?[a-z]*\b|\bSELECT\b.*\bFROM\b|==|` +
			`\+\+|;\s*}|\b[A-Z]\w+(?:Error|Exception)\b`)
)

// bareAmount is an amount that names no currency, as on a receipt.
var bareAmount = lazy(`\b\d{1,3}(?:,?\d{3})*\.\d\d\b`)

// holdsMoney reports whether a text holds an amount of money.
func holdsMoney(text string) bool {
	return len(amounts(text)) > 0 || bareAmount().MatchString(text)
}

// nation names a currency by its country alone: "in Canadian", "in Polish money".
var nation = lazy(
	`(?i)\b(?:in|into|to|for|as)\s+(?:an?\s+)?([a-z.]+?)(?:\s+(?:money|currency|ones?))?(?:\W*$|[?.!,` +
		`]|\s+(?:money|currency|ones)\b)`)

// symbols are the currencies of signs. A plain dollar is the one of the United States, as everywhere else too.
var symbols = table(`$:USD US$:USD A$:AUD C$:CAD R$:BRL NZ$:NZD HK$:HKD S$:SGD R:ZAR €:EUR £:GBP ¥:JPY ₹:INR ₩:KRW
	₪:ILS ₺:TRY ₽:RUB ₫:VND ฿:THB`)

// currencyNames are the words for currencies, and the codes that are no words of English. Of crowns an adjective says
// which ones.
var currencyNames = table(`dollar:USD dolar:USD doller:USD buck:USD euro:EUR pound:GBP sterling:GBP quid:GBP yen:JPY
	rupee:INR franc:CHF yuan:CNY renminbi:CNY peso:MXN krona:SEK kronor:SEK krone:NOK kroner:NOK won:KRW real:BRL
	reais:BRL zloty:PLN lira:TRY shekel:ILS ruble:RUB baht:THB rand:ZAR forint:HUF ringgit:MYR rupiah:IDR dirham:AED
	koruna:CZK dong:VND hryvnia:UAH naira:NGN riyal:SAR taka:BDT lei:RON greenback:USD crown:
	usd:USD eur:EUR gbp:GBP jpy:JPY inr:INR chf:CHF aud:AUD nzd:NZD cny:CNY rmb:CNY sek:SEK nok:NOK dkk:DKK pln:PLN
	brl:BRL mxn:MXN krw:KRW sgd:SGD hkd:HKD zar:ZAR czk:CZK huf:HUF ils:ILS thb:THB idr:IDR myr:MYR php:PHP`)

// nations are the currencies that adjectives make of names that several countries use, or one.
var nations = table(`us:USD u.s:USD american:USD canadian:CAD australian:AUD aussie:AUD kiwi:NZD zealand:NZD
	kong:HKD vietnamese:VND singapore:SGD swiss:CHF british:GBP uk:GBP english:GBP egyptian:EGP japanese:JPY
	indian:INR pakistani:PKR mexican:MXN argentine:ARS chilean:CLP colombian:COP philippine:PHP chinese:CNY
	swedish:SEK danish:DKK norwegian:NOK icelandic:ISK polish:PLN turkish:TRY brazilian:BRL brasilian:BRL korean:KRW
	czech:CZK thai:THB hungarian:HUF israeli:ILS russian:RUB malaysian:MYR`)

// table reads pairs of a key and a value with a colon between.
func table(text string) map[string]string {
	all := make(map[string]string)
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, ":")
		all[key] = value
	}
	return all
}

// currencyOfTwo returns the ISO code of a currency that two words name, as in "Swedish kronor"; "" for none.
func currencyOfTwo(adjective, noun string) string {
	if _, ok := currencyNames[strings.TrimSuffix(strings.ToLower(noun), "s")]; !ok {
		return ""
	}
	return nations[strings.ToLower(adjective)]
}

// isoCodes are the codes of ISO 4217. In capitals only: some are words of English.
var isoCodes = wordSet(`AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP
	BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
	GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR
	LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
	PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
	TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW`)

// currencyOf returns the ISO code of a currency that one word, or two, name; "" for none.
func currencyOf(words string) string {
	if code, ok := symbols[words]; ok {
		return code
	}
	if isoCodes[words] {
		return words
	}
	lower := strings.ToLower(words)
	if code, ok := currencyNames[lower]; ok {
		return code
	}
	return currencyNames[strings.TrimSuffix(lower, "s")]
}

// amounts returns the money in a text, in its order.
func amounts(text string) []money {
	var found []money
	add := func(m []int, amount, currency string, end int) {
		if currency == "" || slices.ContainsFunc(found, func(f money) bool { return m[0] < f.to && f.from < end }) {
			return
		}
		found = append(found, money{strings.TrimSpace(text[m[0]:end]), strings.TrimSpace(amount), currency, m[0], end})
	}
	for _, m := range moneyBefore().FindAllStringSubmatchIndex(text, -1) {
		add(m, text[m[4]:m[5]]+group(text, m, 3), symbols[text[m[2]:m[3]]], m[1])
	}
	for _, m := range moneyAfter().FindAllStringSubmatchIndex(text, -1) {
		amount, one := text[m[2]:m[3]]+group(text, m, 2), group(text, m, 3)
		if two := group(text, m, 4); two != "" {
			if code := currencyOfTwo(one, strings.TrimSpace(two)); code != "" {
				add(m, amount, code, m[1])
				continue
			}
		}
		if code := currencyOf(one); code != "" {
			add(m, amount, code, m[7])
		}
	}
	for _, m := range moneyCode().FindAllStringSubmatchIndex(text, -1) {
		if isoCodes[text[m[2]:m[3]]] {
			add(m, text[m[4]:m[5]], text[m[2]:m[3]], m[1])
		}
	}
	slices.SortFunc(found, func(a, b money) int { return a.from - b.from })
	return found
}

// A currency is wanted after these words: right before it, "in US dollars", or a few words before it, "only accepts
// amounts in sterling".
var (
	intoWords = wordSet("in into to as")
	mustWords = wordSet(`only just must need needs want wants accept accepts take takes require requires expect
	expects insist insists prefer prefers`)
)

// maxWanting is how many words before a currency may say that it is wanted.
const maxWanting = 5

// wanted returns where a text says in which currency an amount is wanted, and which that is; "" for none. The currency
// of an amount says what there is, not what is wanted.
func wanted(text string) (at textRange, code string) {
	tokens, sums := tokenize(text), amounts(text)
	for i := 1; i < len(tokens); i++ {
		code, last := currencyAt(tokens, i)
		if code == "" || slices.ContainsFunc(sums,
			func(m money) bool { return tokens[i].from < m.to && m.from < tokens[last].to }) {
			continue
		}
		if from := wanting(tokens[:i]); from >= 0 {
			return textRange{tokens[from].from, tokens[last].to}, code
		}
	}
	return textRange{}, ""
}

// wanting returns which of the words before a currency says that it is wanted; less than 0 for none.
func wanting(before []token) int {
	last := len(before) - 1
	if last > 0 && before[last].word == "the" {
		last--
	}
	if intoWords[before[last].word] {
		return last
	}
	for i := last; i >= 0 && i > last-maxWanting && !isNumber(before[i].word); i-- {
		if mustWords[before[i].word] {
			return i
		}
	}
	return -1
}

// ambiguous words name currencies and much else.
var ambiguous = wordSet("won real rand")

// wantsCurrency reports whether a text names a currency that an amount is wanted in.
func wantsCurrency(text string) bool {
	_, code := wanted(text)
	return code != ""
}

func group(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// currencyAt returns the currency that a word, or two from it on, name, and the last of the words; "" for none.
func currencyAt(tokens []token, i int) (code string, last int) {
	if i+1 < len(tokens) {
		if code := currencyOfTwo(tokens[i].word, tokens[i+1].word); code != "" {
			return code, i + 1
		}
	}
	if ambiguous[tokens[i].raw] {
		return "", i
	}
	return currencyOf(tokens[i].raw), i
}

// currencies returns the different currencies that a text names, with amounts or without.
func currencies(text string, tokens []token) []string {
	var codes []string
	add := func(code string) {
		if code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	for i := 0; i < len(tokens); i++ {
		// EURUSD
		if pair := strings.ToUpper(tokens[i].raw); len(pair) == 6 && isoCodes[pair[:3]] && isoCodes[pair[3:]] {
			add(pair[:3])
			add(pair[3:])
			continue
		}
		code, last := currencyAt(tokens, i)
		add(code)
		i = last
	}
	if holdsMoney(text) {
		for _, m := range nation().FindAllStringSubmatch(text, -1) {
			add(nations[strings.ToLower(m[1])])
		}
	}
	for sign, code := range symbols {
		if len(sign) <= len("€") && sign != "R" && strings.Contains(text, sign) {
			add(code)
		}
	}
	return codes
}

// fileKinds are the endings of names of files.
var fileKinds = map[string]map[string]bool{
	patternTable:    wordSet("csv tsv xlsx xls parquet"),
	patternDocument: wordSet("txt pdf docx doc md log"),
	patternImage:    wordSet("png jpg jpeg gif svg webp bmp"),
	patternProgram:  wordSet("go py js ts java rs c cpp html css sh rb"),
}

// patterns returns the patterns that a text holds.
func patterns(text string) []string {
	var found []string
	add := func(pattern string, there bool) {
		if there && !slices.Contains(found, pattern) {
			found = append(found, pattern)
		}
	}
	add(patternSent, sentPattern().MatchString(text) && !picture().MatchString(text))
	add(patternSource, sourcePattern().MatchString(text))
	for _, m := range filePattern().FindAllStringSubmatchIndex(text, -1) {
		for kind, endings := range fileKinds {
			add(kind, endings[strings.ToLower(group(text, m, 1)+group(text, m, 2))])
		}
	}
	return found
}

// patternOfType returns the pattern of a file of a media type; "" for none.
func patternOfType(mediaType string) string {
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		return patternImage
	case mediaType == "text/csv", mediaType == "text/tab-separated-values", strings.Contains(mediaType, "spreadsheet"):
		return patternTable
	case mediaType == "application/pdf", mediaType == "text/markdown", strings.Contains(mediaType, "wordprocessing"):
		return patternDocument
	}
	return ""
}

// otherCurrency returns the currency that a text names beside that of its one amount, by its code, and where the text
// says that it is wanted, if it does so in one phrase; "" for none.
func otherCurrency(text string, sums []money) (at textRange, code string) {
	if len(sums) == 0 {
		return textRange{}, ""
	}
	has := func(code string) bool {
		return slices.ContainsFunc(sums, func(m money) bool { return m.currency == code })
	}
	if at, code = wanted(text); code != "" && !has(code) {
		return at, code
	}
	for _, code := range currencies(text, tokenize(text)) {
		if !has(code) {
			return textRange{}, code
		}
	}
	return textRange{}, ""
}

// withoutMoney returns a text without its currencies and the words that say that one is turned into another. Its
// amounts stay as numbers.
func withoutMoney(text string) string {
	var rest []string
	sums := amounts(text)
	for _, t := range tokenize(text) {
		at := slices.IndexFunc(sums, func(m money) bool { return t.from < m.to && m.from < t.to })
		switch {
		case at >= 0 && t.from <= sums[at].from:
			rest = append(rest, "10.00")
		case at < 0 && currencyOf(t.raw) == "" && !converting[t.word]:
			rest = append(rest, t.raw)
		}
	}
	return strings.Join(rest, " ")
}

// converting words say that an amount is turned into another currency.
var converting = wordSet(`convert converted converting conversion change changed changing exchange exchanged
	exchanging turn turned turning into rate currency worth`)
