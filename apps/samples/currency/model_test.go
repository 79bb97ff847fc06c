// SPDX-License-Identifier: Apache-2.0

package currency_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency/rules"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

const (
	asks = a2a.TaskStateInputRequired
	done = a2a.TaskStateCompleted
)

// A line of a conversation: what is said, what a sensible model looks up for it, and what the answer says.
type line struct {
	say     string
	lookups []string // "100 USD GBP 2025-03-28", without the day for the latest
	state   a2a.TaskState
	want    []string
}

func lookups(all ...string) []string { return all }
func has(all ...string) []string     { return all }

// dialogues go the same way with rules and with a model.
var dialogues = map[string][]line{
	"direct": {{"100 USD in GBP", lookups("100 USD GBP"), done,
		has("100 USD = 77.252 GBP (1 USD = 0.77252 GBP, 2025-04-01, bundled snapshot).")}},
	"rupees": {{"How much is the exchange rate for 1 USD to INR?", lookups("1 USD INR"), done,
		has("1 USD = 85.49 INR (2025-04-01, bundled snapshot).")}},
	"target is missing": {
		{"How much is the exchange rate for 1 USD?", nil, asks,
			has("Into which currency should I convert 1 USD? I take the latest bundled rate, of 2025-04-01, unless " +
				"you name a day.")},
		{"CAD", lookups("1 USD CAD"), done, has("1 USD = 1.4328 CAD")},
	},
	"source is missing": {
		{"100 to GBP", nil, asks, has("From which currency should I convert 100 into GBP?")},
		{"dollars", lookups("100 USD GBP"), done, has("100 USD = 77.252 GBP")},
	},
	"both are missing": {
		{"what is the exchange rate?", nil, asks, has("From which currency", "into which one")},
		{"USD", nil, asks, has("Into which currency should I convert USD?")},
		{"yen and pounds", lookups("1 USD JPY", "1 USD GBP"), done, has("1 USD = 149.91 JPY", "1 USD = 0.77252 GBP")},
	},
	"follow-ups": {
		{"100 USD in GBP", lookups("100 USD GBP"), done, has("77.252 GBP")},
		{"and in JPY?", lookups("100 USD JPY"), done, has("100 USD = 14,991 JPY")},
		{"200 instead", lookups("200 USD JPY"), done, has("200 USD = 29,982 JPY")},
		{"what about 50 CHF", lookups("50 CHF JPY"), done, has("50 CHF = 8,475 JPY")},
		{"EUR", lookups("50 CHF EUR"), done, has("50 CHF = 52.405 EUR")},
		{"5 EUR", nil, asks, has("Into which currency should I convert 5 EUR?")},
	},
	"several targets": {{"5 euros in yen and pounds", lookups("5 EUR JPY", "5 EUR GBP"), done,
		has("5 EUR = 808.6 JPY", "5 EUR = 4.167 GBP")}},
	"same currency": {{"100 USD to USD", lookups("100 USD USD"), done,
		has("100 USD = 100 USD.", "Note: both are USD, so the rate is 1.")}},
	"unknown source": {
		{"100 GPB in USD", lookups("100 GPB USD"), asks, has("no rates for GPB, only for AUD")},
		{"GBP", lookups("100 GBP USD"), done, has("100 GBP = 129.45 USD")},
	},
	"unknown target": {
		{"100 USD to VND", lookups("100 USD VND"), asks, has("no rates for VND, only for AUD")},
		{"GBP", lookups("100 USD GBP"), done, has("77.252 GBP")},
	},
	"weekend": {{"USD to EUR on 2025-03-30", lookups("1 USD EUR 2025-03-30"), done,
		has("2025-03-28", "no rates of 2025-03-30 itself")}},
	"relative day": {{"$20 to EUR yesterday", lookups("20 USD EUR 2025-03-31"), done,
		has("20 USD = 18.531 EUR", "2025-03-31")}},
	"outside of the table": {
		{"100 USD to GBP on 2020-01-05", lookups("100 USD GBP 2020-01-05"), asks,
			has("only from 2025-03-05 to 2025-04-01")},
		{"latest", lookups("100 USD GBP latest"), done, has("77.252 GBP")},
	},
	"future": {{"100 USD to GBP on 2030-01-01", lookups("100 USD GBP 2030-01-01"), asks,
		has("that day is in the future")}},
	"much talk":  {{strings.Repeat("USD ", currency.MaxText), nil, asks, has("too long")}},
	"as a table": {{"EUR/CHF", lookups("1 EUR CHF"), done, has("1 EUR = 0.9541 CHF")}},
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }
	for name, lines := range dialogues {
		t.Run("rules/"+name, func(t *testing.T) {
			t.Parallel()
			converse(t, newHarness(t, currency.Options{Now: now}), lines)
		})
		t.Run("model/"+name, func(t *testing.T) {
			t.Parallel()
			converse(t, newHarness(t, currency.Options{Now: now, Model: sensible(t, lines).Model()}), lines)
		})
	}
}

func converse(t *testing.T, h *agenttest.Harness, lines []line) {
	t.Helper()
	var last *agenttest.Result
	for _, l := range lines {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(l.say))
		if last != nil {
			m.ContextID = last.Task.ContextID
			if last.State() == asks {
				m.TaskID = last.Task.ID
			}
		}
		last = h.SendMessage(m)
		if last.State() != l.state {
			t.Fatalf("%.80q: %v: %s", l.say, last.State(), last.Text())
		}
		for _, want := range l.want {
			if !strings.Contains(last.Text(), want) {
				t.Errorf("%.80q: %s\nwant %q", l.say, last.Text(), want)
			}
		}
		if answered := l.state == done && len(l.lookups) > 0; answered != (len(last.Task.Artifacts) > 0) {
			t.Errorf("%.80q: artifacts %+v", l.say, last.Task.Artifacts)
		}
	}
}

// sensible plays a model that looks up what the lines say, and answers with what it was told.
func sensible(t *testing.T, lines []line) *llmtest.Server {
	t.Helper()
	return llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(lines, r) })
}

// think is what that model does.
func think(lines []line, r *llmtest.Request) llmtest.Step {
	for _, l := range lines {
		if l.say == r.LastUser() {
			return l.step(r.Results())
		}
	}
	return llmtest.Fail(http.StatusBadRequest, "nobody said "+r.LastUser())
}

// step is what the model does after the tool returned something.
func (l line) step(results []llmtest.Result) llmtest.Step {
	if len(results) < len(l.lookups) {
		calls := make([]llmtest.Call, len(l.lookups))
		for i, lookup := range l.lookups {
			calls[i] = call(lookup)
		}
		return llmtest.Calls(calls...)
	}
	status := "completed"
	if l.state == asks {
		status = "input_required"
	}
	told := l.want
	for i, r := range results {
		if i == 0 {
			told = []string{"Here you are."}
		}
		if text, wrong := strings.CutPrefix(r.Text, "error: "); wrong {
			told = append(told, text)
		}
	}
	return reply(strings.Join(told, " "), status)
}

// call asks the tool for "100 USD GBP 2025-03-28".
func call(lookup string) llmtest.Call {
	words := strings.Fields(lookup)
	args := fmt.Sprintf(`"amount":%s,"currency_from":%q,"currency_to":%q`, words[0], words[1], words[2])
	if len(words) > 3 {
		args += fmt.Sprintf(`,"currency_date":%q`, words[3])
	}
	return llmtest.Call{Name: "get_exchange_rate", Args: "{" + args + "}"}
}

func reply(message, status string) llmtest.Step {
	return llmtest.JSON(map[string]string{"message": message, "status": status})
}

func TestModelsMistakes(t *testing.T) {
	t.Parallel()
	const figures = "100 USD = 77.252 GBP (1 USD = 0.77252 GBP, 2025-04-01, bundled snapshot)."
	const failed = a2a.TaskStateFailed
	look := llmtest.Calls(call("100 USD GBP"))
	bare := llmtest.Calls(llmtest.Call{Name: "get_exchange_rate", Args: `{"currency_from":"usd","currency_to":"gbp"}`})
	for name, row := range map[string]struct {
		script []llmtest.Step
		state  a2a.TaskState
		want   string // the whole text
	}{
		"word for word": {[]llmtest.Step{look, reply(figures, "completed")}, done, figures},
		"rounds": {[]llmtest.Step{look, reply("About 77 pounds.", "completed")}, done,
			"About 77 pounds.\n" + figures},
		"asks twice": {[]llmtest.Step{llmtest.Calls(call("100 USD GBP"), call("100 USD GBP")),
			reply("See:", "completed")}, done, "See:\n" + figures},
		"says nothing": {[]llmtest.Step{reply("", "completed")}, done,
			"Sorry, I can only convert currencies. You could ask me: 100 USD in GBP."},
		"lower case, and bare": {[]llmtest.Step{bare, reply("See:", "completed")}, done,
			"See:\n1 USD = 0.77252 GBP (2025-04-01, bundled snapshot)."},
		"broken arguments": {[]llmtest.Step{llmtest.Calls(
			llmtest.Call{Name: "get_exchange_rate", Args: `{"currency_from":`}), look, reply("See:", "completed")},
			done, "See:\n" + figures},
		"below zero": {[]llmtest.Step{llmtest.Calls(call("-5 USD GBP")), look, reply("See:", "completed")},
			done, "See:\n" + figures},
		"no day": {[]llmtest.Step{llmtest.Calls(call("5 USD GBP 2025-02-30")), look,
			reply("See:", "completed")}, done, "See:\n" + figures},
		"a huge amount": {[]llmtest.Step{llmtest.Calls(call("1e999 USD GBP")), look, reply("See:", "completed")},
			done, "See:\n" + figures},
		"broken JSON once": {[]llmtest.Step{look, llmtest.JSON(`{"message":`), reply("See:", "completed")}, done,
			"See:\n" + figures},
		"another status": {[]llmtest.Step{look, reply("See:", "done"), reply("See:", "completed")}, done,
			"See:\n" + figures},
		"an error": {[]llmtest.Step{reply("I cannot tell today.", "error")}, failed,
			"I cannot tell today."},
		"a refusal": {[]llmtest.Step{llmtest.Refuse("no")}, done,
			"Sorry, I can only convert currencies. You could ask me: 100 USD in GBP."},
		"a wrong key": {[]llmtest.Step{llmtest.Fail(http.StatusUnauthorized, "no")}, failed,
			"The language model could not be asked. Please try again later."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, currency.Options{Model: llmtest.New(t, row.script...).Model()}).Send("100 USD in GBP")
			if r.State() != row.state || r.Text() != row.want {
				t.Errorf("%v: %s", r.State(), r.Text())
			}
		})
	}
}

// A model gets as many lookups as it takes, and not without end.
func TestModelLooksUpWithinBounds(t *testing.T) {
	t.Parallel()
	const most = 2 * rules.MaxTargets
	calls := make([]llmtest.Call, most+1)
	for i := range calls {
		calls[i] = call(fmt.Sprint(i+1, " USD GBP"))
	}
	server := llmtest.New(t, llmtest.Calls(calls...), reply("See:", "completed"))
	r := newHarness(t, currency.Options{Model: server.Model()}).Send("a table, please")
	// that of 1 USD is worded otherwise
	if n := strings.Count(r.Text(), " GBP, 2025-04-01"); r.State() != done || n < most-1 || n > most {
		t.Errorf("%d conversions, %v: %s", n, r.State(), r.Text())
	}
	refused := 0
	for _, result := range server.Last().Results() {
		if strings.HasPrefix(result.Text, "error: only 20 calls") {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d calls were refused", refused)
	}
}

// The model's answers have the same data and progress messages as the answers of the rules.
func TestModelGivesDataAndProgress(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Calls(call("2 USD GBP")), reply("See:", "completed"))
	r := newHarness(t, currency.Options{Model: server.Model()}).Send("2 USD in GBP")
	want := "working: Looking up the exchange rates...|working: Processing the exchange rates...|artifact|completed: "
	if got := strings.Join(steps(r), "|"); got != want {
		t.Errorf("events %q", got)
	}
	data := string(r.Task.Artifacts[0].Parts[1].Content.(a2a.Data))
	if data != `{"amount":2,"from":"USD","to":"GBP","rate":0.77252,"result":1.545,"date":"2025-04-01",`+
		`"source":"bundled snapshot"}` {
		t.Error(data)
	}
	if told := server.Last().Results()[0].Text; !strings.Contains(told, `"rate":0.77252`) ||
		!strings.Contains(told, `"text":"2 USD = 1.545 GBP (`) {
		t.Errorf("the tool told %s", told)
	}
}

func TestModelIsToldWhatItNeeds(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, reply("Into which currency?", "input_required"), reply("Sorry.", "completed"))
	now := func() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }
	h := newHarness(t, currency.Options{Model: server.Model(), Now: now})
	h.Reply(h.Send("1 USD?"), "a joke")
	last := server.Last()
	if !last.Has("get_exchange_rate") || !strings.HasSuffix(last.System, "Today is 2026-11-21. Count days such as "+
		"yesterday from 2025-04-01, the last one with rates.") {
		t.Error(last.System)
	}
	if m := last.Messages; len(m) != 3 || m[0].Text != "1 USD?" || m[1].Text != "Into which currency?" ||
		m[2].Text != "a joke" {
		t.Errorf("the conversation is %+v", m)
	}
}

// When the provider is down the task fails, whatever the model makes of it.
func TestModelWithoutRates(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"completed", "error"} {
		rates := &scripted{rates: func(context.Context) error { return errors.New("secret.internal refused") }}
		server := llmtest.New(t, llmtest.Calls(call("100 USD GBP")), reply("100 USD are 90 GBP.", status))
		r := newHarness(t, currency.Options{Rates: rates, Model: server.Model()}).Send("100 USD in GBP")
		if r.State() != a2a.TaskStateFailed ||
			r.Text() != "The exchange rates could not be had. Please try again later." {
			t.Errorf("%s: %v: %s", status, r.State(), r.Text())
		}
		if told := server.Last().Results()[0].Text; told != "error: the exchange rates could not be had" {
			t.Errorf("the model was told %q", told)
		}
	}
}
