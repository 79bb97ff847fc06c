// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/currency/rules"
)

const today = "2025-04-01"

// brief renders a request in one line: "100 USD>GBP,JPY 2025-03-31".
func brief(r rules.Request) string {
	text := r.From + ">" + strings.Join(r.To, ",")
	if r.Amount != nil {
		text = r.Amount.String() + " " + text
	}
	return strings.TrimSpace(text + " " + r.On)
}

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"100 USD in GBP": "100 USD>GBP",
		"How much is the exchange rate for 1 USD to INR?": "1 USD>INR",
		"how much is the exchange rate for 1 USD?":        "1 USD>",
		"How much is 1 USD?":                              "1 USD>",
		"CAD":                                             "CAD>",
		"What is exchange rate between USD and GBP?":      "USD>GBP",
		"5 euros in yen and pounds":                       "5 EUR>JPY,GBP",
		"$20 to EUR yesterday":                            "20 USD>EUR 2025-03-31",
		"20 EUR needs to be converted to USD":             "20 EUR>USD",
		"convert 20 EUR to USD":                           "20 EUR>USD",
		"Could you tell me what 1,234.50 Canadian dollars are worth in Swiss francs, please?": "1234.5 CAD>CHF",
		"HK$5 into New Zealand dollars":     "5 HKD>NZD",
		"to GBP from USD":                   "USD>GBP",
		"convert to GBP 100 USD":            "100 USD>GBP",
		"usd -> inr 1500":                   "1500 USD>INR",
		"usd gbp":                           "USD>GBP",
		"how many yen is 5 USD?":            "5 USD>JPY",
		"how many yen in a dollar":          "USD>JPY",
		"how much dollar in rupees":         "USD>INR",
		"how much USD do I get for 100 EUR": "100 EUR>USD",
		"USD to EUR on 2024-01-05":          "USD>EUR 2024-01-05",
		"100 TRY to XYZ":                    "100 TRY>XYZ",
		"100":                               "100 >",
		"\x1b[2J100 USD\x00 in GBP":         "100 USD>GBP",
		"exchange 100":                      "100 >",
		"1 USD = ? thai baht":               "1 USD>THB",
	} {
		r, ok := rules.Request{}.Read(text, today)
		if got := brief(r); !ok || got != want {
			t.Errorf("%q: %q, %t, want %q", text, got, ok, want)
		}
	}
}

// A request with a word, a number or a role that the rules do not know is refused as a whole: the rest of it would be
// answered with wrong figures.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "hello", "tell me a joke", "who invented the euro?", "I want to try", "yesterday",
		"USD to EUR last Friday", "USD to EUR on 5 Jan 2024", "USD to EUR 3 days ago", "USD to EUR in 2020",
		"USD to EUR tomorrow",
		"USD to EUR 2024-02-30", "USD to EUR 2024-01-05 and 2024-01-06",
		"one hundred dollars in euros", "2k usd to gbp", "1.234,56 EUR in USD", "12,5 EUR to USD", "1,23,45 USD to EUR",
		"1.2.3 USD to EUR",
		"-5 USD to EUR", "5% of 100 USD to EUR", "5 to 10 USD in EUR", "1e5 USD in EUR",
		"12345678901234567890 USD to EUR", "1٠ USD in EUR",
		"100 USD and 50 EUR in GBP", "100 USD and EUR in GBP", "CAD $100 in EUR", "$100 CAD in EUR", "100 pesos to usd",
		"100 USD in monopoly money", "buy 100 EUR with USD", "100 USD in GBP; DROP TABLE rates",
		"1 USD to EUR GBP JPY CHF SEK NOK DKK PLN CZK HUF RON", "Convert 35 GBP to USD and then reimburse me",
	} {
		if r, ok := (rules.Request{}).Read(text, today); ok {
			t.Errorf("%q is read as %q", text, brief(r))
		}
	}
	if n := strings.Count(rules.Refusal, "."); n != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("the refusal is %q, want one sentence that names --llm", rules.Refusal)
	}
}

// Read combines a text with the request before it. The rows list the request, the text and the result.
func TestReadInConversation(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		before string
		asked  bool
		text   string
		want   string
	}{
		{"5 USD in GBP", false, "and in JPY?", "5 USD>JPY"},
		{"5 USD in GBP", false, "7 instead", "7 USD>GBP"},
		{"5 USD in GBP", false, "what about 50 CHF", "50 CHF>GBP"},
		{"5 USD in GBP", false, "EUR", "5 USD>EUR"},
		{"5 USD in GBP", false, "yesterday?", "5 USD>GBP 2025-03-31"},
		{"5 USD in GBP", false, "EUR to JPY", "EUR>JPY"},
		{"5 USD in GBP", false, "How much is 1 USD?", "1 USD>"},
		{"5 USD in GBP", false, "what is the exchange rate?", ">"},
		{"5 USD", true, "CAD, please", "5 USD>CAD"},
		{"5 USD", true, "yen and pounds", "5 USD>JPY,GBP"},
		{"5 USD", true, "from USD to GBP", "5 USD>GBP"},
		{"5 USD", true, "EUR to GBP", "EUR>GBP"},
		{"100", true, "USD GBP", "100 USD>GBP"},
		{"100 to GBP", true, "dollars", "100 USD>GBP"},
	} {
		before, ok := rules.Request{}.Read(row.before, today)
		before.Asked = row.asked
		r, understood := before.Read(row.text, today)
		if got := brief(r); !ok || !understood || got != row.want {
			t.Errorf("%q, then %q: %q, want %q", row.before, row.text, got, row.want)
		}
	}
	asked := rules.Request{From: "USD", Asked: true}
	for _, text := range []string{"tell me a joke", "...", "what is the exchange rate?"} {
		if r, ok := asked.Read(text, today); ok {
			t.Errorf("%q answers the question with %q", text, brief(r))
		}
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	complete, _ := rules.Request{}.Read("1,000 USD in GBP and VND on 2020-01-05", today)
	for want, r := range map[string]rules.Request{
		"": complete,
		"Which other day do you want, or the latest?": complete.WithoutDay(),
		"From which currency should I convert 1000 into GBP and VND?": complete.Without(
			[]string{"USD"}),
		"Into which currency should I convert 1000 USD?": complete.Without(
			[]string{"GBP", "VND"}),
		"From which currency should I convert 1000, and into which one? For example: 100 USD in GBP.": complete.Without(
			[]string{"USD", "GBP", "VND"}),
		"Into which currency should I convert USD? I take the latest bundled rate, of 2025-04-01, unless you name a " +
			"day.": {From: "USD"},
	} {
		if got := r.Question("the latest bundled rate, of 2025-04-01,"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"100 USD in GBP", "how many yen in a dollar", "$5 -> C$ yesterday", "2024-01-05",
		"\xff1'000k", strings.Repeat("USD ", 400)} {
		f.Add(text, "5 USD")
	}
	f.Fuzz(func(t *testing.T, text, before string) {
		r, _ := rules.Request{}.Read(before, today)
		r.Asked = r.Question("the latest rate") != ""
		r, ok := r.Read(text, today)
		if ok && r.Question("") == "" && (r.From == "" || len(r.To) == 0) || len(r.To) > rules.MaxTargets {
			t.Errorf("%+v", r)
		}
	})
}
