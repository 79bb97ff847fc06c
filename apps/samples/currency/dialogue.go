// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// OutcomeKind tells how a message was dealt with.
type OutcomeKind string

const (
	KindAnswer OutcomeKind = "answer"
	KindAsk    OutcomeKind = "ask"    // something is missing; the next message may bring it
	KindRefuse OutcomeKind = "refuse" // not about currencies
	KindFail   OutcomeKind = "fail"   // it cannot be answered; only a language model says so
)

// An Outcome is what the agent says to a message.
type Outcome struct {
	Kind        OutcomeKind
	Text        string
	Conversions []Conversion // one for each target; of KindAnswer only
}

// A Conversion is one result, as clients that compute get it. The numbers are exact JSON numbers: Result is Amount
// times Rate, rounded to three decimals or to five significant digits, whichever is more.
type Conversion struct {
	Amount Decimal `json:"amount"`
	From   string  `json:"from"`
	To     string  `json:"to"`
	Rate   Decimal `json:"rate"`
	Result Decimal `json:"result"`
	Date   Date    `json:"date,omitempty"` // of the rate; none when From and To are the same
	Source string  `json:"source"`
}

// State is what a conversation has said so far. The zero value is a conversation that has not begun.
type State struct {
	Amount *Decimal `json:"amount,omitempty"` // nil: 1
	From   string   `json:"from,omitempty"`
	To     []string `json:"to,omitempty"`
	On     Date     `json:"on,omitempty"`   // empty: the latest day
	Open   []Slot   `json:"open,omitempty"` // what the last question asked for

	Talk []llm.Message `json:"talk,omitempty"` // the conversation with a language model, which needs nothing else
}

func (s State) empty() bool {
	return s.Amount == nil && s.From == "" && len(s.To) == 0 && s.On == "" && len(s.Open) == 0
}

func (s State) amount() Decimal {
	if s.Amount == nil {
		return decimalFromInt(1)
	}
	return *s.Amount
}

// Dialogue holds the conversation: it reads a message in the light of the [State], asks for what is missing, and
// answers with rates. It keeps nothing itself and is safe for concurrent use.
type Dialogue struct {
	Rates Provider         // required
	Now   func() time.Time // nil: time.Now
}

const refusal = "Sorry, I can only convert currencies. You could ask me: 100 USD in GBP."

// Answer deals with one message. It calls progress, when that is not nil, before it asks the provider for rates and
// again when it has them; an error of progress ends it. The state it returns belongs with the outcome: the caller
// keeps it for the next message. An error means that the rates could not be had; the state is the old one then.
func (d *Dialogue) Answer(ctx context.Context, state State, text string, progress func(string) error) (Outcome, State, error) {
	now := d.now()
	request := Parse(text, Hints{Today: d.Rates.Today(now), Open: len(state.Open) > 0})
	if hasKind(request.Problems, TooLong) {
		return Outcome{Kind: KindAsk, Text: tooLong}, state, nil
	}
	if !concerns(request, state) {
		return d.decline(state, text), state, nil
	}
	m := merge(state, request)
	outcome, err := d.settle(ctx, &m, progress)
	if err != nil {
		return Outcome{}, state, err
	}
	if m.request.When.Relative && d.Rates.Today(now) != DateOf(now) && outcome.Kind == KindAnswer {
		outcome.Text += fmt.Sprintf("\nNote: %q is counted from %s, the last day of the %s.",
			m.request.When.Text, d.Rates.Today(now), outcome.Conversions[0].Source)
	}
	return outcome, m.state, nil
}

// settle answers what is complete, and asks for what is missing.
func (d *Dialogue) settle(ctx context.Context, m *merger, progress func(string) error) (Outcome, error) {
	now := d.now()
	m.latest = d.latest(now)
	m.refuseFuture(DateOf(now), d.Rates.Today(now))
	if question := m.question(); question != "" {
		return Outcome{Kind: KindAsk, Text: question}, nil
	}
	return d.convert(ctx, m, progress)
}

func (d *Dialogue) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

// decline answers what is not about currencies. While a question is open that is no way to end it: the question is
// asked again.
func (d *Dialogue) decline(s State, text string) Outcome {
	if len(s.Open) == 0 {
		return Outcome{Kind: KindRefuse, Text: refusal}
	}
	m := merger{state: s, latest: d.latest(d.now())}
	return Outcome{Kind: KindAsk, Text: notUnderstood(text) + " " + m.question()}
}

// latest says which rate is taken when nobody names a day.
func (d *Dialogue) latest(now time.Time) string {
	if _, ok := d.Rates.(Snapshot); ok {
		return fmt.Sprintf("the latest bundled rate, of %s,", d.Rates.Today(now))
	}
	return "the latest rate"
}

// concerns tells whether a message is for a currency agent, given what was said before.
func concerns(r Request, s State) bool {
	if r.Topical {
		return true
	}
	said := r.Amount != nil || r.From != "" || len(r.To) > 0 || len(r.Loose) > 0 || r.When.Kind != WhenUnset || len(r.Problems) > 0
	return said && (len(s.Open) > 0 || (r.FollowUp && !s.empty()))
}

// A merger is a conversation with the new message taken in.
type merger struct {
	state   State
	request Request
	kept    bool   // the message goes on with what was said before
	latest  string // which rate is taken when nobody names a day
}

// merge takes a request into the state. A request that says where from and where to begins anew, and so does one
// that names a source while no question is open; anything else fills or changes what was said before.
func merge(old State, r Request) merger {
	m := merger{state: old, request: r, kept: continues(old, r)}
	if !m.kept {
		m.state = State{}
	}
	if r.Amount != nil {
		m.state.Amount = r.Amount
	}
	if r.From != "" {
		m.state.From = r.From
	}
	if len(r.To) > 0 {
		m.setTo(r.To)
	}
	m.placeLoose(r.Loose)
	if r.When.Kind == WhenDay || r.When.Kind == WhenLatest {
		m.state.On = r.When.Day
	}
	m.reopen(old.Open)
	return m
}

func continues(old State, r Request) bool {
	if old.empty() {
		return false
	}
	source, target := r.From != "" || hasSlot(r.Problems, SlotFrom), len(r.To) > 0 || hasSlot(r.Problems, SlotTo)
	switch {
	case source && target:
		return repeats(old, r)
	case len(old.Open) > 0 || r.FollowUp:
		return true
	}
	return !source && !r.Trade
}

// repeats tells whether a request with source and target is the answer to an open question after all: "from USD to
// GBP" to "Into which currency should I convert 5 USD?".
func repeats(old State, r Request) bool {
	return len(old.Open) > 0 && r.Amount == nil && (old.From == "" || old.From == r.From) &&
		(len(old.To) == 0 || slices.Equal(old.To, r.To))
}

func hasSlot(problems []Problem, slot Slot) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Slot == slot })
}

func hasKind(problems []Problem, kind ProblemKind) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return p.Kind == kind })
}

// setTo replaces the targets, or adds to those that stayed when one of several was not understood.
func (m *merger) setTo(codes []string) {
	if !m.kept || !slices.Contains(m.state.Open, SlotTo) {
		m.state.To = nil
	}
	for _, code := range codes {
		if !slices.Contains(m.state.To, code) {
			m.state.To = append(slices.Clip(m.state.To), code)
		}
	}
}

// placeLoose gives currencies without a role to the open slots: first the source, then the target.
func (m *merger) placeLoose(codes []string) {
	if len(codes) > 0 && m.state.From == "" {
		m.state.From, codes = codes[0], codes[1:]
	}
	if len(codes) > 0 {
		m.setTo(codes)
	}
}

// reopen works out which slots are open now.
func (m *merger) reopen(before []Slot) {
	r := &m.request
	for i, p := range r.Problems {
		if p.Slot == SlotNone && (p.Kind == UnknownCurrency || p.Kind == AmbiguousCurrency) {
			r.Problems[i].Slot = SlotTo
			if m.state.From == "" {
				r.Problems[i].Slot = SlotFrom
			}
		}
	}
	m.state.Open = nil
	for _, slot := range []Slot{SlotAmount, SlotDate} {
		unanswered := m.kept && slices.Contains(before, slot) && !m.fills(slot)
		if hasSlot(r.Problems, slot) || unanswered {
			m.open(slot)
		}
	}
	if hasSlot(r.Problems, SlotFrom) {
		m.state.From = ""
	}
	if m.state.From == "" {
		m.open(SlotFrom)
	}
	if hasSlot(r.Problems, SlotTo) || len(m.state.To) == 0 {
		m.open(SlotTo)
	}
}

// fills tells whether the message brings the amount or the date.
func (m *merger) fills(slot Slot) bool {
	if slot == SlotAmount {
		return m.request.Amount != nil
	}
	return m.request.When.Kind == WhenDay || m.request.When.Kind == WhenLatest
}

func (m *merger) open(slot Slot) {
	if !slices.Contains(m.state.Open, slot) {
		m.state.Open = append(m.state.Open, slot)
	}
}

// refuseFuture reopens the date when it has not come yet. Relative days count from the provider's today, others from
// the real one: a day that has come may still be outside of the provider's range, which is another answer.
func (m *merger) refuseFuture(real, provider Date) {
	w := m.request.When
	today := real
	if w.Relative {
		today = provider
	}
	if w.Kind != WhenDay || w.Day <= today {
		return
	}
	m.request.Problems = append(m.request.Problems, Problem{Kind: FutureDate, Slot: SlotDate, Text: w.Text})
	m.state.On = ""
	m.open(SlotDate)
}

// convert asks the provider and puts the answer into words. What the provider does not have becomes a question.
func (d *Dialogue) convert(ctx context.Context, m *merger, progress func(string) error) (Outcome, error) {
	s := m.state
	query := Query{From: s.From, On: s.On}
	for _, to := range s.To {
		if to != s.From {
			query.To = append(query.To, to)
		}
	}
	var quote Quote
	if len(query.To) > 0 {
		var err error
		if quote, err = d.look(ctx, query, progress); err != nil {
			return m.askInstead(err)
		}
	}
	return m.answer(query, quote)
}

func (d *Dialogue) look(ctx context.Context, q Query, progress func(string) error) (Quote, error) {
	if progress == nil {
		progress = func(string) error { return nil }
	}
	if err := progress("Looking up the exchange rates..."); err != nil {
		return Quote{}, err
	}
	quote, err := d.Rates.Rates(ctx, q)
	if err != nil {
		return Quote{}, err
	}
	return quote, progress("Processing the exchange rates...")
}

// answer words the result.
func (m *merger) answer(q Query, quote Quote) (Outcome, error) {
	s := m.state
	out := Outcome{Kind: KindAnswer}
	var lines, notes []string
	for _, to := range s.To {
		c := Conversion{Amount: s.amount(), From: s.From, To: to, Rate: decimalFromInt(1), Source: "same currency"}
		if to == s.From {
			notes = append(notes, "Note: both are "+to+", so the rate is 1.")
		} else {
			rate, ok := quote.Rates[to]
			if !ok {
				return Outcome{}, fmt.Errorf("currency: the %s gave no rate for %s", quote.Source, to)
			}
			c.Rate, c.Date, c.Source = rate, quote.Date, quote.Source
		}
		c.Result = roundResult(c.Amount.Mul(c.Rate))
		out.Conversions = append(out.Conversions, c)
		lines = append(lines, c.line())
	}
	if q.On != "" && quote.Date != "" && quote.Date != q.On {
		notes = append(notes, fmt.Sprintf("Note: there are no rates of %s itself; these are from the business day before.", q.On))
	}
	if m.request.Pointed {
		notes = append(notes, "Note: I took the point in the amount for a decimal point.")
	}
	if quote.Note != "" {
		notes = append(notes, "Note: "+quote.Note)
	}
	out.Text = strings.Join(append(lines, notes...), "\n")
	return out, nil
}

// roundResult keeps three decimals, and five significant digits of small numbers.
func roundResult(d Decimal) Decimal {
	const places, digits = 3, 5
	return d.places(max(places, digits-d.magnitude()))
}

// line is the conversion in one sentence. For one unit the rate would only repeat the result.
func (c Conversion) line() string {
	text := fmt.Sprintf("%s %s = %s %s", c.Amount.grouped(), c.From, c.Result.grouped(), c.To)
	if c.From == c.To {
		return text + "."
	}
	if c.Amount.Equal(decimalFromInt(1)) {
		return fmt.Sprintf("%s (%s, %s).", text, c.Date, c.Source)
	}
	return fmt.Sprintf("%s (1 %s = %s %s, %s, %s).", text, c.From, c.Rate.grouped(), c.To, c.Date, c.Source)
}

// askInstead turns an error that the user can mend into a question and hands on any other.
func (m *merger) askInstead(err error) (Outcome, error) {
	var unknown *UnknownCurrencyError
	var date *DateError
	switch {
	case errors.As(err, &unknown):
		return Outcome{Kind: KindAsk, Text: m.withoutUnknown(unknown)}, nil
	case errors.As(err, &date):
		m.state.On = ""
		m.open(SlotDate)
		return Outcome{Kind: KindAsk, Text: otherDay(date)}, nil
	}
	return Outcome{}, err
}

func (m *merger) withoutUnknown(e *UnknownCurrencyError) string {
	if slices.Contains(e.Codes, m.state.From) {
		m.state.From = ""
		m.open(SlotFrom)
	}
	known := slices.DeleteFunc(slices.Clone(m.state.To), func(code string) bool { return slices.Contains(e.Codes, code) })
	if len(known) < len(m.state.To) {
		m.state.To = known
		m.open(SlotTo)
	}
	m.request.Problems = nil
	text := fmt.Sprintf("The %s has no rates for %s.", e.Source, strings.Join(e.Codes, " and "))
	if len(e.Supported) > 0 {
		text += " It has " + strings.Join(e.Supported, ", ") + "."
	}
	return text + " " + m.question()
}

func otherDay(e *DateError) string {
	text := fmt.Sprintf("The %s has no rates for %s.", e.Source, e.Date)
	if e.First != "" {
		text = fmt.Sprintf("The %s has no rates for %s, only from %s to %s.", e.Source, e.Date, e.First, e.Last)
	}
	if e.Note != "" {
		text += " " + e.Note
	}
	return text + " Which other day do you want, or the latest?"
}
