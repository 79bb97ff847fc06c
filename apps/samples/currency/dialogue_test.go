// SPDX-License-Identifier: Apache-2.0

package currency

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

func fixedNow() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }

// A line of a conversation: what is said, the kind of outcome, and texts that the outcome must have.
type line struct {
	say  string
	kind OutcomeKind
	want []string
}

func has(want ...string) []string { return want }

func TestDialogue(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]line{
		"direct": {
			{"100 USD in GBP", KindAnswer, has("100 USD = 77.252 GBP (1 USD = 0.77252 GBP, 2025-04-01, bundled snapshot).")},
		},
		"rupees": {{"1 USD to INR", KindAnswer, has("1 USD = 85.49 INR (2025-04-01, bundled snapshot).")}},
		"target is missing": {
			{"how much is the exchange rate for 1 USD?", KindAsk, has("Into which currency", "1 USD", "I take the latest bundled rate, of 2025-04-01, unless you name a day.")},
			{"CAD", KindAnswer, has("1 USD = 1.4328 CAD")},
		},
		"target by name": {
			{"How much is 1 USD?", KindAsk, has("Into which currency should I convert 1 USD?")},
			{"Canadian dollars please", KindAnswer, has("1 USD = 1.4328 CAD")},
		},
		"target with an everyday code": {
			{"How much is 1 USD?", KindAsk, nil},
			{"try", KindAnswer, has("1 USD = 37.971 TRY")},
		},
		"source is missing": {
			{"100 to GBP", KindAsk, has("From which currency should I convert 100 into GBP?")},
			{"dollars", KindAnswer, has("100 USD = 77.252 GBP")},
		},
		"both are missing": {
			{"what is the exchange rate?", KindAsk, has("From which currency", "into which one")},
			{"USD", KindAsk, has("Into which currency should I convert USD?")},
			{"GBP", KindAnswer, has("1 USD = 0.77252 GBP")},
		},
		"both at once": {
			{"exchange 100", KindAsk, has("From which currency should I convert 100, and into which one?")},
			{"USD GBP", KindAnswer, has("100 USD = 77.252 GBP")},
		},
		"an answer that repeats the source": {
			{"How much is 5 USD?", KindAsk, nil},
			{"from USD to GBP", KindAnswer, has("5 USD = 3.8626 GBP")},
		},
		"a complete request resets an open question": {
			{"How much is 5 USD?", KindAsk, nil},
			{"EUR to GBP", KindAnswer, has("1 EUR = 0.83339 GBP")},
		},
		"a complete request resets": {
			{"100 USD to GBP yesterday", KindAnswer, has("2025-03-31")},
			{"EUR to JPY", KindAnswer, has("1 EUR = 161.72 JPY (2025-04-01")},
			{"How much is 1 USD?", KindAsk, has("Into which currency should I convert 1 USD?")},
		},
		"follow-ups": {
			{"100 USD in GBP", KindAnswer, nil},
			{"and in JPY?", KindAnswer, has("100 USD = 14,991 JPY")},
			{"200 instead", KindAnswer, has("200 USD = 29,982 JPY")},
			{"what about 50 CHF", KindAnswer, has("50 CHF = ")},
			{"EUR", KindAnswer, has("50 CHF = 52.405 EUR")},
		},
		"several targets": {
			{"5 euros in yen and pounds", KindAnswer, has("5 EUR = 808.6 JPY", "5 EUR = 4.167 GBP")},
		},
		"same currency": {
			{"100 USD to USD", KindAnswer, has("100 USD = 100 USD.", "Note: both are USD, so the rate is 1.")},
			{"100 USD to USD and GBP", KindAnswer, has("100 USD = 100 USD.", "77.252 GBP")},
		},
		"unknown source": {
			{"100 GPB in USD", KindAsk, has(`"GPB"`, "Did you mean GBP?")},
			{"GBP", KindAnswer, has("100 GBP = 129.45 USD")},
		},
		"unknown target among known ones": {
			{"100 USD to GBP and XYZ", KindAsk, has(`"XYZ"`)},
			{"CAD", KindAnswer, has("77.252 GBP", "143.28 CAD")},
		},
		"words for a target": {
			{"100 USD in monopoly money", KindAsk, has(`I know no currency "monopoly money" to convert into.`)},
			{"GBP", KindAnswer, has("77.252 GBP")},
		},
		"words for a source": {
			{"100 monopoly dough to USD please", KindAsk, has(`I know no currency "monopoly dough" to convert from.`)},
			{"GBP", KindAnswer, has("100 GBP = 129.45 USD")},
		},
		"too many words": {{"100 USD in the money that my uncle once had", KindAsk, has("Into which currency should I convert 100 USD?")}},
		"not in the table": {
			{"100 USD to VND", KindAsk, has("no rates for VND", "AUD", "ZAR", "Into which currency should I convert 100 USD?")},
			{"GBP", KindAnswer, has("77.252 GBP")},
		},
		"not in the table, source": {
			{"100 VND to GBP", KindAsk, has("no rates for VND", "From which currency should I convert 100 into GBP?")},
			{"USD", KindAnswer, has("77.252 GBP")},
		},
		"several meanings": {
			{"100 pesos to usd", KindAsk, has(`"pesos"`, "MXN or PHP")},
			{"MXN", KindAnswer, has("100 MXN = 4.8948 USD")},
		},
		"two things are unclear": {
			{"5-10 XYZ in EUR", KindAsk, has("Which amount", `"XYZ"`)},
			{"USD", KindAsk, has("What is the amount?")},
			{"7", KindAnswer, has("7 USD = 6.4887 EUR")},
		},
		"several sources": {
			{"100 USD and 50 EUR in GBP", KindAsk, has("one currency at a time", "EUR and USD")},
			{"100 USD", KindAnswer, has("77.252 GBP")},
		},
		"weekend": {
			{"USD to EUR on 30 March 2025", KindAnswer, has("2025-03-28", "no rates of 2025-03-30 itself")},
		},
		"relative day": {
			{"$20 to EUR yesterday", KindAnswer, has("20 USD = 18.531 EUR", "2025-03-31", `"yesterday" is counted from 2025-04-01`)},
		},
		"outside of the table": {
			{"100 USD to GBP on 2020-01-05", KindAsk, has("only from 2025-03-05 to 2025-04-01")},
			{"latest", KindAnswer, has("77.252 GBP")},
			{"100 USD to GBP on 2026-01-05", KindAsk, has("only from 2025-03-05 to 2025-04-01")},
		},
		"future": {
			{"100 USD to GBP on 2030-01-01", KindAsk, has(`"2030-01-01" is in the future`)},
			{"2025-04-01", KindAnswer, has("77.252 GBP")},
			{"USD to GBP tomorrow", KindAsk, has(`"tomorrow" is in the future`)},
			{"GBP", KindAsk, has("Of which day")},
		},
		"off-topic": {
			{"tell me a joke", KindRefuse, has("only convert currencies")},
			{"I want to try", KindRefuse, nil},
		},
		"off-topic in between": {
			{"How much is 1 USD?", KindAsk, nil},
			{"tell me a joke", KindAsk, has(`do not understand "tell me a joke"`, "Into which currency should I convert 1 USD?", "2025-04-01")},
			{"...", KindAsk, has(`"..."`, "Into which currency")},
			{"", KindAsk, has("Into which currency")},
			{strings.Repeat("bla ", 100), KindAsk, has("do not understand that", "Into which currency")},
			{"CAD", KindAnswer, has("1.4328")},
		},
		"too long": {
			{"How much is 1 USD?", KindAsk, nil},
			{strings.Repeat("CAD ", MaxText), KindAsk, has("too long")},
			{"CAD", KindAnswer, has("1.4328")},
		},
		"ambiguous point": {{"1.234 USD to EUR", KindAnswer, has("1.1439 EUR", "decimal point")}},
		"tiny rate":       {{"1000000000 IDR to EUR", KindAnswer, has("1,000,000,000 IDR = 55,620 EUR (1 IDR = 0.00005562 EUR")}},
		"nothing":         {{"0 USD in GBP", KindAnswer, has("0 USD = 0 GBP")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			converse(t, lines)
		})
	}
}

// converse says the lines one by one and sends the state through JSON in between, as the agent does.
func converse(t *testing.T, lines []line) {
	t.Helper()
	d := Dialogue{Rates: Snapshot{}, Now: fixedNow}
	var state State
	for _, l := range lines {
		out, next, err := d.Answer(t.Context(), state, l.say, nil)
		if err != nil {
			t.Fatalf("%.80q: %v", l.say, err)
		}
		if out.Kind != l.kind {
			t.Errorf("%.80q: %s %q, want %s", l.say, out.Kind, out.Text, l.kind)
		}
		for _, want := range l.want {
			if !strings.Contains(out.Text, want) {
				t.Errorf("%.80q: %q lacks %q", l.say, out.Text, want)
			}
		}
		raw, err := json.Marshal(next)
		if err != nil {
			t.Fatal(err)
		}
		state = State{}
		if err := json.Unmarshal(raw, &state); err != nil {
			t.Fatalf("state %s: %v", raw, err)
		}
	}
}

// The stub counts calls and answers what it is told to.
type stub struct {
	calls []Query
	quote Quote
	err   error
}

func (s *stub) Today(now time.Time) Date { return DateOf(now) }

func (s *stub) Rates(_ context.Context, q Query) (Quote, error) {
	s.calls = append(s.calls, q)
	return s.quote, s.err
}

func TestDialogueAsksTheProviderOnlyWhenItMust(t *testing.T) {
	t.Parallel()
	rates := &stub{}
	d := Dialogue{Rates: rates, Now: fixedNow}
	for _, text := range []string{"tell me a joke", "How much is 1 USD?", "100 USD to USD", "100 XYZ to USD", "USD to EUR on 2030-01-01"} {
		if _, _, err := d.Answer(t.Context(), State{}, text, nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if len(rates.calls) > 0 {
		t.Errorf("calls: %v", rates.calls)
	}
}

func TestDialogueProgress(t *testing.T) {
	t.Parallel()
	if out, _, err := (&Dialogue{Rates: &stub{}, Now: fixedNow}).Answer(t.Context(), State{}, "How much is 1 USD?", nil); err != nil ||
		!strings.HasSuffix(out.Text, "I take the latest rate unless you name a day.") {
		t.Errorf("the question without a bundled table is %q, %v", out.Text, err)
	}
	one, err := ParseDecimal("0.5")
	if err != nil {
		t.Fatal(err)
	}
	rates := &stub{quote: Quote{Date: "2026-11-20", Rates: map[string]Decimal{"EUR": one}, Source: "test"}}
	d := Dialogue{Rates: rates, Now: fixedNow}
	var said []string
	out, _, err := d.Answer(t.Context(), State{}, "USD to EUR yesterday", func(text string) error {
		said = append(said, text)
		return nil
	})
	if err != nil || out.Text != "1 USD = 0.5 EUR (2026-11-20, test)." {
		t.Errorf("%q, %v", out.Text, err)
	}
	if want := []string{"Looking up the exchange rates...", "Processing the exchange rates..."}; !slices.Equal(said, want) {
		t.Errorf("progress %q", said)
	}
	if want := (Query{From: "USD", To: []string{"EUR"}, On: "2026-11-20"}); len(rates.calls) != 1 || rates.calls[0].On != want.On {
		t.Errorf("calls %v, want %v", rates.calls, want)
	}
	stop := errors.New("stop")
	if _, _, err := d.Answer(t.Context(), State{}, "USD to EUR", func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error of progress: %v", err)
	}
}

func TestDialogueProviderFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	d := Dialogue{Rates: &stub{err: broken}, Now: fixedNow}
	before := State{From: "CHF", Open: []Slot{SlotTo}}
	_, after, err := d.Answer(t.Context(), before, "USD to EUR", nil)
	if !errors.Is(err, broken) || after.From != "CHF" {
		t.Errorf("state %+v, error %v", after, err)
	}
	d.Rates = &stub{quote: Quote{Date: "2026-11-20"}}
	if _, _, err := d.Answer(t.Context(), State{}, "USD to EUR", nil); err == nil {
		t.Error("a quote without the rate passed")
	}
}

func TestConversionJSON(t *testing.T) {
	t.Parallel()
	d := Dialogue{Rates: Snapshot{}, Now: fixedNow}
	for text, want := range map[string]string{
		"1,234.50 USD in GBP": `[{"amount":1234.5,"from":"USD","to":"GBP","rate":0.77252,"result":953.676,"date":"2025-04-01","source":"bundled snapshot"}]`,
		"2 USD in USD":        `[{"amount":2,"from":"USD","to":"USD","rate":1,"result":2,"source":"same currency"}]`,
	} {
		out, _, err := d.Answer(t.Context(), State{}, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(out.Conversions); err != nil || string(raw) != want {
			t.Errorf("%q: %s, %v, want %s", text, raw, err, want)
		}
	}
}

// Whatever is said, in whatever state, the answer is one of the three kinds with a text, and an answer has conversions.
func FuzzDialogue(f *testing.F) {
	f.Add("How much is 1 USD?", "CAD")
	f.Add("5-10 XYZ in EUR", "USD")
	f.Add("100 USD to VND and EUR", "and yesterday?")
	f.Add("pesos", "2030-01-01")
	d := Dialogue{Rates: Snapshot{}, Now: fixedNow}
	f.Fuzz(func(t *testing.T, first, second string) {
		var state State
		for _, text := range []string{first, second, "USD", "GBP", "5", "latest"} {
			out, next, err := d.Answer(t.Context(), state, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if out.Text == "" || (out.Kind == KindAnswer) != (len(out.Conversions) > 0) {
				t.Errorf("%q: %+v", text, out)
			}
			if out.Kind == KindAnswer && len(next.Open) > 0 {
				t.Errorf("%q: answered with %v open", text, next.Open)
			}
			state = next
		}
	})
}
