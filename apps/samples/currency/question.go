// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

var tooLong = fmt.Sprintf("That text is too long: I read up to %d bytes. Please ask in one sentence, such as: 100 USD in GBP.", MaxText)

// maxEcho is how many runes of what was not understood are said again.
const maxEcho = 40

// notUnderstood says that a text is no answer to the open question.
func notUnderstood(text string) string {
	said := strings.Join(strings.Fields(text), " ")
	if said == "" || utf8.RuneCountInString(said) > maxEcho {
		return "I do not understand that, as I can only convert currencies."
	}
	return fmt.Sprintf("I do not understand %q, as I can only convert currencies.", said)
}

// question asks for all that is open and for nothing else; "" when nothing is.
func (m *merger) question() string {
	var sentences []string
	asked := make(map[Slot]bool)
	for _, p := range m.request.Problems {
		sentences = append(sentences, p.sentence())
		asked[p.Slot] = true
	}
	missing := func(slot Slot) bool { return slices.Contains(m.state.Open, slot) && !asked[slot] }
	switch {
	case missing(SlotFrom) && missing(SlotTo):
		sentences = append(sentences, m.askBoth())
	case missing(SlotFrom):
		sentences = append(sentences, m.askFrom())
	case missing(SlotTo):
		sentences = append(sentences, m.askTo())
	}
	if missing(SlotAmount) {
		sentences = append(sentences, "What is the amount?")
	}
	if missing(SlotDate) {
		sentences = append(sentences, "Of which day should the rate be? You can also say: latest.")
	}
	return strings.Join(sentences, " ")
}

func (m *merger) askBoth() string {
	if m.state.Amount != nil {
		return fmt.Sprintf("From which currency should I convert %s, and into which one? For example: from USD to GBP.", m.state.Amount.grouped())
	}
	return "From which currency should I convert, and into which one? For example: 100 USD in GBP."
}

func (m *merger) askFrom() string {
	what := "From which currency should I convert"
	if m.state.Amount != nil {
		what += " " + m.state.Amount.grouped()
	}
	if len(m.state.To) > 0 {
		what += " into " + joinAnd(m.state.To)
	}
	return what + "?"
}

func (m *merger) askTo() string {
	what := "Into which currency should I convert"
	if m.state.Amount != nil {
		what += " " + m.state.Amount.grouped()
	}
	if m.state.From != "" {
		what += " " + m.state.From
	}
	if len(m.state.To) > 0 {
		return what + ", besides " + joinAnd(m.state.To) + "?"
	}
	if m.state.On == "" {
		return what + "? I take " + m.latest + " unless you name a day."
	}
	return what + "?"
}

// sentence asks about one problem.
func (p Problem) sentence() string {
	switch p.Kind {
	case UnknownCurrency:
		if len(p.Codes) == 0 {
			return fmt.Sprintf("I know no currency %q%s. Please give a code such as USD or a name such as euros.", p.Text, p.role())
		}
		return fmt.Sprintf("I know no currency %q%s. Did you mean %s?", p.Text, p.role(), joinOr(p.Codes))
	case AmbiguousCurrency:
		return fmt.Sprintf("%q%s can be several currencies. Do you mean %s?", p.Text, p.role(), joinOr(p.Codes))
	case UnclearAmount:
		return "Which amount should I convert? Please give one number, such as 1234.56."
	case NegativeAmount:
		return "The amount is below zero. Which amount should I convert?"
	case SeveralSources:
		return fmt.Sprintf("I convert from one currency at a time, and here are %s. From which one should I convert, and how much?", joinAnd(p.Codes))
	case TooManyTargets:
		return fmt.Sprintf("I convert into %d currencies at a time at most. Into which ones should I convert?", MaxTargets)
	case SeveralDates:
		return fmt.Sprintf("I take the rates of one day at a time. Which day do you want: %s?", p.Text)
	case FutureDate:
		return fmt.Sprintf("%q is in the future, and nobody knows those rates. Which day up to today do you want, or the latest?", p.Text)
	case UnclearDate:
		return fmt.Sprintf("Which day do you mean by %q? Please write it like 2025-03-28, or say: latest.", p.Text)
	}
	return ""
}

// role says which side of the conversion a currency was meant for.
func (p Problem) role() string {
	switch p.Slot {
	case SlotFrom:
		return " to convert from"
	case SlotTo:
		return " to convert into"
	}
	return ""
}

func joinAnd(words []string) string { return joinWith(words, " and ") }

func joinOr(words []string) string { return joinWith(words, " or ") }

func joinWith(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}
