// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"slices"
	"strings"
)

// names has the currencies that people may name by code, with their English names: those of ISO 4217 that are in
// use as money.
var names = map[string]string{
	"AED": "UAE dirham", "AFN": "Afghan afghani", "ALL": "Albanian lek", "AMD": "Armenian dram",
	"ANG": "Antillean guilder", "AOA": "Angolan kwanza", "ARS": "Argentine peso", "AUD": "Australian dollar",
	"AWG": "Aruban florin", "AZN": "Azerbaijani manat", "BAM": "Bosnian mark", "BBD": "Barbadian dollar",
	"BDT": "Bangladeshi taka", "BGN": "Bulgarian lev", "BHD": "Bahraini dinar", "BIF": "Burundian franc",
	"BMD": "Bermudian dollar", "BND": "Brunei dollar", "BOB": "Bolivian boliviano", "BRL": "Brazilian real",
	"BSD": "Bahamian dollar", "BTN": "Bhutanese ngultrum", "BWP": "Botswana pula", "BYN": "Belarusian ruble",
	"BZD": "Belize dollar", "CAD": "Canadian dollar", "CDF": "Congolese franc", "CHF": "Swiss franc",
	"CLP": "Chilean peso", "CNY": "Chinese yuan", "COP": "Colombian peso", "CRC": "Costa Rican colon",
	"CUP": "Cuban peso", "CVE": "Cape Verdean escudo", "CZK": "Czech koruna", "DJF": "Djiboutian franc",
	"DKK": "Danish krone", "DOP": "Dominican peso", "DZD": "Algerian dinar", "EGP": "Egyptian pound",
	"ERN": "Eritrean nakfa", "ETB": "Ethiopian birr", "EUR": "euro", "FJD": "Fijian dollar",
	"FKP": "Falkland pound", "GBP": "British pound", "GEL": "Georgian lari", "GHS": "Ghanaian cedi",
	"GIP": "Gibraltar pound", "GMD": "Gambian dalasi", "GNF": "Guinean franc", "GTQ": "Guatemalan quetzal",
	"GYD": "Guyanese dollar", "HKD": "Hong Kong dollar", "HNL": "Honduran lempira", "HTG": "Haitian gourde",
	"HUF": "Hungarian forint", "IDR": "Indonesian rupiah", "ILS": "Israeli shekel", "INR": "Indian rupee",
	"IQD": "Iraqi dinar", "IRR": "Iranian rial", "ISK": "Icelandic krona", "JMD": "Jamaican dollar",
	"JOD": "Jordanian dinar", "JPY": "Japanese yen", "KES": "Kenyan shilling", "KGS": "Kyrgyz som",
	"KHR": "Cambodian riel", "KMF": "Comorian franc", "KPW": "North Korean won", "KRW": "South Korean won",
	"KWD": "Kuwaiti dinar", "KYD": "Cayman dollar", "KZT": "Kazakh tenge", "LAK": "Lao kip",
	"LBP": "Lebanese pound", "LKR": "Sri Lankan rupee", "LRD": "Liberian dollar", "LSL": "Lesotho loti",
	"LYD": "Libyan dinar", "MAD": "Moroccan dirham", "MDL": "Moldovan leu", "MGA": "Malagasy ariary",
	"MKD": "Macedonian denar", "MMK": "Burmese kyat", "MNT": "Mongolian tugrik", "MOP": "Macanese pataca",
	"MRU": "Mauritanian ouguiya", "MUR": "Mauritian rupee", "MVR": "Maldivian rufiyaa", "MWK": "Malawian kwacha",
	"MXN": "Mexican peso", "MYR": "Malaysian ringgit", "MZN": "Mozambican metical", "NAD": "Namibian dollar",
	"NGN": "Nigerian naira", "NIO": "Nicaraguan cordoba", "NOK": "Norwegian krone", "NPR": "Nepalese rupee",
	"NZD": "New Zealand dollar", "OMR": "Omani rial", "PAB": "Panamanian balboa", "PEN": "Peruvian sol",
	"PGK": "Papua New Guinean kina", "PHP": "Philippine peso", "PKR": "Pakistani rupee", "PLN": "Polish zloty",
	"PYG": "Paraguayan guarani", "QAR": "Qatari riyal", "RON": "Romanian leu", "RSD": "Serbian dinar",
	"RUB": "Russian ruble", "RWF": "Rwandan franc", "SAR": "Saudi riyal", "SBD": "Solomon Islands dollar",
	"SCR": "Seychellois rupee", "SDG": "Sudanese pound", "SEK": "Swedish krona", "SGD": "Singapore dollar",
	"SHP": "Saint Helena pound", "SLE": "Sierra Leonean leone", "SOS": "Somali shilling", "SRD": "Surinamese dollar",
	"SSP": "South Sudanese pound", "STN": "Sao Tome dobra", "SYP": "Syrian pound", "SZL": "Swazi lilangeni",
	"THB": "Thai baht", "TJS": "Tajik somoni", "TMT": "Turkmen manat", "TND": "Tunisian dinar",
	"TOP": "Tongan paanga", "TRY": "Turkish lira", "TTD": "Trinidad dollar", "TWD": "Taiwan dollar",
	"TZS": "Tanzanian shilling", "UAH": "Ukrainian hryvnia", "UGX": "Ugandan shilling", "USD": "US dollar",
	"UYU": "Uruguayan peso", "UZS": "Uzbek som", "VES": "Venezuelan bolivar", "VND": "Vietnamese dong",
	"VUV": "Vanuatu vatu", "WST": "Samoan tala", "XAF": "Central African franc", "XCD": "East Caribbean dollar",
	"XOF": "West African franc", "XPF": "CFP franc", "YER": "Yemeni rial", "ZAR": "South African rand",
	"ZMW": "Zambian kwacha",
}

// unmistakable has the codes that mean nothing else, so that lower case is enough wherever they stand. The other
// codes read as words (all, try, top, cad) or as other abbreviations, and need a place where a currency belongs.
var unmistakable = set("aud bgn brl chf cny czk dkk eur gbp hkd huf idr inr jpy krw mxn myr nok nzd pln sek sgd thb usd zar")

// everyday has weak codes and names that are such common words that even a number behind them proves nothing:
// "top 10", "try 100".
var everyday = set("all try top cup mad pen bob cop mop gel sos bam ang won real reals crown crowns mark marks sol kip som canadian australian")

// plurals of the nouns that do not just take an s, which every noun may take as well.
var plurals = map[string][]string{
	"krone": {"kroner"}, "krona": {"kronor", "kronur"}, "koruna": {"koruny", "korun"}, "real": {"reais"},
	"lira": {"lire"}, "zloty": {"zlote", "zlotych"}, "leu": {"lei"}, "lev": {"leva"}, "shekel": {"sheqel", "sheqels"},
	"ruble": {"rouble", "roubles"},
}

// An alias is what a name stands for. More than one code means that the name alone does not say which.
type alias struct {
	codes []string
	weak  bool // an everyday word as well: counts only where a currency belongs
}

// extraAliases are the names that do not follow from [names]: nouns alone, other adjectives, abbreviations. A weak
// one has a star.
var extraAliases = map[string]string{
	"dollar": "USD", "american dollar": "USD", "united states dollar": "USD", "buck*": "USD", "greenback": "USD",
	"pound": "GBP", "pound sterling": "GBP", "pounds sterling": "GBP", "sterling": "GBP", "uk pound": "GBP", "english pound": "GBP", "quid": "GBP",
	"franc": "CHF", "fr*": "CHF", "sfr": "CHF", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "rmb": "CNY", "chinese renminbi": "CNY",
	"rupee": "INR", "rs*": "INR", "rupiah": "IDR", "rp*": "IDR", "won*": "KRW", "korean won": "KRW", "real*": "BRL", "reais": "BRL",
	"rand": "ZAR", "ringgit": "MYR", "rm*": "MYR", "baht": "THB", "forint": "HUF", "zloty": "PLN", "zl": "PLN",
	"lev*": "BGN", "leva": "BGN", "лв": "BGN", "lira": "TRY", "shekel": "ILS", "new shekel": "ILS", "israeli new shekel": "ILS", "nis": "ILS",
	"koruna": "CZK", "czech crown": "CZK", "kc": "CZK", "krona": "SEK ISK", "krone": "DKK NOK", "crown*": "CZK DKK ISK NOK SEK",
	"kr*": "DKK ISK NOK SEK", "swedish crown": "SEK", "danish crown": "DKK", "norwegian crown": "NOK",
	"peso": "ARS CLP COP MXN PHP", "filipino peso": "PHP", "dinar": "BHD JOD KWD RSD TND", "dirham": "AED MAD", "emirati dirham": "AED",
	"hryvnia": "UAH", "ruble": "RUB", "naira": "NGN", "leu": "RON", "lei": "RON", "kiwi dollar": "NZD", "aussie dollar": "AUD",
	"nz dollar": "NZD", "hk dollar": "HKD", "singaporean dollar": "SGD", "taiwanese dollar": "TWD", "philippines peso": "PHP",
	"canadian*": "CAD", "australian*": "AUD",
}

// maxAliasWords is the length of the longest name in words.
const maxAliasWords = 4

// aliases maps folded names, singular and plural, to what they stand for.
var aliases = buildAliases()

func buildAliases() map[string]alias {
	all := make(map[string]alias)
	add := func(phrase string, a alias) {
		head, noun := "", phrase
		if i := strings.LastIndexByte(phrase, ' '); i >= 0 {
			head, noun = phrase[:i+1], phrase[i+1:]
		}
		for _, form := range append([]string{noun, noun + "s"}, plurals[noun]...) {
			if old, taken := all[head+form]; !taken || old.weak {
				all[head+form] = a
			}
		}
	}
	for code, name := range names {
		add(fold(name), alias{codes: []string{code}})
	}
	for noun, codes := range nouns() {
		if len(codes) == 1 {
			add(noun, alias{codes: codes, weak: true})
		}
	}
	for phrase, codes := range extraAliases {
		bare := strings.TrimSuffix(phrase, "*")
		add(bare, alias{codes: strings.Fields(codes), weak: bare != phrase})
	}
	return all
}

// nouns maps the last word of each name to the currencies that have it: the lek is only Albanian, the dollar is not.
func nouns() map[string][]string {
	all := make(map[string][]string)
	for code, name := range names {
		noun := fold(name[strings.LastIndexByte(name, ' ')+1:])
		all[noun] = append(all[noun], code)
	}
	return all
}

// A sign is a currency symbol and the currencies that write it; the first is meant when nothing else says so.
type sign struct {
	text  string
	codes []string
}

// signs holds longer symbols before those that they begin with.
var signs = []sign{
	{"US$", []string{"USD"}}, {"AU$", []string{"AUD"}}, {"CA$", []string{"CAD"}}, {"NZ$", []string{"NZD"}},
	{"HK$", []string{"HKD"}}, {"SG$", []string{"SGD"}}, {"MX$", []string{"MXN"}}, {"NT$", []string{"TWD"}},
	{"CN¥", []string{"CNY"}}, {"JP¥", []string{"JPY"}}, {"A$", []string{"AUD"}}, {"C$", []string{"CAD"}},
	{"R$", []string{"BRL"}}, {"S$", []string{"SGD"}},
	{"$", []string{"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "TWD", "BRL", "ARS", "CLP", "COP"}},
	{"€", []string{"EUR"}}, {"£", []string{"GBP", "EGP", "FKP", "GIP", "LBP", "SHP", "SDG", "SYP"}},
	{"¥", []string{"JPY", "CNY"}}, {"¥", []string{"JPY", "CNY"}}, {"円", []string{"JPY"}}, {"元", []string{"CNY"}},
	{"₹", []string{"INR"}}, {"₩", []string{"KRW", "KPW"}}, {"₪", []string{"ILS"}}, {"₺", []string{"TRY"}},
	{"₱", []string{"PHP"}}, {"฿", []string{"THB"}}, {"₫", []string{"VND"}}, {"₴", []string{"UAH"}},
	{"₦", []string{"NGN"}}, {"₽", []string{"RUB"}}, {"₸", []string{"KZT"}}, {"₼", []string{"AZN"}}, {"₾", []string{"GEL"}},
}

// maxNear is how many near matches a question lists.
const maxNear = 5

// nearCodes lists the currencies that one slip of the keyboard turns into text: a wrong, missing, additional or
// swapped letter in the code or the name. It knows only those of the bundled table: a match that has no rates helps
// nobody. Swapped letters, the surest slip, come first.
func nearCodes(text string) []string {
	upper, word := []rune(strings.ToUpper(text)), []rune(fold(text))
	var near []string
	for _, code := range append([]string{"EUR"}, bundled.codes...) {
		if oneSlip(upper, []rune(code)) {
			near = append(near, code)
		}
	}
	for _, name := range nearNames {
		if len(word) > 3 && oneSlip(word, name.letters) {
			near = append(near, name.codes...)
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		if swapped := trueFirst(sameLetters(a, string(upper)), sameLetters(b, string(upper))); swapped != 0 {
			return swapped
		}
		return strings.Compare(a, b)
	})
	near = slices.Compact(near)
	return near[:min(len(near), maxNear)]
}

// A nearName is a name that misspelled words are compared with.
type nearName struct {
	letters []rune
	codes   []string
}

// nearNames are the names of bundled currencies, but for short and everyday ones: too many words are near those.
var nearNames = findNearNames()

func findNearNames() []nearName {
	var all []nearName
	for phrase, a := range aliases {
		letters := []rune(phrase)
		codes := slices.DeleteFunc(slices.Clone(a.codes), func(code string) bool { return !isBundled(code) })
		if len(letters) > 3 && !a.weak && len(codes) > 0 {
			all = append(all, nearName{letters, codes})
		}
	}
	return all
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func isBundled(code string) bool { return code == "EUR" || slices.Contains(bundled.codes, code) }

func sameLetters(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// oneSlip tells whether a becomes b by one wrong, missing, additional or swapped letter.
func oneSlip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(b) > len(a) {
		return slices.Equal(a[i:], b[i+1:])
	}
	if i == len(a) {
		return false // the same word
	}
	swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
	return swapped || slices.Equal(a[i+1:], b[i+1:])
}

// foldings strips the accents that occur in names of currencies and months.
var foldings = strings.NewReplacer("ł", "l", "č", "c", "ó", "o", "ö", "o", "á", "a", "ä", "a", "ã", "a", "é", "e", "í", "i",
	"ñ", "n", "ú", "u", "ü", "u", "ð", "d", "’", "'")

// fold is text in lower case without accents.
func fold(text string) string { return foldings.Replace(strings.ToLower(text)) }

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}
