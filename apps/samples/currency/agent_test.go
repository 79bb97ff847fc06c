// SPDX-License-Identifier: Apache-2.0

package currency_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o currency.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, currency.New(o), &agenttest.Options{Card: currency.Card(), OutputModes: modes})
}

func TestAgentAnswers(t *testing.T) {
	t.Parallel()
	result := newHarness(t, currency.Options{}).Send("100 USD in GBP")
	if result.State() != a2a.TaskStateCompleted {
		t.Fatalf("state %v: %s", result.State(), result.Text())
	}
	if want := "100 USD = 77.252 GBP"; !strings.HasPrefix(result.Text(), want) {
		t.Errorf("text %q, want %q", result.Text(), want)
	}
	if n := len(result.Task.Artifacts); n != 1 || result.Task.Artifacts[0].Name != "conversion_result" {
		t.Fatalf("%d artifacts: %+v", n, result.Task.Artifacts)
	}
	want := []string{
		"working: Looking up the exchange rates...", "working: Processing the exchange rates...", "artifact",
		"completed: ",
	}
	if got := steps(result); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("events %q, want %q", got, want)
	}
}

// steps renders the events after the task's creation. The first event may already show the first status.
func steps(r *agenttest.Result) []string {
	var all []string
	add := func(s a2a.TaskStatus) {
		text := ""
		if s.Message != nil {
			text = string(s.Message.Parts[0].Content.(a2a.Text))
		}
		switch s.State {
		case a2a.TaskStateWorking:
			all = append(all, "working: "+text)
		case a2a.TaskStateCompleted:
			all = append(all, "completed: "+text)
		}
	}
	for _, e := range r.Events {
		switch e := e.(type) {
		case *a2a.Task:
			add(e.Status)
		case *a2a.StatusUpdate:
			add(e.Status)
		case *a2a.ArtifactUpdate:
			all = append(all, "artifact")
		}
	}
	return all
}

func TestAgentData(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		modes []string
		text  string
		parts []string
	}{
		"no modes": {nil, "2 USD in GBP",
			[]string{"text",
				`{"amount":2,"from":"USD","to":"GBP","rate":0.77252,"result":1.545,"date":"2025-04-01",` +
					`"source":"bundled snapshot"}`}},
		"both": {[]string{"text/plain", "application/json"}, "1 USD in USD",
			[]string{"text", `{"amount":1,"from":"USD","to":"USD","rate":1,"result":1,"source":"same currency"}`}},
		"text only": {[]string{"text/plain"}, "2 USD in GBP", []string{"text"}},
		"data only": {[]string{"application/json"}, "1 USD in USD",
			[]string{`{"amount":1,"from":"USD","to":"USD","rate":1,"result":1,"source":"same currency"}`}},
		"several targets": {nil, "1 USD in USD and GBP",
			[]string{"text",
				`[{"amount":1,"from":"USD","to":"USD","rate":1,"result":1,"source":"same currency"},{"amount":1,` +
					`"from":"USD","to":"GBP","rate":0.77252,"result":0.77252,"date":"2025-04-01",` +
					`"source":"bundled snapshot"}]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := newHarness(t, currency.Options{}, row.modes...).Send(row.text)
			var got []string
			for _, p := range result.Task.Artifacts[0].Parts {
				switch content := p.Content.(type) {
				case a2a.Text:
					got = append(got, "text")
				case a2a.Data:
					got = append(got, string(content))
					if p.MediaType != "application/json" {
						t.Errorf("media type %q", p.MediaType)
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(row.parts) {
				t.Errorf("parts %s, want %s", got, row.parts)
			}
		})
	}
}

func TestAgentAsksBack(t *testing.T) {
	t.Parallel()
	h := newHarness(t, currency.Options{})
	first := h.Send("How much is 1 USD?")
	if first.State() != a2a.TaskStateInputRequired || !strings.Contains(first.StatusText(), "Into which currency") {
		t.Fatalf("%v: %s", first.State(), first.StatusText())
	}
	if again := h.Reply(first, "..."); again.State() != a2a.TaskStateInputRequired ||
		!strings.Contains(again.StatusText(), "Into which currency") {
		t.Errorf("no answer: %v: %s", again.State(), again.StatusText())
	}
	second := h.Reply(first, "CAD")
	if second.State() != a2a.TaskStateCompleted || !strings.HasPrefix(second.Text(), "1 USD = 1.4328 CAD") ||
		second.Task.ID != first.Task.ID {
		t.Errorf("%v: %s", second.State(), second.Text())
	}
}

func TestAgentReadsFilesOfText(t *testing.T) {
	t.Parallel()
	m := a2a.NewMessage(a2a.RoleUser, a2a.RawPart([]byte("100 USD in GBP\n"), "text/plain; charset=utf-8", "n.txt"))
	if result := newHarness(t, currency.Options{}).SendMessage(m); !strings.HasPrefix(result.Text(),
		"100 USD = 77.252 GBP") {
		t.Errorf("%v: %s", result.State(), result.Text())
	}
}

// Clients that only keep the context, and not the task, can answer a question as well.
func TestAgentKeepsTheConversationPerContext(t *testing.T) {
	t.Parallel()
	h := newHarness(t, currency.Options{})
	first := h.Send("How much is 1 USD?")
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("CAD"))
	m.ContextID = first.Task.ContextID
	if second := h.SendMessage(m); second.State() != a2a.TaskStateCompleted ||
		!strings.HasPrefix(second.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("same context: %v: %s", second.State(), second.Text())
	}
	if other := h.Send("CAD"); other.State() != a2a.TaskStateInputRequired {
		t.Errorf("another context: %v: %s", other.State(), other.Text())
	}
}

func TestAgentRefuses(t *testing.T) {
	t.Parallel()
	rates := &scripted{}
	result := newHarness(t, currency.Options{Rates: rates}).Send("Tell me a joke")
	if result.State() != a2a.TaskStateRejected || result.StatusText() != rules.Refusal ||
		len(result.Task.Artifacts) > 0 {
		t.Errorf("%v: %s", result.State(), result.StatusText())
	}
	if rates.calls > 0 {
		t.Error("asked for rates")
	}
}

// scripted is a provider that does what rates says.
type scripted struct {
	calls int
	rates func(ctx context.Context) error
}

func (s *scripted) Today(now time.Time) currency.Date { return currency.DateOf(now) }

func (s *scripted) Rates(ctx context.Context, _ currency.Query) (currency.Quote, error) {
	s.calls++
	return currency.Quote{}, s.rates(ctx)
}

func TestAgentFails(t *testing.T) {
	t.Parallel()
	rates := &scripted{rates: func(context.Context) error { return errors.New("secret.internal refused") }}
	result := newHarness(t, currency.Options{Rates: rates}).Send("100 USD in GBP")
	if result.State() != a2a.TaskStateFailed ||
		!strings.Contains(result.StatusText(), "exchange rates could not be had") {
		t.Errorf("%v: %s", result.State(), result.StatusText())
	}
	if strings.Contains(result.StatusText(), "secret") {
		t.Errorf("the client reads %q", result.StatusText())
	}
}

func TestAgentHonoursCancel(t *testing.T) {
	t.Parallel()
	entered, left := make(chan struct{}), make(chan error, 1)
	rates := &scripted{rates: func(ctx context.Context) error {
		close(entered)
		<-ctx.Done()
		left <- ctx.Err()
		return ctx.Err()
	}}
	h := newHarness(t, currency.Options{Rates: rates})
	sent, err := h.Service.SendMessage(h.Context(), &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("100 USD in GBP")),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	task, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: sent.(*a2a.Task).ID})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("%+v, %v", task, err)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the provider saw %v", err)
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := currency.Card()
	if card.Name != "Currency Agent" || card.Version != "1.0.0" || card.Description == "" {
		t.Errorf("%+v", card)
	}
	if len(card.Skills) != 1 || card.Skills[0].ID != "convert_currency" || len(card.Skills[0].Tags) == 0 {
		t.Fatalf("skills %+v", card.Skills)
	}
	h := newHarness(t, currency.Options{})
	for _, example := range card.Skills[0].Examples {
		if result := h.Send(example); result.State() != a2a.TaskStateCompleted || len(result.Task.Artifacts) != 1 {
			t.Errorf("example %q: %v: %s", example, result.State(), result.Text())
		}
	}
}

// The data of an answer is JSON that a client reads back into a Conversion.
func TestAgentDataDecodes(t *testing.T) {
	t.Parallel()
	result := newHarness(t, currency.Options{}, "application/json").Send("1,234.56 EUR to CHF")
	var c currency.Conversion
	if err := json.Unmarshal(result.Task.Artifacts[0].Parts[0].Content.(a2a.Data), &c); err != nil {
		t.Fatal(err)
	}
	if c.Amount.String() != "1234.56" || c.Result.String() != "1177.894" || c.Date != "2025-04-01" {
		t.Errorf("%+v", c)
	}
}
