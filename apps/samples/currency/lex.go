// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	kindWord tokenKind = iota
	kindNumber
	kindCurrency
	kindDate
	kindArrow // -> => > = and their Unicode kin
	kindSlash
	kindComma
	kindMinus
	kindPercent
	kindStop // any other punctuation
)

// A token is one piece of the text. Later stages of the parser replace runs of tokens by one of a higher kind.
type token struct {
	kind  tokenKind
	text  string // as written
	fold  string // folded, of words
	glued bool   // nothing stands between it and the token before
	money mention
	count number
	when  When
}

func (t token) is(words map[string]bool) bool { return t.kind == kindWord && words[t.fold] }

// lex cuts text into tokens. It never fails: what it does not know is a stop.
func lex(text string) []token {
	var tokens []token
	glued := false
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			text, glued = text[size:], false
			continue
		}
		t := nextToken(text, r)
		t.glued = glued && len(tokens) > 0
		tokens = append(tokens, t)
		text, glued = text[len(t.text):], true
	}
	return tokens
}

func nextToken(text string, first rune) token {
	if s, ok := signAt(text); ok {
		return token{kind: kindCurrency, text: s.text, money: mention{codes: s.codes[:1], family: s.codes, sign: true}}
	}
	if isDigit(first) || (first == '.' && len(text) > 1 && isDigit(rune(text[1]))) {
		return numericToken(text)
	}
	if unicode.IsDigit(first) {
		return token{kind: kindNumber, text: text[:runeLen(text)], count: number{bad: true}} // of another script: ask
	}
	if unicode.IsLetter(first) {
		raw := text[:wordLen(text)]
		word := fold(raw)
		if strings.Contains(word, ".") {
			word = strings.ReplaceAll(word, ".", "") // U.S. and the like
		}
		return token{kind: kindWord, text: raw, fold: word}
	}
	for _, arrow := range []string{"-->", "->", "=>", "==", "=", "→", "➔", "⇒", ">"} {
		if strings.HasPrefix(text, arrow) {
			return token{kind: kindArrow, text: arrow}
		}
	}
	raw := text[:runeLen(text)]
	switch raw {
	case "/", "|":
		return token{kind: kindSlash, text: raw}
	case ",", ";", "&", "+":
		return token{kind: kindComma, text: raw}
	case "-", "−", "–", "—":
		return token{kind: kindMinus, text: raw}
	case "%":
		return token{kind: kindPercent, text: raw}
	}
	return token{kind: kindStop, text: raw}
}

func runeLen(text string) int {
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// signAt finds the currency symbol that text begins with. A symbol that begins with letters, such as C$, ends here
// too: letters before it would have made it part of a word.
func signAt(text string) (sign, bool) {
	for _, s := range signs {
		if strings.HasPrefix(text, s.text) {
			return s, true
		}
	}
	return sign{}, false
}

// wordLen is the length of the word that text begins with: letters, inner apostrophes, and the dots of U.S.
func wordLen(text string) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case unicode.IsLetter(r) && !isSignRune(r), unicode.Is(unicode.M, r):
			end += size
		case (r == '\'' || r == '’') && end > 0 && letterAt(text, end+size):
			end += size
		case r == '.' && end > 0 && dottedLetter(text, end):
			end += size
		default:
			return max(end, runeLen(text))
		}
	}
	return end
}

// isSignRune: 円 and 元 are letters to Unicode and currency symbols to us.
func isSignRune(r rune) bool { return r == '円' || r == '元' }

func letterAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return unicode.IsLetter(r)
}

// dottedLetter tells whether the dot at the index is one of an abbreviation of capital letters such as U.S. and U.K.:
// behind a single capital that begins the word or follows a dot, and, when it is the first dot, in front of one more.
func dottedLetter(text string, dot int) bool {
	before := text[dot-1]
	if before < 'A' || before > 'Z' || (dot > 1 && text[dot-2] != '.') {
		return false
	}
	if dot > 1 {
		return true
	}
	return dot+2 < len(text) && text[dot+1] >= 'A' && text[dot+1] <= 'Z' && text[dot+2] == '.'
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// numericToken reads a numeric date, or else a number with its separators.
func numericToken(text string) token {
	if when, size := numericDate(text); size > 0 {
		return token{kind: kindDate, text: text[:size], when: when}
	}
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isDigit(r) && !(isSeparator(r) && digitAt(text, end+size)) {
			break
		}
		end += size
	}
	return token{kind: kindNumber, text: text[:end], count: readNumber(text[:end])}
}

func isSeparator(r rune) bool { return strings.ContainsRune(".,'’_", r) }

func digitAt(text string, at int) bool { return at < len(text) && isDigit(rune(text[at])) }
