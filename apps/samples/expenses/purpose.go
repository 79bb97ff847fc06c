// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// findings are what a sentence says about the fields.
type findings struct {
	values       values
	problems     map[string]string
	purposeNamed bool // the sentence says that this is the purpose: "it was for ..."
}

// The words around what was paid for.
const (
	leadWords = `but|hi|hello|hey|yes|no|ok|please|kindly|also|and|now|then|so|first|before|after|once|as|how|do|it's|it|is|was|that|make|change|` +
		`i'd|i'm|i've|i|we|you|me|us|my|our|the|a|an|this|can|could|would|will|should|may|want|wants|wanted|need|needs|like|to|get|have|had|be|been|being|` +
		`for|of|on|in|by|with|from|some|out|money|back|date|dated|amount|give|pay|paid|spent|bought|cost|costs|costing|submit|file|filing|claim|claiming|` +
		`create|new|another|request|form|report|asking|ask|apply|re-?imburse|re-?imbursed|re-?imbursement|reimbursing|refund|refunded|expense|expenses|expensed|cover|pocket`
	tailWords = `please|thanks|thank you|paid|spent|bought|purchased|on|for approval|for|of|at|to|from|and|that|which|i|was|were|is|it|cost|costs|costing|` +
		`me|with|in|the|a|an|out of (?:my |our )?(?:own )?pocket|reimbursed|reimbursement|today`
)

var (
	amountLead = `(?:\b(?:for|of|at|about|costing|cost|costs|worth|is|was|were|to|paid|spent|amount(?:ing)? (?:of|to|is)) )?`
	moneySpan  = lazily(`(?i)` + amountLead + `(?:` + moneyExpr + `)`)
	// bareSpan is a number without a currency that is an amount by its place, not a count of something.
	bareSpan = lazily(`(?i)` + amountLead + `(?:^|[\s(:])(\d[\d.,']*)(?:$|[\s).,;!?]*$|[\s,;]+(?:for|on|at|please|spent|paid|,)\b|[,;] )`)

	lead = lazily(`(?i)^(?:[\s,.;:!-]+|(?:` + leadWords + `)\b)`)
	tail = lazily(`(?i)(?:[\s,.;:!?(){}-]+|\b(?:` + tailWords + `))$`)
	// cuts are clauses that say what else is to be done.
	cuts = lazily(`(?i)[,;]? (?:but|however)\b[^,;]*\b(?:needs?|convert\w*|first|should|has)\b.*$` +
		`|[,;] (?:please |then |and |first )*(?:convert|change|exchange)\b.*$` +
		`| and (?:please |then |i )?(?:convert|change|exchange|needs?|wants?|would like)\b.*$` +
		`|[,.;]? (?:can|could) you (?:re-?imburse|refund)\b.*$`)
	said  = lazily(`(?i)\bpurpose (?:is|was) (.+)$`)
	names = lazily(`(?i)\b(?:for|purpose|it (?:is|was)|it's)\b`)
)

// extract finds amount, date and purpose in a sentence.
func extract(text string) (f findings) {
	f.problems = make(map[string]string)
	text = cuts().ReplaceAllString(text, "")
	text = f.takeDate(text)
	text = f.takeAmount(text)
	f.purposeNamed = names().MatchString(text)
	if m := said().FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	f.values.Purpose = purposeOf(text)
	return f
}

// takeDate takes the date out of a text.
func (f *findings) takeDate(text string) string {
	found := dateIn().FindAllStringSubmatch(text, 3)
	if len(found) == 0 {
		return text
	}
	f.values.Date = found[0][1]
	if len(found) > 1 {
		f.values.Date = ""
		f.problems[fieldDate] = fmt.Sprintf("Is the date %q or %q? Each expense is a request of its own.", found[0][1], found[1][1])
	}
	return dateIn().ReplaceAllString(text, " , ")
}

// takeAmount takes the amount out of a text.
func (f *findings) takeAmount(text string) string {
	found := money().FindAllString(text, 3)
	if len(found) > 1 && !strings.EqualFold(found[0], found[1]) {
		f.problems[fieldAmount] = fmt.Sprintf("Is the amount %s or %s? Each expense is a request of its own.", found[0], found[1])
	} else if len(found) > 0 {
		f.values.Amount = found[0]
	}
	if len(found) > 0 {
		return moneySpan().ReplaceAllString(text, " , ")
	}
	if at := bareSpan().FindStringSubmatchIndex(text); at != nil {
		f.values.Amount = strings.TrimRight(text[at[2]:at[3]], ".,'")
		return text[:at[0]] + " , " + text[at[3]:]
	}
	return text
}

// purposeOf is what is left of a sentence without amount and date, and without the words around them.
func purposeOf(text string) string {
	text = trimAll(text, lead())
	text = trimAll(text, tail())
	// A gap where an amount or a date stood is no comma that the writer set.
	text = gap().ReplaceAllString(text, " ")
	text = strings.TrimSpace(trimAll(text, tail()))
	if letters(text) < minLetters {
		return ""
	}
	return text
}

var gap = lazily(`(?:\s+,)+(?:\s*(?:for|on)\b)?\s+`)

func trimAll(text string, what *regexp.Regexp) string {
	for {
		next := what.ReplaceAllString(text, "")
		if next == text {
			return text
		}
		text = next
	}
}

// minLetters is how many letters a purpose has at least.
const minLetters = 3

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// checkPurpose reports, as a sentence, what is wrong with a purpose.
func checkPurpose(text string) (value, problem string) {
	switch {
	case letters(text) < minLetters:
		return text, fmt.Sprintf("The purpose %q is too short: it needs at least %d letters.", short(text), minLetters)
	case len([]rune(text)) > maxPurpose:
		return text, fmt.Sprintf("The purpose is too long: %d characters at most.", maxPurpose)
	}
	return text, ""
}
