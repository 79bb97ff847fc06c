// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// now is a Saturday.
func now() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }

func TestExtract(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]values{
		"Can you reimburse me $20 for my lunch with the clients?":                                 {"", "$20", "lunch with the clients"},
		"$20 lunch with clients":                                                                  {"", "$20", "lunch with clients"},
		"reimburse lunch for 21.62 USD":                                                           {"", "21.62 USD", "lunch"},
		"reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.":              {"", "20 EUR", "lunch"},
		"I spent 45 euros on a taxi to the airport yesterday":                                     {"yesterday", "45 euros", "taxi to the airport"},
		"I paid 45 EUR for the taxi to the airport yesterday":                                     {"yesterday", "45 EUR", "taxi to the airport"},
		"Please reimburse me for the taxi to the airport, 45 EUR, on 5 March 2025":                {"5 March 2025", "45 EUR", "taxi to the airport"},
		"reimburse 30 dollars for books bought on March 5th, 2025":                                {"March 5th, 2025", "30 dollars", "books"},
		"I need my money back for the hotel in Berlin last Monday, 1,200.50 EUR":                  {"last Monday", "1,200.50 EUR", "hotel in Berlin"},
		"expense report: train ticket 33.50":                                                      {"", "33.50", "train ticket"},
		"reimburse 20 for lunch":                                                                  {"", "20", "lunch"},
		"Please refund €12,50 for stamps 2 days ago.":                                             {"2 days ago", "€12,50", "stamps"},
		"lunch for 3 people, 20 EUR":                                                              {"", "20 EUR", "lunch for 3 people"},
		"reimburse lunch for 3 people":                                                            {"", "", "lunch for 3 people"},
		"reimburse me":                                                                            {},
		"I want to be reimbursed":                                                                 {},
		"it was for the team dinner":                                                              {"", "", "team dinner"},
		"the purpose is client visit":                                                             {"", "", "client visit"},
		"I'd like to file an expense for a client dinner, $120":                                   {"", "$120", "client dinner"},
		"I paid for the team's coffee out of my own pocket and want the money back":               {"", "", "team's coffee"},
		"submit my hotel bill of 310 USD for approval":                                            {"", "310 USD", "hotel bill"},
		"how do I claim back the $32 parking fee from last Tuesday?":                              {"last Tuesday", "$32", "parking fee"},
		"reimburse me that amount for the train ticket":                                           {"", "", "train ticket"},
		"Before you file my 80 CHF hotel expense, convert it to dollars":                          {"", "80 CHF", "hotel expense"},
		"submit 33.45 USD as an expense for dinner with clients":                                  {"", "33.45 USD", "dinner with clients"},
		"I want to be reimbursed for a 60 euro taxi ride; please convert that into dollars first": {"", "60 euro", "taxi ride"},
		"I need to be reimbursed for my flight to Rome (240 EUR)":                                 {"", "240 EUR", "flight to Rome"},
		"I bought a keyboard for 80 dollars on 3 November and would like my money back":           {"3 November", "80 dollars", "keyboard"},
		"yes, but the date is yesterday":                                                          {"yesterday", "", ""},
		"date is 2026-11-20 and the purpose is team lunch":                                        {"2026-11-20", "", "team lunch"},
		"yesterday":                        {"yesterday", "", ""},
		"make it 25 USD":                   {"", "25 USD", ""},
		"2026-11-20, dinner with the team": {"2026-11-20", "", "dinner with the team"},
		"I had dinner with Acme on 2026-11-19 and paid CHF 88. Can you reimburse me?": {"2026-11-19", "CHF 88", "dinner with Acme"},
		"taxi 18.40 GBP on 11/20/2026": {"11/20/2026", "18.40 GBP", "taxi"},
		"Can I get a refund of $1,250.00 for the conference ticket I bought last Friday?": {"last Friday", "$1,250.00", "conference ticket"},
	} {
		f := extract(text)
		if f.values != want || len(f.problems) > 0 {
			t.Errorf("%q: %+v %v, want %+v", text, f.values, f.problems, want)
		}
	}
	for text, field := range map[string]string{
		"reimburse 20 EUR and 30 USD for lunch":       fieldAmount,
		"reimburse 20 EUR for lunch 2026-11-01 today": fieldDate,
	} {
		if f := extract(text); len(f.problems) != 1 || f.problems[field] == "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	limit := big.NewRat(10_000, 1)
	for text, want := range map[string]string{
		"20": "20 USD", "$20": "20 USD", "20 usd": "20 USD", "21.62 USD": "21.62 USD", "EUR 20": "20 EUR", "20€": "20 EUR", "€ 20,50": "20.50 EUR",
		"1,234.56": "1234.56 USD", "1.234,56 EUR": "1234.56 EUR", "1,234": "1234 USD", "21.576 USD": "21.58 USD", "0.5": "0.50 USD", "10000": "10000 USD",
		"1'200 CHF": "1200 CHF", "20 bucks": "20 USD", "300 yen": "300 JPY", "20.00": "20 USD", "0.01": "0.01 USD",
	} {
		if got, problem := checkAmount(text, "USD", limit); got != want || problem != "" {
			t.Errorf("%q: %q %s, want %q", text, got, problem, want)
		}
		if got, problem := checkAmount(want, "EUR", limit); got != want || problem != "" {
			t.Errorf("%q again: %q %s", want, got, problem)
		}
	}
	for text, want := range map[string]string{
		"": "is no number", "much": "is no number", "0": "more than 0", "-5 USD": "more than 0", "10000.01": "most that can be", "0.001": "at least 0.01",
		"1.2.3": "is no number", "1,2,3": "is no number", "20 XYZ": "is no number", "1e9": "is no number", "20 EUR or so": "is no number",
		strings.Repeat("9", 30): "is no number", "12,34,567": "is no number",
	} {
		if got, problem := checkAmount(text, "USD", limit); got != text || !strings.Contains(problem, want) {
			t.Errorf("%q: %q, %q, want %q", text, got, problem, want)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-20": "2026-11-20", "2026-1-2": "2026-01-02", "2026-11-20T10:00:00Z": "2026-11-20", "today": "2026-11-21", "Yesterday": "2026-11-20",
		"the day before yesterday": "2026-11-19", "3 days ago": "2026-11-18", "a week ago": "2026-11-14", "two weeks ago": "2026-11-07",
		"last Monday": "2026-11-16", "Monday": "2026-11-16", "Saturday": "2026-11-14", "5 March 2025": "2025-03-05", "March 5th, 2025": "2025-03-05",
		"5 Dec": "2025-12-05", "Nov 20": "2026-11-20", "20.11.2026": "2026-11-20", "20/11/2026": "2026-11-20", "11/20/2026": "2026-11-20",
		"3/3/2025": "2025-03-03", "2026/11/20": "2026-11-20", "29 February 2024": "2024-02-29",
	} {
		if got, problem := checkDate(text, now()); got != want || problem != "" {
			t.Errorf("%q: %q %s, want %q", text, got, problem, want)
		}
	}
	for text, want := range map[string]string{
		"2026-11-22": "in the future", "2099-01-01": "in the future", "tomorrow": "tomorrow", "next Monday": "in the future", "2026-02-30": "no day", "2026-13-01": "no day",
		"5/3/2025": "2025-05-03 or 2025-03-05", "5/3/25": "Which year", "soon": "not understood", "<transaction date>": "not understood", "0000-01-01": "no day",
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
	for _, s := range []string{"Can you reimburse me $20?", `{"date":1}`, "date: today, amount: 20 EUR", "```json\n{}\n```", "5/3/25 20,50€ for \x00", "request_id_1 yes", "<amount> - 1.2.3.4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := &desk{now: now(), limit: big.NewRat(10_000, 1), currency: "USD", newID: newRequestID}
		a, err := rules{}.read(t.Context(), situation{}, text)
		if err != nil {
			t.Fatal(err)
		}
		d.do(a)
		if r, ok := d.current(); ok {
			if a, err = (rules{}).read(t.Context(), situation{request: r, own: true}, text); err != nil {
				t.Fatal(err)
			}
			d.do(a)
		}
		s, problem, ok := readSubmission(a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)))
		if !ok || problem != "" {
			return
		}
		if a, err = s.action(); err != nil {
			t.Fatal(err)
		}
		if out := d.do(a); out.kind == approve {
			if _, problem := checkAmount(out.request.Amount, "USD", d.limit); problem != "" {
				t.Errorf("approved %+v: %s", out.request, problem)
			}
		}
	})
}
