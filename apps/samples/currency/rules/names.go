// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// maxNameWords is the length of the longest name in words.
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
