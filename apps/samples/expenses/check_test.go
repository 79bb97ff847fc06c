// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses/rules"
)

// now is a Saturday.
func now() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]values{
		"Can you reimburse me $20 for my lunch with the clients?": {"", "$20", "lunch with the clients"},
		"$20 lunch with clients":                                  {"", "$20", "lunch with clients"},
		"$5 for stamps":                                           {"", "$5", "stamps"},
		"reimburse lunch for 21.62 USD":                           {"", "21.62 USD", "lunch"},
		"reimburse my lunch of 30 USD":                            {"", "30 USD", "lunch"},
		"reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.": {"", "20 EUR", "lunch"},
		"I spent 45 euros on a taxi to the airport yesterday": {"yesterday", "45 euros",
			"taxi to the airport"},
		"I paid 45 EUR for the taxi to the airport yesterday": {"yesterday", "45 EUR",
			"taxi to the airport"},
		"lunch for 3 people, 20 EUR": {"", "20 EUR",
			"lunch for 3 people"},
		"reimburse me":                {},
		"it was for the team dinner":  {"", "", "team dinner"},
		"the purpose is client visit": {"", "", "client visit"},
		"submit 33.45 USD as an expense for dinner with clients": {"", "33.45 USD",
			"dinner with clients"},
		"I'd like to file an expense for a client dinner, $120": {"", "$120", "client dinner"},
		"date is 2026-11-20 and the purpose is team lunch":      {"2026-11-20", "", "team lunch"},
		"yesterday":                        {"yesterday", "", ""},
		"25":                               {"", "25", ""},
		"make it 25 USD":                   {"", "25 USD", ""},
		"2026-11-20, dinner with the team": {"2026-11-20", "", "dinner with the team"},
	} {
		r := rules.Read(text)
		if got := (values{r.Date, r.Amount, r.Purpose}); got != want || r.Several {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"reimburse 20 EUR and 30 USD for lunch",
		"reimburse 20 EUR for lunch 2026-11-01 today"} {
		if r := rules.Read(text); !r.Several {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	limit := decimal.NewFromInt(10_000)
	for text, want := range map[string]string{
		"20": "20 USD", "$20": "20 USD", "20 usd": "20 USD", "21.62 USD": "21.62 USD", "EUR 20": "20 EUR",
		"20€": "20 EUR", "€ 20.50": "20.50 EUR",
		"1,234.56": "1234.56 USD", "1,234": "1234 USD", "21.576 USD": "21.58 USD", "0.5": "0.50 USD",
		"10000":    "10000 USD",
		"20 bucks": "20 USD", "300 yen": "300 JPY", "20.00": "20 USD", "0.01": "0.01 USD",
	} {
		if got, problem := checkAmount(text, "USD", limit); got != want || problem != "" {
			t.Errorf("%q: %q %s, want %q", text, got, problem, want)
		}
		if got, problem := checkAmount(want, "EUR", limit); got != want || problem != "" {
			t.Errorf("%q again: %q %s", want, got, problem)
		}
	}
	for text, want := range map[string]string{
		"": "is no number", "much": "is no number", "0": "more than 0", "-5 USD": "more than 0",
		"10000.01": "most that can be", "0.001": "more than 0",
		"1.2.3": "is no number", "1,2,3": "is no number", "20 XYZ": "is no number", "1e9": "is no number",
		"20 EUR or so":          "is no number",
		strings.Repeat("9", 30): "is no number", "12,34,567": "is no number", "20,50": "is no number",
		"$20 EUR": "is no number",
	} {
		if got, problem := checkAmount(text, "USD", limit); got != text || !strings.Contains(problem, want) {
			t.Errorf("%q: %q, %q, want %q", text, got, problem, want)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20", "2026-11-20T00:00:00Z": "2026-11-20", "today": "2026-11-21",
		"Yesterday": "2026-11-20",
	} {
		if got, problem := checkDate(text, now()); got != want || problem != "" {
			t.Errorf("%q: %q %s, want %q", text, got, problem, want)
		}
	}
	for text, want := range map[string]string{
		"2026-11-22": "in the future", "tomorrow": "in the future", "2026-02-30": "not understood",
		"5/3/2025": "not understood",
		"soon":     "not understood", "<transaction date>": "not understood",
	} {
		if got, problem := checkDate(text, now()); got != text || !strings.Contains(problem, want) {
			t.Errorf("%q: %q, %q, want %q", text, got, problem, want)
		}
	}
	// At 12:00 in London it is the next day in Auckland.
	if got, problem := checkDate("2026-11-22", now().Add(7*time.Hour)); got != "2026-11-22" || problem != "" {
		t.Errorf("%q %s", got, problem)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"Can you reimburse me $20?", `{"date":1}`, "date: today, amount: 20 EUR",
		"```json\n{}\n```", "20,50€ for \x00", "request_id_1 yes"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := &desk{now: now(), limit: decimal.NewFromInt(10_000), currency: "USD", newID: newRequestID}
		d.do(readByRules(Request{}, text))
		if d.request.ID != "" {
			d.do(readByRules(d.request, text))
		}
		s, problem, ok := readSubmission(a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)))
		if !ok || problem != "" {
			return
		}
		if out := d.do(s.action()); out.kind == approve {
			if _, problem := checkAmount(out.request.Amount, "USD", d.limit); problem != "" {
				t.Errorf("approved %+v: %s", out.request, problem)
			}
		}
	})
}
